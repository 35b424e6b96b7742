//! The bodies of the fuzz targets, as plain functions: `fuzz/` feeds them with inputs that it invents, and the test program
//! `replay` with the corpus and everything that once failed.
//!
//! A body makes files of its input, reads them with everything there is, and asserts what must hold for any bytes: no panic,
//! an end within limits, the same answers for files that arrive in pieces. That of the writers makes keys instead.

mod components;
mod data;
mod dissect;
mod input;
mod keys;
mod legacy;
mod pack;
mod set;
mod trie;
mod twin;

/// Longest input: more does not make other faults, only slower runs.
pub const MOST_BYTES: usize = 16 << 10;

/// One fuzz target.
pub struct Target {
    /// Its name, of `fuzz/fuzz_targets/NAME.rs`.
    pub name: &'static str,
    /// What it does with an input.
    pub body: fn(&[u8]),
    /// Inputs to begin with, made from real files.
    #[allow(dead_code, reason = "only the replay makes them")]
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: [Target; 15] = [
    Target { name: "partitions", body: trie::partitions, seeds: trie::partitions_seeds },
    Target { name: "rows", body: trie::rows, seeds: trie::rows_seeds },
    Target { name: "index", body: legacy::index, seeds: legacy::index_seeds },
    Target { name: "summary", body: legacy::summary, seeds: legacy::summary_seeds },
    Target {
        name: "statistics",
        body: components::statistics,
        seeds: components::statistics_seeds,
    },
    Target {
        name: "compression",
        body: components::compression,
        seeds: components::compression_seeds,
    },
    Target { name: "filter", body: components::filter, seeds: components::filter_seeds },
    Target { name: "scylla", body: components::scylla, seeds: components::scylla_seeds },
    Target { name: "small", body: components::small, seeds: components::small_seeds },
    Target { name: "data", body: data::data, seeds: data::data_seeds },
    Target { name: "table", body: set::table, seeds: set::table_seeds },
    Target { name: "dissect", body: dissect::dissect, seeds: dissect::dissect_seeds },
    Target { name: "pack", body: pack::pack, seeds: pack::pack_seeds },
    Target { name: "keys", body: keys::keys, seeds: keys::keys_seeds },
    Target { name: "twin", body: twin::twin, seeds: twin::twin_seeds },
];

/// Runs a target by its name.
#[allow(dead_code, reason = "the fuzz targets use it")]
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    if input.len() <= MOST_BYTES {
        (target.body)(input);
    }
}
