//! Cases about the legacy index.
