//! Cassandra's own reader and writers as peers: a script that runs them and prints their times.

use crate::corpus;
use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Lookups of a round inside the Java program, which runs three rounds before it counts. Rounds are short, so that few of
/// them are interrupted.
const LOOKUPS: &str = "200000";
/// The lines with a new reader for each lookup, as Cassandra does it, key hashed as well.
const LINE: &str = "a new reader for each, with hashing: ";

/// The program that runs Cassandra's code.
pub struct Oracle {
    script: PathBuf,
}

impl Oracle {
    /// The script named by `TRIESCOPE_ORACLE`, else the one in a `shared` folder beside the repository.
    pub fn find() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
        let named = env::var_os("TRIESCOPE_ORACLE").map(PathBuf::from);
        let beside = || {
            let dirs = root.ancestors().map(|dir| dir.join("shared/oracle/oracle.sh"));
            dirs.into_iter().find(|script| script.is_file())
        };
        named.or_else(beside).map(|script| Self { script })
    }

    /// Nanoseconds of an exact lookup in the real file: the median of the program's own rounds.
    pub fn lookup(&self) -> Result<f64> {
        let folder = corpus::p20k_folder();
        times(&self.run("bench-lookup", &[&folder.to_string_lossy(), LOOKUPS])?)
    }

    /// What one of its benches prints.
    pub fn run(&self, bench: &str, args: &[&str]) -> Result<String> {
        let work = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/oracle");
        let mut command = Command::new("bash");
        command.arg(&self.script).arg(bench).args(args);
        for (name, dir) in [("ORACLE_WORK", work.join("work")), ("ORACLE_LIB", work.join("lib"))] {
            // The script's own folder may be read-only.
            if env::var_os(name).is_none() {
                command.env(name, dir);
            }
        }
        let output = command.stderr(Stdio::piped()).output().context("bash")?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.lines().last().unwrap_or("it printed nothing");
            bail!("{} ended with {}: {last}", self.script.display(), output.status);
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn times(text: &str) -> Result<f64> {
    let times = text.lines().filter_map(|line| {
        let (_, rest) = line.split_once(LINE)?;
        rest.split_once(" ns")?.0.parse().ok()
    });
    let times: Vec<f64> = times.collect();
    if times.is_empty() {
        bail!("expected lines with \"{LINE}… ns/lookup\", found none");
    }
    Ok(crate::median(times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_times_with_hashing_count() {
        let text = "1,000 exact lookups, one reader for all, keys hashed before: 9.0 ns/lookup (checksum 1)\n\
                    1,000 exact lookups, a new reader for each, with hashing: 241.3 ns/lookup (checksum 1)\n\
                    1,000 exact lookups, a new reader for each, with hashing: 239.0 ns/lookup (checksum 1)\n\
                    1,000 exact lookups, a new reader for each, with hashing: 240.5 ns/lookup (checksum 1)\n";
        assert_eq!(times(text).unwrap(), 240.5);
        assert!(times("20,000 keys in the index").is_err());
    }
}
