//! Steps of a writer as sentences.

use super::frame::{Choice, Decision, DecisionKind, Frame};
use super::parting::{Costs, Parted, Parting};
use super::run::Totals;
use super::verdict::{Judged, Structure, Verdict};
use super::writer::Writer;
use crate::bti::NodeKind;
use crate::bti::pack::{PackStep, Written};
use crate::lookup::words::{Span, Style, Text};
use crate::pos::{PAGE_SIZE, len64};

/// A step with what its sentence needs besides.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Whose step.
    pub writer: Writer,
    /// Its number, from 0.
    pub number: u64,
    /// The step.
    pub step: &'a PackStep,
    /// The choice that it makes or carries out.
    pub choice: Option<&'a Choice>,
    /// Keys so far, with that of this step.
    pub keys: u64,
}

/// What happens in a step, as one sentence.
pub fn sentence(told: Told<'_>) -> Text {
    rich(&template(told))
}

impl Frame {
    /// What happens in the step, as one sentence.
    pub fn sentence(&self) -> Text {
        let (writer, number, step) = (self.writer, self.step, &self.what);
        let (choice, keys) = (self.choice.as_ref(), self.counts.keys);
        sentence(Told { writer, number, step, choice, keys })
    }
}

/// Text of a template in which a pair of backticks stands around bytes and `**` around what matters.
pub fn rich(template: &str) -> Text {
    let (mut text, mut style, mut rest) = (Text::default(), Style::Plain, template);
    while let Some((mark, at)) = next_mark(rest) {
        let wide = if mark == Style::Strong { 2 } else { 1 };
        let (before, from) = rest.split_at(at);
        push(&mut text, before, style);
        style = if style == mark { Style::Plain } else { mark };
        rest = from.get(wide..).unwrap_or_default();
    }
    push(&mut text, rest, style);
    text
}

fn next_mark(text: &str) -> Option<(Style, usize)> {
    let marks = [(Style::Code, text.find('`')), (Style::Strong, text.find("**"))];
    let marks = marks.into_iter().filter_map(|(style, at)| at.map(|at| (style, at)));
    marks.min_by_key(|(_, at)| *at)
}

fn push(text: &mut Text, piece: &str, style: Style) {
    if !piece.is_empty() {
        text.0.push(Span { text: piece.to_owned(), style });
    }
}

/// `a7` in the face of bytes, or the root.
fn node(edge: u8, is_root: bool) -> String {
    if is_root { "the root".to_owned() } else { format!("`{edge:02x}`") }
}

fn template(told: Told<'_>) -> String {
    let Told { writer, step, choice, keys, .. } = told;
    let (sign, n) = (writer.sign(), number);
    match step {
        PackStep::Push { shared, nodes, .. } => {
            let key = n(keys);
            let opened = count((*nodes).into(), "node is", "nodes are");
            match shared {
                0 if keys <= 1 => {
                    format!("Key {key} is the first: **{opened}** opened, and stay open.")
                }
                shared => format!(
                    "Key {key} shares {} with the last one: **{opened}** opened for the rest of it.",
                    count((*shared).into(), "byte", "bytes")
                ),
            }
        }
        PackStep::Complete { edge, edge_bytes, own, below, children, keeps, .. } => {
            let is_root = *edge_bytes == 0;
            let (node, own) = (node(*edge, is_root), u64::from(*own));
            let node = if is_root { "The root".to_owned() } else { node };
            match (keeps, children) {
                (true, 0) => format!(
                    "{node} is complete, a leaf of **{}**: it waits for its parent.",
                    bytes(own)
                ),
                (true, _) => format!(
                    "{node} is complete: {} branch + {} node = **{} {sign} 4,096 B**, so both wait in memory.",
                    n(*below),
                    n(own),
                    n(below + own)
                ),
                (false, children) => format!(
                    "{node} is complete: {} branch + {} node = **{}** do not fit one page, so its {} laid out.",
                    n(*below),
                    n(own),
                    bytes(below + own),
                    count((*children).into(), "child is", "children are")
                ),
            }
        }
        PackStep::LayOut { edge, depth, children, .. } => format!(
            "The {} of {} now: of those that fit the rest of the page, the greatest first.",
            count(len64(children.len()), "child is written", "children are written"),
            node(*edge, *depth == 0)
        ),
        PackStep::Choose { .. } => choice.map_or_else(String::new, chosen),
        PackStep::Recalculate { edge, was, now } => format!(
            "`{edge:02x}` points at what is written already, so its size depends on its place: \
             **{}** here, {} before.",
            bytes(*now),
            bytes(*was)
        ),
        PackStep::Pad { at, bytes: zeros, least } => format!(
            "Page {} has **{}** left, and the least that waits has **{}**: zeros fill the page.",
            n(at / PAGE_SIZE),
            bytes((*zeros).into()),
            bytes(*least)
        ),
        PackStep::TakeApart { edge, size } => format!(
            "`{edge:02x}` has grown to **{}**, more than a page: it is written node by node.",
            bytes(*size)
        ),
        PackStep::Melt { nodes, .. } => format!(
            "Its {} sized anew, since each now lies at a place of its own.",
            count((*nodes).into(), "node is", "nodes are")
        ),
        PackStep::Node { edge, at, size, children, .. } => format!(
            "The node of `{edge:02x}`, **{}** with {}, goes to {}, page {}.",
            bytes((*size).into()),
            count((*children).into(), "child", "children"),
            n(*at),
            n(at / PAGE_SIZE)
        ),
        PackStep::Alone { edge, depth, own } => format!(
            "All children of {} are written. The node alone, **{}**, waits for its parent.",
            node(*edge, *depth == 0),
            bytes(*own)
        ),
        PackStep::Write { edge, at, size, entry, what } => {
            let page = n(at / PAGE_SIZE);
            match (what, choice) {
                (Written::Root | Written::RootApart, _) => format!(
                    "The root comes last, with what was not written below it: **{}** in page {page}, \
                     the root node at {}.",
                    bytes(*size),
                    n(*entry)
                ),
                (Written::Piece, _) => {
                    format!("A piece of `{edge:02x}`, **{}**, goes into page {page}.", bytes(*size))
                }
                (Written::Apart, _) => {
                    format!("`{edge:02x}` is written, in pieces: {} in all.", bytes(*size))
                }
                (Written::Branch, Some(choice)) => chosen(choice),
                (Written::Branch, None) => {
                    format!("`{edge:02x}`, **{}**, is written to page {page}.", bytes(*size))
                }
            }
        }
    }
}

/// `Page 7 has 650 B left. Of 211 waiting subtrees 172 fit; the greatest, a7 with 649 B, goes in.`
fn chosen(choice: &Choice) -> String {
    let Choice { edge, size, left, page, waiting, fitting } = choice;
    let space = match u64::from(*left) {
        PAGE_SIZE => format!("Page {} is empty.", number(page.0)),
        left => format!("Page {} has **{}** left.", number(page.0), bytes(left)),
    };
    let (size, of) = (bytes(*size), number((*waiting).into()));
    match (*waiting, *fitting) {
        (1, 1) => {
            format!("{space} The last waiting subtree, `{edge:02x}` with **{size}**, goes in.")
        }
        (_, 0) => format!(
            "{space} None of {of} waiting subtrees fits; the greatest of all, `{edge:02x}` with \
             **{size}**, is next."
        ),
        (_, fitting) => format!(
            "{space} Of {of} waiting subtrees {} {}; the greatest, `{edge:02x}` with **{size}**, goes in.",
            number(fitting.into()),
            if fitting == 1 { "fits" } else { "fit" }
        ),
    }
}

fn bytes(size: u64) -> String {
    format!("{} B", number(size))
}

fn count(of: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(of), if of == 1 { one } else { many })
}

impl Decision {
    /// The decision as it stands in a list: `write a7, 649 B of 650 left in page 7`.
    pub fn text(&self) -> String {
        match self.what {
            DecisionKind::Keep { edge, below, own } => {
                let what = edge.map_or_else(|| "root".to_owned(), byte);
                format!("keep {what}, {} + {} B", number(below), number(own))
            }
            DecisionKind::LayOut { edge, below, own, children } => {
                let what = edge.map_or_else(|| "root".to_owned(), byte);
                let count = counted(children.into(), "child");
                format!("lay out {count} of {what}, {} + {} B", number(below), number(own))
            }
            DecisionKind::Write { edge, size, left, page, .. } => {
                let what = edge.map_or_else(|| "root".to_owned(), byte);
                let (size, left) = (number(size), number(left));
                format!("write {what}, {size} B of {left} left in page {}", number(page.0))
            }
            DecisionKind::Pad { bytes, page } => {
                format!("pad {} B to the end of page {}", number(bytes.into()), number(page.0))
            }
        }
    }
}

/// What the two writers make of the same keys, each difference with what it costs.
pub fn costs(costs: &Costs) -> Vec<String> {
    let (ours, theirs) = (&costs.cassandra, &costs.scylla);
    let mut lines = vec![format!(
        "Cassandra's file has {} B, ScyllaDB's {} B.",
        number(ours.file_bytes),
        number(theirs.file_bytes)
    )];
    lines.push(match theirs.tally.larger_nodes {
        0 => "ScyllaDB takes no sparse node where the dense one is smaller.".to_owned(),
        nodes => format!(
            "{} of ScyllaDB's are sparse though the dense one is smaller: {} B more.",
            counted(nodes, "node"),
            number(theirs.tally.larger_bytes)
        ),
    });
    lines.push(format!(
        "ScyllaDB's chains hold {} in {} B, its other nodes with one child {} B; \
         Cassandra's {} with one child take {} B.",
        counted(theirs.tally.chain_nodes, "node"),
        number(theirs.tally.chain_bytes),
        number(theirs.tally.single_bytes),
        counted(ours.tally.single_nodes, "node"),
        number(ours.tally.single_bytes)
    ));
    lines.push(format!(
        "Padding: {} B in Cassandra's, {} B in ScyllaDB's.",
        number(ours.padding),
        number(theirs.padding)
    ));
    lines.push(format!(
        "A page boundary inside a run of nodes with one child: {} in Cassandra's, {} in ScyllaDB's.",
        times(ours.tally.parted_runs),
        times(theirs.tally.parted_runs)
    ));
    lines
}

/// The verdict on an index, as one sentence for each of its files.
pub fn verdict(judged: &Judged, writer: Writer) -> String {
    let (part, name) = (judged.part, writer.name());
    match &judged.verdict {
        Verdict::Same => {
            format!("{part}: {}, byte for byte what {name}’s writer makes.", bytes(judged.bytes))
        }
        Verdict::SameAndFiller => format!(
            "{part}: {}, byte for byte what {name}’s writer makes, with the 4 B of filler that it once \
             put at the end.",
            bytes(judged.bytes)
        ),
        Verdict::Differs(difference) => format!(
            "{part}: the first byte that differs from what {name}’s writer makes lies at {}, page {} + {}. \
             The file has {}. The writer makes {}.",
            number(difference.at.0),
            number(difference.at.0 / PAGE_SIZE),
            number(difference.at.0 % PAGE_SIZE),
            there(difference.file.as_ref()),
            there(difference.rebuilt.as_ref())
        ),
    }
}

/// What lies at a difference.
fn there(structure: Option<&Structure>) -> String {
    let Some(structure) = structure else { return "ended".to_owned() };
    let shown: Vec<String> = structure.bytes.iter().take(8).map(|it| byte(*it)).collect();
    let of = if structure.bytes.len() > shown.len() { "from there on" } else { "there" };
    format!("{} at {}, {of} {}", structure.what, number(structure.at.0), shown.join(" "))
}

/// Where the two writers part, as one sentence.
pub fn parting(parting: &Parting) -> String {
    let Parting::At { cassandra, scylla } = parting else {
        return "Both writers take the same steps from the first to the last.".to_owned();
    };
    format!(
        "They part at step {} of Cassandra's and step {} of ScyllaDB's. Cassandra: {}. ScyllaDB: {}.",
        number(cassandra.step + 1),
        number(scylla.step + 1),
        parted(cassandra),
        parted(scylla)
    )
}

fn parted(parted: &Parted) -> String {
    match &parted.what {
        None => "nothing is left to do".to_owned(),
        // In words that name what may differ: sizes can be the same where types are not.
        Some(PackStep::Complete {
            edge,
            edge_bytes,
            depth,
            own,
            chain,
            children,
            kind,
            below,
            keeps,
            ..
        }) => format!(
            "{} at depth {depth} with {} is {} of {} B, {} B below it, and {}",
            named(*edge, *edge_bytes == 0),
            counted((*children).into(), "child"),
            NodeKind::of(kind << 4).name(),
            number(u64::from(*own).saturating_sub((*chain).into())),
            number(*below),
            if *keeps { "waits whole" } else { "is laid out" }
        ),
        Some(step) => short(step),
    }
}

/// A step in some words, without a full stop.
pub fn short(step: &PackStep) -> String {
    match step {
        PackStep::Push { tail, .. } => format!("push {}", key(tail)),
        PackStep::Complete { edge, edge_bytes, own, below, keeps, .. } => {
            let what = if *edge_bytes == 0 { "root".to_owned() } else { byte(*edge) };
            let verb = if *keeps { "keep" } else { "lay out" };
            format!("{verb} {what}, {} + {} B", number(*below), number((*own).into()))
        }
        PackStep::LayOut { edge, depth, children, .. } => {
            let count = counted(len64(children.len()), "child");
            format!("lay out {count} of {}", named(*edge, *depth == 0))
        }
        PackStep::Choose { edge, size, left, .. } => {
            format!("choose {}, {} B of {} left", byte(*edge), number(*size), left)
        }
        PackStep::Recalculate { edge, was, now } => {
            format!("size {} anew, {} B, before {}", byte(*edge), number(*now), number(*was))
        }
        PackStep::Pad { at, bytes, .. } => {
            format!("pad {} B to the end of page {}", bytes, number(at / PAGE_SIZE))
        }
        PackStep::TakeApart { edge, size } => {
            format!("take {} apart, {} B", byte(*edge), number(*size))
        }
        PackStep::Melt { nodes, .. } => format!("take {} apart", counted((*nodes).into(), "node")),
        PackStep::Node { edge, at, size, .. } => {
            format!("node {}, {size} B at {}", byte(*edge), number(*at))
        }
        PackStep::Write { edge, at, size, what, .. } => {
            let name = if what.is_root() { "root".to_owned() } else { byte(*edge) };
            let page = number(at / PAGE_SIZE);
            format!("write {name}, {} B at {} in page {page}", number(*size), number(*at))
        }
        PackStep::Alone { edge, depth, own } => {
            format!("{} waits alone, {} B", named(*edge, *depth == 0), number(*own))
        }
    }
}

/// What a trie has come to, as one sentence.
pub fn totals(totals: &Totals) -> String {
    format!(
        "{} in {} B on {}, {} B of them padding; the root lies at {} in page {}.",
        counted(totals.entries, "key"),
        number(totals.file_bytes),
        counted(totals.pages, "page"),
        number(totals.padding),
        number(totals.root.0),
        number(totals.root.0 / PAGE_SIZE)
    )
}

fn named(edge: u8, is_root: bool) -> String {
    if is_root { "the root".to_owned() } else { format!("node {}", byte(edge)) }
}

fn byte(byte: u8) -> String {
    format!("{byte:02x}")
}

/// The first bytes of a key.
fn key(bytes: &[u8]) -> String {
    const SHOWN: usize = 12;
    let shown: String = bytes.iter().take(SHOWN).map(|it| byte(*it)).collect();
    match bytes.len() {
        0 => "no byte".to_owned(),
        len if len > SHOWN => format!("{shown}… of {} bytes", number(len64(len))),
        _ => shown,
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", number(count)) }
}

fn counted(count: u64, noun: &str) -> String {
    let number = number(count);
    match (count, noun) {
        (1, _) => format!("{number} {noun}"),
        (_, "child") => format!("{number} children"),
        _ => format!("{number} {noun}s"),
    }
}

/// A number with its digits in groups of three.
fn number(number: u64) -> String {
    crate::lookup::words::number(number, ',')
}
