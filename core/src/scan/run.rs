//! The scan: which index it walks, and what it hands out.

use super::keys::Keys;
use super::legacy::Entries;
use super::place::{Place, comparable};
use super::trie::LeafWalk;
use super::{FoundKey, Partition};
use crate::error::Error;
use crate::source::Source;
use crate::table::{IndexKind, Part, Table};
use std::cmp::Ordering;

/// In which order partitions come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they lie in the table: ascending by token.
    #[default]
    Forward,
    /// From the last to the first.
    Reverse,
}

/// What a call of [`Scan::step`] has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next partition.
    Partition(Partition),
    /// None yet: a scan that has to read through Index.db to find its start has come so far. Call again.
    Working {
        /// Bytes of Index.db done.
        done: u64,
        /// Its bytes.
        of: u64,
    },
    /// There is no other.
    End,
}

/// The partitions of a table in order. It holds the nodes of one path, or the entries of one window, and one chunk of
/// Data.db.
pub struct Scan<'a, S: Source> {
    table: &'a Table<S>,
    order: Order,
    place: Option<Place>,
    /// The place as the trie orders it; empty without one.
    comparable: Vec<u8>,
    walk: Walk,
    keys: Keys<'a, S>,
}

enum Walk {
    Trie(LeafWalk),
    Legacy(Entries),
}

impl<'a, S: Source> Scan<'a, S> {
    /// A scan from `from`, or from the end that `order` starts at. `None` without an index that can be read.
    pub fn new(table: &'a Table<S>, from: Option<Place>, order: Order) -> Option<Self> {
        let comparable = from.as_ref().map_or_else(Vec::new, |at| at.comparable(table, order));
        let walk = match table.readable_index()? {
            IndexKind::Trie => {
                table.source(Part::Partitions)?;
                let seek = from.as_ref().map(|_| comparable.clone());
                Walk::Trie(LeafWalk::new(table.footer.as_ref()?, order, seek))
            }
            IndexKind::Legacy => {
                let format = table.version().formats().index;
                Walk::Legacy(Entries::new(order, format, table.source(Part::Index)?.len()))
            }
        };
        Some(Self { table, order, place: from, comparable, walk, keys: Keys::new(table) })
    }

    /// The next partition. After a miss it goes on where it was; after damage to the index it cannot go on.
    pub fn step(&mut self) -> Result<Next, Error> {
        match &mut self.walk {
            Walk::Legacy(entries) => entries.next(self.table, self.place.as_ref()),
            Walk::Trie(_) => self.next_leaf(),
        }
    }

    fn next_leaf(&mut self) -> Result<Next, Error> {
        let (Walk::Trie(walk), Some(source)) =
            (&mut self.walk, self.table.source(Part::Partitions))
        else {
            return Ok(Next::End);
        };
        loop {
            let Some(found) = walk.peek(source)? else { return Ok(Next::End) };
            let certain = found.certain;
            let mut partition = self.keys.resolve(found)?;
            walk.take();
            if !certain {
                // The leaf has a prefix of the place. Its key tells on which side it lies, where it can be read.
                partition.certain = match &partition.key {
                    FoundKey::Whole(key) => {
                        let other_side = match self.order {
                            Order::Forward => Ordering::Less,
                            Order::Reverse => Ordering::Greater,
                        };
                        if comparable(self.table, key).cmp(&self.comparable) == other_side {
                            continue;
                        }
                        true
                    }
                    FoundKey::Prefix(_) => false,
                };
            }
            return Ok(Next::Partition(partition));
        }
    }
}
