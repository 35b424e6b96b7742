//! Checks of Partitions.db.

super::checks! {
    FOOTER = Broken "trie/footer",
        "The footer's numbers lie in their ranges: the root before the keys, the keys before the footer, no more partitions than the nodes have room for.",
        "The index cannot be opened, so no partition can be found.",
        "trie.md#partitionsdb";
    KEYS = Broken "trie/keys",
        "The first and the last key fill the bytes between the root and the footer exactly.",
        "The index cannot be opened, so no partition can be found.",
        "trie.md#partitionsdb";
    KEY_ORDER = Broken "trie/key-order",
        "The first key does not sort after the last one.",
        "Databases skip the table for keys between the two, or refuse to open it.",
        "trie.md#partitionsdb";
    ROOT = Broken "trie/root",
        "The root is the last node: it ends where the keys begin.",
        "Lookups start at another node, so partitions are missed or others are found in their place.",
        "trie.md#partitionsdb";
    NODE = Broken "trie/node",
        "Every node can be read: it has children or a payload, and transition bytes up to ff.",
        "Partitions below the node cannot be found.",
        "trie.md#nodes";
    PAGE = Broken "trie/page",
        "A node lies in one page with its payload.",
        "Partitions below the node cannot be found: readers hold one page at a time.",
        "trie.md#nodes";
    CHILD = Broken "trie/child",
        "A child lies before its parent, and in the file.",
        "Partitions below the child cannot be found.",
        "trie.md#nodes";
    OVERLAP = Broken "trie/overlap",
        "No byte belongs to two nodes, and no node to two parents.",
        "A pointer leads to the wrong node, so partitions are missed or others are found in their place.",
        "trie.md#nodes";
    TRANSITIONS = Broken "trie/transitions",
        "The transition bytes of a sparse node ascend.",
        "Readers search them by halves, so partitions below the node are missed.",
        "trie.md#nodes";
    DENSE_ENDS = Broken "trie/dense-ends",
        "The first and the last slot of a dense node have a child.",
        "Readers take them for the least and the greatest child, so scans end early.",
        "trie.md#nodes";
    LEAF_PAYLOAD = Broken "trie/leaf-payload",
        "A node without children has a payload.",
        "The partition that it stands for cannot be found.",
        "trie.md#nodes";
    INNER_PAYLOAD = Broken "trie/inner-payload",
        "Only nodes without children have a payload: no key is the beginning of another one.",
        "A lookup passes the node, so its partition is found by scans alone.",
        "trie.md#partitionsdb";
    COUNT = Broken "trie/count",
        "The trie has as many leaves as the footer counts partitions.",
        "Partitions cannot be found, or estimates from the count are wrong.",
        "trie.md#partitionsdb";
    FIRST_KEY = Broken "trie/first-key",
        "The first key of the footer is the key of the first leaf.",
        "Databases skip the table for keys that are in it, or the index belongs to another table.",
        "trie.md#partitionsdb";
    LAST_KEY = Broken "trie/last-key",
        "The last key of the footer is the key of the last leaf.",
        "Databases skip the table for keys that are in it, or the index belongs to another table.",
        "trie.md#partitionsdb";
    NO_HASH = Broken "trie/no-hash",
        "A leaf has a hash byte.",
        "Cassandra reads all of the payload as the position, ScyllaDB one byte more than there is.",
        "trie.md#leaf-payload";
    HASH = Broken "trie/hash",
        "The hash byte of a leaf is that of its key, where the key is known from the footer or from Rows.db.",
        "Lookups of the partition say that it is absent.",
        "trie.md#leaf-payload";
    PREFIX = Suspicious "trie/prefix",
        "The trie holds no more of a key than tells it from its neighbours.",
        "Lookups are right, but no writer known makes such nodes: a neighbour may have been lost.",
        "trie.md#partitionsdb";
    TARGET = Broken "trie/target",
        "A leaf points into Data.db or Rows.db, not past its end.",
        "The partition cannot be read.",
        "trie.md#leaf-payload";
    POSITIONS = Broken "trie/positions",
        "Positions in Data.db ascend from leaf to leaf, directly or through Rows.db.",
        "A lookup finds another partition at the position, and scans skip some or read them twice.",
        "trie.md#leaf-payload";
    PADDING = Suspicious "trie/padding",
        "What is left of a page after its last node is zero, and zeros are nowhere else.",
        "No reader sees these bytes, but something has changed them.",
        "trie.md#pages";
    UNREACHABLE = Suspicious "trie/unreachable",
        "A pointer leads to every node.",
        "The partitions below these nodes cannot be found, unless a newer copy is elsewhere in the trie.",
        "trie.md#nodes";
    UNCLAIMED = Suspicious "trie/unclaimed",
        "Every byte belongs to a node, to the padding, to the keys or to the footer.",
        "No reader sees these bytes, but no writer known leaves them.",
        "trie.md#pages";
    LIMIT = Broken "trie/limit",
        "The trie has no path and no spread over pages that exceeds what keys of 64 KiB can make.",
        "The rest of the trie was not checked: this program keeps no more of it in memory.",
        "trie.md#pages";
    DATA_POSITION = Broken "trie/data-position",
        "A leaf points at the start of its partition in Data.db.",
        "A lookup of the partition finds another key, or reads from its middle.",
        "trie.md#leaf-payload";
    DATA_KEY = Broken "trie/data-key",
        "The key at the position of a leaf encodes to the bytes that lead to the leaf and on.",
        "A lookup of the partition finds another key, so it is taken for absent.",
        "trie.md#partitionsdb";
}
