//! Cases about the trie index.

use crate::common::{InMemory, cassandra, upstream};
use crate::made::{report, said};
use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter, RowBlock, RowsWriter};
use triescope_core::bti::{Exact, Node, PartitionIndex, RowEntry, RowIndex};
use triescope_core::census::{CensusJob, SizeScan};
use triescope_core::check::{CheckJob, CheckOptions, Severity};
use triescope_core::cql::{ColumnType, CqlType};
use triescope_core::keys::{
    ClusteringSchema, Dialect, KeySchema, KeyStyle, Partitioner, Token, murmur3, partition_key,
};
use triescope_core::lookup::{LeafTarget, Record, Recorder, RowKind};
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::scan::FoundKey;
use triescope_core::source::Pages;
use triescope_core::table::{Count, IndexKind, Part, Problem, Version};

fn one(folder: &str, name: &str) -> Option<InMemory> {
    let mut all = InMemory::folder(&upstream(folder)?);
    all.retain(|files| files.set.name() == name);
    Some(all.remove(0))
}

/// The ids of all checks that fire, Data.db read too.
fn deep(files: &InMemory) -> Vec<String> {
    let table = files.table();
    let mut job = CheckJob::new(&table, CheckOptions { deep: true });
    while !job.step(&table, 1 << 20).unwrap().done {}
    let findings = job.into_report().findings;
    findings.iter().map(|finding| format!("{}: {finding}", finding.check.id)).collect()
}

fn entry(rows: &[u8], at: u64) -> RowEntry {
    RowEntry::read(&mut Pages::new(Part::Rows, &rows, &mut ()), FilePos(at)).unwrap()
}

/// Separators with their offsets.
fn blocks(rows: &[u8], entry: &RowEntry) -> Vec<(Vec<u8>, u64)> {
    let mut unheard = ();
    let mut blocks = RowIndex::new(entry).blocks(Pages::new(Part::Rows, &rows, &mut unheard));
    let mut found = Vec::new();
    while let Some(block) = blocks.next().unwrap() {
        found.push((blocks.separator().to_vec(), block.offset));
    }
    found
}

/// Pages of Rows.db that finding the block for a place touches, entry first; and the block's start and end.
fn floor(rows: &[u8], at: u64, key: &[u8]) -> (Vec<u64>, u64, Option<u64>) {
    let mut recorder = Recorder::new();
    let mut pages = Pages::new(Part::Rows, &rows, &mut recorder);
    let entry = RowEntry::read(&mut pages, FilePos(at)).unwrap();
    let found = RowIndex::new(&entry).floor(&mut pages, key).unwrap();
    let record: Record = recorder.into_record();
    let touched = record.requests(Part::Rows).map(|page| page.0).collect();
    (touched, found.block.offset, found.end)
}

#[test]
fn f01_the_root_of_a_row_trie_is_counted_from_the_end_of_the_key() {
    let Some(files) = one("kopens-lsb/legacy_da_clust", "da-500-bti") else { return };
    let rows = files.part(Part::Rows).to_vec();
    assert_eq!(rows[93..101], [0, 1, b'0', 0, 0x0d, 0x0d, 0x80, 0x02]);
    let first = entry(&rows, 93);
    assert_eq!(
        (first.key.as_slice(), first.data, first.base),
        (&b"0"[..], DataPos(0), FilePos(96))
    );
    assert_eq!((first.root, first.blocks, first.deletion), (FilePos(89), 13, None));
    let roots = [93, 193, 295, 397, 499].map(|at| entry(&rows, at).root.0);
    assert_eq!(roots, [89, 189, 291, 393, 495]);

    // Counted from two bytes before, it would be 87: with a root there, no rows are shown but this sentence.
    let mut wrong = rows;
    wrong[97] = 0x11;
    let wrong = files.with(Part::Rows, &wrong);
    let said = said(&wrong, "rows/root");
    assert_eq!(said.len(), 1);
    assert!(said[0].ends_with("root offset 87 is not a valid trie root"), "{said:?}");
    let entry = entry(wrong.part(Part::Rows), 93);
    let source = wrong.part(Part::Rows);
    let mut nobody = ();
    let floor =
        RowIndex::new(&entry).floor(&mut Pages::new(Part::Rows, &source, &mut nobody), b"@");
    assert!(floor.is_err());
}

#[test]
fn f02_the_first_block_lies_under_the_empty_key() {
    let Some(files) = one("kopens-lsb/legacy_da_clust", "da-500-bti") else { return };
    let rows = files.part(Part::Rows).to_vec();
    let found = blocks(&rows, &entry(&rows, 93));
    assert_eq!(found.len(), 14, "13 blocks and the end");
    let expected = [("", 4), ("\x4012", 5373), ("\x4016", 10749), ("\x402", 16125)];
    for ((separator, offset), (text, at)) in found.iter().zip(expected) {
        assert_eq!((separator.as_slice(), *offset), (text.as_bytes(), at));
    }
    assert_eq!(found[12], (b"\x408".to_vec(), 64_497));
    assert_eq!(found[13], (b"\x40:".to_vec(), 67_181));
    let second = blocks(&rows, &entry(&rows, 193));
    assert_eq!([second[0].1, second[1].1, second[2].1], [4, 5377, 10_753], "from the partition on");
    // Anything below "12" is in block 0.
    let below = [&b"\x4011"[..], &[0, 0x38]].concat();
    assert_eq!(floor(&rows, 93, &below), (vec![0], 4, Some(5373)));

    // The same root as a type that has no payload: of four bytes too, and the distance in two of them.
    let mut without = rows;
    assert_eq!(without[89..93], [0x21, 0x40, 0x0e, 4]);
    without[89..93].copy_from_slice(&[0x40, 0x40, 0, 0x0e]);
    let said = said(&files.with(Part::Rows, &without), "rows/block-0");
    assert_eq!(said.len(), 1);
    let sentence = "row index has no entry for block 0; keys below 40 31 32 are unreachable";
    assert!(said[0].ends_with(sentence), "{said:?}");
}

#[test]
fn f03_partitions_are_counted_and_sized_by_the_index_alone() {
    let Some(files) = one("kopens-lsb/legacy_da_simple", "da-500-bti") else { return };
    let sizes = |files: &InMemory| {
        let table = files.table();
        let mut scan = SizeScan::new(&table).unwrap();
        let mut found = Vec::new();
        while let Some(sized) = scan.step().unwrap() {
            found.push((sized.partition.data.unwrap().0, sized.bytes));
        }
        found
    };
    let without_data = files.without(Part::Data);
    let expected = [(0, Some(22)), (22, Some(24)), (46, Some(24)), (70, Some(24)), (94, Some(24))];
    assert_eq!(sizes(&without_data), expected);
    let alone = without_data.without(Part::CompressionInfo);
    let mut expected = expected;
    expected[4].1 = None;
    assert_eq!(sizes(&alone), expected, "the last one needs the length of Data.db");

    let table = alone.table();
    assert_eq!(table.facts.partitions, Some(Count::Exact(5)));
    assert_eq!(table.facts.index, Some(IndexKind::Trie));
    let (first, last) = table.facts.ends.clone().unwrap();
    assert_eq!((first.as_slice(), last.as_slice()), (&b"0"[..], &b"4"[..]));
    // The legacy index is not expected, so it is not missing.
    for part in [Part::Index, Part::Summary] {
        assert!(!table.facts.problems.contains(&Problem::Missing(part)));
    }
    let mut job = CensusJob::new(&table);
    while !job.step(&table, 1000).unwrap().done {}
    let census = job.into_census();
    assert_eq!((census.sizes.known, census.sizes.unknown, census.sizes.bytes), (4, 1, 94));
    assert_eq!((census.sizes.min, census.sizes.max), (22, 24));
}

#[test]
fn f04_hash_byte_root_distance_and_positions_are_read_as_written() {
    let Some(files) = one("scylladb/partition_skipping", "mt-1-big") else { return };
    let table = files.table();
    let footer = table.footer.clone().unwrap();
    assert_eq!((footer.root, footer.count), (FilePos(57), 10));
    let five = 5i32.to_be_bytes();
    let (hash, style) = (murmur3(&five), table.dialect().key_style);
    assert_eq!(Token::of_murmur3(&five, hash), -7_509_452_495_886_106_294);
    assert_eq!((hash.byte(), hash.h1 as u8), (193, 74));

    let lookup = |key: i32| {
        let key = key.to_be_bytes();
        let comparable = partition_key(&Partitioner::Murmur3, style, table.key_schema(), &key);
        let source = files.part(Part::Partitions);
        let mut recorder = Recorder::new();
        let mut pages = Pages::new(Part::Partitions, &source, &mut recorder);
        let hash = murmur3(&key).byte();
        let found = PartitionIndex::new(&footer).exact(&mut pages, &comparable.bytes, hash);
        (found.unwrap(), hash, recorder.into_record().requests(Part::Partitions).count())
    };
    let (Exact::Candidate(leaf), ..) = lookup(5) else { panic!("5 is there") };
    assert_eq!((leaf.at, leaf.depth, leaf.hash), (FilePos(0), 2, Some(193)));
    assert_eq!(leaf.target(), LeafTarget::Data(DataPos(0)));
    assert_eq!(lookup(10).0, Exact::DeadEnd);
    assert_eq!(lookup(10).2, 1, "page");
    let (Exact::OtherHash(leaf), hash, _) = lookup(18) else { panic!("18 has another hash") };
    assert_eq!((leaf.target(), leaf.hash, hash), (LeafTarget::Data(DataPos(152)), Some(2), 219));
    let (Exact::Candidate(leaf), hash, _) = lookup(788) else { panic!("788 must be compared") };
    assert_eq!((leaf.target(), leaf.hash, hash), (LeafTarget::Data(DataPos(31)), Some(230), 230));
    let (key, _) = table.data_reader().unwrap().key(DataPos(31)).unwrap();
    assert_eq!(key, 1i32.to_be_bytes(), "so 788 is absent");
}

#[test]
fn f05_ms_and_mt_differ_in_keys_of_one_token_only() {
    let schema = KeySchema::new(vec![CqlType::Int, CqlType::Text]);
    let key = schema.pack(&[&(-1i32).to_be_bytes(), b"ab"]).unwrap();
    let of = |version: &[u8; 2]| {
        let style = Dialect::of(Version::new(version).unwrap()).key_style;
        partition_key(&Partitioner::Murmur3, style, &schema, &key).bytes
    };
    let (typed, blob) = (of(b"ms"), of(b"mt"));
    assert_eq!(typed[..10], blob[..10], "40 token 40");
    assert_eq!(typed[10..], *b"\x7f\xff\xff\xff\x40ab\x00\x38");
    assert_eq!(blob[10..], *b"\x00\xff\x04\xff\xff\xff\xff\x00\xfe\xff\x02ab\x00\xfe\x38");
    assert_eq!(Dialect::of(Version::new(b"ms").unwrap()).key_style, KeyStyle::Columns);

    // The case counts eight; of `summary_test` the `mt` files are not at hand.
    let tables = [
        ("counter_test", 5),
        ("large_partition", 3),
        ("multi_schema_test", 1),
        ("partition_skipping", 1),
        ("promoted_index_read", 1),
        ("sliced_mutation_reads", 1),
        ("wrong_range_tombstone_order", 1),
    ];
    for (table, generation) in tables {
        let of = |version: &str| {
            one(&format!("scylladb/{table}"), &format!("{version}-{generation}-big"))
        };
        let (Some(ms), Some(mt)) = (of("ms"), of("mt")) else { return };
        for part in [Part::Partitions, Part::Rows, Part::Data] {
            assert_eq!(ms.part(part), mt.part(part), "{table} {part}");
        }
        // None has a key of several columns, so nothing is to be warned of.
        assert!(said(&ms, "layout/column-wise-keys").is_empty());
    }
    let warning = triescope_core::check::catalog::find("layout/column-wise-keys").unwrap();
    assert_eq!(warning.severity, Severity::Suspicious);
}

#[test]
fn f06_an_empty_rows_db_and_four_bytes_of_filler_are_normal() {
    let rows = |folder: &str, name: &str| {
        let files = one(folder, name)?;
        let trie: Vec<String> = report(&files)
            .findings
            .iter()
            .filter(|it| it.part == Some(Part::Rows))
            .map(ToString::to_string)
            .collect();
        assert_eq!(trie, [""; 0], "{folder}");
        let table = files.table();
        let mut job = CensusJob::new(&table);
        while !job.step(&table, 1000).unwrap().done {}
        Some((job.into_census().rows, table.facts.has_row_index))
    };
    let Some((filler, indexed)) = rows("scylladb/counter_test", "ms-5-big") else { return };
    let filler = filler.unwrap();
    assert_eq!((filler.bytes, filler.entries.entries, filler.filler_bytes), (4, 0, 4));
    assert!(!indexed, "no partition has a row index");
    let (large, indexed) = rows("scylladb/large_partition", "mt-3-big").unwrap();
    let large = large.unwrap();
    assert_eq!((large.bytes, large.bytes - large.filler_bytes, large.filler_bytes), (56, 52, 4));
    assert!(indexed);
    let (empty, indexed) = rows("kopens-lsb/legacy_da_simple", "da-500-bti").unwrap();
    assert_eq!((empty, indexed), (None, false));
}

#[test]
fn f07_one_row_of_a_million_costs_three_or_four_pages_of_the_index() {
    // The two files of the case, made again: rows of 318 bytes give their sizes.
    for (block, bytes, traced) in
        [(65_536, 59_989, [14, 2].as_slice()), (1024, 2_001_227, &[488, 486, 285])]
    {
        let rows = million_rows(block);
        assert_eq!(rows.bytes.len(), bytes);
        // The root is the last node, so the first fetch is where the entry is.
        assert_eq!(rows.entry / 4096, traced[0]);
        let touched = |row: u32| floor(&rows.bytes, rows.entry, &clustering(row)).0;
        assert!((0..1_000_000).step_by(1000).any(|row| touched(row) == traced));
        let as_many =
            (0..1_000_000).step_by(1000).filter(|row| touched(*row).len() <= traced.len());
        assert!(as_many.count() > 900, "nearly all rows cost as much or less");
    }
}

struct Million {
    bytes: Vec<u8>,
    entry: u64,
}

fn clustering(row: u32) -> Vec<u8> {
    [&[0x40][..], &(row ^ 1 << 31).to_be_bytes(), &[0x38]].concat()
}

/// Rows.db of one partition of a million rows, in blocks of at least so many bytes, with ScyllaDB's filler.
fn million_rows(block: u64) -> Million {
    const ROW: u64 = 318;
    let (rows, key) = (1_000_000, 0i32.to_be_bytes());
    let head = 2 + 4 + 12;
    let a_block = u32::try_from(block.div_ceil(ROW)).unwrap();
    let mut writer = RowsWriter::new(Flavour::SCYLLA, Vec::new());
    let mut add = |separator: &[u8], offset| {
        writer.add(RowBlock { separator, offset, open: None }, []).unwrap();
    };
    add(&[], head);
    let mut before = Vec::new();
    for first in (a_block..rows).step_by(a_block as usize) {
        before = separator(&clustering(first - 1), &clustering(first));
        add(&before, head + u64::from(first) * ROW);
    }
    let last = clustering(rows - 1);
    add(&separator(&last, &before), head + u64::from(rows) * ROW);
    let entry = writer.end_partition(&key, DataPos(0), None).unwrap();
    let bytes = [&writer.into_sink()[..], &[0x13, 0x37, 0x13, 0x37]].concat();
    Million { bytes, entry: entry.0 }
}

/// What two places share, and the next byte of the first one plus one.
fn separator(last: &[u8], next: &[u8]) -> Vec<u8> {
    let shared = last.iter().zip(next).take_while(|(a, b)| a == b).count();
    [&last[..shared], &[last[shared] + 1]].concat()
}

#[test]
fn f08_a_leaf_is_compared_with_the_key_it_leads_to() {
    let Some(files) = one("scylladb/partition_skipping", "mt-1-big") else { return };
    assert_eq!(
        deep(&files),
        [""; 0],
        "a healthy table, whose trie holds prefixes of encoded tokens"
    );
    // The leaf of 40 17 points to the partition of another one.
    let mut bytes = files.part(Part::Partitions).to_vec();
    assert_eq!(bytes[..6], [8, 0xc1, 0xff, 8, 0xe6, 0xe0]);
    bytes[2] = 0xe0;
    let patched = files.with(Part::Partitions, &bytes);
    let found = deep(&patched);
    assert!(found.iter().any(|it| it.starts_with("trie/positions")), "{found:?}");

    // A trie of as many other keys with the same positions: every leaf is found to lead to another key.
    let mut others: Vec<[u8; 4]> = (100..110i32).map(i32::to_be_bytes).collect();
    others.sort_by_key(|key| Token::of_murmur3(key, murmur3(key)));
    let mut writer = PartitionsWriter::new(Flavour::SCYLLA, Vec::new());
    for (key, at) in others.iter().zip([0, 31, 62, 93, 121, 152, 183, 214, 245, 276]) {
        let (unknown, style) = (KeySchema::default(), KeyStyle::Blob);
        let comparable = partition_key(&Partitioner::Murmur3, style, &unknown, key).bytes;
        let target = PartitionTarget::Data(DataPos(at));
        writer.add(key, &comparable, murmur3(key).byte(), target).unwrap();
    }
    let exchanged = files.with(Part::Partitions, &writer.finish().unwrap());
    let found = deep(&exchanged);
    let identity: Vec<_> = found.iter().filter(|it| it.starts_with("trie/data-key")).collect();
    assert_eq!(identity.len(), 10, "{found:#?}");
    // 1 is the key at 31, and its own leaf was that of 40 47.
    assert!(identity[1].contains("→ Data.db 31: expected prefix 40 "), "{identity:?}");
    assert!(identity[1].ends_with(", found a key that encodes to 40 47 84…"), "{identity:?}");

    let root = with_root(&files, 35);
    let said = said(&root, "trie/root");
    assert_eq!(said.len(), 1, "the root of another trie");
    assert!(said[0].contains("root offset 35 is not a valid trie root"), "{said:?}");
}

/// With another root in the footer.
fn with_root(files: &InMemory, root: u64) -> InMemory {
    let mut bytes = files.part(Part::Partitions).to_vec();
    let at = bytes.len() - 8;
    bytes[at..].copy_from_slice(&root.to_be_bytes());
    files.with(Part::Partitions, &bytes)
}

#[test]
fn f08_a_key_of_another_table_is_named_by_its_leaf() {
    // The entry of a wide partition holds its key, so that Data.db is not needed.
    let files = cassandra("wide_text", "da", 1).files;
    let mut rows = files.part(Part::Rows).to_vec();
    rows[200] = b'9';
    let said = said(&files.with(Part::Rows, &rows), "rows/key");
    assert_eq!(
        said,
        ["Partitions.db, offset 0 (page 0 + 0), leaf 40 0b → Rows.db 193: expected prefix 40 0b, \
          found a key that encodes to 40 76 3c…"]
    );
}

fn column(class: &str) -> ClusteringSchema {
    ClusteringSchema::from_classes([class])
}

const INT: &str = "org.apache.cassandra.db.marshal.Int32Type";
const DESCENDING: &str =
    "org.apache.cassandra.db.marshal.ReversedType(org.apache.cassandra.db.marshal.Int32Type)";

fn encoded(schema: &ClusteringSchema, version: &[u8; 2], value: &[u8]) -> Vec<u8> {
    let dialect = Dialect::of(Version::new(version).unwrap());
    schema.comparable(dialect, RowKind::Row, [Some(value)]).bytes
}

#[test]
fn f09_an_empty_value_has_its_own_place() {
    let (int, descending) = (column(INT), column(DESCENDING));
    let tuple = column(
        "org.apache.cassandra.db.marshal.TupleType(org.apache.cassandra.db.marshal.Int32Type,\
         org.apache.cassandra.db.marshal.UTF8Type)",
    );
    for version in [b"da", b"ms"] {
        assert_eq!(encoded(&int, version, &[]), [0x3f, 0x38]);
        assert_eq!(encoded(&int, version, &[0; 4]), [0x40, 0x80, 0, 0, 0, 0x38]);
        assert_eq!(encoded(&int, version, &[0, 0, 0, 1]), [0x40, 0x80, 0, 0, 1, 0x38]);
        assert_eq!(encoded(&descending, version, &[]), [0x41, 0x38]);
        let empty = int.decode(&encoded(&int, version, &[]));
        assert_eq!(empty.values, [Some(Vec::new())], "empty is not null");
    }
    // A tuple with an empty first field: null in Cassandra, empty in ScyllaDB, and neither is damage.
    let fields = [&[0; 4][..], &1i32.to_be_bytes(), b"e"].concat();
    assert_eq!(encoded(&tuple, b"da", &fields), *b"\x40\x3e\x40e\x00\x38\x38");
    assert_eq!(encoded(&tuple, b"ms", &fields), *b"\x40\x3f\x40e\x00\x38\x38");
    for table in ["ck_int", "ck_int_desc", "ck_tuple"] {
        let files = cassandra(table, "da", 1).files;
        assert!(report(&files).findings.is_empty(), "{table}");
    }
}

#[test]
fn f11_values_of_descending_columns_are_inverted_and_shown_as_they_are() {
    let schema = column(DESCENDING);
    assert!(schema.columns()[0].descending);
    assert_eq!(schema.columns()[0], ColumnType { cql: CqlType::Int, descending: true });
    for (value, bytes) in
        [(7i32, [0x40, 0x7f, 0xff, 0xff, 0xf8, 0x38]), (-1, [0x40, 0x80, 0, 0, 0, 0x38])]
    {
        assert_eq!(encoded(&schema, b"da", &value.to_be_bytes()), bytes);
        let decoded = schema.decode(&bytes);
        assert_eq!(decoded.values, [Some(value.to_be_bytes().to_vec())]);
        assert_eq!(schema.describe(&bytes), value.to_string());
    }
    // Blocks lie in file order, which is that of the bytes: 7, 5, -1.
    let order: Vec<_> = [7, 5, -1i32].map(|v| encoded(&schema, b"da", &v.to_be_bytes())).into();
    assert!(order.is_sorted());

    let files = cassandra("wide_desc", "da", 1).files;
    let table = files.table();
    assert!(table.facts.clustering.as_ref().unwrap()[0].descending);
    let schema = table.clustering_schema().unwrap();
    let mut scan = SizeScan::new(&table).unwrap();
    let first = scan.step().unwrap().unwrap().partition;
    let FoundKey::Whole(_) = first.key else { panic!("a wide partition's key is in Rows.db") };
    let rows = files.part(Part::Rows);
    let source = files.part(Part::Partitions);
    let leaf = Node::read(Part::Partitions, first.at, source).unwrap();
    let at = triescope_core::bti::Leaf::of(&leaf, 0).unwrap().raw as u64;
    let found = blocks(rows, &entry(rows, at));
    // What is cut of a separator is zero at least; its bytes are inverted.
    let starts: Vec<i32> = found
        .iter()
        .filter(|(separator, _)| separator.len() > 1)
        .map(|(separator, _)| {
            let bytes = [1, 2, 3, 4].map(|i| separator.get(i).copied().unwrap_or(0));
            (!u32::from_be_bytes(bytes) ^ 1 << 31).cast_signed()
        })
        .collect();
    assert_eq!(starts.len() as u64, entry(rows, at).blocks);
    assert!(starts.is_sorted_by(|a, b| a > b), "the greatest first: {starts:?}");
    // A separator that is cut is a range, not a row.
    assert_eq!(schema.describe(&[0x40, 0x7f]), "0x7f…");
}
