//! `cargo xtask bench`: what lookups, checks and builds cost, beside their peers, and how much memory the command line takes.

use crate::{browser, root, test};
use anyhow::Result;
use xshell::{Shell, cmd};

/// `cargo xtask bench [trie|legacy|check|deep|replay|build|build-rows|build-index|build-wasm|memory] [--json]`; the arguments go to the
/// benches, which name the peers they do not find.
pub fn command(args: &[String]) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let fast = ["--quiet", "--profile", "fast", "--locked"];
    cmd!(sh, "cargo build {fast...} -p triescope").quiet().run()?;
    let program = root().join("target/fast/triescope");
    let mut bench = cmd!(sh, "cargo run {fast...} -p triescope-bench -- {args...}");
    // The browser in which wasm is measured.
    if let Some(browser) = browser::find(&sh) {
        let wishes = test::wishes(&sh, &browser)?;
        bench = bench
            .env("CHROMEDRIVER", &browser.driver)
            .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", wishes);
    }
    Ok(bench.env("TRIESCOPE", program).quiet().run()?)
}
