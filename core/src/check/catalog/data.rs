//! Checks of Data.db and its chunks.

super::checks! {
    CHUNK_CHECKSUM = Broken "data/chunk-checksum",
        "Every chunk has the checksum that is stored for it.",
        "The partitions in this chunk cannot be read; those in other chunks can.",
        "data.md#chunks";
}
