//! Positions above 4 GiB, natively; `tests/wasm` runs the same in wasm32.

mod bodies;
mod sparse;

macro_rules! natively {
    ($($name:ident,)*) => {
        $(
            #[test]
            fn $name() {
                bodies::$name();
            }
        )*
    };
}
bodies::each!(natively);
