//! What differs between versions, component by component: each version is the one it came from with what it changed, and
//! why (`docs/format/files.md`, versions). Sources are named there; a change marked *source* was not seen in a file here.

/// The layouts of all components in one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// Index.db.
    pub index: IndexFormat,
    /// Deletion times in Data.db and in the promoted index. Rows.db always has the compact form.
    pub deletion: DeletionForm,
    /// The local time, as 32 bits, of a collection in Data.db that is not deleted: the one that is written, then others that
    /// its readers know.
    pub live_times: &'static [u32],
    /// Summary.db ends with the bounds of memory-mapped segments, behind the last key. Nothing needs them.
    pub has_segment_bounds: bool,
    /// Statistics.db.
    pub statistics: StatisticsFormat,
    /// CompressionInfo.db has the greatest compressed length: chunks that would be longer are stored as they are.
    pub has_max_compressed_length: bool,
    /// Filter.db.
    pub filter: FilterFormat,
    /// Checksums of chunks: behind each compressed chunk, and in CRC.db.
    pub chunk_checksum: ChunkChecksum,
    /// Data.db.
    pub data: DataForm,
}

/// Layout of an entry of Index.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexFormat {
    /// u64 position, u32 promoted size; the promoted index is local time, timestamp, u32 count, blocks of two cell names
    /// and two u64, without a table of offsets: it is read from its start.
    Fixed,
    /// Position and promoted size are vints; the promoted index has a head, blocks and a table of their offsets.
    Vints,
}

/// Form of a deletion time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeletionForm {
    /// Always 12 bytes: i32 local time, i64 timestamp.
    Plain,
    /// One byte when live, else i64 timestamp, u32 local time.
    Compact,
}

/// Layout of Statistics.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatisticsFormat {
    /// The compaction component begins with the generations that the SSTable was compacted from.
    pub has_ancestors: bool,
    /// The stats component has the least local deletion time and the bounds of times to live, and counts cells and rows.
    pub has_expiry_and_totals: bool,
    /// The commit log that it contains.
    pub commit_log: CommitLogForm,
    /// Checksums of the container; pending repair and transient flag in the stats component.
    pub has_checksums: bool,
    /// The stats component may end before the transient flag: pre-releases wrote it so under the same letters.
    pub may_end_before_transient: bool,
    /// Bounds of the clusterings.
    pub clustering: ClusteringForm,
    /// They can be trusted: range deletions could lie outside before.
    pub has_true_bounds: bool,
    /// The host that wrote it.
    pub has_host_id: bool,
    /// A flag for deletions of whole partitions, and the first and the last key.
    pub has_key_range: bool,
    /// The share of the token space.
    pub has_token_space: bool,
    /// Bytes behind the known fields are left alone.
    pub has_unknown_end: bool,
}

/// What Statistics.db says of the commit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitLogForm {
    /// Its upper bound.
    Upper,
    /// Both bounds.
    Bounds,
    /// Both bounds and the intervals between them.
    Intervals,
}

/// How Statistics.db bounds the clusterings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusteringForm {
    /// Lists of least and greatest values.
    Values,
    /// The lists, and a slice with its types behind the flag for partition deletions.
    ValuesAndSlice,
    /// A slice with its types in place of the lists.
    Slice,
}

/// Layout of Filter.db, and how its bits are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterFormat {
    /// Stored as bytes, bit 0 of byte 0 first; else as words with their highest byte first.
    pub has_bytes: bool,
    /// The first word of a key's hash is the base and the second the step; else the other way round.
    pub is_base_first: bool,
    /// What files of these letters do not agree in.
    pub doubt: Option<FilterDoubt>,
}

/// What the letters of a version leave open about its filters: development versions wrote them under the same letters. Keys
/// of the SSTable settle it, which its filter must not deny.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterDoubt {
    /// [`FilterFormat::has_bytes`]: in `na`.
    Bytes,
    /// [`FilterFormat::is_base_first`]: in `la`.
    Base,
}

/// Algorithm of chunk checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkChecksum {
    /// Adler-32.
    Adler32,
    /// CRC32.
    Crc32,
}

impl ChunkChecksum {
    /// The checksum of the bytes of a chunk.
    pub fn of(self, bytes: &[u8]) -> u32 {
        match self {
            Self::Adler32 => adler2::adler32_slice(bytes),
            Self::Crc32 => crate::meta::crc32(bytes),
        }
    }
}

/// How rows lie in Data.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataForm {
    /// Cell after cell, each with its full name.
    Cells,
    /// Rows, by the types of a serialization header in Statistics.db.
    Rows,
    /// Not decoded.
    Unknown,
}

/// "Never" as a local time, where it is signed and where it is not. Cassandra 5 writes the latter into its `nb`, too.
const SIGNED_NEVER: u32 = 0x7fff_ffff;
const UNSIGNED_NEVER: u32 = 0xffff_ffff;

/// Cassandra 2.1. Files.
const KA: Formats = Formats {
    index: IndexFormat::Fixed,
    deletion: DeletionForm::Plain,
    live_times: &[SIGNED_NEVER],
    has_segment_bounds: true,
    statistics: StatisticsFormat {
        has_ancestors: true,
        has_expiry_and_totals: false,
        commit_log: CommitLogForm::Upper,
        has_checksums: false,
        may_end_before_transient: false,
        clustering: ClusteringForm::Values,
        has_true_bounds: false,
        has_host_id: false,
        has_key_range: false,
        has_token_space: false,
        has_unknown_end: false,
    },
    has_max_compressed_length: false,
    filter: FilterFormat { has_bytes: false, is_base_first: true, doubt: None },
    chunk_checksum: ChunkChecksum::Adler32,
    data: DataForm::Cells,
};

/// Cassandra 2.2.0: names without keyspace and table, which do not matter here. Files. One file of a development version
/// has the filter of `ma`.
const LA: Formats =
    Formats { filter: FilterFormat { doubt: Some(FilterDoubt::Base), ..KA.filter }, ..KA };

/// Cassandra 2.2.7 writes down from where on the commit log is contained, to replay less of it. Source.
const LB: Formats = Formats {
    statistics: StatisticsFormat { commit_log: CommitLogForm::Bounds, ..LA.statistics },
    ..LA
};

/// Cassandra 3.0 stores rows instead of cells, and everything shorter; it did not yet have the bound of `lb`. Files.
const MA: Formats = Formats {
    index: IndexFormat::Vints,
    has_segment_bounds: false,
    statistics: StatisticsFormat {
        has_ancestors: false,
        has_expiry_and_totals: true,
        ..LA.statistics
    },
    filter: FilterFormat { has_bytes: false, is_base_first: false, doubt: None },
    chunk_checksum: ChunkChecksum::Crc32,
    data: DataForm::Rows,
    ..LA
};

/// Cassandra 3.0.7: the bound of `lb`. Files.
const MB: Formats = Formats {
    statistics: StatisticsFormat { commit_log: CommitLogForm::Bounds, ..MA.statistics },
    ..MA
};

/// Cassandra 3.0.8: SSTables may contain pieces of the commit log with gaps between them. Files.
pub(super) const MC: Formats = Formats {
    statistics: StatisticsFormat { commit_log: CommitLogForm::Intervals, ..MB.statistics },
    ..MB
};

/// Cassandra 3.0.18 counts range deletions in the bounds of the clusterings. Files.
const MD: Formats =
    Formats { statistics: StatisticsFormat { has_true_bounds: true, ..MC.statistics }, ..MC };

/// Cassandra 3.0.25 names the writer, since positions in the commit log of another host mean nothing. Files. ScyllaDB's
/// `ms` and `mt` are this with another index.
const ME: Formats =
    Formats { statistics: StatisticsFormat { has_host_id: true, ..MD.statistics }, ..MD };

/// Cassandra 4.0 previews: checksums of the metadata, repair in progress, raw chunks, filters that are mapped into memory
/// as they are. Files. It forked off before `me`, so the writer is not named.
const NA: Formats = Formats {
    statistics: StatisticsFormat {
        has_checksums: true,
        may_end_before_transient: true,
        ..MD.statistics
    },
    live_times: &[UNSIGNED_NEVER, SIGNED_NEVER],
    has_max_compressed_length: true,
    filter: FilterFormat { has_bytes: true, doubt: Some(FilterDoubt::Bytes), ..MD.filter },
    ..MD
};

/// Cassandra 4.0: names the writer. Files.
const NB: Formats = Formats {
    statistics: StatisticsFormat {
        has_host_id: true,
        may_end_before_transient: false,
        ..NA.statistics
    },
    filter: FilterFormat { doubt: None, ..NA.filter },
    ..NA
};

/// Cassandra 5.0 previews: bounds with their types, so that they can be read without the schema. Files.
const NC: Formats = Formats {
    statistics: StatisticsFormat {
        clustering: ClusteringForm::ValuesAndSlice,
        has_key_range: true,
        ..NB.statistics
    },
    ..NB
};

/// Cassandra 5.0: deletion times up to 2106, and one byte for none. Files. `da` is this with another index.
const OA: Formats = Formats {
    deletion: DeletionForm::Compact,
    live_times: &[UNSIGNED_NEVER],
    statistics: StatisticsFormat {
        clustering: ClusteringForm::Slice,
        has_token_space: true,
        ..NC.statistics
    },
    ..NC
};

/// DataStax Enterprise 6 forked off a preview of 4.0 and added fields of its own to Statistics.db. Files.
const BB: Formats = Formats {
    statistics: StatisticsFormat {
        clustering: ClusteringForm::Slice,
        has_unknown_end: true,
        may_end_before_transient: false,
        ..NA.statistics
    },
    data: DataForm::Unknown,
    filter: NB.filter,
    ..NA
};

/// The layouts of a version by its letters, `None` for one that this program does not read.
pub(super) const fn of(letters: [u8; 2]) -> Option<&'static Formats> {
    Some(match &letters {
        b"ka" => &KA,
        b"la" => &LA,
        b"lb" => &LB,
        b"ma" => &MA,
        b"mb" => &MB,
        b"mc" => &MC,
        b"md" => &MD,
        b"me" | b"ms" | b"mt" => &ME,
        b"na" => &NA,
        b"nb" => &NB,
        b"nc" => &NC,
        b"oa" | b"da" => &OA,
        b"bb" => &BB,
        _ => return None,
    })
}
