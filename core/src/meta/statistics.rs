//! Statistics.db: its container and the components in it (`docs/format/statistics.md`).
//!
//! The file is read whole. A component that is damaged is reported and the others stay usable.

use super::{Checksum, SerializationHeader, Stats, text};
use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::limits;
use crate::pos::{FilePos, len64, mem};
use crate::source::Source;
use crate::table::{Part, Version};

/// What Statistics.db says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Partitioner and filter chance.
    pub validation: Option<Validation>,
    /// Histograms, bounds and counts.
    pub stats: Option<Stats>,
    /// Types of key, clustering and columns; bases of the times in Data.db.
    pub header: Option<SerializationHeader>,
    /// Where the components lie, those of unknown types included, in the order of the file.
    pub parts: Vec<StatisticsPart>,
    /// The checksums, of the count, the table of contents and each component. Versions before `na` have none.
    pub checksums: Vec<Checksum>,
    /// What could not be read: a component that is `None` here, or an entry of the table of contents.
    pub problems: Vec<ReadError>,
}

/// A component of Statistics.db in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatisticsPart {
    /// Its type: 0 validation, 1 compaction, 2 stats, 3 serialization header.
    pub kind: u32,
    /// Position of its first byte.
    pub at: FilePos,
    /// Its bytes, without the checksum behind them.
    pub bytes: u64,
}

/// The validation component.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// Full Java class name of the partitioner.
    pub partitioner: String,
    /// Chance of a false positive that Filter.db was sized for; 1.0 means that there is none.
    pub filter_chance: f64,
}

impl Statistics {
    /// Reads the file whole (`limits::STATISTICS_BYTES`). Fails when the container itself cannot be read.
    pub fn read<S: Source>(version: Version, source: &S) -> Result<Self, Error> {
        let bytes = super::read_whole(Part::Statistics, source, limits::STATISTICS_BYTES)?;
        Self::parse(version, &bytes)
    }

    /// Reads the bytes of the file. Fails when the container itself cannot be read.
    pub fn parse(version: Version, bytes: &[u8]) -> Result<Self, Error> {
        let mut read = Self::default();
        container(version, bytes, &mut read)?;
        for part in read.parts.clone() {
            let mut cursor = part.cursor(bytes);
            let outcome = match part.kind {
                0 => Validation::read(&mut cursor).map(|it| read.validation = Some(it)),
                2 => Stats::read(version, &mut cursor).map(|it| read.stats = Some(it)),
                3 => SerializationHeader::read(&mut cursor).map(|it| read.header = Some(it)),
                // Type 1 is read where it is asked for ([`super::Compaction`]). Other types are not known.
                _ => continue,
            };
            match outcome {
                Err(Error::Damage(error)) => read.problems.push(*error),
                other => other?,
            }
        }
        Ok(read)
    }

    /// The component of a type.
    pub fn part(&self, kind: u32) -> Option<StatisticsPart> {
        self.parts.iter().copied().find(|part| part.kind == kind)
    }

    /// Partitions, summed from the histogram of their sizes.
    pub fn partitions(&self) -> Option<u64> {
        self.stats.as_ref().map(|stats| stats.partition_sizes.total())
    }
}

impl StatisticsPart {
    /// The type in words; `unknown component` for a type that this program does not know.
    pub const fn name(self) -> &'static str {
        match self.kind {
            0 => "validation component",
            1 => "compaction component",
            2 => "stats component",
            3 => "serialization header",
            _ => "unknown component",
        }
    }

    /// A cursor over it in the bytes of the file.
    pub(super) fn cursor(self, file: &[u8]) -> Cursor<'_> {
        let from = mem(self.at.0).unwrap_or(usize::MAX);
        let to = mem(self.at.0.saturating_add(self.bytes)).unwrap_or(usize::MAX);
        Cursor::new(Part::Statistics, self.at, file.get(from..to).unwrap_or(&[]))
    }
}

/// Reads the table of contents, finds the components and compares the checksums. Early ScyllaDB wrote the table out of
/// order, so ends are found by sorting.
fn container(version: Version, bytes: &[u8], read: &mut Statistics) -> Result<(), Error> {
    let checksums = version.formats().statistics.has_checksums;
    let mut cursor = Cursor::new(Part::Statistics, FilePos(0), bytes);
    let before = cursor.clone();
    let count = cursor.u32("component count")?;
    if !(1..=32).contains(&count) {
        return Err(before.error("component count", "1 to 32", i128::from(count)));
    }
    let counted = bytes.get(..cursor.used()).unwrap_or(&[]);
    if checksums {
        let of = "component count";
        read.checksums.push(Checksum::read(of, &mut cursor, FilePos(0), &[counted])?);
    }
    let (mut starts, listed_from) = (Vec::new(), cursor.used());
    let head = 4 + u64::from(count) * 8 + if checksums { 8 } else { 0 };
    for _ in 0..count {
        let kind = cursor.u32("component type")?;
        let at = cursor.pos();
        let from = cursor.u32("component offset")?;
        if u64::from(from) < head || u64::from(from) > len64(bytes.len()) {
            // One component lies outside, perhaps since the file was cut: the others stay usable.
            let expected = format!("{head} to {}, the length of the file", bytes.len());
            let field = "component offset";
            let error = ReadError::out_of_range(Part::Statistics, at, field, expected, from);
            read.problems.push(error);
            continue;
        }
        starts.push((mem(u64::from(from)).unwrap_or(usize::MAX), kind));
    }
    if checksums {
        let listed = bytes.get(listed_from..cursor.used()).unwrap_or(&[]);
        let of = "table of contents";
        read.checksums.push(Checksum::read(of, &mut cursor, FilePos(0), &[counted, listed])?);
    }
    starts.sort_unstable();
    let ends = starts.iter().skip(1).map(|(from, _)| *from).chain([bytes.len()]);
    for ((from, kind), end) in starts.iter().copied().zip(ends) {
        let at = FilePos(len64(from));
        let mut part = StatisticsPart { kind, at, bytes: len64(end.saturating_sub(from)) };
        if checksums {
            // A component cut off before its checksum is empty: parsing it reports which field is missing.
            part.bytes = part.bytes.saturating_sub(4);
            let body = bytes.get(from..from + part.cursor(bytes).left()).unwrap_or(&[]);
            let mut stored = Cursor::new(
                Part::Statistics,
                FilePos(at.0.saturating_add(part.bytes)),
                bytes.get(from + body.len()..end).unwrap_or(&[]),
            );
            if let Ok(checksum) = Checksum::read(part.name(), &mut stored, at, &[body]) {
                read.checksums.push(checksum);
            }
        }
        read.parts.push(part);
    }
    Ok(())
}

impl Validation {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let partitioner = text(cursor.short_bytes("partitioner")?);
        Ok(Self { partitioner, filter_chance: cursor.f64("filter chance")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALIDATION_ONLY: &[u8] = &[
        0, 0, 0, 1, // one component
        0, 0, 0, 0, // type 0: validation
        0, 0, 0, 12, // offset
        0, 3, b'a', b'.', b'P', // partitioner
        0x3f, 0xf0, 0, 0, 0, 0, 0, 0, // chance 1.0
    ];

    fn parse(letters: &[u8], bytes: &[u8]) -> Result<Statistics, Error> {
        Statistics::parse(Version::new(letters).unwrap(), bytes)
    }

    #[test]
    fn the_container_of_m_versions_has_no_checksums() {
        let read = parse(b"mc", VALIDATION_ONLY).unwrap();
        let validation = read.validation.unwrap();
        assert_eq!((validation.partitioner.as_str(), validation.filter_chance), ("a.P", 1.0));
        assert!(read.problems.is_empty() && read.stats.is_none());
    }

    #[test]
    fn an_offset_outside_the_file_is_reported_and_the_other_components_are_read() {
        for offset in [0, 11, 26, 255] {
            let mut bytes = VALIDATION_ONLY.to_vec();
            bytes[11] = offset;
            let read = parse(b"mc", &bytes).unwrap();
            assert_eq!(read.validation, None);
            assert_eq!(
                read.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
                [format!(
                    "Statistics.db, offset 8 (page 0 + 8), component offset: expected 12 to 25, the length of the file, found {offset}"
                )]
            );
        }
    }

    #[test]
    fn a_text_file_is_no_statistics() {
        let error = parse(b"da", b"hello, world").unwrap_err();
        assert_eq!(
            error.to_string(),
            "Statistics.db, offset 0 (page 0 + 0), component count: expected 1 to 32, found 1751477356"
        );
    }

    #[test]
    fn cut_at_every_length_it_is_reported_and_the_rest_stays_usable() {
        for cut in 0..VALIDATION_ONLY.len() {
            match parse(b"mc", &VALIDATION_ONLY[..cut]) {
                Err(error) => assert!(cut < 12, "{cut}: {error}"),
                Ok(read) => assert_eq!((read.validation, read.problems.len()), (None, 1), "{cut}"),
            }
        }
    }
}
