//! The promoted index of versions before `ma`, whose blocks are bounded by names of cells
//! (`docs/format/index.md`, promoted index before `ma`).
//!
//! A cell name of a table with clustering columns is a composite: the clustering values, then the column's name, each with
//! its length before it and a byte behind it that says how it stands to names that begin with it. Tables `WITH COMPACT
//! STORAGE` and one clustering column have that value alone. Nothing in the file tells which it is: a name is taken for a
//! composite when it can be taken apart as one.

use super::promoted::{Block, Bound, BoundKind, PromotedHead};
use crate::cursor::Cursor;
use crate::data::Deletion;
use crate::error::{Error, ReadError};
use crate::pos::FilePos;
use crate::table::Part;
use serde_bytes::ByteBuf;

/// Fewest bytes of a block: two names without bytes, offset, width.
const LEAST_BLOCK: u64 = 20;
/// What a composite of a static column begins with, where others have a length.
const STATIC: u16 = 0xffff;

/// Reads the head, and the first block for the bytes before it; the cursor then stands behind the block count.
pub(super) fn head(cursor: &mut Cursor<'_>, size: u64) -> Result<PromotedHead, Error> {
    let at = cursor.pos();
    let end = FilePos(at.0.saturating_add(size));
    let deletion = Deletion::read_legacy(cursor)?;
    let count_at = cursor.pos();
    let blocks = u64::from(cursor.u32("block count")?);
    let blocks_at = cursor.pos();
    let most = end.0.saturating_sub(blocks_at.0) / LEAST_BLOCK;
    if blocks == 0 || blocks > most {
        let expected = format!("1..={most}, as many as the promoted index can hold");
        let error = ReadError::out_of_range(Part::Index, count_at, "block count", expected, blocks);
        return Err(error.into());
    }
    // The bytes before the first block stand nowhere else.
    let header_length = block(&mut cursor.clone(), &[])?.offset;
    Ok(PromotedHead { at, header_length, deletion, blocks, blocks_at, offsets_at: end, end })
}

/// Reads a block.
pub(super) fn block(cursor: &mut Cursor<'_>, lengths: &[Option<u32>]) -> Result<Block, Error> {
    let (at, start) = (cursor.pos(), cursor.used());
    let first = bound(cursor, lengths)?;
    let last = bound(cursor, lengths)?;
    let offset = cursor.u64("block start")?;
    let width = cursor.u64("block width")?;
    let size = u32::try_from(cursor.used() - start).unwrap_or(u32::MAX);
    Ok(Block { at, size, first, last, offset, width, open: None })
}

/// Reads a cell name as a bound, with all its components: the clustering values, then the name of the column.
/// `lengths` are those of the clustering columns ([`crate::cql::CqlType::fixed_len`]), none where they are not known.
pub(super) fn bound(cursor: &mut Cursor<'_>, lengths: &[Option<u32>]) -> Result<Bound, Error> {
    let name = cursor.short_bytes("cell name")?;
    let whole = || Bound { kind: BoundKind::Row, values: vec![Some(ByteBuf::from(name))] };
    let Some((mut values, end)) = components(name).filter(|(values, _)| fit(values, lengths))
    else {
        return Ok(whole());
    };
    let kind = match end {
        _ if name.first_chunk::<2>() == Some(&STATIC.to_be_bytes()) => {
            values.clear();
            BoundKind::InclusiveStart
        }
        0x01..=0x7f => BoundKind::InclusiveEnd,
        0 if values.len() >= lengths.len() => BoundKind::Row,
        // A name with fewer values lies before all that begin with them.
        _ => BoundKind::InclusiveStart,
    };
    let values = values.into_iter().map(|value| Some(ByteBuf::from(value))).collect();
    Ok(Bound { kind, values })
}

/// The components of a composite and the byte behind the last one; `None` when it is none.
fn components(name: &[u8]) -> Option<(Vec<&[u8]>, u8)> {
    let mut cursor = Cursor::new(Part::Index, FilePos(0), name);
    if name.starts_with(&STATIC.to_be_bytes()) {
        cursor.take(2, "static marker").ok()?;
    }
    let (mut values, mut end) = (Vec::new(), 0);
    while cursor.left() > 0 {
        values.push(cursor.short_bytes("component").ok()?);
        end = cursor.u8("end of the component").ok()?;
    }
    (!values.is_empty()).then_some((values, end))
}

/// Whether the components can be values of the clustering columns.
fn fit(values: &[&[u8]], lengths: &[Option<u32>]) -> bool {
    values.iter().zip(lengths).all(|(value, length)| {
        value.is_empty() || length.is_none_or(|length| u32::try_from(value.len()) == Ok(length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &[u8], lengths: &[Option<u32>]) -> (BoundKind, Vec<Vec<u8>>) {
        let mut bytes = u16::try_from(name.len()).unwrap().to_be_bytes().to_vec();
        bytes.extend(name);
        let mut cursor = Cursor::new(Part::Index, FilePos(0), &bytes);
        let bound = bound(&mut cursor, lengths).unwrap();
        assert_eq!(cursor.left(), 0);
        (bound.kind, bound.values.into_iter().map(|it| it.unwrap().into_vec()).collect())
    }

    const INT: Option<u32> = Some(4);

    #[test]
    fn a_name_holds_clustering_values_and_a_column() {
        let name = [0, 4, 0, 0, 0, 7, 0, 0, 4, 0, 0, 0, 9, 0, 0, 1, b'v', 0];
        let values = vec![vec![0, 0, 0, 7], vec![0, 0, 0, 9], b"v".to_vec()];
        for lengths in [&[INT, INT][..], &[]] {
            assert_eq!(read(&name, lengths), (BoundKind::Row, values.clone()));
        }
    }

    #[test]
    fn the_last_byte_tells_the_bounds_of_range_deletions() {
        let value = vec![vec![0, 0, 0, 7]];
        let name = |end| [0, 4, 0, 0, 0, 7, end];
        let kinds = [0xff, 0, 1].map(|end| read(&name(end), &[INT, INT]));
        let expected =
            [BoundKind::InclusiveStart, BoundKind::InclusiveStart, BoundKind::InclusiveEnd];
        assert_eq!(kinds, expected.map(|kind| (kind, value.clone())));
    }

    #[test]
    fn a_static_column_lies_before_all_rows() {
        let name = [0xff, 0xff, 0, 0, 0, 0, 1, b's', 0];
        assert_eq!(read(&name, &[INT]), (BoundKind::InclusiveStart, vec![]));
    }

    #[test]
    fn a_compact_table_has_the_value_alone() {
        assert_eq!(read(&[0, 0, 0, 7], &[INT]), (BoundKind::Row, vec![vec![0, 0, 0, 7]]));
        // This could be a composite of one byte, but no `int` has one.
        assert_eq!(read(&[0, 1, 2, 0], &[INT]), (BoundKind::Row, vec![vec![0, 1, 2, 0]]));
        assert_eq!(read(b"name", &[None]), (BoundKind::Row, vec![b"name".to_vec()]));
    }
}
