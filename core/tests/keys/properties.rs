//! Generated types and values of every kind: to text and back, to byte-comparable form and back, in both dialects.

use proptest::collection::vec;
use proptest::prelude::*;
use triescope_core::cql::{ColumnType, CqlType, UserType, parse_literal, to_text};
use triescope_core::keys::{
    ClusteringSchema, Dialect, KeySchema, KeyStyle, Partitioner, comparable_value,
    decode_partition_key, order_of, partition_key,
};
use triescope_core::lookup::RowKind;
use triescope_core::table::Version;

/// Which values of a type are made.
#[derive(Clone, Copy, PartialEq)]
enum Make {
    /// All that a database could have written.
    All,
    /// Those that their byte-comparable form of Cassandra gives back.
    Cassandra,
    /// The same of ScyllaDB.
    Scylla,
}

fn scalar() -> impl Strategy<Value = CqlType> {
    use CqlType::*;
    prop::sample::select(vec![
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
        Custom("CompositeType(UTF8Type,LongType)".to_owned()),
    ])
}

fn any_type() -> impl Strategy<Value = CqlType> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let names = prop::sample::subsequence(vec!["x", "Y", "a b", "q\"q", "é", "0", ""], 1..4);
        let fields = (names, vec(inner.clone(), 4));
        prop_oneof![
            boxed().prop_map(CqlType::List),
            boxed().prop_map(CqlType::Set),
            (inner.clone(), inner.clone()).prop_map(|both| CqlType::Map(Box::new(both))),
            vec(inner.clone(), 1..4).prop_map(CqlType::Tuple),
            (boxed(), 1u32..5).prop_map(|(element, n)| CqlType::Vector(element, n)),
            boxed().prop_map(CqlType::Frozen),
            fields.prop_map(|(names, types)| {
                let fields = names.into_iter().map(str::to_owned).zip(types).collect();
                let (keyspace, name) = ("ks".to_owned(), "ut".to_owned());
                CqlType::User(Box::new(UserType { keyspace, name, fields }))
            }),
        ]
    })
}

/// Bytes of which zeros, ones and signs are frequent.
fn bytes(length: impl Into<prop::collection::SizeRange>) -> BoxedStrategy<Vec<u8>> {
    let few = prop::sample::select(vec![0, 0, 1, 0x27, 0x7f, 0x80, 0xfe, 0xff]);
    vec(prop_oneof![3 => few, 2 => any::<u8>()], length).boxed()
}

fn varint() -> impl Strategy<Value = Vec<u8>> {
    let short = any::<i64>().prop_flat_map(|n| (0..64u32).prop_map(move |shift| n >> shift));
    let short = short.prop_map(|n| n.to_string());
    // Beyond 64 bits the way through text makes the shortest bytes.
    let long = (any::<bool>(), vec(0u8..10, 1..80)).prop_map(|(negative, digits)| {
        let digits: String = digits.iter().map(|d| char::from(b'0' + d)).collect();
        format!("{}{digits}", if negative { "-" } else { "" })
    });
    prop_oneof![short, long].prop_map(|text| parse_literal(&CqlType::Varint, &text).unwrap())
}

fn decimal() -> BoxedStrategy<Vec<u8>> {
    let scale = prop_oneof![5 => -30..30i32, 1 => any::<i32>()];
    (scale, varint())
        .prop_map(|(scale, unscaled)| [&scale.to_be_bytes()[..], &unscaled].concat())
        .boxed()
}

/// Decimals without needless zeros, and whole ones without an exponent.
fn plain_decimal() -> BoxedStrategy<Vec<u8>> {
    let parsed = |text: String| parse_literal(&CqlType::Decimal, &text).unwrap();
    let fraction = (any::<i64>(), vec(0u8..10, 0..30), 1u8..10).prop_map(|(whole, some, last)| {
        let some: String = some.iter().map(|d| char::from(b'0' + d)).collect();
        format!("{whole}.{some}{last}")
    });
    let exponent = (any::<i64>(), 1u8..10, prop_oneof![-3000..-40, 40..3000])
        .prop_map(|(some, last, exponent)| format!("{some}{last}E{exponent}"));
    prop_oneof![fraction, exponent, any::<i64>().prop_map(|n| n.to_string())]
        .prop_map(parsed)
        .boxed()
}

fn duration() -> BoxedStrategy<Vec<u8>> {
    let most = || prop_oneof![Just(0u32), 0..100u32, 0..=i32::MAX as u32];
    (any::<bool>(), most(), most(), prop_oneof![Just(0u64), 0..=i64::MAX as u64])
        .prop_map(|(negative, months, days, nanos)| {
            let text = format!("{months}mo{days}d{nanos}ns");
            let text = if negative { format!("-{text}") } else { text };
            parse_literal(&CqlType::Duration, &text).unwrap()
        })
        .boxed()
}

/// A value of a type that is not the special empty one.
fn present(cql: &CqlType, make: Make) -> BoxedStrategy<Vec<u8>> {
    match cql {
        CqlType::Ascii => vec(0u8..0x80, 0..12).boxed(),
        CqlType::Text => any::<String>().prop_map(String::into_bytes).boxed(),
        CqlType::Blob | CqlType::Custom(_) => bytes(0..14),
        CqlType::Boolean => (0..2u8).prop_map(|b| vec![b]).boxed(),
        CqlType::Tinyint => bytes(1),
        CqlType::Smallint => bytes(2),
        CqlType::Int | CqlType::Float | CqlType::Date => bytes(4),
        CqlType::Bigint | CqlType::Double => bytes(8),
        CqlType::Timestamp | CqlType::OldTimestamp => bytes(8),
        CqlType::Time => (0..86_400_000_000_000i64).prop_map(|n| n.to_be_bytes().to_vec()).boxed(),
        CqlType::Uuid | CqlType::LexicalUuid => bytes(16),
        CqlType::Timeuuid => bytes(16)
            .prop_map(|mut uuid| {
                uuid[6] = uuid[6] & 0xf | 0x10;
                uuid
            })
            .boxed(),
        CqlType::Inet => prop_oneof![bytes(4), bytes(16)].boxed(),
        CqlType::Varint => varint().boxed(),
        CqlType::Decimal if make == Make::All => decimal(),
        CqlType::Decimal => plain_decimal(),
        CqlType::Duration => duration(),
        CqlType::Counter | CqlType::Empty => unreachable!("not among the generated types"),
        CqlType::List(element) => vec(value(element, make), 0..4).prop_map(counted).boxed(),
        CqlType::Set(element) => {
            let element = element.clone();
            vec(value(&element, make), 0..4)
                .prop_map(move |mut all| {
                    all.sort_by_cached_key(|value| order_of(&element, Some(value)));
                    all.dedup_by_key(|value| order_of(&element, Some(value)));
                    counted(all)
                })
                .boxed()
        }
        CqlType::Map(both) => {
            let key = both.0.clone();
            vec((value(&both.0, make), value(&both.1, make)), 0..4)
                .prop_map(move |mut all| {
                    all.sort_by_cached_key(|(k, _)| order_of(&key, Some(k)));
                    all.dedup_by_key(|(k, _)| order_of(&key, Some(k)));
                    let count = (all.len() as i32).to_be_bytes().to_vec();
                    let framed = all.iter().flat_map(|(k, v)| [framed(Some(k)), framed(Some(v))]);
                    framed.fold(count, |out, next| [out, next].concat())
                })
                .boxed()
        }
        CqlType::Tuple(types) => fields(types.iter(), make),
        CqlType::User(user) => fields(user.fields.iter().map(|(_, cql)| cql), make),
        CqlType::Vector(element, n) => {
            let fixed = element.fixed_len();
            let element = match fixed {
                Some(_) => present(element, make),
                None => value(element, make),
            };
            vec(element, *n as usize)
                .prop_map(move |all| {
                    let one = |value: &Vec<u8>| {
                        assert!(value.len() < 0x4000, "two bytes of length are enough here");
                        let length = match (fixed, value.len()) {
                            (Some(_), _) => vec![],
                            (None, short @ ..0x80) => vec![short as u8],
                            (None, long) => (long as u16 | 0x8000).to_be_bytes().to_vec(),
                        };
                        [&length[..], value].concat()
                    };
                    all.iter().flat_map(one).collect()
                })
                .boxed()
        }
        CqlType::Frozen(inner) => present(inner, make),
    }
}

/// A value of a type, the empty one among them.
fn value(cql: &CqlType, make: Make) -> BoxedStrategy<Vec<u8>> {
    let is_tuple = matches!(cql.unfrozen(), CqlType::Tuple(_) | CqlType::User(_));
    if make == Make::Scylla && is_tuple {
        return present(cql, make);
    }
    prop_oneof![12 => present(cql, make), 1 => Just(Vec::new())].boxed()
}

fn framed(value: Option<&[u8]>) -> Vec<u8> {
    match value {
        None => vec![0xff; 4],
        Some(bytes) => [&(bytes.len() as i32).to_be_bytes()[..], bytes].concat(),
    }
}

fn counted(all: Vec<Vec<u8>>) -> Vec<u8> {
    let count = (all.len() as i32).to_be_bytes().to_vec();
    all.iter().fold(count, |out, value| [out, framed(Some(value))].concat())
}

fn fields<'a>(types: impl Iterator<Item = &'a CqlType>, make: Make) -> BoxedStrategy<Vec<u8>> {
    let types: Vec<_> = types.collect();
    let last = types.len() - 1;
    let one = |(i, cql): (usize, &&CqlType)| {
        // An empty field reads as null in Cassandra's form, unless it is the last one.
        let some = match make {
            Make::Cassandra if i < last => {
                let special = !cql.has_ordinary_empty();
                value(cql, make).prop_filter("empty", move |v| !(special && v.is_empty())).boxed()
            }
            _ => value(cql, make),
        };
        prop::option::weighted(0.8, some)
    };
    let all: Vec<_> = types.iter().enumerate().map(one).collect();
    all.prop_map(|all| all.iter().flat_map(|v| framed(v.as_deref())).collect()).boxed()
}

fn typed(make: Make) -> impl Strategy<Value = (CqlType, Vec<u8>)> {
    any_type().prop_flat_map(move |cql| (Just(cql.clone()), value(&cql, make)))
}

fn columns(make: Make) -> impl Strategy<Value = (Vec<ColumnType>, Vec<Vec<u8>>)> {
    vec((typed(make), any::<bool>()), 1..4).prop_map(|all| {
        let one = |((cql, value), descending)| (ColumnType { cql, descending }, value);
        all.into_iter().map(one).unzip()
    })
}

fn dialect(make: Make) -> Dialect {
    match make {
        Make::Scylla => Dialect::of(Version::new(b"ms").unwrap()),
        _ => Dialect::CASSANDRA,
    }
}

/// A place comes back whole; and each beginning of it gives the values that are whole, and the rest.
fn place_comes_back(
    make: Make,
    columns: Vec<ColumnType>,
    mut values: Vec<Vec<u8>>,
    present: usize,
) -> Result<(), TestCaseError> {
    let schema = ClusteringSchema::new(columns);
    let whole = values.len();
    values.truncate(present.max(1));
    let kind = if values.len() == whole { RowKind::Row } else { RowKind::After };
    let values: Vec<_> = values.into_iter().map(Some).collect();
    let place = schema.target(dialect(make), kind, values.clone());
    let decoded = schema.decode(&place.comparable);
    prop_assert_eq!(&decoded.values, &values);
    prop_assert_eq!(decoded.kind, Some(kind));
    for end in 0..place.comparable.len() {
        let begun = schema.decode(&place.comparable[..end]);
        prop_assert_eq!(&begun.values, &values[..begun.values.len()]);
        prop_assert_eq!(begun.kind, None);
        prop_assert!(place.comparable[..end].ends_with(&begun.cut));
        schema.describe(&place.comparable[..end]);
    }
    Ok(())
}

fn key_comes_back(
    style: KeyStyle,
    columns: &[ColumnType],
    values: &[Vec<u8>],
) -> Result<(), TestCaseError> {
    let schema = KeySchema::new(columns.iter().map(|column| column.cql.clone()).collect());
    let parts: Vec<_> = values.iter().map(Vec::as_slice).collect();
    let key = schema.pack(&parts).unwrap();
    for partitioner in [Partitioner::Murmur3, Partitioner::Random, Partitioner::ByteOrdered] {
        let bytes = partition_key(&partitioner, style, &schema, &key).bytes;
        let decoded = decode_partition_key(&partitioner, style, &schema, &bytes);
        prop_assert_eq!(decoded.token, Some(partitioner.token(&key)));
        prop_assert_eq!(&decoded.key, &Some(key.clone()));
        prop_assert!(decoded.cut.is_empty());
        prop_assert_eq!(decoded.kind.is_none(), style == KeyStyle::OldBlob);
        for end in 0..bytes.len() {
            let begun = decode_partition_key(&partitioner, style, &schema, &bytes[..end]);
            prop_assert!(begun.token.is_none() || begun.token == Some(partitioner.token(&key)));
            prop_assert!(begun.values.iter().zip(&decoded.values).all(|(a, b)| a == b));
            prop_assert!(bytes[..end].ends_with(&begun.cut));
            if let (Some((least, most)), Partitioner::Murmur3) = (begun.tokens, &partitioner) {
                let triescope_core::keys::Token::Murmur3(token) = partitioner.token(&key) else {
                    unreachable!()
                };
                prop_assert!((least..=most).contains(&token));
                prop_assert_eq!(least == most, end >= 9);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn every_value_is_read_back_from_its_text((cql, bytes) in typed(Make::All)) {
        let text = to_text(&cql, &bytes);
        prop_assert_eq!(parse_literal(&cql, &text), Ok(bytes), "{} {}", cql, text);
    }

    #[test]
    fn every_counter_keeps_its_text(shards in vec((bytes(24), any::<i64>()), 0..4)) {
        let header = (shards.len() as i16).to_be_bytes().to_vec();
        let indices = (0..shards.len()).flat_map(|i| (i as i16 - i16::MAX - 1).to_be_bytes());
        let mut value: Vec<u8> = header.into_iter().chain(indices).collect();
        for (id, count) in &shards {
            value.extend(id);
            value.extend(count.to_be_bytes());
        }
        let sum = shards.iter().fold(0i64, |sum, (_, count)| sum.wrapping_add(*count));
        let text = to_text(&CqlType::Counter, &value);
        prop_assert_eq!(&text, &sum.to_string());
        let back = parse_literal(&CqlType::Counter, &text).unwrap();
        prop_assert_eq!(to_text(&CqlType::Counter, &back), text);
    }

    #[test]
    fn a_decimal_comes_back_as_the_same_number(bytes in decimal()) {
        let cql = CqlType::Decimal;
        let code = comparable_value(&cql, false, &bytes, Dialect::CASSANDRA).unwrap();
        let schema = ClusteringSchema::new(vec![ColumnType { cql: cql.clone(), descending: false }]);
        let place = [&[0x40][..], &code, &[0x38]].concat();
        let decoded = schema.decode(&place);
        // At the ends of the range of scales the number without its zeros has none.
        if let [Some(back)] = decoded.values.as_slice() {
            prop_assert_eq!(comparable_value(&cql, false, back, Dialect::CASSANDRA), Some(code));
            prop_assert_eq!(number(back), number(&bytes));
        } else {
            let scale = i32::from_be_bytes(bytes[..4].try_into().unwrap());
            prop_assert!(scale.unsigned_abs() > i32::MAX as u32 - 200, "{}", scale);
        }
    }
}

/// Sign, digits without zeros around them, and the power of ten of the first.
fn number(bytes: &[u8]) -> (bool, String, i64) {
    let scale = i64::from(i32::from_be_bytes(bytes[..4].try_into().unwrap()));
    let text = to_text(&CqlType::Varint, &bytes[4..]);
    let digits = text.trim_start_matches('-');
    let significant = digits.trim_end_matches('0');
    let power = if significant.is_empty() { 0 } else { digits.len() as i64 - scale };
    (text.starts_with('-'), significant.to_owned(), power)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn cassandras_places_come_back((columns, values) in columns(Make::Cassandra), n in 1..4usize) {
        place_comes_back(Make::Cassandra, columns, values, n)?;
    }

    #[test]
    fn scylladbs_places_come_back((columns, values) in columns(Make::Scylla), n in 1..4usize) {
        place_comes_back(Make::Scylla, columns, values, n)?;
    }

    #[test]
    fn keys_written_as_one_blob_come_back((columns, values) in columns(Make::All)) {
        key_comes_back(KeyStyle::Blob, &columns, &values)?;
    }

    #[test]
    fn keys_written_in_the_older_form_come_back((columns, values) in columns(Make::All)) {
        key_comes_back(KeyStyle::OldBlob, &columns, &values)?;
    }

    #[test]
    fn keys_written_column_by_column_come_back((columns, values) in columns(Make::Scylla)) {
        key_comes_back(KeyStyle::Columns, &columns, &values)?;
    }
}
