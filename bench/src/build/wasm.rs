//! The same build in wasm, in headless Chromium: `tests/wasm/tests/speed.rs`, run by the runner of wasm-bindgen.

use super::keys::{build, tokens};
use super::{SIZES, now};
use crate::report::Report;
use crate::{ROUNDS, median};
use anyhow::{Context as _, Result, bail};
use std::env;
use std::path::Path;
use std::process::Command;
use triescope_core::bti::pack::Flavour;

/// How many times as long a key may take in wasm.
const GOAL: f64 = 1.5;
/// What the test prints before its nanoseconds a key.
const LINE: &str = "a key takes ";
/// Profiles, what is asked of them, and the least share of the native speed that we want.
const PROFILES: [(&str, &str, Option<f64>); 2] = [
    ("fast", "build/partitions in wasm, compiled for speed", Some(1.0 / GOAL)),
    ("release", "build/partitions in wasm, compiled for size", None),
];

/// Measures it, and the same natively before and after.
pub fn measure(report: &mut Report) -> Result<()> {
    let (n, corpus) = SIZES[0];
    let tokens = tokens(n);
    let native = || -> Result<f64> {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push(build(&tokens, Flavour::CASSANDRA, Vec::new(), now)?.0 / n as f64);
        }
        Ok(median(rounds))
    };
    for (profile, question, goal) in PROFILES {
        let before = native()?;
        match run(profile) {
            // The other way round than elsewhere: the ratio is the share of the native speed.
            Ok(ns) => {
                let native = f64::midpoint(before, native()?);
                report.compare((question, corpus), ns, ("ours, native", native), goal);
            }
            Err(why) => report.skipped.push(format!("{question}: {why:#}")),
        }
    }
    Ok(())
}

/// Nanoseconds a key in the browser: the median of its rounds.
fn run(profile: &str) -> Result<f64> {
    if env::var_os("CHROMEDRIVER").is_none() {
        bail!("CHROMEDRIVER names no driver");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the repository")?;
    let output = Command::new("cargo")
        .current_dir(root)
        .args(["test", "--quiet", "--locked", "--profile", profile, "-p", "triescope-wasm"])
        .args(["--target", "wasm32-unknown-unknown", "--features", "speed", "--test", "speed"])
        .args(["--", "--nocapture"])
        .output()
        .context("cargo")?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let times = text.lines().filter_map(|line| {
        let (_, rest) = line.split_once(LINE)?;
        rest.split_once(" ns")?.0.parse::<f64>().ok()
    });
    let times: Vec<f64> = times.collect();
    if !output.status.success() || times.is_empty() {
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        bail!("the test did not print its times: {}", last.unwrap_or("it printed nothing"));
    }
    Ok(median(times))
}
