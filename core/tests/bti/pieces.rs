//! Pages that arrive one by one, each after a miss: walks go on where they stood, and answer as with all pages here.

use crate::files::{Index, comparable, hex, pos, recorded};
use std::cell::RefCell;
use std::collections::BTreeSet;
use triescope_core::bti::{Footer, PartitionIndex, RowEntry, RowIndex};
use triescope_core::error::Error;
use triescope_core::keys::murmur3;
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::source::{Pages, Source, miss};
use triescope_core::table::Part;

/// A file whose pages are away until they have been asked for once, and of which only the last few stay.
struct Pieces {
    part: Part,
    bytes: Vec<u8>,
    here: RefCell<Vec<PageNo>>,
    misses: RefCell<u64>,
}

/// Pages that stay: the longest walk here needs four.
const STAY: usize = 4;

impl Pieces {
    fn new(part: Part, bytes: &[u8]) -> Self {
        let (here, misses) = (RefCell::default(), RefCell::default());
        Self { part, bytes: bytes.to_vec(), here, misses }
    }

    /// Runs something until nothing is missing.
    fn until_here<T>(&self, mut run: impl FnMut() -> Result<T, Error>) -> T {
        loop {
            match run() {
                Ok(value) => return value,
                Err(Error::Miss(miss)) => assert_eq!(miss.part, self.part),
                Err(Error::Damage(error)) => panic!("{error}"),
            }
        }
    }
}

impl Source for Pieces {
    type Page = Vec<u8>;

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn page(&self, no: PageNo) -> Result<Vec<u8>, Error> {
        let start = no.start().0 as usize;
        let end = (start + 4096).min(self.bytes.len());
        let mut here = self.here.borrow_mut();
        if here.contains(&no) {
            return Ok(self.bytes[start..end].to_vec());
        }
        here.push(no);
        if here.len() > STAY {
            here.remove(0);
        }
        *self.misses.borrow_mut() += 1;
        Err(miss(self.part, no.start(), pos(end as u64)))
    }
}

#[test]
fn partitions_in_pieces_equal_partitions_that_are_here() {
    let index = Index::cassandra("p5k_uuid");
    let whole = index.partitions.as_slice();
    let pieces = Pieces::new(Part::Partitions, whole);
    let footer = pieces.until_here(|| Footer::read(&pieces));
    assert_eq!(footer, index.footer());
    let trie = PartitionIndex::new(&footer);
    let (mut nobody, mut nobody_else) = ((), ());
    let mut all = trie.leaves(Pages::new(Part::Partitions, &whole, &mut nobody));
    let mut some = trie.leaves(Pages::new(Part::Partitions, &pieces, &mut nobody_else));
    let mut count = 0;
    while let Some(found) = all.next().unwrap() {
        assert_eq!(pieces.until_here(|| some.next()), Some(found));
        count += 1;
    }
    assert_eq!(pieces.until_here(|| some.next()), None);
    assert_eq!(count, footer.count);
    assert!(*pieces.misses.borrow() >= 9);

    for key in [&footer.first, &footer.last, &hex("00112233445566778899aabbccddeeff")] {
        let (key, hash) = (comparable(key), murmur3(key).byte());
        let found = recorded(Part::Partitions, whole, |p| trie.exact(p, &key, hash).unwrap()).0;
        let again = pieces.until_here(|| {
            trie.exact(&mut Pages::new(Part::Partitions, &pieces, &mut ()), &key, hash)
        });
        assert_eq!(again, found);
    }
}

#[test]
fn rows_in_pieces_equal_rows_that_are_here() {
    let index = Index::cassandra("wide_longsep");
    let whole = index.rows.as_slice();
    let leaf = recorded(Part::Partitions, &index.partitions, |pages| {
        let key = hex("00000000");
        index.trie().exact(pages, &comparable(&key), murmur3(&key).byte()).unwrap()
    });
    let triescope_core::bti::Exact::Candidate(leaf) = leaf.0 else { panic!("{leaf:?}") };
    let LeafTarget::Rows(at) = leaf.target() else { panic!("{leaf:?}") };
    let entry = recorded(Part::Rows, whole, |pages| RowEntry::read(pages, at).unwrap()).0;
    let pieces = Pieces::new(Part::Rows, whole);
    let again =
        pieces.until_here(|| RowEntry::read(&mut Pages::new(Part::Rows, &pieces, &mut ()), at));
    assert_eq!(again, entry);

    let rows = RowIndex::new(&entry);
    let (mut nobody, mut nobody_else) = ((), ());
    let mut all = rows.blocks(Pages::new(Part::Rows, &whole, &mut nobody));
    let mut some = rows.blocks(Pages::new(Part::Rows, &pieces, &mut nobody_else));
    let mut separators = BTreeSet::new();
    while let Some(block) = all.next().unwrap() {
        assert_eq!(pieces.until_here(|| some.next()), Some(block));
        assert_eq!(some.separator(), all.separator());
        separators.insert(all.separator().to_vec());
    }
    assert_eq!(pieces.until_here(|| some.next()), None);

    for separator in separators.iter().step_by(7) {
        let floor = recorded(Part::Rows, whole, |p| rows.floor(p, separator).unwrap()).0;
        let again = pieces
            .until_here(|| rows.floor(&mut Pages::new(Part::Rows, &pieces, &mut ()), separator));
        assert_eq!(again, floor);
    }
}

#[test]
fn a_page_that_is_not_here_yet_is_a_miss_that_names_the_page() {
    let index = Index::cassandra("p20k");
    let pieces = Pieces::new(Part::Partitions, &index.partitions);
    let mut nobody = ();
    let mut pages = Pages::new(Part::Partitions, &pieces, &mut nobody);
    match index.trie().exact(&mut pages, b"\x40\x00", 0) {
        Err(Error::Miss(miss)) => {
            assert_eq!((miss.part, miss.from), (Part::Partitions, FilePos(39 * 4096)));
        }
        other => panic!("{other:?}"),
    }
}
