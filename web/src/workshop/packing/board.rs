//! A frame of the replay as a board: which blocks stand where, at each of three widths.

use super::text::{plain, rich};
use crate::board::{BoardAsk, Part};
use crate::layout::packing::{
    Bar, FileSoFar, Filling, Heap, Kid, Level, Piece, State, file, page, stack, subtrees,
};
use crate::words::{bytes, count};
use crate::workshop::html::{Block, Table, escape, html, spans};
use crate::workshop::links::Links;
use triescope_core::bti::pack::PackStep;
use triescope_core::lookup::words::{Text, number};
use triescope_core::pos::pages_of;
use triescope_core::replay::{
    Decision, DecisionKind, Frame, Layout, LevelState, SegmentKind, Subtree, SubtreeState,
    pseudocode,
};

/// From this width on the panel stands beside the pictures, with this width of its own.
const WIDE: u32 = 1200;
const SIDE: u32 = 384;
/// Below this width there is one column.
pub const PHONE: u32 = 720;

/// What a board says beyond its frame.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Position at which the trie ends.
    pub end: u64,
    /// Steps that begin a page, as they are counted here.
    pub pages: Vec<u64>,
    /// What was asked for and cannot be done.
    pub note: Option<String>,
    /// What both writers do, for the panel.
    pub both: Vec<Block>,
}

/// What stands where on a board.
pub struct Layed {
    /// The picture side.
    pub main: Vec<Part>,
    /// The panel.
    pub side: Vec<Part>,
}

/// Room for the pictures in a view of this width.
pub fn room(width: u32) -> f64 {
    f64::from(match width {
        WIDE.. => width - SIDE - 48,
        PHONE.. => width - 48,
        _ => width.saturating_sub(32).max(288),
    })
}

/// Steps as they are counted: all of them, or decisions alone.
pub fn counted(frame: &Frame, every: bool) -> (u64, u64) {
    if every { (frame.step + 1, frame.steps) } else { (frame.decision, frame.decisions) }
}

/// The board of a frame.
pub fn board(frame: &Frame, every: bool, ask: &BoardAsk, about: &About) -> Layed {
    let put = Put::of(ask);
    match ask.width {
        PHONE.. => put.wide(frame, every, about),
        _ => put.phone(frame, every, about),
    }
}

/// Blocks as parts of the page.
pub struct Put<'a> {
    ask: &'a BoardAsk,
    links: Links<'a>,
}

impl<'a> Put<'a> {
    /// For the width of a question.
    pub fn of(ask: &'a BoardAsk) -> Self {
        Self { ask, links: Links(ask) }
    }

    /// The pictures of one of two writers, half as wide.
    pub fn small(&self, frame: &Frame, every: bool, about: &About, end: u64) -> Vec<Block> {
        let room = match self.ask.width {
            PHONE.. => ((room(self.ask.width) - 24.0) / 2.0).floor(),
            _ => room(self.ask.width),
        };
        let about = About { end, note: None, both: Vec::new(), pages: about.pages.clone() };
        [heap(frame, room, 200.0), fill(frame, room), so_far(frame, every, &about, room)].concat()
    }

    /// Both writers, with the decisions of the first.
    pub fn beside(
        &self,
        columns: Vec<Vec<Block>>,
        own: &Frame,
        every: bool,
        about: &About,
    ) -> Layed {
        let mut blocks = notes(about);
        let is_phone = self.ask.width < PHONE;
        if is_phone {
            blocks.extend(columns.concat());
        } else {
            blocks.push(Block::Halves(columns));
        }
        let main = vec![self.part("pkboard", "", &blocks)];
        let side = vec![self.part("", "", &about.both), self.decisions(own, every)];
        match is_phone {
            true => Layed { main: [main, side].concat(), side: Vec::new() },
            false => Layed { main, side },
        }
    }

    fn part(&self, class: &str, title: &str, blocks: &[Block]) -> Part {
        let html = html(blocks, &|hit| self.links.step(u64::from(hit) + 1));
        Part { class: class.to_owned(), title: title.to_owned(), html }
    }

    fn wide(&self, frame: &Frame, every: bool, about: &About) -> Layed {
        let room = room(self.ask.width);
        let (high, path_width) = match self.ask.width {
            // What stands above and below the subtrees takes as much.
            WIDE.. => (f64::from(self.ask.height.saturating_sub(504)).clamp(180.0, 300.0), 400.0),
            _ => (220.0, 360.0),
        };
        let top = [
            vec![Block::Beside(vec![path(frame, path_width), why(frame)])],
            heap(frame, room, high),
        ];
        let main =
            [notes(about), top.concat(), fill(frame, room), so_far(frame, every, about, room)];
        let main = vec![
            self.part("pkboard", "", &main.concat()),
            self.part("fold", "The pictures as tables", &twins(frame)),
        ];
        let side = vec![
            self.part("", "", &counters(frame)),
            self.decisions(frame, every),
            self.part("", "", &[code(frame)]),
            self.part("", "", &about.both),
        ];
        Layed { main, side }
    }

    fn phone(&self, frame: &Frame, every: bool, about: &About) -> Layed {
        let room = room(self.ask.width);
        let top = [
            notes(about),
            heap(frame, room, 190.0),
            fill(frame, room),
            so_far(frame, every, about, room),
        ];
        let main = vec![
            self.part("pkboard", "", &top.concat()),
            self.decisions(frame, every),
            self.part(
                "fold",
                "The stack, and why children are laid out",
                &[path(frame, room), why(frame)].concat(),
            ),
            self.part("fold", "Counts", &counters(frame)),
            self.part("fold", "The writer in ten lines", &[code(frame)]),
            self.part("fold", "Both writers", &about.both),
            self.part("fold", "The pictures as tables", &twins(frame)),
        ];
        Layed { main, side: Vec::new() }
    }

    fn decisions(&self, frame: &Frame, every: bool) -> Part {
        let (lines, now) = (decisions(frame, every), counted(frame, every).0);
        let line = |(step, words): &(u64, Text)| {
            let (class, here) = match step.cmp(&now) {
                std::cmp::Ordering::Less => ("", ""),
                std::cmp::Ordering::Equal => ("now", " aria-current=\"step\""),
                std::cmp::Ordering::Greater => ("todo", ""),
            };
            let to = escape(&self.links.step(*step));
            format!(
                "<li class=\"{class}\"{here}><a href=\"{to}\" tabindex=\"-1\">{}</a></li>",
                spans(words)
            )
        };
        Part {
            class: "steps".into(),
            title: "Decisions".into(),
            html: lines.iter().map(line).collect(),
        }
    }
}

fn notes(about: &About) -> Vec<Block> {
    about.note.iter().map(|note| Block::Note(plain(note.clone()))).collect()
}

fn n(of: u64) -> String {
    number(of, ',')
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `40`, or `root`.
fn name(edge: Option<u8>) -> String {
    edge.map_or_else(|| "root".to_owned(), |edge| hex(&[edge]))
}

// The stack ---------------------------------------------------------------------------------------------

fn path(frame: &Frame, width: f64) -> Vec<Block> {
    let heading = Block::Heading("Stack: the rightmost path".into(), String::new());
    vec![heading, Block::Picture(stack(&levels(frame), width))]
}

fn levels(frame: &Frame) -> Vec<Level> {
    let last = frame.stack.len().wrapping_sub(1);
    let level = |(i, level): (usize, &triescope_core::replay::Level)| {
        let own = match level.state {
            LevelState::Open => None,
            LevelState::Kept { own } | LevelState::LaidOut { own } | LevelState::Alone { own } => {
                Some(own)
            }
        };
        let mut kids: Vec<Kid> = level.subtrees.iter().map(kid).collect();
        let mut below = None;
        // While its children are laid out they are in the layout.
        if let (LevelState::LaidOut { .. }, Some(layout)) = (level.state, frame.layouts.first()) {
            kids = layout.subtrees.iter().map(kid).collect();
            below = Some(layout.below);
        }
        let edge = match level.nodes {
            0 | 1 => hex(&level.edge),
            nodes => format!("{} ({nodes} nodes)", hex(&level.edge)),
        };
        Level { edge, kids, below, own, is_now: i == last }
    };
    frame.stack.iter().enumerate().map(level).collect()
}

fn kid(subtree: &Subtree) -> Kid {
    let waits = !matches!(subtree.state, SubtreeState::Written);
    Kid { edge: hex(&[subtree.edge]), size: if waits { subtree.size } else { 0 } }
}

/// Why children are laid out now, or why they are not.
fn why(frame: &Frame) -> Vec<Block> {
    let heading = |text: &str| Block::Heading(text.to_owned(), String::new());
    if let Some(layout) = frame.layouts.last() {
        let total = layout.below + layout.own;
        let sign = if layout.keeps_full_page { ">" } else { "≥" };
        let sum = format!(
            "**{}** branch + **{}** node = **{} {sign} 4,096**",
            n(layout.below),
            n(layout.own),
            n(total)
        );
        let children = layout.subtrees.len();
        let grown =
            if layout.grown { " It has outgrown the page since its size was told." } else { "" };
        let words = format!(
            "A finished node keeps its branch in memory while both fit one page. This one doesn’t, so its {} written, \
             each whole, the greatest that fits first. Parents come after their children: a pointer needs an address.{grown}",
            if children == 1 {
                "child is".to_owned()
            } else {
                format!("{} children are", n(children as u64))
            },
        );
        return vec![
            heading("Why children are laid out now"),
            Block::Sum(rich(&sum)),
            Block::Words(plain(words)),
        ];
    }
    if matches!(frame.what, PackStep::Write { .. }) {
        let words = "Everything below it has its place in the file, so its pointers are known. Readers start here: the end of the \
                     file says where the root lies.";
        return vec![heading("Why the root comes last"), Block::Words(plain(words))];
    }
    let (title, sum, words) = match frame.stack.last().map(|level| (level, level.state)) {
        Some((level, LevelState::Kept { own })) => (
            "Why this branch waits",
            format!(
                "**{}** branch + **{}** node = **{} {} 4,096**",
                n(level.below),
                n(own),
                n(level.below + own),
                frame.writer.sign()
            ),
            "The node is complete, and its branch fits one page with it: both stay in memory, where their bytes no longer \
             depend on where they will lie. They wait for the parent.",
        ),
        Some((_, LevelState::Alone { own })) => (
            "Why this node waits alone",
            format!("**{}** node, its children are written", n(own)),
            "Everything below it is in the file. The node itself waits to be packed with its siblings, and so lies near them.",
        ),
        _ => (
            "Why nothing is written",
            String::new(),
            "These nodes are still open: the next key may add to them. What lies to the left of the path is finished and \
             waits in memory.",
        ),
    };
    let mut blocks = vec![heading(title)];
    if !sum.is_empty() {
        blocks.push(Block::Sum(rich(&sum)));
    }
    blocks.push(Block::Words(plain(words)));
    blocks
}

// Subtrees ----------------------------------------------------------------------------------------------

/// The subtrees that this step is about: of the innermost layout, else of the deepest node of the path that has some.
fn subject(frame: &Frame) -> (String, Vec<Subtree>) {
    if let Some(layout) = frame.layouts.last() {
        return (format!("below {}", node(layout)), layout.subtrees.clone());
    }
    let levels = frame.stack.iter().enumerate().rev();
    let found = levels.clone().find(|(_, level)| level.subtrees.len() > 1);
    let found = found.or_else(|| levels.clone().find(|(_, level)| !level.subtrees.is_empty()));
    match found {
        Some((0, level)) => ("below the root".to_owned(), level.subtrees.clone()),
        Some((_, level)) => (format!("below {}", hex(&level.edge)), level.subtrees.clone()),
        None => (String::new(), Vec::new()),
    }
}

fn node(layout: &Layout) -> String {
    layout.edge.map_or_else(|| "the root".to_owned(), |edge| hex(&[edge]))
}

fn heap_of(frame: &Frame) -> (String, Heap) {
    let (whose, mut subtrees) = subject(frame);
    subtrees.sort_by_key(|it| (std::cmp::Reverse(it.size), std::cmp::Reverse(it.edge)));
    let left = frame.layouts.last().map(|_| match (frame.choice, &frame.what) {
        (Some(choice), _) => (choice.page.0, u64::from(choice.left)),
        (None, PackStep::Pad { bytes, .. }) => (frame.page.no.0, u64::from(*bytes)),
        _ => (frame.page.no.0, frame.page.left),
    });
    let bar = |it: &Subtree| Bar {
        edge: hex(&[it.edge]),
        size: it.size,
        state: match it.state {
            SubtreeState::Written => State::Written,
            SubtreeState::Waiting => State::Fits,
            SubtreeState::TooLarge => State::TooLarge,
            SubtreeState::Now => State::Now,
        },
        step: None,
    };
    let fits = frame.choice.is_some_and(|choice| choice.size <= u64::from(choice.left));
    let now = match frame.choice {
        Some(_) if fits => "the greatest that fits",
        Some(_) => "the greatest of all",
        None => "",
    };
    (whose, Heap { bars: subtrees.iter().map(bar).collect(), left, now: now.to_owned() })
}

fn heap(frame: &Frame, width: f64, height: f64) -> Vec<Block> {
    let (whose, heap) = heap_of(frame);
    let written = heap.bars.iter().filter(|bar| bar.state == State::Written).count();
    let caption = match (frame.layouts.last(), heap.bars.len()) {
        (_, 0) => "none yet".to_owned(),
        (Some(layout), of) => {
            format!("{whose}, {} of {of} written", written.max(layout.written.into()))
        }
        (None, of) => format!("{whose}, {}", count(of as u64, "waits", "wait")),
    };
    vec![
        Block::Heading("Finished subtrees".into(), caption),
        Block::Picture(subtrees(&heap, width, height)),
    ]
}

// The page and the file ----------------------------------------------------------------------------------

fn filling(frame: &Frame) -> Filling {
    let pieces = frame.page.segments.iter().map(|segment| Piece {
        name: match segment.what {
            SegmentKind::Before => "before".to_owned(),
            SegmentKind::Padding => "zeros".to_owned(),
            SegmentKind::Root => "root".to_owned(),
            SegmentKind::Branch => name(segment.edge),
        },
        at: segment.from.into(),
        size: segment.bytes.into(),
        is_now: segment.step == Some(frame.step),
        is_pad: segment.what == SegmentKind::Padding,
        step: None,
    });
    let left = frame.page.left;
    let least = frame.layouts.last().and_then(|layout| {
        let waiting = layout.subtrees.iter().filter(|it| it.state != SubtreeState::Written);
        let now = frame.now.is_some_and(|now| matches!(now.what, DecisionKind::Write { .. }));
        waiting.filter(|it| !(now && it.state == SubtreeState::Now)).map(|it| it.size).min()
    });
    let rest = match (left, least) {
        (0, _) => "full".to_owned(),
        (left, Some(least)) if least > left => {
            format!("{} left, no waiting subtree is that small: zeros", bytes(left))
        }
        (left, _) => format!("{} left", bytes(left)),
    };
    Filling { page: frame.page.no.0, pieces: pieces.collect(), rest }
}

fn fill(frame: &Frame, width: f64) -> Vec<Block> {
    vec![Block::Picture(page(&filling(frame), width))]
}

fn so_far(frame: &Frame, every: bool, about: &About, width: f64) -> Vec<Block> {
    let title = format!("{} so far, {}", frame.part.file_name(), bytes(frame.file.at));
    let last = pages_of(about.end).saturating_sub(1);
    let picture = file(
        &FileSoFar {
            bytes: frame.file.at,
            of: about.end,
            page: frame.page.no.0,
            begun: if every || frame.file.start > 0 { Vec::new() } else { about.pages.clone() },
            end: format!("the root comes last, in page {}", n(last)),
        },
        width,
    );
    vec![Block::Heading(title, String::new()), Block::Picture(picture)]
}

// The panel ----------------------------------------------------------------------------------------------

fn counters(frame: &Frame) -> Vec<Block> {
    let file = &frame.file;
    let title = format!(
        "{}, {} of padding so far",
        count(file.pages(), "page", "pages"),
        bytes(file.padding)
    );
    let row = |what: &str, value: String| vec![what.to_owned(), value];
    let mut rows = vec![row("Keys", n(frame.counts.keys))];
    if let Some(layout) = frame.layouts.last() {
        let of = layout.subtrees.len() as u64;
        rows.push(row("Subtrees written", format!("{} of {}", n(layout.written.into()), n(of))));
    }
    rows.push(row("Branches written", n(frame.counts.written)));
    rows.push(row("Waiting in memory", bytes(frame.waiting_bytes)));
    let fill = file.fill_per_mille();
    let fill = fill.map_or("none is full".to_owned(), |it| format!("{}.{} %", it / 10, it % 10));
    rows.push(row("Mean fill of full pages", fill));
    let table = Table { caption: "Counts so far".into(), head: Vec::new(), rows };
    vec![Block::Heading(title, String::new()), Block::Table(table)]
}

/// The decisions around the step, with their numbers.
fn decisions(frame: &Frame, every: bool) -> Vec<(u64, Text)> {
    let (at, of) = counted(frame, every);
    let mut lines = Vec::new();
    let number_of = |decision: &Decision, counted: u64| match every {
        true => decision.step + 1,
        false => counted,
    };
    // Those before count down from here, those after count up.
    let mut counted_here = frame.decision;
    if frame.now.is_some_and(|now| now.what.is_counted()) {
        counted_here = counted_here.saturating_sub(1);
    }
    for decision in frame.before.iter().rev() {
        if every || decision.what.is_counted() {
            lines.push((number_of(decision, counted_here), words(&decision.what)));
            counted_here = counted_here.saturating_sub(u64::from(decision.what.is_counted()));
        }
    }
    let first = lines.last().map_or(at, |(step, _)| *step);
    if first > 1 {
        let text = format!("{} earlier", count(first - 1, "step", "steps"));
        lines.push((first - 1, plain(text)));
    }
    lines.reverse();
    match frame.now.filter(|now| every || now.what.is_counted()) {
        Some(now) => lines.push((at, words(&now.what))),
        None if every => lines.push((at, plain(step_name(frame)))),
        None => {}
    }
    let mut counted_here = frame.decision;
    for decision in &frame.after {
        if every || decision.what.is_counted() {
            counted_here += u64::from(decision.what.is_counted());
            lines.push((number_of(decision, counted_here), words(&decision.what)));
        }
    }
    let last = lines.last().map_or(at, |(step, _)| *step);
    if last < of {
        lines.push((last + 1, plain(format!("{} later", count(of - last, "step", "steps")))));
    }
    lines
}

/// A step that decides nothing.
fn step_name(frame: &Frame) -> String {
    match &frame.what {
        PackStep::Push { nodes, .. } => format!("push {}", count((*nodes).into(), "node", "nodes")),
        PackStep::Complete { edge, edge_bytes, .. } => match edge_bytes {
            0 => "complete the root".to_owned(),
            _ => format!("complete {}", hex(&[*edge])),
        },
        PackStep::Choose { edge, size, .. } => {
            format!("choose {}, {}", hex(&[*edge]), bytes(*size))
        }
        PackStep::Recalculate { edge, was, now } => {
            format!("size {} anew: {}, was {}", hex(&[*edge]), bytes(*now), bytes(*was))
        }
        PackStep::Alone { edge, own, .. } => {
            format!("{} waits alone, {}", hex(&[*edge]), bytes(*own))
        }
        PackStep::Node { edge, size, .. } => {
            format!("write the node of {}, {}", hex(&[*edge]), bytes((*size).into()))
        }
        PackStep::TakeApart { edge, size } => {
            format!("take {} apart, {}", hex(&[*edge]), bytes(*size))
        }
        _ => "this step".to_owned(),
    }
}

/// A decision in a line.
pub fn words(what: &DecisionKind) -> Text {
    let text = match what {
        DecisionKind::Keep { edge, below, own } => {
            format!("keep `{}`: {} + {} fit a page", name(*edge), n(*below), n(*own))
        }
        DecisionKind::LayOut { edge, below, own, children } => format!(
            "lay out {} of `{}`: {} + {} do not fit",
            count((*children).into(), "child", "children"),
            name(*edge),
            n(*below),
            n(*own)
        ),
        DecisionKind::Write { edge, size, left, page, .. } => format!(
            "write `{}`, {} of {} left in page {}",
            name(*edge),
            bytes(*size),
            n(*left),
            n(page.0)
        ),
        DecisionKind::Pad { bytes: zeros, page } => {
            format!("pad {} to the end of page {}", bytes((*zeros).into()), n(page.0))
        }
    };
    rich(&text)
}

fn code(frame: &Frame) -> Block {
    let lines = pseudocode(frame.writer);
    let text = |line: &triescope_core::replay::CodeLine| {
        format!("{}{}", "  ".repeat(line.indent.into()), line.text)
    };
    Block::Code(lines.iter().map(text).collect(), usize::from(frame.line.saturating_sub(1)))
}

// The twins ----------------------------------------------------------------------------------------------

/// Every picture as a table, with the same numbers.
fn twins(frame: &Frame) -> Vec<Block> {
    let table = |caption: &str, head: &[&str], rows: Vec<Vec<String>>| {
        let head = head.iter().map(|it| (*it).to_owned()).collect();
        Block::Table(Table { caption: caption.to_owned(), head, rows })
    };
    let title = |text: &str| Block::Heading(text.to_owned(), String::new());
    let levels = levels(frame);
    let level = |(i, level): (usize, &Level)| {
        let below = level.below.unwrap_or_else(|| level.kids.iter().map(|kid| kid.size).sum());
        let edge = if i == 0 { "root".to_owned() } else { level.edge.clone() };
        let own = level.own.map_or("open".to_owned(), n);
        vec![edge, n(level.kids.len() as u64), n(below), own]
    };
    let path = levels.iter().enumerate().map(level).collect();
    let (whose, heap) = heap_of(frame);
    let state = |state: State| match state {
        State::Written => "written",
        State::Fits => "waiting",
        State::TooLarge => "waiting, too large",
        State::Now => "this step",
    };
    let bars = heap
        .bars
        .iter()
        .map(|bar| vec![bar.edge.clone(), n(bar.size), state(bar.state).to_owned()]);
    let filling = filling(frame);
    let pieces =
        filling.pieces.iter().map(|piece| vec![piece.name.clone(), n(piece.at), n(piece.size)]);
    let page_title = format!("Page {}: {}", n(filling.page), filling.rest);
    vec![
        title("Stack"),
        table("The stack", &["edge", "children", "branch, B", "node, B"], path),
        title(&format!("Finished subtrees {whose}")),
        table("Finished subtrees", &["edge", "bytes", "state"], bars.collect()),
        title(&page_title),
        table("The page", &["what", "at", "bytes"], pieces.collect()),
    ]
}
