//! Data.db read from end to end in step with the index: every partition, row, marker and block, against the index and
//! against Statistics.db.
//!
//! Checksums are compared elsewhere. What lies in a chunk that fails its checksum is not reported here again.

mod blocks;
mod cells;
mod index;
mod matching;
mod order;
mod rows;
mod totals;

use self::blocks::Blocks;
use self::cells::Walker;
use self::index::IndexSide;
use self::matching::Matching;
use self::order::RowOrder;
use self::rows::{Context, Listener, Reading};
use self::totals::Totals;
use super::catalog::data::{CHUNK_CHECKSUM, UNREADABLE};
use super::catalog::index::DELETION;
use super::catalog::trie::DATA_KEY;
use super::keys::KeyRules;
use super::{Finding, Findings, Stage, Step};
use crate::data::walk::Walk;
use crate::data::{Atoms, DataFormat, DataReader};
use crate::error::{Error, Miss, ReadError};
use crate::keys::{ClusteringSchema, Partitioner};
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::{DataForm, IndexKind, Part, Table};

/// Reads Data.db.
#[derive(Default)]
pub(super) struct DeepStage {
    work: Option<Work>,
    is_done: bool,
}

/// The work, once it has begun.
struct Work {
    format: DataFormat,
    order: RowOrder,
    clustering: ClusteringSchema,
    partitioner: Partitioner,
    walk: Walker,
    index: IndexSide,
    matching: Matching,
    reading: Reading,
    /// Something could not be read, so sums and bounds say nothing.
    is_partial: bool,
    /// What was said last: a chunk that cannot be unpacked is met once for each of its partitions.
    unreadable: Option<ReadError>,
    keys: Keys,
    has_ended: bool,
}

/// The keys of a table whose index has only their prefixes.
struct Keys {
    /// What holds for each; `None` where Index.db has the keys, and they were looked at there.
    rules: Option<KeyRules>,
    /// The partition whose key was looked at last.
    looked: Option<u64>,
}

impl<S: Source> Stage<S> for DeepStage {
    fn name(&self) -> &'static str {
        "Data.db, row by row"
    }

    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        let done = Step { bytes: 0, done: true };
        if self.is_done {
            return Ok(done);
        }
        let work = match &mut self.work {
            Some(work) => work,
            none => match Work::new(table) {
                Some(work) => none.insert(work),
                None => return Ok(done),
            },
        };
        let Ok(reader) = table.data_reader() else { return Ok(done) };
        let before = work.walk.at().0;
        let ended = work.run(table, reader.streaming_unverified(), budget, findings)?;
        self.is_done = ended;
        Ok(Step { bytes: work.walk.at().0.saturating_sub(before), done: ended })
    }
}

impl Work {
    /// `None` where Data.db cannot be read.
    fn new<S: Source>(table: &Table<S>) -> Option<Self> {
        let version = table.data_version();
        let has_cells = version.formats().data == DataForm::Cells;
        let (format, clustering, walk) = if has_cells {
            let walk = Walker::Cells(Atoms::new(DataPos(0)));
            (DataFormat::without_types(version), ClusteringSchema::default(), walk)
        } else {
            let walk = Walker::Rows(Walk::new(DataPos(0)));
            (table.data_format()?, table.clustering_schema()?.clone(), walk)
        };
        let stats = table.statistics.as_ref().and_then(|it| it.stats.as_ref());
        let totals = Totals::new(table.data_version(), stats);
        Some(Self {
            format,
            order: RowOrder::new(clustering.columns()),
            clustering,
            partitioner: table.partitioner(),
            walk,
            index: IndexSide::new(table),
            matching: Matching::default(),
            reading: Reading::new(totals),
            // Cells are not looked at one by one, so there is nothing to compare bounds with.
            is_partial: has_cells,
            unreadable: None,
            keys: Keys::new(table),
            has_ended: false,
        })
    }

    /// Reads on, and says whether all was read.
    fn run<S: Source>(
        &mut self,
        table: &Table<S>,
        mut reader: DataReader<'_, S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<bool, Miss> {
        let until = self.walk.at().0.saturating_add(budget);
        loop {
            let context = Context {
                format: &self.format,
                order: &self.order,
                partitioner: &self.partitioner,
                keys: table.key_schema(),
                clustering: &self.clustering,
                dialect: table.dialect(),
            };
            let suspect = findings.total(CHUNK_CHECKSUM) > 0;
            hand_on(&mut self.reading, &mut reader, suspect, findings)?;
            self.index.fill(table)?;
            if self.has_ended {
                self.matching.finish(&mut self.index, &mut self.reading);
                if self.reading.pending.0.is_empty() && !self.index.has_more() {
                    self.totals(table, findings);
                    return Ok(true);
                }
                continue;
            }
            self.matching.find(&context, &mut self.index, &mut self.reading);
            if matches!(self.walk, Walker::Cells(_)) {
                self.reading.blocks = Blocks::None;
            }
            if self.reading.is_unmatched || !self.reading.pending.0.is_empty() {
                continue;
            }
            let at = self.reading.partition;
            if self.walk.at().0 > at && !self.matching.is_unindexed(at) {
                self.keys.look(table, &mut reader, &self.reading, findings)?;
            }
            if self.reading.blocks.needs_more() {
                let had_head = self.reading.blocks.promoted_head().is_some();
                self.reading.blocks.fetch(table, Some(self.format.rows()))?;
                if !had_head {
                    compare_head(&mut self.reading);
                }
                continue;
            }
            if self.walk.at().0 >= until {
                return Ok(false);
            }
            let (context, reading) = (&context, &mut self.reading);
            let mut listener = Listener { context, reading, until };
            match self.walk.run(&mut reader, &mut listener) {
                Ok(ended) => self.has_ended = ended,
                Err(Error::Miss(miss)) => return Err(miss),
                // What was met before the damage is told before it, as it is where a miss came between them. The walk
                // stays where it is.
                Err(Error::Damage(_)) if !self.reading.pending.0.is_empty() => {}
                Err(Error::Damage(error)) => self.damaged(table, &mut reader, *error, findings)?,
            }
        }
    }

    /// The walk cannot go on here: it goes on at the next partition that the index has.
    fn damaged<S: Source>(
        &mut self,
        table: &Table<S>,
        reader: &mut DataReader<'_, S>,
        error: ReadError,
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        // All that may miss comes before all that is remembered.
        let places = [self.walk.at(), DataPos(error.at.0)];
        let mut is_known = false;
        for place in places.into_iter().filter(|_| findings.total(CHUNK_CHECKSUM) > 0) {
            is_known |= !is_sound(reader, place)?;
        }
        let next = loop {
            self.index.fill(table)?;
            match self.index.front() {
                Some(front) if front.data > self.walk.at().0 => break Some(front.data),
                Some(_) => _ = self.index.pop(),
                None => break None,
            }
        };
        self.is_partial = true;
        if !is_known && self.unreadable.as_ref() != Some(&error) {
            let mut finding = Finding::unreadable(UNREADABLE, &error);
            if self.walk.partition() == Some(DataPos(self.reading.partition)) {
                finding = finding.key(&self.reading.key);
            }
            findings.add(finding);
        }
        self.unreadable = Some(error);
        self.reading.lose();
        match next.filter(|next| *next < reader.len()) {
            Some(next) => self.walk.seek(DataPos(next)),
            None => {
                self.walk.seek(DataPos(reader.len()));
                self.has_ended = true;
            }
        }
        Ok(())
    }

    fn totals<S: Source>(&mut self, table: &Table<S>, findings: &mut Findings) {
        let stats = table.statistics.as_ref().and_then(|it| it.stats.as_ref());
        if let Some(stats) = stats
            && !self.is_partial
            && findings.total(CHUNK_CHECKSUM) == 0
        {
            // ScyllaDB counts otherwise, and its versions have no checksums there.
            let has_counts = table.data_version().formats().statistics.has_checksums;
            self.reading.totals.compare(stats, has_counts, findings);
        }
    }
}

impl Keys {
    fn new<S: Source>(table: &Table<S>) -> Self {
        let in_index = table.readable_index() == Some(IndexKind::Legacy);
        Self { rules: (!in_index).then(KeyRules::default), looked: None }
    }

    /// Looks at the key of the partition that is being read, if it was not seen before.
    fn look<S: Source>(
        &mut self,
        table: &Table<S>,
        reader: &mut DataReader<'_, S>,
        reading: &Reading,
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        let at = reading.partition;
        let Some(rules) = self.rules.as_mut().filter(|_| self.looked != Some(at)) else {
            return Ok(());
        };
        // A key that is damaged, or one of another table, is not in the filter: that is told already.
        let is_own = findings.total(DATA_KEY) == 0
            && (findings.total(CHUNK_CHECKSUM) == 0 || is_sound(reader, DataPos(at))?);
        if is_own {
            rules.look(table, &reading.key, (Part::Data, FilePos(at)), findings)?;
        }
        self.looked = Some(at);
        Ok(())
    }
}

/// Hands findings on, but those that rest on a chunk that fails its checksum, and those about a place of the index of which
/// something was said already.
fn hand_on<S: Source>(
    reading: &mut Reading,
    reader: &mut DataReader<'_, S>,
    suspect: bool,
    findings: &mut Findings,
) -> Result<(), Miss> {
    while let Some((at, _)) = reading.pending.0.first() {
        let is_known = suspect && !is_sound(reader, DataPos(*at))?;
        let (_, finding) = reading.pending.0.remove(0);
        let was_said = finding.part != Some(Part::Data)
            && findings.kept().iter().any(|it| (it.part, it.at) == (finding.part, finding.at));
        if !is_known && !was_said {
            findings.add(finding);
        }
    }
    Ok(())
}

fn is_sound<S: Source>(reader: &mut DataReader<'_, S>, at: DataPos) -> Result<bool, Miss> {
    if at.0 >= reader.len() {
        return Ok(true);
    }
    match reader.chunk_is_sound(at) {
        Ok(sound) => Ok(sound),
        Err(Error::Miss(miss)) => Err(miss),
        Err(Error::Damage(_)) => Ok(false),
    }
}

/// The deletion in the head of the promoted index that was just read.
fn compare_head(reading: &mut Reading) {
    let Some(head) = reading.blocks.promoted_head() else { return };
    if !rows::same_deletion(head.deletion, reading.deletion) {
        let (expected, found) =
            (blocks::deletion(reading.deletion), blocks::deletion(head.deletion));
        let finding = Finding::new(DELETION, "partition deletion", expected, found);
        let at = FilePos(head.at.0);
        let finding = finding.at(Part::Index, at).key(&reading.key);
        reading.pending.push(reading.partition, finding);
    }
}
