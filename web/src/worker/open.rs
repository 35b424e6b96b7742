//! Opening files: grouped into SSTables, opened one after the other, matched into pairs of the same rows.

use super::world::World;
use crate::model::{Opened, Pair, Stranger, TableId};
use std::collections::VecDeque;
use triescope_core::source::Source;
use triescope_core::table::{Count, FileSet, IndexKind, Part, Table, TableFacts, group};

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

/// Matches SSTables of the same rows: the same first and last key, the same number of partitions. What has no partner
/// stands alone; what has no index is left out.
pub fn pairs(tables: &[(TableId, TableFacts)]) -> Vec<Pair> {
    let of = |kind: IndexKind| tables.iter().filter(move |(_, facts)| facts.index == Some(kind));
    let mut legacy: Vec<_> = of(IndexKind::Legacy).collect();
    let mut pairs = Vec::new();
    for (trie, facts) in of(IndexKind::Trie) {
        let same = |at: &usize| same_rows(facts, &legacy[*at].1);
        let named = |at: &usize| legacy[*at].1.table == facts.table;
        let fits: Vec<usize> = (0..legacy.len()).filter(same).collect();
        let best = fits.iter().copied().find(named).or(fits.first().copied());
        let partner = best.map(|at| legacy.remove(at).0);
        pairs.push(Pair { trie: Some(*trie), legacy: partner });
    }
    pairs.extend(legacy.iter().map(|(id, _)| Pair { trie: None, legacy: Some(*id) }));
    pairs
}

fn same_rows(a: &TableFacts, b: &TableFacts) -> bool {
    let count = |facts: &TableFacts| {
        facts.partitions.map(|count| match count {
            Count::Exact(n) | Count::FromStatistics(n) => n,
        })
    };
    a.ends.is_some() && a.ends == b.ends && count(a) == count(b)
}
