//! Damaged twins of the checks of Rows.db.
