//! Finds a Chrome or Chromium and its driver on this machine, or gets them.

use crate::{say, setup};
use anyhow::{Context as _, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// A browser and a driver of the same major version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Browser {
    /// The browser's program.
    pub chrome: PathBuf,
    /// The driver's program.
    pub driver: PathBuf,
    /// Major version of both.
    pub major: u32,
}

const CHROMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "google-chrome-beta",
];

/// Places off `PATH`.
const CHROMES_ELSEWHERE: &[&str] = &[
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/opt/google/chrome/chrome",
];
const DRIVERS_ELSEWHERE: &[&str] = &[
    "/usr/lib/chromium-browser/chromedriver",
    "/usr/lib/chromium/chromedriver",
    "/usr/local/share/chromedriver",
];

const APT: &str = "apt-get install --yes --no-install-recommends chromium chromium-driver fonts-dejavu-core fonts-liberation";

/// The browser of this machine; installs one where `apt-get` may be used, else the error says what to do by hand.
pub fn provide(sh: &Shell) -> Result<Browser> {
    if let Some(browser) = find(sh) {
        say::there(&format!(
            "{} and its driver, version {}",
            browser.chrome.display(),
            browser.major
        ));
        return Ok(browser);
    }
    install(sh)?;
    find(sh)
        .with_context(|| format!("still no browser with a driver of its version: {}", by_hand(sh)))
}

/// The first browser that has a driver of its major version. `CHROME` and `CHROMEDRIVER` go before what is on `PATH`.
pub fn find(sh: &Shell) -> Option<Browser> {
    let drivers = versions(sh, &drivers());
    versions(sh, &chromes()).into_iter().find_map(|(chrome, major)| {
        let (driver, _) = drivers.iter().find(|(_, other)| *other == major)?;
        Some(Browser { chrome, driver: driver.clone(), major })
    })
}

fn chromes() -> Vec<PathBuf> {
    let named = env::var_os("CHROME").map(PathBuf::from);
    let on_path = CHROMES.iter().filter_map(|name| setup::on_path(name));
    named
        .into_iter()
        .chain(on_path)
        .chain(CHROMES_ELSEWHERE.iter().map(PathBuf::from))
        .filter(|file| file.is_file())
        .collect()
}

fn drivers() -> Vec<PathBuf> {
    let named = env::var_os("CHROMEDRIVER").map(PathBuf::from);
    let on_path = setup::on_path("chromedriver");
    named
        .into_iter()
        .chain(on_path)
        .chain(DRIVERS_ELSEWHERE.iter().map(PathBuf::from))
        .filter(|file| file.is_file())
        .collect()
}

fn versions(sh: &Shell, programs: &[PathBuf]) -> Vec<(PathBuf, u32)> {
    programs.iter().filter_map(|program| Some((program.clone(), major(sh, program)?))).collect()
}

fn major(sh: &Shell, program: &Path) -> Option<u32> {
    major_in(&cmd!(sh, "{program} --version").quiet().ignore_stderr().read().ok()?)
}

/// The major version in `Chromium 156.0.8078.114 built on …` or `ChromeDriver 156.0.8078.114 (…)`.
fn major_in(printed: &str) -> Option<u32> {
    printed
        .split_whitespace()
        .find(|word| word.contains('.'))
        .and_then(|word| word.split('.').next()?.parse().ok())
}

fn install(sh: &Shell) -> Result<()> {
    if setup::on_path("apt-get").is_none() {
        bail!("the browser tests need a browser: {}", by_hand(sh));
    }
    let root = cmd!(sh, "id -u").quiet().read().is_ok_and(|id| id == "0");
    // `env` alone runs what follows it.
    let become_root: &[&str] = if root { &["env"] } else { &["sudo", "-n"] };
    if !root && cmd!(sh, "sudo -n true").quiet().ignore_stderr().run().is_err() {
        bail!(
            "the browser tests need a browser, and this user may not install one: {}",
            by_hand(sh)
        );
    }
    say::step(
        "Install Chromium and its driver with apt-get: the browser tests need a pair of one version, and there is none",
        || {
            let _env = sh.push_env("DEBIAN_FRONTEND", "noninteractive");
            let apt: Vec<&str> = APT.split(' ').collect();
            let (program, rest) = (become_root[0], &become_root[1..]);
            cmd!(sh, "{program} {rest...} apt-get update --quiet").run()?;
            cmd!(sh, "{program} {rest...} {apt...}")
                .run()
                .with_context(|| format!("apt-get failed: {}", by_hand(sh)))
        },
    )
}

/// What a person has to do, with what was found.
fn by_hand(sh: &Shell) -> String {
    let list = |found: Vec<(PathBuf, u32)>| match found.is_empty() {
        true => "none".to_owned(),
        false => found
            .iter()
            .map(|(file, major)| format!("{} {major}", file.display()))
            .collect::<Vec<_>>()
            .join(", "),
    };
    let command = match env::consts::OS {
        "macos" => "brew install --cask google-chrome chromedriver".to_owned(),
        _ => format!("sudo {APT}"),
    };
    format!(
        "run\n    {command}\nor install Chrome or Chromium and the chromedriver of the same major version, and name them in CHROME and \
         CHROMEDRIVER.\nFound browsers: {}; drivers: {}",
        list(versions(sh, &chromes())),
        list(versions(sh, &drivers()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_versions_are_read_from_what_programs_print() {
        let cases = [
            ("Chromium 156.0.8078.114 built on Debian GNU/Linux 12 (bookworm)", Some(156)),
            (
                "ChromeDriver 156.0.8078.114 (ea19f9737303a76e07b53c6a1eec43355aca3b1d-refs/x@{#5})",
                Some(156),
            ),
            ("Google Chrome 130.0.6723.58 ", Some(130)),
            ("command not found", None),
        ];
        for (printed, expected) in cases {
            assert_eq!(major_in(printed), expected, "{printed}");
        }
    }
}
