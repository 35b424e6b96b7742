//! One partition of a million equal rows: the case in which row blocks of 1 KiB and of 64 KiB cost different pages.
//!
//! The table is `(pk int, ck int, v blob, PRIMARY KEY (pk, ck))`, partition 0, rows 0, 1, 2 and so on, as ScyllaDB writes
//! it. A row has 318 bytes. See `docs/format/data.md` for the rows, `docs/format/rows.md` for the blocks.

use super::statistics;
use crate::big::write::{IndexWriter, SummaryOptions, write_summary};
use crate::big::{Block, BlockLayout, Bound, BoundKind, SampleMaker, SampleRule};
use crate::bti::pack::{
    Flavour, PartitionTarget, PartitionsWriter, RowBlock, RowsWriter, end_marker, separator,
};
use crate::data::{ChunkWriter, Chunks, Deletion};
use crate::keys::{ClusteringSchema, Dialect, KeySchema, Partitioner, murmur3, partition_key};
use crate::lookup::RowKind;
use crate::meta::FilterWriter;
use crate::pos::{DataPos, FilePos};
use crate::table::{IndexKind, Part, Version};
use crate::vint::uvint;
use crate::write::{Sink, WriteError};
use serde_bytes::ByteBuf;

/// The key of the partition: the int 0.
const KEY: [u8; 4] = [0; 4];
/// Bytes before the first row: length and key, and a deletion of 12 bytes.
const HEAD_BYTES: u64 = 18;
/// Bytes of a row.
const ROW_BYTES: u64 = 318;
/// Bytes of its value, all the same, so that the table is small when it is compressed.
const VALUE: [u8; 300] = [b'x'; 300];
/// Bytes of a chunk of Data.db, ScyllaDB's default.
const CHUNK_BYTES: u32 = 4096;
/// Chance of the filter, the default of both databases.
pub(super) const FILTER_CHANCE: f64 = 0.01;
/// ScyllaDB's `min_index_interval`.
const INTERVAL: u32 = 128;
/// Clustering values of 4 bytes are stored without their length.
const LENGTHS: [Option<u32>; 1] = [Some(4)];
/// What timestamps are relative to: 2025-12-01 00:00 UTC, in microseconds.
pub(super) const BASE: i64 = 1_764_547_200_000_000;
/// When the rows were written, relative to that: a number of five bytes.
pub(super) const WRITTEN: u64 = 3_600_000_000;
/// The first row again, half a day later: a number of six bytes, in place of the byte that it needs less to say how far
/// the row before it lies back, since that is the partition's head.
pub(super) const WRITTEN_FIRST: u64 = 43_200_000_000;

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// `ms`, `mt` or `me`.
    pub version: Version,
    /// Rows of the partition.
    pub rows: u32,
    /// Bytes after which a row block ends, with the row that reaches them.
    pub block_bytes: u32,
}

/// What it will come to, known before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Bytes of rows, before compression: exact.
    pub data_bytes: u64,
    /// Bytes of all files, about.
    pub file_bytes: u64,
    /// Row blocks: exact.
    pub blocks: u64,
    /// Most bytes in memory beside what the sinks keep, about.
    pub memory_bytes: u64,
}

/// How far a job has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Call again.
    Working {
        /// Rows and blocks done.
        done: u64,
        /// Rows and blocks in all.
        of: u64,
    },
    /// Nothing is left to do but [`WideJob::finish`].
    Finished,
}

/// Makes the files of a [`Wide`], each into a sink of its own.
#[derive(Debug)]
pub struct WideJob<W: Sink> {
    wide: Wide,
    data: ChunkWriter<W>,
    index: Box<Index<W>>,
    /// Those of the small files, which are written last.
    sinks: Vec<(Part, W)>,
    row: Vec<u8>,
    rows: u64,
    blocks: u64,
    clustering: ClusteringSchema,
    separator: Vec<u8>,
}

#[derive(Debug)]
enum Index<W: Sink> {
    Trie { partitions: W, rows: RowsWriter<W> },
    Legacy { index: IndexWriter<'static, W>, summary: W },
}

impl Wide {
    /// Its files, those of the index first.
    pub fn parts(&self) -> Vec<Part> {
        let index = match self.version.index() {
            Some(IndexKind::Legacy) => [Part::Index, Part::Summary],
            _ => [Part::Partitions, Part::Rows],
        };
        let others = [
            Part::Data,
            Part::CompressionInfo,
            Part::Filter,
            Part::Statistics,
            Part::Digest,
            Part::Toc,
        ];
        index.into_iter().chain(others).collect()
    }

    /// The name of one of them, `ms-1-big-Rows.db`.
    pub fn file_name(&self, part: Part) -> String {
        format!("{}-1-{}-{part}", self.version, self.version.format_word())
    }

    /// What it will come to.
    pub fn estimate(&self) -> Estimate {
        let (rows, blocks) = (u64::from(self.rows), self.blocks());
        let data_bytes = HEAD_BYTES + rows * ROW_BYTES + 1;
        let chunks = data_bytes.div_ceil(CHUNK_BYTES.into());
        let is_legacy = self.version.index() == Some(IndexKind::Legacy);
        // Measured: 120 bytes a chunk, 8 to 13 a block in a trie, 26 in a promoted index.
        let (block_bytes, waiting) = if is_legacy { (26, blocks * 26) } else { (12, 1 << 20) };
        Estimate {
            data_bytes,
            file_bytes: chunks * (120 + 8) + blocks * block_bytes + (8 << 10),
            blocks,
            memory_bytes: chunks * 8 + waiting + (1 << 20),
        }
    }

    fn rows_a_block(&self) -> u64 {
        u64::from(self.block_bytes).div_ceil(ROW_BYTES).max(1)
    }

    fn blocks(&self) -> u64 {
        u64::from(self.rows).div_ceil(self.rows_a_block())
    }

    /// Start of a row in Data.db.
    fn row_at(row: u64) -> u64 {
        HEAD_BYTES + row * ROW_BYTES
    }
}

impl<W: Sink> WideJob<W> {
    /// A job that has written nothing; `sink` gives the sink of each of [`Wide::parts`]. Refused are other versions, a table
    /// without rows, and rows that an int cannot number.
    pub fn new(wide: Wide, mut sink: impl FnMut(Part) -> W) -> Result<Self, WriteError> {
        if wide.rows == 0 || i32::try_from(wide.rows).is_err() {
            let (field, expected) = ("rows", "1 to 2147483647");
            return Err(WriteError::Number { field, expected, got: wide.rows.into() });
        }
        let index = match wide.version.as_str() {
            "ms" | "mt" => Index::Trie {
                partitions: sink(Part::Partitions),
                rows: RowsWriter::new(Flavour::SCYLLA, sink(Part::Rows)),
            },
            "me" => {
                let layout = BlockLayout { version: wide.version, lengths: &LENGTHS };
                let index = IndexWriter::new(&Partitioner::Murmur3, layout, sink(Part::Index));
                Index::Legacy { index, summary: sink(Part::Summary) }
            }
            _ => return Err(WriteError::Version { expected: "ms, mt or me", got: wide.version }),
        };
        let mut data = ChunkWriter::lz4(CHUNK_BYTES, sink(Part::Data));
        let mut row = Vec::new();
        head(&mut row);
        data.put(&row);
        let small = |part: &Part| {
            !matches!(
                part,
                Part::Partitions | Part::Rows | Part::Index | Part::Summary | Part::Data
            )
        };
        let sinks = wide.parts().into_iter().filter(small).map(|part| (part, sink(part))).collect();
        Ok(Self {
            wide,
            data,
            index: Box::new(index),
            sinks,
            row,
            rows: 0,
            blocks: 0,
            clustering: ClusteringSchema::from_classes(["Int32Type"]),
            separator: Vec::new(),
        })
    }

    /// Writes up to `budget` more rows or row blocks; a row is 318 bytes.
    pub fn step(&mut self, budget: u64) -> Result<Progress, WriteError> {
        let (rows, blocks) = (u64::from(self.wide.rows), self.wide.blocks());
        for _ in 0..budget {
            if self.rows < rows {
                self.next_row();
            } else if self.blocks < blocks {
                self.next_block()?;
            } else {
                return Ok(Progress::Finished);
            }
        }
        Ok(Progress::Working { done: self.rows + self.blocks, of: rows + blocks })
    }

    /// Does what is left and gives all sinks back, with everything in them.
    pub fn finish(mut self) -> Result<Vec<(Part, W)>, WriteError> {
        while self.step(u64::MAX)? != Progress::Finished {}
        self.data.put(&[0x01]);
        let has_blocks = self.blocks >= 2;
        let mut done = Vec::new();
        match *self.index {
            Index::Trie { partitions, mut rows } => {
                let mut target = PartitionTarget::Data(DataPos(0));
                if has_blocks {
                    let last = comparable(&self.clustering, u64::from(self.wide.rows) - 1);
                    end_marker(&last, &mut self.separator);
                    let offset = Wide::row_at(self.wide.rows.into());
                    let separator = &self.separator;
                    rows.add(RowBlock { separator, offset, open: None }, [])?;
                    target = PartitionTarget::Rows(rows.end_partition(&KEY, DataPos(0), None)?);
                }
                let mut writer = PartitionsWriter::new(Flavour::SCYLLA, partitions);
                let schema = KeySchema::from_class("Int32Type");
                let style = Dialect::of(self.wide.version).key_style;
                let key = partition_key(&Partitioner::Murmur3, style, &schema, &KEY);
                writer.add(&KEY, &key.bytes, murmur3(&KEY).byte(), target)?;
                done.push((Part::Partitions, writer.finish()?));
                done.push((Part::Rows, rows.into_sink()));
            }
            Index::Legacy { mut index, mut summary } => {
                if has_blocks {
                    index.add_with_blocks(&KEY, DataPos(0), HEAD_BYTES, None)?;
                } else {
                    index.add(&KEY, DataPos(0), None)?;
                }
                let rule = SampleRule::Scylla;
                let mut samples = SampleMaker::new(rule);
                samples.add(&KEY, 0, FilePos(0));
                let options = SummaryOptions {
                    min_index_interval: INTERVAL,
                    sampling_level: 128,
                    rule,
                    big_endian: false,
                };
                summary.put(&write_summary(&samples.into_sampled(), options)?);
                done.push((Part::Index, index.into_sink()));
                done.push((Part::Summary, summary));
            }
        }
        let (data, chunks) = self.data.finish();
        done.push((Part::Data, data));
        for (part, mut sink) in self.sinks {
            sink.put(&small(&self.wide, part, &chunks)?);
            done.push((part, sink));
        }
        Ok(done)
    }

    fn next_row(&mut self) {
        self.row.clear();
        row(self.rows, &mut self.row);
        self.data.put(&self.row);
        self.rows += 1;
    }

    fn next_block(&mut self) -> Result<(), WriteError> {
        let (block, a_block) = (self.blocks, self.wide.rows_a_block());
        self.blocks += 1;
        if self.wide.blocks() < 2 {
            return Ok(());
        }
        let first = block * a_block;
        let next = (first + a_block).min(self.wide.rows.into());
        let offset = Wide::row_at(first);
        match &mut *self.index {
            Index::Trie { rows, .. } => {
                if let Some(before) = first.checked_sub(1) {
                    let [before, first] =
                        [before, first].map(|row| comparable(&self.clustering, row));
                    separator(&before, &first, &mut self.separator);
                }
                rows.add(RowBlock { separator: &self.separator, offset, open: None }, [])
            }
            Index::Legacy { index, .. } => {
                // A last one that is not full goes on to the end of the partition.
                let ends_it = next - first < a_block;
                let end = Wide::row_at(next) + u64::from(ends_it);
                index.block(&Block {
                    at: FilePos(0),
                    size: 0,
                    first: bound(first),
                    last: bound(next - 1),
                    offset,
                    width: end - offset,
                    open: None,
                })
            }
        }
    }
}

/// The clustering value of a row.
pub(super) fn value(row: u64) -> [u8; 4] {
    let [.., a, b, c, d] = row.to_be_bytes();
    [a, b, c, d]
}

fn comparable(clustering: &ClusteringSchema, row: u64) -> Vec<u8> {
    // All versions translate an int alike.
    clustering.comparable(Dialect::CASSANDRA, RowKind::Row, [Some(&value(row)[..])]).bytes
}

fn bound(row: u64) -> Bound {
    Bound { kind: BoundKind::Row, values: vec![Some(ByteBuf::from(value(row)))] }
}

/// The head of the partition.
fn head(out: &mut Vec<u8>) {
    out.extend([0, 4]); // length of the key
    out.extend(KEY);
    Deletion::write_legacy(None, out);
}

/// A row.
fn row(number: u64, out: &mut Vec<u8>) {
    out.push(0x24); // it has a timestamp, and all columns
    out.push(0); // no clustering value is null or empty
    out.extend(value(number));
    let (before, written) =
        if number == 0 { (HEAD_BYTES, WRITTEN_FIRST) } else { (ROW_BYTES, WRITTEN) };
    uvint(310, out); // bytes from here on
    uvint(before, out);
    uvint(written, out);
    out.push(0x08); // a cell, written with the row
    uvint(300, out);
    out.extend_from_slice(&VALUE);
}

/// The contents of a file that says something of the others.
fn small(wide: &Wide, part: Part, chunks: &Chunks) -> Result<Vec<u8>, WriteError> {
    Ok(match part {
        Part::CompressionInfo => chunks.compression_info(wide.version)?,
        Part::Digest => chunks.digest_file(),
        Part::Filter => {
            let mut filter = FilterWriter::new(wide.version, 1, FILTER_CHANCE);
            filter.add(murmur3(&KEY));
            filter.finish()
        }
        Part::Statistics => statistics::write(wide, chunks)?,
        Part::Toc => {
            let names = wide.parts().into_iter().map(|part| format!("{part}\n"));
            names.collect::<String>().into_bytes()
        }
        _ => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_318_bytes() {
        for number in [0, 1, 127, 128, 999_999] {
            let mut bytes = Vec::new();
            row(number, &mut bytes);
            assert_eq!(bytes.len() as u64, ROW_BYTES, "{number}");
        }
        let mut bytes = Vec::new();
        head(&mut bytes);
        assert_eq!(bytes.len() as u64, HEAD_BYTES);
    }
}
