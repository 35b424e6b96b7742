//! `cargo xtask bench`: runs the benches, and gives them Cassandra's own reader as a peer where it can be run.

use crate::{root, say, setup, shared};
use anyhow::Result;
use std::env;
use std::path::PathBuf;
use xshell::{Shell, cmd};

/// `cargo xtask bench [--json]`; the arguments go to the benches.
pub fn command(args: &[String]) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    // With --json the table on the standard output must stay alone.
    let quiet = args.iter().any(|arg| arg == "--json");
    let say = |text: &str| if quiet { eprintln!("{text}") } else { say::line(text) };
    match oracle() {
        Ok(script) => {
            let work = root().join("target/oracle");
            sh.set_var("TRIESCOPE_ORACLE", script);
            // The shared folder is read only.
            for (name, folder) in
                [("ORACLE_WORK", work.join("work")), ("ORACLE_LIB", work.join("lib"))]
            {
                if env::var_os(name).is_none() {
                    sh.set_var(name, folder);
                }
            }
        }
        Err(why) => say(&format!("skipped: Cassandra's reader as a peer: {why}")),
    }
    Ok(cmd!(sh, "cargo run --quiet --profile fast --locked -p triescope-bench -- {args...}")
        .quiet()
        .run()?)
}

/// The script that runs Cassandra's reader, or why there is none.
fn oracle() -> Result<PathBuf, String> {
    let script = shared("oracle").ok_or("there is no ../shared/oracle")?.join("oracle.sh");
    if !script.is_file() {
        return Err("../shared/oracle has no oracle.sh".to_owned());
    }
    setup::on_path("java").ok_or("there is no Java on PATH")?;
    Ok(script)
}
