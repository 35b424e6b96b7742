//! What became of an SSTable in another version, and what had to be assumed or left out.

use super::RowPlan;
use crate::table::{Part, Version};
use std::fmt;

/// Something that source and target do not both have, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The target names the host that wrote it, the source does not: none is named.
    NoHost,
    /// The source names its host, the target cannot.
    HostLost,
    /// The target says whether it belongs to a repair or a transient replica, the source does not: to neither.
    NoRepair,
    /// It belonged to a repair that is not finished, which the target cannot say.
    RepairLost,
    /// The target tells the share of the token space, the source does not: it is said to be unknown.
    NoTokenSpace,
    /// The source tells the share of the token space, the target cannot.
    TokenSpaceLost,
    /// Bounds of the clusterings in the source cannot be trusted, or not be expressed: none are given.
    NoBounds,
    /// Bounds of the clusterings without a kind are taken to be inclusive.
    InclusiveBounds,
    /// An exclusive bound of the clusterings is written without its kind.
    KindsLost,
    /// The key range and the flag for deleted partitions, which the source does not have, were taken from the rows.
    KeyRange,
    /// Key range and flag for deleted partitions are not written: the target has no place for them.
    KeyRangeLost,
    /// The source has no sketch of the keys that Cassandra reads: it was made of the keys, in its normal form.
    SketchMade,
    /// The two databases count rows and columns by different rules; the numbers are those of the source.
    Totals,
    /// Generations that it was compacted from are left out.
    AncestorsLost,
    /// Bytes behind the sketch, which early ScyllaDB left there, are left out.
    LeftOver,
    /// Data.db is compressed by this program, so its chunks are not those that a database would have made.
    Compressed,
    /// The compressor does not exist where the target is read.
    Compressor {
        /// Its class.
        was: String,
        /// What Data.db is now, in words.
        now: String,
    },
    /// Options of the compressor that the readers of the target do not know.
    Option {
        /// Its name.
        name: String,
    },
    /// Scylla.db is not written: checksums of files, token ranges, statistics about large data.
    NoScylla,
    /// There is no Filter.db, so none is written.
    NoFilter,
    /// A component of the source that is not carried over.
    Left {
        /// Its word in the file name.
        name: String,
    },
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetReport {
    /// The version of the source's Data.db.
    pub from: Version,
    /// The version that was written.
    pub to: Version,
    /// What was done with Data.db.
    pub rows: RowPlan,
    /// Partitions, where they were counted.
    pub partitions: Option<u64>,
    /// "Not deleted" of collections that got another local time.
    pub live_pairs: u64,
    /// Bytes of each file.
    pub files: Vec<(Part, u64)>,
    /// What had to be assumed or left out.
    pub notes: Vec<Note>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoHost => "Statistics.db of the source names no host, so none is named",
            Self::HostLost => "the host that wrote it is left out: the version has no place for it",
            Self::NoRepair => {
                "Statistics.db of the source knows of no repair in progress and of no transient replica, so it is in neither"
            }
            Self::RepairLost => {
                "the repair that it is part of is left out: the version has no place for it"
            }
            Self::NoTokenSpace => {
                "the share of the token space is not known, and said to be unknown"
            }
            Self::TokenSpaceLost => {
                "the share of the token space is left out: the version has no place for it"
            }
            Self::NoBounds => {
                "bounds of the clusterings are not to be trusted in the source, so none are given"
            }
            Self::InclusiveBounds => {
                "bounds of the clusterings have no kind in the source, and are taken to be inclusive"
            }
            Self::KindsLost => {
                "a bound of the clusterings is exclusive, which the version has no place for"
            }
            Self::KeyRange => {
                "first and last key, and whether partitions are deleted as a whole, were taken from Data.db"
            }
            Self::KeyRangeLost => {
                "first and last key, and whether partitions are deleted as a whole, are left out of Statistics.db: the version has no place for them"
            }
            Self::SketchMade => {
                "the source has no sketch of its keys that Cassandra reads, so one was made of them"
            }
            Self::Totals => {
                "rows and columns set are counted as the writer of the source counted them, which need not be Cassandra's way"
            }
            Self::AncestorsLost => "the generations that it was compacted from are left out",
            Self::LeftOver => "bytes behind the sketch of the keys are left out",
            Self::Compressed => {
                "Data.db is compressed anew: the same rows, but not the chunks that a database would have made"
            }
            Self::Compressor { was, now } => {
                return write!(f, "{was} is not known where the version is read: Data.db is {now}");
            }
            Self::Option { name } => {
                return write!(
                    f,
                    "{name}, an option of the compressor, is left out: its readers do not know it"
                );
            }
            Self::NoScylla => {
                "Scylla.db is left out: ScyllaDB treats the files as those that Cassandra wrote"
            }
            Self::NoFilter => "there is no Filter.db, so none is written",
            Self::Left { name } => return write!(f, "{name} is left out"),
        })
    }
}
