//! Checks of Summary.db.

super::checks! {
    SAMPLE = Broken "summary/sample",
        "Every sample can be read and lies in the file.",
        "Lookups that begin at this sample fail.",
        "summary.md#layout";
}
