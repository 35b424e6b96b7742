//! The samples that come with the page: `samples/index.json`, as the build writes it.

use crate::model::{Made, SampleEntry, SampleFile, SampleTable};
use serde::Deserialize;

/// `samples/index.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct Index {
    samples: Vec<Sample>,
}

#[derive(Clone, Debug, Deserialize)]
struct Sample {
    name: String,
    teaches: String,
    keys: Vec<Key>,
    sets: Vec<Set>,
    #[serde(default)]
    writer: Option<String>,
    #[serde(default)]
    made: Option<Made>,
}

#[derive(Clone, Debug, Deserialize)]
struct Key {
    name: String,
    key: String,
    row: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Set {
    format: String,
    files: Vec<File>,
}

#[derive(Clone, Debug, Deserialize)]
struct File {
    name: String,
    bytes: u64,
    path: String,
}

impl Index {
    /// The samples, those without a pair of formats left out.
    pub fn into_entries(self) -> Vec<SampleEntry> {
        self.samples.into_iter().filter_map(entry).collect()
    }
}

fn entry(sample: Sample) -> Option<SampleEntry> {
    let key = |name: &str| sample.keys.iter().find(|key| key.name == name);
    let text = |name: &str| key(name).map(|key| key.key.clone());
    let (absent, dead_end) = (text("absent"), text("dead end"));
    let row = key("row").and_then(|key| Some((key.key.clone(), key.row.clone()?)));
    let present = text("present")?;
    let mut sets = sample.sets.into_iter().map(|set| table(&sample.name, set));
    let (trie, legacy) = (sets.next()?, sets.next()?);
    let Sample { name, teaches, writer, made, .. } = sample;
    Some(SampleEntry { name, teaches, trie, legacy, present, absent, dead_end, row, writer, made })
}

/// A table that is made has no files before it is.
fn table(name: &str, set: Set) -> SampleTable {
    let version = set.format;
    let first = set.files.first().and_then(|file| file.path.rsplit_once('/'));
    let folder = first.map_or_else(|| format!("{name}/{version}"), |(folder, _)| folder.to_owned());
    let file = |file: File| SampleFile { name: file.name, bytes: file.bytes };
    SampleTable { folder, version, files: set.files.into_iter().map(file).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_the_build_becomes_pairs() {
        let text = r#"{"samples": [{"name": "p20k", "teaches": "Pages", "keys": [
            {"name": "present", "key": "17021"}, {"name": "row", "key": "1", "row": "2"}],
            "sets": [
              {"format": "da", "files": [
                {"name": "da-1-bti-Rows.db", "bytes": 0, "path": "p20k/da/da-1-bti-Rows.db"},
                {"name": "da-1-bti-Partitions.db", "bytes": 9, "path": "p20k/da/da-1-bti-Partitions.db"}]},
              {"format": "oa", "files": [
                {"name": "oa-1-big-Index.db", "bytes": 7, "path": "p20k/oa/oa-1-big-Index.db"}]}]},
            {"name": "wide-1m", "teaches": "Rows", "keys": [{"name": "present", "key": "0"}],
             "writer": "ours", "made": {"rows": 9, "block_bytes": 1024},
             "sets": [{"format": "ms", "files": []}, {"format": "me", "files": []}]}]}"#;
        let entries = serde_json::from_str::<Index>(text).unwrap().into_entries();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[1].made, Some(Made { rows: 9, block_bytes: 1024 }));
        assert_eq!(entries[1].trie.folder, "wide-1m/ms");
        let p20k = &entries[0];
        assert_eq!((p20k.trie.folder.as_str(), p20k.legacy.version.as_str()), ("p20k/da", "oa"));
        assert_eq!(p20k.trie.bytes_of(&["-Partitions.db", "-Rows.db"]), 9);
        assert_eq!(p20k.row, Some(("1".into(), "2".into())));
        assert_eq!((&p20k.absent, p20k.made), (&None, None));
    }
}
