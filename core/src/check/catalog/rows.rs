//! Checks of Rows.db.

super::checks! {
    NODE = Broken "rows/node",
        "Every node of a row trie can be read: its type is known and its fields lie in the file.",
        "Rows below the node cannot be found by their block.",
        "rows.md#row-tries";
}
