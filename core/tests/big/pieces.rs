//! Bytes that come page by page: a lookup is run again after each miss, a job goes on, and both end as if all had been here.

use crate::files::{Table, data, int};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use triescope_core::big::{IndexWalk, Progress, SampleRule, Sampler, Samples, Summary};
use triescope_core::error::{Error, Miss};
use triescope_core::keys::murmur3;
use triescope_core::lookup::{FilterMode, LegacyIndex, Query, Recorder, find_legacy};
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::race::LegacyReader::{Cassandra, Scylla};
use triescope_core::source::{Source, miss};
use triescope_core::table::Part;

/// A file of which only some pages are here.
struct Pieces {
    part: Part,
    file: Vec<u8>,
    here: RefCell<BTreeSet<u64>>,
    misses: Cell<u32>,
    /// Whether it hears of ranges to come.
    hears: bool,
}

impl Pieces {
    fn new(part: Part, file: &[u8]) -> Self {
        Self {
            part,
            file: file.to_vec(),
            here: RefCell::default(),
            misses: Cell::new(0),
            hears: true,
        }
    }

    fn bring(&self, miss: Miss) {
        assert_eq!(miss.part, self.part);
        assert!(miss.from < miss.to && miss.to.0 <= self.file.len() as u64);
        self.here.borrow_mut().extend(miss.from.page().0..=FilePos(miss.to.0 - 1).page().0);
        self.misses.set(self.misses.get() + 1);
    }
}

impl Source for Pieces {
    type Page = Vec<u8>;

    fn len(&self) -> u64 {
        self.file.len() as u64
    }

    fn page(&self, no: PageNo) -> Result<Vec<u8>, Error> {
        let from = usize::try_from(no.start().0).unwrap();
        let to = (from + 4096).min(self.file.len());
        if self.here.borrow().contains(&no.0) {
            return Ok(self.file[from..to].to_vec());
        }
        Err(miss(self.part, FilePos(from as u64), FilePos(to as u64)))
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        let here = self.here.borrow();
        let mut pages = from.page().0..=FilePos(to.0 - 1).page().0;
        if !self.hears || pages.all(|page| here.contains(&page)) {
            return Ok(());
        }
        Err(miss(self.part, from, to))
    }
}

#[test]
fn a_lookup_in_pieces_has_the_same_record_and_misses_seldom() {
    let p20k = Table::cassandra("p20k", "oa", &[]);
    let wide = Table::cassandra("wide_int", "oa", &["Int32Type"]);
    let row = wide.row(&[&int(1234)]);
    // Cassandra: one page; ScyllaDB: the window at once, whatever its pages; wide: as many as are probed.
    for (table, key, row, most) in [
        (p20k.clone(), 17_021, None, [3, 3]),
        (p20k.sampled(SampleRule::Scylla), 17_021, None, [2, 2]),
        (wide, 0, Some(&row), [7, 7]),
    ] {
        for (reader, most) in [Cassandra, Scylla].into_iter().zip(most) {
            let (whole, expected) = table.find(reader, &int(key), row);
            let index = Pieces::new(Part::Index, &table.index);
            let file = Pieces::new(Part::Summary, &table.summary);
            let (key, token) = (int(key), table.partitioner.token(&int(key)));
            let query = Query {
                key: &key,
                token: &token,
                hash: murmur3(&key),
                comparable: &[],
                row,
                filter: FilterMode::Off,
                clustering: None,
            };
            let (found, record) = loop {
                let mut recorder = Recorder::new();
                let run = |recorder: &mut Recorder| {
                    let summary;
                    let samples = match &table.sampled {
                        Some(sampled) => Samples::Memory(sampled),
                        None => {
                            summary = Summary::open(&file)?;
                            Samples::File { summary: &summary, source: &file }
                        }
                    };
                    let legacy = LegacyIndex {
                        index: &index,
                        samples,
                        partitioner: &table.partitioner,
                        version: table.version,
                        clustering: &table.clustering,
                        exact_widths: false,
                    };
                    find_legacy(&legacy, reader, &query, recorder)
                };
                match run(&mut recorder) {
                    Err(Error::Miss(wanted)) if wanted.part == Part::Index => index.bring(wanted),
                    Err(Error::Miss(wanted)) => file.bring(wanted),
                    found => break (found, recorder.into_record()),
                }
            };
            assert_eq!((&found, &record), (&whole, &expected), "{} {reader:?}", table.name);
            assert!(data(&found.unwrap()).is_some());
            let misses = index.misses.get() + file.misses.get();
            assert!(misses <= most, "{} {reader:?}: {misses} misses", table.name);
        }
    }
}

#[test]
fn jobs_go_on_after_a_miss_without_losing_or_repeating_anything() {
    let table = Table::cassandra("p20k", "oa", &[]).sampled(SampleRule::Scylla);
    let index = Pieces::new(Part::Index, &table.index);
    let mut sampler = Sampler::new(SampleRule::Scylla, triescope_core::table::IndexFormat::Vints);
    loop {
        match sampler.step(&index, 1000) {
            Ok(Progress::Finished) => break,
            Ok(Progress::Working { done, of }) => assert!(done < of && of == index.len()),
            Err(Error::Miss(wanted)) => index.bring(wanted),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(Some(sampler.into_sampled()), table.sampled);
    assert!(index.misses.get() > 1, "{} misses", index.misses.get());

    let mut index = Pieces::new(Part::Index, &table.index);
    index.hears = false;
    let (mut walk, mut keys) = (IndexWalk::new(table.version.formats().index), Vec::new());
    while !walk.ended(&index) {
        let each = walk.run(&index, 7, |head, bytes| {
            keys.push((head.key(bytes).to_vec(), head.data.0));
            std::ops::ControlFlow::Continue(())
        });
        match each {
            Ok(_) => {}
            Err(Error::Miss(wanted)) => index.bring(wanted),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(index.misses.get(), 49, "one a page");
    assert_eq!(keys, table.keys());
}
