//! Index.db and Summary.db.
//!
//! A promoted index says how long it is before its blocks. A short one waits in memory; one of more than
//! `limits::PROMOTED_WAITING_BYTES` is measured first, and its blocks are then told once more and passed on. So memory
//! holds no more of a partition than the table of offsets at its end, four bytes a block.

use super::{Ended, Finished};
use crate::big::write::{IndexWriter, SummaryOptions, write_summary};
use crate::big::{Block, BlockLayout, Bound, SampleMaker, SampleRule};
use crate::error::Error;
use crate::limits;
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::{Part, Problem, Table};
use crate::twin::feed::{Context, Head, Tail};
use crate::twin::former::{BlockRows, TwinBlock};
use crate::twin::{Assumption, BlockSize, Sampling, TwinPlan};
use crate::write::{Sink, WriteError};

/// All samples are kept: nothing was downsampled.
const LEVEL: u32 = 128;

/// Writes a legacy index.
#[derive(Debug)]
pub(in crate::twin) struct LegacyBuilder<W: Sink> {
    index: IndexWriter<'static, W>,
    summary: W,
    samples: SampleMaker,
    rule: SampleRule,
    interval: u32,
    assumptions: Vec<Assumption>,
    /// The block size that was asked for.
    block_bytes: Option<u64>,
    /// The width of a last block leaves out the byte that ends the partition.
    exact_widths: bool,
    /// The block before, which waits until it is known whether it is the last.
    waiting: Option<TwinBlock>,
    /// Blocks of the partition so far, that which waits included.
    blocks: u64,
    /// Start of the first one.
    header: u64,
    /// Width of the last block, as it was decided when it was measured.
    last_width: Option<u64>,
    /// Position of the partition as the summary counts it.
    counted: Option<u64>,
    pass: Pass,
    /// Last blocks whose width another block size would change.
    doubtful: u64,
    taken: Option<(BlockSize, u64)>,
}

/// Which time the blocks of a partition are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    First,
    /// They are too many to wait.
    Measuring,
    Again,
}

impl<W: Sink> LegacyBuilder<W> {
    pub(super) fn new<S: Source>(table: &Table<S>, plan: &TwinPlan, index: W, summary: W) -> Self {
        let options = &plan.options;
        let version = options.target.version();
        let Sampling { rule, interval, is_assumed } = options.sampling(table);
        let assumed = is_assumed.then_some(Assumption::Interval { keys: interval });
        let lengths = table.clustering_schema().into_iter().flat_map(|schema| schema.columns());
        let lengths: Vec<Option<u32>> = lengths.map(|column| column.cql.fixed_len()).collect();
        let layout = BlockLayout { version, lengths: &lengths };
        Self {
            index: IndexWriter::owned(&table.partitioner(), layout, index),
            summary,
            samples: SampleMaker::new(rule),
            rule,
            interval,
            assumptions: assumed.into_iter().collect(),
            block_bytes: options.block_bytes,
            exact_widths: table.has_exact_block_widths(),
            waiting: None,
            blocks: 0,
            header: 0,
            last_width: None,
            counted: None,
            pass: Pass::First,
            doubtful: 0,
            taken: None,
        }
    }

    pub(super) fn block(&mut self, head: &Head, block: TwinBlock) -> Result<(), WriteError> {
        if self.blocks == 0 {
            self.header = block.offset;
            if self.pass == Pass::Again {
                self.index.begin_measured(&head.key, head.data, self.header, head.deletion)?;
            }
        }
        self.blocks += 1;
        match self.waiting.replace(block) {
            Some(before) => self.put(before, None),
            None => Ok(()),
        }
    }

    fn put(&mut self, block: TwinBlock, width: Option<u64>) -> Result<(), WriteError> {
        let (first, last) = match block.rows {
            BlockRows::Bounds(first, last) => (first, last),
            // A plan with rows was made, so this is not met.
            BlockRows::Separator(_) => (EMPTY, EMPTY),
        };
        self.index.block(&Block {
            at: FilePos(0),
            size: 0,
            first,
            last,
            offset: block.offset,
            width: width.unwrap_or(block.width),
            open: block.after,
        })?;
        if self.pass == Pass::First && self.index.waiting() > limits::PROMOTED_WAITING_BYTES {
            self.index.measure();
            self.pass = Pass::Measuring;
        }
        Ok(())
    }

    /// What may miss comes before all that is remembered.
    pub(super) fn prepare<S: Source>(
        &mut self,
        table: &Table<S>,
        head: &Head,
    ) -> Result<(), Error> {
        if self.counted.is_none() {
            self.counted = Some(match self.rule {
                SampleRule::Every(_) => head.data.0,
                SampleRule::Scylla => match stored(table, head.data) {
                    Ok(Some(at)) => at,
                    Err(miss @ Error::Miss(_)) => return Err(miss),
                    Ok(None) | Err(Error::Damage(_)) => {
                        if !self.assumptions.contains(&Assumption::UncompressedSamples) {
                            self.assumptions.push(Assumption::UncompressedSamples);
                        }
                        head.data.0
                    }
                },
            });
        }
        Ok(())
    }

    pub(super) fn end<S: Source>(
        &mut self,
        context: &Context<'_, S>,
        head: &Head,
        tail: Tail,
    ) -> Result<Ended, WriteError> {
        let blocks = std::mem::take(&mut self.blocks);
        let last = self.waiting.take();
        let at = match last.filter(|_| blocks >= 2) {
            None => self.index.add(&head.key, head.data, None)?,
            Some(block) => {
                let width = match self.last_width {
                    Some(width) => width,
                    None => self.width_of_last(context, &block, &tail),
                };
                self.put(block, Some(width))?;
                match self.pass {
                    Pass::First => {
                        let (header, deletion) = (self.header, head.deletion);
                        self.index.add_with_blocks(&head.key, head.data, header, deletion)?
                    }
                    Pass::Measuring => {
                        (self.pass, self.last_width) = (Pass::Again, Some(width));
                        return Ok(Ended::Again);
                    }
                    Pass::Again => self.index.end_measured()?,
                }
            }
        };
        (self.pass, self.last_width) = (Pass::First, None);
        self.samples.add(&head.key, self.counted.take().unwrap_or(head.data.0), at);
        let got = self.samples.memory_bytes();
        if got > limits::SAMPLED_BYTES {
            let (field, expected) = ("bytes of the samples of Summary.db", "at most 256 MiB");
            return Err(WriteError::Number { field, expected, got });
        }
        Ok(Ended::Written(if blocks >= 2 { blocks } else { 0 }))
    }

    /// The width of the last block takes in the byte that ends the partition, unless the block was full before that, or the
    /// writer is one that never counts it.
    fn width_of_last<S: Source>(
        &mut self,
        context: &Context<'_, S>,
        block: &TwinBlock,
        tail: &Tail,
    ) -> u64 {
        if tail.keeps_widths || self.exact_widths {
            return block.width;
        }
        let taken = match (self.block_bytes, context.notes.sizes.allowed()) {
            (Some(bytes), _) => bytes,
            (None, None) => u64::MAX,
            (None, Some(allowed)) => {
                let taken = allowed.likely();
                if (allowed.least..=allowed.most).contains(&block.width) {
                    self.doubtful += u64::from(allowed.least < allowed.most);
                }
                self.taken = Some((allowed, taken));
                taken
            }
        };
        block.width + u64::from(block.width < taken)
    }

    pub(super) fn finish(mut self) -> Finished<W> {
        let sampled = self.samples.into_sampled();
        let options = SummaryOptions {
            min_index_interval: self.interval,
            sampling_level: LEVEL,
            rule: self.rule,
            big_endian: false,
        };
        if sampled.is_empty() {
            let (field, expected) = ("partitions", "at least 1");
            return Err(WriteError::Number { field, expected, got: 0 });
        }
        self.summary.put(&write_summary(&sampled, options)?);
        if let Some((allowed, taken)) = self.taken.filter(|_| self.doubtful > 0) {
            self.assumptions.push(Assumption::LastWidths { allowed, taken, blocks: self.doubtful });
        }
        let files = [self.index.into_sink(), self.summary];
        Ok(([Part::Index, Part::Summary], files, self.assumptions))
    }
}

const EMPTY: Bound = Bound { kind: crate::big::BoundKind::Row, values: Vec::new() };

/// Bytes of whole chunks stored before a position, which is what ScyllaDB counts while it writes; `None` where the chunks
/// are not known.
fn stored<S: Source>(table: &Table<S>, at: DataPos) -> Result<Option<u64>, Error> {
    let missing = Problem::Missing(Part::CompressionInfo);
    match (&table.compression, table.source(Part::CompressionInfo)) {
        (Some(info), Some(offsets)) => Ok(Some(info.stored_at(offsets, info.chunk_of(at))?.0)),
        _ if table.facts.problems.contains(&missing) => Ok(None),
        _ => Ok(Some(at.0)),
    }
}
