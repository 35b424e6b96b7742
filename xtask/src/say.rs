//! What a step says: what it does, how long it took, what it skips because it is there.

use anyhow::Result;
use std::fmt;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Runs one step: says what it does before, and how long it took after.
pub fn step<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    line(&format!("==> {what}"));
    let watch = Stopwatch::start();
    let result = run();
    match &result {
        Ok(_) => line(&format!("    done in {watch}")),
        Err(_) => line(&format!("    failed after {watch}")),
    }
    result
}

/// Says that a step has nothing to do.
pub fn there(what: &str) {
    line(&format!("==> {what}: there already, skipped"));
}

/// Says one line, at once, so that it stays in order with what other programs print.
pub fn line(text: &str) {
    println!("{text}");
    // A closed pipe is no reason to stop a build.
    let _ = std::io::stdout().flush();
}

/// Measures how long something takes; prints as people say it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "durations are shown, and waits have an end")]
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

impl fmt::Display for Stopwatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed().as_secs_f64();
        if seconds < 60.0 {
            write!(f, "{seconds:.1} s")
        } else {
            write!(f, "{} min {:02.0} s", (seconds / 60.0).floor(), seconds % 60.0)
        }
    }
}
