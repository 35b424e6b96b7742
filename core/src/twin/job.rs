//! The work of building a twin: feed and builder, step by step.

use super::build::{Builder, Built, Ended};
use super::feed::{Context, Feed, Got, Head, Notes};
use super::{Assumption, BlockSize, BuiltFrom, Progress, TwinPlan, TwinReport};
use crate::data::{DataFormat, DataReader};
use crate::error::Error;
use crate::source::Source;
use crate::table::{Count, Part, Table};
use crate::write::Sink;

/// Builds a twin. To cancel it, drop it: what the sinks were given is theirs to throw away.
#[derive(Debug)]
pub struct TwinJob<W: Sink> {
    plan: TwinPlan,
    format: Option<DataFormat>,
    feed: Feed,
    builder: Option<Builder<W>>,
    state: State,
    notes: Notes,
    partitions: u64,
    wide: u64,
    blocks: u64,
    twin: Option<Twin<W>>,
}

/// A twin that is built.
#[derive(Debug)]
pub struct Twin<W> {
    /// What was built, from what, and what had to be assumed.
    pub report: TwinReport,
    /// Its files, in the order of [`super::Target::parts`].
    pub files: [(Part, W); 2],
}

/// Where the work stands.
#[derive(Debug)]
enum State {
    /// Between two partitions.
    Between,
    /// In the blocks of one.
    Blocks(Head),
    /// Behind them.
    Ending(Head),
    /// Nothing is left to do.
    Done,
}

impl<W: Sink> TwinJob<W> {
    /// A job that has read nothing. `sink` makes the sink of each file; its bytes come in order, from the start.
    pub fn new<S: Source>(table: &Table<S>, plan: TwinPlan, sink: impl FnMut(Part) -> W) -> Self {
        Self {
            format: table.data_format().filter(|_| table.data_version().has_rows()),
            feed: Feed::new(table, plan.estimate.from),
            builder: Some(Builder::new(table, &plan, sink)),
            state: State::Between,
            notes: Notes::default(),
            partitions: 0,
            wide: 0,
            blocks: 0,
            twin: None,
            plan,
        }
    }

    /// Goes on for about `budget` partitions, blocks and rows. `table` is the one that the job was made for.
    ///
    /// # Errors
    /// A miss: call again, nothing is lost. Damage ends the job: the error says which file cannot be read there, or what it
    /// has in the wrong order, and both keys of it.
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Progress, Error> {
        let mut context = Context {
            table,
            data: table.data_reader().ok().map(DataReader::streaming),
            format: self.format.as_ref(),
            // A block and a row of it, or a smaller step would come to nothing.
            budget: budget.max(2),
            notes: &mut self.notes,
        };
        while let Some(builder) = &mut self.builder {
            match &mut self.state {
                State::Between => match self.feed.next(&mut context)? {
                    Got::One(head) => self.state = State::Blocks(head),
                    Got::Spent => break,
                    Got::End => {
                        self.state = State::Done;
                        let built = self.builder.take().map(Builder::finish).transpose()?;
                        self.twin = built.map(|built| self.report(table, built));
                        break;
                    }
                },
                State::Blocks(head) => match self.feed.block(&mut context)? {
                    Got::One(block) => builder.block(head, block)?,
                    Got::Spent => break,
                    Got::End => self.state = State::Ending(std::mem::take(head)),
                },
                State::Ending(head) => match builder.end(&mut context, head, self.feed.tail())? {
                    Ended::Again => {
                        self.feed.rewind();
                        self.state = State::Blocks(std::mem::take(head));
                    }
                    Ended::Written(blocks) => {
                        self.partitions += 1;
                        self.wide += u64::from(blocks > 0);
                        self.blocks += blocks;
                        self.state = State::Between;
                    }
                },
                State::Done => break,
            }
        }
        Ok(self.progress(table))
    }

    /// How far it is.
    pub fn progress<S: Source>(&self, table: &Table<S>) -> Progress {
        let progress = self.feed.progress(table);
        let is_finished = self.twin.is_some();
        let done = if is_finished { progress.of } else { progress.done };
        Progress { done, of: progress.of, partitions: self.partitions, is_finished }
    }

    /// What is built; `None` before [`Progress::is_finished`].
    pub fn finish(self) -> Option<Twin<W>> {
        self.twin
    }

    fn report<S: Source>(&self, table: &Table<S>, built: Built<W>) -> Twin<W> {
        let from = self.plan.estimate.from;
        let options = &self.plan.options;
        let mut assumptions = Vec::new();
        let mut block_size = self.notes.sizes.allowed();
        if table.facts.partitioner.is_none() {
            assumptions.push(Assumption::Murmur3);
        }
        if let BuiltFrom::Data { block_bytes } = from {
            block_size = Some(BlockSize { least: block_bytes, most: block_bytes });
            if options.block_bytes.is_none() {
                assumptions.push(Assumption::DefaultBlocks { bytes: block_bytes });
            }
        }
        if self.notes.left_out > 0 {
            assumptions.push(Assumption::RowsLeftOut { partitions: self.notes.left_out });
        }
        if self.notes.end_assumed {
            assumptions.push(Assumption::EndOfLast);
        }
        assumptions.extend(built.assumptions);
        if let Some(Count::Exact(counted) | Count::FromStatistics(counted)) = table.facts.partitions
            && counted != self.partitions
        {
            assumptions.push(Assumption::OtherCount { found: self.partitions, counted });
        }
        let report = TwinReport {
            from,
            target: options.target,
            assumptions,
            files: built.bytes,
            partitions: self.partitions,
            wide: self.wide,
            blocks: self.blocks,
            block_size,
            millis: None,
        };
        Twin { report, files: built.files }
    }
}
