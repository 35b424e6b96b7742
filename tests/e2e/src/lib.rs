//! See the crate's manifest.
