//! Damaged twins of the checks of Index.db and its promoted index.
