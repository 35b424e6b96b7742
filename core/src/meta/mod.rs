//! The files about the file: Statistics, CompressionInfo, Filter, CRC, Digest, TOC, Scylla.

mod checksum;
mod compression;
mod crc;
mod digest;
mod filter;
mod header;
mod scylla;
mod statistics;
mod stats;
mod toc;
mod whole;

pub use checksum::crc32;
pub use compression::{Compression, Compressor, StoredChunk};
pub use crc::CrcTable;
pub use digest::{Digest, DigestKind};
pub use filter::FilterHeader;
pub use header::{Column, SerializationHeader};
pub use scylla::ScyllaFeatures;
pub use statistics::{Statistics, Validation};
pub use stats::{Histogram, Stats};
pub use toc::{Toc, TocEntry};
pub(crate) use whole::{read_whole, text};
