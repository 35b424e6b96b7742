//! Checks of Statistics.db.

super::checks! {
    PARTITION_COUNT = Broken "statistics/partition-count",
        "The histogram of partition sizes counts the partitions that the index has.",
        "Statistics.db belongs to another table or generation, so bounds taken from it hide rows.",
        "statistics.md#statistics";
}
