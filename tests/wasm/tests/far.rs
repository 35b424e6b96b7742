//! Positions above 4 GiB in wasm32, where memory indices have 32 bits: the tests of `core/tests/far`.
#![cfg(target_arch = "wasm32")]

#[path = "../../../core/tests/far/bodies.rs"]
mod bodies;
#[path = "../../../core/tests/far/sparse.rs"]
mod sparse;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

macro_rules! in_the_browser {
    ($($name:ident,)*) => {
        $(
            #[wasm_bindgen_test]
            fn $name() {
                bodies::$name();
            }
        )*
    };
}
bodies::each!(in_the_browser);
