//! Which version's index is built.

use crate::bti::pack::Flavour;
use crate::source::Source;
use crate::table::{IndexKind, Part, Product, Table, Version};
use serde::{Deserialize, Serialize};

/// A version whose index can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target(Version);

impl Target {
    /// The target of a version; `None` where the writers do not know its index.
    pub fn new(version: Version) -> Option<Self> {
        Version::WRITTEN.contains(&version).then_some(Self(version))
    }

    /// All of them, those with a trie first.
    pub fn all() -> impl Iterator<Item = Self> {
        Version::WRITTEN.into_iter().map(Self)
    }

    /// The other index of the same database, which is what a person compares a file with:
    ///
    /// - of a trie the legacy index that its database wrote before: `da` → `oa`, whose Data.db is the same byte for byte,
    ///   and `ms`, `mt` → `me`, likewise;
    /// - of a legacy index that ScyllaDB reads (`mc` to `me`, and older) `mt`, which ScyllaDB writes where `ms` could be
    ///   written, too: its keys are in the order of Data.db, those of `ms` in another for keys of one token;
    /// - of any other legacy index `da`, the only trie of Cassandra.
    ///
    /// `None` for a version that is not read.
    pub fn of(version: Version) -> Option<Self> {
        version.counterpart().map(Self)
    }

    /// As [`Self::of`] for an open SSTable. One without an index gets the one that its version should have.
    pub fn for_table<S: Source>(table: &Table<S>) -> Option<Self> {
        match table.readable_index() {
            Some(_) => Self::of(table.version()),
            None => Self::new(table.version()).or_else(|| Self::of(table.version())),
        }
    }

    /// The version.
    pub fn version(self) -> Version {
        self.0
    }

    /// The index.
    pub fn kind(self) -> IndexKind {
        self.0.index().unwrap_or(IndexKind::Legacy)
    }

    /// How its trie is packed; `None` for a legacy index.
    pub fn flavour(self) -> Option<Flavour> {
        match (self.kind(), self.0.product()) {
            (IndexKind::Legacy, _) => None,
            (IndexKind::Trie, Product::ScyllaDb) => Some(Flavour::SCYLLA),
            (IndexKind::Trie, _) => Some(Flavour::CASSANDRA),
        }
    }

    /// The files that are built.
    pub fn parts(self) -> [Part; 2] {
        match self.kind() {
            IndexKind::Trie => [Part::Partitions, Part::Rows],
            IndexKind::Legacy => [Part::Index, Part::Summary],
        }
    }

    /// Bytes of rows after which its database closes a row block where nobody has set another size: 16 KiB for Cassandra's
    /// trie, 64 KiB for everything else.
    pub fn default_block_bytes(self) -> u64 {
        match (self.kind(), self.0.product()) {
            (IndexKind::Trie, Product::Cassandra) => 16 << 10,
            _ => 64 << 10,
        }
    }
}
