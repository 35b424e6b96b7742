//! The state of a writer, made from its steps alone.

use super::frame::{
    Choice, Counts, Decision, DecisionKind, FileFill, Segment, SegmentKind, SubtreeState,
};
use super::writer::Writer;
use crate::bti::pack::{ChildSize, PackStep, Written};
use crate::pos::{PAGE_SIZE, PageNo, len64, mem};
use crate::table::Part;
use std::collections::VecDeque;

/// Decisions kept that lie before the step.
const BEFORE: usize = 16;

/// What a writer has on its stack, what waits, what is written. Listens to the steps of one trie.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub part: Part,
    pub writer: Writer,
    /// Where the trie begins.
    pub start: u64,
    /// Position of the next byte.
    pub at: u64,
    /// Steps taken in.
    pub steps: u64,
    /// Decisions among them.
    pub decisions: u64,
    /// The last key, as far as its nodes are open or were just completed.
    pub key: Vec<u8>,
    /// Its open nodes, the root first.
    pub nodes: Vec<Open>,
    /// The finished children of all open nodes, those of the root first.
    pub kids: Vec<Kid>,
    /// A node that was completed and has not joined the children of its parent.
    pub done: Option<Done>,
    /// The nodes whose children are laid out, the innermost last.
    pub layouts: Vec<Laying>,
    pub choice: Option<Choice>,
    /// The edge that this step is about, among the children of the innermost layout.
    pub now: Option<u8>,
    pub page: PageNo,
    pub segments: Vec<Segment>,
    pub waiting_bytes: u64,
    /// What waited before a branch was taken apart, and its size.
    apart: Option<(u64, u64)>,
    pub padding: u64,
    pub padding_in_full: u64,
    pub counts: Counts,
    pub before: VecDeque<Decision>,
    /// The last step as a decision.
    pub decided: Option<Decision>,
}

/// An open node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub depth: u32,
    /// Bytes on the edge to it.
    pub edge: u32,
    pub payload: u8,
    /// Where its children start.
    pub first: usize,
}

/// A finished child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kid {
    pub edge: u8,
    pub size: u64,
    pub written: bool,
    pub far: bool,
}

/// A node that is complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub node: Open,
    /// The byte that leads to it.
    pub byte: u8,
    pub own: u64,
    pub below: u64,
    pub children: u16,
    pub far: bool,
    pub state: DoneState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DoneState {
    Kept,
    LaidOut,
    Alone,
}

/// A node whose children are laid out.
#[derive(Clone, Debug)]
pub(super) struct Laying {
    pub edge: u8,
    pub depth: u32,
    pub below: u64,
    pub own: u64,
    pub grown: bool,
    pub kids: Vec<Kid>,
    pub written: u16,
    /// The node's own bytes, once the layout has ended.
    alone: Option<u64>,
}

impl Model {
    /// Before the first step of a trie that begins at `start`.
    pub fn new(part: Part, writer: Writer, start: u64) -> Self {
        let page = PageNo(start / PAGE_SIZE);
        let mut model = Self {
            part,
            writer,
            start,
            at: start,
            steps: 0,
            decisions: 0,
            key: Vec::new(),
            nodes: vec![Open { depth: 0, edge: 0, payload: 0, first: 0 }],
            kids: Vec::new(),
            done: None,
            layouts: Vec::new(),
            choice: None,
            now: None,
            page,
            segments: Vec::new(),
            waiting_bytes: 0,
            apart: None,
            padding: 0,
            padding_in_full: 0,
            counts: Counts::default(),
            before: VecDeque::new(),
            decided: None,
        };
        model.begin_page(page);
        model
    }

    /// Takes the next step in.
    pub fn apply(&mut self, step: &PackStep) {
        if let Some(decision) = self.decided.take() {
            if self.before.len() == BEFORE {
                self.before.pop_front();
            }
            self.before.push_back(decision);
        }
        self.settle();
        self.now = None;
        let left = self.left();
        self.counts.tally.add(step);
        match step {
            PackStep::Push { shared, tail, cuts, payload, nodes } => {
                self.push(*shared, tail, (*nodes, cuts), *payload);
            }
            PackStep::Complete { .. } => self.complete(step),
            PackStep::LayOut { edge, depth, own, below, grown, children } => {
                self.counts.layouts += 1;
                if *grown && self.layouts.is_empty() {
                    // The root, which had been kept.
                    self.end_of_root(DoneState::LaidOut, *own);
                }
                let (edge, depth, own, below) = (*edge, *depth, *own, *below);
                let kids = children.iter().map(|child| Kid::of(child, self.kids_of(depth)));
                let kids: Vec<Kid> = kids.collect();
                let written = kids.iter().filter(|kid| kid.written).count();
                let written = u16::try_from(written).unwrap_or(u16::MAX);
                let (alone, grown) = (None, *grown);
                self.layouts.push(Laying { edge, depth, below, own, grown, kids, written, alone });
            }
            PackStep::Choose { edge, size, left, waiting, fitting } => {
                self.turn_page();
                let page = PageNo(self.at / PAGE_SIZE);
                let (edge, size, left) = (*edge, *size, *left);
                let (waiting, fitting) = (*waiting, *fitting);
                self.choice = Some(Choice { edge, size, left, page, waiting, fitting });
                self.now = Some(edge);
            }
            PackStep::Recalculate { edge, was, now } => {
                self.counts.recalculated += 1;
                self.waiting_bytes = (self.waiting_bytes + now).saturating_sub(*was);
                if let Some(kid) = self.kid(*edge) {
                    kid.size = *now;
                }
                self.now = Some(*edge);
            }
            PackStep::Pad { bytes, .. } => {
                self.choice = None;
                self.counts.pads += 1;
                self.padding += u64::from(*bytes);
                self.turn_page();
                self.fill(u64::from(*bytes), SegmentKind::Padding, None);
            }
            PackStep::TakeApart { edge, size } => {
                self.apart = Some((self.waiting_bytes, *size));
                self.now = Some(*edge);
            }
            PackStep::Melt { .. } | PackStep::Node { .. } => {
                self.now = self.choice.map(|it| it.edge)
            }
            PackStep::Write { edge, size, what, .. } => self.write(*edge, *size, *what),
            PackStep::Alone { own, .. } => self.alone(*own),
        }
        self.steps += 1;
        self.decide(step, left);
    }

    /// Bytes left in the page: all of it at its start.
    pub fn left(&self) -> u64 {
        PAGE_SIZE - self.at % PAGE_SIZE
    }

    /// How far the file is.
    pub fn file(&self) -> FileFill {
        FileFill {
            start: self.start,
            at: self.at,
            padding: self.padding,
            padding_in_full: self.padding_in_full,
            full_pages: self.at / PAGE_SIZE - self.start / PAGE_SIZE,
        }
    }

    /// The state of a child that is not written, where `space` bytes are left.
    pub fn state_of(kid: &Kid, space: Option<u64>) -> SubtreeState {
        match space {
            _ if kid.written => SubtreeState::Written,
            Some(space) if kid.size > space => SubtreeState::TooLarge,
            _ => SubtreeState::Waiting,
        }
    }

    /// Bytes of memory behind it, about.
    pub fn held_bytes(&self) -> usize {
        let layouts: usize = self.layouts.iter().map(|it| it.kids.len() * size_of::<Kid>()).sum();
        size_of::<Self>()
            + layouts
            + self.key.len()
            + self.nodes.len() * size_of::<Open>()
            + self.kids.len() * size_of::<Kid>()
            + self.segments.len() * size_of::<Segment>()
            + self.before.len() * size_of::<Decision>()
    }

    /// A node that was completed by the step before joins its siblings; a layout that has ended is closed.
    fn settle(&mut self) {
        if let Some(own) = self.layouts.last().and_then(|laying| laying.alone) {
            let ended = self.layouts.pop();
            if let Some(laying) = ended.filter(|laying| laying.grown)
                && let Some(kid) = self.kid(laying.edge)
            {
                (kid.size, kid.far) = (own, true);
            }
        }
        if self.layouts.is_empty() {
            self.join();
        }
    }

    fn join(&mut self) {
        let Some(done) = self.done else { return };
        let size = match done.state {
            DoneState::Kept => done.own + done.below,
            DoneState::Alone => done.own,
            DoneState::LaidOut => return,
        };
        // The root has no parent: it stays until it is written.
        if done.node.edge == 0 {
            return;
        }
        self.kids.truncate(done.node.first);
        self.kids.push(Kid { edge: done.byte, size, written: false, far: done.far });
        self.done = None;
    }

    fn push(&mut self, shared: u32, tail: &[u8], opened: (u32, &[u32]), payload: u8) {
        let (nodes, cuts) = opened;
        self.choice = None;
        self.counts.keys += 1;
        self.key.truncate(mem(shared.into()).unwrap_or(usize::MAX));
        self.key.extend_from_slice(tail);
        let first = self.kids.len();
        let end = u32::try_from(self.key.len()).unwrap_or(u32::MAX);
        let mut from = shared;
        let mut open = |depth: u32| {
            self.nodes.push(Open { depth, edge: depth - from, payload: 0, first });
            from = depth;
        };
        if cuts.is_empty() && len64(tail.len()) == u64::from(nodes) {
            (shared + 1..=end).for_each(open);
        } else {
            cuts.iter().copied().chain([end]).filter(|cut| *cut > shared).for_each(&mut open);
        }
        if let Some(node) = self.nodes.last_mut() {
            node.payload = payload;
        }
    }

    fn complete(&mut self, step: &PackStep) {
        let PackStep::Complete {
            edge,
            edge_bytes,
            depth,
            own,
            below,
            children,
            written,
            settled,
            keeps,
            ..
        } = *step
        else {
            return;
        };
        self.choice = None;
        self.counts.completed += 1;
        let Some(top) = self.nodes.last_mut() else { return };
        let node = Open { depth, edge: edge_bytes, payload: top.payload, first: top.first };
        if top.edge > edge_bytes {
            // Its edge is cut: the end of it was the node, and what is left has that one below it.
            top.depth -= edge_bytes;
            top.edge -= edge_bytes;
            top.payload = 0;
        } else {
            self.nodes.pop();
        }
        let (own, far) = (u64::from(own), written > 0 || !settled);
        let state = if keeps { DoneState::Kept } else { DoneState::LaidOut };
        if keeps {
            self.counts.kept += 1;
            self.waiting_bytes += own;
        }
        self.done = Some(Done { node, byte: edge, own, below, children, far, state });
    }

    /// Which children of the node that is laid out point at something written.
    fn kids_of(&self, depth: u32) -> &[Kid] {
        match self.done {
            Some(done) if done.node.depth == depth => {
                self.kids.get(done.node.first..).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    fn end_of_root(&mut self, state: DoneState, own: u64) {
        if let Some(done) = self.done.as_mut().filter(|done| done.node.edge == 0) {
            (done.state, done.own) = (state, own);
        }
    }

    fn alone(&mut self, own: u64) {
        self.choice = None;
        let Some(laying) = self.layouts.last_mut() else { return };
        laying.alone = Some(own);
        let (grown, was) = (laying.grown, laying.own);
        // A branch that has grown was waiting with its node.
        let before = if grown { was } else { 0 };
        self.waiting_bytes = (self.waiting_bytes + own).saturating_sub(before);
        if self.layouts.len() == 1
            && let Some(done) = self.done.as_mut().filter(|done| !grown || done.node.edge == 0)
        {
            (done.state, done.own, done.below, done.far) = (DoneState::Alone, own, 0, true);
        }
    }

    fn write(&mut self, edge: u8, size: u64, what: Written) {
        if what.is_sum() {
            if let Some((before, estimate)) = self.apart.take() {
                self.waiting_bytes = before.saturating_sub(estimate);
            }
        } else {
            self.turn_page();
            let edge = (!what.is_root()).then_some(edge);
            let kind = if what.is_root() { SegmentKind::Root } else { SegmentKind::Branch };
            self.fill(size, kind, edge);
            self.waiting_bytes = self.waiting_bytes.saturating_sub(size);
        }
        if what.is_root() {
            self.counts.written += 1;
            self.choice = None;
        } else if what != Written::Piece {
            self.counts.written += 1;
            self.now = Some(edge);
            if let Some(laying) = self.layouts.last_mut() {
                laying.written += 1;
                if let Some(kid) = laying.kids.iter_mut().find(|kid| kid.edge == edge) {
                    (kid.written, kid.size) = (true, size);
                }
            }
        }
    }

    fn kid(&mut self, edge: u8) -> Option<&mut Kid> {
        self.layouts.last_mut()?.kids.iter_mut().find(|kid| kid.edge == edge)
    }

    /// Begins the page in which the next byte lies, where the last one is full.
    fn turn_page(&mut self) {
        let page = PageNo(self.at / PAGE_SIZE);
        if page != self.page {
            self.begin_page(page);
        }
    }

    fn begin_page(&mut self, page: PageNo) {
        self.page = page;
        self.segments.clear();
        let before = self.at % PAGE_SIZE;
        if before > 0 {
            let bytes = u16::try_from(before).unwrap_or(u16::MAX);
            let (what, edge, step) = (SegmentKind::Before, None, None);
            self.segments.push(Segment { from: 0, bytes, what, edge, step });
        }
    }

    /// Bytes that lie in one page.
    fn fill(&mut self, bytes: u64, what: SegmentKind, edge: Option<u8>) {
        let [from, size] =
            [self.at % PAGE_SIZE, bytes].map(|it| u16::try_from(it).unwrap_or(u16::MAX));
        self.segments.push(Segment { from, bytes: size, what, edge, step: Some(self.steps) });
        self.at += bytes;
        if self.at.is_multiple_of(PAGE_SIZE) {
            self.padding_in_full = self.padding;
        }
    }

    /// `left` is what was left in the page before the step.
    fn decide(&mut self, step: &PackStep, left: u64) {
        let root = |edge: u8, is_root: bool| (!is_root).then_some(edge);
        let what = match step {
            PackStep::Complete { edge, edge_bytes, below, own, children, keeps: true, .. }
                if *children > 1 =>
            {
                let edge = root(*edge, *edge_bytes == 0);
                DecisionKind::Keep { edge, below: *below, own: (*own).into() }
            }
            PackStep::LayOut { edge, depth, below, own, children, .. } => DecisionKind::LayOut {
                edge: root(*edge, *depth == 0),
                below: *below,
                own: *own,
                children: u16::try_from(children.len()).unwrap_or(u16::MAX),
            },
            PackStep::Write { edge, at, size, what, .. } if !what.is_sum() => {
                let (edge, page) = (root(*edge, what.is_root()), PageNo(at / PAGE_SIZE));
                DecisionKind::Write { edge, size: *size, left, page, what: *what }
            }
            PackStep::Pad { at, bytes, .. } => {
                DecisionKind::Pad { bytes: *bytes, page: PageNo(at / PAGE_SIZE) }
            }
            _ => return,
        };
        self.decisions += u64::from(what.is_counted());
        self.decided = Some(Decision { step: self.steps - 1, what });
    }
}

impl Kid {
    /// A child of a node that is laid out, with what is known of it.
    fn of(child: &ChildSize, known: &[Self]) -> Self {
        let far = known.iter().find(|kid| kid.edge == child.edge).is_some_and(|kid| kid.far);
        Self { edge: child.edge, size: child.size, written: child.size == 0, far }
    }
}
