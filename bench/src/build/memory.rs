//! The most memory that a build takes beyond its input, in a program of its own: Linux keeps the greatest resident memory.

use super::keys::{build, tokens};
use super::{Counted, SIZES, now};
use crate::report::{Memory, Report};
use anyhow::{Context as _, Result, ensure};
use std::process::Command;
use triescope_core::bti::pack::Flavour;

/// The argument with which this program calls itself.
pub const ARGUMENT: &str = "--memory-of-build";
/// Most bytes that are wanted beyond the input.
const LIMIT: u64 = 32 << 20;

/// Calls this program again, and puts what it tells into the report.
pub fn measure(report: &mut Report) -> Result<()> {
    if peak().is_none() {
        report.skipped.push("memory of a build: only Linux tells how much it takes".to_owned());
        return Ok(());
    }
    let program = std::env::current_exe().context("this program")?;
    let output = Command::new(program).arg(ARGUMENT).output().context("this program")?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || -> Result<u64> { Ok(numbers.next().context("a number")??) };
    let (peak_bytes, index_bytes, ns) = (next()?, next()?, next()?);
    let (n, corpus) = SIZES[1];
    report.memory.push(Memory {
        command: "build, beyond input".to_owned(),
        corpus,
        data_bytes: n as u64 * 8,
        index_bytes,
        seconds: ns as f64 / 1e9,
        peak_bytes,
        limit_bytes: LIMIT,
        met: peak_bytes <= LIMIT,
    });
    Ok(())
}

/// What it does then: prints the bytes beyond the input, those of the index, and nanoseconds.
pub fn child() -> Result<()> {
    // The input is the tokens; the keys made of them, a batch at a time, count as ours.
    let tokens = tokens(SIZES[1].0);
    let before = peak().context("/proc/self/status")?;
    let (ns, sink) = build(&tokens, Flavour::CASSANDRA, Counted::default(), now)?;
    let after = peak().context("/proc/self/status")?;
    println!("{} {} {ns:.0}", after.saturating_sub(before), sink.bytes);
    Ok(())
}

/// The greatest memory that this program had so far (`VmHWM`), in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
