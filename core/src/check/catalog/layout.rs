//! Checks of what is valid but dear to read.

super::checks! {
    FILL = Suspicious "layout/fill",
        "The whole pages of a trie are at least half full: a page ends where the next branch does not fit, so two neighbours hold more than one page.",
        "Lookups fetch pages for few nodes, so a cache of the same size holds less of the index.",
        "trie.md#pages";
    PADDING = Suspicious "layout/padding",
        "A page is padded only where the next branch does not fit.",
        "The index is larger than its nodes need, and so is every copy of it in a cache.",
        "trie.md#pages";
    CROSSINGS = Suspicious "layout/crossings",
        "A branch that fits one page lies in one page.",
        "Lookups turn to another page for nodes that would have fitted the one they were in.",
        "trie.md#pages";
    CHAINS = Suspicious "layout/chains",
        "Half of the keys or more are told apart by their tokens: the fan-out of hashes explains no longer chains.",
        "Keys with colliding tokens were chosen, so lookups walk long chains, and partitions gather on few nodes of a cluster.",
        "trie.md#partitionsdb";
    COLUMN_WISE = Suspicious "layout/column-wise-keys",
        "A table of version ms has one partition key column.",
        "Keys of several columns with colliding tokens cannot be written in order; version mt can.",
        "keys.md#byte-comparable-keys";
    INDEX_LARGER = Suspicious "layout/index-larger-than-data",
        "Index.db is smaller than Data.db.",
        "Keys take most of what is read: partitions are tiny, and more of the cache goes to the index than to rows.",
        "index.md#what-it-costs";
    PROMOTED_DOMINATES = Suspicious "layout/promoted-dominates",
        "Promoted indexes are small beside the rows that they index.",
        "Lookups turn many pages of Index.db, since the entries between two samples lie far apart.",
        "index.md#what-it-costs";
    PROMOTED_SIZE = Suspicious "layout/promoted-size",
        "A promoted index has at most 10 MB, and at most a tenth of its partition.",
        "Reading or writing the partition may take much memory, and each row costs pages of its index.",
        "index.md#what-it-costs";
    SUMMARY_PAGES = Suspicious "layout/summary-pages",
        "The samples of Summary.db divide the partitions evenly.",
        "Lookups in the largest window read many times the entries of the others.",
        "summary.md#which-keys-are-sampled";
}
