//! Checks of Partitions.db.

super::checks! {
    NODE = Broken "trie/node",
        "Every node can be read: its type is known and its fields lie in the file.",
        "Partitions below the node cannot be found.",
        "trie.md#nodes";
}
