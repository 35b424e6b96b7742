//! Fuzzes the target `pack` (`core/tests/fuzz/`).
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| triescope_fuzz::run("pack", input));
