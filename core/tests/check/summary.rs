//! Damaged twins of the checks of Summary.db.
