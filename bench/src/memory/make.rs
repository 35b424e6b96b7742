//! A large table, written as a database would have: partitions of one row in the order of their tokens, a trie index and a
//! legacy index of the same Data.db. Only Statistics.db is that of a small table with the same columns.

use anyhow::{Context as _, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use triescope_core::big::write::{IndexWriter, SummaryOptions, write_summary};
use triescope_core::big::{BlockLayout, Progress, SampleRule, Sampler};
use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter};
use triescope_core::keys::{Partitioner, Token, murmur3, murmur3_blob_into};
use triescope_core::meta::{Crc32, crc32};
use triescope_core::pos::DataPos;
use triescope_core::table::{IndexFormat, Version};
use triescope_core::write::Sink;

/// Partitions: enough for 2 GiB of rows and 200 MB of trie.
const PARTITIONS: u32 = 26_000_000;
/// Bytes of each value.
const VALUE_BYTES: u8 = 64;
/// Bytes of Data.db that one checksum of CRC.db covers.
const CHUNK_BYTES: usize = 65_536;
/// Cassandra's default, and that of the table whose Statistics.db is used.
const INTERVAL: u32 = 128;

/// A table to measure.
pub struct Table {
    /// What it is called.
    pub name: &'static str,
    /// Where it lies.
    pub folder: PathBuf,
    /// Bytes of Data.db.
    pub data_bytes: u64,
    /// Bytes of Partitions.db or Index.db.
    pub index_bytes: u64,
}

/// The tables, made when they are not there.
pub fn tables() -> Result<[Table; 2]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the repository")?;
    let folder = root.join("target/bench").join(format!("{PARTITIONS}x{VALUE_BYTES}"));
    let (trie, legacy) = (folder.join("da"), folder.join("oa"));
    let whole = folder.join("whole");
    if !whole.exists() {
        eprintln!("making a table of {PARTITIONS} partitions in {}", folder.display());
        for folder in [&trie, &legacy] {
            fs::create_dir_all(folder)?;
        }
        make(&root.join("testdata/cassandra/ck_text"), &trie, &legacy)?;
        fs::write(&whole, "")?;
    }
    let bytes = |path: PathBuf| -> Result<u64> {
        Ok(fs::metadata(&path).with_context(|| path.display().to_string())?.len())
    };
    Ok([
        Table {
            name: "trie, 26 M partitions",
            data_bytes: bytes(trie.join("da-1-bti-Data.db"))?,
            index_bytes: bytes(trie.join("da-1-bti-Partitions.db"))?,
            folder: trie,
        },
        Table {
            name: "legacy, 26 M partitions",
            data_bytes: bytes(legacy.join("oa-1-big-Data.db"))?,
            index_bytes: bytes(legacy.join("oa-1-big-Index.db"))?,
            folder: legacy,
        },
    ])
}

/// Writes both tables. `like` is a table with the columns `pk int, ck text, v text`.
fn make(like: &Path, trie: &Path, legacy: &Path) -> Result<()> {
    let mut keys: Vec<(i64, u32)> =
        (0..PARTITIONS).map(|key| (token(key.to_be_bytes()), key)).collect();
    keys.sort_unstable();

    let data = trie.join("da-1-bti-Data.db");
    let mut file = Checked::create(&data)?;
    let mut partitions = PartitionsWriter::new(
        Flavour::CASSANDRA,
        Checked::create(&trie.join("da-1-bti-Partitions.db"))?,
    );
    let version = Version::new(b"oa").context("a version")?;
    let layout = BlockLayout { version, lengths: &[None] };
    let mut index = IndexWriter::new(&Partitioner::Murmur3, layout, Vec::new());
    let (mut at, mut comparable, mut bytes) = (0u64, Vec::new(), Vec::new());
    for (_, key) in &keys {
        let serialized = key.to_be_bytes();
        let hash = murmur3(&serialized);
        murmur3_blob_into(&serialized, hash, &mut comparable);
        partitions.add(
            &serialized,
            &comparable,
            hash.byte(),
            PartitionTarget::Data(DataPos(at)),
        )?;
        index.add(&serialized, DataPos(at), None)?;
        bytes.clear();
        partition(serialized, &mut bytes);
        file.put(&bytes);
        at += bytes.len() as u64;
    }
    drop(keys);
    let checksums = file.finish()?;
    partitions.finish()?.finish()?;
    let index = index.into_sink();
    fs::write(legacy.join("oa-1-big-Index.db"), &index)?;
    fs::write(legacy.join("oa-1-big-Summary.db"), summary(&index)?)?;
    drop(index);

    let other = legacy.join("oa-1-big-Data.db");
    let _ = fs::remove_file(&other);
    fs::hard_link(&data, &other).with_context(|| other.display().to_string())?;
    for (folder, stem, parts) in [
        (trie, "da-1-bti", ["Partitions.db", "Rows.db"]),
        (legacy, "oa-1-big", ["Index.db", "Summary.db"]),
    ] {
        let from = like.join(&stem[..2]).join(format!("{stem}-Statistics.db"));
        fs::copy(&from, folder.join(format!("{stem}-Statistics.db")))?;
        fs::write(folder.join(format!("{stem}-CRC.db")), &checksums.chunks)?;
        fs::write(folder.join(format!("{stem}-Digest.crc32")), checksums.whole.to_string())?;
        let toc =
            [parts[0], parts[1], "Data.db", "Statistics.db", "CRC.db", "Digest.crc32", "TOC.txt"];
        fs::write(folder.join(format!("{stem}-TOC.txt")), toc.join("\n") + "\n")?;
    }
    fs::write(trie.join("da-1-bti-Rows.db"), "")?;
    Ok(())
}

fn token(key: [u8; 4]) -> i64 {
    match Partitioner::Murmur3.token(&key) {
        Token::Murmur3(token) => token,
        _ => i64::MIN,
    }
}

/// A partition of one row: `pk` the key, `ck` its eight hexadecimal digits, `v` a text.
fn partition(key: [u8; 4], out: &mut Vec<u8>) {
    out.extend([0, 4]);
    out.extend(key);
    out.push(0x80); // not deleted
    out.extend([0x24, 0x00, 8]); // a timestamp and all columns; no clustering value is null or empty; 8 bytes of it
    out.extend(format!("{:08x}", u32::from_be_bytes(key)).bytes());
    // What follows the size: the size of the head before, the timestamp, and the cell with flags, length and value.
    out.extend([4 + VALUE_BYTES, 7, 0, 0x08, VALUE_BYTES]);
    out.extend((0..VALUE_BYTES).map(|i| b'a' + (i ^ key[3]) % 26));
    out.push(0x01); // the end
}

fn summary(index: &[u8]) -> Result<Vec<u8>> {
    let rule = SampleRule::Every(INTERVAL);
    let mut sampler = Sampler::new(rule, IndexFormat::Vints);
    while sampler.step(&index, 1 << 20)? != Progress::Finished {}
    let options = SummaryOptions {
        min_index_interval: INTERVAL,
        sampling_level: 128,
        rule,
        big_endian: false,
    };
    Ok(write_summary(&sampler.into_sampled(), options)?)
}

/// A file being written, with the checksums of its chunks and of all of it. It keeps its first error.
struct Checked {
    file: BufWriter<File>,
    chunk: Vec<u8>,
    chunks: Vec<u8>,
    whole: Crc32,
    error: Option<io::Error>,
}

/// The checksums of a file.
struct Checksums {
    /// As CRC.db.
    chunks: Vec<u8>,
    whole: u32,
}

impl Checked {
    fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| path.display().to_string())?;
        let chunks = (CHUNK_BYTES as u32).to_be_bytes().to_vec();
        let (chunk, whole, error) = (Vec::new(), Crc32::default(), None);
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file), chunk, chunks, whole, error })
    }

    fn finish(mut self) -> Result<Checksums> {
        self.end_chunk();
        self.file.flush()?;
        self.error.map_or(Ok(()), Err)?;
        Ok(Checksums { chunks: self.chunks, whole: self.whole.finish() })
    }

    fn end_chunk(&mut self) {
        if self.chunk.is_empty() {
            return;
        }
        self.chunks.extend(crc32(&self.chunk).to_be_bytes());
        self.whole.update(&self.chunk);
        if let Err(error) = self.file.write_all(&self.chunk) {
            self.error.get_or_insert(error);
        }
        self.chunk.clear();
    }
}

impl Sink for Checked {
    fn put(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(CHUNK_BYTES - self.chunk.len()));
            self.chunk.extend_from_slice(now);
            if self.chunk.len() == CHUNK_BYTES {
                self.end_chunk();
            }
            rest = later;
        }
    }
}
