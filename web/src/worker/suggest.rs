//! Keys to suggest: up to 2,000, read in the background from Index.db, else from where the trie points.

use super::jobs::Slice;
use super::protocol::{Reply, Which};
use super::world::World;
use crate::model::{Failure, Suggestions};
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::bti::{PartitionIndex, RowEntry};
use triescope_core::error::Error;
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::FilePos;
use triescope_core::race::Contest;
use triescope_core::source::{Pages, Source};
use triescope_core::table::{IndexFormat, Part, Table};

/// Most keys.
const MOST: usize = 2_000;
/// Keys between two looks at the clock.
const KEYS: usize = 64;
/// Longest key that is worth a line in a list.
const LONGEST: usize = 200;

/// The work of reading keys.
#[derive(Debug, Default)]
pub struct Suggesting {
    which: Which,
    keys: Vec<Vec<u8>>,
    /// The next entry of Index.db.
    next: FilePos,
    read: usize,
    all: bool,
}

impl Suggesting {
    /// Nothing is read yet.
    pub fn new(which: Which) -> Self {
        Self { which, ..Self::default() }
    }

    /// Reads on. Damage ends the list; the keys before it are as good as any.
    pub fn slice<S: Source>(
        &mut self,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Result<Slice, Failure> {
        let contest = world.contest(self.which)?;
        let index = contest.legacy.and_then(|table| table.source(Part::Index));
        let (part, mut more) = match (index, contest.trie) {
            (Some(_), _) => (Part::Index, true),
            (None, Some(_)) => (Part::Data, true),
            (None, None) => (Part::Index, false),
        };
        while more && self.read < MOST {
            let step = match (index, contest.trie) {
                (Some(index), _) => self.read_entries(contest.index_format(), index),
                (None, Some(table)) => self.read_leaves(&contest, table),
                (None, None) => Ok(true),
            };
            self.all = matches!(step, Ok(true));
            more = matches!(step, Ok(false));
            if more && over() {
                return Ok(Slice::More(None));
            }
        }
        if self.keys.len() > MOST {
            self.keys.truncate(MOST);
            self.all = false;
        }
        let schema = contest.key_schema();
        let mut from = Some(part);
        if self.keys.is_empty() {
            let ends = contest.tables().find_map(|table| table.facts.ends.as_ref());
            self.keys = ends.map(|(a, b)| vec![a.to_vec(), b.to_vec()]).unwrap_or_default();
            self.keys.dedup();
            (from, self.all) = (None, false);
        }
        let short = self.keys.iter().filter(|key| key.len() <= LONGEST);
        let keys = short.map(|key| schema.to_text(key)).collect();
        Ok(Slice::Done(Ok(Reply::Suggested(Suggestions { keys, from, all: self.all }))))
    }

    /// The next keys of Index.db; `true` when there are no more.
    fn read_entries<S: Source>(&mut self, format: IndexFormat, index: &S) -> Result<bool, Error> {
        let (mut walk, keys) = (IndexWalk::from(format, self.next), &mut self.keys);
        let read = walk.run(index, KEYS as u64, |head, bytes| {
            keys.push(head.key(bytes).to_vec());
            ControlFlow::Continue(())
        });
        self.next = walk.at();
        self.read += usize::try_from(read?).unwrap_or(MOST);
        Ok(walk.ended(index))
    }

    /// The next keys behind the leaves of the trie; `true` when there are no more.
    fn read_leaves<S: Source>(
        &mut self,
        contest: &Contest<'_, S>,
        table: &Table<S>,
    ) -> Result<bool, Error> {
        let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions)) else {
            return Ok(true);
        };
        let Ok(mut data) = table.data_reader() else { return Ok(true) };
        let last = self.keys.last().cloned();
        let from = last.clone().map(|key| contest.prepare(key).comparable.bytes);
        let (mut unheard, mut unheard_too) = ((), ());
        let pages = Pages::new(Part::Partitions, source, &mut unheard);
        let mut leaves =
            PartitionIndex::new(footer).leaves_from(pages, &from.unwrap_or_default())?;
        let mut skipping = last.is_some();
        for _ in 0..KEYS {
            let Some(found) = leaves.next()? else { return Ok(true) };
            let key = match found.leaf.target() {
                LeafTarget::Data(at) => data.key(at)?.0,
                LeafTarget::Rows(at) => match table.source(Part::Rows) {
                    Some(rows) => {
                        let mut pages = Pages::new(Part::Rows, rows, &mut unheard_too);
                        RowEntry::read(&mut pages, at)?.key
                    }
                    None => continue,
                },
            };
            // A walk that goes on begins at the last key that was read, or just before it.
            if skipping && found_before(&self.keys, &key) {
                continue;
            }
            skipping = false;
            self.keys.push(key);
            self.read += 1;
        }
        Ok(false)
    }
}

fn found_before(keys: &[Vec<u8>], key: &[u8]) -> bool {
    keys.iter().rev().take(2).any(|known| known == key)
}
