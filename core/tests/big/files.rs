//! Files and small helpers of these tests.

#[path = "../common/places.rs"]
mod places;

pub use places::{root, upstream};

use serde_json::Value;
use std::path::{Path, PathBuf};
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler, Samples, Summary};
use triescope_core::error::Error;
use triescope_core::keys::{ClusteringSchema, Dialect, Partitioner, murmur3};
use triescope_core::lookup::{
    FilterMode, LegacyFound, LegacyIndex, Query, Record, Recorder, RowKind, RowTarget, Step,
    find_legacy,
};
use triescope_core::pos::PageNo;
use triescope_core::race::LegacyReader;
use triescope_core::table::{Part, Version};

/// The version letters of a stem, `me-1-big` or `ks-table-ka-1`.
pub fn letters(stem: &str) -> &str {
    match stem.rsplit('-').nth(1) {
        Some("ka") => "ka",
        _ => stem.split('-').next().unwrap(),
    }
}

/// What a lookup in the legacy index needs of an SSTable.
#[derive(Clone)]
pub struct Table {
    pub name: String,
    pub version: Version,
    pub index: Vec<u8>,
    pub summary: Vec<u8>,
    pub partitioner: Partitioner,
    pub clustering: ClusteringSchema,
    pub sampled: Option<Sampled>,
    pub exact_widths: bool,
}

impl Table {
    /// `<stem>-Index.db` and `<stem>-Summary.db` of a folder, which may have no summary; Murmur3, no clustering columns.
    pub fn read(dir: &Path, stem: &str) -> Self {
        let file = |part: &str| dir.join(format!("{stem}-{part}.db"));
        Self {
            name: format!("{} {stem}", dir.display()),
            version: Version::new(letters(stem).as_bytes()).unwrap(),
            index: std::fs::read(file("Index")).unwrap(),
            summary: std::fs::read(file("Summary")).unwrap_or_default(),
            partitioner: Partitioner::Murmur3,
            clustering: ClusteringSchema::default(),
            sampled: None,
            exact_widths: false,
        }
    }

    /// The first generation of a set of `testdata/cassandra`, with clustering columns of these classes.
    pub fn cassandra(table: &str, version: &str, clustering: &[&str]) -> Self {
        let dir = root().join("testdata/cassandra").join(table).join(version);
        Self::read(&dir, &format!("{version}-1-big")).with_clustering(clustering)
    }

    pub fn with_clustering(mut self, classes: &[&str]) -> Self {
        self.clustering = ClusteringSchema::from_classes(classes.iter().copied());
        self
    }

    /// Samples Index.db by a rule, instead of using the file's own summary.
    pub fn sampled(mut self, rule: SampleRule) -> Self {
        let mut sampler = Sampler::new(rule, self.version.formats().index);
        while sampler.step(&self.index.as_slice(), 777).unwrap() != Progress::Finished {}
        self.sampled = Some(sampler.into_sampled());
        self
    }

    pub fn summary(&self) -> Summary {
        Summary::open(&self.summary.as_slice()).unwrap()
    }

    /// Runs something with the index as lookups see it.
    pub fn with_index<T>(
        &self,
        run: impl FnOnce(&LegacyIndex<'_, &[u8]>) -> T,
    ) -> Result<T, Error> {
        let (index, source) = (self.index.as_slice(), self.summary.as_slice());
        let summary;
        let samples = match &self.sampled {
            Some(sampled) => Samples::Memory(sampled),
            None => {
                summary = Summary::open(&source)?;
                Samples::File { summary: &summary, source: &source }
            }
        };
        Ok(run(&LegacyIndex {
            index: &index,
            samples,
            partitioner: &self.partitioner,
            version: self.version,
            clustering: &self.clustering,
            exact_widths: self.exact_widths,
        }))
    }

    /// Looks a key up, and a row.
    pub fn find(
        &self,
        reader: LegacyReader,
        key: &[u8],
        row: Option<&RowTarget>,
    ) -> (Result<LegacyFound, Error>, Record) {
        let token = self.partitioner.token(key);
        let query = Query {
            key,
            token: &token,
            hash: murmur3(key),
            comparable: &[],
            row,
            filter: FilterMode::Off,
            clustering: None,
        };
        let mut recorder = Recorder::new();
        let found = self
            .with_index(|index| find_legacy(index, reader, &query, &mut recorder))
            .and_then(|found| found);
        (found, recorder.into_record())
    }

    /// A row by its serialized values.
    pub fn row(&self, values: &[&[u8]]) -> RowTarget {
        self.place(RowKind::Row, values)
    }

    pub fn place(&self, kind: RowKind, values: &[&[u8]]) -> RowTarget {
        let values = values.iter().map(|value| Some(value.to_vec())).collect();
        self.clustering.target(Dialect::CASSANDRA, kind, values)
    }

    /// All keys with their positions in Data.db, read entry by entry.
    pub fn keys(&self) -> Vec<(Vec<u8>, u64)> {
        let mut keys = Vec::new();
        let mut walk = triescope_core::big::IndexWalk::new(self.version.formats().index);
        walk.run(&self.index.as_slice(), u64::MAX, |head, bytes| {
            keys.push((head.key(bytes).to_vec(), head.data.0));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        keys
    }
}

/// The pages of Index.db that a lookup fetched, in order.
pub fn fetched(record: &Record) -> Vec<u64> {
    let mut pages = Vec::new();
    for PageNo(page) in record.requests(Part::Index) {
        if !pages.contains(&page) {
            pages.push(page);
        }
    }
    assert_eq!(pages.len() as u64, record.total().fetches);
    pages
}

/// The blocks probed, in order.
pub fn probed(record: &Record) -> Vec<u64> {
    let blocks = record.steps.iter().filter_map(|step| match step {
        Step::BlockProbe(probe) => Some(probe.block),
        _ => None,
    });
    blocks.collect()
}

/// The position in Data.db of an answer.
pub fn data(found: &LegacyFound) -> Option<u64> {
    match found {
        LegacyFound::Entry { data, .. } => Some(data.0),
        LegacyFound::Absent(_) => None,
    }
}

pub fn int(value: i32) -> [u8; 4] {
    value.to_be_bytes()
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits = text.split_whitespace().collect::<String>();
    assert!(digits.len().is_multiple_of(2), "{text}");
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// Every set of `testdata/cassandra` with a legacy index, and its answers.
pub fn sets() -> Vec<(Table, Value)> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for table in std::fs::read_dir(root().join("testdata/cassandra")).unwrap() {
        for version in ["oa", "nb"] {
            let dir = table.as_ref().unwrap().path().join(version);
            let Ok(files) = std::fs::read_dir(dir) else { continue };
            let files = files.map(|file| file.unwrap().path());
            paths.extend(files.filter(|path| {
                let name = path.file_name().unwrap().to_str().unwrap();
                name.starts_with("expected") && name.ends_with(".json")
            }));
        }
    }
    paths.sort();
    assert_eq!(paths.len(), 117, "sets of the legacy format");
    paths
        .into_iter()
        .map(|path| {
            let json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let dir = path.parent().unwrap();
            let version = dir.file_name().unwrap().to_str().unwrap();
            let classes = list(&json["clustering_types"]).iter();
            let classes: Vec<_> = classes.map(|class| class.as_str().unwrap()).collect();
            let stem = format!("{version}-{}-big", json["generation"]);
            (Table::read(dir, &stem).with_clustering(&classes), json)
        })
        .collect()
}
