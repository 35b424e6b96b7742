//! Checks of Statistics.db.

super::checks! {
    PARTITION_COUNT = Broken "statistics/partition-count",
        "The histogram of partition sizes counts the partitions that the index has.",
        "Statistics.db belongs to another table or generation, so bounds taken from it hide rows.",
        "statistics.md#stats-in-order";
    KEY_RANGE = Broken "statistics/key-range",
        "The first and the last key are those of the index.",
        "Statistics.db belongs to another table or generation, so bounds taken from it hide rows.",
        "statistics.md#stats-in-order";
    KEY_TYPES = Broken "statistics/key-types",
        "The keys have the form of the types that Statistics.db names.",
        "Statistics.db belongs to another table: keys and rows are read with the wrong types.",
        "statistics.md#serialization-header";
    PARTITION_SIZES = Broken "statistics/partition-sizes",
        "The partition sizes add up to the length of the data.",
        "Statistics.db belongs to another table or generation, or Data.db is cut off.",
        "statistics.md#stats-in-order";
    DELETION_OVERFLOW = Broken "statistics/deletion-overflow",
        "Local deletion times are not negative: a signed 32-bit number of seconds ends in 2038.",
        "Rows that should live on appear expired, and compaction removes them for good.",
        "statistics.md#stats-in-order";
    ORDER = Broken "statistics/order",
        "No least value is greater than the greatest.",
        "Readers that skip tables by these bounds skip rows.",
        "statistics.md#stats-in-order";
    TIMESTAMPS = Broken "statistics/timestamps",
        "No write timestamp in Data.db lies outside of the least and the greatest one.",
        "Reads that skip tables by timestamp miss newer writes, and compaction drops tombstones too early.",
        "statistics.md#stats-in-order";
    DELETION_TIMES = Broken "statistics/deletion-times",
        "No local deletion time in Data.db lies outside of the least and the greatest one, which is none when something lives on.",
        "A table whose data seems to have expired is dropped as a whole.",
        "statistics.md#stats-in-order";
    TTLS = Broken "statistics/ttls",
        "No time to live in Data.db lies outside of the least and the greatest one.",
        "Estimates of what will expire are wrong.",
        "statistics.md#stats-in-order";
    CLUSTERING_BOUNDS = Broken "statistics/clustering-bounds",
        "No row or marker in Data.db lies outside of the clustering bounds.",
        "Reads of a range skip the table, and with it rows or deletions.",
        "statistics.md#stats-in-order";
    PARTITION_DELETIONS = Broken "statistics/partition-deletions",
        "The flag for partition deletions is set when Data.db has one.",
        "Reads that skip the table by its clustering bounds bring deleted rows back.",
        "statistics.md#stats-in-order";
    TOTALS = Suspicious "statistics/totals",
        "The numbers of rows and of columns set are those of Data.db.",
        "Estimates of sizes are wrong, or Data.db belongs to another table or generation.",
        "statistics.md#stats-in-order";
}
