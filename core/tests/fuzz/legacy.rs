//! Index.db and Summary.db of any bytes: lookups of both readers end, and answer the same in pieces.

use super::input::{Input, long, short, version_byte};
use crate::common::pieces::{Pieces, until_here};
use crate::common::{all_cassandra, cassandra};
use std::ops::ControlFlow;
use triescope_core::big::{
    IndexWalk, Progress, SampleRule, Sampled, Sampler, Samples, Summary, SummaryHeader,
};
use triescope_core::keys::{ClusteringSchema, Dialect, Partitioner, murmur3};
use triescope_core::lookup::{
    FilterMode, LegacyIndex, Query, Recorder, RowKind, RowTarget, find_legacy, find_reverse_block,
};
use triescope_core::race::LegacyReader;
use triescope_core::source::Source;
use triescope_core::table::{IndexFormat, Part, Version};

/// Clustering columns that inputs choose from.
const CLUSTERINGS: [&[&str]; 6] = [
    &[],
    &["Int32Type"],
    &["UTF8Type"],
    &["Int32Type", "Int32Type"],
    &["ReversedType(TimeUUIDType)", "BytesType"],
    &["ListType(Int32Type)", "BooleanType", "DecimalType"],
];

/// What is looked up.
struct Asked<'a> {
    version: Version,
    clustering: ClusteringSchema,
    key: &'a [u8],
    row: RowTarget,
}

impl<'a> Asked<'a> {
    fn new(input: &mut Input<'a>) -> Self {
        let version = input.version();
        let classes = CLUSTERINGS[input.below(CLUSTERINGS.len())];
        let clustering = ClusteringSchema::from_classes(classes.iter().copied());
        let key = input.short();
        let kind = [RowKind::Row, RowKind::Before, RowKind::After][input.below(3)];
        let values = classes.iter().map(|_| match input.byte() {
            255 => None,
            n => Some(input.take(usize::from(n)).to_vec()),
        });
        let row = clustering.target(Dialect::of(version), kind, values.collect());
        Self { version, clustering, key, row }
    }

    /// The bytes that [`Self::new`] makes this of.
    fn bytes(letters: &str, clustering: u8, key: &[u8], values: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![version_byte(letters), clustering];
        bytes.extend(short(key));
        bytes.push(0);
        bytes.extend(values.iter().flat_map(|value| short(value)));
        bytes
    }

    /// Both readers, with and without a row, as text to compare.
    fn find<S: Source>(
        &self,
        index: &S,
        samples: Samples<'_, S>,
        key: &[u8],
        pieces: &[&Pieces<'_>],
    ) -> Vec<String> {
        let partitioner = Partitioner::Murmur3;
        let token = partitioner.token(key);
        let mut said = Vec::new();
        for exact_widths in [false, true] {
            let legacy = LegacyIndex {
                index,
                samples,
                partitioner: &partitioner,
                version: self.version,
                clustering: &self.clustering,
                exact_widths,
            };
            for reader in [LegacyReader::Cassandra, LegacyReader::Scylla] {
                let query = Query {
                    key,
                    token: &token,
                    hash: murmur3(key),
                    comparable: &[],
                    row: Some(&self.row),
                    filter: FilterMode::Off,
                    clustering: None,
                };
                let mut recorder = Recorder::new();
                let found = until_here(pieces, || {
                    recorder.clear();
                    find_legacy(&legacy, reader, &query, &mut recorder)
                });
                said.push(format!("{found:?} {:?}", recorder.record()));
                if let Ok(triescope_core::lookup::LegacyFound::Entry { at, .. }) = found {
                    let block =
                        until_here(pieces, || find_reverse_block(&legacy, at, &self.row, &mut ()));
                    said.push(format!("{block:?}"));
                }
            }
        }
        let found = until_here(pieces, || {
            samples.lower_bound(index, self.version.formats().index, &partitioner, &token)
        });
        said.push(format!("{found:?}"));
        said
    }
}

/// What is asked, a rule for samples, then Index.db.
pub fn index(data: &[u8]) {
    let mut input = Input::new(data);
    let asked = Asked::new(&mut input);
    let (every, seed) = (input.byte(), input.seed());
    let file = input.rest();
    let whole = indexed(&asked, &file, every, &[]);
    let pieces = Pieces::new(Part::Index, file, seed);
    assert_eq!(indexed(&asked, &pieces, every, &[&pieces]), whole, "in pieces and whole");
}

fn indexed<S: Source>(
    asked: &Asked<'_>,
    index: &S,
    every: u8,
    pieces: &[&Pieces<'_>],
) -> Vec<String> {
    let mut said = Vec::new();
    let mut walk = IndexWalk::new(asked.version.formats().index);
    let (mut keys, mut last) = (Vec::new(), None);
    let end = until_here(pieces, || {
        walk.run(index, u64::MAX, |head, bytes| {
            assert!(last < Some(head.at), "entries lie one after the other");
            assert!(head.end().0 <= index.len(), "an entry lies in the file");
            last = Some(head.at);
            if keys.len() < 3 {
                keys.push(head.key(bytes).to_vec());
            }
            ControlFlow::Continue(())
        })
    });
    said.push(format!("{end:?} {last:?}"));
    keys.push(asked.key.to_vec());
    for rule in [SampleRule::Scylla, SampleRule::Every(u32::from(every))] {
        let sampled = sampled(index, rule, asked.version.formats().index, pieces);
        said.push(format!("{sampled:?}"));
        for key in &keys {
            said.extend(asked.find(index, Samples::Memory(&sampled), key, pieces));
        }
    }
    said
}

fn sampled<S: Source>(
    index: &S,
    rule: SampleRule,
    format: IndexFormat,
    pieces: &[&Pieces<'_>],
) -> Sampled {
    let mut sampler = Sampler::new(rule, format);
    loop {
        match until_here(pieces, || sampler.step(index, 7)) {
            Ok(Progress::Finished) => return sampler.into_sampled(),
            Ok(Progress::Working { done, of }) => assert!(done < of),
            Err(error) => return Sampled::damaged(Box::new(error)),
        }
    }
}

/// Small Index.db, with keys and rows that may be theirs.
pub fn index_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for version in ["oa", "nb"] {
        for (table, clustering, row) in [
            ("ten_partitions", 0, &[][..]),
            ("two_partitions", 0, &[]),
            ("p1000", 0, &[]),
            ("ck_int", 1, &[&[0, 0, 0, 5][..]]),
            ("ck_boolean", 1, &[&[1][..]]),
            ("ck_text", 2, &[b"m"]),
            ("wide_static", 1, &[&[0, 0, 0, 80]]),
            ("wide_text", 2, &[b"m"]),
            ("range_tombstones", 3, &[&[0, 0, 0, 5], &[0, 0, 0, 5]]),
        ] {
            let files = cassandra(table, version, 1).files;
            let index = files.part(Part::Index);
            if index.len() > 12_000 {
                continue;
            }
            let key = [0, 0, 0, 5];
            seeds.push(
                [Asked::bytes(version, clustering, &key, row), vec![3], index.to_vec()].concat(),
            );
        }
    }
    assert!(seeds.len() > 10, "{} seeds", seeds.len());
    seeds
}

/// What is asked, Summary.db, then Index.db.
pub fn summary(data: &[u8]) {
    let mut input = Input::new(data);
    let asked = Asked::new(&mut input);
    let (file, seed) = (input.long(), input.seed());
    let index = input.rest();
    let whole = summarised(&asked, &file, &index, &[]);
    let (file, index) =
        (Pieces::new(Part::Summary, file, seed), Pieces::new(Part::Index, index, !seed));
    let pieces = summarised(&asked, &file, &index, &[&file, &index]);
    assert_eq!(pieces, whole, "in pieces and whole");
}

fn summarised<S: Source>(
    asked: &Asked<'_>,
    file: &S,
    index: &S,
    pieces: &[&Pieces<'_>],
) -> Vec<String> {
    let header = until_here(pieces, || SummaryHeader::read(file));
    let mut said = vec![format!("{header:?}")];
    let summary = match until_here(pieces, || Summary::open(file)) {
        Ok(summary) => summary,
        Err(error) => return vec![error.to_string()],
    };
    said.push(format!("{summary:?} {:?}", summary.header.facts()));
    let samples = Samples::File { summary: &summary, source: file };
    let mut keys = vec![asked.key.to_vec(), summary.first.clone(), summary.last.clone()];
    // A sample of four bytes at least: there are not more than bytes.
    assert!(summary.header.samples <= file.len(), "{} samples", summary.header.samples);
    for sample in 0..summary.header.samples.min(300) {
        let mut key = Vec::new();
        let at = until_here(pieces, || samples.sample(sample, &mut key));
        let field = until_here(pieces, || summary.position_field(file, sample));
        let window = until_here(pieces, || samples.window(sample, index.len()));
        if let Ok((from, to)) = &window {
            assert!(from < to && to.0 <= index.len(), "a window lies in Index.db");
        }
        said.push(format!(
            "{at:?} {field:?} {window:?} {key:x?} {}",
            summary.header.interval_after(sample)
        ));
        if sample == 1 {
            keys.push(key);
        }
    }
    for key in keys {
        said.extend(asked.find(index, samples, &key, pieces));
    }
    said
}

/// Summary.db of small tables with the Index.db that belongs to it.
pub fn summary_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for set in all_cassandra("oa").chain(all_cassandra("nb")) {
        let (summary, index) = (set.files.part(Part::Summary), set.files.part(Part::Index));
        if summary.len() + index.len() < 4_000 || set.name.starts_with("p1000/") {
            let key = set.files.table().facts.ends.map(|(first, _)| first.to_vec());
            let key = key.filter(|key| key.len() < 256).unwrap_or_default();
            let asked = Asked::bytes(&set.version, 1, &key, &[&[0, 0, 0, 1]]);
            seeds.push([asked, long(summary), index.to_vec()].concat());
        }
    }
    seeds
}
