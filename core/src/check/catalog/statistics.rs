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
}
