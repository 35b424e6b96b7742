//! What a bare machine lacks: the wasm target, Trunk and the wasm-bindgen tools, built once into `target/tools`.
//!
//! A tool of the right version on `PATH` is used; versions are in [`Tool`]'s table, and that of wasm-bindgen in `Cargo.lock`.

use crate::{root, say};
use anyhow::{Context as _, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// Trunk, and the first rustc that builds it. The newest that the compiler builds is installed; any of them will do.
const TRUNK: &[(&str, (u32, u32, u32))] = &[("0.22.1", (1, 96, 1)), ("0.21.14", (1, 0, 0))];

const CARGO_FUZZ: &str = "0.13.2";

const WASM: &str = "wasm32-unknown-unknown";

/// One program that is built from a crate when it is missing.
struct Tool {
    /// The crate.
    name: &'static str,
    /// What it must install.
    programs: &'static [&'static str],
    /// Versions that will do.
    accepted: Vec<String>,
    /// The version to install.
    wanted: String,
    /// Whether its own lock file is used: wasm-bindgen-cli has none.
    locked: bool,
}

/// Prepares everything a build of the page needs. Does nothing when all is there.
pub fn for_build(sh: &Shell) -> Result<()> {
    sh.change_dir(root());
    if env::var_os("NO_COLOR").is_some() {
        // Trunk takes the value for a flag of its own and refuses the usual `1`.
        sh.set_var("NO_COLOR", "true");
    }
    sh.set_var("RUST_BACKTRACE", "0");
    wasm_target(sh)?;
    crates(sh)?;
    let mut folders = Vec::new();
    for tool in tools(sh)? {
        folders.extend(tool.provide(sh)?);
    }
    // What was built along the way is gigabytes, and nobody needs it again.
    sh.remove_path(root().join("target/tools/build"))?;
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    sh.set_var("PATH", env::join_paths(folders)?);
    Ok(())
}

/// Prepares what fuzzing needs beyond the build: a nightly compiler, which is added to rustup's where it is missing, and
/// cargo-fuzz, which is built into `target/tools`. A C++ compiler has to be there for libFuzzer.
pub fn for_fuzzing(sh: &Shell) -> Result<()> {
    sh.change_dir(root());
    if cmd!(sh, "rustup run nightly rustc --version").quiet().ignore_stderr().read().is_ok() {
        say::there("a nightly compiler");
    } else {
        say::step("Add a nightly compiler", || {
            let minimal = ["--profile", "minimal"];
            cmd!(sh, "rustup toolchain install nightly {minimal...}")
                .run()
                .context("fuzzing needs a nightly compiler, and rustup to get it")
        })?;
    }
    let tool = Tool {
        name: "cargo-fuzz",
        programs: &["cargo-fuzz"],
        accepted: vec![CARGO_FUZZ.to_owned()],
        wanted: CARGO_FUZZ.to_owned(),
        locked: true,
    };
    let mut folders = tool.provide(sh)?;
    sh.remove_path(root().join("target/tools/build"))?;
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    sh.set_var("PATH", env::join_paths(folders)?);
    Ok(())
}

/// Prepares the parts of the toolchain that only the style checks need.
pub fn for_style(sh: &Shell) -> Result<()> {
    for (part, program) in [("rustfmt", "rustfmt"), ("clippy", "clippy-driver")] {
        if cmd!(sh, "{program} --version").quiet().ignore_stderr().read().is_ok() {
            say::there(part);
        } else {
            say::step(&format!("Add {part} to the toolchain"), || {
                Ok(cmd!(sh, "rustup component add {part}").run()?)
            })?;
        }
    }
    Ok(())
}

/// The first program of that name on `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    all_on_path(program).into_iter().next()
}

fn all_on_path(program: &str) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .filter(|file| file.is_file())
        .collect()
}

fn wasm_target(sh: &Shell) -> Result<()> {
    let what = "Rust's wasm32 target";
    let folder = cmd!(sh, "rustc --print target-libdir --target {WASM}").quiet().read()?;
    if Path::new(&folder).is_dir() {
        say::there(what);
        return Ok(());
    }
    say::step(&format!("Add {what}"), || {
        cmd!(sh, "rustup target add {WASM}").run().with_context(|| {
            format!("the target {WASM} is missing; without rustup, install it by hand")
        })
    })
}

/// Trunk runs offline, and so does the cargo it starts: the crates have to be here before.
fn crates(sh: &Shell) -> Result<()> {
    let what = "the crates of Cargo.lock";
    if cmd!(sh, "cargo fetch --locked --offline")
        .quiet()
        .ignore_stdout()
        .ignore_stderr()
        .run()
        .is_ok()
    {
        say::there(what);
        return Ok(());
    }
    say::step(&format!("Fetch {what}"), || Ok(cmd!(sh, "cargo fetch --locked --quiet").run()?))
}

fn tools(sh: &Shell) -> Result<[Tool; 2]> {
    let rustc = rustc_version(&cmd!(sh, "rustc --version").quiet().read()?)?;
    let (newest, _) =
        TRUNK.iter().find(|(_, needs)| rustc >= *needs).context("no Trunk for this rustc")?;
    let bindgen = locked_version("wasm-bindgen")?;
    Ok([
        Tool {
            name: "trunk",
            programs: &["trunk"],
            accepted: TRUNK.iter().map(|(version, _)| (*version).to_owned()).collect(),
            wanted: (*newest).to_owned(),
            locked: true,
        },
        Tool {
            name: "wasm-bindgen-cli",
            programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
            accepted: vec![bindgen.clone()],
            wanted: bindgen,
            locked: false,
        },
    ])
}

impl Tool {
    /// The folders where the programs are, to be put on `PATH`; builds them if need be.
    fn provide(&self, sh: &Shell) -> Result<Vec<PathBuf>> {
        let ours = root().join("target/tools");
        if let Some(folders) = self.find(sh, &ours) {
            say::there(&format!("{} {}", self.name, self.accepted.join(" or ")));
            return Ok(folders);
        }
        let (name, version) = (self.name, &self.wanted);
        say::step(
            &format!("Build {name} {version} into target/tools, once; this takes minutes"),
            || {
                // The tools run for seconds: half the time to build them is worth more than their speed.
                let _env = [
                    ("CARGO_PROFILE_RELEASE_LTO", "off"),
                    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
                    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
                    ("CARGO_PROFILE_RELEASE_DEBUG", "false"),
                ]
                .map(|(name, value)| sh.push_env(name, value));
                // One folder for both: they share a third of their crates.
                let scratch = ours.join("build");
                let locked = self.locked.then_some("--locked");
                cmd!(sh, "cargo install {name} --version {version} {locked...} --force --root {ours} --target-dir {scratch}")
                .run()
                .with_context(|| format!("{name} {version} could not be built; a C compiler is needed for it"))
            },
        )?;
        self.find(sh, &ours)
            .with_context(|| format!("{name} {version} was installed but does not answer"))
    }

    fn find(&self, sh: &Shell, ours: &Path) -> Option<Vec<PathBuf>> {
        let mut folders = Vec::new();
        for program in self.programs {
            let mut candidates = all_on_path(program);
            candidates.push(ours.join("bin").join(program));
            let found = candidates.into_iter().find(|file| self.will_do(sh, file))?;
            folders.push(found.parent()?.to_path_buf());
        }
        Some(folders)
    }

    fn will_do(&self, sh: &Shell, file: &Path) -> bool {
        let printed =
            cmd!(sh, "{file} --version").quiet().ignore_stderr().read().unwrap_or_default();
        printed.split_whitespace().any(|word| self.accepted.iter().any(|version| version == word))
    }
}

/// The version of a crate in `Cargo.lock`.
fn locked_version(name: &str) -> Result<String> {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).context("Cargo.lock")?;
    let lock: toml::Table = text.parse().context("Cargo.lock")?;
    let packages = lock
        .get("package")
        .and_then(toml::Value::as_array)
        .context("Cargo.lock lists no package")?;
    let package =
        packages.iter().find(|p| p.get("name").and_then(toml::Value::as_str) == Some(name));
    let version = package.and_then(|p| p.get("version")).and_then(toml::Value::as_str);
    Ok(version.with_context(|| format!("Cargo.lock has no {name}"))?.to_owned())
}

/// `rustc 1.96.1 (…)` or `rustc 1.97.0-nightly (…)` as three numbers.
fn rustc_version(printed: &str) -> Result<(u32, u32, u32)> {
    let version = printed.split_whitespace().nth(1).unwrap_or_default();
    let plain = version.split('-').next().unwrap_or_default();
    let mut numbers = plain.split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Ok((major, minor, patch)),
        _ => bail!("rustc says its version is `{printed}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_rustc_are_told_apart() {
        assert_eq!(rustc_version("rustc 1.95.0 (59807616e 2026-04-14)").unwrap(), (1, 95, 0));
        assert_eq!(rustc_version("rustc 1.97.0-nightly (abc 2026-05-01)").unwrap(), (1, 97, 0));
        assert!(rustc_version("rustc unknown").is_err());
    }

    #[test]
    fn the_lock_file_names_the_pinned_wasm_bindgen() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let pinned = format!("wasm-bindgen = \"={}\"", locked_version("wasm-bindgen").unwrap());
        assert!(manifest.contains(&pinned), "{pinned} in Cargo.toml");
    }
}
