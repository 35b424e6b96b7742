//! Checks of Filter.db.

super::checks! {
    DENIES_KEY = Broken "filter/denies-key",
        "The filter denies no key of the table.",
        "The partition is never found by its key.",
        "filter.md#asking";
    OVERSIZED = Suspicious "filter/oversized",
        "The filter has about the size that its chance of false positives asks for.",
        "It takes memory that saves nothing; the writer's estimate of the partitions was wrong.",
        "filter.md#size";
    FALSE_POSITIVES = Suspicious "filter/false-positives",
        "The filter lets about as few absent keys pass as the chance says that it was made for.",
        "Lookups of absent keys read the index and Data.db for nothing.",
        "filter.md#size";
}
