//! `cargo xtask bench`: what lookups and checks cost, beside their peers.

use crate::root;
use anyhow::Result;
use xshell::{Shell, cmd};

/// `cargo xtask bench [trie|legacy|check] [--json]`; the arguments go to the benches, which name the peers they do not find.
pub fn command(args: &[String]) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let bench =
        cmd!(sh, "cargo run --quiet --profile fast --locked -p triescope-bench -- {args...}");
    Ok(bench.quiet().run()?)
}
