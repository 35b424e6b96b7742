//! The components beside the indexes, of any bytes: what opening reads, the chunks of a compressed Data.db, and the small
//! files.

use super::input::{Input, long, version_byte};
use crate::common::pieces::{Pieces, until_here};
use crate::common::{all_cassandra, cassandra};
use triescope_core::data::{DataFormat, DataReader, Layout};
use triescope_core::error::{Error, ReadError};
use triescope_core::keys::{ClusteringSchema, KeySchema, murmur3};
use triescope_core::limits;
use triescope_core::meta::{
    Compaction, Compression, CrcTable, Digest, FilterHeader, ScyllaFeatures, ScyllaMetadata,
    Statistics, Toc, crc32,
};
use triescope_core::pos::{DataPos, FilePos, PageNo};
use triescope_core::source::Source;
use triescope_core::table::{ComponentName, Generation, Part, TableName, group};

/// A file that is here, or comes in pieces: one type for both, so that one closure reads both.
enum Held<'a> {
    Whole(&'a [u8]),
    Pieces(&'a Pieces<'a>),
}

impl<'a> Source for Held<'a> {
    type Page = &'a [u8];

    fn len(&self) -> u64 {
        match self {
            Self::Whole(bytes) => Source::len(bytes),
            Self::Pieces(pieces) => Source::len(*pieces),
        }
    }

    fn page(&self, no: PageNo) -> Result<&'a [u8], Error> {
        match self {
            Self::Whole(bytes) => bytes.page(no),
            Self::Pieces(pieces) => (*pieces).page(no),
        }
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        match self {
            Self::Whole(bytes) => bytes.expect(from, to),
            Self::Pieces(pieces) => (*pieces).expect(from, to),
        }
    }
}

/// Reads a component twice, whole and in pieces, and compares what comes of it as text, since NaN equals nothing.
fn both<T: std::fmt::Debug>(
    part: Part,
    file: &[u8],
    seed: u64,
    mut read: impl FnMut(&Held<'_>) -> Result<T, Error>,
) -> Result<T, ReadError> {
    let whole = until_here(&[], || read(&Held::Whole(file)));
    let pieces = Pieces::new(part, file, seed);
    let again = until_here(&[&pieces], || read(&Held::Pieces(&pieces)));
    assert_eq!(format!("{again:?}"), format!("{whole:?}"), "in pieces and whole");
    whole
}

/// The version, then Statistics.db.
pub fn statistics(data: &[u8]) {
    let mut input = Input::new(data);
    let (version, seed) = (input.version(), input.seed());
    let file = input.rest();
    let read = both(Part::Statistics, file, seed, |source| Statistics::read(version, source));
    let Ok(read) = read else { return };
    assert!(read.parts.len() + read.problems.len() <= file.len(), "{read:?}");
    let compaction =
        both(Part::Statistics, file, seed, |source| Compaction::read(version, &read, source));
    if let Ok(Some(Compaction { sketch: Some(sketch), .. })) = compaction {
        let _ = sketch.estimate();
    }
    if let Some(stats) = &read.stats {
        for histogram in [&stats.partition_sizes, &stats.cells] {
            assert!(histogram.filled().count() <= file.len());
            let _ = histogram.total();
        }
    }
    if let Some(header) = &read.header {
        let _ = KeySchema::from_class(&header.key_type).columns().len();
        let clustering = ClusteringSchema::new(header.clustering());
        let _ = clustering.to_text([Some(&file[..file.len().min(9)])]);
        let columns = DataFormat::new(version, header);
        assert!(columns.columns(false).all().len() == header.regular_columns.len());
    }
}

/// Statistics.db of several tables and versions.
pub fn statistics_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for version in ["da", "oa", "nb"] {
        for table in ["counters", "all_types_val", "wide_mixed", "ck_udt", "composite_pk"] {
            let files = cassandra(table, version, 1).files;
            let file = files.part(Part::Statistics);
            seeds.push([&[version_byte(version)], file].concat());
        }
    }
    seeds
}

/// The version, CompressionInfo.db with its length, the stored chunks of Data.db.
pub fn compression(data: &[u8]) {
    let mut input = Input::new(data);
    let version = input.version();
    let (file, seed) = (input.long(), input.seed());
    let stored = input.rest();
    let info = both(Part::CompressionInfo, file, seed, |source| Compression::read(version, source));
    let Ok(info) = info else { return };
    // Chunks of megabytes are allowed, but to try one again and again is slow.
    if info.chunk_length > 1 << 18 {
        return;
    }
    let _ = both(Part::CompressionInfo, file, seed, |source| info.check(source));
    let _ = info.dictionary();
    // Checksums stop most damage at the door: the same bytes are read again with checksums that are right.
    for data in [stored.to_vec(), with_right_chunks(&info, file, stored)] {
        let (offsets, data) = (file, data.as_slice());
        let mut reader =
            DataReader::new(&data, Layout::Compressed { info: &info, offsets: &offsets });
        let chunks = info.chunks.min(8);
        for chunk in (0..=chunks).chain([u64::MAX]) {
            let read = both(Part::CompressionInfo, file, seed, |source| {
                info.chunk(source, chunk, data.len() as u64)
            });
            if let Ok(chunk) = &read {
                assert!(chunk.at.0 + chunk.stored_bytes <= data.len() as u64, "a chunk in Data.db");
                assert!(chunk.bytes <= u64::from(info.chunk_length));
            }
            let at = DataPos(chunk.saturating_mul(u64::from(info.chunk_length)));
            let whole = until_here(&[], || reader.key(at));
            let held = (
                Pieces::new(Part::Data, data, seed),
                Pieces::new(Part::CompressionInfo, file, !seed),
            );
            let again = until_here(&[&held.0, &held.1], || {
                let layout = Layout::Compressed { info: &info, offsets: &held.1 };
                DataReader::new(&held.0, layout).key(at)
            });
            assert_eq!(again, whole, "in pieces and whole");
        }
    }
}

/// Data.db with the checksum of each chunk behind it.
fn with_right_chunks(info: &Compression, file: &[u8], stored: &[u8]) -> Vec<u8> {
    let mut data = stored.to_vec();
    for chunk in 0..info.chunks.min(8) {
        let Ok(place) = info.chunk(&file, chunk, stored.len() as u64) else { continue };
        let from = usize::try_from(place.at.0).unwrap();
        let to = from + usize::try_from(place.stored_bytes).unwrap();
        let checksum = crc32(&data[from..to]).to_be_bytes();
        data[to..to + 4].copy_from_slice(&checksum);
    }
    data
}

/// The beginning of real files, and a chunk of each compressor made here.
pub fn compression_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for version in ["da", "nb"] {
        for table in ["ten_partitions", "counters", "p1000", "ck_boolean"] {
            let files = cassandra(table, version, 1).files;
            let Some(info) = files.bytes.get(&Part::CompressionInfo) else { continue };
            let data = files.part(Part::Data);
            let data = data[..data.len().min(12_000)].to_vec();
            seeds.push([vec![version_byte(version)], long(info), data].concat());
        }
    }
    let text = b"page after page after page after page after page after page after page";
    let zlib = miniz_oxide::deflate::compress_to_vec_zlib(text, 6);
    let zstd =
        ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
    let snappy = snap::raw::Encoder::new().compress_vec(text).unwrap();
    for (class, chunk) in [
        ("DeflateCompressor", zlib),
        ("ZstdCompressor", zstd.clone()),
        ("ZstdWithDictsCompressor", zstd),
        ("SnappyCompressor", snappy),
        ("LZ4Compressor", lz4_flex::block::compress_prepend_size(text)),
        ("NoopCompressor", text.to_vec()),
    ] {
        let mut info = long(class.as_bytes());
        info.extend([0, 0, 0, 0, 0, 0, 0x10, 0, 0x7f, 0xff, 0xff, 0xff]);
        info.extend((text.len() as u64).to_be_bytes());
        info.extend([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        let checksum = crc32(&chunk).to_be_bytes();
        let seed = [&[version_byte("da")][..], &long(&info), &chunk, &checksum].concat();
        seeds.push(seed);
    }
    seeds
}

/// The version, a key, then Filter.db.
pub fn filter(data: &[u8]) {
    let mut input = Input::new(data);
    let (version, keys) = (input.version(), [input.take(4), input.take(8), &[]]);
    let seed = input.seed();
    let file = input.rest();
    let header = both(Part::Filter, file, seed, |source| FilterHeader::read(version, source));
    let Ok(header) = header else { return };
    assert!(header.words * 8 <= file.len() as u64, "{} words", header.words);
    let hashes = keys.map(murmur3);
    let settled =
        both(Part::Filter, file, seed, |source| header.settle_order(version, source, &hashes));
    for header in [Ok(header), settled].into_iter().flatten() {
        for hash in hashes {
            assert!(header.indexes(hash).all(|bit| bit < header.bits()));
            let tested =
                both(Part::Filter, file, seed, |source| header.test(source, hash)).unwrap();
            let denied = tested.iter().filter(|bit| !bit.set).count();
            assert!(denied <= 1 && tested.len() <= header.hashes as usize, "{tested:?}");
        }
    }
}

/// Small Filter.db.
pub fn filter_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (version, table) in [("da", "p1000"), ("nb", "wide_static"), ("oa", "counters")] {
        let files = cassandra(table, version, 1).files;
        let key = [0, 0, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8];
        for letters in [version, "na", "mc"] {
            seeds.push([&[version_byte(letters)], &key[..], files.part(Part::Filter)].concat());
        }
    }
    seeds
}

/// Scylla.db.
pub fn scylla(data: &[u8]) {
    let seed = Input::new(data).seed();
    let features = both(Part::Scylla, data, seed, |source| ScyllaFeatures::read(source));
    let read = both(Part::Scylla, data, seed, |source| ScyllaMetadata::read(source));
    let Ok(read) = read else { return };
    assert!(read.records.len() <= data.len() / 8, "{} records", read.records.len());
    let records = u64::from(limits::SCYLLA_RECORDS);
    if let (Ok(features), true) =
        (features, read.problems.is_empty() && (read.records.len() as u64) < records)
    {
        assert_eq!(read.features(), features, "both readers of the features");
    }
    let _ = (read.digests(), read.schema());
}

/// Records as ScyllaDB writes them: an origin and the features.
pub fn scylla_seeds() -> Vec<Vec<u8>> {
    let records = [
        0, 0, 0, 3, // records
        0, 0, 0, 6, 0, 0, 0, 12, 0, 0, 0, 8, b'm', b'e', b'm', b't', b'a', b'b', b'l',
        b'e', //
        0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x7f, //
        0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, //
    ];
    vec![records.to_vec()]
}

/// CRC.db, digests, TOC.txt and names.
pub fn small(data: &[u8]) {
    let mut input = Input::new(data);
    let (what, seed) = (input.byte(), input.seed());
    let file = input.rest();
    match what % 4 {
        0 => {
            let version = triescope_core::table::Version::new(b"da").unwrap();
            let table = both(Part::Crc, file, seed, |source| CrcTable::read(version, source));
            if let Ok(table) = table {
                for chunk in [0, 1, 5, u64::MAX / 4, u64::MAX] {
                    let _ = both(Part::Crc, file, seed, |source| table.checksum(source, chunk));
                }
            }
        }
        1 => {
            for name in ["Digest.crc32", "Digest.adler32", "Digest.sha1"] {
                let digest = both(Part::Digest, file, seed, |source| Digest::read(name, source));
                let _ = digest.map(|digest| digest.value());
            }
        }
        2 => {
            let toc = both(Part::Toc, file, seed, |source| Toc::read(source));
            let _ = toc.map(|toc| toc.lists(Part::Data));
        }
        _ => names(&String::from_utf8_lossy(file)),
    }
}

fn names(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines {
        if let Ok(name) = ComponentName::parse(line) {
            assert!(line.ends_with(&name.component) || name.temporary, "{line}: {name:?}");
        }
        let _ = TableName::of_directory(line).map(|name| name.to_string());
        if let Ok(generation) = Generation::parse(line) {
            assert_eq!(Generation::parse(&generation.to_string()), Ok(generation), "{line}");
            let _ = (generation.uuid(), generation.unix_millis());
        }
    }
    let grouping = group(lines.iter().zip(0..).map(|(line, bytes)| (*line, bytes)));
    let sets = grouping.sets.iter();
    let grouped: usize =
        sets.map(|set| set.files.len() + set.twice.len() + set.unfinished.len()).sum();
    assert_eq!(grouped + grouping.strangers.len(), lines.len(), "each file lies in one place");
    for stranger in &grouping.strangers {
        let _ = stranger.to_string();
    }
}

/// Small files of real tables, and lists of their names.
pub fn small_seeds() -> Vec<Vec<u8>> {
    let files = cassandra("p1000", "da", 1).files;
    let mut seeds = vec![
        [&[1][..], files.part(Part::Digest)].concat(),
        b"\x01da39a3ee5e6b4b0d3255bfef95601890afd80709".to_vec(),
        [&[2][..], files.part(Part::Toc)].concat(),
        [0, 0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8].to_vec(),
    ];
    let crc = all_cassandra("nb").find_map(|set| set.files.bytes.get(&Part::Crc).cloned());
    seeds.extend(crc.map(|crc| [vec![0], crc].concat()));
    let names = "da-1-bti-Data.db\nks/t-3ee5e6b4b0d3255bfef95601890afd80/me-3g9z_0gus_1l2k02mz5wgvlm9oqu-big-Index.db\n\
                 keyspace-table-ka-17-Data.db\nla-2-big-Digest.adler32\nmc-1-big-TOC.txt.tmp\nREADME\n";
    seeds.push([&[3], names.as_bytes()].concat());
    seeds
}
