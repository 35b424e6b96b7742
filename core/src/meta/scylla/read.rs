//! Reading all records of Scylla.db.

use super::ScyllaFeatures;
use super::model::{
    ColumnKind, ComponentDigest, LargeData, LargeDataRecord, ScyllaBody, ScyllaColumn,
    ScyllaMetadata, ScyllaRecord, ScyllaSchema, TimestampStat, TokenBound, TokenRange,
};
use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::limits;
use crate::meta::{Checksum, read_whole, text};
use crate::pos::{FilePos, len64};
use crate::source::Source;
use crate::table::Part;

/// Bytes of a record's tag and size.
const HEAD_BYTES: usize = 8;

impl ScyllaMetadata {
    /// Reads the file whole (`limits::SCYLLA_BYTES`). Fails when the number of records cannot be read or cannot be.
    pub fn read<S: Source>(source: &S) -> Result<Self, Error> {
        Self::parse(&read_whole(Part::Scylla, source, limits::SCYLLA_BYTES)?)
    }

    /// Reads the bytes of the file. Fails when the number of records cannot be read or cannot be.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(Part::Scylla, FilePos(0), bytes);
        let before = cursor.clone();
        let count = cursor.count(HEAD_BYTES, "number of records")?;
        if len64(count) > u64::from(limits::SCYLLA_RECORDS) {
            let found = i128::try_from(count).unwrap_or(i128::MAX);
            return Err(before.error("number of records", "at most 64", found));
        }
        let mut read = Self::default();
        for _ in 0..count {
            match ScyllaRecord::read(&mut cursor, &mut read.problems) {
                Ok(record) => read.records.push(record),
                Err(Error::Damage(error)) => {
                    // Where a record passes the end of the file, nothing tells where the next one begins.
                    read.problems.push(*error);
                    return Ok(read);
                }
                Err(miss) => return Err(miss),
            }
        }
        if read.records.iter().any(|record| record.tag == 12) {
            let over = bytes.get(..cursor.used()).unwrap_or(&[]);
            match Checksum::read("file", &mut cursor, FilePos(0), &[over]) {
                Ok(checksum) => read.checksum = Some(checksum),
                Err(Error::Damage(error)) => {
                    read.problems.push(*error);
                    return Ok(read);
                }
                Err(miss) => return Err(miss),
            }
        }
        if let Err(Error::Damage(error)) = ended(&cursor, "end of the file") {
            read.problems.push(*error);
        }
        Ok(read)
    }
}

impl ScyllaRecord {
    /// Reads a record; what is wrong inside its body becomes a problem.
    fn read(cursor: &mut Cursor<'_>, problems: &mut Vec<ReadError>) -> Result<Self, Error> {
        let at = cursor.pos();
        let (tag, size) = (cursor.u32("tag")?, cursor.u32("size")?);
        let start = cursor.pos();
        let bytes = cursor.take(usize::try_from(size).unwrap_or(usize::MAX), "record")?;
        let mut body = Cursor::new(Part::Scylla, start, bytes);
        let read = body_of(tag, &mut body);
        let body = match read.and_then(|read| ended(&body, "end of the record").map(|()| read)) {
            Ok(Some(body)) => body,
            Ok(None) => ScyllaBody::Unknown(bytes.to_vec()),
            Err(Error::Damage(error)) => {
                problems.push(*error);
                ScyllaBody::Unknown(bytes.to_vec())
            }
            Err(miss) => return Err(miss),
        };
        Ok(Self { at, tag, size, body })
    }
}

/// Reads the body of a record to its end; `None` for an unknown tag, whose bytes are passed over.
fn body_of(tag: u32, cursor: &mut Cursor<'_>) -> Result<Option<ScyllaBody>, Error> {
    Ok(Some(match tag {
        1 => ScyllaBody::Sharding(list(cursor, 6, "token ranges", |cursor| {
            Ok(TokenRange { left: TokenBound::read(cursor)?, right: TokenBound::read(cursor)? })
        })?),
        2 => ScyllaBody::Features(ScyllaFeatures(cursor.u64("features")?)),
        3 => ScyllaBody::Extensions(list(cursor, 8, "extension attributes", |cursor| {
            let name = cursor.int_bytes("attribute name")?.to_vec();
            Ok((name, cursor.int_bytes("attribute value")?.to_vec()))
        })?),
        4 => ScyllaBody::Run(uuid(cursor, "compaction run")?),
        5 => ScyllaBody::LargeDataStats(list(cursor, 24, "large data statistics", |cursor| {
            Ok(LargeData {
                kind: cursor.u32("large data kind")?,
                max: cursor.u64("large data maximum")?,
                threshold: cursor.u64("large data threshold")?,
                above: cursor.u32("large data above the threshold")?,
            })
        })?),
        6 => ScyllaBody::Origin(text(cursor.int_bytes("origin")?)),
        7 => ScyllaBody::Build(text(cursor.int_bytes("build of the writer")?)),
        8 => ScyllaBody::Version(text(cursor.int_bytes("version of the writer")?)),
        9 => ScyllaBody::Timestamps(list(cursor, 12, "least live timestamps", |cursor| {
            let kind = cursor.u32("timestamp kind")?;
            Ok(TimestampStat { kind, timestamp: cursor.i64("least live timestamp")? })
        })?),
        10 => ScyllaBody::Sstable(uuid(cursor, "SSTable identifier")?),
        11 => ScyllaBody::Schema(ScyllaSchema {
            table_id: uuid(cursor, "table identifier")?,
            version: uuid(cursor, "schema version")?,
            keyspace: text(cursor.int_bytes("keyspace")?),
            table: text(cursor.int_bytes("table")?),
            columns: list(cursor, 9, "columns", |cursor| {
                Ok(ScyllaColumn {
                    kind: ColumnKind::from_byte(cursor.u8("column kind")?),
                    name: cursor.int_bytes("column name")?.to_vec(),
                    class: text(cursor.int_bytes("column type")?),
                })
            })?,
        }),
        12 => ScyllaBody::Digests(list(cursor, 8, "component digests", |cursor| {
            let at = cursor.pos();
            let component = cursor.u32("component number")?;
            let part = ComponentDigest::part(component);
            Ok(ComponentDigest { at, component, part, crc32: cursor.u32("component digest")? })
        })?),
        13 => ScyllaBody::LargeDataRecords(list(cursor, 48, "large data records", |cursor| {
            Ok(LargeDataRecord {
                kind: cursor.u32("large data kind")?,
                key: cursor.int_bytes("partition key")?.to_vec(),
                clustering: cursor.int_bytes("clustering")?.to_vec(),
                column: cursor.int_bytes("column")?.to_vec(),
                value: cursor.u64("large data value")?,
                elements: cursor.u64("elements")?,
                range_tombstones: cursor.u64("range tombstones")?,
                dead_rows: cursor.u64("dead rows")?,
            })
        })?),
        _ => {
            cursor.take(cursor.left(), "record")?;
            return Ok(None);
        }
    }))
}

impl TokenBound {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let before = cursor.clone();
        let exclusive = match cursor.u8("exclusive flag")? {
            0 => false,
            1 => true,
            other => return Err(before.error("exclusive flag", "0 or 1", i128::from(other))),
        };
        Ok(Self { exclusive, token: cursor.short_bytes("token")?.to_vec() })
    }
}

/// A `u32` count and so many items of at least `least_bytes` each.
fn list<T>(
    cursor: &mut Cursor<'_>,
    least_bytes: usize,
    field: &'static str,
    mut item: impl FnMut(&mut Cursor<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let count = cursor.count(least_bytes, field)?;
    let mut items = Vec::with_capacity(count);
    for _ in 0..count {
        items.push(item(cursor)?);
    }
    Ok(items)
}

fn uuid(cursor: &mut Cursor<'_>, field: &'static str) -> Result<[u8; 16], Error> {
    Ok(cursor.take(16, field)?.first_chunk().copied().unwrap_or_default())
}

fn ended(cursor: &Cursor<'_>, field: &'static str) -> Result<(), Error> {
    match cursor.left() {
        0 => Ok(()),
        left => {
            Err(cursor.error(field, "no bytes left", i128::try_from(left).unwrap_or(i128::MAX)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of records, with the checksum that belongs behind tag 12.
    fn file(records: &[(u32, &[u8])]) -> Vec<u8> {
        let mut bytes = u32::try_from(records.len()).unwrap().to_be_bytes().to_vec();
        for (tag, body) in records {
            bytes.extend(tag.to_be_bytes());
            bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
            bytes.extend(*body);
        }
        if records.iter().any(|(tag, _)| *tag == 12) {
            bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
        }
        bytes
    }

    /// The body of one record, read without a problem.
    fn body(tag: u32, bytes: &[u8]) -> ScyllaBody {
        let mut read = ScyllaMetadata::parse(&file(&[(tag, bytes)])).unwrap();
        assert_eq!((&read.problems, read.records.len()), (&Vec::new(), 1));
        read.records.remove(0).body
    }

    const ID: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

    #[test]
    fn token_ranges_are_read() {
        let ScyllaBody::Sharding(ranges) = body(
            1,
            &[
                0, 0, 0, 1, // one range
                0, 0, 8, 0x80, 0, 0, 0, 0, 0, 0, 1, // from, inclusive
                1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7, // to, exclusive
            ],
        ) else {
            panic!()
        };
        assert_eq!((ranges[0].left.exclusive, ranges[0].right.exclusive), (false, true));
        assert_eq!(ranges[0].left.number(), Some(i64::MIN + 1));
        assert_eq!(ranges[0].right.number(), Some(7));
    }

    #[test]
    fn features_have_names() {
        let ScyllaBody::Features(features) = body(2, &[1, 0, 0, 0, 0, 0, 0, 0x41]) else {
            panic!()
        };
        let names: Vec<_> = features.names().collect();
        assert_eq!(names, ["NonCompoundPIEntries", "CorrectLastPiBlockWidth"]);
        assert_eq!(features.unnamed(), 1 << 56);
    }

    #[test]
    fn extension_attributes_are_names_and_values() {
        let read = body(3, &[0, 0, 0, 1, 0, 0, 0, 1, b'a', 0, 0, 0, 2, 8, 9]);
        assert_eq!(read, ScyllaBody::Extensions(vec![(b"a".to_vec(), vec![8, 9])]));
    }

    #[test]
    fn identifiers_and_texts_are_read() {
        assert_eq!(body(4, &ID), ScyllaBody::Run(ID));
        assert_eq!(body(10, &ID), ScyllaBody::Sstable(ID));
        let word = [0, 0, 0, 3, b'a', b'b', b'c'];
        assert_eq!(body(6, &word), ScyllaBody::Origin("abc".into()));
        assert_eq!(body(7, &word), ScyllaBody::Build("abc".into()));
        assert_eq!(body(8, &word), ScyllaBody::Version("abc".into()));
    }

    #[test]
    fn large_data_has_maximum_threshold_and_count() {
        let ScyllaBody::LargeDataStats(stats) = body(
            5,
            &[
                0, 0, 0, 1, // one
                0, 0, 0, 4, // rows of a partition
                0, 0, 0, 0, 0, 0, 1, 0, // 256 at most
                0, 0, 0, 0, 0, 0, 0, 100, // threshold
                0, 0, 0, 2, // two above it
            ],
        ) else {
            panic!()
        };
        assert_eq!(stats, [LargeData { kind: 4, max: 256, threshold: 100, above: 2 }]);
        assert_eq!(stats[0].name(), Some("rows of a partition"));
    }

    #[test]
    fn least_timestamps_have_kinds() {
        let ScyllaBody::Timestamps(stats) =
            body(9, &[0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe])
        else {
            panic!()
        };
        assert_eq!(stats, [TimestampStat { kind: 2, timestamp: -2 }]);
        assert_eq!(stats[0].name(), Some("least live row marker timestamp"));
    }

    #[test]
    fn a_schema_names_its_columns() {
        let mut bytes = [ID, ID].concat();
        bytes.extend([0, 0, 0, 2, b'k', b's', 0, 0, 0, 1, b't']);
        bytes.extend([0, 0, 0, 2]); // two columns
        bytes.extend([1, 0, 0, 0, 2, b'p', b'k', 0, 0, 0, 9]);
        bytes.extend(b"Int32Type");
        bytes.extend([9, 0, 0, 0, 1, b'x', 0, 0, 0, 0]);
        let ScyllaBody::Schema(schema) = body(11, &bytes) else { panic!() };
        assert_eq!((schema.keyspace.as_str(), schema.table.as_str()), ("ks", "t"));
        let kinds: Vec<_> = schema.columns.iter().map(|column| column.kind).collect();
        assert_eq!(kinds, [Some(ColumnKind::PartitionKey), None]);
        assert_eq!(schema.columns[0].class, "Int32Type");
    }

    #[test]
    fn component_digests_are_followed_by_a_checksum_of_the_file() {
        let digests = [
            0, 0, 0, 2, // two
            0, 0, 0, 13, 0xaa, 0xbb, 0xcc, 0xdd, // Partitions
            0, 0, 0, 14, 0, 0, 0, 1, // a temporary file
        ];
        let mut bytes = file(&[(12, &digests)]);
        let read = ScyllaMetadata::parse(&bytes).unwrap();
        assert!(read.problems.is_empty() && read.checksum.as_ref().unwrap().holds());
        assert_eq!(read.digests()[0].part, Some(Part::Partitions));
        assert_eq!((read.digests()[0].crc32, read.digests()[0].at), (0xaabb_ccdd, FilePos(16)));
        assert_eq!(read.digests()[1].part, None);
        bytes[20] ^= 1;
        let read = ScyllaMetadata::parse(&bytes).unwrap();
        assert!(!read.checksum.unwrap().holds());
        let cut = ScyllaMetadata::parse(&bytes[..bytes.len() - 1]).unwrap();
        assert_eq!((cut.checksum, cut.problems.len()), (None, 1));
    }

    #[test]
    fn large_data_records_name_the_row() {
        let mut bytes = vec![0, 0, 0, 1, 0, 0, 0, 3]; // one, a cell
        bytes.extend([0, 0, 0, 1, 7, 0, 0, 0, 1, 8, 0, 0, 0, 1, b'v']);
        for number in 1..=4u64 {
            bytes.extend(number.to_be_bytes());
        }
        let ScyllaBody::LargeDataRecords(records) = body(13, &bytes) else { panic!() };
        let LargeDataRecord { key, clustering, column, value, dead_rows, .. } = &records[0];
        assert_eq!((key.as_slice(), clustering.as_slice()), (&[7][..], &[8][..]));
        assert_eq!((column.as_slice(), *value, *dead_rows), (&b"v"[..], 1, 4));
        assert_eq!(records[0].name(), Some("bytes of a cell"));
    }

    #[test]
    fn an_unknown_record_keeps_its_bytes() {
        assert_eq!(body(99, &[1, 2, 3]), ScyllaBody::Unknown(vec![1, 2, 3]));
    }

    #[test]
    fn a_damaged_body_is_reported_and_the_other_records_are_read() {
        let bytes = file(&[(2, &[0; 7]), (10, &[0; 17]), (4, &ID)]);
        let read = ScyllaMetadata::parse(&bytes).unwrap();
        let said: Vec<_> = read.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "Scylla.db, offset 12 (page 0 + 12), features: expected 8 more bytes, found 7",
                "Scylla.db, offset 43 (page 0 + 43), end of the record: expected no bytes left, found 1"
            ]
        );
        assert_eq!(read.records[0].body, ScyllaBody::Unknown(vec![0; 7]));
        assert_eq!(read.records[2].body, ScyllaBody::Run(ID));
    }

    #[test]
    fn cut_at_every_length_it_is_reported() {
        let bytes = file(&[(4, &ID), (6, &[0, 0, 0, 1, b'x'])]);
        for cut in 0..bytes.len() {
            match ScyllaMetadata::parse(&bytes[..cut]) {
                Err(error) => assert!(cut < 20, "{cut}: {error}"),
                Ok(read) => assert_eq!(read.problems.len(), 1, "{cut}"),
            }
        }
    }
}
