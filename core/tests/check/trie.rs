//! Damaged twins of the checks of Partitions.db.
