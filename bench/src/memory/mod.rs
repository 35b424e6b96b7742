//! The most memory that the command line takes of a large table: its own count of it, as Linux keeps it.
//!
//! The table has 2 GiB of Data.db and an index of 200 MB of either kind. It is made once, in `target/bench`, and takes about
//! 3 GB there.

mod make;

use crate::report::{Memory, Report};
use anyhow::{Context as _, Result, ensure};
use make::{Table, tables};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Names the program to measure.
const PROGRAM: &str = "TRIESCOPE";
/// Most memory that is wanted, in bytes.
const LIMIT: u64 = 64 << 20;
/// How often the memory is looked at. The count is of the greatest so far, so only what is taken in the very last moment
/// can be missed.
const PAUSE: Duration = Duration::from_millis(2);

/// What is run.
const COMMANDS: [&[&str]; 4] = [&["check"], &["keys"], &["rows"], &["check", "--deep"]];

/// Runs each command over each table.
pub fn measure(report: &mut Report) -> Result<()> {
    if !Path::new("/proc/self/status").exists() {
        report.skipped.push("memory: only Linux tells how much a program takes".to_owned());
        return Ok(());
    }
    let Some(program) = std::env::var_os(PROGRAM).map(PathBuf::from) else {
        report.skipped.push(format!("memory: {PROGRAM} names no program to measure"));
        return Ok(());
    };
    for table in tables()? {
        for command in COMMANDS {
            match run(&program, command, &table)? {
                Some(row) => report.memory.push(row),
                None => {
                    let why = "could not be run: `triescope` says why";
                    report.skipped.push(format!("memory of {} {why}", command.join(" ")));
                }
            }
        }
    }
    Ok(())
}

/// Runs a command to its end, and watches it. `None` when it could not do its work.
#[expect(clippy::disallowed_methods, reason = "the clock is what a benchmark is for")]
fn run(program: &Path, command: &[&str], table: &Table) -> Result<Option<Memory>> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(command)
        .arg(&table.folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| program.display().to_string())?;
    let mut peak_bytes = 0;
    let status = loop {
        peak_bytes = peak(&child).unwrap_or(peak_bytes);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(PAUSE);
    };
    // 1: something is broken, which Statistics.db of another table is.
    if !matches!(status.code(), Some(0 | 1)) {
        return Ok(None);
    }
    ensure!(peak_bytes > 0, "triescope {} told nothing of its memory", command.join(" "));
    Ok(Some(Memory {
        command: command.join(" "),
        corpus: table.name,
        data_bytes: table.data_bytes,
        index_bytes: table.index_bytes,
        seconds: start.elapsed().as_secs_f64(),
        peak_bytes,
        limit_bytes: LIMIT,
        met: peak_bytes <= LIMIT,
    }))
}

/// The greatest memory that a running program had so far (`VmHWM`), in bytes.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
