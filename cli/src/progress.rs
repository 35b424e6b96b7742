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
        let mib = |bytes: u64| bytes >> 20;
        let far = match of.filter(|of| *of > 0) {
            Some(of) => format!("{} of {} MiB, {} %", mib(done), mib(of), done.min(of) * 100 / of),
            None => format!("{} MiB", mib(done)),
        };
        let seconds = taken.as_secs();
        let stage = if stage.is_empty() { String::new() } else { format!(", {stage}") };
        let text = format!("{}{stage}: {far}, {seconds} s", self.what);
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

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
