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
}
