//! What the start view says of the files that were dropped or picked.

use crate::model::{Opened, Pair, SampleEntry, TableId, Wanted};
use crate::words::{about, bytes, count};
use triescope_core::lookup::words::Text;
use triescope_core::table::TableFacts;
use triescope_core::table::words::{
    Cost, absent, costs, description, index_name, pair_description, told_from, written_by,
};

/// Address of the packing of keys that belong to no file, with a few to begin with.
pub const OWN_KEYS: &str =
    "#/packing?keys=car%0Acard%0Acare%0Acart%0Acat%0Adog%0Adot&steps=all&step=1";

/// The promise, in two parts: the first is the strong one.
pub const PROMISE: (&str, &str) =
    ("Nothing leaves this tab.", "The page cannot load from or send to another host.");

/// SSTables that are opened together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What to open.
    pub pair: Pair,
    /// `da-1-bti`, or `da-1-bti and oa-1-big`.
    pub title: String,
    /// Why they are together, or what the one is.
    pub caption: String,
    /// Where they lie, where there are several SSTables.
    pub folders: Option<String>,
    /// What they are, in one line.
    pub about: Text,
    /// Places of its SSTables in [`Opened::tables`].
    pub tables: Vec<usize>,
    /// Words on the button that opens it; `None` where there is no index to look anything up in.
    pub open: Option<&'static str>,
    /// Words on the button that adds what is missing.
    pub add: Option<&'static str>,
}

/// Whether there are so many SSTables that each is a line or two, with its components folded away.
pub fn is_folded(opened: &Opened) -> bool {
    opened.tables.len() > 2
}

/// `1 SSTable recognised`.
pub fn heading(opened: &Opened) -> String {
    match opened.tables.len() {
        0 => "No SSTable recognised".to_owned(),
        n => format!("{} recognised", count(n as u64, "SSTable", "SSTables")),
    }
}

/// What was expected where nothing was recognised.
pub fn expected(opened: &Opened) -> String {
    match opened.strangers.len() {
        0 => "Nothing was among the files: expected names such as da-1-bti-Data.db, found none."
            .to_owned(),
        n => format!(
            "Expected names such as da-1-bti-Data.db, found {} with other names.",
            count(n as u64, "file", "files")
        ),
    }
}

/// The SSTables as they are opened: pairs first as the worker found them, then those in no pair.
pub fn groups(opened: &Opened) -> Vec<Group> {
    let place = |id: TableId| opened.tables.iter().position(|(it, _)| *it == id);
    let mut groups: Vec<Group> = opened
        .pairs
        .iter()
        .map(|pair| {
            let tables = [pair.trie, pair.legacy].into_iter().flatten().filter_map(place);
            group(opened, *pair, tables.collect())
        })
        .collect();
    for (i, _) in opened.tables.iter().enumerate() {
        if !groups.iter().any(|group| group.tables.contains(&i)) {
            groups.push(group(opened, Pair { trie: None, legacy: None }, vec![i]));
        }
    }
    groups
}

fn group(opened: &Opened, pair: Pair, tables: Vec<usize>) -> Group {
    let facts: Vec<&TableFacts> =
        tables.iter().filter_map(|i| opened.tables.get(*i)).map(|(_, facts)| facts).collect();
    let title = facts.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(" and ");
    let caption = match facts.as_slice() {
        [one] if is_folded(opened) => told_from(one),
        [one] => what(one),
        _ => "a pair: the same first and last key, and as many partitions".to_owned(),
    };
    // Where they lie tells SSTables of one name apart.
    let mut folders: Vec<&str> =
        facts.iter().map(|it| it.directory.as_str()).filter(|it| !it.is_empty()).collect();
    folders.dedup();
    let folders = (opened.tables.len() > 1 && !folders.is_empty()).then(|| folders.join(" and "));
    let about = match facts.as_slice() {
        [one] => description(one),
        [one, ..] => pair_description(one),
        [] => Text::default(),
    };
    let can_open = (pair.trie.is_some() || pair.legacy.is_some())
        && facts.iter().any(|it| it.index.is_some() && it.version.is_read());
    let (open, add) = match facts.iter().map(|it| absent(it).len()).sum::<usize>() {
        0 => ("Open", None),
        1 => ("Open without it", Some("Add the file")),
        _ => ("Open without them", Some("Add the files")),
    };
    Group { pair, title, caption, folders, about, tables, open: can_open.then_some(open), add }
}

/// `Cassandra 5.0, trie index · by version and components`, with keyspace and table in front where they are known.
pub fn what(facts: &TableFacts) -> String {
    let table = facts.table.as_ref().map_or(String::new(), |table| format!("{table} · "));
    format!("{table}{}, {} · {}", written_by(facts), index_name(facts.index), told_from(facts))
}

/// What is the matter with one SSTable of several, or with all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matter {
    /// Name of the SSTable; `None` where there is only one, or all are in the same case.
    pub of: Option<String>,
    /// What is the matter, and what follows from it.
    pub cost: Cost,
}

/// What is the matter with SSTables that are opened together, what matters most first; what they have in common is
/// said once.
pub fn matters(tables: &[&TableFacts]) -> Vec<Matter> {
    let mut matters: Vec<Matter> = Vec::new();
    for (i, facts) in tables.iter().enumerate() {
        let named = (tables.len() > 1).then(|| facts.name.clone());
        for cost in costs(facts) {
            match matters.iter_mut().find(|it| it.cost == cost) {
                // Said of the only other one: now it holds for both.
                Some(same) if i == 1 && tables.len() == 2 => same.of = None,
                _ => matters.push(Matter { of: named.clone(), cost }),
            }
        }
    }
    matters.sort_by_key(|it| std::cmp::Reverse(it.cost.weight));
    matters
}

/// What a link needs that the browser cannot open by itself.
pub fn wanted(wanted: &Wanted) -> String {
    format!(
        "This link opens {} ({}, {}). Choose the same files again to see the same step.",
        wanted.name,
        bytes(wanted.bytes),
        wanted.hash
    )
}

/// Address of a sample's overview.
pub fn sample_link(sample: &SampleEntry) -> String {
    format!("#/s/{}/overview", sample.name)
}

/// Formats of a sample, `da oa`.
pub fn sample_formats(sample: &SampleEntry) -> String {
    format!("{} {}", sample.trie.version, sample.legacy.version)
}

/// Size of a sample's trie index, `162 kB`.
pub fn sample_size(sample: &SampleEntry) -> String {
    match sample.made {
        Some(_) => "made here".to_owned(),
        None => about(sample.trie.bytes_of(&["Partitions.db", "Rows.db"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::overview::testing::{facts, set};
    use crate::model::{SampleFile, SampleTable, Stranger};
    use triescope_core::table::{Component, Part, Problem};

    fn opened(tables: Vec<TableFacts>, pairs: Vec<Pair>) -> Opened {
        let tables = tables.into_iter().enumerate().map(|(i, facts)| (i as u32 + 10, facts));
        Opened { tables: tables.collect(), pairs, strangers: vec![] }
    }

    fn without(mut facts: TableFacts, part: Part) -> TableFacts {
        facts.components.push(Component {
            part: Some(part),
            name: part.file_name().to_owned(),
            bytes: None,
            listed: Some(true),
            needed: true,
        });
        facts
    }

    #[test]
    fn a_pair_is_opened_as_one_and_names_both() {
        let pair = Pair { trie: Some(10), legacy: Some(11) };
        let in_folder = |version: &str| TableFacts {
            directory: format!("data/{version}"),
            ..set("p20k", version)
        };
        let opened = opened(vec![in_folder("da"), in_folder("oa")], vec![pair]);
        let groups = groups(&opened);
        assert_eq!(groups[0].folders.as_deref(), Some("data/da and data/oa"));
        assert_eq!(heading(&opened), "2 SSTables recognised");
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].title, "da-1-big and oa-1-big");
        assert_eq!((groups[0].open, groups[0].add), (Some("Open"), None));
        assert_eq!(groups[0].tables, [0, 1]);
    }

    #[test]
    fn what_is_missing_is_on_the_button() {
        let pair = Pair { trie: Some(10), legacy: None };
        let here = [("Partitions.db", 9), ("Data.db", 9)];
        let one = without(facts("da", &here), Part::CompressionInfo);
        let group = groups(&opened(vec![one.clone()], vec![pair])).remove(0);
        assert_eq!((group.open, group.add), (Some("Open without it"), Some("Add the file")));
        assert_eq!(group.caption, "Cassandra 5.0, trie index · by version and components");
        let two = without(without(one, Part::Statistics), Part::Digest);
        let group = groups(&opened(vec![two], vec![pair])).remove(0);
        assert_eq!((group.open, group.add), (Some("Open without them"), Some("Add the files")));
    }

    #[test]
    fn what_a_pair_has_in_common_is_said_once() {
        let missing = |version, part| {
            let mut facts = without(set("p20k", version), part);
            facts.problems.push(Problem::Missing(part));
            facts
        };
        let (trie, mut legacy) = (missing("da", Part::Statistics), missing("oa", Part::Statistics));
        legacy.problems.push(Problem::Missing(Part::Summary));
        let matters = matters(&[&trie, &legacy]);
        let of: Vec<_> = matters.iter().map(|it| it.of.as_deref()).collect();
        assert_eq!(of, [None, Some("oa-1-big")]);
        assert!(matters[1].cost.what.starts_with("Without Summary.db"));
    }

    #[test]
    fn an_sstable_without_an_index_is_listed_but_not_opened() {
        let mut half = without(facts("da", &[("Data.db", 9)]), Part::Partitions);
        half.index = None;
        let group = groups(&opened(vec![half], vec![])).remove(0);
        assert_eq!((group.open, group.add), (None, Some("Add the file")));
    }

    #[test]
    fn a_folder_of_other_files_says_what_was_expected() {
        let mut none = opened(vec![], vec![]);
        assert_eq!(heading(&none), "No SSTable recognised");
        let why = "expected a name like da-1-bti-Data.db".to_owned();
        none.strangers = vec![Stranger { path: "a.txt".to_owned(), bytes: 3, why }];
        assert_eq!(
            expected(&none),
            "Expected names such as da-1-bti-Data.db, found 1 file with other names."
        );
    }

    #[test]
    fn a_sample_has_a_link_formats_and_a_size() {
        let table = |folder: &str, files: &[(&str, u64)]| SampleTable {
            folder: folder.to_owned(),
            version: folder.rsplit('/').next().unwrap().to_owned(),
            files: files
                .iter()
                .map(|(name, bytes)| SampleFile { name: (*name).to_owned(), bytes: *bytes })
                .collect(),
        };
        let sample = SampleEntry {
            name: "p20k".to_owned(),
            teaches: String::new(),
            trie: table("p20k/da", &[("da-1-bti-Partitions.db", 162_365), ("da-1-bti-Data.db", 9)]),
            legacy: table("p20k/oa", &[]),
            present: String::new(),
            absent: None,
            dead_end: None,
            row: None,
            writer: None,
            made: None,
        };
        assert_eq!(sample_link(&sample), "#/s/p20k/overview");
        assert_eq!(sample_formats(&sample), "da oa");
        assert_eq!(sample_size(&sample), "162 kB");
        let made = Some(crate::model::Made { rows: 1, block_bytes: 1024 });
        assert_eq!(sample_size(&SampleEntry { made, ..sample }), "made here");
    }
}
