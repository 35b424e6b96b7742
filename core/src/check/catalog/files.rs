//! Checks of the set of files: names, TOC.txt, checksums of whole files.

super::checks! {
    MISSING = Broken "files/missing",
        "Every component that TOC.txt lists or the version needs is here.",
        "What the missing component answers must be rebuilt, or cannot be answered at all.",
        "files.md#components";
    DAMAGED = Broken "files/unreadable",
        "Every metadata component can be read.",
        "What the component says is unknown to every reader.",
        "files.md#components";
}
