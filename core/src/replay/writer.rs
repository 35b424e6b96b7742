//! Whose way of packing is replayed.

use crate::bti::pack::Flavour;
use crate::source::Source;
use crate::table::{IndexKind, Product, Table, Version};
use serde::{Deserialize, Serialize};

/// One of the two writers of tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Writer {
    /// Apache Cassandra 5: a node a byte.
    Cassandra,
    /// ScyllaDB: chains.
    Scylla,
}

impl Writer {
    /// Both, in the order in which they are shown.
    pub const BOTH: [Self; 2] = [Self::Cassandra, Self::Scylla];

    /// The writer that a file of this version claims.
    pub const fn of(version: Version) -> Self {
        match version.product() {
            Product::ScyllaDb => Self::Scylla,
            _ => Self::Cassandra,
        }
    }

    /// The writer that an open SSTable claims: by its version, and where both databases write that, by what it holds.
    pub fn of_table<S: Source>(table: &Table<S>) -> Self {
        let is_legacy = table.readable_index() == Some(IndexKind::Legacy);
        match is_legacy && table.is_written_by_scylla() {
            true => Self::Scylla,
            false => Self::of(table.version()),
        }
    }

    /// How it packs.
    pub const fn flavour(self) -> Flavour {
        match self {
            Self::Cassandra => Flavour::CASSANDRA,
            Self::Scylla => Flavour::SCYLLA,
        }
    }

    /// Its name: `Cassandra`, `ScyllaDB`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cassandra => "Cassandra",
            Self::Scylla => "ScyllaDB",
        }
    }

    /// The sign between a branch with its node and 4,096 where the branch stays whole.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Cassandra => "<",
            Self::Scylla => "≤",
        }
    }

    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Cassandra => Self::Scylla,
            Self::Scylla => Self::Cassandra,
        }
    }
}
