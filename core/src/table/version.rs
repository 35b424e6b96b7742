//! The version letters of an SSTable: which index it has, who writes it, and whether it is read. The layouts of its
//! components follow from them in `formats.rs`; nothing else knows versions by their letters.

use super::formats::{self, DataForm, DeletionForm, Formats};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Two lower-case letters, `da`, `ms`, `me`: the layout of all components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Version([u8; 2]);

/// Which index a version has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IndexKind {
    /// Partitions.db and Rows.db.
    Trie,
    /// Summary.db and Index.db.
    Legacy,
}

/// Who writes a version. Several versions are written by both databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Product {
    /// Apache Cassandra.
    Cassandra,
    /// ScyllaDB.
    ScyllaDb,
    /// Written by both.
    Either,
    /// DataStax Enterprise.
    Dse,
}

impl Version {
    /// All versions this program reads, those with a trie index first.
    pub const KNOWN: [Self; 16] = [
        Self(*b"ms"),
        Self(*b"mt"),
        Self(*b"da"),
        Self(*b"bb"),
        Self(*b"ma"),
        Self(*b"mb"),
        Self(*b"mc"),
        Self(*b"md"),
        Self(*b"me"),
        Self(*b"na"),
        Self(*b"nb"),
        Self(*b"nc"),
        Self(*b"oa"),
        Self(*b"ka"),
        Self(*b"la"),
        Self(*b"lb"),
    ];

    /// The versions whose index can be written, those with a trie first.
    pub const WRITTEN: [Self; 9] = [
        Self(*b"da"),
        Self(*b"ms"),
        Self(*b"mt"),
        Self(*b"mc"),
        Self(*b"md"),
        Self(*b"me"),
        Self(*b"na"),
        Self(*b"nb"),
        Self(*b"oa"),
    ];

    /// A version from its two letters; anything else is `None`.
    pub const fn new(letters: &[u8]) -> Option<Self> {
        match letters {
            [a @ b'a'..=b'z', b @ b'a'..=b'z'] => Some(Self([*a, *b])),
            _ => None,
        }
    }

    /// The two letters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("??")
    }

    /// The index that this version has, `None` for versions this program does not read.
    pub const fn index(self) -> Option<IndexKind> {
        match &self.0 {
            b"da" | b"ms" | b"mt" | b"bb" => Some(IndexKind::Trie),
            b"ma" | b"mb" | b"mc" | b"md" | b"me" | b"na" | b"nb" | b"nc" | b"oa" | b"ka"
            | b"la" | b"lb" => Some(IndexKind::Legacy),
            _ => None,
        }
    }

    /// The format word in the file names. That of `ms` and `mt` is that of the legacy index.
    pub const fn format_word(self) -> &'static str {
        match &self.0 {
            b"da" | b"bb" => "bti",
            _ => "big",
        }
    }

    /// Whether it is read.
    pub const fn is_read(self) -> bool {
        self.index().is_some()
    }

    /// Whether it is older than all that are read: `jb`, `ic`, `hd` and their like of Cassandra 0.7 to 2.0.
    pub const fn is_too_old(self) -> bool {
        matches!(self.0[0], b'f'..=b'j')
    }

    /// File names begin with keyspace and table: `ka` and all before it.
    pub const fn has_table_in_names(self) -> bool {
        self.is_too_old() || matches!(&self.0, b"ka")
    }

    /// Who writes it.
    pub const fn product(self) -> Product {
        match &self.0 {
            b"ms" | b"mt" => Product::ScyllaDb,
            b"bb" => Product::Dse,
            b"mc" | b"md" | b"me" | b"ka" | b"la" => Product::Either,
            _ => Product::Cassandra,
        }
    }

    /// The version with the other index that the same database writes; [`crate::twin::Target::of`] says why which.
    pub(crate) const fn counterpart(self) -> Option<Self> {
        match &self.0 {
            b"da" | b"bb" => Some(Self(*b"oa")),
            b"ms" | b"mt" => Some(Self(*b"me")),
            b"mc" | b"md" | b"me" | b"ka" | b"la" => Some(Self(*b"mt")),
            b"ma" | b"mb" | b"na" | b"nb" | b"nc" | b"oa" | b"lb" => Some(Self(*b"da")),
            _ => None,
        }
    }

    /// Who writes it first, with the release, as words: `Cassandra 5.0`.
    pub const fn release(self) -> &'static str {
        match &self.0 {
            b"da" | b"oa" => "Cassandra 5.0",
            b"nb" => "Cassandra 4.0 to 5.0",
            b"nc" => "a preview of Cassandra 5.0",
            b"na" => "a preview of Cassandra 4.0",
            b"ma" => "Cassandra 3.0",
            b"mb" => "Cassandra 3.0.7 or 3.7",
            b"mc" => "Cassandra 3.0.8 to 3.11, or ScyllaDB",
            b"md" => "Cassandra 3.11.4, or ScyllaDB",
            b"me" => "Cassandra 3.11.11, or ScyllaDB",
            b"ka" => "Cassandra 2.1, or ScyllaDB",
            b"la" => "Cassandra 2.2, or ScyllaDB",
            b"lb" => "Cassandra 2.2.7",
            [b'j', _] => "Cassandra 2.0",
            [b'i', _] => "Cassandra 1.2",
            [b'h', _] => "Cassandra 1.0 or 1.1",
            [b'f' | b'g', _] => "Cassandra 0.7 or 0.8",
            b"ms" | b"mt" => "ScyllaDB",
            b"bb" => "DataStax Enterprise 6",
            _ => "an unknown product",
        }
    }

    /// Whether ScyllaDB opens it with a legacy index (`ka la mc md me`): then it uses the file's own Summary.db.
    pub const fn is_read_by_scylla(self) -> bool {
        matches!(&self.0, b"ka" | b"la" | b"mc" | b"md" | b"me" | b"ms" | b"mt")
    }

    /// The layouts of its components. Those of `mc` for a version that is not read, whose components nobody opens.
    pub const fn formats(self) -> &'static Formats {
        match formats::of(self.0) {
            Some(formats) => formats,
            None => &formats::MC,
        }
    }

    /// Deletion times of 1 or 12 bytes, timestamp first (`oa`, `da`); else always 12 bytes, local time first.
    /// Holds for Data.db and the promoted index; Rows.db always has the compact form.
    pub const fn has_compact_deletion(self) -> bool {
        matches!(self.formats().deletion, DeletionForm::Compact)
    }

    /// Data.db has rows; that of `ka` and `la` has cells alone, each with its full name, and Statistics.db no types.
    pub const fn has_rows(self) -> bool {
        matches!(self.formats().data, DataForm::Rows)
    }

    /// Whether the keys of partitions can be read from Data.db. That of DSE `bb` is not read.
    pub const fn is_data_read(self) -> bool {
        self.is_read() && !matches!(self.formats().data, DataForm::Unknown)
    }

    /// The bounds of clusterings in Statistics.db can be trusted: from `md` on. Before, range deletions could lie outside.
    pub const fn has_true_clustering_bounds(self) -> bool {
        self.formats().statistics.has_true_bounds
    }

    /// Partition keys in the trie are translated column by column (`ms`), else as one blob.
    pub const fn has_column_wise_keys(self) -> bool {
        matches!(&self.0, b"ms")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
