//! What lies in each page: against the census of the whole, the list of a page's items, and lookups one by one.

use super::common::pieces::{Pieces, until_here};
use super::common::{Expected, Random, all_cassandra, cassandra};
use super::{BUDGET, census};
use std::collections::{BTreeMap, BTreeSet};
use triescope_core::census::{PageCount, PagesJob, Sparse, TrieCensus};
use triescope_core::dissect::{self, ItemKind};
use triescope_core::lookup::FilterMode;
use triescope_core::pos::{PAGE_SIZE, PageNo};
use triescope_core::race::{self, CacheModel, Contest, LegacyReader, RaceRequest};
use triescope_core::scan::{FoundKey, Next, Order, Scan};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

fn pages<S: Source>(table: &Table<S>, budget: u64) -> PagesJob {
    let mut job = PagesJob::new(table);
    while !job.step(table, budget).unwrap().done {}
    job
}

fn sum(pages: &Sparse<PageCount>, of: impl Fn(PageCount) -> u64) -> u64 {
    (0..pages.len()).map(|no| of(pages.get(no))).sum()
}

/// The sums over all pages are what the census says of the file.
fn compare(name: &str, pages: &Sparse<PageCount>, trie: &TrieCensus) {
    assert_eq!(sum(pages, |page| page.nodes.into()), trie.nodes, "{name}");
    assert_eq!(sum(pages, |page| page.payloads.into()), trie.payloads, "{name}");
    let role = |role: usize| sum(pages, |page| page.roles[role].into());
    let roles = [trie.header_bytes, trie.transition_bytes, trie.pointer_bytes, trie.payload_bytes];
    assert_eq!([0, 1, 2, 3].map(role), roles, "{name}");
    let shares = sum(pages, |page| page.shares.iter().map(|share| u64::from(*share)).sum());
    assert_eq!(shares, trie.bytes, "{name}");
    let fetches = trie.pages_of_lookups.iter().enumerate().map(|(n, keys)| n as u64 * keys);
    assert_eq!(sum(pages, |page| page.lookups.into()), fetches.sum::<u64>(), "{name}");
    assert_eq!(sum(pages, |page| page.faults.into()), 0, "{name}");
}

#[test]
fn the_sums_over_pages_are_the_census() {
    let mut rows = 0;
    for Expected { name, files, .. } in all_cassandra("da") {
        let (census, table) = (census(&files, BUDGET), files.table());
        let job = pages(&table, BUDGET);
        let (list, trie) = (job.pages(Part::Partitions).unwrap(), census.trie.unwrap());
        compare(&name, list, &trie.nodes);
        let padding = trie.bytes - sum(list, |page| page.used());
        assert_eq!(padding, trie.nodes.padding_bytes, "{name}");
        if let Some(found) = census.rows {
            let list = job.pages(Part::Rows).unwrap();
            compare(&name, list, &found.nodes);
            assert_eq!(sum(list, |page| page.entries.into()), found.entries.entries, "{name}");
            let padding = found.bytes - sum(list, |page| page.used());
            assert_eq!(padding, found.nodes.padding_bytes + found.filler_bytes, "{name}");
            rows += 1;
        }
        let starts = (0..job.chunk_counts().len()).map(|chunk| u64::from(job.starts().of(chunk)));
        if table.source(Part::Data).is_some() {
            assert_eq!(starts.sum::<u64>(), census.partitions, "{name}");
        }
    }
    assert!(rows > 5, "{rows}");
}

#[test]
fn a_page_is_what_its_items_say() {
    for name in ["p20k", "p100k_text", "wide_int", "range_tombstones"] {
        let files = cassandra(name, "da", 1).files;
        let table = files.table();
        let job = pages(&table, 1);
        for part in [Part::Partitions, Part::Rows] {
            let list = job.pages(part).unwrap();
            for no in 0..list.len() {
                let view = dissect::page(&table, part, PageNo(no)).unwrap();
                let count = list.get(no);
                let items = |kind| view.items.iter().filter(move |item| item.kind == kind);
                assert_eq!(items(ItemKind::Node).count(), usize::from(count.nodes), "{name} {no}");
                let nodes: u64 = items(ItemKind::Node).map(|item| item.len).sum();
                let shares: u64 = count.shares.iter().map(|share| u64::from(*share)).sum();
                assert_eq!(shares, nodes, "{name} {part} {no}");
                let padding: u64 = items(ItemKind::Padding).map(|item| item.len).sum();
                assert_eq!(view.len - count.used(), padding, "{name} {part} {no}");
            }
        }
    }
}

/// How often each page is read when each key is looked up, by the real readers.
fn read(trie: &Table<&[u8]>, legacy: &Table<&[u8]>) -> [BTreeMap<u64, u32>; 2] {
    let contest = Contest {
        trie: Some(trie),
        legacy: Some(legacy),
        scylla_samples: None,
        cassandra_samples: None,
    };
    let mut read = [BTreeMap::new(), BTreeMap::new()];
    let mut scan = Scan::new(legacy, None, Order::Forward).unwrap();
    loop {
        let found = match scan.step().unwrap() {
            Next::End => return read,
            Next::Working { .. } => continue,
            Next::Partition(found) => found,
        };
        let FoundKey::Whole(key) = found.key else { panic!("{found:?}") };
        let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let request = RaceRequest {
            key: format!("0x{key}"),
            row: None,
            reader: LegacyReader::Cassandra,
            cache: CacheModel::Cold,
            filter: FilterMode::Ask,
            sample_large: false,
        };
        let race = race::run(&contest, &request).unwrap();
        let (trie, legacy) = (race.trie.unwrap().record, race.legacy.unwrap().lane.record);
        let lanes = [(trie, Part::Partitions), (legacy, Part::Index)];
        for ((record, part), read) in lanes.iter().zip(&mut read) {
            for page in record.requests(*part).collect::<BTreeSet<_>>() {
                *read.entry(page.0).or_default() += 1;
            }
        }
    }
}

#[test]
fn a_page_is_read_by_as_many_lookups_as_it_says() {
    for name in ["p1000", "p20k"] {
        let [trie, legacy] = ["da", "oa"].map(|version| cassandra(name, version, 1).files);
        let (trie, legacy) = (trie.table(), legacy.table());
        let read = read(&trie, &legacy);
        for (table, part, read) in
            [(&trie, Part::Partitions, &read[0]), (&legacy, Part::Index, &read[1])]
        {
            let job = pages(table, BUDGET);
            let list = job.pages(part).unwrap();
            let found = (0..list.len()).map(|no| (no, list.get(no).lookups));
            assert_eq!(&found.collect::<BTreeMap<_, _>>(), read, "{name}");
        }
    }
}

#[test]
fn the_sums_over_pages_of_a_legacy_index_are_the_census() {
    let mut promoted = 0;
    for Expected { name, files, .. } in all_cassandra("oa") {
        let (census, table) = (census(&files, BUDGET), files.table());
        let (job, index) = (pages(&table, 1), census.index.unwrap());
        let list = job.pages(Part::Index).unwrap();
        let share = |share: usize| sum(list, |page| page.shares[share].into());
        let bytes = [
            index.key_bytes,
            index.position_bytes,
            index.promoted_size_bytes,
            index.promoted_bytes,
        ];
        assert_eq!([0, 1, 2, 3].map(share), bytes, "{name}");
        assert_eq!(sum(list, |page| page.used()), index.bytes, "{name}");
        assert_eq!(sum(list, |page| page.nodes.into()), index.entries, "{name}");
        assert_eq!(sum(list, |page| page.payloads.into()), index.promoted_entries, "{name}");
        promoted += index.promoted_entries;
        let (list, summary) = (job.pages(Part::Summary).unwrap(), census.summary.unwrap());
        assert_eq!(sum(list, |page| page.used()), summary.bytes, "{name}");
        assert_eq!(sum(list, |page| page.nodes.into()), summary.samples, "{name}");
        assert_eq!(sum(list, |page| page.shares[1].into()), summary.offset_bytes, "{name}");
    }
    assert!(promoted > 5);
}

#[test]
fn misses_change_nothing() {
    for (name, version) in
        [("p1000", "da"), ("wide_int", "da"), ("p1000", "oa"), ("wide_int", "oa")]
    {
        let files = cassandra(name, version, 1).files;
        let whole = pages(&files.table(), BUDGET);
        let pieces: Vec<_> =
            files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, 7)).collect();
        let all: Vec<_> = pieces.iter().collect();
        let sources = || all.iter().map(|piece| (piece.part(), *piece));
        let open = || Table::open(files.set.clone(), sources()).map_err(Into::into);
        let table = until_here(&all, open).unwrap();
        let mut job = PagesJob::new(&table);
        while !until_here(&all, || Ok(job.step(&table, 500)?)).unwrap().done {}
        for part in [Part::Partitions, Part::Rows, Part::Index, Part::Summary] {
            let (found, told) = (job.pages(part), whole.pages(part));
            assert_eq!(found.is_some(), told.is_some());
            for (found, told) in found.into_iter().zip(told) {
                let all = |list: &Sparse<PageCount>| {
                    (0..list.len()).map(|no| list.get(no)).collect::<Vec<_>>()
                };
                assert_eq!(all(found), all(told), "{name} {part}");
            }
        }
    }
}

#[test]
fn damage_marks_its_page_and_the_rest_is_counted() {
    let files = cassandra("p20k", "da", 1).files;
    let sound = pages(&files.table(), BUDGET);
    let mut bytes = files.part(Part::Partitions).to_vec();
    bytes[32_067] ^= 0xff;
    let damaged = files.with(Part::Partitions, &bytes);
    let job = pages(&damaged.table(), BUDGET);
    assert!(!job.problems().is_empty());
    let (list, sound) =
        (job.pages(Part::Partitions).unwrap(), sound.pages(Part::Partitions).unwrap());
    assert!(sum(list, |page| page.faults.into()) > 0);
    let same = (0..list.len()).filter(|no| list.get(*no).nodes == sound.get(*no).nodes).count();
    assert!(same > 30, "{same}");
    // Whatever the bytes are, it ends.
    let mut random = Random::new(11);
    for _ in 0..300 {
        let mut bytes = files.part(Part::Partitions).to_vec();
        for _ in 0..random.below(20) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.next() as u8;
        }
        let damaged = files.with(Part::Partitions, &bytes);
        let job = pages(&damaged.table(), 1 << 30);
        let list = job.pages(Part::Partitions).unwrap();
        assert!((0..list.len()).all(|no| list.get(no).used() <= PAGE_SIZE));
    }
}
