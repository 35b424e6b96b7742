//! Statistics.db written: the whole model of its four components, in the layout of any version
//! (`docs/format/statistics.md`).

mod parts;
mod stats;

use super::{Compaction, SerializationHeader, Statistics, Stats, Validation};
use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::limits;
use crate::pos::{FilePos, len64};
use crate::source::Source;
use crate::table::{Part, Version};
use crate::write::WriteError;

/// All that Statistics.db says. In its own version it is written back as it was read, but for what no reader tells apart: a
/// histogram's first offset where it is not the second one, flags of other values than 0 and 1, other bits of "not a
/// number" for an unknown share of the token space, and fractions of seconds in the tombstone histogram. Of all known files
/// one of `la` has the last of these, and none any other.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticsModel {
    /// Partitioner and filter chance.
    pub validation: Option<Validation>,
    /// The sketch of the keys.
    pub compaction: Option<Compaction>,
    /// Histograms, bounds and counts.
    pub stats: Option<Stats>,
    /// Types and bases.
    pub header: Option<SerializationHeader>,
    /// Types of the components in the order in which the table of contents lists them: early ScyllaDB did not list them in
    /// the order in which they lie.
    pub listed: Vec<u32>,
    /// The bases of local deletion times and of times to live as they are stored. Their low 32 bits are what they say; early
    /// ScyllaDB stored differences of 64 bits.
    pub stored_bases: [u64; 2],
}

impl StatisticsModel {
    /// Reads the file whole (`limits::STATISTICS_BYTES`).
    ///
    /// # Errors
    /// A miss, or the first damage: what was not read cannot be written. Components of types that this program does not
    /// know are damage here.
    pub fn read<S: Source>(version: Version, source: &S) -> Result<Self, Error> {
        let bytes = super::read_whole(Part::Statistics, source, limits::STATISTICS_BYTES)?;
        let statistics = Statistics::parse(version, &bytes)?;
        if let Some(problem) = statistics.problems.into_iter().next() {
            return Err(problem.into());
        }
        if let Some(wrong) = statistics.checksums.iter().find(|checksum| !checksum.holds()) {
            return Err(wrong.error(Part::Statistics).into());
        }
        let mut compaction = None;
        for part in &statistics.parts {
            match part.kind {
                1 => {
                    compaction = Some(Compaction::parse(version, &mut part.cursor(&bytes))?);
                }
                0 | 2 | 3 => {}
                other => {
                    let expected = "0 to 3";
                    let field = "component type";
                    return Err(ReadError::out_of_range(
                        Part::Statistics,
                        part.at,
                        field,
                        expected,
                        other,
                    )
                    .into());
                }
            }
        }
        let listed = listed(version, &bytes)?;
        let mut stored_bases = [0; 2];
        if let Some(part) = statistics.parts.iter().find(|part| part.kind == 3) {
            let mut cursor = part.cursor(&bytes);
            cursor.uvint("min timestamp")?;
            stored_bases = [cursor.uvint("min local deletion time")?, cursor.uvint("min ttl")?];
        }
        let Statistics { validation, stats, header, .. } = statistics;
        Ok(Self { validation, compaction, stats, header, listed, stored_bases })
    }

    /// The bytes of the file in the layout of a version.
    ///
    /// # Errors
    /// A value that the version has no room for, or one that it needs and that is not known.
    pub fn write(&self, version: Version) -> Result<Vec<u8>, WriteError> {
        let has_checksums = version.formats().statistics.has_checksums;
        let mut bodies: Vec<(u32, Vec<u8>)> = Vec::new();
        if let Some(validation) = &self.validation {
            bodies.push((0, parts::validation(validation)?));
        }
        if let Some(compaction) = &self.compaction {
            bodies.push((1, parts::compaction(version, compaction)?));
        }
        if let Some(stats) = &self.stats {
            let mut body = Vec::new();
            stats::write(version, stats, &mut body)?;
            bodies.push((2, body));
        }
        if let Some(header) = &self.header {
            bodies.push((3, parts::header(header, self.stored_bases)));
        }
        parts::container(has_checksums, &self.listed, &bodies)
    }
}

/// The types in the order of the table of contents, of bytes whose container was read before.
fn listed(version: Version, bytes: &[u8]) -> Result<Vec<u32>, Error> {
    let mut cursor = Cursor::new(Part::Statistics, FilePos(0), bytes);
    let count = cursor.u32("component count")?;
    if version.formats().statistics.has_checksums {
        cursor.u32("checksum")?;
    }
    let mut listed = Vec::new();
    for _ in 0..count {
        listed.push(cursor.u32("component type")?);
        cursor.u32("component offset")?;
    }
    debug_assert!(len64(listed.len()) == u64::from(count));
    Ok(listed)
}
