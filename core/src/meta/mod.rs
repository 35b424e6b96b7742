//! The files about the file: Statistics, CompressionInfo, Filter, CRC, Digest, TOC, Scylla.

mod checksum;
mod compaction;
mod compression;
mod crc;
mod digest;
mod filter;
mod filter_write;
mod header;
mod scylla;
mod statistics;
mod stats;
mod toc;
mod whole;
mod write;

pub use checksum::{Checksum, Crc32, crc32};
pub use compaction::{Compaction, Sketch, SketchForm};
pub use compression::{Compression, Compressor, StoredChunk};
pub use crc::CrcTable;
pub use digest::{Digest, DigestKind};
pub use filter::{ClearBit, FilterHeader};
pub use filter_write::FilterWriter;
pub use header::{Column, SerializationHeader};
pub use scylla::{
    ColumnKind, ComponentDigest, LargeData, LargeDataRecord, ScyllaBody, ScyllaColumn,
    ScyllaFeatures, ScyllaMetadata, ScyllaRecord, ScyllaSchema, TimestampStat, TokenBound,
    TokenRange,
};
pub use statistics::{Statistics, StatisticsPart, Validation};
pub use stats::{CommitLogPosition, CoveredSlice, Histogram, SliceBound, Stats, StatsPlaces};
pub use toc::{Toc, TocEntry};
pub(crate) use whole::{read_whole, text};
pub use write::StatisticsModel;
