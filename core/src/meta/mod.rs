//! The files about the file: Statistics, CompressionInfo, Filter, CRC, Digest, TOC.

mod compression;
mod crc;
mod digest;
mod filter;
mod toc;
mod whole;

pub use compression::{Compression, Compressor, StoredChunk};
pub use crc::CrcTable;
pub use digest::{Digest, DigestKind};
pub use filter::FilterHeader;
pub use toc::{Toc, TocEntry};
pub(crate) use whole::{read_whole, text};
