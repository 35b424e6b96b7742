//! Rows on their way from one version to another: values longer than are kept, files that arrive in pieces, damage, sketches.

use crate::common::{Random, cassandra};
use crate::made::version;
use triescope_core::data::{DataReader, Layout, RewriteError, Rewriter};
use triescope_core::error::Error;
use triescope_core::meta::{Compaction, SerializationHeader, Statistics};
use triescope_core::set::SketchMaker;
use triescope_core::table::{Part, Version};
use triescope_core::{data::DataFormat, vint};

/// A key of text, one column of text, and one of a set.
fn header() -> SerializationHeader {
    let statistics = cassandra("p1000", "nb", 1);
    let read = Statistics::parse(version("nb"), statistics.files.part(Part::Statistics)).unwrap();
    let mut header = read.header.unwrap();
    let text = "org.apache.cassandra.db.marshal.UTF8Type";
    header.clustering_types.clear();
    header.static_columns.clear();
    header.regular_columns.truncate(1);
    header.regular_columns[0].class = text.into();
    let mut set = header.regular_columns[0].clone();
    set.name = b"z".to_vec();
    set.class = format!("org.apache.cassandra.db.marshal.SetType({text})");
    header.regular_columns.push(set);
    header
}

/// A partition with one row: a value of so many bytes, and a set that is not deleted, with as many elements as given.
fn partition(
    header: &SerializationHeader,
    plain: bool,
    never: u32,
    value: usize,
    elements: u8,
) -> Vec<u8> {
    let mut bytes = vec![0, 1, b'k'];
    match plain {
        true => bytes.extend([0x7f, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        false => bytes.push(0x80),
    }
    let head = bytes.len() as u64;
    let mut body = Vec::new();
    vint::uvint(head, &mut body);
    vint::uvint(5, &mut body);
    body.push(0x08);
    vint::uvint(value as u64, &mut body);
    body.extend((0..value).map(|at| (at % 251) as u8));
    vint::uvint(i64::MIN.wrapping_sub(header.min_timestamp).cast_unsigned(), &mut body);
    let delta = never.wrapping_sub(header.min_local_deletion_time.cast_unsigned()).cast_signed();
    vint::uvint(i64::from(delta).cast_unsigned(), &mut body);
    vint::uvint(elements.into(), &mut body);
    for element in 0..elements {
        body.extend([0x0c, 1, element]);
    }
    // Liveness, all columns, deletions of collections.
    bytes.push(0x04 | 0x20 | 0x40);
    vint::uvint(body.len() as u64, &mut bytes);
    bytes.extend(body);
    bytes.push(1);
    bytes
}

fn rewrite(
    header: &SerializationHeader,
    bytes: &[u8],
    from: Version,
    to: Version,
    budget: u64,
) -> Result<(Vec<u8>, u64), RewriteError> {
    let mut rewriter = Rewriter::new(DataFormat::new(from, header), from, to);
    let mut out = Vec::new();
    loop {
        let mut reader = DataReader::new(&bytes, Layout::Plain { crc: None }).streaming();
        if rewriter.run(&mut reader, budget, &mut out, |_, _| {})? {
            return Ok((out, rewriter.done().live_pairs));
        }
    }
}

#[test]
fn rows_of_any_size_have_the_sizes_of_their_new_heads() {
    let header = header();
    // The sizes of bodies are counted in one to four bytes, and a value of 3 MB is longer than what is kept of one.
    for value in [0, 90, 110, 120, 127, 128, 16_300, 16_383, 65_536, 3_000_000] {
        for elements in [0, 1, 200] {
            let of = |letters: &str| match letters {
                "me" => partition(&header, true, 0x7fff_ffff, value, elements),
                "nb" => partition(&header, true, 0xffff_ffff, value, elements),
                _ => partition(&header, false, 0xffff_ffff, value, elements),
            };
            for (from, to) in
                [("me", "oa"), ("oa", "me"), ("nb", "me"), ("me", "nb"), ("oa", "nb"), ("nb", "da")]
            {
                let (source, expected) = (of(from).repeat(3), of(to).repeat(3));
                let budgets = [u64::MAX / 2, 1000];
                for budget in budgets.into_iter().take(if value < 20_000 { 2 } else { 1 }) {
                    let (made, pairs) =
                        rewrite(&header, &source, version(from), version(to), budget).unwrap();
                    let at = made.iter().zip(&expected).position(|(a, b)| a != b);
                    assert!(
                        made == expected || (from, to) == ("me", "nb"),
                        "{from} {to} {value}: {at:?}"
                    );
                    // The readers of nb know both.
                    assert_eq!(made == source, (from, to) == ("me", "nb"));
                    let changes = (from == "me") != (to == "me") && (from, to) != ("me", "nb");
                    assert_eq!(pairs, if changes { 3 } else { 0 }, "{from} {to}");
                }
            }
        }
    }
}

#[test]
fn damage_is_an_error_and_never_more() {
    let header = header();
    let whole = partition(&header, true, 0xffff_ffff, 40, 3).repeat(2);
    for cut in 1..whole.len() {
        let ran = rewrite(&header, &whole[..cut], version("nb"), version("da"), 1 << 20);
        assert!(ran.is_err() || cut == whole.len() / 2, "{cut}");
    }
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        match rewrite(&header, &bytes, version("nb"), version("da"), 1 << 20) {
            Ok(_) | Err(RewriteError::Refused(_)) => {}
            Err(RewriteError::Read(error)) => assert!(matches!(error, Error::Damage(_))),
        }
    }
}

#[test]
fn a_sketch_of_the_keys_is_the_one_that_cassandra_made() {
    let files = cassandra("p20k", "da", 1).files;
    let table = files.table();
    let mut reader = table.data_reader().unwrap().streaming();
    let (format, mut maker) = (table.data_format().unwrap(), SketchMaker::default());
    let mut rewriter = Rewriter::new(format, version("da"), version("oa"));
    let mut keys = 0;
    let mut sink = Vec::new();
    let is_over = rewriter.run(&mut reader, u64::MAX / 2, &mut sink, |key, _| {
        maker.add(key);
        keys += 1;
    });
    assert_eq!((is_over, keys), (Ok(true), 20_000));
    let source = files.part(Part::Statistics);
    let statistics = Statistics::parse(version("da"), source).unwrap();
    let real = Compaction::read(version("da"), &statistics, &source).unwrap().unwrap();
    assert!(maker.finish() == real.cardinality);
}
