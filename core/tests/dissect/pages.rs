//! Every page of real files: items without gaps, each of which is taken apart whole; the nodes listed are those that the
//! trie reaches, the entries those that a walk meets.

use crate::common::{InMemory, all_cassandra, folders, upstream};
use crate::{assert_covered, end};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::bti::{Node, PartitionIndex, RowEntry};
use triescope_core::dissect::{ItemKind, item, open, page};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::{FilePos, PageNo, pages_of};
use triescope_core::source::{Pages, Source};
use triescope_core::table::{Part, Table};

/// Where items of each kind start; kinds as text, since they have no order.
type Starts = BTreeMap<String, BTreeSet<u64>>;

/// Lists all pages of a component, takes all items apart, and returns where each kind of them starts.
fn walk(name: &str, table: &Table<&[u8]>, part: Part) -> Starts {
    let mut starts = Starts::new();
    let Some(source) = table.source(part) else { return starts };
    for no in 0..pages_of(Source::len(source)) {
        let view = page(table, part, PageNo(no)).unwrap();
        assert_eq!(view.at.0, no * 4096);
        let mut at = view.at.0;
        for placed in &view.items {
            assert!(placed.at.0 == at || at == view.at.0 && placed.at.0 < at, "{name} {placed:?}");
            at = end(placed.at, placed.len);
            assert_eq!(placed.problem, None, "{name} {placed:?}");
            let kind = format!("{:?}", placed.kind);
            if !starts.entry(kind).or_default().insert(placed.at.0) {
                continue;
            }
            assert!(
                !matches!(placed.kind, ItemKind::Unclaimed | ItemKind::Unreadable),
                "{name} {part} {placed:?}"
            );
            let whole = open(table, part, placed).unwrap();
            if placed.at.0 % 61 == 0 {
                assert_eq!(item(table, part, placed.at).unwrap(), whole);
            }
            assert!(whole.known, "{name} {placed:?}");
            assert_eq!((whole.kind, whole.len), (placed.kind, placed.len), "{name} {placed:?}");
            assert_eq!(whole.summary, placed.summary, "{name}");
            assert_covered(&whole);
        }
        assert!(at >= view.at.0 + view.len, "{name} {part} page {no}");
    }
    starts
}

/// The nodes below a root.
fn reached(part: Part, source: &[u8], root: FilePos, into: &mut BTreeSet<u64>) {
    let mut stack = vec![root];
    while let Some(at) = stack.pop() {
        let page = source.page(at.page()).unwrap();
        let node = Node::read(part, at, page).unwrap();
        into.insert(at.0);
        stack.extend(node.children().map(|child| child.unwrap().at));
    }
}

/// The pages of both trie files list what the tries reach. Returns the number of nodes and of entries.
fn check_trie(name: &str, files: &InMemory) -> (usize, usize) {
    let table = files.table();
    let Some(footer) = &table.footer else { return (0, 0) };
    let of = |starts: &Starts, kind: &str| starts.get(kind).cloned().unwrap_or_default();
    let starts = walk(name, &table, Part::Partitions);
    let mut nodes = BTreeSet::new();
    reached(Part::Partitions, files.part(Part::Partitions), footer.root, &mut nodes);
    assert_eq!(of(&starts, "Node"), nodes, "{name}");
    let mut count = nodes.len();
    let Some(rows) = files.bytes.get(&Part::Rows) else { return (count, 0) };

    let partitions = files.part(Part::Partitions);
    let mut unheard = ();
    let pages = Pages::new(Part::Partitions, &partitions, &mut unheard);
    let mut leaves = PartitionIndex::new(footer).leaves(pages);
    let (mut nodes, mut entries) = (BTreeSet::new(), BTreeSet::new());
    while let Some(found) = leaves.next().unwrap() {
        if let LeafTarget::Rows(at) = found.leaf.target() {
            let mut unheard = ();
            let rows = rows.as_slice();
            let entry = RowEntry::read(&mut Pages::new(Part::Rows, &rows, &mut unheard), at);
            reached(Part::Rows, rows, entry.unwrap().root, &mut nodes);
            entries.insert(at.0);
        }
    }
    let starts = walk(name, &table, Part::Rows);
    assert_eq!(of(&starts, "Node"), nodes, "{name} Rows.db");
    assert_eq!(of(&starts, "RowsEntry"), entries, "{name} Rows.db");
    count += nodes.len();
    (count, entries.len())
}

#[test]
fn every_node_of_cassandras_tries_is_listed_and_covered() {
    let (mut nodes, mut entries) = (0, 0);
    for table in all_cassandra("da") {
        // The largest tables would take a minute.
        if table.files.part(Part::Partitions).len() > 40_000 {
            continue;
        }
        let (more_nodes, more_entries) = check_trie(&table.name, &table.files);
        nodes += more_nodes;
        entries += more_entries;
    }
    assert!(nodes > 20_000 && entries > 200, "{nodes} {entries}");
}

#[test]
fn every_node_of_other_peoples_tries_is_listed_and_covered() {
    let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for owner in ["datastax", "kopens-lsb", "scylladb"] {
        let Some(owner) = upstream(owner) else { return };
        for files in folders(&owner).iter().flat_map(|folder| InMemory::folder(folder)) {
            let name = files.folder.display().to_string();
            let large = |part| files.bytes.get(&part).is_some_and(|bytes| bytes.len() > 40_000);
            if large(Part::Partitions) || large(Part::Rows) {
                continue;
            }
            let (nodes, entries) = check_trie(&name, &files);
            let sum = found.entry(files.set.version.to_string()).or_default();
            *sum = (sum.0 + nodes, sum.1 + entries);
        }
    }
    for version in ["bb", "da", "ms", "mt"] {
        assert!(found.get(version).is_some_and(|(nodes, _)| *nodes > 20), "{version}: {found:?}");
    }
}

#[test]
fn every_entry_of_the_legacy_index_is_listed_and_covered() {
    let (mut entries, mut blocks, mut samples) = (0, 0, 0);
    for version in ["oa", "nb"] {
        for table in all_cassandra(version) {
            let index = table.files.part(Part::Index);
            if index.len() > 200_000 {
                continue;
            }
            let opened = table.files.table();
            let starts = walk(&table.name, &opened, Part::Index);
            let mut expected = BTreeSet::new();
            IndexWalk::new(opened.version().formats().index)
                .run(&index, u64::MAX, |head, _| {
                    expected.insert(head.at.0);
                    ControlFlow::Continue(())
                })
                .unwrap();
            assert_eq!(starts["IndexEntry"], expected, "{}", table.name);
            entries += expected.len();
            blocks += starts.get("Block").map_or(0, BTreeSet::len);
            let starts = walk(&table.name, &opened, Part::Summary);
            samples += starts.get("Sample").map_or(0, BTreeSet::len);
        }
    }
    assert!(entries > 10_000 && blocks > 5000 && samples > 200, "{entries} {blocks} {samples}");
}

/// Components of other people's tables that cannot be read to their end.
const DAMAGED: [&str; 4] = [
    "empty_index Index.db",
    "invalid-legacy-sstables_Standard1 Filter.db",
    "invalid-legacy-sstables_Standard1 Index.db",
    "invalid-legacy-sstables_Standard1 Summary.db",
];

/// Whether some bytes of a component cannot be read, or belong to nothing.
fn has_problem(table: &Table<&[u8]>, part: Part) -> bool {
    let Some(source) = table.source(part) else { return false };
    let pages = (0..pages_of(Source::len(source))).map(PageNo);
    let mut items = pages.flat_map(|no| page(table, part, no).unwrap().items);
    items.any(|item| item.problem.is_some() || item.kind == ItemKind::Unclaimed)
}

#[test]
fn every_entry_of_other_peoples_legacy_index_is_listed_and_covered() {
    let mut found: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut damaged = BTreeSet::new();
    for owner in ["kopens-lsb", "scylladb"] {
        let Some(owner) = upstream(owner) else { return };
        for files in folders(&owner).iter().flat_map(|folder| InMemory::folder(folder)) {
            let name = files.folder.display().to_string();
            let large = |part| files.bytes.get(&part).is_some_and(|bytes| bytes.len() > 40_000);
            if !files.bytes.contains_key(&Part::Index) || large(Part::Index) {
                continue;
            }
            let table = files.table();
            let sums = found.entry(files.set.version.to_string()).or_default();
            for part in [Part::Index, Part::Summary, Part::Filter, Part::Scylla] {
                if has_problem(&table, part) {
                    let folder = files.folder.file_name().unwrap().to_str().unwrap();
                    damaged.insert(format!("{folder} {part}"));
                    continue;
                }
                for (kind, starts) in walk(&name, &table, part) {
                    *sums.entry(kind).or_default() += starts.len();
                }
            }
        }
    }
    // What these folders are there for.
    assert_eq!(damaged.into_iter().collect::<Vec<_>>(), DAMAGED);
    for version in ["ka", "la", "ma", "mc", "me", "na", "nb"] {
        let kinds = found.get(version).unwrap_or_else(|| panic!("{version}: {found:?}"));
        for kind in ["IndexEntry", "Sample", "FilterWords"] {
            assert!(kinds.get(kind).is_some_and(|n| *n > 2), "{version} {kind}: {found:?}");
        }
        let has_blocks = matches!(version, "ka" | "la" | "mc" | "me");
        assert_eq!(kinds.get("Block").is_some_and(|n| *n > 3), has_blocks, "{version}");
        assert_eq!(kinds.contains_key("Segments"), matches!(version, "ka" | "la"), "{version}");
    }
}

#[test]
fn every_byte_of_the_small_components_is_covered() {
    let mut kinds = BTreeSet::new();
    for version in ["da", "nb"] {
        for table in all_cassandra(version).filter(|table| !table.is_index_only()) {
            let opened = table.files.table();
            for part in [
                Part::Filter,
                Part::Crc,
                Part::CompressionInfo,
                Part::Statistics,
                Part::Digest,
                Part::Toc,
            ] {
                kinds.extend(walk(&table.name, &opened, part).into_keys());
            }
        }
    }
    let expected = ["Checksums", "ChunkOffsets", "FilterWords", "Head", "StatisticsPart", "Text"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn pages_and_items_survive_the_way_through_json() {
    let files = crate::common::cassandra("wide_static", "da", 1).files;
    let table = files.table();
    let view = page(&table, Part::Rows, PageNo(0)).unwrap();
    let text = serde_json::to_string(&view).unwrap();
    assert_eq!(serde_json::from_str::<triescope_core::dissect::PageView>(&text).unwrap(), view);
    let whole = open(&table, Part::Rows, view.items.last().unwrap()).unwrap();
    let json = serde_json::to_value(&whole).unwrap();
    assert_eq!(json["kind"], "rows-entry");
    assert_eq!(json["fields"][1]["name"], "key");
    assert_eq!(json["fields"][1]["page"], "rows.md#entry");
    let back: triescope_core::dissect::Item = serde_json::from_value(json).unwrap();
    assert_eq!(back, whole);
}
