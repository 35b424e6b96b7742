//! Steps of a writer as sentences.

use super::frame::{Choice, Decision, DecisionKind, Frame};
use super::parting::{Costs, Parted, Parting};
use super::run::Totals;
use super::writer::Writer;
use crate::bti::pack::{PackStep, Written};
use crate::pos::{PAGE_SIZE, PageNo, len64};

/// What happens in a step, as one sentence. `choice` is the choice that it carries out, where it does.
pub fn sentence(writer: Writer, step: &PackStep, choice: Option<&Choice>) -> String {
    match step {
        PackStep::Push { shared, tail, nodes, .. } => format!(
            "The next key shares {} with the last. Its rest, {}, goes onto the stack as {}.",
            counted((*shared).into(), "byte"),
            key(tail),
            counted((*nodes).into(), "node"),
        ),
        PackStep::Complete { edge, edge_bytes, own, below, keeps, written, .. } => {
            let what = named(*edge, *edge_bytes == 0);
            let far = match written {
                0 => String::new(),
                _ => format!(", {} written already", counted((*written).into(), "child")),
            };
            let sum = format!("{} + {} = {}", number(*below), own, number(below + u64::from(*own)));
            let sign = if *keeps { writer.sign() } else { not(writer) };
            let end = match keeps {
                true => "so it keeps its branch",
                false => "so its children are laid out",
            };
            let begin = capital(&what);
            format!("{begin} is complete{far}. Branch and node: {sum} {sign} 4,096 B, {end}.")
        }
        PackStep::LayOut { edge, depth, children, grown: false, .. } => format!(
            "The {} of {} are written, each whole, the greatest that fits first.",
            counted(len64(children.len()), "child"),
            named(*edge, *depth == 0),
        ),
        PackStep::LayOut { edge, depth, own, below, .. } => format!(
            "{} has grown to {} B since it was finished, more than a page: its own children are written.",
            capital(&named(*edge, *depth == 0)),
            number(own + below),
        ),
        PackStep::Choose { edge, size, left, waiting, fitting } => format!(
            "{} B are left. Of {} {} {}; the greatest is {} with {} B.",
            number((*left).into()),
            waiting_subtrees(*waiting),
            number((*fitting).into()),
            if *fitting == 1 { "fits" } else { "fit" },
            byte(*edge),
            number(*size),
        ),
        PackStep::Recalculate { edge, was, now } if was == now => format!(
            "{} points at something written, so it is sized anew for its place: {} B as before.",
            byte(*edge),
            number(*now),
        ),
        PackStep::Recalculate { edge, was, now } => format!(
            "{} points at something written, so it is sized anew for its place: {} B, not {}.",
            byte(*edge),
            number(*now),
            number(*was),
        ),
        PackStep::Pad { at, bytes, least } => format!(
            "Page {} has {} B left and the least of what waits has {}: zeros to its end.",
            number(at / PAGE_SIZE),
            bytes,
            number(*least),
        ),
        PackStep::TakeApart { edge, size } => format!(
            "{} has grown to {} B, more than a page: it is written node by node, with zeros before each \
             node that does not fit.",
            byte(*edge),
            number(*size),
        ),
        PackStep::Melt { nodes, .. } => {
            format!("A branch of {} is taken apart.", counted((*nodes).into(), "node"))
        }
        PackStep::Node { edge, at, size, children, .. } => format!(
            "The node {} with {} takes {} at {}.",
            byte(*edge),
            counted((*children).into(), "child"),
            counted((*size).into(), "byte"),
            number(*at),
        ),
        PackStep::Write { edge, at, size, entry, what } => {
            write_sentence(*edge, (*at, *size, *entry), *what, choice)
        }
        PackStep::Alone { edge, depth, own } => format!(
            "All children of {} are written. The node waits alone with {} B.",
            named(*edge, *depth == 0),
            number(*own),
        ),
    }
}

impl Frame {
    /// What happens in the step, as one sentence.
    pub fn sentence(&self) -> String {
        sentence(self.writer, &self.what, self.choice.as_ref())
    }
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

fn write_sentence(
    edge: u8,
    place: (u64, u64, u64),
    what: Written,
    choice: Option<&Choice>,
) -> String {
    let (at, size, entry) = place;
    let page = number(PageNo(at / PAGE_SIZE).0);
    match (what, choice) {
        (Written::Branch, Some(choice)) => chosen(choice),
        (Written::Branch, None) | (Written::Piece, _) => {
            format!(
                "{} with {} B goes into page {page} at {}.",
                byte(edge),
                number(size),
                number(at)
            )
        }
        (Written::Apart, _) => format!(
            "{} is written, {} B from {} on with the padding between its nodes.",
            byte(edge),
            number(size),
            number(at)
        ),
        (Written::Root | Written::RootApart, _) => format!(
            "The root comes last: {} B at {} in page {page}. It lies at {}.",
            number(size),
            number(at),
            number(entry)
        ),
    }
}

/// `Page 7 has 650 B left. Of 211 waiting subtrees 172 fit; the greatest, a7 with 649 B, goes in.`
fn chosen(choice: &Choice) -> String {
    let (page, left) = (number(choice.page.0), number(choice.left.into()));
    let (edge, size) = (byte(choice.edge), number(choice.size));
    match (choice.waiting, choice.fitting) {
        (1, _) => {
            format!(
                "Page {page} has {left} B left. The last waiting subtree, {edge} with {size} B, goes in."
            )
        }
        (waiting, 1) => format!(
            "Page {page} has {left} B left. Of {} one fits: {edge} with {size} B goes in.",
            waiting_subtrees(waiting)
        ),
        (waiting, fitting) => format!(
            "Page {page} has {left} B left. Of {} {} fit; the greatest, {edge} with {size} B, goes in.",
            waiting_subtrees(waiting),
            number(fitting.into())
        ),
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

/// The sign between a sum and 4,096 where the branch does not stay whole.
const fn not(writer: Writer) -> &'static str {
    match writer {
        Writer::Cassandra => "≥",
        Writer::Scylla => ">",
    }
}

fn waiting_subtrees(waiting: u16) -> String {
    match waiting {
        1 => "one waiting subtree".to_owned(),
        _ => format!("{} waiting subtrees", number(waiting.into())),
    }
}

fn named(edge: u8, is_root: bool) -> String {
    if is_root { "the root".to_owned() } else { format!("node {}", byte(edge)) }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
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
