//! Checks of Rows.db.

super::checks! {
    ENTRY = Broken "rows/entry",
        "The entry of a wide partition can be read: key, position in Data.db, root, two blocks or more, deletion.",
        "The partition cannot be read.",
        "rows.md#entry";
    ORDER = Broken "rows/order",
        "The leaves of Partitions.db point to the entries in their order, each once.",
        "A lookup finds another partition's entry and says that its own is absent.",
        "rows.md#layout";
    KEY = Broken "rows/key",
        "The key of an entry begins, in byte-comparable form, with the bytes that lead to its leaf.",
        "A lookup that ends at the leaf finds another key and says that its own is absent.",
        "rows.md#entry";
    ROOT = Broken "rows/root",
        "The root of a row trie is the last node before the entry.",
        "Rows are looked for in another trie, so blocks are missed or wrong ones are read.",
        "rows.md#entry";
    REGION = Broken "rows/region",
        "The row trie of an entry lies between the entry before it and the entry.",
        "Rows are looked for among the nodes of another partition.",
        "rows.md#layout";
    NODE = Broken "rows/node",
        "Every node can be read: it has children or a payload, and transition bytes up to ff.",
        "Rows of the blocks below the node cannot be found.",
        "trie.md#nodes";
    PAGE = Broken "rows/page",
        "A node lies in one page with its payload.",
        "Rows of the blocks below the node cannot be found: readers hold one page at a time.",
        "trie.md#nodes";
    CHILD = Broken "rows/child",
        "A child lies before its parent, and in the bytes of its trie.",
        "Rows of the blocks below the child cannot be found.",
        "trie.md#nodes";
    OVERLAP = Broken "rows/overlap",
        "No byte belongs to two nodes, and no node to two parents.",
        "A pointer leads to the wrong node, so rows are looked for in the wrong block.",
        "trie.md#nodes";
    TRANSITIONS = Broken "rows/transitions",
        "The transition bytes of a sparse node ascend.",
        "Readers search them by halves, so rows are looked for in the wrong block.",
        "trie.md#nodes";
    DENSE_ENDS = Broken "rows/dense-ends",
        "The first and the last slot of a dense node have a child.",
        "Readers take them for the least and the greatest child, and find none.",
        "trie.md#nodes";
    LEAF_PAYLOAD = Broken "rows/leaf-payload",
        "A node without children has a payload.",
        "The block that it stands for cannot be found.",
        "trie.md#nodes";
    PAYLOAD = Broken "rows/payload",
        "The payload of a node is the offset of a block, and perhaps an open deletion.",
        "The block that it stands for cannot be found.",
        "rows.md#row-trie";
    COUNT = Broken "rows/count",
        "A row trie has one payload more than the entry counts blocks: one for each, and the end marker.",
        "Blocks cannot be found, so rows are missed or the wrong ones are read.",
        "rows.md#row-trie";
    BLOCK_0 = Broken "rows/block-0",
        "The root has a payload, the block of the empty separator.",
        "Rows below the first separator cannot be reached.",
        "rows.md#row-trie";
    OFFSETS = Broken "rows/offsets",
        "Block offsets ascend from separator to separator.",
        "Rows are looked for in the wrong block.",
        "rows.md#row-trie";
    END_MARKER = Broken "rows/end-marker",
        "The last separator is the end marker: no deletion is open there, and it points at the byte before the next partition.",
        "Reads to the end of the partition end early, or go on into the next one.",
        "rows.md#row-trie";
    PADDING = Suspicious "rows/padding",
        "What is left of a page after its last node is zero, and zeros are nowhere else.",
        "No reader sees these bytes, but something has changed them.",
        "trie.md#pages";
    UNREACHABLE = Suspicious "rows/unreachable",
        "A pointer leads to every node and to every entry.",
        "The rows below these nodes cannot be found.",
        "rows.md#layout";
    UNCLAIMED = Suspicious "rows/unclaimed",
        "Every byte belongs to a node, to the padding or to an entry.",
        "No reader sees these bytes, but no writer known leaves them.",
        "rows.md#layout";
    FILLER = Suspicious "rows/filler",
        "After the last entry the file ends, or the four bytes 13371337 follow.",
        "No reader sees these bytes, but no writer known leaves them.",
        "rows.md#layout";
    LIMIT = Broken "rows/limit",
        "A row trie has no path and no spread over pages that exceeds what clusterings can make.",
        "The rest of the trie was not checked: this program keeps no more of it in memory.",
        "trie.md#pages";
    DATA_KEY = Broken "rows/data-key",
        "The key of an entry is that of its partition in Data.db.",
        "A lookup of the partition says that it is absent.",
        "rows.md#entry";
    DELETION = Broken "rows/deletion",
        "The deletion of an entry is that of its partition in Data.db.",
        "Reads of single rows do not see that the partition is deleted, or see it deleted when it is not.",
        "rows.md#entry";
    BLOCK_START = Broken "rows/block-start",
        "Every block begins where a row or marker begins in Data.db.",
        "Reads that begin with the block decode bytes from the middle of a row.",
        "rows.md#row-trie";
    SEPARATOR = Broken "rows/separator",
        "A separator lies behind the last row of the block before it and not behind the first of its own.",
        "Rows near it are looked for in the wrong block and taken for absent.",
        "rows.md#row-trie";
    OPEN_DELETION = Broken "rows/open-deletion",
        "The open deletion of a block is the range deletion in force at its start.",
        "Reads that begin with the block show deleted rows, or hide rows that are alive.",
        "rows.md#row-trie";
}
