//! Cases about names, versions, types and metadata.

use crate::common::{InMemory, cassandra, upstream};
use triescope_core::big::SegmentBounds;
use triescope_core::cql::{ColumnType, CqlType};
use triescope_core::cursor::Cursor;
use triescope_core::data::read_values;
use triescope_core::keys::{Decorated, Partitioner, Token};
use triescope_core::pos::FilePos;
use triescope_core::table::{
    Count, Generation, IndexKind, Part, Problem, Product, Version, group, remarks, words,
};

/// The SSTable of a folder whose name begins so.
fn one(folder: &str, name: &str) -> Option<InMemory> {
    let files = InMemory::folder(&upstream(folder)?);
    let found = files.into_iter().find(|files| files.set.name().starts_with(name));
    Some(found.unwrap_or_else(|| panic!("{folder} has no {name}")))
}

#[test]
fn f10_a_format_is_told_from_letters_and_components_never_from_the_word_big() {
    for (folder, name, index) in [
        ("kopens-lsb/legacy_nb_simple", "nb-", IndexKind::Legacy),
        ("kopens-lsb/legacy_oa_simple", "oa-", IndexKind::Legacy),
        ("kopens-lsb/legacy_da_simple", "da-", IndexKind::Trie),
        ("scylladb/counter_test", "ms-5-big", IndexKind::Trie),
        ("scylladb/counter_test", "mt-5-big", IndexKind::Trie),
        ("scylladb/counter_test", "me-5-big", IndexKind::Legacy),
        ("kopens-lsb/legacy_me_simple", "me-", IndexKind::Legacy),
        ("datastax/bb_keyvalue", "bb-1-bti", IndexKind::Trie),
    ] {
        let Some(files) = one(folder, name) else { return };
        let table = files.table();
        assert_eq!(table.readable_index(), Some(index), "{folder} {name}");
        assert_eq!(words::told_from(&table.facts), "by version and components", "{folder}");
        assert_eq!(table.facts.problems, [], "{folder} {name}");
    }
    let Some(files) = one("datastax/bb_keyvalue", "bb-1-bti") else { return };
    let facts = files.table().facts;
    assert_eq!((facts.partitions, facts.root), (Some(Count::Exact(27)), Some(FilePos(168))));
    let said = |letters: &[u8]| remarks::format(Version::new(letters).unwrap()).into_owned();
    assert_eq!(
        said(b"nb"),
        "nb is the legacy index; Cassandra 5.0 writes it too, as long as it stays compatible with 4.0."
    );
    assert!(said(b"ms").contains("although the names say big"));
    assert_eq!(said(b"ic"), "Version ic, of Cassandra 1.2, is too old to be read.");
}

#[test]
fn f10_a_version_before_ka_is_named_and_refused_in_one_sentence() {
    let Some(files) = one("kopens-lsb/invalid-legacy-sstables_Standard1", "ic-0") else { return };
    let facts = files.table().facts;
    let version = Version::new(b"ic").unwrap();
    assert_eq!(facts.problems, [Problem::Version(version)]);
    let cost = words::problem(&facts.problems[0], &facts);
    assert_eq!(cost.what, "Version ic, of Cassandra 1.2, is too old to be read.");
    for (letters, release) in
        [(b"jb", "Cassandra 2.0"), (b"hd", "Cassandra 1.0 or 1.1"), (b"zz", "an unknown product")]
    {
        let version = Version::new(letters).unwrap();
        assert_eq!((version.release(), version.is_read()), (release, false));
    }
    assert_eq!(words::refused(Version::new(b"zz").unwrap()), "Version zz is not known.");
}

#[test]
fn f13_the_header_is_big_endian_and_segment_bounds_are_no_garbage() {
    let Some(files) = one("scylladb/summary_test", "me-1-big") else { return };
    let table = files.table();
    let (summary, source) = (table.summary.as_ref().unwrap(), &files.part(Part::Summary));
    let header = summary.header;
    assert_eq!((header.min_index_interval, header.samples, header.memory_bytes), (128, 2, 32));
    assert_eq!((header.sampling_level, header.size_at_full_sampling), (128, 2));
    let mut key = Vec::new();
    let mut samples = Vec::new();
    for sample in 0..2 {
        let at = summary.sample(source, sample, &mut key).unwrap();
        samples.push((key.clone(), at.0));
    }
    assert_eq!(samples, [(vec![0, 0, 0, 0x17], 0), (vec![0, 0, 0, 0x03], 1146)]);
    assert_eq!(
        (&summary.first[..], &summary.last[..]),
        (&[0, 0, 0, 0x17][..], &[0, 0, 0, 0x67][..])
    );
    assert_eq!(SegmentBounds::read(summary, source).unwrap(), SegmentBounds::default());

    // The same table in la: another interval, and two records behind the last key.
    let Some(files) = one("scylladb/summary_test", "la-1-big") else { return };
    let table = files.table();
    let (summary, source) = (table.summary.as_ref().unwrap(), &files.part(Part::Summary));
    assert_eq!((summary.header.min_index_interval, summary.header.samples), (256, 1));
    let bounds = SegmentBounds::read(summary, source).unwrap();
    assert_eq!((bounds.records.len(), bounds.rest.len()), (2, 0));
    assert_eq!(
        (bounds.records[0].mode.as_str(), &bounds.records[0].positions),
        ("mmap", &Some(vec![0]))
    );
    assert_eq!(bounds.records[1].positions, None);
}

#[test]
fn f26_a_user_type_without_frozen_is_read_from_the_header_alone() {
    let Some(files) = one("scylladb/3.x_uncompressed_legacy_udt_in_collection", "mc-1") else {
        return;
    };
    let table = files.table();
    let header = table.statistics.as_ref().unwrap().header.as_ref().unwrap();
    let column = header.regular_columns.iter().find(|column| column.name == b"fl").unwrap();
    let cql = CqlType::from_class(&column.class);
    assert_eq!(cql.name(), "frozen<list<ut>>");
    let CqlType::List(element) = cql.unfrozen() else { panic!("{cql:?}") };
    let CqlType::User(user) = &**element else { panic!("{element:?}") };
    let fields: Vec<_> =
        user.fields.iter().map(|(name, cql)| (name.as_str(), cql.name())).collect();
    assert_eq!(user.name, "ut");
    assert_eq!(fields, [("a", "int".to_owned()), ("b", "int".to_owned())]);
    assert_eq!(
        cql.remark(Product::ScyllaDb),
        Some(
            "user type inside a collection without FrozenType: written by an older Scylla or Cassandra; values are decoded as frozen"
        )
    );
}

#[test]
fn f27_a_clustering_header_tells_value_empty_and_null_apart() {
    let int = ColumnType::from_class("Int32Type").cql.fixed_len();
    let text = ColumnType::from_class("UTF8Type").cql.fixed_len();
    let read = |bytes: &[u8], lengths: &[Option<u32>]| {
        let mut cursor = Cursor::new(Part::Data, FilePos(0), bytes);
        let values = read_values(&mut cursor, lengths, lengths.len()).unwrap();
        assert_eq!(cursor.left(), 0);
        values.into_iter().map(|value| value.map(<[u8]>::to_vec)).collect::<Vec<_>>()
    };
    // ck = '': header 1, no bytes. The same for an int, which then has none of its four.
    assert_eq!(read(&[1], &[text]), [Some(vec![])]);
    assert_eq!(read(&[1], &[int]), [Some(vec![])]);
    assert_eq!(read(&[2], &[int]), [None]);
    assert_eq!(read(&[0, 0, 0, 0, 0], &[int]), [Some(vec![0; 4])]);
    // Value, empty and null beside each other: two bits a column, the first in the lowest.
    let three = read(&[0b10_01_00, 0, 0, 0, 7], &[int, text, int]);
    assert_eq!(three, [Some(vec![0, 0, 0, 7]), Some(vec![]), None]);

    // A real table with an empty clustering value: the bounds of its rows in Statistics.db say so.
    let files = cassandra("ck_text", "oa", 1).files;
    let table = files.table();
    let covered =
        table.statistics.as_ref().unwrap().stats.as_ref().unwrap().covered.clone().unwrap();
    assert_eq!(covered.start.values, [Some(vec![])]);
}

#[test]
fn f30_the_partitioner_comes_from_statistics() {
    let Some(files) = one("scylladb/3.x_uncompressed_random_partitioner", "mc-1") else { return };
    let table = files.table();
    assert_eq!(table.facts.partitioner, Some(Partitioner::Random));
    let tokens: Vec<Token> =
        [1i32, 2, 3].map(|key| Partitioner::Random.token(&key.to_be_bytes())).into();
    let mut ascending = tokens.clone();
    ascending.sort();
    let expected = [
        19_580_090_105_725_936_846_312_850_328_329_299_579u128,
        19_847_720_572_362_509_985_402_305_765_727_304_993,
        117_356_732_921_465_116_845_890_410_746_976_120_467,
    ];
    assert_eq!(ascending, expected.map(Token::Random));

    let Some(files) = one("kopens-lsb/legacy_da_simple", "da-") else { return };
    let table = files.table();
    let partitioner = table.facts.partitioner.clone().unwrap();
    assert_eq!((&partitioner, partitioner.token(b"0")), (&Partitioner::ByteOrdered, Token::Key));
    let (first, last) = table.facts.ends.clone().unwrap();
    let decorated = |key| Decorated { token: &Token::Key, key };
    assert!(decorated(&first).order(&decorated(&last)).is_lt());
}

#[test]
fn f30_with_an_unknown_partitioner_tokens_and_order_are_not_checked() {
    let files = cassandra("p1000", "oa", 1).files;
    let murmur = b"org.apache.cassandra.dht.Murmur3Partitioner";
    let mut bytes = files.part(Part::Statistics).to_vec();
    let at = bytes.windows(murmur.len()).position(|window| window == murmur).unwrap();
    bytes[at + 25..at + 32].copy_from_slice(b"Unheard");
    let table = files.with(Part::Statistics, &bytes);
    let facts = table.table().facts;
    let class = "org.apache.cassandra.dht.UnheardPartitioner";
    assert_eq!(facts.partitioner, Some(Partitioner::Unknown(class.into())));
    assert!(remarks::of_table(&facts, None).contains(&format!(
        "The partitioner {class} is not known: keys are shown as bytes, tokens and order are not checked."
    )));
    // Nothing is said of the order of the keys; the changed bytes have the checksum of the old ones.
    assert!(facts.problems.iter().all(|problem| match problem {
        Problem::Damaged(error) => error.field == "checksum",
        _ => false,
    }));
}

#[test]
fn f32_uuid_names_and_numbers_stand_beside_each_other() {
    let generation = Generation::parse("3gbp_1glu_4e6g020ns4px173el0").unwrap();
    assert_eq!(generation.uuid().unwrap(), "4e2a9120-9532-11ee-84b9-20c53109c794");
    // 2023-12-07T18:56:18.738Z
    assert_eq!(generation.unix_millis(), Some(1_701_975_378_738));

    let Some(folder) = upstream("kopens-lsb/legacy_nb_simple") else { return };
    let mut tables = InMemory::folder(&folder);
    tables.sort_by_key(|files| files.set.generation.uuid().is_some());
    let [number, uuid] = tables.as_slice() else { panic!("{}", tables.len()) };
    assert_eq!(number.set.generation, Generation::Number(400));
    assert_eq!(uuid.set.generation.uuid().unwrap(), "3c11af30-acfd-11ef-a4a0-cf1eaefbd772");
    // 2024-11-27T20:21:50.627Z
    assert_eq!(uuid.set.generation.unix_millis(), Some(1_732_738_910_627));
    for files in &tables {
        assert_eq!(files.table().facts.problems, [], "{}", files.set.name());
    }
    let names = ["nb-400-big-Data.db", "nb-3gll_1kke_3qdyo2i4kzfpt3cqcy-big-Data.db"];
    assert_eq!(group(names.map(|name| (name, 1))).sets.len(), 2);
}

/// CompressionInfo.db of a table whose header is written anew, with other options and another compressor.
fn compressed_with(files: &InMemory, class: &str, options: &[(&str, &[u8])]) -> InMemory {
    let whole = files.part(Part::CompressionInfo);
    let info = files.table().compression.clone().unwrap();
    // Chunk length and all behind it stay as they are: 4 + 4 + 8 + 4 bytes, then the offsets.
    let rest = usize::try_from(info.offsets_at.0).unwrap() - 20;
    let mut bytes = Vec::new();
    let mut short = |text: &[u8]| {
        bytes.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
        bytes.extend(text);
    };
    short(class.as_bytes());
    let mut list = u32::try_from(options.len()).unwrap().to_be_bytes().to_vec();
    for (name, value) in options {
        for text in [name.as_bytes(), value] {
            list.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
            list.extend(text);
        }
    }
    bytes.extend(list);
    bytes.extend(&whole[rest..]);
    files.with(Part::CompressionInfo, &bytes)
}

#[test]
fn f34_a_dictionary_is_embedded_and_the_index_never_depends_on_the_compressor() {
    let files = cassandra("p1000", "da", 1).files;
    let (first, second) = (vec![7; 65_534], vec![8; 40_000]);
    let options: &[(&str, &[u8])] =
        &[(".dictionary.00000000", &first), (".dictionary.00000001", &second)];
    let with = compressed_with(&files, "ZstdWithDictsCompressor", options);
    assert!(with.part(Part::CompressionInfo).len() > 100_000);
    let table = with.table();
    assert_eq!(table.facts.problems, []);
    let info = table.compression.as_ref().unwrap();
    assert_eq!(table.facts.compressor.as_deref(), Some("ZstdWithDictsCompressor"));
    assert_eq!(
        remarks::dictionary(info).unwrap(),
        "A dictionary of 105534 bytes is embedded in CompressionInfo.db."
    );
    assert_eq!(table.facts.partitions, Some(Count::Exact(1000)));

    let unknown = compressed_with(&files, "BrotliCompressor", &[]);
    let table = unknown.table();
    assert_eq!(
        remarks::unknown_compressor(table.compression.as_ref().unwrap()).unwrap(),
        "Data.db cannot be decompressed: BrotliCompressor. The index does not depend on it."
    );
    assert!(table.data_reader().is_err());
    assert_eq!(table.facts.problems, []);
    assert_eq!(table.readable_index(), Some(IndexKind::Trie));
    let said = remarks::of_table(&table.facts, table.compression.as_ref());
    assert_eq!(said.len(), 2, "{said:?}");
}
