//! The lookup in the legacy index of an opened SSTable: filter, samples, Index.db, Data.db, answer.

use super::{LegacyFound, LegacyIndex, find_legacy};
use crate::big::Samples;
use crate::error::{Error, ReadError};
use crate::keys::ClusteringSchema;
use crate::lookup::conclude::{Indexed, conclude, unknown};
use crate::lookup::{AbsentWhy, Answer, Observer, Query, ask_filter};
use crate::pos::FilePos;
use crate::race::LegacyReader;
use crate::source::Source;
use crate::table::{Part, Table};

/// Looks a key up, and a row where the query names one, and tells the observer every step, the answer last.
///
/// Damage ends the lookup with [`Answer::Unknown`]; the only errors are bytes that are not here yet, after which the
/// lookup is run again from the beginning, and a table without Index.db.
pub fn legacy<S: Source, O: Observer>(
    table: &Table<S>,
    samples: Samples<'_, S>,
    reader: LegacyReader,
    query: &Query<'_>,
    observer: &mut O,
) -> Result<Answer, Error> {
    let filter = ask_filter(table, query, observer)?;
    if filter.ends_lookup() {
        return conclude(table, query, Indexed::Absent(AbsentWhy::Filter), observer);
    }
    match walk(table, samples, reader, query, observer) {
        Ok(indexed) => conclude(table, query, indexed, observer),
        Err(Error::Damage(error)) => Ok(unknown(*error, observer)),
        Err(miss) => Err(miss),
    }
}

/// What the index alone says: nothing but Index.db and its samples is read, the filter and Data.db are not asked.
pub(crate) fn walk<S: Source, O: Observer>(
    table: &Table<S>,
    samples: Samples<'_, S>,
    reader: LegacyReader,
    query: &Query<'_>,
    observer: &mut O,
) -> Result<Indexed, Error> {
    let Some(index) = table.source(Part::Index) else {
        let (expected, found) = ("a readable index", "none");
        return Err(ReadError::unexpected(Part::Index, FilePos(0), "file", expected, found).into());
    };
    let (partitioner, unknown) = (table.partitioner(), ClusteringSchema::default());
    let legacy = LegacyIndex {
        index,
        samples,
        partitioner: &partitioner,
        version: table.version(),
        clustering: table.clustering_schema().or(query.clustering).unwrap_or(&unknown),
        exact_widths: table.has_exact_block_widths(),
    };
    Ok(match find_legacy(&legacy, reader, query, observer)? {
        LegacyFound::Absent(why) => Indexed::Absent(why),
        LegacyFound::Entry { data, block, .. } => Indexed::At { data, key_compared: true, block },
    })
}
