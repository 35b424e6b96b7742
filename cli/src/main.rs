//! `triescope`: SSTables of Apache Cassandra and ScyllaDB in a terminal. All that is known of formats is in
//! `triescope-core`; here are files, arguments, and words and JSON for what it answers.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod failure;
mod files;
mod json;
mod out;
mod parse;
mod progress;
mod source;
mod time;
mod written;

use args::{Cli, Command};
use clap::Parser as _;
use commands::{blocks, census, check, flip, info, keys, lookup, pack, page, rows, shell, twin};
use failure::{Failure, Outcome, Verdict, complain};
use out::Out;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Where the arguments are wrong, clap says so and exits with 2.
    let cli = Cli::parse();
    let mut out = Out::new(cli.color);
    let outcome = run(&cli.command, &mut out).and_then(|verdict| {
        out.flush()?;
        Ok(verdict)
    });
    match outcome {
        Ok(verdict) => ExitCode::from(verdict.code()),
        Err(Failure::PipeClosed) => ExitCode::SUCCESS,
        Err(Failure::Damaged(text)) => {
            _ = out.flush();
            complain(&text);
            ExitCode::from(Verdict::Broken.code())
        }
        Err(Failure::Message(text)) => {
            // What was found before it is printed before it.
            _ = out.flush();
            complain(&text);
            ExitCode::from(Verdict::NotRun.code())
        }
    }
}

fn run(command: &Command, out: &mut Out) -> Outcome {
    match command {
        Command::Info(args) => info::run(args, out),
        Command::Keys(args) => keys::run(args, out),
        Command::Lookup(args) => lookup::run(args, out),
        Command::Blocks(args) => blocks::run(args, out),
        Command::Page(args) => page::page(args, out),
        Command::Node(args) => page::node(args, out),
        Command::Census(args) => census::run(args, out),
        Command::Rows(args) => rows::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Flip(args) => flip::run(args, out),
        Command::Twin(args) => twin::run(args, out),
        Command::TidyUpAfter => {
            written::tidy_up_after();
            Ok(Verdict::Clean)
        }
        Command::Pack(args) => pack::run(args, out),
        Command::Completions { shell } => shell::completions(*shell, out),
        Command::Man { out: folder } => shell::man(folder.as_deref(), out),
    }
}
