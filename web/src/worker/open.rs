//! Opening files: grouped into SSTables, opened one after the other, matched into pairs of the same rows.

use super::world::World;
use crate::model::{Opened, Pair, Stranger, TableId};
use std::collections::VecDeque;
use triescope_core::source::Source;
use triescope_core::table::{self, FileSet, IndexKind, Part, Table, TableFacts, group};

/// The work of opening files.
#[derive(Debug)]
pub struct Opening<S> {
    waiting: VecDeque<(FileSet, Vec<(Part, S)>)>,
    next: TableId,
    of: u64,
    opened: Opened,
}

impl<S: Source> Opening<S> {
    /// Groups files, given by path and length. `source` makes the bytes of a file, by its place in the list.
    pub fn new(
        files: &[(String, u64)],
        first: TableId,
        mut source: impl FnMut(usize, Part) -> S,
    ) -> Self {
        let grouping = group(files.iter().map(|(path, bytes)| (path.as_str(), *bytes)));
        let strangers = grouping.strangers.into_iter().map(|stranger| Stranger {
            path: stranger.path,
            bytes: stranger.bytes,
            why: stranger.why.to_string(),
        });
        let opened = Opened { strangers: strangers.collect(), ..Opened::default() };
        let mut waiting = VecDeque::new();
        for set in grouping.sets {
            let known = set.files.iter().filter_map(|file| Some((file.part?, file.file)));
            let sources = known.map(|(part, file)| (part, source(file, part))).collect();
            waiting.push_back((set, sources));
        }
        Self { of: waiting.len() as u64, waiting, next: first, opened }
    }

    /// SSTables opened, and how many there are.
    pub fn progress(&self) -> (u64, u64) {
        (self.of - self.waiting.len() as u64, self.of)
    }

    /// Opens the next SSTable; `false` when none is left.
    pub fn step(&mut self, world: &mut World<S>) -> bool {
        let Some((set, sources)) = self.waiting.pop_front() else { return false };
        // The sources read at once, so opening never misses.
        if let Ok(table) = Table::open(set, sources) {
            self.opened.tables.push((self.next, table.facts.clone()));
            world.put(self.next, table);
            self.next += 1;
        }
        true
    }

    /// What was found, the SSTables with a trie index first.
    pub fn take(&mut self) -> Opened {
        let mut opened = std::mem::take(&mut self.opened);
        opened.tables.sort_by_key(|(_, facts)| facts.index != Some(IndexKind::Trie));
        opened.pairs = pairs(&opened.tables);
        opened
    }
}

/// SSTables of the same rows, by their numbers.
pub fn pairs(tables: &[(TableId, TableFacts)]) -> Vec<Pair> {
    let facts: Vec<&TableFacts> = tables.iter().map(|(_, facts)| facts).collect();
    let id = |at: Option<usize>| at.and_then(|at| tables.get(at)).map(|(id, _)| *id);
    let found = table::pairs(&facts).into_iter();
    found.map(|(trie, legacy)| Pair { trie: id(trie), legacy: id(legacy) }).collect()
}
