//! A twin opened over the Data.db it was built for answers as the real index does: all keys, and several rows of each wide
//! partition, as both databases read.

use crate::build::{build, target};
use crate::common::{InMemory, Random, cassandra};
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler, Samples};
use triescope_core::data::{UnfilteredKind, Walked};
use triescope_core::keys::{murmur3, partition_key};
use triescope_core::lookup::{
    Answer, BlockStep, FilterMode, Query, Record, Recorder, RowKind, RowTarget, Step, legacy, trie,
};
use triescope_core::pos::DataPos;
use triescope_core::race::LegacyReader;
use triescope_core::table::{IndexKind, Part, Table};
use triescope_core::twin::TwinOptions;

/// An answer, and the block that was chosen: its start, its end, whether a deletion is open.
type Outcome = (Answer, Option<(u64, Option<u64>, bool)>);

/// A key with some of its rows.
type Wanted = (Vec<u8>, Vec<Vec<Option<Vec<u8>>>>);

/// All keys of a table, each with up to ten rows, and with keys between them that it does not have.
fn wanted(files: &InMemory) -> Vec<Wanted> {
    let table = files.table();
    let (format, mut reader) = (table.row_format().unwrap(), table.data_reader().unwrap());
    let mut random = Random::new(11);
    let (mut all, mut at) = (Vec::new(), DataPos(0));
    while at.0 < reader.len() {
        let (key, _, first) = reader.partition_head(&format, at).unwrap();
        let (mut rows, mut here) = (Vec::new(), first);
        loop {
            let row = reader.unfiltered(&format, here).unwrap();
            here = row.next;
            match row.kind {
                UnfilteredKind::End => break,
                UnfilteredKind::Row(values) => rows.push(values),
                _ => {}
            }
        }
        at = match reader.walk_rows(&format, first, u64::MAX).unwrap() {
            Walked::End(next) => next,
            Walked::At(_) => unreachable!(),
        };
        let few = (0..rows.len().min(10)).map(|_| {
            let mut values = rows[random.below(rows.len() as u64) as usize].clone();
            // Now and then a place between rows.
            if random.below(3) == 0
                && let Some(Some(last)) = values.last_mut()
                && let Some(byte) = last.last_mut()
            {
                *byte ^= 1;
            }
            values
        });
        let few = few.collect();
        let mut absent = key.clone();
        absent.push(1);
        all.push((key, few));
        all.push((absent, Vec::new()));
    }
    all
}

fn sampled(table: &Table<&[u8]>) -> Sampled {
    let mut sampler = Sampler::new(SampleRule::Scylla, table.version().formats().index);
    let index = table.source(Part::Index).unwrap();
    while sampler.step(index, 1000).unwrap() != Progress::Finished {}
    sampler.into_sampled()
}

/// What a lookup comes to: its answer, and the block that it chose, whatever it cost.
fn outcome(record: &Record) -> Outcome {
    let block = record.steps.iter().find_map(|step| match step {
        Step::Block(BlockStep { start, end, open, .. }) => Some((*start, *end, open.is_some())),
        _ => None,
    });
    match record.steps.last() {
        Some(Step::Answer(answer)) => (answer.clone(), block),
        other => panic!("no answer: {other:?}"),
    }
}

struct Reader<'a> {
    table: &'a Table<&'a [u8]>,
    samples: Option<Sampled>,
}

impl<'a> Reader<'a> {
    fn new(table: &'a Table<&'a [u8]>) -> Self {
        let is_legacy = table.readable_index() == Some(IndexKind::Legacy);
        Self { table, samples: is_legacy.then(|| sampled(table)) }
    }

    /// The outcomes by each database that reads the index.
    fn ask(&self, key: &[u8], row: Option<&Vec<Option<Vec<u8>>>>) -> Vec<Outcome> {
        let table = self.table;
        let (partitioner, dialect) = (table.partitioner(), table.dialect());
        let comparable = partition_key(&partitioner, dialect.key_style, table.key_schema(), key);
        let row = row.map(|values| -> RowTarget {
            let schema = table.clustering_schema().unwrap();
            schema.target(dialect, RowKind::Row, values.clone())
        });
        let query = Query {
            key,
            token: &partitioner.token(key),
            hash: murmur3(key),
            comparable: &comparable.bytes,
            row: row.as_ref(),
            filter: FilterMode::Off,
            clustering: table.clustering_schema(),
        };
        match &self.samples {
            None => {
                let mut recorder = Recorder::new();
                trie(table, &query, &mut recorder).unwrap();
                vec![outcome(&recorder.into_record())]
            }
            Some(sampled) => {
                let own = table.summary.as_ref().unwrap();
                let source = table.source(Part::Summary).unwrap();
                let file = Samples::File { summary: own, source };
                [(LegacyReader::Scylla, Samples::Memory(sampled)), (LegacyReader::Cassandra, file)]
                    .map(|(reader, samples)| {
                        let mut recorder = Recorder::new();
                        legacy(table, samples, reader, &query, &mut recorder).unwrap();
                        outcome(&recorder.into_record())
                    })
                    .to_vec()
            }
        }
    }
}

#[test]
fn a_twin_answers_as_the_real_index() {
    let mut lookups = 0;
    for (name, from, to) in [
        ("p1000", "da", "oa"),
        ("p1000", "oa", "da"),
        ("token_edges", "nb", "da"),
        ("composite_pk", "nb", "oa"),
        ("wide_many", "da", "oa"),
        ("wide_many", "nb", "da"),
        ("wide_text", "oa", "da"),
        ("wide_static", "da", "nb"),
        ("wide_mixed", "oa", "da"),
        ("range_tombstones", "oa", "da"),
        ("range_tombstones", "nb", "da"),
        ("lsm_two", "da", "oa"),
    ] {
        let files = cassandra(name, from, 1).files;
        let table = files.table();
        let twin = build(&table, TwinOptions::new(target(to)));
        let index = twin.files.each_ref().map(|(part, bytes)| (*part, bytes.as_slice()));
        let twin = table.with_index(target(to).version(), index).unwrap();
        // The real index of this version, over its own Data.db: where that is the same, all answers are.
        let real = cassandra(name, to, 1).files;
        let same_data = files.bytes.get(&Part::Data) == real.bytes.get(&Part::Data);
        let real = real.table();
        let (own, other) = (Reader::new(&table), Reader::new(&twin));
        let real = Reader::new(&real);
        for (key, rows) in wanted(&files) {
            for row in std::iter::once(None).chain(rows.iter().map(Some)) {
                let found = other.ask(&key, row);
                if same_data {
                    assert_eq!(found, real.ask(&key, row), "{name} {from} {to} {key:?} {row:?}");
                }
                // Against the index that it was built from only the answer is the same: the two kinds choose other blocks
                // for a place between two.
                for (answer, _) in own.ask(&key, row) {
                    for (found, _) in &found {
                        assert_eq!(
                            without_counts(found),
                            without_counts(&answer),
                            "{name} {row:?}"
                        );
                    }
                }
                lookups += 1;
            }
        }
    }
    assert!(lookups > 10_000, "{lookups} lookups");
}

/// An answer without the rows that were passed on the way, and the reason why a key is absent: a trie has other ones.
fn without_counts(answer: &Answer) -> String {
    use triescope_core::lookup::RowConfirmation::{Absent, Found};
    match answer {
        Answer::Present { data, row, .. } => match row {
            Some(Found { at, .. }) => format!("at {data}, row at {at}"),
            Some(Absent { .. }) => format!("at {data}, no row"),
            other => format!("at {data}, {other:?}"),
        },
        Answer::Absent(_) => "absent".to_owned(),
        other => format!("{other:?}"),
    }
}

/// A race of the real trie against a twin is the race against the real legacy index: every step, page and count.
#[test]
fn a_race_against_a_twin_is_the_race_against_the_real_index() {
    use triescope_core::race::{CacheModel, Contest, RaceRequest, run};
    for (name, key, row) in [
        ("p1000", "17", None),
        ("p1000", "-1", None),
        ("wide_many", "3", Some("7")),
        ("wide_int", "1", Some("-4998")),
        ("wide_int", "2", Some("100000")),
        ("range_tombstones", "1", Some("3, 4")),
        ("wide_static", "4", Some("12")),
    ] {
        let (da, oa) = (cassandra(name, "da", 1).files, cassandra(name, "oa", 1).files);
        let (trie, legacy) = (da.table(), oa.table());
        let made = build(&trie, TwinOptions::new(target("oa")));
        let index = made.files.each_ref().map(|(part, bytes)| (*part, bytes.as_slice()));
        let legacy_twin = trie.with_index(target("oa").version(), index).unwrap();
        let made = build(&legacy, TwinOptions::new(target("da")));
        let index = made.files.each_ref().map(|(part, bytes)| (*part, bytes.as_slice()));
        let trie_twin = legacy.with_index(target("da").version(), index).unwrap();
        let race = |trie: &Table<&[u8]>, legacy: &Table<&[u8]>, reader| {
            let samples = sampled(legacy);
            let contest = Contest {
                trie: Some(trie),
                legacy: Some(legacy),
                scylla_samples: Some(&samples),
                cassandra_samples: None,
            };
            let request = RaceRequest {
                key: key.to_owned(),
                row: row.map(str::to_owned),
                reader,
                cache: CacheModel::Cold,
                filter: FilterMode::Ask,
                sample_large: false,
            };
            run(&contest, &request).unwrap()
        };
        for reader in [LegacyReader::Scylla, LegacyReader::Cassandra] {
            let real = race(&trie, &legacy, reader);
            assert_eq!(race(&trie, &legacy_twin, reader), real, "{name} {key} {row:?}");
            assert_eq!(race(&trie_twin, &legacy, reader), real, "{name} {key} {row:?}");
        }
    }
}
