//! From the state of a writer to what is shown of it.

use super::code::line;
use super::frame::{Frame, Layout, Level, LevelState, PageFill, Subtree, SubtreeState};
use super::model::{Done, DoneState, Kid, Laying, Model, Open};
use crate::bti::pack::PackStep;
use crate::pos::{PAGE_SIZE, PageNo, len64, mem};
use serde_bytes::ByteBuf;

/// What is shown after `step`, the last one that the model took in. Steps and decisions of the whole trie, and the decisions
/// that follow, are for others to fill in.
pub(super) fn frame(model: &Model, step: &PackStep) -> Frame {
    let space = space(model, step);
    let layouts = &model.layouts;
    let layouts = layouts.iter().enumerate().map(|(i, laying)| {
        let innermost = i + 1 == layouts.len();
        layout(model, laying, innermost.then_some(model.now).flatten(), space)
    });
    Frame {
        writer: model.writer,
        part: model.part,
        step: model.steps.saturating_sub(1),
        steps: 0,
        decision: model.decisions,
        decisions: 0,
        what: step.clone(),
        line: line(step),
        stack: stack(model),
        layouts: layouts.collect(),
        choice: model.choice,
        page: page(model),
        file: model.file(),
        counts: model.counts,
        waiting_bytes: model.waiting_bytes,
        before: model.before.iter().copied().collect(),
        now: model.decided,
        after: Vec::new(),
    }
}

/// Bytes left in the page as they were when the branch of this step was chosen.
fn space(model: &Model, step: &PackStep) -> u64 {
    match (model.choice, step) {
        (Some(choice), _) => choice.left.into(),
        // Nothing that waits fitted when the page was padded.
        (None, PackStep::Pad { bytes, .. }) => (*bytes).into(),
        _ => model.left(),
    }
}

fn page(model: &Model) -> PageFill {
    // A page that the last byte filled is shown until something goes into the next one.
    let is_full = model.at / PAGE_SIZE != model.page.0;
    let left = if is_full { 0 } else { model.left() };
    let no = PageNo(model.page.0);
    PageFill { no, segments: model.segments.clone(), left }
}

fn layout(model: &Model, laying: &Laying, now: Option<u8>, space: u64) -> Layout {
    let subtree = |kid: &Kid| {
        let state = match now {
            Some(now) if now == kid.edge => SubtreeState::Now,
            _ => Model::state_of(kid, Some(space)),
        };
        Subtree { edge: kid.edge, size: kid.size, state, far: kid.far }
    };
    Layout {
        edge: (laying.depth > 0).then_some(laying.edge),
        depth: laying.depth,
        below: laying.below,
        own: laying.own,
        keeps_full_page: model.writer.flavour().keeps_full_page,
        grown: laying.grown,
        written: laying.written,
        subtrees: laying.kids.iter().map(subtree).collect(),
    }
}

fn stack(model: &Model) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    let mut nodes = model.nodes.iter().peekable();
    while let Some(node) = nodes.next() {
        let next = nodes.peek().map(|next| next.first).or(model.done.map(|done| done.node.first));
        let kids = kids(model, node.first, next);
        let is_bare = kids.is_empty() && node.payload == 0 && node.edge > 0;
        match levels.last_mut() {
            Some(last) if is_bare && last.is_bare() => {
                last.edge.extend_from_slice(edge(model, node));
                last.nodes = last.nodes.saturating_add(1);
                last.depth = node.depth;
            }
            _ => levels.push(Level {
                edge: ByteBuf::from(edge(model, node)),
                nodes: 1,
                depth: node.depth,
                payload: node.payload,
                children: count(kids.len()),
                below: kids.iter().filter(|kid| !kid.written).map(|kid| kid.size).sum(),
                state: LevelState::Open,
                subtrees: subtrees(kids),
            }),
        }
    }
    levels.extend(model.done.map(|done| completed(model, &done)));
    levels
}

impl Level {
    /// Whether nothing hangs from it but the next node.
    fn is_bare(&self) -> bool {
        self.state == LevelState::Open && self.children == 0 && self.payload == 0 && self.depth > 0
    }
}

fn completed(model: &Model, done: &Done) -> Level {
    let (own, below) = (done.own, done.below);
    // While its children are laid out they are shown there.
    let (state, kids) = match done.state {
        DoneState::Kept => (LevelState::Kept { own }, kids(model, done.node.first, None)),
        DoneState::LaidOut => (LevelState::LaidOut { own }, &[][..]),
        DoneState::Alone => (LevelState::Alone { own }, &[][..]),
    };
    Level {
        edge: ByteBuf::from(edge(model, &done.node)),
        nodes: 1,
        depth: done.node.depth,
        payload: done.node.payload,
        children: done.children,
        below,
        state,
        subtrees: subtrees(kids),
    }
}

fn kids(model: &Model, from: usize, to: Option<usize>) -> &[Kid] {
    model.kids.get(from..to.unwrap_or(model.kids.len())).unwrap_or(&[])
}

fn subtrees(kids: &[Kid]) -> Vec<Subtree> {
    let subtree = |kid: &Kid| {
        let state = Model::state_of(kid, None);
        Subtree { edge: kid.edge, size: kid.size, state, far: kid.far }
    };
    kids.iter().map(subtree).collect()
}

/// The bytes that lead to a node.
fn edge<'a>(model: &'a Model, node: &Open) -> &'a [u8] {
    let to = mem(node.depth.into()).unwrap_or(0);
    let from = to.saturating_sub(mem(node.edge.into()).unwrap_or(0));
    model.key.get(from..to).unwrap_or(&[])
}

fn count(kids: usize) -> u16 {
    u16::try_from(len64(kids)).unwrap_or(u16::MAX)
}
