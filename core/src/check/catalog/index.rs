//! Checks of Index.db and its promoted index.

super::checks! {
    ENTRY = Broken "index/entry",
        "Every entry can be read, lies in the file, and ends where the next one begins.",
        "This partition and those behind it in the same window cannot be found.",
        "index.md#entry";
    ORDER = Broken "index/order",
        "Keys ascend strictly, by token and then by their bytes.",
        "Lookups that bisect or stop at a greater key miss partitions that are here.",
        "index.md#entry";
    ORDER_UNKNOWN = Note "index/order-unknown",
        "The order of keys is known, since the partitioner is.",
        "Tokens and the order of keys were not checked.",
        "index.md#entry";
    FIRST_POSITION = Broken "index/first-position",
        "The first partition lies at position 0 of Data.db.",
        "Partitions before it are in no index and are never found.",
        "index.md#entry";
    POSITIONS_ASCEND = Broken "index/positions-ascend",
        "Positions in Data.db ascend strictly.",
        "A read of this partition begins at another one, or ends before it begins.",
        "index.md#entry";
    POSITION_IN_DATA = Broken "index/position-in-data",
        "Every position lies in Data.db.",
        "The partition cannot be read: Data.db ends before it.",
        "index.md#entry";
    PROMOTED_HEAD = Broken "index/promoted-head",
        "The head of every promoted index can be read, and its blocks fit the size that the entry states.",
        "Rows of this partition cannot be found by their block.",
        "index.md#promoted-index";
    PROMOTED_SIZE = Broken "index/promoted-size",
        "The blocks of a promoted index end where its table of offsets begins.",
        "A reader that counts from the end finds other blocks than one that counts from the start.",
        "index.md#promoted-index";
    ONE_BLOCK = Suspicious "index/one-block",
        "A promoted index has two blocks or more.",
        "Neither database writes a single block; it saves no reader anything.",
        "index.md#promoted-index";
    BLOCK = Broken "index/block",
        "Every block of a promoted index can be read.",
        "Rows in this block and behind it cannot be found by their block.",
        "index.md#block";
    BLOCKS_UNREAD = Note "index/blocks-unread",
        "The types of the clustering columns are known, so that blocks can be read.",
        "Blocks of promoted indexes were not checked, only where they lie.",
        "index.md#block";
    BLOCK_OFFSETS = Broken "index/block-offsets",
        "The table of offsets names the start of every block, 0 for the first.",
        "Lookups of rows read a block where none begins.",
        "index.md#promoted-index";
    BLOCKS_CONTIGUOUS = Broken "index/blocks-contiguous",
        "The first block begins behind the head of the partition, every other where the one before ends.",
        "Rows between the blocks are skipped, or a read begins inside a row.",
        "index.md#block";
    BLOCK_END = Broken "index/block-end",
        "The last block ends with the partition, with or without the byte that marks the end.",
        "Reading past the last block lands in another partition, or rows at the end are skipped.",
        "index.md#block";
    BLOCK_ORDER = Broken "index/block-order",
        "The first clustering of a block is not behind its last one, which is before the first of the next block.",
        "A bisection of the blocks turns the wrong way and misses rows.",
        "index.md#block";
    OPEN_MARKER = Broken "index/open-marker",
        "A block that ends inside a range deletion says so, and no other does; none is open behind the last block.",
        "A read that begins at the next block shows deleted rows, or hides rows that live.",
        "index.md#block";
    DATA_POSITION = Broken "index/data-position",
        "An entry points at the start of its partition in Data.db.",
        "A lookup of the partition finds another key, or reads from its middle.",
        "index.md#entry";
    DATA_KEY = Broken "index/data-key",
        "The key of an entry is that of the partition at its position.",
        "A lookup of the partition fails, and a scrub rewrites it under another key.",
        "index.md#entry";
    HEADER_LENGTH = Broken "index/header-length",
        "The promoted index says how far the first row or marker lies behind the start of its partition.",
        "Reads that skip the static row begin in the wrong place.",
        "index.md#promoted-index";
    DELETION = Broken "index/deletion",
        "The deletion in the promoted index is that of its partition in Data.db.",
        "Reads of single rows do not see that the partition is deleted, or see it deleted when it is not.",
        "index.md#promoted-index";
    BLOCK_START = Broken "index/block-start",
        "Every block begins where a row or marker begins in Data.db.",
        "Reads that begin with the block decode bytes from the middle of a row.",
        "index.md#block";
    BLOCK_BOUNDS = Broken "index/block-bounds",
        "First and last clustering of a block are those of its first and last row or marker in Data.db.",
        "Rows near the bound are looked for in the wrong block and taken for absent.",
        "index.md#block";
    OPEN_DELETION = Broken "index/open-deletion",
        "The open deletion of a block is the range deletion in force at its end.",
        "Reads that begin with the next block show deleted rows, or hide rows that are alive.",
        "index.md#block";
}
