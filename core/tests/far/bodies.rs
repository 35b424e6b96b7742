//! Everything that a file says where 32 bits do not suffice: nodes, entries, samples, chunks, rows, and what checks say of
//! them. The same functions are run natively and, by `tests/wasm`, in wasm32, where memory indices have 32 bits.

use super::sparse::Sparse;
use triescope_core::big::write::{IndexWriter, SummaryOptions, write_summary};
use triescope_core::big::{BlockLayout, Progress, SampleRule, Sampler, Samples, Summary};
use triescope_core::bti::pack::{Flavour, RowBlock, RowsWriter};
use triescope_core::bti::{Exact, Footer, PartitionIndex, RowEntry, RowIndex};
use triescope_core::check::{CheckJob, CheckOptions};
use triescope_core::data::{DataReader, Item, Items, Layout};
use triescope_core::keys::{
    ClusteringSchema, KeySchema, KeyStyle, Partitioner, murmur3, partition_key,
};
use triescope_core::lookup::{
    FilterMode, LeafTarget, LegacyFound, LegacyIndex, Query, Recorder, find_legacy,
};
use triescope_core::meta::{Compression, CrcTable, crc32};
use triescope_core::pos::{DataPos, FilePos, PAGE_SIZE, PageNo};
use triescope_core::race::LegacyReader;
use triescope_core::source::{Pages, Source};
use triescope_core::table::{IndexFormat, Part, Table, Version, group};

/// Calls a macro with the names of all tests here.
macro_rules! each {
    ($call:ident) => {
        $call! {
            nodes_point_back_over_4_gib,
            a_check_of_a_far_trie_finds_the_hole_before_it,
            entries_and_blocks_of_rows_lie_above_4_gib,
            entries_behind_a_long_promoted_index_are_found_by_samples,
            a_check_goes_on_behind_a_long_promoted_index,
            compressed_chunks_lie_above_4_gib,
            chunks_with_checksums_lie_above_4_gib,
            rows_are_decoded_above_4_gib,
        }
    };
}
pub(crate) use each;

/// Above 4 GiB, and not a multiple of it: cut to 32 bits it would be another position, not 0.
const FAR: u64 = (5 << 32) + 3 * PAGE_SIZE;

/// Two keys in the order of their tokens, and the positions in Data.db that are given to them.
fn two_keys() -> [([u8; 4], u64); 2] {
    let mut keys = [5i32, 6].map(i32::to_be_bytes);
    keys.sort_by_key(|key| comparable(key));
    [(keys[0], FAR + 77), (keys[1], 3 * FAR)]
}

fn comparable(key: &[u8]) -> Vec<u8> {
    partition_key(&Partitioner::Murmur3, KeyStyle::Blob, KeySchema::UNKNOWN, key).bytes
}

/// Partitions.db: two leaves at its start, and above 4 GiB the node that points to them, the root, and the end.
fn far_partitions() -> Sparse {
    let (mut leaves, mut node) = (Vec::new(), Vec::new());
    let keys = two_keys();
    let bytes = keys.map(|(key, _)| comparable(&key)[1]);
    assert!(bytes[0] < bytes[1], "the keys part at the second byte");
    node.extend([0x90, 2, bytes[0], bytes[1]]); // sparse, 40 bits, 2 children
    for (key, data) in &keys {
        let distance = FAR - leaves.len() as u64;
        node.extend(&distance.to_be_bytes()[3..]);
        leaves.extend([0x0f, murmur3(key).byte()]); // a leaf with hash and 8 bytes of position
        leaves.extend((!data.cast_signed()).to_be_bytes());
    }
    let root = node.len() as u64;
    node.extend([0x20, 0x40, u8::try_from(root).unwrap()]); // single, 8 bits: back to the node
    let keys_at = FAR + node.len() as u64;
    for (key, _) in &keys {
        node.extend([0, 4]);
        node.extend(key);
    }
    for number in [keys_at, 2, FAR + root] {
        node.extend(number.to_be_bytes());
    }
    Sparse::ending(FAR, &node).with(0, &leaves)
}

pub fn nodes_point_back_over_4_gib() {
    let file = far_partitions();
    let footer = Footer::read(&file).unwrap();
    assert_eq!((footer.keys_at.0 > FAR, footer.count), (true, 2));
    let trie = PartitionIndex::new(&footer);
    for (key, data) in two_keys() {
        let mut recorder = Recorder::new();
        let mut pages = Pages::new(Part::Partitions, &file, &mut recorder);
        let found = trie.exact(&mut pages, &comparable(&key), murmur3(&key).byte()).unwrap();
        let Exact::Candidate(leaf) = found else { panic!("{found:?}") };
        assert_eq!(leaf.target(), LeafTarget::Data(DataPos(data)));
        let pages: Vec<_> = recorder.record().requests(Part::Partitions).collect();
        assert_eq!(pages, [PageNo(FAR / PAGE_SIZE), PageNo(0)]);
    }
    let mut nobody = ();
    let mut leaves = trie.leaves(Pages::new(Part::Partitions, &file, &mut nobody));
    let mut positions = Vec::new();
    while let Some(found) = leaves.next().unwrap() {
        positions.push(found.leaf.target());
    }
    assert_eq!(positions, two_keys().map(|(_, data)| LeafTarget::Data(DataPos(data))));
}

/// Opens a table of some components, named as in `da-1-bti-…`.
fn table(stem: &str, parts: Vec<(Part, Sparse)>) -> Table<Sparse> {
    let names =
        parts.iter().map(|(part, file)| (format!("{stem}-{}", part.file_name()), file.len()));
    let set = group(names).sets.remove(0);
    Table::open(set, parts).unwrap()
}

/// What a check finds wrong in one component, beyond what is only dear: id, position, length.
fn found(table: &Table<Sparse>, part: Part) -> Vec<(&'static str, u64, Option<u64>)> {
    let mut job = CheckJob::new(table, CheckOptions::default());
    while !job.step(table, 1 << 30).unwrap().done {}
    let findings = job.into_report().findings;
    let wrong = findings.iter().filter(|it| !it.check.id.starts_with("layout/"));
    wrong
        .filter(|it| it.part == Some(part))
        .filter_map(|it| Some((it.check.id, it.at?.0, it.len)))
        .collect()
}

pub fn a_check_of_a_far_trie_finds_the_hole_before_it() {
    let table = table("da-1-bti", vec![(Part::Partitions, far_partitions())]);
    // The first page may end in padding, behind the two leaves.
    let hole = FAR - PAGE_SIZE;
    assert_eq!(found(&table, Part::Partitions), [("trie/padding", PAGE_SIZE, Some(hole))]);
}

pub fn entries_and_blocks_of_rows_lie_above_4_gib() {
    let offsets = [0, FAR, 2 * FAR, 3 * FAR];
    let separators: [&[u8]; 4] = [&[], &[0x40, 0x81], &[0x40, 0x90, 0x11], &[0x60]];
    let mut writer = RowsWriter::new(Flavour::CASSANDRA, Vec::new());
    for (separator, offset) in separators.into_iter().zip(offsets) {
        writer.add(RowBlock { separator, offset, open: None }, []).unwrap();
    }
    let at = writer.end_partition(b"key", DataPos(7 * FAR), None).unwrap();
    let file = Sparse::ending(FAR, &writer.into_sink());
    let mut nobody = ();
    let mut pages = Pages::new(Part::Rows, &file, &mut nobody);
    let entry = RowEntry::read(&mut pages, FilePos(FAR + at.0)).unwrap();
    assert_eq!(
        (entry.data, entry.blocks, entry.key.as_slice()),
        (DataPos(7 * FAR), 3, &b"key"[..])
    );
    assert!(entry.root.0 >= FAR && entry.root < entry.at);
    let trie = RowIndex::new(&entry);
    for (place, block) in [(&[0x40, 0x80][..], 0), (&[0x40, 0x85], 1), (&[0x40, 0x95], 2)] {
        let floor = trie.floor(&mut pages, place).unwrap();
        assert_eq!((floor.block.offset, floor.end), (offsets[block], Some(offsets[block + 1])));
        assert!(floor.block.node.0 >= FAR);
    }
}

/// Index.db of two entries: the promoted index of the first one reaches over 4 GiB.
fn far_index() -> Sparse {
    let [(first, _), (second, data)] = two_keys();
    let mut head = vec![0, 4];
    head.extend(first);
    head.push(0); // position in Data.db
    head.push(0xfe); // a number of seven more bytes: the promoted index goes on to the second entry
    head.extend(&(FAR - head.len() as u64 - 7).to_be_bytes()[1..]);
    let mut writer = IndexWriter::new(
        &Partitioner::Murmur3,
        BlockLayout { version: Version::new(b"oa").unwrap(), lengths: &[] },
        Vec::new(),
    );
    writer.add(&second, DataPos(data), None).unwrap();
    Sparse::ending(FAR, &writer.into_sink()).with(0, &head)
}

/// Summary.db with both entries as samples.
fn far_summary(index: &Sparse) -> Sparse {
    let rule = SampleRule::Every(1);
    let mut sampler = Sampler::new(rule, IndexFormat::Vints);
    while sampler.step(index, 1).unwrap() != Progress::Finished {}
    let sampled = sampler.into_sampled();
    assert_eq!(sampled.sample(1).map(|(_, at)| at), Some(FilePos(FAR)));
    let options =
        SummaryOptions { min_index_interval: 1, sampling_level: 128, rule, big_endian: false };
    Sparse::ending(0, &write_summary(&sampled, options).unwrap())
}

pub fn entries_behind_a_long_promoted_index_are_found_by_samples() {
    let index = far_index();
    let file = far_summary(&index);
    let summary = Summary::open(&file).unwrap();
    let [_, (key, data)] = two_keys();
    let token = Partitioner::Murmur3.token(&key);
    let legacy = LegacyIndex {
        index: &index,
        samples: Samples::File { summary: &summary, source: &file },
        partitioner: &Partitioner::Murmur3,
        version: Version::new(b"oa").unwrap(),
        clustering: &ClusteringSchema::default(),
        exact_widths: false,
    };
    let query = Query {
        key: &key,
        token: &token,
        hash: murmur3(&key),
        comparable: &[],
        row: None,
        filter: FilterMode::Off,
        clustering: None,
    };
    for reader in [LegacyReader::Cassandra, LegacyReader::Scylla] {
        let mut recorder = Recorder::new();
        let found = find_legacy(&legacy, reader, &query, &mut recorder).unwrap();
        let LegacyFound::Entry { at, data: position, .. } = found else { panic!("{found:?}") };
        assert_eq!((at, position), (FilePos(FAR), DataPos(data)), "{reader:?}");
        let pages: Vec<_> = recorder.record().requests(Part::Index).collect();
        assert_eq!(pages, [PageNo(FAR / PAGE_SIZE)], "{reader:?}");
    }
}

pub fn a_check_goes_on_behind_a_long_promoted_index() {
    let index = far_index();
    let table = table("oa-1-big", vec![(Part::Summary, far_summary(&index)), (Part::Index, index)]);
    // Zeros are no promoted index: a header length, a deletion, and then no block.
    assert_eq!(found(&table, Part::Index), [("index/promoted-head", 28, None)]);
}

/// A key with its length, at a position of Data.db that is `in_chunk` bytes into its chunk.
const STORED_KEY: &[u8] = b"\x00\x03key";

pub fn compressed_chunks_lie_above_4_gib() {
    const CHUNK: u64 = 65_536;
    let (chunk, length) = (5 * 65_536 + 7, 6 << 32);
    let mut bytes = vec![0; 65_536];
    bytes[10..10 + STORED_KEY.len()].copy_from_slice(STORED_KEY);
    let stored = lz4_flex::block::compress_prepend_size(&bytes);
    let mut header = vec![0, 13];
    header.extend(b"LZ4Compressor");
    header.extend([0, 0, 0, 0, 0, 1, 0, 0, 0x7f, 0xff, 0xff, 0xff]);
    header.extend(u64::to_be_bytes(length));
    header.extend(u32::try_from(length / CHUNK).unwrap().to_be_bytes());
    let offsets = header.len() as u64;
    let end = FAR + stored.len() as u64 + 4;
    let info = Sparse::new(offsets + 8 * (length / CHUNK))
        .with(0, &header)
        .with(offsets + 8 * chunk, &[FAR.to_be_bytes(), end.to_be_bytes()].concat());
    let data = Sparse::new(2 * FAR).with(FAR, &stored).with(end - 4, &crc32(&stored).to_be_bytes());
    let read = Compression::read(Version::new(b"da").unwrap(), &info).unwrap();
    read.check(&info).unwrap();
    let mut reader = DataReader::new(&data, Layout::Compressed { info: &read, offsets: &info });
    let at = DataPos(chunk * CHUNK + 10);
    assert!(at.0 > 1 << 32);
    assert_eq!(reader.key(at).unwrap(), (b"key".to_vec(), DataPos(at.0 + 5)));
    let chunks: Vec<_> = reader.chunks().iter().map(|read| (read.chunk, read.at)).collect();
    assert_eq!(chunks, [(chunk, FilePos(FAR))]);
}

pub fn chunks_with_checksums_lie_above_4_gib() {
    let (chunk, at) = (FAR / 65_536, FAR / 65_536 * 65_536);
    let data = Sparse::new(2 * FAR).with(FAR, STORED_KEY);
    let mut bytes = vec![0; 65_536];
    let in_chunk = usize::try_from(FAR - at).unwrap();
    bytes[in_chunk..in_chunk + STORED_KEY.len()].copy_from_slice(STORED_KEY);
    for (checksum, is_right) in [(crc32(&bytes), true), (crc32(&bytes) ^ 1, false)] {
        let crc = Sparse::new(4 + 4 * (2 * FAR).div_ceil(65_536))
            .with(0, &65_536u32.to_be_bytes())
            .with(4 + 4 * chunk, &checksum.to_be_bytes());
        let table = CrcTable::read(Version::new(b"da").unwrap(), &crc).unwrap();
        let mut reader = DataReader::new(&data, Layout::Plain { crc: Some((table, &crc)) });
        match reader.key(DataPos(FAR)) {
            Ok(read) => assert_eq!((read.0.as_slice(), is_right), (&b"key"[..], true)),
            Err(error) => {
                let said = error.to_string();
                assert!(!is_right && said.contains(&format!("stored chunk {chunk}")), "{said}");
            }
        }
    }
}

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../testdata/cassandra/range_tombstones/da/da-1-bti-", $name))
            .as_slice()
    };
}

pub fn rows_are_decoded_above_4_gib() {
    // Rows once from the start of the data and once far up in it.
    let types = Sparse::ending(0, fixture!("Statistics.db"));
    let format = table("da-1-bti", vec![(Part::Statistics, types)]).data_format().unwrap();
    let bytes = &fixture!("Data.db")[..60_000];
    let read = |base: u64| {
        let file = Sparse::ending(base, bytes);
        let mut reader = DataReader::new(&file, Layout::Plain { crc: None });
        let mut items = Items::new(format.clone(), DataPos(base));
        let mut read = Vec::new();
        while let Ok(Some(item)) = items.next(&mut reader) {
            read.push(item);
        }
        (read, items.at().0)
    };
    let ((near, end), (far, far_end)) = (read(0), read(FAR));
    assert_eq!((near.len(), far_end), (far.len(), end + FAR));
    assert!(near.len() > 100, "{} items", near.len());
    for (near, far) in near.iter().zip(&far) {
        assert_eq!(place(far), place(near) + FAR);
        let sizes = |item: &Item| match item {
            Item::Row(row) => (row.len, row.columns.len(), row.clustering.clone()),
            Item::Marker(marker) => (marker.len, 0, Vec::new()),
            Item::Partition(head) => (head.len, 0, vec![Some(head.key.clone())]),
            Item::End(_) => (1, 0, Vec::new()),
        };
        assert_eq!(sizes(far), sizes(near));
    }
}

fn place(item: &Item) -> u64 {
    match item {
        Item::Partition(head) => head.at.0,
        Item::Row(row) => row.at.0,
        Item::Marker(marker) => marker.at.0,
        Item::End(end) => end.at.0,
    }
}
