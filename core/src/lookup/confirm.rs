//! The last step before the answer: Data.db is read at the position that the index has found.
//!
//! The key stored there is compared, and where a row is searched, the rows of the chosen block are passed over until it is
//! found or a greater one is.

use super::{
    BlockStep, Confirmation, DataStep, NotConfirmed, Observer, Query, RowConfirmation, RowKind,
    RowTarget, Step,
};
use crate::data::{DataReader, RowRange};
use crate::error::Error;
use crate::pos::DataPos;
use crate::source::Source;
use crate::table::Table;
use serde_bytes::ByteBuf;
use std::cmp::Ordering;

/// Reads Data.db at the position of a partition, compares the key, looks for the row of the query in `block` (the whole
/// partition without one), and tells the observer. What is missing or damaged becomes part of the step; the only error is
/// bytes that are not here yet.
pub fn confirm<S: Source, O: Observer>(
    table: &Table<S>,
    query: &Query<'_>,
    at: DataPos,
    block: Option<&BlockStep>,
    observer: &mut O,
) -> Result<DataStep, Error> {
    let mut step = DataStep {
        at,
        chunks: Vec::new(),
        compressor: table.facts.compressor.clone(),
        key: Confirmation::Equal,
        row: None,
    };
    match table.data_reader() {
        Err(why) => step.key = Confirmation::NotConfirmed(why),
        Ok(mut reader) => {
            step.key = compare_key(&mut reader, query.key, at)?;
            if let (Confirmation::Equal, Some(target)) = (&step.key, query.row) {
                step.row = Some(find_row(table, &mut reader, at, block, target)?);
            }
            step.chunks = reader.chunks().to_vec();
        }
    }
    observer.step(|| Step::Data(step.clone()));
    Ok(step)
}

fn compare_key<S: Source>(
    reader: &mut DataReader<'_, S>,
    key: &[u8],
    at: DataPos,
) -> Result<Confirmation, Error> {
    match reader.key(at) {
        Ok((found, _)) if found == key => Ok(Confirmation::Equal),
        Ok((found, _)) => Ok(Confirmation::Differs { found: ByteBuf::from(found) }),
        Err(Error::Damage(error)) => Ok(Confirmation::NotConfirmed(NotConfirmed::Damaged(*error))),
        Err(miss) => Err(miss),
    }
}

fn find_row<S: Source>(
    table: &Table<S>,
    reader: &mut DataReader<'_, S>,
    partition: DataPos,
    block: Option<&BlockStep>,
    target: &RowTarget,
) -> Result<RowConfirmation, Error> {
    let (Some(format), Some(schema), RowKind::Row) =
        (table.row_format(), table.clustering_schema(), target.kind)
    else {
        return Ok(RowConfirmation::NotRead { error: None });
    };
    if block.is_some_and(|block| block.after_last) {
        return Ok(RowConfirmation::Absent { passed: 0 });
    }
    let range = RowRange {
        partition,
        start: block.map(|block| block.start),
        end: block.and_then(|block| block.end),
    };
    let dialect = table.dialect();
    let found = reader.find_row(&format, range, |values| {
        if values == target.values {
            return Ordering::Equal;
        }
        // Other bytes may still be an equal value (1.0 and 1.00): the byte-comparable form decides.
        let values = values.iter().map(Option::as_deref);
        schema.comparable(dialect, RowKind::Row, values).bytes.cmp(&target.comparable)
    });
    match found {
        Err(Error::Damage(error)) => Ok(RowConfirmation::NotRead { error: Some(*error) }),
        other => other,
    }
}
