//! The overview's picture: the components of one SSTable or two at true scale, and the same as a list.

mod list;
mod place;
mod strips;

pub use list::{Row, rows};
pub use strips::{Strip, strips};

use triescope_core::table::{Component, Part, TableFacts};

/// The components that are here, in the order in which they are drawn: rows first, index last, so that what two
/// SSTables of the same rows have in common lies at the same place.
fn here(facts: &TableFacts) -> Vec<(&Component, u64)> {
    let mut all: Vec<_> =
        facts.components.iter().filter_map(|it| it.bytes.map(|bytes| (it, bytes))).collect();
    all.sort_by_key(|(it, _)| rank(it.part));
    all
}

/// Place in the order of drawing.
const fn rank(part: Option<Part>) -> u8 {
    match part {
        Some(Part::Data) => 0,
        Some(Part::Filter) => 1,
        Some(Part::Statistics) => 2,
        Some(Part::CompressionInfo) => 3,
        Some(Part::Crc) => 4,
        Some(Part::Scylla) => 5,
        Some(Part::Toc) => 6,
        Some(Part::Digest) => 7,
        None => 8,
        Some(Part::Rows) => 9,
        Some(Part::Partitions) => 10,
        Some(Part::Summary) => 11,
        Some(Part::Index) => 12,
    }
}

/// Whether a component is part of an index.
const fn is_index(part: Option<Part>) -> bool {
    matches!(part, Some(Part::Partitions | Part::Rows | Part::Index | Part::Summary))
}

#[cfg(test)]
pub(crate) mod testing {
    //! Facts made from the sizes of real SSTables.

    use triescope_core::table::{Component, Count, Part, TableFacts, Version};

    /// Facts with these components and nothing else known.
    pub fn facts(version: &str, parts: &[(&str, u64)]) -> TableFacts {
        let version = Version::new(version.as_bytes()).unwrap();
        TableFacts {
            name: format!("{version}-1-big"),
            version,
            table: None,
            directory: String::new(),
            index: version.index(),
            components: parts
                .iter()
                .map(|(name, bytes)| Component {
                    part: Part::from_file_name(name),
                    name: (*name).to_owned(),
                    bytes: Some(*bytes),
                    listed: Some(true),
                    needed: true,
                })
                .collect(),
            bytes: parts.iter().map(|(_, bytes)| bytes).sum(),
            partitions: Some(Count::Exact(20_000)),
            partitioner: None,
            key_types: vec![],
            classes: triescope_core::table::TypeClasses::default(),
            clustering: None,
            compressor: None,
            data_length: None,
            ends: None,
            root: None,
            summary: None,
            filter_bytes: None,
            has_row_index: false,
            problems: vec![],
            identity: String::new(),
        }
    }

    /// A set of the test data: facts of its folder `format`, from the sizes of its files.
    pub fn set(name: &str, format: &str) -> TableFacts {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/cassandra");
        let folder = std::path::Path::new(root).join(name).join(format);
        let mut parts = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let file = entry.file_name().into_string().unwrap();
            if let Some(name) = file.splitn(4, '-').nth(3) {
                parts.push((name.to_owned(), entry.metadata().unwrap().len()));
            }
        }
        parts.sort();
        let parts: Vec<_> = parts.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
        facts(format, &parts)
    }
}
