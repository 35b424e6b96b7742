//! The checksum of SSTables: CRC32 as zlib computes it, of chunks, components, and the ends of files.

use crc::{CRC_32_ISO_HDLC, Crc, Table};

const CRC32: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// The CRC32 of some bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    CRC32.checksum(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_equals_another_implementation() {
        let bytes: Vec<u8> = (0..5000_u32).flat_map(|n| (n * n).to_be_bytes()).collect();
        for end in [0, 1, 3, 64, 4096, bytes.len()] {
            assert_eq!(super::crc32(&bytes[..end]), crc32fast::hash(&bytes[..end]));
        }
    }
}
