//! What every byte says: an item of a component as a list of fields, and what lies in a page.
//!
//! [`page`] lists the items of one page of any component: nodes, entries, samples, padding, what belongs to nothing.
//! [`open`] takes one of them apart, [`item`] that at a position: every field with its position, value and meaning, and the page of `docs/format` that
//! describes it. Both read what they need and nothing is recorded. Damage never ends them: it is in the item.

mod field;
mod index;
mod index_page;
mod node;
mod older;
mod open;
mod plain;
mod reach;
mod summary;
mod trie;
mod trie_page;

pub use field::{Bits, Field, Item, ItemKind};
pub(crate) use node::node_item as node;
pub use open::{PageItem, PageView, item, open, page};
