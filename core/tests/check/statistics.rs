//! Damaged twins of the checks of Statistics.db.
