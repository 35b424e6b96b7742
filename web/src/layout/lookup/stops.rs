//! The way through the trie as stops: a stop a page request, with what was read in it; long runs shortened.

use triescope_core::lookup::{NodeOutcome, NodeStep, PageStep, Record, RowEntryStep, Step};
use triescope_core::table::Part;

/// Runs of single children longer than this are shortened.
const RUN: usize = 6;
/// Nodes shown at the start of a run, and at its end.
const RUN_ENDS: (usize, usize) = (2, 1);
/// Most columns of a stop: only tries deeper than any real one have more after their runs are shortened.
const COLUMNS: usize = 24;
/// Most stops; the middle ones of longer ways are left out.
const STOPS: usize = 24;

/// A page request and what was read there.
#[derive(Clone, Debug)]
pub struct Stop<'a> {
    /// The step of the request.
    pub step: usize,
    /// The request.
    pub page: &'a PageStep,
    /// What was read, in order.
    pub columns: Vec<Column<'a>>,
}

/// Something read in a page.
#[derive(Clone, Debug)]
pub enum Column<'a> {
    /// A node.
    Node(usize, &'a NodeStep),
    /// An entry of Rows.db.
    Entry(usize, &'a RowEntryStep),
    /// Nodes that are not drawn one by one.
    Run(Run<'a>),
}

/// Nodes that are not drawn one by one.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// First step.
    pub from: usize,
    /// Last step.
    pub to: usize,
    /// Whether all of them have one child.
    pub singles: bool,
    /// The nodes.
    pub nodes: Vec<&'a NodeStep>,
}

/// The whole way.
#[derive(Clone, Debug, Default)]
pub struct Way<'a> {
    /// The stops shown.
    pub stops: Vec<Stop<'a>>,
    /// How many are left out, and before which of the stops.
    pub left_out: Option<(usize, usize)>,
    /// Whether both Partitions.db and Rows.db are walked, so that pages need their file's name.
    pub two_files: bool,
}

impl Column<'_> {
    /// The step that lights it up.
    pub fn step(&self) -> usize {
        match self {
            Self::Node(step, _) | Self::Entry(step, _) => *step,
            Self::Run(run) => run.from,
        }
    }

    /// Position and size of its bytes.
    pub fn bytes(&self) -> (u64, u64) {
        match self {
            Self::Node(_, node) => (node.at.0, u64::from(node.size)),
            Self::Entry(_, entry) => (entry.at.0, u64::from(entry.size)),
            Self::Run(run) => {
                let from = run.nodes.iter().map(|node| node.at.0).min().unwrap_or(0);
                let to = run.nodes.iter().map(|node| node.at.0 + u64::from(node.size)).max();
                (from, to.unwrap_or(from) - from)
            }
        }
    }
}

impl<'a> Way<'a> {
    /// The way that a record of the trie lane has gone.
    pub fn of(record: &'a Record) -> Self {
        let mut stops: Vec<Stop<'a>> = Vec::new();
        for (at, step) in record.steps.iter().enumerate() {
            match step {
                Step::Page(page) if matches!(page.part, Part::Partitions | Part::Rows) => {
                    stops.push(Stop { step: at, page, columns: Vec::new() });
                }
                Step::Node(node) => {
                    if let Some(stop) = stops.last_mut() {
                        stop.columns.push(Column::Node(at, node));
                    }
                }
                Step::RowEntry(entry) => {
                    if let Some(stop) = stops.last_mut() {
                        stop.columns.push(Column::Entry(at, entry));
                    }
                }
                _ => {}
            }
        }
        for stop in &mut stops {
            stop.columns = shorten(std::mem::take(&mut stop.columns));
        }
        let two_files = stops.iter().any(|stop| stop.page.part == Part::Rows)
            && stops.iter().any(|stop| stop.page.part == Part::Partitions);
        let left_out = (stops.len() > STOPS).then(|| {
            let out = stops.len() - STOPS;
            stops.drain(STOPS / 2..STOPS / 2 + out);
            (out, STOPS / 2)
        });
        Self { stops, left_out, two_files }
    }
}

fn is_single(column: &Column<'_>) -> bool {
    matches!(column, Column::Node(_, node)
        if node.children.len() == 1 && matches!(node.outcome, NodeOutcome::Follow(_) | NodeOutcome::Last(_)))
}

fn shorten(columns: Vec<Column<'_>>) -> Vec<Column<'_>> {
    let mut out = Vec::new();
    let mut rest = columns.into_iter().peekable();
    while let Some(column) = rest.next() {
        if !is_single(&column) {
            out.push(column);
            continue;
        }
        let mut run = vec![column];
        while let Some(next) = rest.next_if(is_single) {
            run.push(next);
        }
        if run.len() > RUN {
            let (head, tail) = RUN_ENDS;
            let middle: Vec<_> = run.drain(head..run.len() - tail).collect();
            let tail = run.split_off(head);
            out.extend(run);
            out.push(collapse(middle, true));
            out.extend(tail);
        } else {
            out.extend(run);
        }
    }
    if out.len() > COLUMNS {
        let tail = out.split_off(out.len() - COLUMNS / 2);
        let middle = out.split_off(COLUMNS / 2);
        out.push(collapse(middle, false));
        out.extend(tail);
    }
    out
}

fn collapse(columns: Vec<Column<'_>>, singles: bool) -> Column<'_> {
    let mut run = Run { from: usize::MAX, to: 0, singles, nodes: Vec::new() };
    for column in columns {
        run.from = run.from.min(column.step());
        run.to = run.to.max(column.step());
        match column {
            Column::Node(_, node) => run.nodes.push(node),
            Column::Run(inner) => {
                run.to = run.to.max(inner.to);
                run.nodes.extend(inner.nodes);
            }
            Column::Entry(..) => {}
        }
    }
    Column::Run(run)
}
