//! Counts what passed, failed and was skipped, also from what `cargo test` prints.

use crate::say;
use anyhow::{Context as _, Result, bail};
use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

/// The counts of a run.
#[derive(Debug, Default)]
pub struct Tally {
    passed: u64,
    failed: Vec<String>,
    skipped: u64,
    strict: bool,
}

/// Skips that stay skips in CI: what they need is not part of the repository.
const OUTSIDE: &[&str] = &["../shared", "shared/", "Java", "java"];

impl Tally {
    /// Nothing counted. When `strict`, a skip is a failure, except where it needs what the repository does not have.
    pub fn new(strict: bool) -> Tally {
        Tally { strict, ..Tally::default() }
    }

    /// Runs one check that is no test of its own: a pass or a failure.
    pub fn check(&mut self, what: &str, run: impl FnOnce() -> Result<()>) -> bool {
        match say::step(what, run) {
            Ok(()) => {
                self.passed += 1;
                true
            }
            Err(error) => {
                say::line(&format!("    FAILED: {error:#}"));
                self.failed.push(what.to_owned());
                false
            }
        }
    }

    /// Counts one thing that was not done, and says why.
    pub fn skip(&mut self, why: &str) {
        say::line(&format!("    skipped: {why}"));
        self.count_skip(why);
    }

    fn count_skip(&mut self, why: &str) {
        if self.strict && !OUTSIDE.iter().any(|outside| why.contains(outside)) {
            self.failed.push(format!("skipped in CI: {why}"));
        } else {
            self.skipped += 1;
        }
    }

    /// Runs `cargo test` (or what prints like it), shows its output and adds up its results.
    ///
    /// A test that skips itself prints a line `skipped: why`; it counts as skipped, not as passed. A run without a
    /// single test is a failure: a wrong target or filter must not look green.
    pub fn tests(&mut self, what: &str, command: &mut Command) {
        let mut output = Output::default();
        let ran = say::step(what, || match run(command, &mut output) {
            Ok(true) => Ok(()),
            Ok(false) => bail!("did not end well"),
            Err(error) => Err(error),
        });
        let own_skips = output.skips.len() as u64;
        self.passed += output.passed.saturating_sub(own_skips);
        for why in &output.skips {
            self.skip(why);
        }
        for _ in 0..output.ignored {
            self.skip("a test marked as ignored; its reason is above");
        }
        for name in &output.failures {
            self.failed.push(format!("{what}: {name}"));
        }
        match ran {
            // The tests that failed are listed by name; anything else that went wrong needs a line of its own.
            Err(error) if output.failures.is_empty() => {
                self.failed.push(format!("{what}: {error:#}"))
            }
            Ok(()) if output.passed == 0 => self.failed.push(format!("{what}: ran no test")),
            _ => {}
        }
    }

    /// Whether nothing failed.
    pub fn good(&self) -> bool {
        self.failed.is_empty()
    }

    /// Says what failed.
    pub fn report(&self) {
        for name in &self.failed {
            say::line(&format!("FAILED: {name}"));
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed.len(), self.skipped)
    }
}

/// What one run of `cargo test` printed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Output {
    passed: u64,
    ignored: u64,
    failures: Vec<String>,
    skips: Vec<String>,
    /// Inside the part where libtest repeats what successful tests printed.
    repeating: bool,
}

impl Output {
    /// Takes in one line; true when it should be shown.
    fn line(&mut self, line: &str) -> bool {
        if let Some(why) = skip_reason(line) {
            self.skips.push(why.to_owned());
            return false;
        }
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.repeating = false;
            self.passed += count(counts, " passed");
            self.ignored += count(counts, " ignored");
            return true;
        }
        if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            self.failures.push(name.to_owned());
        }
        match line {
            "successes:" => self.repeating = true,
            "failures:" => self.repeating = false,
            _ => {}
        }
        !self.repeating
    }
}

/// `skipped: no ../shared/fixtures here` and the like.
fn skip_reason(line: &str) -> Option<&str> {
    let line = line.trim();
    ["skipped: ", "skipped ", "skip: ", "skipping "].iter().find_map(|word| line.strip_prefix(word))
}

/// The number before a word, as in `ok. 12 passed; 0 failed`.
fn count(counts: &str, word: &str) -> u64 {
    let before =
        counts.split(word).next().filter(|before| before.len() < counts.len()).unwrap_or_default();
    before
        .rsplit(|c: char| !c.is_ascii_digit())
        .next()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

/// Runs a command and reads its output line by line; whether it ended well.
fn run(command: &mut Command, output: &mut Output) -> Result<bool> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("{command:?}"))?;
    let stdout = child.stdout.take().context("no output")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        if output.line(&line) {
            say::line(&line);
        }
    }
    Ok(child.wait()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "running 4 tests
test a ... ok
test b ... ok
test c ... FAILED
test d ... ignored, needs a moon

successes:

---- b stdout ----
skipped: no ../shared/fixtures/upstream here
noise

failures:

---- c stdout ----
thread 'c' panicked

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s";

    #[test]
    fn results_of_tests_are_added_up() {
        let mut output = Output::default();
        let shown: Vec<&str> = PRINTED.lines().filter(|line| output.line(line)).collect();
        assert_eq!(output.failures, ["c"]);
        assert_eq!((output.passed, output.ignored), (2, 1));
        assert_eq!(output.skips, ["no ../shared/fixtures/upstream here"]);
        assert!(shown.contains(&"thread 'c' panicked") && !shown.contains(&"noise"), "{shown:?}");
    }

    #[test]
    fn in_ci_a_skip_fails_unless_it_needs_what_the_repository_lacks() {
        let mut strict = Tally::new(true);
        strict.count_skip("no ../shared/oracle here");
        assert!(strict.good());
        strict.count_skip("no browser");
        assert_eq!(strict.to_string(), "0 passed, 1 failed, 1 skipped");
        let mut lenient = Tally::new(false);
        lenient.count_skip("no browser");
        assert_eq!(lenient.to_string(), "0 passed, 0 failed, 1 skipped");
    }

    #[test]
    fn a_run_without_a_test_is_a_failure() {
        let mut tally = Tally::new(false);
        tally.tests("nothing", &mut Command::new("true"));
        assert_eq!(tally.to_string(), "0 passed, 1 failed, 0 skipped");
    }
}
