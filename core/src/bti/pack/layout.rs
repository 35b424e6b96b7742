//! Finished branches, and how they get into pages. See `docs/format/packing.md`, "Completing a node" and "Laying out".

use super::branch::{Child, Soft, State};
use super::flavour::{Flavour, Grown};
use super::melt::{melt, melted};
use super::observer::{ChildSize, PackObserver, PackStep, Written};
use super::out::Out;
use super::payload::Payload;
use super::shape::{self, Shape, chain_bytes, entry_bytes};
use crate::pos::{PAGE_SIZE, len64};
use crate::table::Part;
use crate::write::Sink;
use std::ops::Range;

/// Where something starts among what is finished but not written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    /// Among the bytes.
    pub bytes: usize,
    /// Among the units.
    pub units: usize,
    /// Among the children.
    pub children: usize,
}

/// The bytes of finished branches, and the file.
#[derive(Clone, Debug)]
pub(super) struct Packer<W: Sink, O: PackObserver> {
    part: Part,
    pub observer: O,
    pub flavour: Flavour,
    pub out: Out<W>,
    /// The children of all open nodes, those of the root first.
    pub children: Vec<Child>,
    /// The bytes of all solid branches, in the order of the children; each ends with its node.
    solid: Vec<u8>,
    /// Bytes of each node with its chain, in the order in which they lie in `solid`. Kept where the flavour may have to
    /// take a branch apart.
    units: Vec<u16>,
}

impl<W: Sink, O: PackObserver> Packer<W, O> {
    pub fn new(part: Part, flavour: Flavour, out: Out<W>, observer: O) -> Self {
        Self {
            part,
            observer,
            flavour,
            out,
            children: Vec::new(),
            solid: Vec::new(),
            units: Vec::new(),
        }
    }

    /// Where what comes next will start.
    #[inline]
    pub fn waiting(&self) -> Waiting {
        Waiting { bytes: self.solid.len(), units: self.units.len(), children: self.children.len() }
    }

    /// Bytes of memory that a clone takes, about, without the sink.
    pub fn held_bytes(&self) -> usize {
        let softs: usize = self.children.iter().map(Child::held_bytes).sum();
        softs + self.children.len() * size_of::<Child>() + self.solid.len() + 2 * self.units.len()
    }

    fn takes_apart(&self) -> bool {
        self.flavour.grown == Grown::PadBeforeNodes
    }

    /// Finishes a node whose children are those from `from` on, all finished. `edge` leads to it; empty for the root.
    /// `depth` is that of the node, for those who listen.
    pub fn complete(
        &mut self,
        edge: &[u8],
        depth: usize,
        payload: &Payload,
        from: Waiting,
    ) -> Child {
        let (first, links) = edge.split_first().map_or((0, edge), |(first, links)| (*first, links));
        let children = self.children.get(from.children..).unwrap_or(&[]);
        let (mut below, mut is_solid) = (0, true);
        for child in children {
            below += child.total();
            is_solid &= matches!(child.state, State::Solid { .. });
        }
        let at = self.out.at() + below;
        let has_payload = payload.bits() != 0;
        let shape = match children {
            // Where all children will lie directly before the node, the first one is the farthest.
            [first, ..] if is_solid => {
                let farthest = below - first.total() + first.entry();
                Shape::with(self.flavour, children, has_payload, farthest)
            }
            _ => Shape::of(self.flavour, children, has_payload, at),
        };
        let body = shape.head + payload.size();
        let size = body + chain_bytes(links.len(), body);
        let total = below + size;
        let limit = if self.flavour.keeps_full_page { PAGE_SIZE } else { PAGE_SIZE - 1 };
        self.observer.step(|| {
            let is_written = |child: &&Child| child.written_at().is_some();
            PackStep::Complete {
                edge: first,
                edge_bytes: short(edge.len()),
                depth: short(depth),
                own: u32::try_from(size).unwrap_or(u32::MAX),
                chain: u32::try_from(size - body).unwrap_or(u32::MAX),
                below,
                children: few(children.len()),
                written: few(children.iter().filter(is_written).count()),
                kind: shape.kind,
                payload: payload.len(),
                surplus: shape::surplus(shape.head, children, has_payload, at),
                settled: is_solid && total <= limit,
                keeps: total <= limit,
            }
        });
        if is_solid && total <= limit {
            shape::write_before(shape, children, payload, below, &mut self.solid);
            shape::write_chain(links, body, &mut self.solid);
            if self.takes_apart() {
                self.units.push(u16::try_from(size).unwrap_or(u16::MAX));
            }
            self.children.truncate(from.children);
            let entry = entry_bytes(links.len(), body);
            // Both are at most a page.
            let [total, entry] =
                [total, entry].map(|bytes| u16::try_from(bytes).unwrap_or(u16::MAX));
            return Child { edge: first, state: State::Solid { total, entry } };
        }
        if total > limit {
            return self.complete_alone(edge, depth, payload, from, [size, below]);
        }
        self.complete_soft(edge, payload, from, [size, below])
    }

    /// A node without children, which most are.
    #[inline]
    pub fn complete_leaf(&mut self, edge: &[u8], depth: usize, payload: &Payload) -> Child {
        let (first, links) = edge.split_first().map_or((0, edge), |(first, links)| (*first, links));
        let body = 1 + payload.size();
        let size = body + chain_bytes(links.len(), body);
        self.observer.step(|| PackStep::Complete {
            edge: first,
            edge_bytes: short(edge.len()),
            depth: short(depth),
            own: u32::try_from(size).unwrap_or(u32::MAX),
            chain: u32::try_from(size - body).unwrap_or(u32::MAX),
            below: 0,
            children: 0,
            written: 0,
            kind: 0,
            payload: payload.len(),
            surplus: 0,
            settled: true,
            keeps: true,
        });
        self.solid.push(payload.bits());
        payload.put(&mut self.solid);
        shape::write_chain(links, body, &mut self.solid);
        // A chain has at most 300 bytes, so all of it is less than a page.
        let [total, entry] = [size, entry_bytes(links.len(), body)]
            .map(|bytes| u16::try_from(bytes).unwrap_or(u16::MAX));
        if self.takes_apart() {
            self.units.push(total);
        }
        Child { edge: first, state: State::Solid { total, entry } }
    }

    /// A node that does not fit one page with what is below it: its children are written.
    fn complete_alone(
        &mut self,
        edge: &[u8],
        depth: usize,
        payload: &Payload,
        from: Waiting,
        [own, below]: [u64; 2],
    ) -> Child {
        let (first, links) = edge.split_first().map_or((0, edge), |(first, links)| (*first, links));
        let depth = short(depth);
        let children = self.children.get(from.children..).unwrap_or(&[]);
        self.observer.step(|| PackStep::LayOut {
            edge: first,
            depth,
            own,
            below,
            grown: false,
            children: sizes(children),
        });
        let mut soft = self.laid_out(payload, links, from, depth);
        soft.size = soft.size_at(self.flavour, self.out.at());
        let own = soft.size;
        self.observer.step(|| PackStep::Alone { edge: first, depth, own });
        Child { edge: first, state: State::Soft(Box::new(soft)) }
    }

    /// A node that fits one page with what is below it and not written.
    fn complete_soft(
        &mut self,
        edge: &[u8],
        payload: &Payload,
        from: Waiting,
        [size, below]: [u64; 2],
    ) -> Child {
        let (first, links) = edge.split_first().map_or((0, edge), |(first, links)| (*first, links));
        let children = self.children.get(from.children..).unwrap_or(&[]);
        let is_soft = |child: &Child| matches!(child.state, State::Soft(_));
        let soft = Soft {
            has_written_child: children.iter().any(|child| child.written_at().is_some()),
            has_written_below: children.iter().any(is_soft),
            payload: *payload,
            links: links.to_vec(),
            below,
            size,
            waiting: self.solid.len() - from.bytes,
            children: self.children.drain(from.children..).collect(),
        };
        Child { edge: first, state: State::Soft(Box::new(soft)) }
    }

    /// Writes all children of a node that does not fit one page with them; its own size is still to be told.
    fn laid_out(&mut self, payload: &Payload, links: &[u8], from: Waiting, depth: u32) -> Soft {
        let mut children: Vec<Child> = self.children.drain(from.children..).collect();
        self.lay_out(&mut children, from, depth);
        self.solid.truncate(from.bytes);
        self.units.truncate(from.units);
        Soft {
            children,
            payload: *payload,
            links: links.to_vec(),
            below: 0,
            size: 0,
            has_written_child: true,
            has_written_below: false,
            waiting: 0,
        }
    }

    /// Writes children, each time the greatest that fits the rest of the page; of equal ones the last. `depth` is that of
    /// the node that they hang from, for those who listen.
    fn lay_out(&mut self, children: &mut [Child], from: Waiting, depth: u32) {
        let starts = starts(children, from.bytes);
        // Sorted once, and kept in order: searching the greatest that fits among all took as long as all else.
        let unwritten =
            children.iter().enumerate().filter(|(_, child)| child.written_at().is_none());
        let mut waiting: Vec<(u64, usize)> =
            unwritten.map(|(i, child)| (child.total(), i)).collect();
        waiting.sort_unstable();
        while let (Some((least, _)), Some(greatest)) =
            (waiting.first().copied(), waiting.len().checked_sub(1))
        {
            let left = self.out.left();
            let fitting = waiting.partition_point(|(size, _)| *size <= left);
            let place = fitting.checked_sub(1).unwrap_or_else(|| {
                self.pad(least);
                greatest
            });
            let (_, i) = waiting.remove(place);
            let left = self.out.left();
            self.observer.step(|| {
                let sizes = || children.iter().filter(|child| child.written_at().is_none());
                let chosen = children.get(i);
                PackStep::Choose {
                    edge: chosen.map_or(0, |child| child.edge),
                    size: chosen.map_or(0, Child::total),
                    left: u32::try_from(left).unwrap_or(0),
                    waiting: few(sizes().count()),
                    fitting: few(sizes().filter(|child| child.total() <= left).count()),
                }
            });
            let (Some(child), Some(start)) = (children.get_mut(i), starts.get(i)) else { break };
            let actual = self.recalculate(child);
            if actual <= left {
                self.write_branch(child, *start);
            } else if actual > PAGE_SIZE {
                match (self.flavour.grown, &mut child.state) {
                    (Grown::LayOutChildren, State::Soft(soft)) if left == PAGE_SIZE => {
                        let from = Waiting { bytes: *start, ..from };
                        let depth = depth.saturating_add(1 + short(soft.links.len()));
                        self.lay_out_grown(child.edge, soft, from, depth);
                    }
                    // It waits for an empty page.
                    (Grown::LayOutChildren, _) => {}
                    (Grown::PadBeforeNodes, _) => {
                        let (at, edge) = (self.out.at(), child.edge);
                        self.observer.step(|| PackStep::TakeApart { edge, size: actual });
                        self.write_apart(child, Waiting { bytes: *start, ..from });
                        self.tell_written(edge, at, child.written_at(), Written::Apart);
                    }
                }
            }
            if child.written_at().is_none() {
                // It waits on with the size that it has now.
                let entry = (child.total(), i);
                waiting.insert(waiting.partition_point(|other| *other < entry), entry);
            }
        }
    }

    /// Lays out the children of a branch that has outgrown a page, and leaves its node alone.
    fn lay_out_grown(&mut self, edge: u8, soft: &mut Soft, from: Waiting, depth: u32) {
        let (own, below) = (soft.size, soft.below);
        self.observer.step(|| PackStep::LayOut {
            edge,
            depth,
            own,
            below,
            grown: true,
            children: sizes(&soft.children),
        });
        self.lay_out(&mut soft.children, from, depth);
        soft.settle();
        soft.size = soft.size_at(self.flavour, self.out.at());
        let own = soft.size;
        self.observer.step(|| PackStep::Alone { edge, depth, own });
    }

    /// Tells that what began at `at` is written up to here.
    fn tell_written(&mut self, edge: u8, at: u64, entry: Option<u64>, what: Written) {
        let (size, entry) = (self.out.at() - at, entry.unwrap_or(at));
        self.observer.step(|| PackStep::Write { edge, at, size, entry, what });
    }

    /// Zeros to the end of the page, none at its start; `least` is the least of what waits.
    fn pad(&mut self, least: u64) {
        let (at, left) = (self.out.at(), self.out.left());
        if left == PAGE_SIZE {
            return;
        }
        self.observer.step(|| PackStep::Pad { at, bytes: u32::try_from(left).unwrap_or(0), least });
        self.out.pad();
    }

    /// The size that a branch has here.
    fn recalculate(&mut self, child: &mut Child) -> u64 {
        let was = child.total();
        let now = child.recalculate(self.flavour, self.out.at());
        if matches!(child.state, State::Soft(_)) {
            self.observer.step(|| PackStep::Recalculate { edge: child.edge, was, now });
        }
        now
    }

    /// Writes a branch whole.
    fn write_branch(&mut self, child: &mut Child, start: usize) {
        let (at, edge) = (self.out.at(), child.edge);
        self.write(child, start);
        self.tell_written(edge, at, child.written_at(), Written::Branch);
    }

    /// Writes a branch: children first, then the node.
    fn write(&mut self, child: &mut Child, start: usize) {
        let at = match &mut child.state {
            State::Written { .. } => return,
            State::Solid { total, entry } => {
                let branch = self.solid.get(start..start + usize::from(*total)).unwrap_or(&[]);
                self.out.put(branch);
                self.out.at() - u64::from(*entry)
            }
            State::Soft(soft) => {
                let mut start = start;
                for child in &mut soft.children {
                    let waiting = child.waiting();
                    self.write(child, start);
                    start += waiting;
                }
                self.write_node(child.edge, soft)
            }
        };
        child.state = State::Written { at };
    }

    /// Writes a node all of whose children are written, and says where its parent points.
    fn write_node(&mut self, edge: u8, soft: &Soft) -> u64 {
        let at = self.out.at();
        let has_payload = soft.payload.bits() != 0;
        let shape = Shape::of(self.flavour, &soft.children, has_payload, at);
        let body = shape.head + len64(soft.payload.bytes().len());
        self.observer.step(|| {
            let chain = chain_bytes(soft.links.len(), body);
            let farthest = shape::distances(&soft.children, at).map(|(_, distance)| distance).max();
            PackStep::Node {
                edge,
                at,
                size: u32::try_from(body + chain).unwrap_or(u32::MAX),
                chain: u32::try_from(chain).unwrap_or(u32::MAX),
                links: short(soft.links.len()),
                kind: shape.kind,
                children: few(soft.children.len()),
                payload: soft.payload.len(),
                surplus: shape::surplus(shape.head, &soft.children, has_payload, at),
                farthest: farthest.unwrap_or(0),
            }
        });
        self.out.append(|bytes| {
            shape::write(shape, &soft.children, &soft.payload, at, bytes);
            shape::write_chain(&soft.links, body, bytes);
        });
        self.out.at() - entry_bytes(soft.links.len(), body)
    }

    /// Writes a branch that is larger than a page, with padding before each node that does not fit the rest of one.
    fn write_apart(&mut self, child: &mut Child, from: Waiting) {
        if let State::Solid { total, .. } = &child.state {
            if u64::from(*total) <= self.out.left() {
                let at = self.out.at();
                self.write(child, from.bytes);
                return self.tell_written(child.edge, at, child.written_at(), Written::Piece);
            }
            let bytes = from.bytes..from.bytes + usize::from(*total);
            let units = self.units_of(&bytes, from);
            let branch = self.solid.get(bytes).unwrap_or(&[]);
            let units = self.units.get(units).unwrap_or(&[]);
            self.observer.step(|| melted(self.part, branch, units));
            let soft = melt(self.part, branch, units);
            child.state = State::Soft(Box::new(soft));
        }
        let State::Soft(soft) = &mut child.state else { return };
        let mut start = from.bytes;
        for child in &mut soft.children {
            let waiting = child.waiting();
            self.write_apart(child, Waiting { bytes: start, ..from });
            start += waiting;
        }
        let size = soft.size_at(self.flavour, self.out.at());
        if size > self.out.left() {
            self.pad(size);
        }
        let at = self.out.at();
        let entry = self.write_node(child.edge, soft);
        child.state = State::Written { at: entry };
        self.tell_written(child.edge, at, Some(entry), Written::Piece);
    }

    /// The units that lie in these bytes; `from` is where some branch that holds them starts.
    fn units_of(&self, bytes: &Range<usize>, from: Waiting) -> Range<usize> {
        // A branch taken apart is rare, so the units are counted from the bottom.
        let ends = || {
            self.units.iter().scan(0, |end, unit| {
                *end += usize::from(*unit);
                Some(*end)
            })
        };
        let before = |limit: usize| ends().take_while(|end| *end <= limit).count();
        debug_assert!(from.bytes <= bytes.start);
        before(bytes.start)..before(bytes.end)
    }

    /// Writes the root, all that is left, and says where it lies.
    pub fn finish(&mut self, root: Child) -> u64 {
        let mut root = root;
        let mut size = self.recalculate(&mut root);
        if size > self.out.left() && size <= PAGE_SIZE {
            self.pad(size);
            size = self.recalculate(&mut root);
        }
        let mut begins = self.out.at();
        let mut what = Written::Root;
        if size <= self.out.left() {
            self.write(&mut root, 0);
        } else if let (Grown::LayOutChildren, State::Soft(soft)) =
            (self.flavour.grown, &mut root.state)
        {
            self.lay_out_grown(0, soft, Waiting::default(), 0);
            let size = soft.size_at(self.flavour, self.out.at());
            if size > self.out.left() {
                self.pad(size);
            }
            begins = self.out.at();
            self.write(&mut root, 0);
        } else {
            what = Written::RootApart;
            self.observer.step(|| PackStep::TakeApart { edge: 0, size });
            self.write_apart(&mut root, Waiting::default());
        }
        self.solid.clear();
        self.units.clear();
        let entry = root.written_at().unwrap_or(0);
        self.tell_written(0, begins, Some(entry), what);
        entry
    }
}

/// The sizes of children, for those who listen.
fn sizes(children: &[Child]) -> Vec<ChildSize> {
    children.iter().map(|child| ChildSize { edge: child.edge, size: child.total() }).collect()
}

/// A count of children, for those who listen.
fn few(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// A number of bytes of a key.
fn short(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Where the waiting bytes of each child start.
fn starts(children: &[Child], from: usize) -> Vec<usize> {
    let mut start = from;
    children
        .iter()
        .map(|child| {
            let here = start;
            start += child.waiting();
            here
        })
        .collect()
}

impl Soft {
    /// Its children are all written now.
    fn settle(&mut self) {
        self.below = 0;
        self.waiting = 0;
        self.has_written_child = true;
        self.has_written_below = false;
    }
}
