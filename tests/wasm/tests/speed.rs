//! How fast Partitions.db is written in a browser: `cargo xtask bench build` runs it beside the same build natively.
#![cfg(target_arch = "wasm32")]

#[path = "../../../bench/src/build/keys.rs"]
#[allow(dead_code, reason = "a part of it is for other benches")]
mod keys;

use triescope_core::bti::pack::Flavour;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// As many as the smaller native corpus has.
const KEYS: usize = 1_000_000;

#[wasm_bindgen_test]
fn a_key_takes_so_long() {
    let tokens = keys::tokens(KEYS);
    // The browser compiles what is called often better after a while, so the first rounds are not counted.
    for round in 0..8 {
        let now = || js_sys::Date::now() * 1e6;
        let (ns, file) = keys::build(&tokens, Flavour::CASSANDRA, Vec::new(), now).unwrap();
        assert!(file.len() > 8_000_000);
        if round >= 3 {
            console_log!("Cassandra: a key takes {:.1} ns", ns / KEYS as f64);
            let (ns, _) = keys::build(&tokens, Flavour::SCYLLA, Vec::new(), now).unwrap();
            console_log!("ScyllaDB: a key takes {:.1} ns", ns / KEYS as f64);
        }
    }
}
