//! Real values of every type: those of two rows that Cassandra wrote (`all_types_val`), cell by cell as they lie in Data.db.

use crate::common::cassandra;
use triescope_core::cql::{CqlType, parse_literal, to_text};
use triescope_core::table::Part;

/// Columns with a value of many cells, or none.
const NOT_HERE: [&str; 5] = ["l", "lf", "m", "s", "u"];

/// The values of a row, one after the other from the first cell on; each begins with a byte of flags.
fn check(version: &str, first: &[u8], values: &[(&str, &str)]) {
    let table = cassandra("all_types_val", version, 1).files;
    let header = table.table().statistics.unwrap().header.unwrap();
    let columns: Vec<_> =
        header.regular_columns.iter().filter(|c| !NOT_HERE.contains(&text(&c.name))).collect();
    assert_eq!(columns.len(), values.len());
    let data = table.part(Part::Data);
    let mut at = data.windows(first.len()).position(|bytes| bytes == first).unwrap();
    for (column, (name, literal)) in columns.iter().zip(values) {
        assert_eq!(text(&column.name), *name);
        let cql = CqlType::from_class(&column.class);
        let flags = data[at];
        assert_eq!(flags & !0x04, 0x08, "{name}: a cell with the timestamp of its row");
        at += 1;
        let mut value: &[u8] = &[];
        if flags & 0x04 == 0 {
            let length = match cql.fixed_len() {
                Some(length) => length as usize,
                None => {
                    at += 1;
                    data[at - 1].into()
                }
            };
            value = &data[at..at + length];
            at += length;
        }
        assert_eq!(to_text(&cql, value), *literal, "{version} {name}");
        assert_eq!(parse_literal(&cql, literal).as_deref(), Ok(value), "{version} {name}");
    }
}

fn text(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap()
}

#[test]
fn the_values_of_a_row_are_read_back() {
    let values = [
        ("c_ascii", "'ascii'"),
        ("c_bigint", "9007199254740993"),
        ("c_blob", "0xcafe00babe"),
        ("c_boolean", "true"),
        ("c_date", "'2024-02-29'"),
        ("c_decimal", "12345.6789"),
        ("c_double", "0.0025"),
        ("c_duration", "1mo2d3h4m5s6ms7us8ns"),
        ("c_float", "1.5"),
        ("c_inet", "'192.168.1.10'"),
        ("c_int", "42"),
        ("c_smallint", "-7"),
        ("c_text", "'grüße 😀'"),
        ("c_time", "'08:30:00.123456789'"),
        ("c_timestamp", "'2023-11-14T22:13:20.123Z'"),
        ("c_timeuuid", "5a54ad40-8313-11ee-8080-808080808080"),
        ("c_tinyint", "1"),
        ("c_uuid", "123e4567-e89b-42d3-a456-426614174000"),
        ("c_varint", "123456789012345678901234567890"),
        ("fl", "[4, 5]"),
        ("fm", "{'f': 9}"),
        ("fs", "{'x', 'y'}"),
        ("fu", "{x: 4, y: 'zed'}"),
        ("nested", "{'n': [{1, 2}, {3}]}"),
        ("t", "(1, 'one', true)"),
        ("vec", "[1.0, -2.5, 3.25]"),
    ];
    for version in ["da", "oa", "nb"] {
        check(version, b"\x08\x05ascii", &values);
    }
}

#[test]
fn the_extreme_values_of_a_row_are_read_back() {
    let values = [
        ("c_ascii", "''"),
        ("c_bigint", "-9223372036854775808"),
        ("c_blob", "0x"),
        ("c_boolean", "false"),
        ("c_date", "'-5877641-06-23'"),
        ("c_decimal", "-1E-30"),
        ("c_double", "-Infinity"),
        ("c_duration", "-1mo2d"),
        ("c_float", "NaN"),
        ("c_inet", "'::1'"),
        ("c_int", "-2147483648"),
        ("c_smallint", "-32768"),
        ("c_text", "''"),
        ("c_time", "'00:00:00.000000000'"),
        ("c_timestamp", "'1969-12-31T23:59:59.999Z'"),
        ("c_timeuuid", "13814000-1dd2-11b2-8080-808080808080"),
        ("c_tinyint", "-128"),
        ("c_uuid", "00000000-0000-0000-0000-000000000000"),
        ("c_varint", "-170141183460469231731687303715884105728"),
        ("fl", "[]"),
        ("fm", "{}"),
        ("fs", "{}"),
        ("fu", "{x: null, y: ''}"),
        ("nested", "{}"),
        ("t", "(null, null, null)"),
        ("vec", "[0.0, -0.0, 1.1754944e-38]"),
    ];
    // Empty ascii, then the least bigint, then an empty blob.
    let first = b"\x0c\x08\x80\0\0\0\0\0\0\0\x0c";
    for version in ["da", "oa", "nb"] {
        check(version, first, &values);
    }
}
