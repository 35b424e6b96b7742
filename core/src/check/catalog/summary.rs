//! Checks of Summary.db.

super::checks! {
    HEADER = Broken "summary/header",
        "Header, first offset and end keys can be read and agree with the size of the file.",
        "The databases discard the summary and make another one from Index.db.",
        "summary.md#summarydb";
    BIG_ENDIAN = Suspicious "summary/big-endian",
        "Offsets are little-endian.",
        "Cassandra 5 discards the summary and makes another one each time it opens the table.",
        "summary.md#summarydb";
    SAMPLE = Broken "summary/sample",
        "Every sample can be read and lies in the file.",
        "Lookups that begin at this sample fail.",
        "summary.md#summarydb";
    ORDER = Broken "summary/order",
        "The keys of the samples ascend strictly, by token and then by their bytes.",
        "A bisection of the samples turns the wrong way and misses partitions.",
        "summary.md#summarydb";
    POSITIONS_ASCEND = Broken "summary/positions-ascend",
        "The positions of the samples ascend strictly.",
        "The window between the two samples is empty or runs backwards, so its partitions are missed.",
        "summary.md#summarydb";
    FIRST_SAMPLE = Broken "summary/first-sample",
        "The first sample is the first entry of Index.db.",
        "Partitions before the first sample are missed.",
        "summary.md#which-keys-are-sampled";
    POSITION = Broken "summary/position",
        "Every sample points at the start of an entry of Index.db.",
        "Lookups that begin at this sample read garbage.",
        "summary.md#summarydb";
    KEY = Broken "summary/key",
        "The entry that a sample points at has the sample's key.",
        "Lookups that begin at this sample miss partitions.",
        "summary.md#summarydb";
    FIRST_KEY = Broken "summary/first-key",
        "The first key is that of the first entry of Index.db.",
        "Cassandra takes keys before it as absent, or reads for keys that are.",
        "summary.md#summarydb";
    LAST_KEY = Broken "summary/last-key",
        "The last key is that of the last entry of Index.db.",
        "Cassandra takes keys behind it as absent, or reads for keys that are.",
        "summary.md#summarydb";
    INTERVAL = Suspicious "summary/interval",
        "As many entries lie between two samples as interval and sampling level declare.",
        "Lookups read more entries than the table's options promise, or the samples take more memory.",
        "summary.md#which-keys-are-sampled";
    RULE = Note "summary/rule",
        "Samples lie where ScyllaDB puts them by default.",
        "The table was written with another ratio of summary to data, or its summary by another program.",
        "summary.md#which-keys-are-sampled";
}
