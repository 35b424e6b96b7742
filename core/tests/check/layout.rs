//! Damaged twins of the checks of layouts that are valid but dear.

mod trie;
