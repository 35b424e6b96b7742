//! Clustering values as they lie in Data.db, in the promoted index and in Statistics.db
//! (`docs/format/data.md`, clustering values).

use crate::cursor::Cursor;
use crate::error::Error;
use crate::pos::len64;
use crate::vint;

/// Values a header word describes: two bits each.
pub(super) const VALUES_IN_BLOCK: usize = 32;

/// Reads `count` clustering values; `lengths` holds, column by column, the length of values that are stored without one
/// ([`crate::cql::CqlType::fixed_len`]). A null value is `None`. More values than there are columns are damage.
///
/// Values come in blocks of up to 32, each behind a header of two bits a value: bit 0 for empty, bit 1 for null. No values
/// have no header.
pub fn read_values<'a>(
    cursor: &mut Cursor<'a>,
    lengths: &[Option<u32>],
    count: usize,
) -> Result<Vec<Option<&'a [u8]>>, Error> {
    let mut values = Vec::with_capacity(count.min(lengths.len()));
    each_value(cursor, lengths, count, |value| values.push(value))?;
    Ok(values)
}

/// As [`read_values`], one value after the other.
#[inline]
pub(crate) fn each_value<'a>(
    cursor: &mut Cursor<'a>,
    lengths: &[Option<u32>],
    count: usize,
    mut each: impl FnMut(Option<&'a [u8]>),
) -> Result<(), Error> {
    const FIELD: &str = "clustering values";
    let Some(lengths) = lengths.get(..count) else {
        let found = i128::try_from(count).unwrap_or(i128::MAX);
        return Err(cursor.error(FIELD, "at most one value a clustering column", found));
    };
    for block in lengths.chunks(VALUES_IN_BLOCK) {
        let before = cursor.clone();
        let mut header = cursor.uvint(FIELD)?;
        for length in block {
            each(match (header & 3, length) {
                (0, Some(length)) => {
                    Some(cursor.take(usize::try_from(*length).unwrap_or(usize::MAX), FIELD)?)
                }
                (0, None) => Some(cursor.vint_bytes(FIELD)?),
                (1, _) => Some(&[][..]),
                (2, _) => None,
                (bits, _) => {
                    return Err(before.error(
                        "clustering values header",
                        "bits 00, 01 or 10 a value",
                        i128::from(bits),
                    ));
                }
            });
            header >>= 2;
        }
    }
    Ok(())
}

/// Appends clustering values as [`read_values`] reads them, with `lengths` as there. A value of a column that is stored
/// without a length must have that length, or none.
pub fn write_values<'a>(
    values: impl IntoIterator<Item = Option<&'a [u8]>>,
    lengths: &[Option<u32>],
    out: &mut Vec<u8>,
) {
    let values: Vec<Option<&[u8]>> = values.into_iter().collect();
    for (block, lengths) in values.chunks(VALUES_IN_BLOCK).zip(lengths.chunks(VALUES_IN_BLOCK)) {
        let header = block.iter().rev().fold(0, |header, value| {
            let bits = match value {
                Some([]) => 1,
                Some(_) => 0,
                None => 2,
            };
            (header << 2) | bits
        });
        vint::uvint(header, out);
        for (value, length) in block.iter().zip(lengths) {
            let value = value.unwrap_or(&[]);
            if length.is_none() && !value.is_empty() {
                vint::uvint(len64(value.len()), out);
            }
            out.extend_from_slice(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pos::FilePos;
    use crate::table::Part;

    fn read(bytes: &[u8], lengths: &[Option<u32>]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let mut cursor = Cursor::new(Part::Data, FilePos(0), bytes);
        let values = read_values(&mut cursor, lengths, lengths.len())?;
        assert_eq!(cursor.left(), 0);
        Ok(values.into_iter().map(|value| value.map(<[u8]>::to_vec)).collect())
    }

    #[test]
    fn fixed_values_have_no_length_and_others_do() {
        let bytes = [
            0x24, // headers: normal, empty, null (bits 5 4 = 10, 3 2 = 01, 1 0 = 00)
            0, 0, 0, 7, // a value of 4 bytes
        ];
        let lengths = [Some(4), None, Some(8)];
        assert_eq!(read(&bytes, &lengths).unwrap(), [Some(vec![0, 0, 0, 7]), Some(vec![]), None]);
        assert_eq!(read(&[0, 2, b'a', b'b'], &[None]).unwrap(), [Some(b"ab".to_vec())]);
        assert!(read(&[], &[]).unwrap().is_empty());
    }

    #[test]
    fn values_written_are_read_back() {
        let lengths: Vec<Option<u32>> = (0..70).map(|i| (i % 3 == 0).then_some(2)).collect();
        let values: Vec<Option<Vec<u8>>> = (0..70u8)
            .map(|i| match i % 7 {
                0 => None,
                1 => Some(vec![]),
                _ => Some(vec![i; if i % 3 == 0 { 2 } else { 200 }]),
            })
            .collect();
        let mut bytes = Vec::new();
        write_values(values.iter().map(|value| value.as_deref()), &lengths, &mut bytes);
        assert_eq!(read(&bytes, &lengths).unwrap(), values);
    }

    #[test]
    fn the_33rd_value_lies_behind_a_header_of_its_own() {
        let mut bytes = vec![0];
        bytes.extend([9; 32]);
        bytes.extend([0x01]);
        let values = read(&bytes, &[Some(1); 33]).unwrap();
        assert_eq!((values[31].clone(), values[32].clone()), (Some(vec![9]), Some(vec![])));
    }

    #[test]
    fn a_value_both_empty_and_null_is_reported() {
        let error = read(&[3], &[None]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Data.db, offset 0 (page 0 + 0), clustering values header: expected bits 00, 01 or 10 a value, found 3"
        );
    }

    #[test]
    fn more_values_than_columns_are_reported() {
        let mut cursor = Cursor::new(Part::Index, FilePos(5), &[0; 8]);
        assert!(read_values(&mut cursor, &[Some(4)], 2).is_err());
    }
}
