//! Checks of Data.db and its chunks.

super::checks! {
    CHUNK_OFFSETS = Broken "data/chunk-offsets",
        "The chunks follow one another from the start of Data.db to its end.",
        "Data.db was cut off, or belongs to another CompressionInfo.db: what lies in the chunk cannot be read.",
        "data.md#compressioninfodb";
    CRC_COUNT = Broken "data/crc-count",
        "CRC.db has a checksum for each chunk of Data.db.",
        "Data.db was cut off, or belongs to another CRC.db.",
        "data.md#crcdb-and-digest";
    CHUNK_CHECKSUM = Broken "data/chunk-checksum",
        "Every chunk has the checksum that is stored for it.",
        "The partitions in this chunk cannot be read; those in other chunks can.",
        "data.md#compressioninfodb";
    UNREADABLE = Broken "data/unreadable",
        "Every partition can be decoded to its end.",
        "The partition cannot be read from here on; a compaction of the table fails.",
        "data.md#partition";
    UNINDEXED = Broken "data/unindexed",
        "Every partition of Data.db has an entry in the index.",
        "The partition cannot be found by its key, only by a scan.",
        "data.md#partition";
    KEY_ORDER = Broken "data/key-order",
        "The keys of the partitions ascend, by token and then by their bytes.",
        "Merges of several tables drop or repeat rows of the partition.",
        "keys.md#token-and-hash";
    ROW_ORDER = Broken "data/row-order",
        "Rows and markers of a partition ascend.",
        "Reads of a range or of one row miss rows, and merges repeat them.",
        "data.md#kinds";
    MARKERS = Broken "data/markers",
        "At most one range deletion is open; what closes one has its deletion; none is open at the end of the partition.",
        "Readers refuse the partition, or delete rows that are alive.",
        "data.md#markers";
    PREVIOUS_SIZE = Suspicious "data/previous-size",
        "A row or marker repeats the size of what lies before it.",
        "No reader needs the number, but no writer known gets it wrong.",
        "data.md#row";
}
