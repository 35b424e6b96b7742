//! Scylla.db as far as lookups need it: the feature bits that its writer sets (`docs/format/scylla.md`).

use crate::cursor::Cursor;
use crate::error::Error;
use crate::limits;
use crate::pos::FilePos;
use crate::source::{Source, read_range};
use crate::table::Part;

/// Tag of the record that holds the features.
const FEATURES: u32 = 2;

/// Feature bits of an SSTable written by ScyllaDB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScyllaFeatures(pub u64);

impl ScyllaFeatures {
    /// Whether the width of the last block of a promoted index leaves out the byte that ends the partition
    /// (`CorrectLastPiBlockWidth`, bit 6).
    pub const fn has_exact_block_widths(self) -> bool {
        self.0 & (1 << 6) != 0
    }

    /// Reads the records up to the one with the features; without that record no feature is set. Damage is a record
    /// that passes the end of the file.
    pub fn read<S: Source>(source: &S) -> Result<Self, Error> {
        let head = |at: FilePos| read_range(Part::Scylla, source, at, 8, "record");
        let count_bytes = read_range(Part::Scylla, source, FilePos(0), 4, "number of records")?;
        let count = Cursor::new(Part::Scylla, FilePos(0), &count_bytes).u32("number of records")?;
        let mut at = FilePos(4);
        for _ in 0..count.min(limits::SCYLLA_RECORDS) {
            let bytes = head(at)?;
            let mut cursor = Cursor::new(Part::Scylla, at, &bytes);
            let (tag, size) = (cursor.u32("tag")?, cursor.u32("size")?);
            let body = FilePos(at.0.saturating_add(8));
            if tag == FEATURES {
                let bytes = read_range(Part::Scylla, source, body, 8, "features")?;
                return Ok(Self(Cursor::new(Part::Scylla, body, &bytes).u64("features")?));
            }
            at = FilePos(body.0.saturating_add(u64::from(size)));
        }
        Ok(Self::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_found_behind_other_records() {
        let bytes: &[u8] = &[
            0, 0, 0, 2, // records
            0, 0, 0, 6, 0, 0, 0, 3, 1, 2, 3, // origin, 3 bytes
            0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x40, // features, bit 6
        ];
        assert!(ScyllaFeatures::read(&bytes).unwrap().has_exact_block_widths());
        assert!(ScyllaFeatures::read(&&bytes[..20]).is_err());
        assert!(ScyllaFeatures::read(&&bytes[..4]).is_err());
    }
}
