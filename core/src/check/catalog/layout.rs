//! Checks of what is valid but dear to read.

super::checks! {
    FILL = Suspicious "layout/fill",
        "The pages of the trie are at least half full of nodes.",
        "Lookups fetch pages for few nodes, so a cache of the same size holds less of the index.",
        "trie.md#pages";
}
