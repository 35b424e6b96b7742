//! What is looked up in which index.

use crate::numbers;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A partition index with keys that are in it.
pub struct Corpus {
    /// Its name in the report.
    pub name: &'static str,
    /// Partitions.db.
    pub file: Vec<u8>,
    /// Number of keys: the numbers from 0.
    pub keys: u32,
    /// Serialized keys in the order of the lookups.
    pub order: Vec<[u8; 4]>,
}

/// Lookups of a round.
const LOOKUPS: usize = 1_000_000;
/// Seed of the order.
const SEED: u64 = 1;

/// A real file of 20,000 keys, which fits into a processor's second cache.
pub fn p20k() -> Result<Corpus> {
    let path = p20k_folder().join("da-1-bti-Partitions.db");
    let file = std::fs::read(&path).with_context(|| path.display().to_string())?;
    Ok(Corpus { name: "p20k", file, keys: 20_000, order: order(20_000) })
}

/// A real file of 100,000 text keys.
pub fn p100k_text() -> Result<Vec<u8>> {
    let path = p20k_folder().join("../../p100k_text/da/da-1-bti-Partitions.db");
    std::fs::read(&path).with_context(|| path.display().to_string())
}

/// A file of the legacy index of the same rows: `Index`, `Summary`.
pub fn p20k_legacy(part: &str) -> Result<Vec<u8>> {
    let path = p20k_folder().join(format!("../oa/oa-1-big-{part}.db"));
    std::fs::read(&path).with_context(|| path.display().to_string())
}

/// A million keys, more than caches hold.
pub fn million() -> Result<Corpus> {
    let keys = 1_000_000;
    Ok(Corpus { name: "1M-int", file: numbers::numbers(keys)?, keys, order: order(keys) })
}

/// The folder of the real file.
pub fn p20k_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra/p20k/da")
}

/// Keys drawn at random, the same ones in every run.
fn order(keys: u32) -> Vec<[u8; 4]> {
    let mut state = SEED;
    let mut random = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    (0..LOOKUPS).map(|_| ((random() % u64::from(keys)) as u32).to_be_bytes()).collect()
}
