//! The writer of the legacy index: Index.db with its promoted indexes, and Summary.db.
//! See `docs/format/index.md` and `docs/format/summary.md`.

mod index;
mod summary;

pub use index::{IndexWriter, Promoted};
pub use summary::{SummaryOptions, write_summary};
