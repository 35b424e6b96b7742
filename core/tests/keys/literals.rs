//! Values of every type to text and back, from seeded random bytes; and damage, which must not matter.

use triescope_core::cql::{ColumnType, CqlType, parse_literal, to_text};
use triescope_core::keys::{
    ClusteringSchema, Dialect, KeySchema, KeyStyle, Partitioner, comparable_value, order_of,
    partition_key,
};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> usize {
        (self.next() % n) as usize
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        // Few different bytes, so that zeros, signs and runs of them are frequent.
        let few = [0, 0, 1, 0x27, 0x41, 0x7f, 0x80, 0xff, 0xff];
        let length = self.below(most + 1);
        (0..length)
            .map(|_| match self.below(3) {
                0 => self.next() as u8,
                _ => few[self.below(few.len() as u64)],
            })
            .collect()
    }
}

fn scalars() -> Vec<CqlType> {
    use CqlType::*;
    vec![
        Ascii,
        Text,
        Blob,
        Boolean,
        Tinyint,
        Smallint,
        Int,
        Bigint,
        Float,
        Double,
        Varint,
        Decimal,
        Timestamp,
        OldTimestamp,
        Date,
        Time,
        Uuid,
        Timeuuid,
        LexicalUuid,
        Inet,
        Duration,
        Empty,
        Custom("com.example.Strange".to_owned()),
    ]
}

fn usual_length(cql: &CqlType) -> Option<usize> {
    match cql {
        CqlType::Tinyint => Some(1),
        CqlType::Smallint => Some(2),
        CqlType::Date => Some(4),
        CqlType::Time => Some(8),
        CqlType::Inet => Some(4),
        other => other.fixed_len().map(|length| length as usize),
    }
}

/// A value that a database could have written.
fn valid(random: &mut Random, cql: &CqlType) -> Vec<u8> {
    if !matches!(cql, CqlType::Empty) && random.below(12) == 0 && usual_length(cql).is_none() {
        return Vec::new();
    }
    loop {
        let mut bytes = random.bytes(18);
        if let Some(length) = usual_length(cql) {
            bytes.resize(length, 7);
        }
        if *cql == CqlType::Timeuuid {
            bytes[6] = bytes[6] & 0xf | 0x10;
        }
        // What does not fit is shown in bytes.
        if matches!(cql, CqlType::Blob | CqlType::Custom(_))
            || !to_text(cql, &bytes).starts_with("0x")
        {
            return bytes;
        }
    }
}

#[test]
fn bytes_of_scalar_types_are_read_back_exactly_whatever_they_are() {
    let mut random = Random(1);
    for cql in scalars() {
        let mut fitted = 0;
        for round in 0..3000 {
            let mut bytes = random.bytes(20);
            if let Some(length) = usual_length(&cql).filter(|_| round % 2 == 0) {
                bytes.resize(length, 0);
            }
            let text = to_text(&cql, &bytes);
            assert_eq!(parse_literal(&cql, &text), Ok(bytes), "{cql} {text}");
            fitted += u32::from(!text.starts_with("0x"));
        }
        let only_bytes = matches!(cql, CqlType::Blob | CqlType::Custom(_));
        assert!(only_bytes || fitted > 20, "{cql}: {fitted} values fitted");
    }
}

fn frame(value: Option<Vec<u8>>) -> Vec<u8> {
    match value {
        None => vec![0xff; 4],
        Some(bytes) => [&(bytes.len() as i32).to_be_bytes()[..], &bytes].concat(),
    }
}

#[test]
fn compound_values_are_read_back_exactly() {
    let mut random = Random(2);
    for element in scalars() {
        let list = CqlType::Frozen(Box::new(CqlType::List(Box::new(element.clone()))));
        let set = CqlType::Set(Box::new(element.clone()));
        let map = CqlType::Map(Box::new((element.clone(), list.clone())));
        let tuple = CqlType::Tuple(vec![element.clone(), CqlType::Int, set.clone()]);
        for _ in 0..60 {
            let count = random.below(4);
            let head = (count as i32).to_be_bytes().to_vec();
            let mut values: Vec<_> = (0..count).map(|_| valid(&mut random, &element)).collect();
            let framed = |values: &[Vec<u8>]| -> Vec<u8> {
                values.iter().flat_map(|value| frame(Some(value.clone()))).collect()
            };
            let list_bytes = [head.clone(), framed(&values)].concat();
            check(&list, &list_bytes);
            let nested = CqlType::Vector(Box::new(list.clone()), 2);
            let vector = |bytes: &[u8]| [&[bytes.len() as u8], bytes].concat();
            if list_bytes.len() < 0x80 {
                check(&nested, &[vector(&list_bytes), vector(&[0; 4])].concat());
            }

            values.sort_by_key(|value| order_of(&element, Some(value)));
            values.dedup_by_key(|value| order_of(&element, Some(value)));
            let head = (values.len() as i32).to_be_bytes().to_vec();
            let set_bytes = [head.clone(), framed(&values)].concat();
            check(&set, &set_bytes);
            let pairs = values.iter().flat_map(|key| {
                [frame(Some(key.clone())), frame(Some(list_bytes.clone()))].concat()
            });
            check(&map, &[head, pairs.collect()].concat());

            let first = random.below(2) == 0;
            let first = first.then(|| valid(&mut random, &element));
            let fields = [frame(first), frame(None), frame(Some(set_bytes))];
            let present = 1 + random.below(3);
            check(&tuple, &fields[..present].concat());
        }
    }
}

fn check(cql: &CqlType, bytes: &[u8]) {
    let text = to_text(cql, bytes);
    assert!(!text.starts_with("0x"), "{cql} {text}");
    assert_eq!(parse_literal(cql, &text), Ok(bytes.to_vec()), "{cql} {text}");
}

#[test]
fn user_types_are_written_by_field_name() {
    let class = "UserType(fx,7074,78:Int32Type,59:UTF8Type)";
    let cql = CqlType::from_class(class);
    let bytes = parse_literal(&cql, "{\"Y\": 'a:b', x: 5}").unwrap();
    assert_eq!(to_text(&cql, &bytes), "{x: 5, \"Y\": 'a:b'}");
    assert_eq!(
        parse_literal(&cql, "{x: 5}").unwrap(),
        [0, 0, 0, 4, 0, 0, 0, 5, 255, 255, 255, 255]
    );
    // A value written before the type had its second field.
    assert_eq!(to_text(&cql, &[0, 0, 0, 4, 0, 0, 0, 5]), "{x: 5}");
    let error = parse_literal(&cql, "{z: 5}").unwrap_err();
    assert_eq!(error.to_string(), "`{z: 5}` is no pt: fields in braces, {x: …, Y: …}");
}

#[test]
fn sets_and_maps_are_put_in_order() {
    let same = |class, a, b| {
        let cql = CqlType::from_class(class);
        assert_eq!(parse_literal(&cql, a).unwrap(), parse_literal(&cql, b).unwrap(), "{a}");
    };
    same("SetType(Int32Type)", "{3, -1, 2, 3}", "{-1, 2, 3}");
    same("MapType(Int32Type,Int32Type)", "{3: 1, -1: 0, 3: 2}", "{-1: 0, 3: 2}");
    same("SetType(LongType)", "{1000, -1000, 1}", "{-1000, 1, 1000}");
}

#[test]
fn mistakes_inside_a_value_are_named() {
    let refused = |class, text, sentence: &str| {
        let error = parse_literal(&CqlType::from_class(class), text).unwrap_err();
        assert_eq!(error.to_string(), sentence);
    };
    let int = "a number from −2147483648 to 2147483647";
    refused("ListType(Int32Type)", "[1, x]", &format!("`x` is no int: {int}"));
    refused(
        "ListType(Int32Type)",
        "[1, 2",
        "`[1, 2` is no list<int>: a `]` is missing, or a comma",
    );
    refused(
        "VectorType(FloatType, 3)",
        "[1, 2]",
        "`[1, 2]` is no vector<float, 3>: it has 3 elements, not 2",
    );
    refused(
        "TupleType(Int32Type)",
        "(1, 2)",
        "`(1, 2)` is no tuple<int>: 1 value in round brackets",
    );
    refused("UTF8Type", "abc", "`abc` is no text: text in single quotes");
    refused("Int32Type", "2147483648", &format!("`2147483648` is no int: {int}"));
    refused("Int32Type", "'1'", &format!("`'1'` is no int: {int}"));
    refused(
        "TimeUUIDType",
        "3b7f587e-2521-4444-baef-66a887fcbeff",
        "`3b7f587e-2521-4444-baef-66a887fcbeff` is no timeuuid: 32 hexadecimal digits in groups of 8-4-4-4-12, of which the third begins with 1",
    );
}

fn some_class(random: &mut Random) -> String {
    let pieces = [
        "ListType",
        "SetType(",
        "MapType(",
        "TupleType(",
        "VectorType(",
        "UserType(ks,7074,",
        "FrozenType(",
        "ReversedType(",
        "CompositeType(",
        "Int32Type",
        "UTF8Type",
        "DecimalType",
        ")",
        ",",
        "(",
        "78:",
        " ",
        "3",
        "4294967295",
        "é",
        "org.apache.cassandra.db.marshal.",
        "=>",
        "",
    ];
    let count = random.below(12);
    (0..count).map(|_| pieces[random.below(pieces.len() as u64)]).collect()
}

#[test]
fn damaged_classes_and_values_do_no_harm() {
    let mut random = Random(3);
    for _ in 0..20_000 {
        let class = some_class(&mut random);
        let column = ColumnType::from_class(&class);
        let bytes = random.bytes(24);
        let text = to_text(&column.cql, &bytes);
        let _ = parse_literal(&column.cql, &text);
        let _ = parse_literal(&column.cql, &String::from_utf8_lossy(&bytes));
        let _ = comparable_value(&column.cql, column.descending, &bytes, Dialect::CASSANDRA);
        assert!(!column.cql.name().is_empty());
        let keys = KeySchema::from_class(&class);
        let _ = keys.parse(&Partitioner::Murmur3, &keys.to_text(&bytes));
        for style in [KeyStyle::Blob, KeyStyle::Columns, KeyStyle::OldBlob] {
            partition_key(&Partitioner::Random, style, &keys, &bytes);
        }
        let clustering = ClusteringSchema::from_classes([class.as_str(), "Int32Type"]);
        let _ = clustering.parse(Dialect::CASSANDRA, &text);
        clustering.describe(&bytes);
    }
}

#[test]
fn damaged_compound_values_do_no_harm() {
    let mut random = Random(4);
    let types = [
        "ListType(Int32Type)",
        "MapType(UTF8Type,ListType(DecimalType))",
        "TupleType(Int32Type,UTF8Type,DurationType)",
        "VectorType(UTF8Type, 2)",
        "VectorType(FloatType, 4294967295)",
        "UserType(ks,7074,78:Int32Type,79:SetType(UUIDType))",
        "CounterColumnType",
    ]
    .map(CqlType::from_class);
    for _ in 0..20_000 {
        let cql = &types[random.below(types.len() as u64)];
        // Small counts and lengths, so that damage lies deep.
        let tail = random.bytes(12);
        let bytes: Vec<u8> = (0..random.below(8))
            .flat_map(|_| [0, 0, 0, [0, 1, 2, 4, 0xff][random.below(5)]])
            .chain(tail)
            .collect();
        to_text(cql, &bytes);
        let _ = comparable_value(cql, true, &bytes, Dialect::CASSANDRA);
    }
}

#[test]
fn what_is_typed_does_no_harm() {
    let mut random = Random(5);
    let pieces = [
        "'",
        "''",
        "\"",
        "$$",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "0x",
        "ca",
        "1",
        "-",
        "−",
        "é",
        ".",
        "E",
        "null",
        "empty",
        "blob_as_int(",
        "token:",
        "2024-02-29",
        "T",
        "Z",
        "+",
        " ",
        "NaN",
        "1mo2d",
        "P",
        "x",
    ];
    let mut classes: Vec<CqlType> = scalars();
    classes.extend(
        ["MapType(Int32Type,UTF8Type)", "TupleType(Int32Type,UTF8Type)", "VectorType(UTF8Type, 2)"]
            .map(CqlType::from_class),
    );
    for _ in 0..30_000 {
        let count = random.below(9);
        let text: String = (0..count).map(|_| pieces[random.below(pieces.len() as u64)]).collect();
        let a = classes[random.below(classes.len() as u64)].clone();
        let b = classes[random.below(classes.len() as u64)].clone();
        if let Ok(bytes) = parse_literal(&a, &text) {
            to_text(&a, &bytes);
        }
        let column = |cql: &CqlType| ColumnType { cql: cql.clone(), descending: false };
        let clustering = ClusteringSchema::new(vec![column(&a), column(&b)]);
        let _ = clustering.parse(Dialect::CASSANDRA, &text);
        let _ = KeySchema::new(vec![a, b]).parse(&Partitioner::Murmur3, &text);
    }
}
