//! `cargo xtask fuzz`: runs one fuzz target, or all of them one after the other, from seeds and corpus.
//!
//! Inputs that libFuzzer finds worth keeping stay in `target/fuzz/corpus/NAME`; what is committed lies in `fuzz/corpus/NAME`.
//! An input that fails is left in `target/fuzz/crashes/NAME`: with its fault mended it goes to `fuzz/crashes/NAME`, where
//! `cargo test` replays it.

use crate::{root, say, setup};
use anyhow::{Context as _, Result, bail, ensure};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use xshell::{Shell, cmd};

/// Longest input in bytes, as the targets take it.
const MOST_BYTES: u32 = 16 << 10;
/// Most that is allocated at once, in MiB: the budget of the core.
const ALLOCATION_MIB: u32 = 64;
/// Most memory in all, in MiB: AddressSanitizer alone takes a multiple of what the program does.
const MEMORY_MIB: u32 = 1024;
/// Most seconds for one input.
const SECONDS_FOR_ONE: u32 = 10;
/// How long a target is run where nothing else is said, in seconds.
const SECONDS: u64 = 600;

/// How long to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Runs(u64),
    Seconds(u64),
}

/// `cargo xtask fuzz [NAME|all] [--runs N | --seconds N]`
pub fn command(args: &[String]) -> Result<()> {
    let targets = targets()?;
    let Some((name, rest)) = args.split_first() else {
        say::line("cargo xtask fuzz NAME [--runs N | --seconds N], where NAME is `all` or one of");
        targets.iter().for_each(|name| say::line(&format!("  {name}")));
        return Ok(());
    };
    let chosen: Vec<&String> = targets.iter().filter(|it| *it == name || name == "all").collect();
    ensure!(!chosen.is_empty(), "there is no fuzz target `{name}`; `cargo xtask fuzz` lists them");
    let length = length(rest)?;
    let sh = Shell::new()?;
    setup::for_fuzzing(&sh)?;
    let seeds = root().join("target/fuzz/seeds");
    say::step("Make seeds of the test data", || {
        let test = ["--test", "replay", "every_seed"];
        Ok(cmd!(sh, "cargo test --quiet --locked -p triescope-core {test...}")
            .env("FUZZ_SEEDS", &seeds)
            .quiet()
            .ignore_stdout()
            .run()?)
    })?;
    let mut lines = Vec::new();
    for name in chosen {
        let executions = say::step(&format!("Fuzz {name}"), || run(&sh, name, length))?;
        lines.push(format!("{name:<12} {executions:>12} executions"));
    }
    lines.iter().for_each(|line| say::line(line));
    Ok(())
}

/// The targets, from the programs in `fuzz/fuzz_targets`.
fn targets() -> Result<Vec<String>> {
    let folder = root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

fn length(args: &[String]) -> Result<Length> {
    let number = |text: &str| {
        let number = text.parse::<u64>().ok().filter(|number| *number > 0);
        number.with_context(|| format!("expected a number of at least 1, found `{text}`"))
    };
    match args {
        [] => Ok(Length::Seconds(SECONDS)),
        [flag, text] if flag == "--runs" => Ok(Length::Runs(number(text)?)),
        [flag, text] if flag == "--seconds" => Ok(Length::Seconds(number(text)?)),
        _ => bail!("expected `--runs N` or `--seconds N`, found `{}`", args.join(" ")),
    }
}

/// Runs a target and gives the number of its executions.
fn run(sh: &Shell, name: &str, length: Length) -> Result<u64> {
    let work = root().join("target/fuzz");
    let (found, crashes) = (work.join("corpus").join(name), work.join("crashes").join(name));
    for folder in [&found, &crashes] {
        fs::create_dir_all(folder)?;
    }
    // The first folder takes what is found; the others are read only.
    let kept = [root().join("fuzz/corpus").join(name), work.join("seeds").join(name)];
    let limit = match length {
        Length::Runs(runs) => format!("-runs={runs}"),
        Length::Seconds(seconds) => format!("-max_total_time={seconds}"),
    };
    let mut command = Command::new("rustup");
    command
        .current_dir(root().join("fuzz"))
        .env("PATH", sh.var_os("PATH").context("PATH is not set")?)
        .env_remove("RUSTUP_TOOLCHAIN")
        .args(["run", "nightly", "cargo", "fuzz", "run", name, "--target-dir"])
        .arg(&work)
        .arg(&found)
        .args(kept.iter().filter(|folder| folder.is_dir()))
        .arg("--")
        .arg(limit)
        .arg(format!("-max_len={MOST_BYTES}"))
        .arg(format!("-malloc_limit_mb={ALLOCATION_MIB}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
        .arg(format!("-timeout={SECONDS_FOR_ONE}"))
        .arg(format!("-artifact_prefix={}/", crashes.display()))
        .args(["-print_final_stats=1", "-verbosity=1"])
        .stderr(Stdio::piped());
    let mut child = command.spawn().context("rustup could not be started")?;
    let errors = child.stderr.take().context("the output of the fuzzer")?;
    let mut executions = None;
    for line in BufReader::new(errors).lines() {
        let line = line?;
        executions = executions_in(&line).or(executions);
        eprintln!("{line}");
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{}", advice(name, &crashes));
    }
    executions.context("the fuzzer did not say how often it ran")
}

/// The number in `stat::number_of_executed_units: 12345`.
fn executions_in(line: &str) -> Option<u64> {
    line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok()
}

fn advice(name: &str, crashes: &Path) -> String {
    format!(
        "the target `{name}` failed; the input is in {}. Mend the fault, and copy the input to fuzz/crashes/{name}/, so \
         that `cargo test -p triescope-core --test replay` runs it again",
        crashes.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_run_is_as_long_as_is_said() {
        assert_eq!(length(&[]).unwrap(), Length::Seconds(600));
        assert_eq!(length(&words("--runs 1000")).unwrap(), Length::Runs(1000));
        assert_eq!(length(&words("--seconds 5")).unwrap(), Length::Seconds(5));
        for wrong in ["--runs", "--runs 0", "--runs many", "--hours 3", "5"] {
            assert!(length(&words(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn executions_are_read_from_the_fuzzer() {
        assert_eq!(executions_in("stat::number_of_executed_units: 42"), Some(42));
        assert_eq!(executions_in("#42 DONE"), None);
    }

    #[test]
    fn the_targets_are_listed() {
        let targets = targets().unwrap();
        assert!(targets.contains(&"table".to_owned()) && targets.is_sorted(), "{targets:?}");
    }
}
