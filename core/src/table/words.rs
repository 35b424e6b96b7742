//! Words for an opened SSTable: what it is, what each component is, and what a missing or damaged one costs.
//!
//! Words for the steps of a lookup are in [`crate::lookup::words`].

use super::{Component, Count, IndexKind, Part, Problem, TableFacts, Version};
use crate::keys::Partitioner;
use crate::lookup::words::{Span, Style, Text, number};

/// How much something that is missing, odd or damaged matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Worth knowing, costs nothing.
    Note,
    /// Something is not shown or not confirmed.
    Warning,
    /// Bytes are wrong, or nothing can be looked up.
    Bad,
}

/// What is the matter, and what follows from it: whole sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// How much it matters.
    pub weight: Weight,
    /// What is the matter.
    pub what: String,
    /// What follows from it, and what works all the same.
    pub then: String,
}

/// Who writes this version, as a name with a release: `Cassandra 5.0`. A Scylla.db among the components decides where
/// both databases do.
pub fn written_by(facts: &TableFacts) -> &'static str {
    if has(facts, Part::Scylla) {
        return "ScyllaDB";
    }
    facts.version.release()
}

/// `trie index`, `legacy index`, or that there is none.
pub const fn index_name(index: Option<IndexKind>) -> &'static str {
    match index {
        Some(IndexKind::Trie) => "trie index",
        Some(IndexKind::Legacy) => "legacy index",
        None => "no index here",
    }
}

/// From what the kind of index was told: version and components should agree, and the sentence says when they do not.
/// The word `big` or `bti` in the names is never asked: ScyllaDB's trie files say `big`.
pub fn told_from(facts: &TableFacts) -> String {
    let version = facts.version;
    match (version.index(), facts.index) {
        (Some(by_version), Some(found)) if by_version == found => {
            "by version and components".to_owned()
        }
        (Some(by_version), Some(_)) => format!(
            "by components: version {version} should have a {}",
            index_name(Some(by_version))
        ),
        (None, Some(_)) => format!("by components: version {version} is not known"),
        (Some(by_version), None) => format!(
            "version {version} has a {}, but {} is not among the files",
            index_name(Some(by_version)),
            index_part(by_version)
        ),
        (None, None) => "neither version nor components tell of an index".to_owned(),
    }
}

/// What a component is: `partition index, trie`.
pub fn role(component: &Component, facts: &TableFacts) -> String {
    let Some(part) = component.part else { return "no component this program knows".to_owned() };
    if component.bytes.is_none() {
        return match component.listed {
            Some(true) => "listed in TOC.txt, not among the files",
            Some(false) => "neither listed in TOC.txt nor among the files",
            None => "not among the files",
        }
        .to_owned();
    }
    let empty = component.bytes == Some(0);
    match part {
        Part::Partitions => "partition index, trie".to_owned(),
        Part::Rows if empty => "row index, empty: no partition needs one".to_owned(),
        Part::Rows if !facts.has_row_index => "row index, without entries".to_owned(),
        Part::Rows => "row index, a trie for each wide partition".to_owned(),
        Part::Index => "partition index, an entry each".to_owned(),
        Part::Summary => match facts.summary {
            Some(summary) if summary.samples == 1 => "sample of Index.db, 1 key".to_owned(),
            Some(summary) => format!("sample of Index.db, {} keys", number(summary.samples, ',')),
            None => "sample of Index.db".to_owned(),
        },
        Part::Data => match compression(facts) {
            Some(compression) => format!("rows, {compression}"),
            None => "rows".to_owned(),
        },
        Part::CompressionInfo => "chunks of Data.db".to_owned(),
        Part::Filter => "Bloom filter".to_owned(),
        Part::Statistics => "types, partitioner, header".to_owned(),
        Part::Crc => "checksums of Data.db, a chunk each".to_owned(),
        Part::Digest => "checksum of Data.db".to_owned(),
        Part::Toc => "list of components".to_owned(),
        Part::Scylla => "ScyllaDB’s own metadata".to_owned(),
    }
}

/// What a missing component costs.
pub fn missing(part: Part) -> Cost {
    let (weight, what, then) = match part {
        Part::Partitions => (
            Weight::Bad,
            "Without Partitions.db, there is no trie index to read.",
            "No key can be looked up in it: the row tries of Rows.db are found from the leaves of Partitions.db. \
             The components are listed all the same.",
        ),
        Part::Rows => (
            Weight::Warning,
            "Without Rows.db, rows of wide partitions are not found.",
            "A lookup of a wide partition ends where its leaf points into Rows.db; narrow partitions, whose leaves \
             point into Data.db, work.",
        ),
        Part::Index => (
            Weight::Bad,
            "Without Index.db, there is no legacy index to read.",
            "Summary.db is only a sample of it. The components are listed all the same.",
        ),
        Part::Summary => (
            Weight::Warning,
            "Without Summary.db, Index.db is sampled in memory.",
            "Databases do the same when they open such an SSTable. All lookups work; they start from the samples \
             taken here, and the lane says so.",
        ),
        Part::Data => (
            Weight::Warning,
            "Without Data.db, no key is confirmed.",
            "Lookups end at a position: the key there is not read, and rows are not shown. All index views work.",
        ),
        Part::CompressionInfo => (
            Weight::Warning,
            "Without CompressionInfo.db, Data.db cannot be decompressed.",
            "Lookups end at a position: the key found there is not confirmed and rows are not shown. All index \
             views work.",
        ),
        Part::Statistics => (
            Weight::Warning,
            "Without Statistics.db, types are unknown: keys are hex.",
            "Keys are typed as 0x… bytes, rows cannot be looked up, and tokens are those of Murmur3Partitioner, \
             which is only assumed. All index views work.",
        ),
        Part::Filter => (
            Weight::Note,
            "Without Filter.db, no lookup ends early.",
            "The first step of its lane says so, and the lane always reads on. A table with a false-positive chance of 1.0 \
             has no filter at all.",
        ),
        Part::Crc => (
            Weight::Note,
            "Without CRC.db, the bytes of Data.db are not checked.",
            "Everything else works.",
        ),
        Part::Digest => (
            Weight::Note,
            "Without Digest.crc32, Data.db as a whole has no checksum.",
            "Everything else works.",
        ),
        Part::Toc => (
            Weight::Note,
            "Without TOC.txt, a database takes this SSTable for unfinished.",
            "Here the file names alone tell which components belong together, and everything works.",
        ),
        Part::Scylla => (
            Weight::Note,
            "Without Scylla.db, ScyllaDB’s own metadata is not known.",
            "No lookup needs it.",
        ),
    };
    Cost { weight, what: what.to_owned(), then: then.to_owned() }
}

/// What something found while opening costs.
pub fn problem(problem: &Problem, facts: &TableFacts) -> Cost {
    match problem {
        Problem::Missing(part) => missing(*part),
        Problem::Damaged(error) => Cost {
            weight: Weight::Bad,
            what: format!("{error}."),
            then: format!("{} What can be read stays usable.", damaged(error.part)),
        },
        Problem::Version(version) => Cost {
            weight: Weight::Bad,
            what: refused(*version),
            then: format!("Expected one of {}. The components are listed.", read_versions()),
        },
        Problem::UnknownInToc(name) => Cost {
            weight: Weight::Note,
            what: format!("TOC.txt lists {name}, which is no component this program knows."),
            then: "It is left alone.".to_owned(),
        },
        Problem::Twice(part) => Cost {
            weight: Weight::Warning,
            what: format!("Two files claim to be {part} of {}.", facts.name),
            then: "The first one is used, the second is not read.".to_owned(),
        },
        Problem::Unfinished => Cost {
            weight: Weight::Warning,
            what: "This SSTable was never finished: a temporary file is among its components."
                .to_owned(),
            then: "A database would remove it. What is there is shown as it is.".to_owned(),
        },
    }
}

/// Why no row is looked up in a version before `ma`.
pub const NO_ROW_TYPES: &str = "Versions before ma do not name the clustering columns, so no row is looked up by itself: \
    open the table together with a newer SSTable of the same rows.";

/// Why a version is not read, in one sentence.
pub fn refused(version: Version) -> String {
    match version.is_too_old() {
        true => format!("Version {version}, of {}, is too old to be read.", version.release()),
        false => format!("Version {version} is not known."),
    }
}

/// All that is the matter with an SSTable, what matters most first. What serves Data.db alone is not named where that
/// is missing too, and what serves lookups not where there is no index to look anything up in.
pub fn costs(facts: &TableFacts) -> Vec<Cost> {
    let named = |it: &Problem| match it {
        Problem::Missing(part) => is_wanted(*part, facts),
        _ => true,
    };
    let mut costs: Vec<Cost> = Vec::new();
    for (i, it) in facts.problems.iter().enumerate().filter(|(_, it)| named(it)) {
        let mut cost = problem(it, facts);
        // What follows from damage to a component is said once, at the first damage to it.
        if let Problem::Damaged(error) = it {
            let same = |it: &Problem| matches!(it, Problem::Damaged(e) if e.part == error.part);
            if facts.problems.iter().take(i).any(same) {
                cost.then.clear();
            }
        }
        costs.push(cost);
    }
    costs.sort_by_key(|cost| std::cmp::Reverse(cost.weight));
    costs
}

/// The missing components whose absence costs something: those that a person may want to add.
pub fn absent(facts: &TableFacts) -> Vec<Part> {
    let gone = facts.components.iter().filter(|it| it.bytes.is_none()).filter_map(|it| it.part);
    let costs = |part: &Part| missing(*part).weight > Weight::Note && is_wanted(*part, facts);
    gone.filter(costs).collect()
}

/// Whether adding a missing component would change anything.
fn is_wanted(part: Part, facts: &TableFacts) -> bool {
    facts.version.is_read()
        && (facts.index.is_some() || missing(part).weight == Weight::Bad)
        && !serves_missing_data(part, facts)
}

fn serves_missing_data(part: Part, facts: &TableFacts) -> bool {
    matches!(part, Part::CompressionInfo | Part::Crc | Part::Digest) && !has(facts, Part::Data)
}

/// One line on what the SSTable is: who wrote it, which index, how many partitions of which keys, in which order,
/// compressed how. Types are in the fixed-width face.
pub fn description(facts: &TableFacts) -> Text {
    described(facts, index_name(facts.index))
}

/// The same of two SSTables of the same rows, from either of them.
pub fn pair_description(facts: &TableFacts) -> Text {
    described(facts, "the same rows with both indexes")
}

fn described(facts: &TableFacts, index: &str) -> Text {
    let mut spans = Spans::default();
    spans.plain(&capital(written_by(facts)));
    spans.plain(&format!(", {index}. "));
    spans.plain(&match facts.partitions {
        Some(Count::Exact(n)) => partitions(n),
        Some(Count::FromStatistics(n)) => format!("About {}", partitions(n)),
        None => "Partitions not counted".to_owned(),
    });
    match facts.key_types.as_slice() {
        [] => spans.plain(", keys as hex"),
        [one] => {
            spans.plain(" of one ");
            spans.code(one);
            spans.plain(" key");
        }
        many => {
            spans.plain(&format!(" of a key of {} columns (", many.len()));
            spans.list(many.iter().map(|cql| (cql.as_str(), false)));
            spans.plain(")");
        }
    }
    match facts.clustering.as_deref() {
        None => {}
        Some([]) => spans.plain(", no clustering columns"),
        Some(columns) => {
            spans.plain(", clustered by ");
            spans.list(columns.iter().map(|column| (column.cql.as_str(), column.descending)));
        }
    }
    if let Some(partitioner) = &facts.partitioner {
        spans.plain(&format!(", {}", partitioner_name(partitioner)));
    }
    if let Some(compression) = compression(facts) {
        spans.plain(&format!(", {compression}"));
    }
    spans.plain(".");
    Text(spans.0)
}

/// `20,000 partitions`, `1 partition`.
pub fn partitions(n: u64) -> String {
    format!("{} {}", number(n, ','), if n == 1 { "partition" } else { "partitions" })
}

/// The name of the partitioner's class, without its package.
pub fn partitioner_name(partitioner: &Partitioner) -> &str {
    match partitioner {
        Partitioner::Murmur3 => "Murmur3Partitioner",
        Partitioner::Random => "RandomPartitioner",
        Partitioner::ByteOrdered => "ByteOrderedPartitioner",
        Partitioner::OrderPreserving => "OrderPreservingPartitioner",
        Partitioner::Unknown(class) => class.rsplit('.').next().unwrap_or(class),
    }
}

/// `LZ4`, `not compressed`, or `None` where neither is known.
pub fn compression(facts: &TableFacts) -> Option<&str> {
    match &facts.compressor {
        Some(class) => Some(class.strip_suffix("Compressor").unwrap_or(class)),
        None if has(facts, Part::Crc) => Some("not compressed"),
        None => None,
    }
}

/// The versions whose index is read.
pub fn read_versions() -> String {
    let read = Version::KNOWN.iter().filter(|version| version.is_read());
    read.map(Version::as_str).collect::<Vec<_>>().join(" ")
}

/// Why damage to a component matters.
const fn damaged(part: Part) -> &'static str {
    match part {
        Part::Partitions | Part::Rows => "Lookups in the trie index end where the bytes are wrong.",
        Part::Index => "Lookups in the legacy index end where the bytes are wrong.",
        Part::Summary => "Index.db is sampled in memory instead.",
        Part::Statistics => "Types are unknown: keys are hex, and rows cannot be looked up.",
        Part::Data => "A key that lies in the wrong bytes is not confirmed.",
        Part::CompressionInfo => "Data.db cannot be decompressed: keys are not confirmed.",
        Part::Filter => "The filter is not asked, and its lane always reads on.",
        Part::Crc | Part::Digest => "Data.db is not checked against it.",
        Part::Toc => "The file names alone tell which components belong together.",
        Part::Scylla => "No lookup needs it.",
    }
}

const fn index_part(index: IndexKind) -> Part {
    match index {
        IndexKind::Trie => Part::Partitions,
        IndexKind::Legacy => Part::Index,
    }
}

fn has(facts: &TableFacts, part: Part) -> bool {
    facts.components.iter().any(|it| it.part == Some(part) && it.bytes.is_some())
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// Text under construction.
#[derive(Default)]
struct Spans(Vec<Span>);

impl Spans {
    fn plain(&mut self, text: &str) {
        self.0.push(Span { text: text.to_owned(), style: Style::Plain });
    }

    fn code(&mut self, text: &str) {
        self.0.push(Span { text: text.to_owned(), style: Style::Code });
    }

    fn list<'a>(&mut self, items: impl Iterator<Item = (&'a str, bool)>) {
        for (i, (cql, descending)) in items.enumerate() {
            if i > 0 {
                self.plain(", ");
            }
            self.code(cql);
            if descending {
                self.plain(" descending");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ReadError;
    use crate::pos::FilePos;
    use crate::table::ClusteringColumn;

    fn facts(version: &[u8; 2], parts: &[(Part, u64)]) -> TableFacts {
        let version = Version::new(version).unwrap();
        TableFacts {
            name: format!("{version}-1-big"),
            version,
            table: None,
            directory: String::new(),
            index: version.index(),
            components: parts
                .iter()
                .map(|(part, bytes)| Component {
                    part: Some(*part),
                    name: part.file_name().to_owned(),
                    bytes: Some(*bytes),
                    listed: Some(true),
                    needed: true,
                })
                .collect(),
            bytes: parts.iter().map(|(_, bytes)| bytes).sum(),
            partitions: Some(Count::Exact(20_000)),
            partitioner: Some(Partitioner::Murmur3),
            key_types: vec!["int".to_owned()],
            classes: crate::table::TypeClasses::default(),
            clustering: Some(vec![]),
            compressor: Some("LZ4Compressor".to_owned()),
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

    #[test]
    fn a_table_is_described_in_one_line() {
        let mut table = facts(b"da", &[]);
        assert_eq!(
            description(&table).plain(),
            "Cassandra 5.0, trie index. 20,000 partitions of one int key, no clustering columns, Murmur3Partitioner, LZ4."
        );
        assert!(
            pair_description(&table)
                .plain()
                .starts_with("Cassandra 5.0, the same rows with both indexes. 20,000 ")
        );
        table.key_types = vec!["int".to_owned(), "text".to_owned()];
        let column = |cql: &str, descending| ClusteringColumn { cql: cql.to_owned(), descending };
        table.clustering = Some(vec![column("int", true), column("uuid", false)]);
        table.partitions = Some(Count::Exact(1));
        table.compressor = None;
        assert_eq!(
            description(&table).plain(),
            "Cassandra 5.0, trie index. 1 partition of a key of 2 columns (int, text), clustered by int descending, uuid, Murmur3Partitioner."
        );
        table.key_types = vec![];
        table.clustering = None;
        table.partitioner = None;
        table.partitions = Some(Count::FromStatistics(30));
        assert_eq!(
            description(&table).plain(),
            "Cassandra 5.0, trie index. About 30 partitions, keys as hex."
        );
    }

    #[test]
    fn the_word_big_does_not_decide_the_index() {
        let table = facts(b"ms", &[(Part::Partitions, 99), (Part::Scylla, 10)]);
        assert_eq!(written_by(&table), "ScyllaDB");
        assert_eq!(told_from(&table), "by version and components");
        let odd = TableFacts { index: Some(IndexKind::Legacy), ..facts(b"ms", &[]) };
        assert_eq!(told_from(&odd), "by components: version ms should have a trie index");
        let half = TableFacts { index: None, ..facts(b"me", &[]) };
        assert_eq!(
            told_from(&half),
            "version me has a legacy index, but Index.db is not among the files"
        );
        let new = TableFacts { index: Some(IndexKind::Trie), ..facts(b"zz", &[]) };
        assert_eq!(told_from(&new), "by components: version zz is not known");
    }

    #[test]
    fn every_missing_component_has_a_cost_and_says_what_works() {
        for part in Part::ALL {
            let cost = missing(part);
            assert!(cost.what.starts_with(&format!("Without {part}, ")), "{}", cost.what);
            assert!(cost.what.ends_with('.') && cost.then.ends_with('.'), "{cost:?}");
        }
    }

    #[test]
    fn damage_comes_before_warnings_and_notes() {
        let mut table = facts(b"oa", &[]);
        let error = ReadError::truncated(Part::Index, FilePos(90), "key", 4, 1);
        table.problems = vec![
            Problem::Missing(Part::Toc),
            Problem::Missing(Part::Data),
            Problem::Damaged(error),
            Problem::Damaged(ReadError::truncated(Part::Index, FilePos(99), "key", 4, 1)),
        ];
        let mut costs = costs(&table);
        assert_eq!(costs.remove(1).then, "");
        assert_eq!(costs.len(), 3);
        assert_eq!(
            costs[0].what,
            "Index.db, offset 90 (page 0 + 90), key: expected 4 more bytes, found 1."
        );
        assert!(costs[1].what.starts_with("Without Data.db"));
    }

    #[test]
    fn without_data_what_serves_it_is_not_missed() {
        let mut table = facts(b"da", &[(Part::Partitions, 9)]);
        for part in [Part::CompressionInfo, Part::Data, Part::Digest] {
            table.problems.push(Problem::Missing(part));
            table.components.push(Component {
                part: Some(part),
                name: part.file_name().to_owned(),
                bytes: None,
                listed: Some(true),
                needed: true,
            });
        }
        assert_eq!(absent(&table), [Part::Data]);
        assert_eq!(costs(&table).len(), 1);
    }

    #[test]
    fn without_an_index_nothing_is_said_of_lookups() {
        let gone = |version, index| {
            let mut table = TableFacts { index, ..facts(version, &[]) };
            table.problems = [Part::Index, Part::Summary, Part::Data].map(Problem::Missing).into();
            table
        };
        let half = gone(b"oa", None);
        assert_eq!(costs(&half), [missing(Part::Index)]);
        // Adding files to a version that is not read changes nothing.
        assert_eq!(costs(&gone(b"jb", Some(IndexKind::Legacy))), []);
    }

    #[test]
    fn components_are_named_by_what_they_hold() {
        let table = facts(b"da", &[(Part::Rows, 0), (Part::Data, 106_945)]);
        assert_eq!(role(&table.components[0], &table), "row index, empty: no partition needs one");
        assert_eq!(role(&table.components[1], &table), "rows, LZ4");
        let gone = Component {
            part: Some(Part::CompressionInfo),
            name: "CompressionInfo.db".to_owned(),
            bytes: None,
            listed: Some(true),
            needed: true,
        };
        assert_eq!(role(&gone, &table), "listed in TOC.txt, not among the files");
        assert_eq!(read_versions(), "ms mt da bb ma mb mc md me na nb nc oa ka la lb");
    }
}
