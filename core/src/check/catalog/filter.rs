//! Checks of Filter.db.

super::checks! {
    DENIES_KEY = Broken "filter/denies-key",
        "The filter denies no key of the table.",
        "The partition is never found by its key.",
        "filter.md#asking";
}
