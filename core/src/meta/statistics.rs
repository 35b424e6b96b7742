//! Statistics.db: its container and the components in it (`docs/format/statistics.md`).
//!
//! The file is read whole. A component that is damaged is reported and the others stay usable.

use super::{SerializationHeader, Stats, text};
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
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
    /// What is damaged: a component that is `None` here, or one whose checksum differs although it could be read.
    pub problems: Vec<ReadError>,
}

/// The validation component.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// Full Java class name of the partitioner.
    pub partitioner: String,
    /// Chance of a false positive that Filter.db was sized for; 1.0 means that there is none.
    pub filter_chance: f64,
}

/// An entry of the table of contents.
struct Entry {
    kind: u32,
    from: usize,
    /// End of the component without its checksum.
    to: usize,
    checksum: Option<u32>,
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
        for entry in container(version, bytes, &mut read.problems)? {
            let body = bytes.get(entry.from..entry.to).unwrap_or(&[]);
            let mut cursor = Cursor::new(Part::Statistics, FilePos(len64(entry.from)), body);
            let outcome = match entry.kind {
                0 => Validation::read(&mut cursor).map(|it| read.validation = Some(it)),
                2 => Stats::read(version, &mut cursor).map(|it| read.stats = Some(it)),
                3 => SerializationHeader::read(&mut cursor).map(|it| read.header = Some(it)),
                // Type 1 holds a sketch of the keys for compaction: opaque. Other types are not known.
                _ => continue,
            };
            match outcome.and_then(|()| entry.verify(body)) {
                Err(Error::Damage(error)) => read.problems.push(*error),
                other => other?,
            }
        }
        Ok(read)
    }

    /// Partitions, summed from the histogram of their sizes.
    pub fn partitions(&self) -> Option<u64> {
        self.stats.as_ref().map(|stats| stats.partition_sizes.total())
    }
}

impl Entry {
    /// Compares the component with its checksum.
    fn verify(&self, body: &[u8]) -> Result<(), Error> {
        let computed = crate::meta::crc32(body);
        match self.checksum {
            Some(stored) if stored != computed => Err(ReadError::unexpected(
                Part::Statistics,
                FilePos(len64(self.to)),
                "checksum",
                format!("{computed:08x}, that of the component's bytes"),
                format!("{stored:08x}"),
            )
            .into()),
            _ => Ok(()),
        }
    }
}

/// Reads the table of contents. Early ScyllaDB wrote it out of order, so ends are found by sorting.
fn container(
    version: Version,
    bytes: &[u8],
    problems: &mut Vec<ReadError>,
) -> Result<Vec<Entry>, Error> {
    let checksums = version.has_checksums();
    let mut cursor = Cursor::new(Part::Statistics, FilePos(0), bytes);
    let count = {
        let at = cursor.clone();
        let count = cursor.u32("component count")?;
        if !(1..=32).contains(&count) {
            return Err(at.error("component count", "1 to 32", i128::from(count)));
        }
        count
    };
    if checksums {
        check(bytes.get(..4), &mut cursor, problems)?;
    }
    let mut starts = Vec::new();
    let head = 4 + u64::from(count) * 8 + if checksums { 8 } else { 0 };
    for _ in 0..count {
        let kind = cursor.u32("component type")?;
        let at = cursor.pos();
        let from = cursor.u32("component offset")?;
        if u64::from(from) < head || u64::from(from) > len64(bytes.len()) {
            // One component lies outside, perhaps since the file was cut: the others stay usable.
            let expected = format!("{head} to {}, the length of the file", bytes.len());
            let field = "component offset";
            problems.push(ReadError::out_of_range(Part::Statistics, at, field, expected, from));
            continue;
        }
        starts.push((mem(u64::from(from)).unwrap_or(usize::MAX), kind));
    }
    if checksums {
        let before = cursor.used();
        let count_and_toc =
            [bytes.get(..4), bytes.get(8..before)].map(|b| b.unwrap_or(&[])).concat();
        check(Some(&count_and_toc), &mut cursor, problems)?;
    }
    starts.sort_unstable();
    let ends = starts.iter().skip(1).map(|(from, _)| *from).chain([bytes.len()]);
    let mut entries = Vec::new();
    for ((from, kind), end) in starts.iter().copied().zip(ends) {
        let body = bytes.get(from..end).unwrap_or(&[]);
        entries.push(match (checksums, body.split_last_chunk::<4>()) {
            (false, _) => Entry { kind, from, to: end, checksum: None },
            (true, Some((body, stored))) => {
                let to = from + body.len();
                Entry { kind, from, to, checksum: Some(u32::from_be_bytes(*stored)) }
            }
            // Cut off: parsing the empty rest reports which field is missing.
            (true, None) => Entry { kind, from, to: from, checksum: None },
        });
    }
    Ok(entries)
}

/// Compares a checksum in the head of the file; a difference is a problem, not an end.
fn check(
    over: Option<&[u8]>,
    cursor: &mut Cursor<'_>,
    problems: &mut Vec<ReadError>,
) -> Result<(), Error> {
    let at = cursor.pos();
    let (computed, stored) =
        (crate::meta::crc32(over.unwrap_or(&[])), cursor.u32("table of contents checksum")?);
    if computed != stored {
        problems.push(ReadError::new(
            Part::Statistics,
            at,
            "table of contents checksum",
            Kind::Unexpected {
                expected: format!("{computed:08x}").into(),
                found: format!("{stored:08x}").into(),
            },
        ));
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
