//! Partitions.db and Rows.db of any bytes: walks and lookups end, and answer the same in pieces.

use super::input::{Input, short};
use crate::common::all_cassandra;
use crate::common::pieces::{Pieces, until_here};
use triescope_core::bti::{Exact, Footer, PartitionIndex, RowEntry, RowIndex};
use triescope_core::error::ReadError;
use triescope_core::keys::{KeySchema, KeyStyle, Partitioner, murmur3, partition_key};
use triescope_core::lookup::{LeafTarget, Observer, Record, Recorder, Step};
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::source::{Pages, Source};
use triescope_core::table::Part;

/// Leaves and blocks kept for the comparison; the walks go on to their ends.
const KEPT: usize = 2000;

/// Counts what a walk does, to see that it ends in time.
#[derive(Default)]
struct Counted {
    requests: u64,
}

impl Observer for Counted {
    fn request(&mut self, _: Part, _: PageNo, _: u64) {
        self.requests += 1;
    }

    fn step(&mut self, _: impl FnOnce() -> Step) {}
}

/// `key`, then Partitions.db.
pub fn partitions(data: &[u8]) {
    let mut input = Input::new(data);
    let (key, seed) = (input.short(), input.seed());
    let file = input.rest();
    let whole = walked(&file, key, &[]);
    let pieces = Pieces::new(Part::Partitions, file, seed);
    assert_eq!(walked(&pieces, key, &[&pieces]), whole, "in pieces and whole");
}

/// Everything that Partitions.db can be asked, as text to compare.
fn walked<S: Source>(file: &S, key: &[u8], pieces: &[&Pieces<'_>]) -> Vec<String> {
    let mut said = Vec::new();
    let footer = match until_here(pieces, || Footer::read(file)) {
        Ok(footer) => footer,
        Err(error) => return vec![error.to_string()],
    };
    said.push(format!("{footer:?} {:?}", footer.check_order(&Partitioner::Murmur3)));
    let trie = PartitionIndex::new(&footer);
    for key in [key, &footer.first, &footer.last] {
        let comparable =
            partition_key(&Partitioner::Murmur3, KeyStyle::Blob, KeySchema::UNKNOWN, key).bytes;
        for comparable in [&comparable, key] {
            let (found, record) = exact(&trie, file, comparable, murmur3(key).byte(), pieces);
            assert!(
                record.steps.len() <= 2 * (comparable.len() + 1),
                "{} steps",
                record.steps.len()
            );
            said.push(format!("{found:?} {record:?}"));
        }
        said.push(from(&trie, file, &comparable, pieces));
    }
    let mut counted = Counted::default();
    let mut leaves = trie.leaves(Pages::new(Part::Partitions, file, &mut counted));
    let mut found = 0;
    loop {
        match until_here(pieces, || leaves.next()) {
            Ok(Some(leaf)) if found < KEPT => {
                said.push(format!("{leaf:?} {:x?}", leaves.prefix()));
                found += 1;
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                said.push(error.to_string());
                break;
            }
        }
    }
    assert!(counted.requests <= 2 * file.len() + 1, "{} requests", counted.requests);
    said
}

fn exact<S: Source>(
    trie: &PartitionIndex,
    file: &S,
    key: &[u8],
    hash: u8,
    pieces: &[&Pieces<'_>],
) -> (Result<Exact, ReadError>, Record) {
    let mut recorder = Recorder::new();
    let found = until_here(pieces, || {
        recorder.clear();
        trie.exact(&mut Pages::new(Part::Partitions, file, &mut recorder), key, hash)
    });
    (found, recorder.into_record())
}

/// The first partitions at or after a key.
fn from<S: Source>(trie: &PartitionIndex, file: &S, key: &[u8], pieces: &[&Pieces<'_>]) -> String {
    // Seeking does not go on after a miss: it begins again.
    let found = until_here(pieces, || {
        let (mut nobody, mut found) = ((), Vec::new());
        let pages = Pages::new(Part::Partitions, file, &mut nobody);
        let mut leaves = trie.leaves_from(pages, key)?;
        while let Some(leaf) = leaves.next()? {
            found.push((leaf, leaves.prefix()));
            if found.len() == 3 {
                break;
            }
        }
        Ok(found)
    });
    format!("{found:x?}")
}

/// Small Partitions.db, with a key that they have.
pub fn partitions_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for set in all_cassandra("da") {
        let file = set.files.part(Part::Partitions);
        let Ok(footer) = Footer::read(&file) else { continue };
        if file.len() < 8_000 && footer.first.len() < 200 {
            seeds.push([short(&footer.first), file.to_vec()].concat());
        }
    }
    seeds
}

/// Position of an entry, a place among the rows, then Rows.db.
pub fn rows(data: &[u8]) {
    let mut input = Input::new(data);
    let (at, place, seed) = (input.two(), input.short(), input.seed());
    let file = input.rest();
    let whole = asked(&file, u64::from(at), place, &[]);
    let pieces = Pieces::new(Part::Rows, file, seed);
    assert_eq!(asked(&pieces, u64::from(at), place, &[&pieces]), whole, "in pieces and whole");
}

/// Everything that the entry at a position and its trie can be asked, as text to compare.
fn asked<S: Source>(file: &S, at: u64, place: &[u8], pieces: &[&Pieces<'_>]) -> Vec<String> {
    let mut recorder = Recorder::new();
    let entry = until_here(pieces, || {
        recorder.clear();
        RowEntry::find(&mut Pages::new(Part::Rows, file, &mut recorder), FilePos(at), place)
    });
    let mut said = vec![format!("{entry:?} {:?}", recorder.record())];
    let Ok(entry) = entry else { return said };
    let trie = RowIndex::new(&entry);
    for question in 0..3 {
        recorder.clear();
        let found = until_here(pieces, || {
            recorder.clear();
            let pages = &mut Pages::new(Part::Rows, file, &mut recorder);
            Ok(match question {
                0 => format!("{:?}", trie.floor(pages, place)?),
                1 => format!("{:?}", trie.higher(pages, place)?),
                _ => format!("{:?}", trie.reverse(pages, place)?),
            })
        });
        said.push(format!("{found:?} {:?}", recorder.record()));
    }
    let mut counted = Counted::default();
    let mut blocks = trie.blocks(Pages::new(Part::Rows, file, &mut counted));
    let mut found = 0;
    loop {
        match until_here(pieces, || blocks.next()) {
            Ok(Some(block)) if found < KEPT => {
                said.push(format!("{block:?} {:x?}", blocks.separator()));
                found += 1;
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                said.push(error.to_string());
                break;
            }
        }
    }
    assert!(counted.requests <= 4 * file.len() + 4, "{} requests", counted.requests);
    said
}

/// Small Rows.db, with places that they have.
pub fn rows_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for set in all_cassandra("da") {
        let rows = set.files.part(Part::Rows);
        if rows.len() < 40 || rows.len() > 12_000 {
            continue;
        }
        let file = set.files.part(Part::Partitions);
        let mut nobody = ();
        let trie = PartitionIndex::new(&Footer::read(&file).unwrap());
        let mut leaves = trie.leaves(Pages::new(Part::Partitions, &file, &mut nobody));
        while let Some(found) = leaves.next().unwrap() {
            let LeafTarget::Rows(at) = found.leaf.target() else { continue };
            let place = [0x40, 0x80, 0, 0, 5, 0x38];
            let at = u16::try_from(at.0).unwrap().to_be_bytes();
            seeds.push([&at[..], &short(&place), rows].concat());
            break;
        }
    }
    assert!(seeds.len() > 20, "{} seeds", seeds.len());
    seeds
}
