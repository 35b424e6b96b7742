//! Whether the index of an open SSTable is, byte for byte, what its writer makes of the same keys.
//!
//! It is written again and of each page of it a checksum is kept, four bytes for 4,096, so no file is too large. Where a
//! page is not that of the file all is written once more, and the page is kept.

use super::error::EntriesError;
use super::rebuild::{FILLER, Rebuild, SummaryRebuild};
use super::run::Progress;
use super::writer::Writer;
use crate::dissect::{self, Item, ItemKind, PageItem};
use crate::error::Error;
use crate::meta::crc32;
use crate::pos::{FilePos, PAGE_BYTES, PAGE_SIZE, PageNo, len64, mem};
use crate::source::{Source, read_range};
use crate::table::{Part, Table};
use crate::write::Sink;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// Bytes of a difference that are shown.
const SHOWN: usize = 16;

/// What came of a component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The component.
    pub part: Part,
    /// Its bytes in the file.
    pub bytes: u64,
    /// Its bytes as they were written again.
    pub rebuilt: u64,
    /// The verdict.
    pub verdict: Verdict,
}

/// Whether a component is its writer's work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The same bytes.
    Same,
    /// The same bytes, and behind them the four that ScyllaDB's writers once ended Rows.db with.
    SameAndFiller,
    /// Another byte.
    Differs(Box<Difference>),
}

/// The first byte that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Its position.
    pub at: FilePos,
    /// What lies there in the file; `None` behind its end.
    pub file: Option<Structure>,
    /// What the writer puts there; `None` behind the end of what it writes.
    pub rebuilt: Option<Structure>,
}

/// What a difference lies in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Structure {
    /// Where it begins.
    pub at: FilePos,
    /// What it is, in words.
    pub what: String,
    /// The bytes from the difference on, the first ones.
    pub bytes: ByteBuf,
    /// The structure taken apart, where it lies in one page and can be.
    pub item: Option<Item>,
}

impl Judged {
    /// Whether the file is its writer's work, filler at its end or not.
    pub const fn is_same(&self) -> bool {
        !matches!(self.verdict, Verdict::Differs(_))
    }

    /// Whether ScyllaDB's filler lies at its end.
    pub const fn has_filler(&self) -> bool {
        matches!(self.verdict, Verdict::SameAndFiller)
    }

    /// The first byte that differs.
    pub fn difference(&self) -> Option<&Difference> {
        match &self.verdict {
            Verdict::Differs(difference) => Some(difference),
            _ => None,
        }
    }
}

/// Judges the index of an open SSTable. It keeps its place: after a miss it is called again.
#[derive(Debug)]
pub struct Judging<W: Sink> {
    writer: Writer,
    stage: Stage<W>,
    judged: Vec<Judged>,
    /// The sums of what is to be compared, the next file last.
    files: Vec<(Part, Sums)>,
    out: Vec<(Part, W)>,
    /// Takes Summary.db, which is made again apart from Index.db.
    summary_out: Option<W>,
    done: Progress,
}

#[derive(Debug)]
enum Stage<W: Sink> {
    /// Everything is written again.
    Write(Rebuild<Summed<W>>),
    /// Summary.db is made again.
    Summary(Box<SummaryRebuild>),
    /// The sums are compared with the file, from this page on.
    Compare {
        page: u64,
    },
    /// All is written once more, for the page that differs.
    Again {
        rebuild: Rebuild<Summed<Nothing>>,
        page: PageNo,
    },
    /// That page, as it was written again.
    Differs {
        page: PageNo,
        made: Vec<u8>,
    },
    Over,
}

/// Takes bytes and keeps none: for those who want the verdict alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Sink for Nothing {
    fn put(&mut self, _: &[u8]) {}
}

/// A sink that keeps a checksum of each page, and one page if it is told to.
#[derive(Debug)]
struct Summed<W> {
    sums: Sums,
    page: Vec<u8>,
    kept: Option<(PageNo, Vec<u8>)>,
    behind: Option<W>,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    bytes: u64,
    pages: Vec<u32>,
}

impl<W: Sink> Summed<W> {
    fn new(behind: Option<W>, keep: Option<PageNo>) -> Self {
        let kept = keep.map(|page| (page, Vec::new()));
        Self { sums: Sums::default(), page: Vec::with_capacity(PAGE_BYTES), kept, behind }
    }

    fn turn(&mut self) {
        if let Some((no, kept)) = &mut self.kept
            && no.0 == len64(self.sums.pages.len())
        {
            kept.clone_from(&self.page);
        }
        self.sums.pages.push(crc32(&self.page));
        self.page.clear();
    }

    fn into_sums(mut self) -> (Sums, Option<Vec<u8>>, Option<W>) {
        if !self.page.is_empty() {
            self.turn();
        }
        (self.sums, self.kept.map(|(_, page)| page), self.behind)
    }
}

impl<W: Sink> Sink for Summed<W> {
    fn put(&mut self, bytes: &[u8]) {
        if let Some(behind) = &mut self.behind {
            behind.put(bytes);
        }
        self.sums.bytes += len64(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = PAGE_BYTES.saturating_sub(self.page.len());
            let (now, later) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            self.page.extend_from_slice(now);
            rest = later;
            if self.page.len() == PAGE_BYTES {
                self.turn();
            }
        }
    }
}

impl<W: Sink> Judging<W> {
    /// Of the index that the SSTable has; a trie in the way of `writer`. `out` takes what is written again, file by file
    /// from the start: [`Nothing`] for the verdict alone.
    ///
    /// # Errors
    /// When there is no index, or it cannot be written again.
    pub fn new<S: Source>(
        table: &Table<S>,
        writer: Writer,
        mut out: impl FnMut(Part) -> W,
    ) -> Result<Self, EntriesError> {
        let has_summary = SummaryRebuild::new(table).is_some();
        let mut summary_out = None;
        let rebuild = Rebuild::new(table, writer, |part| {
            let behind = out(part);
            if part == Part::Summary && has_summary {
                summary_out = Some(behind);
                return Summed::new(None, None);
            }
            Summed::new(Some(behind), None)
        })?;
        Ok(Self {
            writer,
            stage: Stage::Write(rebuild),
            judged: Vec::new(),
            files: Vec::new(),
            out: Vec::new(),
            summary_out,
            done: Progress { done: 0, of: 0 },
        })
    }

    /// Goes on for about `budget` partitions, blocks and pages; whether it has ended.
    ///
    /// # Errors
    /// A miss: call again. Anything else ends it: the file cannot be read, or no writer takes its keys.
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<bool, EntriesError> {
        match &mut self.stage {
            Stage::Write(rebuild) => {
                let is_written = rebuild.step(table, budget)?;
                self.done = rebuild.progress(table);
                if is_written {
                    self.written(table)?;
                }
            }
            Stage::Summary(summary) => {
                if summary.step(table, budget)? {
                    self.summarised(table)?;
                }
            }
            Stage::Compare { page } => {
                let mut page = *page;
                self.compare(table, &mut page, budget)?;
            }
            Stage::Again { rebuild, .. } => {
                if rebuild.step(table, budget)? {
                    self.made(table)?;
                }
            }
            Stage::Differs { .. } => self.differs(table)?,
            Stage::Over => {}
        }
        Ok(matches!(self.stage, Stage::Over))
    }

    /// How far it is, in bytes of the index of the partitions; what comes after it is written again takes little.
    pub fn progress(&self) -> Progress {
        self.done
    }

    /// What came of each component, and the sinks with what was written again.
    pub fn finish(self) -> (Vec<Judged>, Vec<(Part, W)>) {
        (self.judged, self.out)
    }

    /// Everything is written: the sums are kept for the comparison.
    fn written<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        let Stage::Write(rebuild) = stage else { return Ok(()) };
        for (part, file) in rebuild.finish(table)? {
            let (sums, _, out) = file.into_sums();
            self.out.extend(out.map(|out| (part, out)));
            // Summary.db is made again with what it says of itself, below.
            if part != Part::Summary {
                self.files.push((part, sums));
            }
        }
        self.files.reverse();
        self.stage = match SummaryRebuild::new(table) {
            Some(summary) if self.summary_out.is_some() => Stage::Summary(Box::new(summary)),
            _ => Stage::Compare { page: 0 },
        };
        Ok(())
    }

    fn summarised<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let Some(source) = table.source(Part::Summary) else { return Ok(()) };
        let real = read_range(Part::Summary, source, FilePos(0), source.len(), "file")?;
        let stage = std::mem::replace(&mut self.stage, Stage::Compare { page: 0 });
        let Stage::Summary(summary) = stage else { return Ok(()) };
        let files = summary.finish(table)?;
        let Some(best) = files.iter().find(|file| **file == real).or(files.first()) else {
            return Ok(());
        };
        if let Some(mut out) = self.summary_out.take() {
            out.put(best);
            self.out.push((Part::Summary, out));
        }
        let verdict = match best.iter().zip(&real).position(|(a, b)| a != b) {
            None if best.len() == real.len() => Verdict::Same,
            at => {
                let at = at.unwrap_or(best.len().min(real.len()));
                let at = FilePos(len64(at));
                let placed = placed(table, Part::Summary, at)?;
                let structure = |bytes: &[u8]| {
                    structure((Part::Summary, placed.as_ref()), at, bytes, FilePos(0))
                };
                let (file, rebuilt) = (structure(&real), structure(best));
                Verdict::Differs(Box::new(Difference { at, file, rebuilt }))
            }
        };
        let (bytes, rebuilt) = (len64(real.len()), len64(best.len()));
        self.judged.push(Judged { part: Part::Summary, bytes, rebuilt, verdict });
        Ok(())
    }

    /// Compares pages of the file at hand with their sums.
    fn compare<S: Source>(
        &mut self,
        table: &Table<S>,
        page: &mut u64,
        budget: u64,
    ) -> Result<(), EntriesError> {
        for _ in 0..budget.max(1) {
            let Some((part, sums)) = self.files.last() else {
                self.judged.sort_by_key(|judged| judged.part);
                self.stage = Stage::Over;
                return Ok(());
            };
            let part = *part;
            let Some(source) = table.source(part) else {
                self.files.pop();
                continue;
            };
            let (bytes, rebuilt) = (source.len(), sums.bytes);
            let filled = is_filled(part, source, rebuilt)?;
            // The filler is left out of the comparison.
            let compared = if filled { rebuilt } else { bytes };
            let no = PageNo(*page);
            let is_here = no.start().0 < compared.max(rebuilt);
            let is_same = match (is_here, sums.pages.get(mem(no.0).unwrap_or(usize::MAX))) {
                (false, _) => {
                    let verdict = if filled { Verdict::SameAndFiller } else { Verdict::Same };
                    self.judged.push(Judged { part, bytes, rebuilt, verdict });
                    self.files.pop();
                    *page = 0;
                    self.stage = Stage::Compare { page: 0 };
                    continue;
                }
                (true, Some(sum)) if no.start().0 < compared => {
                    let size = (compared - no.start().0).min(PAGE_SIZE);
                    crc32(&read_range(part, source, no.start(), size, "page")?) == *sum
                }
                (true, _) => false,
            };
            if !is_same {
                let keep = |of: Part| Summed::new(None, (of == part).then_some(no));
                let rebuild = Rebuild::new(table, self.writer, keep)?;
                self.stage = Stage::Again { rebuild, page: no };
                return Ok(());
            }
            *page += 1;
            self.stage = Stage::Compare { page: *page };
        }
        Ok(())
    }

    /// All is written once more: of it the page is taken that is not that of the file.
    fn made<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        let Stage::Again { rebuild, page } = stage else { return Ok(()) };
        let part = self.files.last().map(|(part, _)| *part);
        let files = rebuild.finish(table)?;
        let made = files.into_iter().find(|(of, _)| Some(*of) == part);
        let made = made.and_then(|(_, file)| file.into_sums().1).unwrap_or_default();
        self.stage = Stage::Differs { page, made };
        Ok(())
    }

    /// Finds the first byte that differs, and what lies there in both.
    fn differs<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let Stage::Differs { page: no, made } = &self.stage else { return Ok(()) };
        let no = *no;
        let Some((part, sums)) = self.files.last() else { return Ok(()) };
        let (part, rebuilt) = (*part, sums.bytes);
        let Some(source) = table.source(part) else { return Ok(()) };
        let bytes = source.len();
        let here = bytes.saturating_sub(no.start().0).min(PAGE_SIZE);
        let real = read_range(part, source, no.start(), here, "page")?;
        let in_page = real.iter().zip(made).position(|(a, b)| a != b);
        let in_page = in_page.unwrap_or(real.len().min(made.len()));
        let at = FilePos(no.start().0.saturating_add(len64(in_page)));
        let placed = placed(table, part, at)?;
        let structure = |page: &[u8]| structure((part, placed.as_ref()), at, page, no.start());
        let (file, rebuilt_there) = (structure(&real), structure(made));
        let difference = Difference { at, file, rebuilt: rebuilt_there };
        let verdict = Verdict::Differs(Box::new(difference));
        self.stage = Stage::Compare { page: 0 };
        self.files.pop();
        self.judged.push(Judged { part, bytes, rebuilt, verdict });
        Ok(())
    }
}

/// Whether a Rows.db of so many bytes as were written again has ScyllaDB's filler behind them.
fn is_filled<S: Source>(part: Part, source: &S, rebuilt: u64) -> Result<bool, Error> {
    if part != Part::Rows || source.len() != rebuilt.saturating_add(len64(FILLER.len())) {
        return Ok(false);
    }
    Ok(read_range(part, source, FilePos(rebuilt), len64(FILLER.len()), "end")? == FILLER)
}

/// What holds a byte of the file: where it begins, and what it is.
fn placed<S: Source>(table: &Table<S>, part: Part, at: FilePos) -> Result<Option<PageItem>, Error> {
    match dissect::page(table, part, at.page()) {
        Ok(view) => Ok(view
            .items
            .into_iter()
            .find(|item| item.at <= at && at.0 - item.at.0 < item.len.max(1))),
        Err(miss @ Error::Miss(_)) => Err(miss),
        // Behind the end of the file there is nothing.
        Err(Error::Damage(_)) => Ok(None),
    }
}

/// What holds the byte at `at` in a page (or a whole file) that begins at `start`; `None` behind its end. All bytes before
/// are those of the file, so what begins before `at` begins in both at the same position.
fn structure(
    (part, placed): (Part, Option<&PageItem>),
    at: FilePos,
    page: &[u8],
    start: FilePos,
) -> Option<Structure> {
    let bytes = page.get(mem(at.0.checked_sub(start.0)?)?..).filter(|it| !it.is_empty())?;
    let shown = ByteBuf::from(bytes.get(..SHOWN).unwrap_or(bytes));
    let is_node = |kind: ItemKind| {
        matches!(
            kind,
            ItemKind::Node | ItemKind::Padding | ItemKind::Unclaimed | ItemKind::Unreadable
        )
    };
    let from = placed.map_or(at, |item| item.at);
    if bytes.iter().all(|byte| *byte == 0) && from == at {
        let what = "zeros to the end of the page".to_owned();
        return Some(Structure { at, what, bytes: shown, item: None });
    }
    if matches!(part, Part::Partitions | Part::Rows)
        && from >= start
        && placed.is_none_or(|item| is_node(item.kind))
    {
        let item = dissect::node(part, from, page);
        let what = item.summary.clone();
        return Some(Structure { at: from, what, bytes: shown, item: Some(item) });
    }
    let what = placed.map_or_else(|| "bytes".to_owned(), |item| noun(item.kind).to_owned());
    Some(Structure { at: from, what, bytes: shown, item: None })
}

/// What something that is no node is called.
const fn noun(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::RowsEntry => "entry of a partition",
        ItemKind::Keys => "first and last key",
        ItemKind::Footer => "footer",
        ItemKind::Padding => "padding",
        ItemKind::Filler => "filler",
        ItemKind::IndexEntry => "entry",
        ItemKind::PromotedHead => "head of a promoted index",
        ItemKind::Block => "block of a promoted index",
        ItemKind::BlockOffsets => "offsets of the blocks of a promoted index",
        ItemKind::Head => "head",
        ItemKind::SampleOffsets => "offsets of the samples",
        ItemKind::Sample => "sample",
        ItemKind::Node => "node",
        _ => "bytes",
    }
}
