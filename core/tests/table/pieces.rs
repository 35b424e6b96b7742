//! Bytes that arrive page by page, in answer to misses, give the same as bytes that are all here.

use crate::common::{InMemory, cassandra, unhex};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use triescope_core::error::{Error, Miss};
use triescope_core::keys::murmur3;
use triescope_core::lookup::{FilterMode, Query, Recorder, ask_filter, confirm};
use triescope_core::pos::{DataPos, FilePos, PAGE_SIZE, PageNo};
use triescope_core::source::{Source, miss};
use triescope_core::table::{Part, Table};

/// A component of which only some pages are here.
struct Arriving {
    part: Part,
    bytes: Vec<u8>,
    here: RefCell<BTreeSet<PageNo>>,
}

impl Arriving {
    fn need(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        let last = to.0.min(self.bytes.len() as u64).saturating_sub(1);
        let pages = from.0 / PAGE_SIZE..=last / PAGE_SIZE;
        let here = self.here.borrow();
        if self.bytes.is_empty() || pages.clone().all(|no| here.contains(&PageNo(no))) {
            return Ok(());
        }
        Err(miss(self.part, from, to))
    }
}

impl<'a> Source for &'a Arriving {
    type Page = &'a [u8];

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn page(&self, no: PageNo) -> Result<&'a [u8], Error> {
        self.need(no.start(), FilePos(no.start().0 + PAGE_SIZE))?;
        let all: &'a [u8] = &self.bytes;
        all.page(no)
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        self.need(from, to)
    }
}

struct Host {
    parts: BTreeMap<Part, Arriving>,
    fetched: usize,
}

impl Host {
    fn new(files: &InMemory) -> Self {
        let arriving = |(part, bytes): (&Part, &Vec<u8>)| {
            let here = RefCell::default();
            (*part, Arriving { part: *part, bytes: bytes.clone(), here })
        };
        Self { parts: files.bytes.iter().map(arriving).collect(), fetched: 0 }
    }

    fn fetch(&self, wanted: Miss) -> usize {
        let part = &self.parts[&wanted.part];
        assert!(wanted.from < wanted.to && wanted.from.0 < part.bytes.len() as u64, "{wanted:?}");
        let before = part.here.borrow().len();
        let last = wanted.to.0.min(part.bytes.len() as u64) - 1;
        let pages = (wanted.from.0 / PAGE_SIZE..=last / PAGE_SIZE).map(PageNo);
        part.here.borrow_mut().extend(pages);
        let new = part.here.borrow().len() - before;
        assert!(new > 0, "{wanted:?} was here already");
        new
    }

    fn sources(&self) -> BTreeMap<Part, &Arriving> {
        self.parts.iter().map(|(part, source)| (*part, source)).collect()
    }
}

#[test]
fn an_sstable_that_arrives_in_pieces_opens_and_confirms_as_one_that_is_here() {
    for (name, version) in
        [("wide_many", "da"), ("wide_text", "oa"), ("p1000", "nb"), ("long_keys", "da")]
    {
        let expected = cassandra(name, version, 1);
        let whole = expected.files.table();
        let mut host = Host::new(&expected.files);
        let table = loop {
            let missing = match Table::open(expected.files.set.clone(), host.sources()) {
                Ok(table) => break table,
                Err(missing) => missing,
            };
            host.fetched += host.fetch(missing);
        };
        assert_eq!(table.facts, whole.facts, "{name}");
        assert_eq!(table.statistics, whole.statistics, "{name}");
        let all: usize = host.parts.values().map(|part| part.bytes.len().div_ceil(4096)).sum();
        assert!(host.fetched < all, "{name}: opening read all of it");

        for place in expected.json["partitions"].as_array().unwrap().iter().step_by(7) {
            let Some(key) = unhex(&place["key"]) else { continue };
            let at = DataPos(place["data_position"].as_u64().unwrap());
            let token = whole.partitioner().token(&key);
            let (hash, filter) = (murmur3(&key), FilterMode::Ask);
            let query = Query {
                key: &key,
                token: &token,
                hash,
                comparable: &[],
                row: None,
                filter,
                clustering: None,
            };
            let mut heard = Recorder::new();
            let run = |heard: &mut Recorder| -> Result<(), Error> {
                heard.clear();
                ask_filter(&table, &query, heard)?;
                confirm(&table, &query, at, None, heard).map(|_| ())
            };
            while let Err(error) = run(&mut heard) {
                let Error::Miss(missing) = error else { panic!("{name}: {error}") };
                host.fetch(missing);
            }
            let mut at_once = Recorder::new();
            ask_filter(&whole, &query, &mut at_once).unwrap();
            confirm(&whole, &query, at, None, &mut at_once).unwrap();
            assert_eq!(heard.into_record(), at_once.into_record(), "{name}");
        }
    }
}
