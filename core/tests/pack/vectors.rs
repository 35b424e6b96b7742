//! Synthetic tries: length, root and checksum equal those of the databases' own writers, for every shape listed in
//! `testdata/cassandra/vectors.txt` and `testdata/scylla-vectors.txt`.

use crate::common::{Random, root, testdata};
use std::collections::BTreeMap;
use std::fs;
use triescope_core::bti::pack::{
    Flavour, PartitionTarget, PartitionsWriter, Payload, RowBlock, RowsWriter, TrieWriter,
};
use triescope_core::data::Deletion;
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::pos::DataPos;
use triescope_core::table::Part;

/// The numbers `x=1` of a line, and its words.
struct Line<'a> {
    words: Vec<&'a str>,
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Self {
        let values = text.split(' ').filter_map(|word| word.split_once('=')).collect();
        Self { words: text.split(' ').collect(), values }
    }

    fn number(&self, name: &str) -> u64 {
        self.values[name].parse().unwrap()
    }

    fn range(&self, name: &str) -> (u64, u64) {
        let (from, to) = self.values[name].split_once("..").unwrap();
        (from.parse().unwrap(), to.parse().unwrap())
    }
}

#[test]
fn shapes_equal_those_of_cassandras_writer() {
    check(&fs::read_to_string(testdata().join("vectors.txt")).unwrap(), Flavour::CASSANDRA, 58);
}

#[test]
fn shapes_equal_those_of_scylladbs_writer() {
    let text = fs::read_to_string(root().join("testdata/scylla-vectors.txt")).unwrap();
    check(&text, Flavour::SCYLLA, 87);
}

fn check(text: &str, flavour: Flavour, shapes: usize) {
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (shape, answer) = line.split_once(": ").unwrap();
        let (file, root) = build(&Line::new(shape), flavour);
        let found =
            format!("length {}, root {root}, crc32 {:08x}", file.len(), crc32fast::hash(&file));
        if !answer.starts_with(&found) {
            wrong.push(format!("{shape}\n  expected {answer}\n  found    {found}"));
        }
        checked += 1;
    }
    assert_eq!(checked, shapes);
    assert!(wrong.is_empty(), "{} of {checked} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn build(line: &Line<'_>, flavour: Flavour) -> (Vec<u8>, u64) {
    match line.words[0] {
        "partitions" => partitions(line, flavour),
        "index" => index(line, flavour),
        _ => row_trie(&rows(line), flavour),
    }
}

fn partitions(line: &Line<'_>, flavour: Flavour) -> (Vec<u8>, u64) {
    let n = line.number("n");
    let mut keys: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut random = Random::new(line.values.get("seed").map_or(0, |seed| seed.parse().unwrap()));
    for i in 0..n {
        let key = match line.words[1] {
            "random" => random.next().to_be_bytes().to_vec(),
            _ => u32::try_from(i).unwrap().to_be_bytes().to_vec(),
        };
        let mut comparable = Vec::new();
        murmur3_blob_into(&key, murmur3(&key), &mut comparable);
        keys.push((comparable, key));
    }
    keys.sort_unstable();
    let mut writer = PartitionsWriter::new(flavour, Vec::new());
    for (rank, (comparable, key)) in (0..).zip(&keys) {
        let target = match line.words[1] {
            "random" if rank % 3 == 0 => {
                PartitionTarget::Rows(triescope_core::pos::FilePos(40 * rank))
            }
            "random" => PartitionTarget::Data(DataPos(line.number("step") * rank)),
            _ => PartitionTarget::Data(DataPos(100 * rank)),
        };
        writer.add(key, comparable, murmur3(key).byte(), target).unwrap();
    }
    let file = writer.finish().unwrap();
    let root = u64::from_be_bytes(*file.last_chunk().unwrap());
    (file, root)
}

/// Key, offset, open marker.
type Row = (Vec<u8>, u64, bool);

fn row_trie(rows: &[Row], flavour: Flavour) -> (Vec<u8>, u64) {
    let mut writer = TrieWriter::new(Part::Rows, flavour, Vec::new());
    for (key, offset, marker) in rows {
        let open = marker.then_some(Deletion { timestamp: 1000, local_time: 2000 });
        let payload = Payload::block(i64::try_from(*offset).unwrap(), open);
        writer.add(key, payload, []).unwrap();
    }
    let root = writer.finish().unwrap();
    (writer.into_sink(), root)
}

/// `40`, then the bytes `((7 i + 3) mod 250) + 1`.
fn long_prefix(bytes: u64) -> Vec<u8> {
    std::iter::once(0x40).chain((0..bytes - 1).map(|i| ((7 * i + 3) % 250 + 1) as u8)).collect()
}

fn with_step(keys: impl IntoIterator<Item = Vec<u8>>, step: u64, marker: bool) -> Vec<Row> {
    let empty = (Vec::new(), 16, false);
    let rows = keys.into_iter().zip(1..).map(|(key, j)| (key, 16 + step * j, marker));
    std::iter::once(empty).chain(rows).collect()
}

fn rows(line: &Line<'_>) -> Vec<Row> {
    match line.words[1] {
        "40" => {
            let keys = (1..3000u16).map(|i| {
                let mut key = vec![0x40];
                key.extend(i.to_be_bytes());
                key.resize(key.len() + usize::from(i % 23), 0x6b);
                key
            });
            with_step(keys, 66_000, false)
        }
        "prefix" => {
            let length = line.words[2].trim_matches(|c: char| !c.is_ascii_digit());
            let prefix = long_prefix(length.parse().unwrap());
            let keys = (0..400u16).step_by(3).map(|i| [&prefix[..], &i.to_be_bytes()].concat());
            with_step(keys, 66_000, false)
        }
        "tiny" => vec![
            (vec![], 16, false),
            (b"\x40ab".to_vec(), 66_000, false),
            (b"\x40abc".to_vec(), 132_000, true),
            (b"\x40b".to_vec(), 200_000, false),
        ],
        "chain" => vec![(vec![], 16, false), (b"\x40ab".to_vec(), 66_000, true)],
        "grid" => {
            let (x, tail) = (line.number("x"), line.number("tail") as usize);
            let mut keys = Vec::new();
            for i in 0..x.max(1) {
                for j in 0..line.number("y") {
                    for k in 0..line.number("z") {
                        let mut key = vec![0x40];
                        key.extend((x > 0).then_some(i as u8));
                        key.extend([j as u8, k as u8]);
                        key.resize(key.len() + tail, 0x74);
                        keys.push(key);
                    }
                }
            }
            with_step(keys, line.number("step"), true)
        }
        "comb" => {
            let edge = line.number("edge") as usize;
            let mut keys = Vec::new();
            for group in 0..line.number("g") {
                let mut long = vec![0x40, group as u8, 0];
                long.resize(3 + edge, 0x62);
                keys.push(long);
                keys.extend((1..=line.number("n")).map(|i| vec![0x40, group as u8, i as u8]));
            }
            with_step(keys, line.number("step"), false)
        }
        "random" => random_rows(line),
        other => panic!("rows {other}"),
    }
}

fn random_rows(line: &Line<'_>) -> Vec<Row> {
    let mut random = Random::new(line.number("seed"));
    let length = line.number("prefix");
    let prefix: Vec<u8> =
        (0..length).map(|i| if i == 0 { 0x40 } else { 1 + random.below(250) as u8 }).collect();
    let (least, most) = line.range("tail");
    let alphabet = line.number("alphabet");
    let mut keys: Vec<Vec<u8>> = (0..line.number("n"))
        .map(|_| {
            let bytes = least + random.below(most - least + 1);
            let mut key = prefix.clone();
            key.extend((0..bytes).map(|_| match alphabet {
                256 => random.below(256) as u8,
                _ => 1 + random.below(alphabet) as u8,
            }));
            key
        })
        .collect();
    keys.push(Vec::new());
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len() as u64, line.number("keys"));
    let (step, every) = (line.number("step"), line.number("marker"));
    keys.into_iter()
        .zip(0..)
        .map(|(key, j)| (key, 16 + step * j, every > 0 && j % every == every - 1))
        .collect()
}

/// A whole Rows.db of one partition, with the pieces of ScyllaDB's key buffer.
fn index(line: &Line<'_>, flavour: Flavour) -> (Vec<u8>, u64) {
    let (n, step) = (line.number("n"), line.number("step"));
    let prefix = long_prefix(line.number("prefix") + 1);
    let key = |j: u64| [&prefix[..], format!("{j:03}").as_bytes(), b"\x00\x38"].concat();
    let mut writer = RowsWriter::new(flavour, Vec::new());
    let mut separator = Vec::new();
    for j in 0..=n {
        let mut pieces = Vec::new();
        if j > 0 {
            let last = key(j - 1);
            let i = match j == n {
                false => last.iter().zip(&key(j)).take_while(|(a, b)| a == b).count(),
                true => last.iter().zip(&separator).take_while(|(a, b)| a == b).count(),
            };
            separator = last[..=i].to_vec();
            separator[i] += 1;
            pieces = fragments(last.len());
        }
        let block = RowBlock { separator: &separator, offset: 16 + step * j, open: None };
        writer.add(block, pieces).unwrap();
    }
    let entry = writer.end_partition(&[0, 0, 0, 1], DataPos(0), None).unwrap();
    let file = writer.into_sink();
    // The entry lies directly behind the root, whose bytes depend on what is below it: so the root is read back.
    let root = triescope_core::bti::RowEntry::read(
        &mut triescope_core::source::Pages::new(Part::Rows, &file.as_slice(), &mut ()),
        entry,
    )
    .unwrap()
    .root;
    (file, root.0)
}

/// Ends of the pieces of a key of one text column of this length: 488 bytes, then a piece that holds all the rest of the
/// text that does not fit, in the sizes of the buffer.
fn fragments(bytes: usize) -> Vec<usize> {
    let mut ends = vec![488];
    let mut size = 1024;
    while ends[ends.len() - 1] < bytes {
        ends.push(ends[ends.len() - 1] + size - 24);
        size *= 2;
    }
    ends
}
