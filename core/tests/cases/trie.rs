//! Cases about the trie index.
