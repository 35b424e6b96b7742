//! The same build in wasm, in headless Chromium: `tests/wasm/tests/speed.rs`, run by the runner of wasm-bindgen.

use super::keys::{build, tokens};
use super::{ROUNDS, SIZES, least, now};
use crate::report::Report;
use anyhow::{Context as _, Result, bail};
use std::env;
use std::path::Path;
use std::process::Command;
use triescope_core::bti::pack::Flavour;

/// How many times as long a key may take in wasm.
const GOAL: f64 = 1.5;
/// What the test prints between the flavour and its nanoseconds a key.
const LINE: &str = ": a key takes ";
/// How long the test may take, in seconds: it is given 20 otherwise.
const SECONDS: &str = "120";
/// Flavours, as the test calls them.
const FLAVOURS: [(&str, Flavour); 2] =
    [("Cassandra", Flavour::CASSANDRA), ("ScyllaDB", Flavour::SCYLLA)];
/// Profiles, what is asked of them in each flavour, and the least share of the native speed that we want.
const PROFILES: [(&str, [&str; 2], Option<f64>); 2] = [
    (
        "fast",
        [
            "build/partitions in wasm, compiled for speed",
            "build/partitions in wasm, compiled for speed, as ScyllaDB packs",
        ],
        Some(1.0 / GOAL),
    ),
    (
        "release",
        [
            "build/partitions in wasm, compiled for size",
            "build/partitions in wasm, compiled for size, as ScyllaDB packs",
        ],
        None,
    ),
];

/// Measures it, and the same keys natively before and after. Of all sides the best round counts.
pub fn measure(report: &mut Report) -> Result<()> {
    let (n, corpus) = SIZES[0];
    let tokens = tokens(n);
    let native = |rounds: &mut [Vec<f64>; 2]| -> Result<()> {
        for _ in 0..ROUNDS {
            for ((_, flavour), rounds) in FLAVOURS.into_iter().zip(&mut *rounds) {
                rounds.push(build(&tokens, flavour, Vec::new(), now)?.0 / n as f64);
            }
        }
        Ok(())
    };
    for (profile, questions, goal) in PROFILES {
        let mut rounds = [Vec::new(), Vec::new()];
        native(&mut rounds)?;
        match run(profile) {
            // The other way round than elsewhere: the ratio is the share of the native speed.
            Ok(wasm) => {
                native(&mut rounds)?;
                for ((question, wasm), native) in questions.into_iter().zip(wasm).zip(rounds) {
                    let native = ("ours, native", least(native));
                    report.compare((question, corpus), wasm, native, goal);
                }
            }
            Err(why) => report.skipped.push(format!("{}: {why:#}", questions[0])),
        }
    }
    Ok(())
}

/// Nanoseconds a key in the browser in each flavour: the best of its rounds.
fn run(profile: &str) -> Result<[f64; 2]> {
    if env::var_os("CHROMEDRIVER").is_none() {
        bail!("CHROMEDRIVER names no driver");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the repository")?;
    let output = Command::new("cargo")
        .current_dir(root)
        .env("WASM_BINDGEN_TEST_TIMEOUT", SECONDS)
        .args(["test", "--locked", "--profile", profile, "-p", "triescope-wasm"])
        .args(["--target", "wasm32-unknown-unknown", "--features", "speed", "--test", "speed"])
        .args(["--", "--nocapture"])
        .output()
        .context("cargo")?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let best = |flavour: &str| {
        let times = text.lines().filter_map(|line| {
            let (before, rest) = line.split_once(LINE)?;
            let ns = rest.split_once(" ns")?.0.parse::<f64>().ok()?;
            before.ends_with(flavour).then_some(ns)
        });
        least(times.collect())
    };
    let best = FLAVOURS.map(|(name, _)| best(name));
    if !output.status.success() || best.iter().any(|ns| ns.is_infinite()) {
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        bail!("the test did not print its times: {}", last.unwrap_or("it printed nothing"));
    }
    Ok(best)
}
