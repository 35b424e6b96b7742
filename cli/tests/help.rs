//! Help, completions and manual pages: every command has an example, and every example runs.

mod common;

use common::{Folder, expect, finish};
use std::process::Command;

/// The commands that help lists.
fn commands() -> Vec<String> {
    let help = expect(0, &["--help"]).out;
    let list = help.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let named = list.lines().filter(|line| !line.starts_with("   "));
    let names = named.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The lines of an example.
fn examples(help: &str) -> Vec<String> {
    let lines = help.split("Example").nth(1).into_iter().flat_map(str::lines);
    let lines = lines.map(str::trim).filter(|line| line.starts_with("triescope "));
    lines.map(str::to_owned).collect()
}

#[test]
fn every_example_runs() {
    let folder = Folder::copy("examples", "p20k/da");
    let mut all = examples(&expect(0, &["--help"]).out);
    assert!(!all.is_empty());
    for command in commands() {
        let found = examples(&expect(0, &[&command, "--help"]).out);
        assert!(!found.is_empty(), "{command} has no example");
        assert!(
            found.iter().all(|line| line.starts_with(&format!("triescope {command}"))),
            "{found:?}"
        );
        all.extend(found);
    }
    for line in all {
        // A shell would do what is behind the pipe; the data directory of a server is this folder.
        let line = line.split(['|', '>']).next().unwrap().replace("/var/lib/cassandra/data", ".");
        let args: Vec<&str> = line.split_whitespace().skip(1).collect();
        let ran = finish(
            Command::new(env!("CARGO_BIN_EXE_triescope")).args(&args).current_dir(folder.path()),
        );
        assert_eq!(ran.code, 0, "{line}: {}{}", ran.out, ran.err);
        assert!(!ran.out.is_empty(), "{line}");
    }
}

#[test]
fn completions_and_manual_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = expect(0, &["completions", shell]).out;
        for command in commands() {
            assert!(script.contains(&command), "{shell} does not know {command}");
        }
    }
    let page = expect(0, &["man"]).out;
    assert!(page.starts_with(".ie") || page.contains(".TH"), "{:.80}", page);
    let folder = Folder::new("man");
    expect(0, &["man", "--out", folder.path()]);
    for command in commands() {
        assert!(page.contains(&command), "the manual does not know {command}");
        assert!(folder.file(&format!("triescope-{command}.1")).is_file(), "{command}");
    }
}
