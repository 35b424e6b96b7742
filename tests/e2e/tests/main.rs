//! End-to-end tests of the built page, a module a file of tests. `cargo xtask test NAME` runs those with that name.

mod promise;

use std::process::ExitCode;

fn main() -> ExitCode {
    triescope_e2e::run::main(&[promise::suite()])
}
