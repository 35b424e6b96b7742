//! Damaged twins of the checks of Rows.db: its structure, and against Data.db.

mod structure;
