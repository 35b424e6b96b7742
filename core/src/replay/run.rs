//! The replay itself: a first pass that keeps checkpoints, then any step from the nearest one.

use super::entries::{Cursor, Entries};
use super::frame::Frame;
use super::model::Model;
use super::snapshot;
use super::tally::Tally;
use super::words::Told;
use super::writer::Writer;
use crate::bti::pack::{PackObserver, PackStep, TrieWriter};
use crate::limits;
use crate::pos::{FilePos, PAGE_SIZE, PageNo, len64, pages_of};
use crate::write::{Sink, WriteError};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::rc::Rc;

/// How many checkpoints a replay keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// Steps from one to the next, at least; doubled each time that the memory does not suffice.
    pub every: u64,
    /// Bytes of memory that all of them may take.
    pub budget: u64,
}

impl Default for Checkpoints {
    /// The steps between two checkpoints take some milliseconds.
    fn default() -> Self {
        Self { every: 1 << 14, budget: limits::REPLAY_CHECKPOINT_BYTES }
    }
}

/// Decisions shown that lie after the step.
const AFTER: usize = 12;
/// Steps looked at for them.
const LOOK_AHEAD: u64 = 4096;

/// How a writer packs one trie, step by step. The real writer runs over the entries while a model listens; nothing of it is
/// packed a second time elsewhere.
#[derive(Debug)]
pub struct Replay {
    entries: Rc<Entries>,
    writer: Writer,
    /// The first pass, until it has come to the end.
    pass: Option<Box<Pass>>,
    checkpoints: Vec<Checkpoint>,
    spacing: u64,
    held: u64,
    budget: u64,
    marks: Vec<PageMark>,
    totals: Totals,
}

/// How far the first pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Entries done.
    pub done: u64,
    /// Entries in all.
    pub of: u64,
}

/// What a whole trie has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Entries.
    pub entries: u64,
    /// Steps.
    pub steps: u64,
    /// Decisions among them.
    pub decisions: u64,
    /// Where the trie begins.
    pub start: FilePos,
    /// Where its root ends.
    pub end: FilePos,
    /// Where the root lies.
    pub root: FilePos,
    /// The code of the root's type.
    pub root_kind: u8,
    /// Bytes of the file up to the end of what follows the trie: keys and footer, or an entry of Rows.db.
    pub file_bytes: u64,
    /// Its pages.
    pub pages: u64,
    /// Zeros before page ends.
    pub padding: u64,
    /// Pages that are full.
    pub full_pages: u64,
    /// Zeros in them.
    pub padding_in_full: u64,
    /// What the nodes cost.
    pub tally: Tally,
}

/// A page of the file and the steps that filled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageMark {
    /// The page.
    pub page: PageNo,
    /// The step that wrote its first byte of this trie.
    pub first: u64,
    /// Decisions before that step.
    pub decision: u64,
    /// The step that padded it, and the number of zeros.
    pub pad: Option<(u64, u32)>,
}

/// Takes bytes and keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nowhere;

impl Sink for Nowhere {
    fn put(&mut self, _: &[u8]) {}
}

type Packing = TrieWriter<Nowhere, Listener>;

#[derive(Debug)]
struct Pass {
    writer: Packing,
    cursor: Cursor,
}

/// A place from which the replay goes on: everything that the writer has in memory, and the model of it.
#[derive(Clone, Debug)]
struct Checkpoint {
    writer: Packing,
    cursor: Cursor,
    step: u64,
    decisions: u64,
    at: u64,
    bytes: u64,
}

/// What a run from a checkpoint is after.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// Nothing: the first pass.
    Marks,
    /// The frame of a step.
    Frame(u64),
    /// The step that wrote the byte at a position.
    Writes(u64),
    /// The step of a decision, counted from 1.
    Decision(u64),
}

/// Listens to a writer.
#[derive(Clone, Debug)]
struct Listener {
    model: Model,
    wanted: Wanted,
    frame: Option<Box<Frame>>,
    found: Option<u64>,
    marks: Vec<PageMark>,
    root_kind: u8,
}

impl PackObserver for Listener {
    fn step(&mut self, make: impl FnOnce() -> PackStep) {
        let step = make();
        let (decisions, number) = (self.model.decisions, self.model.steps);
        self.model.apply(&step);
        match self.wanted {
            Wanted::Marks => self.mark(&step, decisions),
            Wanted::Frame(wanted) if number == wanted => {
                self.frame = Some(Box::new(snapshot::frame(&self.model, &step)));
            }
            Wanted::Frame(_) => self.follow(),
            Wanted::Decision(wanted) => {
                if self.found.is_none() && self.model.decisions >= wanted {
                    self.found = Some(number);
                }
            }
            Wanted::Writes(at) => {
                if self.found.is_none() && self.model.at > at {
                    self.found = Some(number);
                }
            }
        }
    }
}

impl Listener {
    fn new(entries: &Entries, writer: Writer) -> Self {
        Self {
            model: Model::new(entries.part(), writer, entries.start().0),
            wanted: Wanted::Marks,
            frame: None,
            found: None,
            marks: Vec::new(),
            root_kind: 0,
        }
    }

    fn mark(&mut self, step: &PackStep, decision: u64) {
        let first = self.model.steps - 1;
        match step {
            PackStep::Write { at, what, .. } if !what.is_sum() => {
                let page = PageNo(at / PAGE_SIZE);
                self.marks.push(PageMark { page, first, decision, pad: None });
            }
            PackStep::Pad { at, bytes, .. } => {
                let pad = Some((first, *bytes));
                self.marks.push(PageMark { page: PageNo(at / PAGE_SIZE), first, decision, pad });
            }
            PackStep::Complete { depth: 0, edge_bytes: 0, kind, .. }
            | PackStep::Node { kind, .. } => self.root_kind = *kind,
            _ => {}
        }
    }

    /// Adds what is decided after the step that is shown.
    fn follow(&mut self) {
        if let (Some(frame), Some(decision)) = (&mut self.frame, self.model.decided)
            && frame.after.len() < AFTER
        {
            frame.after.push(decision);
        }
    }

    fn is_done(&self) -> bool {
        match self.wanted {
            Wanted::Marks => false,
            Wanted::Frame(wanted) => self.frame.as_ref().is_some_and(|frame| {
                frame.after.len() >= AFTER || self.model.steps > wanted + LOOK_AHEAD
            }),
            _ => self.found.is_some(),
        }
    }
}

impl Replay {
    /// A replay of entries in a writer's way; its first pass is still to be made, by [`Self::step`].
    pub fn new(entries: Rc<Entries>, writer: Writer) -> Self {
        Self::with_checkpoints(entries, writer, Checkpoints::default())
    }

    /// The same with other checkpoints than usual.
    pub fn with_checkpoints(
        entries: Rc<Entries>,
        writer: Writer,
        checkpoints: Checkpoints,
    ) -> Self {
        let listener = Listener::new(&entries, writer);
        let (part, start) = (entries.part(), entries.start());
        let packing = TrieWriter::from(part, writer.flavour(), start, Nowhere, listener);
        let totals = Totals {
            entries: entries.count(),
            steps: 0,
            decisions: 0,
            start,
            end: start,
            root: start,
            root_kind: 0,
            file_bytes: 0,
            pages: 0,
            padding: 0,
            full_pages: 0,
            padding_in_full: 0,
            tally: Tally::default(),
        };
        let mut replay = Self {
            entries,
            writer,
            pass: Some(Box::new(Pass { writer: packing, cursor: Cursor::default() })),
            checkpoints: Vec::new(),
            spacing: checkpoints.every.max(1),
            held: 0,
            budget: checkpoints.budget,
            marks: Vec::new(),
            totals,
        };
        replay.keep();
        replay
    }

    /// Goes on with the first pass by about `budget` entries. The pass is done when as many are done as there are.
    ///
    /// # Errors
    /// What the writer refuses. Entries are in order, so this does not happen to those that [`Entries::add`] took.
    pub fn step(&mut self, budget: u64) -> Result<Progress, WriteError> {
        let of = self.entries.count();
        for _ in 0..budget.max(1) {
            let Some(pass) = &mut self.pass else { break };
            if !self.entries.feed(&mut pass.cursor, &mut pass.writer)? {
                self.end();
                break;
            }
            let steps = pass.writer.observer().model.steps;
            merge(&mut self.marks, pass.writer.observer_mut());
            let last = self.checkpoints.last().map_or(0, |checkpoint| checkpoint.step);
            if steps >= last + self.spacing {
                self.keep();
            }
        }
        let done = self.pass.as_ref().map_or(of, |pass| pass.cursor.done);
        Ok(Progress { done, of })
    }

    /// Whether the first pass is done: before, only steps up to where it is can be shown.
    pub fn is_done(&self) -> bool {
        self.pass.is_none()
    }

    /// The entries.
    pub fn entries(&self) -> &Rc<Entries> {
        &self.entries
    }

    /// Whose way of packing.
    pub fn writer(&self) -> Writer {
        self.writer
    }

    /// What the whole trie comes to, once the first pass is done.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The pages that the trie lies in, in order.
    pub fn pages(&self) -> &[PageMark] {
        &self.marks
    }

    /// Bytes of memory that the checkpoints take, about.
    pub fn held_bytes(&self) -> u64 {
        self.held
    }

    /// The state after step number `step`, from 0. `None` where there is no such step yet.
    pub fn frame(&self, step: u64) -> Option<Frame> {
        let from = self.before(|checkpoint| checkpoint.step <= step)?;
        let listener = self.run(from, Wanted::Frame(step));
        let mut frame = *listener.frame?;
        frame.steps = self.totals.steps;
        frame.decisions = self.totals.decisions;
        Some(frame)
    }

    /// The step of a decision; the first is number 1, see [`Frame::decision`]. `None` where there is no such decision.
    pub fn decision(&self, number: u64) -> Option<u64> {
        let from = self.before(|checkpoint| checkpoint.decisions < number)?;
        self.run(from, Wanted::Decision(number)).found
    }

    /// The step that wrote the byte at a position, which may be padding. `None` where this trie wrote none.
    pub fn wrote(&self, at: FilePos) -> Option<u64> {
        if at < self.entries.start() {
            return None;
        }
        let from = self.before(|checkpoint| checkpoint.at <= at.0)?;
        self.run(from, Wanted::Writes(at.0)).found
    }

    /// A page with the steps that began and padded it. `None` where the trie does not lie in it.
    pub fn page(&self, page: PageNo) -> Option<PageMark> {
        let i = self.marks.binary_search_by_key(&page, |mark| mark.page).ok()?;
        self.marks.get(i).copied()
    }

    /// The step that began the first page after that of a step.
    pub fn next_page(&self, step: u64) -> Option<u64> {
        let i = self.marks.partition_point(|mark| mark.first <= step);
        Some(self.marks.get(i)?.first)
    }

    /// The step that began the page before that of a step; of a step inside a page, the one that began this page.
    pub fn previous_page(&self, step: u64) -> Option<u64> {
        let i = self.marks.partition_point(|mark| mark.first < step);
        Some(self.marks.get(i.checked_sub(1)?)?.first)
    }

    /// The last checkpoint for which something holds that holds for those before it too.
    fn before(&self, holds: impl Fn(&Checkpoint) -> bool) -> Option<&Checkpoint> {
        let i = self.checkpoints.partition_point(holds);
        // The first one lies before everything.
        self.checkpoints.get(i.saturating_sub(1))
    }

    /// Runs the writer from a checkpoint until what is wanted is there.
    fn run(&self, from: &Checkpoint, wanted: Wanted) -> Listener {
        let Checkpoint { mut writer, mut cursor, .. } = from.clone();
        writer.observer_mut().wanted = wanted;
        while !writer.observer().is_done() {
            match self.entries.feed(&mut cursor, &mut writer) {
                Ok(true) => {}
                // Past what the first pass has taken there is nothing, and it would have refused what is refused here.
                Ok(false) | Err(_) => {
                    writer.finish();
                    break;
                }
            }
        }
        writer.observer().clone()
    }

    /// Keeps a checkpoint of where the first pass is.
    fn keep(&mut self) {
        let Some(pass) = &mut self.pass else { return };
        pass.writer.flush();
        let (writer, cursor) = (pass.writer.clone(), pass.cursor.clone());
        let model = &writer.observer().model;
        let (step, decisions, at) = (model.steps, model.decisions, model.at);
        let held = writer.held_bytes() + model.held_bytes() + cursor.held_bytes();
        let bytes = len64(held + size_of::<Checkpoint>());
        self.held += bytes;
        self.checkpoints.push(Checkpoint { writer, cursor, step, decisions, at, bytes });
        while self.held > self.budget && self.checkpoints.len() > 2 {
            self.spacing *= 2;
            let mut number = 0;
            self.checkpoints.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.held = self.checkpoints.iter().map(|checkpoint| checkpoint.bytes).sum();
        }
    }

    /// The last key has been added: what is left is completed.
    fn end(&mut self) {
        let Some(mut pass) = self.pass.take() else { return };
        let root = pass.writer.finish();
        let listener = pass.writer.observer_mut();
        merge(&mut self.marks, listener);
        let model = &listener.model;
        let file = model.file();
        let file_bytes = file.at + self.entries.tail_bytes();
        self.totals = Totals {
            entries: self.entries.count(),
            steps: model.steps,
            decisions: model.decisions,
            start: self.entries.start(),
            end: FilePos(file.at),
            root: FilePos(root.unwrap_or(file.at)),
            root_kind: listener.root_kind,
            file_bytes,
            pages: pages_of(file_bytes),
            padding: file.padding,
            full_pages: file.full_pages,
            padding_in_full: file.padding_in_full,
            tally: model.counts.tally,
        };
    }
}

/// Tells each step of a writer over entries, in order, until `each` breaks. Nothing is kept.
///
/// # Errors
/// What the writer refuses.
pub fn trace(
    entries: &Entries,
    writer: Writer,
    each: impl FnMut(Told<'_>) -> ControlFlow<()>,
) -> Result<(), WriteError> {
    let model = Model::new(entries.part(), writer, entries.start().0);
    let tracer = Tracer { model, each, ended: false };
    let (part, start) = (entries.part(), entries.start());
    let mut packing = TrieWriter::from(part, writer.flavour(), start, Nowhere, tracer);
    let mut cursor = Cursor::default();
    while !packing.observer().ended {
        if !entries.feed(&mut cursor, &mut packing)? {
            packing.finish();
            break;
        }
    }
    Ok(())
}

/// Hands each step on.
struct Tracer<F> {
    model: Model,
    each: F,
    ended: bool,
}

impl<F: FnMut(Told<'_>) -> ControlFlow<()>> PackObserver for Tracer<F> {
    fn step(&mut self, make: impl FnOnce() -> PackStep) {
        if self.ended {
            return;
        }
        let step = make();
        let number = self.model.steps;
        self.model.apply(&step);
        let (writer, choice) = (self.model.writer, self.model.choice.as_ref());
        let keys = self.model.counts.keys;
        let told = Told { writer, number, step: &step, choice, keys };
        self.ended = (self.each)(told).is_break();
    }
}

/// Takes over what a listener has noted of pages.
fn merge(marks: &mut Vec<PageMark>, listener: &mut Listener) {
    for mark in listener.marks.drain(..) {
        match marks.last_mut() {
            Some(last) if last.page == mark.page => last.pad = mark.pad.or(last.pad),
            _ => marks.push(mark),
        }
    }
}
