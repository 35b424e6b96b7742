//! Progress on the standard error, for work that takes longer than a second: one line that is written anew on a terminal,
//! a line every few seconds elsewhere.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How long work stays silent.
const SILENT: Duration = Duration::from_secs(1);
/// From one line to the next, on a terminal and elsewhere.
const EVERY: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(5)];

/// How far some work is.
#[derive(Debug)]
pub struct Progress {
    what: String,
    started: Instant,
    next: Duration,
    terminal: bool,
    shown: bool,
}

impl Progress {
    /// Work that begins now.
    #[expect(clippy::disallowed_methods, reason = "a duration is shown")]
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            started: Instant::now(),
            next: SILENT,
            terminal: io::stderr().is_terminal(),
            shown: false,
        }
    }

    /// The work is so far: bytes done, and how many there are where that is known.
    pub fn tick(&mut self, stage: &str, done: u64, of: Option<u64>) {
        let taken = self.started.elapsed();
        if taken < self.next {
            return;
        }
        self.next = taken + EVERY[usize::from(!self.terminal)];
        let text = line(&self.what, stage, (done, of), taken.as_secs());
        // Nobody is told when the standard error is gone.
        _ = if self.terminal {
            write!(io::stderr(), "\r\x1b[K{}", crate::out::cut(&text, 79))
        } else {
            writeln!(io::stderr(), "{text}")
        };
        self.shown = self.terminal;
    }

    /// Takes the line away again.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            _ = write!(io::stderr(), "\r\x1b[K");
            _ = io::stderr().flush();
        }
    }
}

/// `ks/t/da-1-bti, Data.db, row by row: 12 of 48 MiB, 25 %, 3 s`
fn line(what: &str, stage: &str, (done, of): (u64, Option<u64>), seconds: u64) -> String {
    let mib = |bytes: u64| bytes >> 20;
    let far = match of.filter(|of| *of > 0) {
        Some(of) => {
            let percent = u128::from(done.min(of)) * 100 / u128::from(of);
            format!("{} of {} MiB, {percent} %", mib(done), mib(of))
        }
        None => format!("{} MiB", mib(done)),
    };
    let stage = if stage.is_empty() { String::new() } else { format!(", {stage}") };
    format!("{what}{stage}: {far}, {seconds} s")
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_done_and_how_far() {
        let (done, of) = (12 << 20, 48 << 20);
        let text = line("da-1-bti", "Data.db, row by row", (done, Some(of)), 3);
        assert_eq!(text, "da-1-bti, Data.db, row by row: 12 of 48 MiB, 25 %, 3 s");
        assert_eq!(line("da-1-bti", "", (done, None), 2), "da-1-bti: 12 MiB, 2 s");
        assert_eq!(line("x", "", (9, Some(0)), 1), "x: 0 MiB, 1 s");
        assert!(line("x", "", (u64::MAX, Some(u64::MAX)), 1).contains("100 %"));
    }

    #[test]
    fn nothing_is_shown_in_the_first_second() {
        let mut progress = Progress::new("x");
        progress.tick("", 1, None);
        assert!(!progress.shown && progress.next == SILENT);
    }
}
