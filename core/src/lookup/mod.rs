//! The two lookups, the steps they report, and the record made of them.
//!
//! One lookup is one run of the real reader with an [`Observer`]. Animation, counters, texts and tests are made from the
//! record, never from a second implementation. Nobody listening costs nothing: `()` is an observer that ignores all.

mod cache;
mod conclude;
mod confirm;
mod filter;
mod legacy;
mod query;
mod record;
mod step;
mod trie;
pub mod words;

pub use cache::PageCache;
pub(crate) use conclude::Indexed;
pub use confirm::confirm;
pub use filter::ask_filter;
pub use legacy::{LegacyFound, LegacyIndex, find_legacy, find_reverse_block, legacy};
pub(crate) use legacy::{clustering_bytes, walk_legacy};
pub use query::{Query, RowKind, RowTarget};
pub use record::{Counts, Record, Recorder};
pub use step::*;
pub use trie::trie;
pub(crate) use trie::walk as walk_trie;

use crate::pos::PageNo;
use crate::table::Part;

/// Listens to a lookup. Every method does nothing by default, and for `()` all of it compiles to nothing.
pub trait Observer {
    /// The walk turns to another page: a request. The first one for a page in a lookup is a fetch.
    #[inline]
    fn request(&mut self, _part: Part, _page: PageNo, _bytes: u64) {}

    /// Something that the reader did. `make` is only called by observers that keep steps.
    #[inline]
    fn step(&mut self, _make: impl FnOnce() -> Step) {}
}

impl Observer for () {}
