//! Damaged twins of the checks of Filter.db.
