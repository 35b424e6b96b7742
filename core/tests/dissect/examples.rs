//! The annotated files of the format texts, field by field.

use crate::assert_covered;
use crate::common::cassandra;
use triescope_core::dissect::{Item, ItemKind, item};
use triescope_core::pos::FilePos;
use triescope_core::table::{Part, Table, group};

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap())
        .collect()
}

/// An SSTable of the given components, whose names begin with `prefix`.
fn table<'a>(prefix: &str, files: &'a [(Part, Vec<u8>)]) -> Table<&'a [u8]> {
    let names: Vec<_> = files
        .iter()
        .map(|(part, bytes)| (format!("{prefix}{}", part.file_name()), bytes.len() as u64))
        .collect();
    let grouping = group(names.iter().map(|(name, size)| (name.as_str(), *size)));
    let sources = files.iter().map(|(part, bytes)| (*part, bytes.as_slice()));
    Table::open(grouping.sets.into_iter().next().unwrap(), sources).unwrap()
}

/// Name and value of all fields, `NAME VALUE` one a line.
fn lines(item: &Item) -> Vec<String> {
    item.fields.iter().map(|field| format!("{} {}", field.name, field.value)).collect()
}

fn check(table: &Table<&[u8]>, part: Part, at: u64, summary: &str, expected: &[&str]) {
    let item = item(table, part, FilePos(at)).unwrap();
    assert_covered(&item);
    assert_eq!(item.summary, summary, "{part} {at}");
    assert_eq!(lines(&item), expected, "{part} {at}");
}

#[test]
fn the_smallest_partitions_db() {
    let bytes = hex("08f1ff 1340 000400000000 000400000000
        0000000000000005 0000000000000001 0000000000000003");
    let files = [(Part::Partitions, bytes)];
    let table = table("ms-5-big-", &files);
    let part = Part::Partitions;
    let leaf = "PAYLOAD_ONLY, partition at 0 of Data.db";
    check(
        &table,
        part,
        0,
        leaf,
        &["node type 0 PAYLOAD_ONLY", "payload bits 8", "hash byte 0xf1", "position -1"],
    );
    check(
        &table,
        part,
        3,
        "SINGLE_NOPAYLOAD_4, one child for 0x40",
        &["node type 1 SINGLE_NOPAYLOAD_4", "distance 3", "transition byte 0x40"],
    );
    check(
        &table,
        part,
        5,
        "first key 0x00000000, last key 0x00000000",
        &["key length 4", "first key 0x00000000", "key length 4", "last key 0x00000000"],
    );
    check(
        &table,
        part,
        0x11,
        "1 partition, root at 3",
        &["keys position 5", "key count 1", "root position 3"],
    );
    // Inside the keys and the footer it is these; inside a node it is what a node would be there.
    let kind = |at| item(&table, part, FilePos(at)).map(|item| (item.kind, item.at.0, item.known));
    assert_eq!(kind(7), Ok((ItemKind::Keys, 5, true)));
    assert_eq!(kind(0x28), Ok((ItemKind::Footer, 0x11, true)));
    assert_eq!(kind(1), Ok((ItemKind::Node, 1, false)));
    assert_eq!(
        item(&table, part, FilePos(41)).unwrap_err().to_string(),
        "Partitions.db, offset 41 (page 0 + 41), position: expected a position below 41, found 41"
    );
}

#[test]
fn partitions_db_with_ten_partitions() {
    let bytes =
        hex("08c1ff 08e6e0 08f9c1 08f1a2 08e186 0902ff67 0905ff48 09baff29 09b1ff0a 0933feeb
        500a 17474b4f525a96a5b3fd 23201d1a171410 0c0804 20 40 16 000400000005 000400000003
        000000000000003c 000000000000000a 0000000000000039");
    let files = [(Part::Partitions, bytes)];
    let table = table("ms-1-big-", &files);
    let leaf = item(&table, Part::Partitions, FilePos(0x13)).unwrap();
    assert_eq!(leaf.summary, "PAYLOAD_ONLY, partition at 183 of Data.db");
    assert_eq!(lines(&leaf)[3], "position -184");
    assert_eq!(leaf.fields[3].len, 2);
    let node = item(&table, Part::Partitions, FilePos(0x23)).unwrap();
    assert_covered(&node);
    assert_eq!(node.summary, "SPARSE_8, 10 children");
    let of = |name: &str| -> Vec<String> {
        let fields = node.fields.iter().filter(|field| field.name == name);
        fields.map(|field| field.value.clone()).collect()
    };
    let transitions =
        ["0x17", "0x47", "0x4b", "0x4f", "0x52", "0x5a", "0x96", "0xa5", "0xb3", "0xfd"];
    assert_eq!(of("transition byte"), transitions);
    assert_eq!(of("distance"), ["35", "32", "29", "26", "23", "20", "16", "12", "8", "4"]);
    assert_eq!(
        node.fields.last().unwrap().meaning,
        "the child for byte 0xfd lies at 35 - 4 = 31, in page 0"
    );
    assert_eq!(node.fields.last().unwrap().page, "trie.md#nodes");
}

#[test]
fn rows_db_with_one_row_trie() {
    let rows = hex("0301001a 1459 1274 03020021 1443 5002346e0802 03030021 1454 126f 030366e2
        500331373a120604 21400810 00027631 00 0f 04 80 13371337");
    let partitions = hex("08982c 1340 00027631 00027631
        0000000000000005 0000000000000001 0000000000000003");
    let files = [(Part::Partitions, partitions), (Part::Rows, rows)];
    let table = table("ms-3-big-", &files);
    let rows = Part::Rows;
    check(
        &table,
        rows,
        0,
        "PAYLOAD_ONLY, block at 65562",
        &["node type 0 PAYLOAD_ONLY", "payload bits 3", "block offset 65562"],
    );
    check(
        &table,
        rows,
        0x28,
        "SINGLE_8, one child for 0x40, block at 16",
        &[
            "node type 2 SINGLE_8",
            "payload bits 1",
            "transition byte 0x40",
            "distance 8",
            "block offset 16",
        ],
    );
    check(
        &table,
        rows,
        0x2c,
        "entry of 0x7631, 4 blocks",
        &[
            "key length 2",
            "key 0x7631",
            "data position 0",
            "root distance -8",
            "number of blocks 4",
            "deletion live",
        ],
    );
    let entry = item(&table, rows, FilePos(0x2c)).unwrap();
    assert_eq!(entry.fields[3].meaning, "the root of the row trie lies at 48 - 8 = 40");
    let filler = item(&table, rows, FilePos(0x34)).unwrap();
    assert_eq!((filler.kind, filler.fields[0].value.as_str()), (ItemKind::Filler, "0x13371337"));
    assert_covered(&filler);
}

#[test]
fn nodes_and_entries_of_cassandra() {
    let files = cassandra("ck_date", "da", 1).files;
    let table = files.table();
    let rows = Part::Rows;
    let single = &["node type 2 SINGLE_8", "payload bits 0", "transition byte 0xff", "distance 16"];
    check(&table, rows, 0x28, "SINGLE_8, one child for 0xff", single);
    let inner = &[
        "node type 2 SINGLE_8",
        "payload bits 2",
        "transition byte 0x00",
        "distance 26",
        "block offset 10178",
    ];
    check(&table, rows, 0x69, "SINGLE_8, one child for 0x00, block at 10178", inner);

    let files = cassandra("wide_static", "da", 1).files;
    check(
        &files.table(),
        rows,
        0x9c,
        "entry of 1, 12 blocks",
        &[
            "key length 4",
            "key 1",
            "data position 11567",
            "root distance -10",
            "number of blocks 12",
            "deletion timestamp 1700000102000000",
            "local deletion time 1700000000",
        ],
    );

    let files = cassandra("range_tombstones", "da", 1).files;
    let bytes = files.part(rows);
    let leaf = hex("0a0455 00060a2498079c80 6553f100");
    let at = bytes.windows(leaf.len()).position(|window| window == leaf).unwrap();
    check(
        &files.table(),
        rows,
        at as u64,
        "PAYLOAD_ONLY, block at 1109 inside a deletion",
        &[
            "node type 0 PAYLOAD_ONLY",
            "payload bits 10",
            "block offset 1109",
            "open deletion, timestamp 1700002146000000",
            "open deletion, local time 1700000000",
        ],
    );
}

#[test]
fn a_summary_of_cassandra() {
    let bytes = hex("00000080 00000002 0000000000000020 00000080 00000002 08000000 14000000
        00000017 0000000000000000 00000003 7a04000000000000 00000004 00000017 00000004 00000067");
    let index =
        hex("0004 00000005 00 00 0004 00000001 2f 00 0004 00000002 5a 00 0004 00000004 8087 00
        0004 00000003 80b6 00");
    let files = [(Part::Index, index), (Part::Summary, bytes)];
    let table = table("nb-1-big-", &files);
    let part = Part::Summary;
    check(
        &table,
        part,
        0,
        "head: 2 samples",
        &[
            "min index interval 128",
            "entries 2",
            "memory size 32",
            "sampling level 128",
            "size at full sampling 2",
        ],
    );
    check(
        &table,
        part,
        0x18,
        "offsets of the samples 0 to 1, little-endian",
        &["sample offset 8", "sample offset 20"],
    );
    check(
        &table,
        part,
        0x2c,
        "sample 1: 0x00000003, entry at 1146 of Index.db",
        &["key 0x00000003", "position in Index.db 1146"],
    );
    check(
        &table,
        part,
        0x38,
        "first key 0x00000017, last key 0x00000067",
        &["key length 4", "first key 0x00000017", "key length 4", "last key 0x00000067"],
    );
    let entry = "entry of 0x00000004, partition at 135 of Data.db";
    let fields = &["key length 4", "key 0x00000004", "data position 135", "promoted size 0"];
    check(&table, Part::Index, 0x18, entry, fields);
}

/// A table with the types of another one in its Statistics.db.
fn typed<'a>(prefix: &str, files: &'a [(Part, Vec<u8>)]) -> Table<&'a [u8]> {
    let table = table(prefix, files);
    assert!(table.clustering_schema().is_some());
    table
}

#[test]
fn a_promoted_index_of_scylladb() {
    let index = hex("00027631 00 64 10 7fffffff8000000000000000 04
        040003306141 04000431347458 10 14 00 04000431347459 040003316e42 c1001a 0e 00
        040003316e43 040003376f53 c20021 00 00 040003376f54 040003397a5a c30021 c1327b 00
        00000000 00000010 00000022 00000033");
    // Key and clustering are text there too.
    let statistics = cassandra("wide_text", "nb", 1).files.part(Part::Statistics).to_vec();
    let files = [(Part::Index, index), (Part::Statistics, statistics)];
    let table = typed("nb-1-big-", &files);
    let part = Part::Index;
    let head = item(&table, part, FilePos(6)).unwrap();
    assert_covered(&head);
    assert_eq!(head.summary, "promoted index of 4 blocks");
    let expected = [
        "header length 16",
        "local deletion time 2147483647",
        "deletion timestamp -9223372036854775808",
        "block count 4",
    ];
    assert_eq!(lines(&head), expected);
    let block = item(&table, part, FilePos(0x24)).unwrap();
    assert_covered(&block);
    assert_eq!(block.summary, "block at 65562, 65543 bytes: ('14tY') to ('1nB')");
    let expected = [
        "first: kind 4",
        "header of clustering values 0",
        "value length 4",
        "first: value '14tY'",
        "last: kind 4",
        "header of clustering values 0",
        "value length 3",
        "last: value '1nB'",
        "block start 65562",
        "block width 7",
        "open marker flag 0",
    ];
    assert_eq!(lines(&block), expected);
    let offsets = ["block offset 0", "block offset 16", "block offset 34", "block offset 51"];
    check(&table, part, 0x5a, "offsets of blocks 0 to 3", &offsets);
    check(&table, part, 0x62, "offsets of blocks 2 to 3", &offsets[2..]);
}

#[test]
fn the_small_files_of_the_format_text() {
    let filter = hex("00000005 00000002 8020280080062816 21021242c8002000");
    let compression =
        hex("000d 4c5a34436f6d70726573736f72 00000000 00010000 00000000000366e3 00000005
        0000000000000000 000000000000a39b 000000000001459e 000000000001ef53 0000000000023363");
    let crc = hex("00010000 84c55703");
    let digest = b"2227525379".to_vec();
    let files = [
        (Part::Filter, filter),
        (Part::CompressionInfo, compression),
        (Part::Crc, crc),
        (Part::Digest, digest),
    ];
    let table = table("mc-1-big-", &files);
    let head = &["hash count 5", "word count 2"];
    check(&table, Part::Filter, 0, "head: 5 hash functions, 128 bits", head);
    let words = &["word 0x8020280080062816", "word 0x21021242c8002000"];
    check(&table, Part::Filter, 8, "words 0 to 1", words);
    check(&table, Part::Filter, 16, "words 1 to 1", &words[1..]);
    check(
        &table,
        Part::CompressionInfo,
        0,
        "head: LZ4Compressor, 5 chunks of 65536 bytes",
        &[
            "compressor length 13",
            "compressor LZ4Compressor",
            "option count 0",
            "chunk length 65536",
            "data length 222947",
            "chunk count 5",
        ],
    );
    let offsets = item(&table, Part::CompressionInfo, FilePos(0x23)).unwrap();
    assert_eq!(lines(&offsets)[4], "chunk offset 144227");
    assert_covered(&offsets);
    check(&table, Part::Crc, 4, "chunk checksums 0 to 0", &["chunk checksum 84c55703"]);
    check(&table, Part::Digest, 0, "digest 2227525379", &["digest 2227525379"]);
}
