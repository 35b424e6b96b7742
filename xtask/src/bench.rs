//! `cargo xtask bench`: what lookups and checks cost, beside their peers, and how much memory the command line takes.

use crate::root;
use anyhow::Result;
use xshell::{Shell, cmd};

/// `cargo xtask bench [trie|legacy|check|deep|memory] [--json]`; the arguments go to the benches, which name the peers they do
/// not find.
pub fn command(args: &[String]) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let fast = ["--quiet", "--profile", "fast", "--locked"];
    cmd!(sh, "cargo build {fast...} -p triescope").quiet().run()?;
    let program = root().join("target/fast/triescope");
    let bench = cmd!(sh, "cargo run {fast...} -p triescope-bench -- {args...}");
    Ok(bench.env("TRIESCOPE", program).quiet().run()?)
}
