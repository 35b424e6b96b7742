//! End-to-end tests of the built page, a module a file of tests. `cargo xtask test NAME` runs those with that name.

mod exploring;
mod failing;
mod looking;
mod opening;
mod packing;
mod promise;
mod racing;
mod twins;

use std::process::ExitCode;

fn main() -> ExitCode {
    triescope_e2e::run::main(&[
        promise::suite(),
        opening::suite(),
        racing::suite(),
        twins::suite(),
        packing::suite(),
        exploring::suite(),
        failing::suite(),
        looking::suite(),
    ])
}
