//! Running the real binary, snapshots of what it prints, and copies of SSTables that a test may damage.
#![allow(dead_code, reason = "every test program uses its own part of this")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run came to.
pub struct Ran {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The binary with arguments, in the folder of the repository and without what the caller's environment says of colours.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_triescope"));
    command.args(args).current_dir(root()).stdin(Stdio::null()).env_remove("NO_COLOR");
    command
}

/// Runs it to its end.
pub fn run(args: &[&str]) -> Ran {
    finish(&mut command(args))
}

/// Runs a command to its end.
pub fn finish(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A run that ends with this exit code.
pub fn expect(code: i32, args: &[&str]) -> Ran {
    let ran = run(args);
    assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
    ran
}

/// The JSON that a run prints.
pub fn json(code: i32, args: &[&str]) -> Value {
    let ran = expect(code, args);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{args:?}: {error}\n{}", ran.out))
}

/// The path of a table in the test data, from the root of the repository.
pub fn data(table: &str) -> String {
    format!("testdata/cassandra/{table}")
}

/// Holds a text against a snapshot; with `BLESS=1` the snapshot is written anew.
pub fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    same_as_file(&path, text);
}

/// Holds a text against a file; with `BLESS=1` the file is written anew.
pub fn same_as_file(path: &Path, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, text).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected != text {
        let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
        let at = differs.unwrap_or_else(|| expected.lines().count().min(text.lines().count()));
        panic!(
            "{} differs from line {}: expected {:?}, found {:?}; `cargo xtask bless` writes it anew",
            path.display(),
            at + 1,
            expected.lines().nth(at),
            text.lines().nth(at)
        );
    }
}

/// A folder that is removed when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("triescope-cli-{}-{name}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A folder with a copy of an SSTable.
    pub fn copy(name: &str, table: &str) -> Self {
        let folder = Self::new(name);
        for entry in fs::read_dir(root().join(data(table))).unwrap() {
            let from = entry.unwrap().path();
            fs::copy(&from, folder.0.join(from.file_name().unwrap())).unwrap();
        }
        folder
    }

    /// Its path.
    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Makes a byte of a file zero.
    pub fn clear(&self, name: &str, at: usize) {
        let path = self.file(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] = 0;
        fs::write(path, bytes).unwrap();
    }

    /// Changes bits of a byte of a file.
    pub fn flip(&self, name: &str, at: usize, bits: u8) {
        let path = self.file(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] ^= bits;
        fs::write(path, bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}
