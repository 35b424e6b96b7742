//! Damaged twins of the checks of Data.db and its chunks.
