//! `cargo xtask test`: everything that shows the project works, with one line of counts at its end.

use crate::browser::{self, Browser};
use crate::say::Stopwatch;
use crate::tally::Tally;
use crate::truth::{self, Extent};
use crate::{build, root, say, setup, tidy};
use anyhow::{Context as _, Result, bail};
use serde_json::json;
use std::env;
use std::path::PathBuf;
use std::process::Command;
use xshell::{Shell, cmd};

/// Crates whose tests need a browser, and so more than `cargo test`.
const BROWSER_TESTS: [&str; 2] = ["triescope-wasm", "triescope-e2e"];

/// `cargo xtask test [FILTER]`
pub fn command(args: &[String]) -> Result<()> {
    let watch = Stopwatch::start();
    let sh = Shell::new()?;
    // The browser first: where a person has to install one, they should know before minutes of building.
    let browser = browser::provide(&sh)?;
    setup::for_build(&sh)?;
    let mut tally = Tally::new(env::var("CI").is_ok_and(|ci| ci == "true"));
    match args {
        [] => everything(&sh, &browser, &mut tally)?,
        filter => {
            if tally.check(build::WHAT, || build::page(&sh)) {
                end_to_end(&sh, &browser, &mut tally, filter)?;
            }
        }
    }
    say::line("");
    tally.report();
    say::line(&format!("all of it took {watch}"));
    say::line(&tally.to_string());
    if tally.good() { Ok(()) } else { bail!("see the lines that begin with FAILED") }
}

fn everything(sh: &Shell, browser: &Browser, tally: &mut Tally) -> Result<()> {
    setup::for_style(sh)?;
    tally.check("Formatting", || Ok(cmd!(sh, "cargo fmt --all --check").quiet().run()?));
    tally.check("The rules of the house", tidy::check);
    tally.check("Clippy, natively", || {
        Ok(cmd!(sh, "cargo clippy --quiet --workspace --all-targets --locked -- -D warnings")
            .quiet()
            .run()?)
    });
    tally.check("Clippy, in wasm32", || {
        let packages = ["-p", "triescope-core", "-p", "triescope-web", "-p", "triescope-wasm"];
        let target = ["--target", "wasm32-unknown-unknown"];
        Ok(cmd!(sh, "cargo clippy --quiet {packages...} {target...} --tests --bins --lib --locked -- -D warnings").quiet().run()?)
    });
    let exclude = BROWSER_TESTS.map(|name| ["--exclude", name]).concat();
    let native = ["test", "--workspace", "--locked", "--no-fail-fast"];
    tally.tests(
        "Tests, natively",
        cargo(sh)?.args(native).args(exclude).args(["--", "--show-output"]),
    );
    let mut skipped = None;
    tally.check("What is written, judged by Cassandra", || {
        skipped = truth::judge(Extent::Part)?.err();
        Ok(())
    });
    if let Some(why) = skipped {
        tally.skip(&why);
    }
    in_wasm(sh, browser, tally)?;
    if tally.check(build::WHAT, || build::page(sh)) {
        tally.check("The weight of the first load", build::weigh);
        end_to_end(sh, browser, tally, &[])?;
    }
    Ok(())
}

/// What the runner of tests in wasm32 asks of the browser, as a file: it takes the driver from the environment and the rest
/// from there.
pub fn wishes(sh: &Shell, browser: &Browser) -> Result<PathBuf> {
    let wishes = root().join("target/webdriver.json");
    let args = [
        "disable-gpu",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
    ];
    sh.write_file(
        &wishes,
        json!({ "goog:chromeOptions": { "binary": browser.chrome, "args": args } }).to_string(),
    )?;
    Ok(wishes)
}

/// The core in wasm32, in the browser that was found.
fn in_wasm(sh: &Shell, browser: &Browser, tally: &mut Tally) -> Result<()> {
    let wishes = wishes(sh, browser)?;
    let test = [
        "test",
        "-p",
        "triescope-wasm",
        "--target",
        "wasm32-unknown-unknown",
        "--locked",
        "--no-fail-fast",
    ];
    let mut command = cargo(sh)?;
    command
        .args(test)
        .env("CHROMEDRIVER", &browser.driver)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", wishes);
    tally.tests("Tests of the core in wasm32, in the browser", &mut command);
    Ok(())
}

/// The built page in a browser.
fn end_to_end(sh: &Shell, browser: &Browser, tally: &mut Tally, filter: &[String]) -> Result<()> {
    let test = ["test", "-p", "triescope-e2e", "--locked", "--"];
    let mut command = cargo(sh)?;
    command
        .args(test)
        .args(filter)
        .env("CHROME", &browser.chrome)
        .env("CHROMEDRIVER", &browser.driver);
    tally.tests("The built page in the browser", &mut command);
    Ok(())
}

/// `cargo xtask bless`: runs the native tests once with the switch that writes snapshots anew.
pub fn bless(args: &[String]) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let exclude = BROWSER_TESTS.map(|name| ["--exclude", name]).concat();
    say::step("Run the tests and write their expected output anew", || {
        Ok(cmd!(sh, "cargo test --workspace {exclude...} {args...}")
            .env("BLESS", "1")
            .env("INSTA_UPDATE", "always")
            .quiet()
            .run()?)
    })?;
    say::line("now read what changed: git diff");
    Ok(())
}

/// A cargo that sees the tools of the set-up.
fn cargo(sh: &Shell) -> Result<Command> {
    let mut command = Command::new("cargo");
    command
        .current_dir(root())
        .env("PATH", sh.var_os("PATH").context("PATH is not set")?)
        .env("RUST_BACKTRACE", "0");
    Ok(command)
}
