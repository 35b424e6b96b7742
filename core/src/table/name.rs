//! Names: of components, and of the folders they lie in (`docs/format/files.md`).
//!
//! `<version>-<generation>-<format>-<component>` since Cassandra 2.2, and
//! `<keyspace>-<table>-<version>-<generation>-<component>` before it.

use super::{Generation, Part, Version};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The name of a component file, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentName {
    /// Keyspace and table, which only names before `la` hold.
    pub table: Option<(String, String)>,
    /// Version letters.
    pub version: Version,
    /// Generation.
    pub generation: Generation,
    /// The word `big` or `bti`; `big` where the name has none. Says nothing about the index: `ms` files say `big`.
    pub format: String,
    /// The component's word, `Data.db`, without a `.tmp` behind it.
    pub component: String,
    /// The component; `None` where the word is not known to this program (`SAI+…`, `UNKNOWN.txt`).
    pub part: Option<Part>,
    /// Whether the file is still being written: `….tmp`, `tmp-…`.
    pub temporary: bool,
}

/// Why a file name is not the name of a component: which part of it, what was expected, what was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameError {
    /// Part of the name: `version`, `generation`, `format`, `component`, `file name`.
    pub field: Cow<'static, str>,
    /// What stands there in the names of components.
    pub expected: Cow<'static, str>,
    /// What stands there in this one.
    pub found: String,
}

/// Keyspace and table as folder or file names tell them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TableName {
    /// Keyspace; `None` where only the table's own folder was given.
    pub keyspace: Option<String>,
    /// Table, and a dot and the index where it is the hidden table of a secondary index.
    pub table: String,
}

impl ComponentName {
    /// Takes a file name (no folders) apart.
    pub fn parse(file: &str) -> Result<Self, NameError> {
        let (name, tmp_behind) = strip(file, |name| name.strip_suffix(".tmp"));
        let (name, tmp_before) =
            strip(name, |name| name.strip_prefix("tmplink-").or(name.strip_prefix("tmp-")));
        let mut parsed = match Self::parse_new(name) {
            Err(error) => Self::parse_old(name).ok_or(error)?,
            Ok(parsed) => parsed,
        };
        parsed.temporary |= tmp_behind || tmp_before;
        Ok(parsed)
    }

    /// `<version>-<generation>-<format>-<component>`: only the first three hyphens separate.
    fn parse_new(name: &str) -> Result<Self, NameError> {
        let mut words = name.splitn(4, '-');
        let mut word = || words.next().unwrap_or("");
        let (version, generation, format, component) = (word(), word(), word(), word());
        let (Some(letters), true) = (Version::new(version.as_bytes()), name.contains('-')) else {
            return Err(NameError::new("file name", "a name such as da-1-bti-Data.db", name));
        };
        let generation = Generation::parse(generation)?;
        if !matches!(format, "big" | "bti") {
            return Err(NameError::new("format", "big or bti", format));
        }
        if component.is_empty() {
            return Err(NameError::new("component", "a component such as Data.db", component));
        }
        Ok(Self {
            table: None,
            version: letters,
            generation,
            format: format.to_owned(),
            component: component.to_owned(),
            part: Part::from_file_name(component),
            temporary: false,
        })
    }

    /// `<keyspace>-<table>-[tmp-]<version>-<generation>-<component>`: `ka` and before it. Only known components, since
    /// hyphens are common in the names of other files.
    fn parse_old(name: &str) -> Option<Self> {
        let mut words = name.rsplitn(4, '-');
        let (component, generation, version) = (words.next()?, words.next()?, words.next()?);
        let (rest, temporary) = strip(words.next()?, |rest| {
            rest.strip_suffix("-tmplink").or(rest.strip_suffix("-tmp"))
        });
        let (keyspace, table) = rest.split_once('-')?;
        let part = Part::from_file_name(component)?;
        Some(Self {
            table: Some((keyspace.to_owned(), table.to_owned())),
            version: Version::new(version.as_bytes())?,
            generation: Generation::parse(generation).ok()?,
            format: "big".to_owned(),
            component: component.to_owned(),
            part: Some(part),
            temporary,
        })
    }
}

fn strip<'a>(name: &'a str, cut: impl Fn(&'a str) -> Option<&'a str>) -> (&'a str, bool) {
    match cut(name) {
        Some(rest) => (rest, true),
        None => (name, false),
    }
}

impl NameError {
    /// A part of a name other than expected.
    pub fn new(
        field: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        found: &str,
    ) -> Self {
        Self { field: field.into(), expected: expected.into(), found: found.to_owned() }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = if self.found.is_empty() { "nothing" } else { &self.found };
        write!(f, "{}: expected {}, found {found}", self.field, self.expected)
    }
}

impl std::error::Error for NameError {}

impl TableName {
    /// The table that the folders of a path name: the last folder `<table>-<32 hex digits>`, below which only the
    /// databases' own subfolders lie (`snapshots/<tag>`, `backups`, `upload`, `.<index>` and so on).
    pub fn of_directory(directory: &str) -> Option<Self> {
        let mut folders: Vec<&str> = directory.split('/').filter(|name| !name.is_empty()).collect();
        let mut index = "";
        loop {
            let (last, before) = folders.split_last()?;
            if let Some(table) = table_of_folder(last) {
                return Some(Self {
                    keyspace: before.last().map(|&keyspace| keyspace.to_owned()),
                    table: format!("{table}{index}"),
                });
            }
            let tag = before.last() == Some(&"snapshots");
            if last.starts_with('.') && index.is_empty() {
                index = last;
            } else if !tag
                && !matches!(*last, "backups" | "staging" | "upload" | "quarantine" | "snapshots")
                && !last.ends_with(".sstable")
            {
                return None;
            }
            folders.pop();
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.keyspace {
            Some(keyspace) => write!(f, "{keyspace}.{}", self.table),
            None => f.write_str(&self.table),
        }
    }
}

/// The table in a folder name `<table>-<32 hex digits>`; the last hyphen separates.
fn table_of_folder(folder: &str) -> Option<&str> {
    let (table, id) = folder.rsplit_once('-')?;
    let is_id = id.len() == 32 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (is_id && !table.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> ComponentName {
        ComponentName::parse(name).unwrap()
    }

    fn refused(name: &str) -> String {
        ComponentName::parse(name).unwrap_err().to_string()
    }

    #[test]
    fn the_first_three_hyphens_separate() {
        let name = parse("ms-5-big-Partitions.db");
        assert_eq!((name.version.as_str(), name.format.as_str()), ("ms", "big"));
        assert_eq!(name.generation, Generation::Number(5));
        assert_eq!((name.part, name.temporary), (Some(Part::Partitions), false));

        let name = parse("da-3gsm_0lob_1zdg02we44my8dy25w-bti-Rows.db");
        assert_eq!(name.generation.to_string(), "3gsm_0lob_1zdg02we44my8dy25w");
        assert_eq!(name.part, Some(Part::Rows));

        let name = parse("oa-7-big-SAI+ba+my-index+TermsData.db");
        assert_eq!((name.component.as_str(), name.part), ("SAI+ba+my-index+TermsData.db", None));
        assert_eq!(parse("me-3-big-Digest.adler32").part, Some(Part::Digest));
    }

    #[test]
    fn old_names_hold_keyspace_and_table() {
        for (name, version) in [("ks-tbl-ka-1-Data.db", "ka"), ("ks-tbl-jb-12-Data.db", "jb")] {
            let name = parse(name);
            assert_eq!(name.table, Some(("ks".into(), "tbl".into())));
            assert_eq!((name.version.as_str(), name.part), (version, Some(Part::Data)));
        }
        let index = parse("ks-tbl.idx-ka-1-Index.db");
        assert_eq!(index.table, Some(("ks".into(), "tbl.idx".into())));
    }

    #[test]
    fn unfinished_files_are_marked() {
        for name in [
            "me-3-big-TOC.txt.tmp",
            "ms-3-big-Statistics.db.tmp",
            "tmp-la-1-big-Data.db",
            "tmplink-la-1-big-Data.db",
            "ks-tbl-tmp-ka-1-Data.db",
        ] {
            let name = parse(name);
            assert!(name.temporary && name.part.is_some(), "{name:?}");
        }
        assert_eq!(parse("ms-3-big-TemporaryHashes.db.tmp").part, None);
    }

    #[test]
    fn other_names_say_what_was_expected_and_found() {
        assert_eq!(
            refused("notes.txt"),
            "file name: expected a name such as da-1-bti-Data.db, found notes.txt"
        );
        assert_eq!(
            refused("da-x-bti-Data.db"),
            "generation: expected a number or a UUID such as 3gsm_0lob_1zdg02we44my8dy25w, found x"
        );
        assert_eq!(refused("da-1-bit-Data.db"), "format: expected big or bti, found bit");
        assert_eq!(
            refused("da-1-bti"),
            "component: expected a component such as Data.db, found nothing"
        );
        for name in ["", "-", "---", "da", "my-new-er-5-notes.txt", "DA-1-bti-Data.db"] {
            refused(name);
        }
    }

    #[test]
    fn folders_name_keyspace_and_table() {
        let id = "0123456789abcdef0123456789abcdef";
        let name = |dir: &str| TableName::of_directory(dir).map(|name| name.to_string());
        assert_eq!(name(&format!("data/shop/orders-{id}")).unwrap(), "shop.orders");
        assert_eq!(name(&format!("orders-{id}/snapshots/before-upgrade")).unwrap(), "orders");
        assert_eq!(name(&format!("shop/orders-{id}/backups")).unwrap(), "shop.orders");
        assert_eq!(name(&format!("shop/or-ders-{id}/5.sstable")).unwrap(), "shop.or-ders");
        assert_eq!(name(&format!("shop/orders-{id}/.by_date")).unwrap(), "shop.orders.by_date");
        for other in ["", "wide_many/da", "orders-0123", &format!("-{id}"), "snapshots/x"] {
            assert_eq!(name(other), None, "{other}");
        }
    }
}
