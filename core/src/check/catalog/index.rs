//! Checks of Index.db and its promoted index.

super::checks! {
    ENTRY = Broken "index/entry",
        "Every entry can be read and lies in the file.",
        "This partition and those behind it in the same window cannot be found.",
        "index.md#entries";
}
