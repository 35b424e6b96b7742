//! Types, values, literals and byte-comparable keys of any bytes.

use super::input::Input;
use triescope_core::cql::{ColumnType, CqlType, parse_literal, to_text, write_json};
use triescope_core::keys::{
    ClusteringSchema, Dialect, KeyInput, KeySchema, KeyStyle, Partitioner, decode_partition_key,
    partition_key,
};
use triescope_core::lookup::{RowKind, RowTarget};

/// Classes of simple types.
const SIMPLE: [&str; 24] = [
    "AsciiType",
    "UTF8Type",
    "BytesType",
    "BooleanType",
    "ByteType",
    "ShortType",
    "Int32Type",
    "LongType",
    "FloatType",
    "DoubleType",
    "IntegerType",
    "DecimalType",
    "TimestampType",
    "DateType",
    "SimpleDateType",
    "TimeType",
    "UUIDType",
    "TimeUUIDType",
    "LexicalUUIDType",
    "InetAddressType",
    "DurationType",
    "CounterColumnType",
    "EmptyType",
    "org.example.CustomType",
];

/// A class name, nested as far as the input says, but not deep.
fn class(input: &mut Input<'_>, depth: u8) -> String {
    let simple = SIMPLE.len();
    let kind = if depth == 0 { input.below(simple) } else { input.below(simple + 8) };
    let mut inner = || class(input, depth - 1);
    match kind.checked_sub(simple) {
        None => SIMPLE[kind].to_owned(),
        Some(0) => format!("ListType({})", inner()),
        Some(1) => format!("SetType({})", inner()),
        Some(2) => format!("MapType({},{})", inner(), inner()),
        Some(3) => format!("TupleType({},{})", inner(), inner()),
        Some(4) => format!("UserType(ks,6e616d65,61:{},62:{})", inner(), inner()),
        Some(5) => format!("VectorType({} , 3)", inner()),
        Some(6) => format!("FrozenType({})", inner()),
        _ => format!("ReversedType({})", inner()),
    }
}

/// Classes, values, then a text.
pub fn keys(data: &[u8]) {
    let mut input = Input::new(data);
    let columns = 1 + input.below(3);
    let classes: Vec<String> = (0..columns)
        .map(|_| match input.below(8) {
            0 => String::from_utf8_lossy(input.short()).into_owned(),
            _ => class(&mut input, 2),
        })
        .collect();
    let values: Vec<&[u8]> = classes.iter().map(|_| input.short()).collect();
    let others: Vec<&[u8]> = classes.iter().map(|_| input.short()).collect();
    let text = String::from_utf8_lossy(input.rest()).into_owned();
    for (class, value) in classes.iter().zip(&values) {
        value_and_text(&CqlType::from_class(class), value, &text);
    }
    clustering(&classes, &values, &others, &text);
    partition(&classes, &values, &text);
}

/// What a text means is written as a text that means the same.
fn value_and_text(cql: &CqlType, value: &[u8], text: &str) {
    assert!(to_text(cql, value).len() <= 100 * (value.len() + 10), "{cql} of {value:x?}");
    let mut json = String::new();
    write_json(&mut json, cql, value);
    // A number may be greater than this reader takes.
    if let Err(error) = serde_json::from_str::<serde_json::Value>(&json) {
        let is_large = error.to_string().starts_with("number out of range");
        assert!(is_large, "{cql} of {value:x?} is no JSON: {json}: {error}");
    }
    let Ok(bytes) = parse_literal(cql, text) else { return };
    let written = to_text(cql, &bytes);
    match parse_literal(cql, &written) {
        Ok(again) => assert_eq!(to_text(cql, &again), written, "{cql} `{text}` {bytes:x?}"),
        Err(error) => assert!(text.contains("0x"), "{cql} `{text}` as `{written}`: {error}"),
    }
}

fn clustering(classes: &[String], values: &[&[u8]], others: &[&[u8]], text: &str) {
    let columns = classes.iter().map(|class| ColumnType::from_class(class)).collect();
    let schema = ClusteringSchema::new(columns);
    for dialect in dialects() {
        let mut places = Vec::new();
        if let Ok(target) = schema.parse(dialect, text) {
            let _ = schema.to_text(target.values.iter().map(Option::as_deref));
            places.push(target);
        }
        for values in [values, others] {
            let values = values.iter().map(|value| Some(value.to_vec())).collect();
            places.push(schema.target(dialect, RowKind::Row, values));
        }
        places.retain(|place| is_possible(&schema, place));
        for one in &places {
            decoded(&schema, dialect, &one.comparable);
            for other in &places {
                // No place is the beginning of another one.
                let is_begun = other.comparable.starts_with(&one.comparable);
                assert!(!is_begun || one.comparable == other.comparable, "{one:x?} {other:x?}");
            }
        }
        for bytes in values {
            let _ = (schema.decode(bytes), schema.describe(bytes));
        }
    }
}

/// Whether a place has values that their types can have: each is what its own text means, and not only bytes.
fn is_possible(schema: &ClusteringSchema, place: &RowTarget) -> bool {
    schema.columns().iter().zip(&place.values).all(|(column, value)| {
        let Some(value) = value else { return true };
        let text = to_text(&column.cql, value);
        let is_bytes = text.contains("0x") && *column.cql.unfrozen() != CqlType::Blob;
        !is_bytes && parse_literal(&column.cql, &text).as_ref() == Ok(value)
    })
}

/// Values that were read back give the bytes that they were read from.
fn decoded(schema: &ClusteringSchema, dialect: Dialect, bytes: &[u8]) {
    let back = schema.decode(bytes);
    let values = back.values.iter().map(Option::as_deref);
    let mut again = schema.comparable(dialect, RowKind::Row, values).bytes;
    again.pop();
    assert!(bytes.starts_with(&again), "{back:x?} gives {again:x?}, not {bytes:x?}");
    let _ = schema.describe(bytes);
}

fn dialects() -> [Dialect; 2] {
    let scylla = Dialect {
        key_style: KeyStyle::Columns,
        marks_empty_elements: true,
        empty_tuple_is_nulls: true,
    };
    [Dialect::CASSANDRA, scylla]
}

fn partition(classes: &[String], values: &[&[u8]], text: &str) {
    let columns = classes.iter().map(|class| CqlType::from_class(class)).collect();
    let schema = KeySchema::new(columns);
    for partitioner in [Partitioner::Murmur3, Partitioner::Random, Partitioner::ByteOrdered] {
        if let Ok(KeyInput::Key(key)) = schema.parse(&partitioner, text) {
            let _ = schema.to_text(&key);
            for style in [KeyStyle::Blob, KeyStyle::Columns, KeyStyle::OldBlob] {
                let comparable = partition_key(&partitioner, style, &schema, &key);
                let parts: usize = comparable.parts.iter().map(|part| part.bytes as usize).sum();
                assert_eq!(parts, comparable.bytes.len(), "parts leave no gaps");
                let back = decode_partition_key(&partitioner, style, &schema, &comparable.bytes);
                let is_lost = back.token.is_some_and(|token| token != partitioner.token(&key));
                assert!(!is_lost, "{classes:?} {key:x?}");
                if style == KeyStyle::Blob {
                    assert_eq!(back.key, Some(key.clone()), "{classes:?}");
                }
            }
        }
    }
    if let Some(key) = schema.pack(values) {
        assert_eq!(schema.unpack(&key), Some(values.to_vec()), "{classes:?}");
        let _ = schema.to_text(&key);
    }
    for value in values {
        let _ = schema.unpack(value);
        for style in [KeyStyle::Blob, KeyStyle::Columns, KeyStyle::OldBlob] {
            let _ = decode_partition_key(&Partitioner::Murmur3, style, &schema, value);
        }
    }
}

/// Values of several types with literals of them.
pub fn keys_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (kind, text) in [
        (1, "'a text'"),
        (2, "0xcafe"),
        (3, "true"),
        (6, "-17"),
        (7, "9223372036854775807"),
        (8, "1.5e10"),
        (9, "NaN"),
        (10, "123456789012345678901234567890"),
        (11, "-0.00123E+7"),
        (12, "'2026-11-30 20:59:04.123+0000'"),
        (14, "'2026-11-30'"),
        (15, "08:30:00.000000001"),
        (16, "3b7f587e-2521-4444-baef-66a887fcbeff"),
        (17, "50554d6e-29bb-11e5-b345-feff819cdc9f"),
        (19, "'2001:db8::1'"),
        (20, "1y2mo3w4d5h6m7s8ms9us10ns"),
        (24, "[1, 2, 3]"),
        (25, "{1, 2}"),
        (26, "{1: 'a', 2: 'b'}"),
        (27, "(1, 'a')"),
        (28, "{a: 1, b: 'x'}"),
        (29, "[1, 2, 3]"),
    ] {
        for inner in [6, 1] {
            let mut seed = vec![0, 1, kind, inner];
            seed.extend([4, 0, 0, 0, 5, 4, 0, 0, 1, 0]);
            seed.extend(text.as_bytes());
            seeds.push(seed);
        }
    }
    let both = [&[1, 1, 6, 1, 1, 4, 0, 0, 0, 1, 2, b'a', 0, 4, 0, 0, 0, 2, 0], &b"(1, 'a')"[..]];
    seeds.push(both.concat());
    seeds
}
