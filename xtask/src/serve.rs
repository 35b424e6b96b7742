//! `cargo xtask serve`: builds the page and serves it on this machine.

use crate::http::{self, Server};
use crate::{build, root, say, setup};
use anyhow::{Context as _, Result, bail};
use std::thread;
use xshell::Shell;

/// Where the page is served when no port is named and this one is free.
const PORT: u16 = 8080;

/// `cargo xtask serve [--port N]`
pub fn command(args: &[String]) -> Result<()> {
    let port = match args {
        [] => None,
        [flag, port] if flag == "--port" => {
            Some(port.parse().with_context(|| format!("`{port}` is no port"))?)
        }
        [flag] if flag.starts_with("--port=") => {
            let port = flag.trim_start_matches("--port=");
            Some(port.parse().with_context(|| format!("`{port}` is no port"))?)
        }
        _ => bail!("usage: cargo xtask serve [--port N]"),
    };
    let sh = Shell::new()?;
    setup::for_build(&sh)?;
    say::step(build::WHAT, || build::page(&sh))?;
    let start = |port| Server::start(port, http::files(root().join("dist"), "/"));
    let server = match port {
        Some(port) => start(port)?,
        None => start(PORT).or_else(|_| start(0))?,
    };
    say::line(&format!("\n{}/", server.origin()));
    loop {
        thread::park();
    }
}
