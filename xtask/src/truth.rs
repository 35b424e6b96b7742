//! `cargo xtask truth`: Cassandra itself judges what Triescope writes.
//!
//! Copies of the fixtures get our index, and twins are made of them in every direction; so is a table of 100,000 keys that
//! Cassandra writes on the spot, as the fixtures have its index only, and so are files of ScyllaDB where they are here. Then one run of Cassandra's reader opens them all,
//! looks up every key and row, and runs its own verifier. What runs it is a script beside the repository.

use crate::say::Stopwatch;
use crate::{root, say};
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xshell::{Shell, cmd};

/// Versions of the fixtures, each with those that are made of it: itself with our index first.
const MADE: [(&str, &[&str]); 3] =
    [("da", &["da", "oa", "nb", "me"]), ("oa", &["oa", "da", "nb"]), ("nb", &["nb", "da", "oa"])];

/// Tables whose twins are judged in every run of the tests; all are in `cargo xtask truth`.
const SOME: [&str; 8] = [
    LARGE,
    "all_types_val",
    "wide_static",
    "range_tombstones",
    "wide_many",
    "composite_pk",
    "ck_timeuuid_desc",
    "after_2038",
];

/// The table of 100,000 keys.
const LARGE: &str = "p100k_text";

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Our index in copies of all fixtures, and twins of some.
    Part,
    /// Everything.
    Whole,
}

/// What Cassandra said.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// SSTables that it accepts, by direction: `da as nb`.
    passed: BTreeMap<String, u64>,
    /// Of these, how many its own verifier read with the table's schema.
    verified: u64,
    /// What it refuses, with its reasons.
    failed: Vec<String>,
}

/// `cargo xtask truth [--part]`
pub fn command(args: &[String]) -> Result<()> {
    let extent = match args {
        [] => Extent::Whole,
        [part] if part == "--part" => Extent::Part,
        _ => bail!("expected nothing, or --part for what the tests judge"),
    };
    match judge(extent)? {
        Ok(()) => Ok(()),
        Err(why) => {
            say::line(&format!("skipped: {why}"));
            Ok(())
        }
    }
}

/// Makes and judges; inside, why it could not be.
pub fn judge(extent: Extent) -> Result<Result<(), String>> {
    let oracle = match Oracle::find() {
        Ok(oracle) => oracle,
        Err(why) => return Ok(Err(why)),
    };
    if let Err(error) = oracle.build() {
        return Ok(Err(format!("Java is here, but Cassandra could not be set up: {error:#}")));
    }
    let large = oracle.large()?;
    let sh = Shell::new()?;
    sh.change_dir(root());
    cmd!(sh, "cargo build --quiet --package triescope --locked").quiet().run()?;
    let folder = root().join("target/truth");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let watch = Stopwatch::start();
    let (sets, refused) = make(extent, &large, &folder)?;
    say::line(&format!(
        "    {sets} SSTables made in {watch}; {refused} cannot be: they are after 2038"
    ));
    // Other people's files have no schema beside them, so the verifier does not read these.
    let foreign = if extent == Extent::Whole { foreign(&folder)? } else { 0 };
    let watch = Stopwatch::start();
    let verdicts = oracle.verify(&folder)?;
    say::line(&format!("    judged by Cassandra in {watch}"));
    verdicts.print();
    verdicts.check(sets, foreign)?;
    fs::remove_dir_all(&folder)?;
    Ok(Ok(()))
}

/// Makes all SSTables below a folder: how many, and how many were rightly refused.
fn make(extent: Extent, large: &Path, folder: &Path) -> Result<(u64, u64)> {
    let (mut made, mut refused) = (0, 0);
    let mut tables = folders(&root().join("testdata/cassandra"))?;
    tables.push(large.to_owned());
    for table in tables {
        let name = table.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let judged = folder.join(&name);
        fs::create_dir_all(&judged)?;
        let schema = table.join("schema.cql");
        fs::copy(&schema, judged.join("schema.cql"))
            .with_context(|| schema.display().to_string())?;
        for (from, targets) in MADE {
            let all = extent == Extent::Whole || SOME.contains(&name.as_str());
            for to in targets.iter().take(if all { targets.len() } else { 1 }) {
                let out = judged.join(format!("{from} as {to}"));
                for source in sources(&table.join(from))? {
                    let is_late = name == "after_2038" && ["nb", "me"].contains(to);
                    match (twin(&source, to, &out)?, is_late) {
                        (None, false) => made += 1,
                        (Some(why), true) if why.contains("seconds since 1970") => refused += 1,
                        (said, _) => bail!("{name}, {from} as {to}: {said:?}"),
                    }
                }
            }
        }
    }
    // And there and back again.
    let there = folder.join(LARGE).join("da as nb");
    for to in ["da", "oa"] {
        let out = folder.join(LARGE).join(format!("da as nb as {to}"));
        for source in sources(&there)? {
            if let Some(why) = twin(&source, to, &out)? {
                bail!("{LARGE}, da as nb as {to}: {why}");
            }
            made += 1;
        }
    }
    Ok((made, refused))
}

/// Twins of ScyllaDB's own files, and of those of older Cassandra beside them: how many. Those that are damaged are left out.
fn foreign(folder: &Path) -> Result<u64> {
    let upstream = root()
        .ancestors()
        .map(|dir| dir.join("shared/fixtures/upstream/scylladb"))
        .collect::<Vec<_>>();
    let Some(upstream) = upstream.into_iter().find(|folder| folder.is_dir()) else {
        say::line("    skipped: ../shared/fixtures/upstream/scylladb is not here");
        return Ok(0);
    };
    let (mut made, mut refused) = (0, 0);
    for table in folders(&upstream)? {
        let name = table.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for source in sources(&table)? {
            let version = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let version = version.get(..2).unwrap_or("").to_owned();
            if !["mc", "md", "me", "ms", "mt"].contains(&version.as_str()) || !is_sound(&source)? {
                continue;
            }
            for to in ["da", "oa", "nb"] {
                let out = folder.join(format!("scylladb-{name}/{version} as {to}"));
                match twin(&source, to, &out)? {
                    None => made += 1,
                    // Rows that only ScyllaDB reads.
                    Some(why) if why.contains("it cannot be written as") => refused += 1,
                    Some(why) => bail!("{name}, {version} as {to}: {why}"),
                }
            }
        }
    }
    say::line(&format!(
        "    {made} more of ScyllaDB's; {refused} cannot be: only ScyllaDB reads their rows"
    ));
    Ok(made)
}

/// Whether nothing is broken in an SSTable.
fn is_sound(source: &Path) -> Result<bool> {
    let mut check = Command::new(root().join("target/debug/triescope"));
    check.args(["check", "--deep"]).arg(source).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(check.status().context("triescope")?.success())
}

/// Makes a twin; or says why it cannot be.
fn twin(source: &Path, to: &str, out: &Path) -> Result<Option<String>> {
    let ran = Command::new(root().join("target/debug/triescope"))
        .args(["twin", "--as", to, "--out"])
        .args([out, source])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .context("triescope")?;
    let said = || String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    Ok((!ran.status.success()).then(said))
}

/// The folders in a folder, sorted.
fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A file of each SSTable in a folder that has rows: of some only the index was kept, so that there is nothing to judge it by.
/// The folder may be missing.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.to_string_lossy().ends_with("-Data.db") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The program that runs Cassandra.
struct Oracle {
    script: PathBuf,
    work: PathBuf,
    lib: PathBuf,
}

impl Oracle {
    /// The script named by `TRIESCOPE_ORACLE`, else the one in a `shared` folder beside the repository; or why there is none.
    fn find() -> Result<Self, String> {
        let named = env::var_os("TRIESCOPE_ORACLE").map(PathBuf::from);
        let beside = || {
            let scripts = root()
                .ancestors()
                .map(|dir| dir.join("shared/oracle/oracle.sh"))
                .collect::<Vec<_>>();
            scripts.into_iter().find(|script| script.is_file())
        };
        let script = named.or_else(beside);
        let script = script.ok_or("../shared/oracle, which runs Cassandra, is not here")?;
        let has = |program: &str| {
            let mut command = Command::new(program);
            command.arg("-version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        if !has("java") || !has("javac") {
            return Err("Java (a JDK, 17) is not here, which Cassandra runs on".to_owned());
        }
        let folder = |name: &str, own: &str| match env::var_os(name) {
            Some(folder) => PathBuf::from(folder),
            None => root().join("target/oracle").join(own),
        };
        let (work, lib) = (folder("ORACLE_WORK", "work"), folder("ORACLE_LIB", "lib"));
        if !lib.is_dir() && !has("mvn") {
            return Err("Maven, which fetches Cassandra for Java, is not here".to_owned());
        }
        Ok(Self { script, work, lib })
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new("bash");
        command.arg(&self.script).arg(name);
        command.env("ORACLE_WORK", &self.work).env("ORACLE_LIB", &self.lib);
        command
    }

    /// Fetches and compiles what is missing.
    fn build(&self) -> Result<()> {
        if self.work.join("classes/oracle").is_dir() && self.lib.is_dir() {
            return Ok(());
        }
        say::step("Set Cassandra up, to judge what is written", || {
            let status = self.command("build").status().context("bash")?;
            if !status.success() {
                bail!("{} build ended with {status}", self.script.display());
            }
            Ok(())
        })
    }

    /// The table of 100,000 keys, written by Cassandra unless it is there.
    fn large(&self) -> Result<PathBuf> {
        let made = root().join("target/oracle/made");
        let table = made.join(LARGE);
        if sources(&table.join("da"))?.is_empty() {
            say::step("Let Cassandra write a table of 100,000 keys", || {
                let status = self
                    .command("make")
                    .arg("da")
                    .args([made.as_os_str(), LARGE.as_ref()])
                    .stdout(Stdio::null())
                    .status()
                    .context("bash")?;
                if !status.success() {
                    bail!("{} make ended with {status}", self.script.display());
                }
                Ok(())
            })?;
        }
        Ok(table)
    }

    /// One run over all SSTables below a folder.
    fn verify(&self, folder: &Path) -> Result<Verdicts> {
        let mut command = self.command("verify");
        let output = command.arg(folder).stderr(Stdio::piped()).output().context("bash")?;
        let verdicts = Verdicts::of(&String::from_utf8_lossy(&output.stdout));
        if !output.status.success() && verdicts.failed.is_empty() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.lines().rev().take(5).collect::<Vec<_>>().join(" | ");
            bail!("{} ended with {}: {last}", self.script.display(), output.status);
        }
        Ok(verdicts)
    }
}

impl Verdicts {
    fn of(text: &str) -> Self {
        let mut verdicts = Self::default();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("OK   ") {
                *verdicts.passed.entry(direction(rest)).or_default() += 1;
                verdicts.verified += u64::from(rest.contains("extended verifier passed"));
            } else if let Some(rest) = line.strip_prefix("FAIL ") {
                verdicts.failed.push(rest.to_owned());
            } else if let Some(last) =
                verdicts.failed.last_mut().filter(|_| line.starts_with("    "))
            {
                last.push_str("\n        ");
                last.push_str(line.trim());
            }
        }
        verdicts
    }

    fn print(&self) {
        for (direction, count) in &self.passed {
            say::line(&format!("    {direction}: {count} OK"));
        }
        for failed in &self.failed {
            say::line(&format!("    FAIL {failed}"));
        }
    }

    /// All that were made must have been accepted, by the verifier too.
    fn check(&self, sets: u64, foreign: u64) -> Result<()> {
        let made = sets + foreign;
        let passed: u64 = self.passed.values().sum();
        let failed = self.failed.len();
        say::line(&format!(
            "    {made} SSTables: {passed} OK, {failed} failed; {} passed Cassandra's own verifier",
            self.verified
        ));
        if failed > 0 || passed != made || self.verified != sets {
            bail!("expected all {made} SSTables to be accepted, and {sets} by the verifier, too");
        }
        Ok(())
    }
}

/// The folder that an SSTable lies in: `da as nb`.
fn direction(line: &str) -> String {
    let path = line.split(": ").next().unwrap_or(line);
    let folder = Path::new(path).parent().and_then(Path::file_name).unwrap_or_default();
    folder.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
OK   /t/p1000/da as nb/nb-1-big: 1000 partitions, 1000 items, extended verifier passed
OK   /t/p1000/da as da/da-1-bti: 1000 partitions, 1000 items
FAIL /t/p20k/da as nb/nb-1-big: java.lang.AssertionError: exact lookup of key 3
       at oracle.Verify.must(Verify.java:1)
     caused by java.io.EOFException
3 sstables, 1 bad";

    #[test]
    fn verdicts_are_counted_by_direction() {
        let verdicts = Verdicts::of(PRINTED);
        assert_eq!(
            verdicts.passed.into_iter().collect::<Vec<_>>(),
            [("da as da".to_owned(), 1), ("da as nb".to_owned(), 1)]
        );
        assert_eq!((verdicts.verified, verdicts.failed.len()), (1, 1));
        assert!(verdicts.failed[0].ends_with("caused by java.io.EOFException"));
    }

    #[test]
    fn a_failure_or_a_missing_verdict_is_an_error() {
        assert!(Verdicts::of(PRINTED).check(3, 0).is_err());
        let one = "OK   /t/p1000/da as nb/nb-1-big: extended verifier passed\n";
        assert!(Verdicts::of(one).check(1, 0).is_ok());
        assert!(Verdicts::of(one).check(2, 0).is_err());
    }
}
