//! The driver of the browser, one process for a whole run.

use anyhow::{Context as _, Result};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use xshell::Shell;
use xtask::browser::{self, Browser};

/// A running chromedriver; dropping it ends it. Sessions have to be closed before, or their browsers live on.
pub struct Driver {
    child: Child,
    /// The pair that is used.
    pub browser: Browser,
    /// Where it listens.
    pub port: u16,
}

impl Driver {
    /// Starts the driver of the browser that is found on this machine.
    pub fn start() -> Result<Driver> {
        let browser = browser::find(&Shell::new()?)
            .context("no browser with a driver of its version; `cargo xtask test` gets one")?;
        let mut child = Command::new(&browser.driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| browser.driver.display().to_string())?;
        let stdout = child.stdout.take().context("the driver has no output")?;
        let mut lines = BufReader::new(stdout).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| port_in(&line));
        // Reads on, so that the driver never waits for somebody to read.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let mut driver = Driver { child, browser, port: 0 };
        driver.port = port.context("the driver ended without naming its port")?;
        Ok(driver)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The port in `ChromeDriver was started successfully on port 41277.`
fn port_in(line: &str) -> Option<u16> {
    line.split_once("successfully on port ")?.1.trim_end_matches('.').trim().parse().ok()
}
