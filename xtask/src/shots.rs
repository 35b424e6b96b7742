//! `cargo xtask shots`: pictures of every screen of the built page.

use crate::{browser, build, root, say, setup};
use anyhow::Result;
use xshell::{Shell, cmd};

/// `cargo xtask shots [FILTER]`: a filter takes only the screens whose names contain it.
pub fn command(args: &[String]) -> Result<()> {
    let sh = Shell::new()?;
    let browser = browser::provide(&sh)?;
    setup::for_build(&sh)?;
    say::step(build::WHAT, || build::page(&sh))?;
    let folder = root().join("target/shots");
    let run =
        cmd!(sh, "cargo run --quiet --locked -p triescope-e2e --bin shots -- {folder} {args...}");
    say::step("Take pictures of every screen", || {
        Ok(run.env("CHROME", &browser.chrome).env("CHROMEDRIVER", &browser.driver).quiet().run()?)
    })
}
