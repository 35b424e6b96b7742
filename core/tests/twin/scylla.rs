//! Twins in ScyllaDB's flavour: size and checksum of what ScyllaDB's own writers made of the same tables, and the pieces in
//! which it holds long clusterings.

use crate::build::{build, file, target};
use crate::common::{all_cassandra, cassandra, root, testdata};
use serde_json::Value;
use std::fs;
use triescope_core::keys::{ClusteringSchema, Dialect};
use triescope_core::lookup::RowKind;
use triescope_core::table::{Part, Version};
use triescope_core::twin::TwinOptions;

/// What ScyllaDB's writers made of the rows of a table, with the positions of `da`.
fn answers(table: &str, generation: &str) -> Value {
    let folder = testdata().join(table);
    let several = folder.join(format!("scylla-index-{generation}.json"));
    let path = if several.exists() { several } else { folder.join("scylla-index.json") };
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Their clusterings have empty elements in collections or tuples, which ScyllaDB writes as `3f` and Cassandra as `3e`. The
/// answers were made of Cassandra's clusterings, so they are no answers here.
const EMPTY_ELEMENTS: [&str; 4] = ["ck_list_int", "ck_list_int_desc", "ck_tuple", "ck_tuple_desc"];

/// Twins of all tables of a version, as `mt`, against those answers.
fn compare(version: &str) -> (usize, Vec<String>) {
    let (mut tables, mut wrong) = (0, Vec::new());
    for expected in all_cassandra(version) {
        let (name, _) = expected.name.split_once('/').unwrap();
        if EMPTY_ELEMENTS.contains(&name) {
            continue;
        }
        if expected.is_index_only() && version == "da" {
            continue;
        }
        let answers = answers(name, &expected.files.set.generation.to_string());
        let twin = build(&expected.files.table(), TwinOptions::new(target("mt")));
        for part in [Part::Partitions, Part::Rows] {
            let (found, answer) = (file(&twin, part), &answers[part.file_name()]);
            let crc = format!("{:08x}", crc32fast::hash(found));
            if answer["size"] != found.len() || answer["crc32"] != crc.as_str() {
                wrong.push(format!("{name} {part}: {} {crc}, {answer}", found.len()));
            }
        }
        tables += 1;
    }
    (tables, wrong)
}

#[test]
fn the_twin_of_da_is_what_scylladbs_writers_make() {
    let (tables, wrong) = compare("da");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(tables, 55);
}

#[test]
fn the_twin_of_oa_is_what_scylladbs_writers_make() {
    let (tables, wrong) = compare("oa");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(tables, 56);
}

#[test]
fn the_filler_is_written_when_it_is_asked_for() {
    let table = cassandra("p1000", "oa", 1).files;
    let options = TwinOptions { filler: true, ..TwinOptions::new(target("ms")) };
    assert_eq!(file(&build(&table.table(), options), Part::Rows), [0x13, 0x37, 0x13, 0x37]);
    let options = TwinOptions { filler: true, ..TwinOptions::new(target("da")) };
    assert!(file(&build(&table.table(), options), Part::Rows).is_empty());
}

fn dialect() -> Dialect {
    Dialect::of(Version::new(b"mt").unwrap())
}

fn pieces(classes: &[&str], values: &[Vec<u8>]) -> Vec<usize> {
    let schema = ClusteringSchema::from_classes(classes.iter().copied());
    let values = values.iter().map(|value| Some(value.as_slice()));
    schema.scylla_pieces(dialect(), RowKind::Row, values)
}

#[test]
fn a_text_is_held_in_pieces_that_double() {
    for (bytes, ends) in [
        (400, vec![]),
        (485, vec![]),
        (486, vec![488]),
        (1485, vec![488]),
        (1486, vec![488, 1488]),
        (3509, vec![488, 1488]),
        (3510, vec![488, 1488, 3512]),
        (20_000, vec![488, 1488, 3512, 7584, 15_752]),
    ] {
        assert_eq!(pieces(&["UTF8Type"], &[vec![b'x'; bytes]]), ends, "{bytes} bytes");
    }
}

/// Each column writes into the same buffer: a write that does not fit takes what is left of the piece.
#[test]
fn columns_share_the_pieces() {
    let two = |a: usize, b: usize| pieces(&["UTF8Type", "Int32Type"], &[vec![7; a], vec![1; b]]);
    assert!(two(480, 4).is_empty());
    assert_eq!(two(481, 4), [488]);
    assert_eq!(two(2000, 4), [488, 1488]);
    let texts = |a: usize, b: usize| pieces(&["BytesType", "BytesType"], &[vec![7; a], vec![7; b]]);
    assert_eq!(texts(300, 300), [488]);
    assert_eq!(texts(1000, 3000), [488, 1488, 3512]);
}

/// 1,024 bytes that are half zeros become 1,536 in one write: 487 of them fit, and the rest makes its piece larger.
#[test]
fn a_write_that_is_larger_than_the_next_piece_makes_it_larger() {
    let alternating: Vec<u8> = (0..1024).map(|i| u8::from(i % 2 == 0)).collect();
    assert_eq!(pieces(&["BytesType"], &[alternating.repeat(3)]), [488, 2512]);
    // Inverted bytes go through a buffer of their own first, and are written piece by piece of that one.
    let ends = pieces(&["ReversedType(BytesType)"], &[alternating.repeat(3)]);
    assert_eq!(ends, [488, 1488, 3512]);
    // A number of 2,000 bytes is one write.
    assert_eq!(pieces(&["IntegerType"], &[vec![0x7f; 2000]]), [488]);
    assert_eq!(pieces(&["IntegerType"], &[vec![0x7f; 3000]]), [488]);
}

#[test]
fn collections_and_tuples_write_element_by_element() {
    let list = |n: u32, bytes: usize| {
        let mut value = n.to_be_bytes().to_vec();
        for _ in 0..n {
            value.extend(u32::try_from(bytes).unwrap().to_be_bytes());
            value.extend(vec![9; bytes]);
        }
        value
    };
    assert_eq!(pieces(&["FrozenType(ListType(Int32Type))"], &[list(300, 4)]), [488, 1488]);
    let texts = pieces(&["FrozenType(ListType(UTF8Type))"], &[list(3, 1000)]);
    assert_eq!(texts, [488, 1488]);
}

/// The real writer's files of a text clustering, with the pieces as the types give them.
#[test]
fn vectors_of_a_text_clustering_have_these_pieces() {
    let text = fs::read_to_string(root().join("testdata/scylla-vectors.txt")).unwrap();
    let mut lines = 0;
    for line in text.lines().filter(|line| line.starts_with("index text")) {
        let prefix: usize =
            line.split(' ').find_map(|word| word.strip_prefix("prefix=")).unwrap().parse().unwrap();
        let value: Vec<u8> = (0..prefix).map(|i| ((7 * i + 3) % 250 + 1) as u8).collect();
        let value = [value, b"000".to_vec()].concat();
        // What the vectors were compared with: 488, then pieces that hold the rest, as long as the form goes on.
        let (mut ends, mut size, form) = (vec![488], 1024, prefix + 6);
        while ends[ends.len() - 1] + size - 24 < form {
            ends.push(ends[ends.len() - 1] + size - 24);
            size *= 2;
        }
        ends.retain(|end| *end < form);
        assert_eq!(pieces(&["UTF8Type"], &[value]), ends, "{line}");
        lines += 1;
    }
    assert!(lines >= 10, "{lines} lines");
}

/// The writes add up to the form, whatever the bytes: the function itself compares them.
#[test]
fn writes_of_any_value_add_up_to_its_form() {
    let mut random = crate::common::Random::new(3);
    let scalars = ["UTF8Type", "BytesType", "IntegerType", "DecimalType", "LongType", "UUIDType"];
    let mut cut = 0;
    for round in 0..2000 {
        let bytes = |random: &mut crate::common::Random| -> Vec<u8> {
            let zeros = random.below(3);
            let value = |random: &mut crate::common::Random| match random.below(3) < zeros {
                true => 0,
                false => random.below(256) as u8,
            };
            (0..random.below(3000)).map(|_| value(random)).collect()
        };
        let element = scalars[random.below(scalars.len() as u64) as usize];
        let (class, value) = match round % 4 {
            0 => (element.to_owned(), bytes(&mut random)),
            1 => (format!("ReversedType({element})"), bytes(&mut random)),
            kind => {
                let n = 1 + random.below(4);
                let mut value = if kind == 2 { (n as u32).to_be_bytes().to_vec() } else { vec![] };
                for _ in 0..n {
                    let bytes = bytes(&mut random);
                    match random.below(5) {
                        0 => value.extend([0xff; 4]),
                        _ => {
                            value.extend((bytes.len() as u32).to_be_bytes());
                            value.extend(bytes);
                        }
                    }
                }
                let all = [element; 4].join(",");
                match kind {
                    2 => (format!("FrozenType(ListType({element}))"), value),
                    _ => (format!("ReversedType(FrozenType(TupleType({all})))"), value),
                }
            }
        };
        let ends = pieces(&[&class, "UTF8Type"], &[value, bytes(&mut random)]);
        assert!(ends.is_sorted_by(|a, b| a < b), "{class}: {ends:?}");
        assert!(ends.first().is_none_or(|first| *first == 488), "{class}: {ends:?}");
        cut += usize::from(ends.len() > 1);
    }
    assert!(cut > 500, "{cut}");
}
