//! The tasks of this project: a table of commands. `cargo xtask` alone lists them.

use anyhow::{Result, bail};
use std::process::ExitCode;
use xtask::{bench, build, fuzz, hook, serve, shots, test, tidy, truth};

/// What one command is called, what it says in the list, and what it does with its arguments.
type Command = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const COMMANDS: &[Command] = &[
    ("serve", "[--port N]  build the page and serve it on this machine", serve::command),
    ("build", "build the page into dist/, ready for any static server", build::command),
    (
        "test",
        "[FILTER]  everything: style, tests, browsers, size; a filter runs only the browser tests it names",
        test::command,
    ),
    ("shots", "[FILTER]  pictures of every screen into target/shots/", shots::command),
    (
        "bench",
        "[trie|legacy|check|deep|memory] [--json]  what lookups and checks cost, beside their peers, and their memory",
        bench::command,
    ),
    (
        "fuzz",
        "[NAME|all] [--runs N | --seconds N]  invent damage for one reader (nightly); alone, it lists the targets",
        fuzz::command,
    ),
    (
        "truth",
        "Cassandra itself judges what is written: indexes and twins (needs Java)",
        truth::command,
    ),
    ("tidy", "the rules of the house that no other tool checks", tidy::command),
    ("bless", "write the expected output of snapshot tests anew", test::bless),
];

/// Commands that other tools call.
const INTERNAL: &[Command] = &[("hook", "called by Trunk when a build is ready", hook::command)];

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next();
    let rest: Vec<String> = args.collect();
    match run(name.as_deref(), &rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(name: Option<&str>, args: &[String]) -> Result<()> {
    let Some(name) = name.filter(|name| !matches!(*name, "help" | "--help" | "-h")) else {
        println!("cargo xtask COMMAND\n");
        for (name, help, _) in COMMANDS {
            println!("  {name:<7} {help}");
        }
        return Ok(());
    };
    match COMMANDS.iter().chain(INTERNAL).find(|(known, ..)| *known == name) {
        Some((_, _, run)) => run(args),
        None => bail!("there is no command `{name}`; `cargo xtask` lists them"),
    }
}
