//! SSTables of the same rows with different indexes.

use super::{Count, IndexKind, TableFacts};

/// Matches SSTables of the same rows: the same first and last key, the same number of partitions. Each pair has the places
/// of the trie and of the legacy one in the list. What has no partner stands alone; what has no index is left out.
pub fn pairs(tables: &[&TableFacts]) -> Vec<(Option<usize>, Option<usize>)> {
    let of = |kind: IndexKind| {
        tables.iter().enumerate().filter(move |(_, facts)| facts.index == Some(kind))
    };
    let mut legacy: Vec<_> = of(IndexKind::Legacy).collect();
    let mut pairs = Vec::new();
    for (trie, facts) in of(IndexKind::Trie) {
        let fits = || legacy.iter().enumerate().filter(|(_, (_, other))| same_rows(facts, other));
        let named = fits().find(|(_, (_, other))| other.table == facts.table);
        let best = named.or_else(|| fits().next()).map(|(at, _)| at);
        pairs.push((Some(trie), best.map(|at| legacy.remove(at).0)));
    }
    pairs.extend(legacy.iter().map(|(at, _)| (None, Some(*at))));
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
