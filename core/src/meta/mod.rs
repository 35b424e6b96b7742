//! The files about the file: Statistics, CompressionInfo, Filter, CRC, Digest, TOC, Scylla.
