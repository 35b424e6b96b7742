//! Both writers on the same keys: where they part, and what each difference costs.

use super::entries::{Cursor, Entries};
use super::run::{Nowhere, Progress, Replay, Totals};
use super::tally::Tally;
use super::writer::Writer;
use crate::bti::pack::{PackObserver, PackStep, TrieWriter, Written};
use crate::write::WriteError;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::rc::Rc;

/// Where the two writers part.
///
/// The steps of each are compared in order, as far as both have such steps at all: a node with a payload or with several
/// children is complete (its depth, children, type, own bytes without its chain, and whether it keeps its branch), the
/// children of a node are laid out (bytes below), a page is padded (position, zeros), a branch is written (position,
/// bytes). Pushes and the nodes of a run, which Cassandra has a byte each and ScyllaDB as chains, are passed over: they
/// always differ and mostly decide nothing. The first pair that is not equal is the first step where they part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parting {
    /// They never do: both files are equal but for what the runs are made of.
    Never,
    /// Here.
    At {
        /// Cassandra's step.
        cassandra: Parted,
        /// ScyllaDB's.
        scylla: Parted,
    },
}

/// A step at which writers part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parted {
    /// Its number, from 0.
    pub step: u64,
    /// The step; `None` where this writer has come to its end.
    pub what: Option<PackStep>,
}

/// What the differences cost, from both replays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// Cassandra's.
    pub cassandra: Side,
    /// ScyllaDB's.
    pub scylla: Side,
}

/// What one writer's trie has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Bytes of the file up to the end of what follows the trie.
    pub file_bytes: u64,
    /// Its pages.
    pub pages: u64,
    /// Zeros before page ends.
    pub padding: u64,
    /// What its nodes cost.
    pub tally: Tally,
}

impl Costs {
    /// From two replays of the same entries, one in each writer's way, both done; `None` otherwise.
    pub fn of(a: &Replay, b: &Replay) -> Option<Self> {
        let is_pair = a.writer() != b.writer() && Rc::ptr_eq(a.entries(), b.entries());
        if !is_pair || !a.is_done() || !b.is_done() {
            return None;
        }
        let (cassandra, scylla) = if a.writer() == Writer::Cassandra { (a, b) } else { (b, a) };
        let [cassandra, scylla] = [cassandra, scylla].map(|replay| Side::of(replay.totals()));
        Some(Self { cassandra, scylla })
    }
}

impl Side {
    fn of(totals: &Totals) -> Self {
        let Totals { file_bytes, pages, padding, tally, .. } = *totals;
        Self { file_bytes, pages, padding, tally }
    }
}

/// Looks for the first step where the two writers part: both run side by side until then.
#[derive(Debug)]
pub struct PartingJob {
    entries: Rc<Entries>,
    lanes: [Lane; 2],
    found: Option<Parting>,
}

#[derive(Debug)]
struct Lane {
    writer: TrieWriter<Nowhere, Compared>,
    cursor: Cursor,
    ended: bool,
}

/// Keeps the steps that are compared.
#[derive(Debug, Default)]
struct Compared {
    steps: u64,
    waiting: VecDeque<Parted>,
}

impl PackObserver for Compared {
    fn step(&mut self, make: impl FnOnce() -> PackStep) {
        let what = make();
        if is_compared(&what) {
            self.waiting.push_back(Parted { step: self.steps, what: Some(what) });
        }
        self.steps += 1;
    }
}

impl PartingJob {
    /// Over entries of one trie.
    pub fn new(entries: Rc<Entries>) -> Self {
        let lanes = Writer::BOTH.map(|writer| {
            let (part, start) = (entries.part(), entries.start());
            let listener = Compared::default();
            let writer = TrieWriter::from(part, writer.flavour(), start, Nowhere, listener);
            Lane { writer, cursor: Cursor::default(), ended: false }
        });
        Self { entries, lanes, found: None }
    }

    /// Goes on by about `budget` entries.
    ///
    /// # Errors
    /// What a writer refuses.
    pub fn step(&mut self, budget: u64) -> Result<Progress, WriteError> {
        for _ in 0..budget.max(1) {
            if self.found.is_some() {
                break;
            }
            for lane in &mut self.lanes {
                if !lane.ended && !self.entries.feed(&mut lane.cursor, &mut lane.writer)? {
                    lane.writer.finish();
                    lane.ended = true;
                }
            }
            self.compare();
        }
        let of = self.entries.count();
        let [cassandra, _] = &self.lanes;
        let done = if self.found.is_some() { of } else { cassandra.cursor.done };
        Ok(Progress { done, of })
    }

    /// Where they part, once that is found.
    pub fn found(&self) -> Option<&Parting> {
        self.found.as_ref()
    }

    fn compare(&mut self) {
        let [a, b] = &mut self.lanes;
        let ended = a.ended && b.ended;
        let (a, b) = (a.writer.observer_mut(), b.writer.observer_mut());
        loop {
            match (a.waiting.front(), b.waiting.front()) {
                (Some(one), Some(two)) if is_same(one, two) => {
                    a.waiting.pop_front();
                    b.waiting.pop_front();
                }
                (None, None) if ended => {
                    self.found = Some(Parting::Never);
                    return;
                }
                (Some(_), Some(_)) => break,
                (Some(_), None) | (None, Some(_)) if ended => break,
                // The other one has not come so far.
                _ => return,
            }
        }
        let [cassandra, scylla] = [a, b].map(|lane| {
            let end = Parted { step: lane.steps, what: None };
            lane.waiting.pop_front().unwrap_or(end)
        });
        self.found = Some(Parting::At { cassandra, scylla });
    }
}

fn is_compared(step: &PackStep) -> bool {
    match step {
        PackStep::Complete { children, payload, .. } => *children != 1 || *payload > 0,
        PackStep::LayOut { .. } | PackStep::Pad { .. } => true,
        PackStep::Write { what, .. } => *what != Written::Piece,
        _ => false,
    }
}

fn is_same(a: &Parted, b: &Parted) -> bool {
    match (&a.what, &b.what) {
        (
            Some(PackStep::Complete { depth, own, chain, children, kind, payload, keeps, .. }),
            Some(PackStep::Complete {
                depth: depth_b,
                own: own_b,
                chain: chain_b,
                children: children_b,
                kind: kind_b,
                payload: payload_b,
                keeps: keeps_b,
                ..
            }),
        ) => {
            (depth, own - chain, children, kind, payload, keeps)
                == (depth_b, own_b - chain_b, children_b, kind_b, payload_b, keeps_b)
        }
        (Some(PackStep::LayOut { below, .. }), Some(PackStep::LayOut { below: below_b, .. })) => {
            below == below_b
        }
        (
            Some(PackStep::Pad { at, bytes, .. }),
            Some(PackStep::Pad { at: at_b, bytes: bytes_b, .. }),
        ) => (at, bytes) == (at_b, bytes_b),
        (
            Some(PackStep::Write { at, size, .. }),
            Some(PackStep::Write { at: at_b, size: size_b, .. }),
        ) => (at, size) == (at_b, size_b),
        _ => false,
    }
}
