//! The work of writing all files of an SSTable but its index, step by step.

use super::statistics::{Known, convert};
use super::{Note, RowPlan, SetPlan, SetReport, SketchMaker};
use crate::data::{
    DataReader, DataStore, PartSink, RewriteError, Rewriter, RowRefusal, StoreSink, Stored, Storing,
};
use crate::error::{Error, ReadError};
use crate::lookup::NotConfirmed;
use crate::meta::{Compression, Crc32, DigestKind, Histogram};
use crate::pos::{FilePos, len64};
use crate::source::{Source, read_range};
use crate::table::{Part, Table};
use crate::write::WriteError;
use std::fmt;

/// Bytes of a file that is copied, read at once.
const PIECE_BYTES: u64 = 256 << 10;

/// Why a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// A file cannot be read. A miss: call again, nothing is lost.
    Read(Error),
    /// Something is there that the version cannot hold.
    Rows(RowRefusal),
    /// Something cannot be written.
    Write(WriteError),
}

/// How far a job is, in bytes of Data.db as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetProgress {
    /// Bytes done.
    pub done: u64,
    /// All of them.
    pub of: u64,
    /// Whether nothing is left to do.
    pub is_finished: bool,
}

/// Writes the files of a [`SetPlan`]. To cancel it, drop it.
#[derive(Debug)]
pub struct SetJob {
    plan: SetPlan,
    phase: Phase,
    known: Known,
    sketch: SketchMaker,
    files: Vec<(Part, u64)>,
    notes: Vec<Note>,
    partitions: Option<u64>,
    live_pairs: u64,
}

#[derive(Debug)]
enum Phase {
    Rows(Box<Rewriter>, Box<DataStore>),
    Copy { at: u64, digest: Crc32 },
    Companion { at: u64 },
    Filter { at: u64 },
    Statistics,
    Toc,
    Done,
}

/// Counts what goes into each file.
struct Counted<'a, P> {
    parts: &'a mut P,
    files: &'a mut Vec<(Part, u64)>,
}

impl<P: PartSink> PartSink for Counted<'_, P> {
    fn put(&mut self, part: Part, bytes: &[u8]) {
        match self.files.iter_mut().find(|(other, _)| *other == part) {
            Some((_, sum)) => *sum += len64(bytes.len()),
            None => self.files.push((part, len64(bytes.len()))),
        }
        self.parts.put(part, bytes);
    }
}

impl SetJob {
    /// A job that has read nothing.
    pub fn new<S: Source>(table: &Table<S>, plan: SetPlan) -> Self {
        let (from, to) = (table.data_version(), plan.target.version());
        let phase = match (&plan.rows, table.data_format()) {
            (RowPlan::Rewritten(storing), Some(format)) => {
                let store = DataStore::new(to, storing.clone());
                Phase::Rows(Box::new(Rewriter::new(format, from, to)), Box::new(store))
            }
            _ => Phase::Copy { at: 0, digest: Crc32::default() },
        };
        let mut known = Known::default();
        if let (RowPlan::Rewritten(_), Some(stats)) = (&plan.rows, &plan.model.stats) {
            let buckets = stats.partition_sizes.buckets.iter().map(|(bound, _)| (*bound, 0));
            known.partition_sizes = Some(Histogram { buckets: buckets.collect() });
        }
        Self {
            notes: plan.notes.clone(),
            plan,
            phase,
            known,
            sketch: SketchMaker::default(),
            files: Vec::new(),
            partitions: None,
            live_pairs: 0,
        }
    }

    /// Goes on for about `budget` bytes. `table` is the one that the job was made for.
    ///
    /// # Errors
    /// A miss: call again. Anything else ends the job: what the sink was given is to be thrown away.
    pub fn step<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
        parts: &mut impl PartSink,
    ) -> Result<SetProgress, SetError> {
        let mut out = Counted { parts, files: &mut self.files };
        let next = match &mut self.phase {
            Phase::Rows(rewriter, store) => {
                let mut reader = reader(table)?.streaming();
                let (sketch, sizes) = (&mut self.sketch, &mut self.known.partition_sizes);
                let mut sink = StoreSink { store, parts: &mut out };
                let is_over = rewriter.run(&mut reader, budget.max(1), &mut sink, |key, size| {
                    sketch.add(key);
                    if let Some(sizes) = sizes {
                        count(sizes, size);
                    }
                });
                if is_over.map_err(SetError::of_rows)? {
                    let done = rewriter.done();
                    self.partitions = Some(done.partitions);
                    self.live_pairs = done.live_pairs;
                    self.known.ends = Some((done.first.clone(), done.last.clone()));
                    self.known.has_partition_deletions = Some(done.has_partition_deletions);
                    self.known.sketch = Some(self.sketch.clone());
                    let plain = matches!(self.plan.rows, RowPlan::Rewritten(Storing::Plain));
                    let stored = store.as_ref().clone().finish(&mut out)?;
                    self.known.compression_ratio = Some(ratio(stored, plain));
                    Some(Phase::Filter { at: 0 })
                } else {
                    None
                }
            }
            Phase::Copy { at, digest } => {
                let bytes = piece(table, Part::Data, *at, budget)?;
                digest.update(&bytes);
                out.put(Part::Data, &bytes);
                *at += len64(bytes.len());
                let is_over = table.source(Part::Data).is_none_or(|data| *at >= data.len());
                if is_over {
                    let computed = digest.finish();
                    compare(table, computed)?;
                    out.put(Part::Digest, computed.to_string().as_bytes());
                }
                is_over.then_some(Phase::Companion { at: 0 })
            }
            Phase::Companion { at } => match companion(table, &self.plan, at, budget, &mut out)? {
                true => Some(Phase::Filter { at: 0 }),
                false => None,
            },
            Phase::Filter { at } => match filter(table, &self.plan, at, budget, &mut out)? {
                true => Some(Phase::Statistics),
                false => None,
            },
            Phase::Statistics => {
                let (from, to) = (table.data_version(), self.plan.target.version());
                let (model, notes) = convert(&self.plan.model, from, to, &self.known);
                self.notes.extend(notes);
                out.put(Part::Statistics, &model.write(to)?);
                Some(Phase::Toc)
            }
            Phase::Toc => {
                out.put(Part::Toc, toc(&self.plan).as_bytes());
                Some(Phase::Done)
            }
            Phase::Done => None,
        };
        if let Some(next) = next {
            self.phase = next;
        }
        Ok(self.progress(table))
    }

    /// How far it is.
    pub fn progress<S: Source>(&self, table: &Table<S>) -> SetProgress {
        let file = table.source(Part::Data).map_or(0, Source::len);
        let data = table.facts.data_length.unwrap_or(file);
        let is_finished = matches!(self.phase, Phase::Done);
        match &self.phase {
            Phase::Rows(rewriter, _) => {
                SetProgress { done: rewriter.at().0, of: data, is_finished }
            }
            Phase::Copy { at, .. } => SetProgress { done: *at, of: file, is_finished },
            _ => SetProgress { done: data, of: data, is_finished },
        }
    }

    /// What was written; `None` before it is finished.
    pub fn report<S: Source>(&self, table: &Table<S>) -> Option<SetReport> {
        matches!(self.phase, Phase::Done).then(|| SetReport {
            from: table.data_version(),
            to: self.plan.target.version(),
            rows: self.plan.rows.clone(),
            partitions: self.partitions,
            live_pairs: self.live_pairs,
            files: self.files.clone(),
            notes: self.notes.clone(),
        })
    }
}

fn reader<S: Source>(table: &Table<S>) -> Result<DataReader<'_, S>, SetError> {
    table.data_reader().map_err(|why| match why {
        NotConfirmed::Damaged(error) => SetError::Read(error.into()),
        _ => SetError::Write(WriteError::Lacks { field: "Data.db" }),
    })
}

/// Counts a partition in the bucket of its size.
fn count(sizes: &mut Histogram, size: u64) {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let last = sizes.buckets.len().saturating_sub(1);
    // The last bucket has no upper bound and repeats the one before.
    let at = sizes.buckets.partition_point(|(bound, _)| *bound < size).min(last);
    if let Some((_, count)) = sizes.buckets.get_mut(at) {
        *count += 1;
    }
}

/// As Cassandra computes it: without the checksums of chunks.
#[expect(clippy::cast_precision_loss, reason = "a ratio, for people and planners")]
fn ratio(stored: Stored, plain: bool) -> f64 {
    if plain {
        return -1.0;
    }
    stored.file.saturating_sub(4 * stored.chunks) as f64 / stored.data as f64
}

fn piece<S: Source>(
    table: &Table<S>,
    part: Part,
    at: u64,
    budget: u64,
) -> Result<Vec<u8>, SetError> {
    let Some(source) = table.source(part) else { return Ok(Vec::new()) };
    let left = source.len().saturating_sub(at);
    let bytes = left.min(budget.clamp(4096, PIECE_BYTES));
    Ok(read_range(part, source, FilePos(at), bytes, "file")?)
}

/// A copy of damaged data with a digest of its own would hide the damage.
fn compare<S: Source>(table: &Table<S>, computed: u32) -> Result<(), SetError> {
    let Some(digest) = table.digest.as_ref().filter(|it| it.kind == DigestKind::Crc32) else {
        return Ok(());
    };
    match digest.value().filter(|value| *value != computed) {
        None => Ok(()),
        Some(value) => {
            let expected = format!("{computed}, that of Data.db");
            let found = value.to_string();
            let (part, at) = (Part::Digest, FilePos(0));
            Err(SetError::Read(ReadError::unexpected(part, at, "digest", expected, found).into()))
        }
    }
}

/// CompressionInfo.db or CRC.db of a Data.db that was copied; whether it is finished.
fn companion<S: Source>(
    table: &Table<S>,
    plan: &SetPlan,
    at: &mut u64,
    budget: u64,
    out: &mut impl PartSink,
) -> Result<bool, SetError> {
    let part = match &table.compression {
        Some(_) => Part::CompressionInfo,
        None => Part::Crc,
    };
    let Some(source) = table.source(part) else { return Ok(true) };
    if let Some(info) = table.compression.as_ref().filter(|_| *at == 0) {
        // The version may have a limit for raw chunks, and its readers other options. Offsets stay.
        if plan.storing != Storing::of(info, table.data_version()) {
            out.put(part, &compression_head(info, &plan.storing)?);
            *at = info.offsets_at.0;
        }
    }
    let bytes = piece(table, part, *at, budget)?;
    out.put(part, &bytes);
    *at += len64(bytes.len());
    Ok(*at >= source.len())
}

/// The head of CompressionInfo.db for chunks that are there.
fn compression_head(info: &Compression, storing: &Storing) -> Result<Vec<u8>, WriteError> {
    let mut head = Vec::new();
    if let Storing::Compressed { compressor, options, chunk_length, max_compressed_length } =
        storing
    {
        let (length, most) = (*chunk_length, *max_compressed_length);
        crate::data::compression_head(compressor, options, length, most, &mut head)?;
    }
    head.extend(info.data_length.to_be_bytes());
    let chunks = u32::try_from(info.chunks).unwrap_or(u32::MAX);
    head.extend(chunks.to_be_bytes());
    Ok(head)
}

/// Filter.db, with its words turned round where the versions differ; whether it is finished.
fn filter<S: Source>(
    table: &Table<S>,
    plan: &SetPlan,
    at: &mut u64,
    budget: u64,
    out: &mut impl PartSink,
) -> Result<bool, SetError> {
    const HEAD: u64 = 8;
    let (Some(header), Some(source)) = (&table.filter, table.source(Part::Filter)) else {
        return Ok(true);
    };
    if *at == 0 {
        let head = read_range(Part::Filter, source, FilePos(0), HEAD, "head")?;
        out.put(Part::Filter, &head);
        *at = HEAD;
    }
    let end = HEAD.saturating_add(header.words.saturating_mul(8));
    let bytes = end.saturating_sub(*at).min(budget.clamp(4096, PIECE_BYTES) / 8 * 8);
    let mut bytes = read_range(Part::Filter, source, FilePos(*at), bytes, "words")?;
    *at += len64(bytes.len());
    let to_words = !plan.target.version().formats().filter.has_bytes;
    if header.has_words() != to_words {
        bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|word| word.reverse());
    }
    out.put(Part::Filter, &bytes);
    Ok(*at >= end)
}

fn toc(plan: &SetPlan) -> String {
    let parts = plan.target.parts().into_iter().chain(plan.parts.iter().copied());
    parts.map(|part| format!("{}\n", part.file_name())).collect()
}

impl SetError {
    fn of_rows(error: RewriteError) -> Self {
        match error {
            RewriteError::Read(error) => Self::Read(error),
            RewriteError::Refused(refusal) => Self::Rows(refusal),
        }
    }
}

impl From<Error> for SetError {
    fn from(error: Error) -> Self {
        Self::Read(error)
    }
}

impl From<WriteError> for SetError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Rows(refusal) => refusal.fmt(f),
            Self::Write(error) => error.fmt(f),
        }
    }
}
