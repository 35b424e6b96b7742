//! The checks of the trie index that need no Data.db: Partitions.db node by node in the order of the keys, and with each
//! leaf that points there, its entry and row trie in Rows.db. See `docs/format/trie.md` and `docs/format/rows.md`.

mod gaps;
mod leaves;
mod rows;
mod rules;
mod shape;

use super::footer::Footer;
use super::node::Node;
use super::payload::Leaf;
use super::walk::{Turn, Walk};
use crate::check::catalog::{layout, trie};
use crate::check::{Finding, Findings, Stage, Step};
use crate::error::{Error, Kind, Miss};
use crate::keys::{KeyStyle, Partitioner};
use crate::limits;
use crate::pos::{FilePos, len64};
use crate::source::Source;
use crate::table::{IndexKind, Part, Problem, Table};
pub(crate) use leaves::other_key;
use leaves::{LeafState, Leaves, key_of_leaf};
use rows::Rows;
use rules::{ROWS, TRIE};

/// Checks Partitions.db and Rows.db.
pub(crate) struct TrieStage {
    at: At,
    walk: Walk,
    state: LeafState,
    rows: Rows,
}

/// What comes next.
#[derive(Clone, Copy)]
enum At {
    /// Footer and root.
    Start,
    /// The nodes of Partitions.db, and what they point to.
    Nodes,
    /// The first and the last leaf.
    Ends,
    /// The end of Rows.db.
    RowsEnd,
    /// Bytes of Partitions.db that belong to nothing, from here on.
    Gaps(FilePos),
    /// The same in Rows.db.
    RowsGaps(FilePos),
    /// What is dear.
    Layout,
    Done,
}

impl TrieStage {
    /// Nothing is read yet.
    pub fn new<S: Source>(table: &Table<S>) -> Self {
        let keys_at = table.footer.as_ref().map_or(FilePos(0), |footer| footer.keys_at);
        let rows = table.source(Part::Rows).map_or(0, Source::len);
        Self {
            at: At::Start,
            walk: Walk::new(Part::Partitions, keys_at),
            state: LeafState::default(),
            rows: Rows::new(rows),
        }
    }

    /// One step of the work: bytes seen, and what comes then.
    fn turn<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<(u64, At), Miss> {
        let (Some(source), Some(footer)) = (table.source(Part::Partitions), &table.footer) else {
            for problem in &table.facts.problems {
                footer_problem(problem, findings);
            }
            return Ok((0, At::Done));
        };
        match &mut self.at {
            At::Start => {
                let good = check_root(footer, source, findings)?;
                for problem in &table.facts.problems {
                    footer_problem(problem, findings);
                }
                self.walk.begin(footer.root, FilePos(0));
                Ok((0, if good { At::Nodes } else { At::Done }))
            }
            At::Nodes => self.nodes(table, (source, footer), budget, findings),
            At::Ends => {
                self.ends(table, (source, footer), findings)?;
                Ok((0, At::RowsEnd))
            }
            At::RowsEnd => {
                self.rows.finish(table, &mut self.state, findings)?;
                let gaps = At::Gaps(FilePos(0));
                Ok((0, if self.state.broken { At::RowsGaps(FilePos(0)) } else { gaps }))
            }
            At::Gaps(from) => {
                gaps::report(&TRIE, &mut self.walk.cover, source, from, findings)?;
                Ok((0, At::RowsGaps(FilePos(0))))
            }
            At::RowsGaps(from) => {
                if let Some(source) = table.source(Part::Rows) {
                    gaps::report(&ROWS, &mut self.rows.walk.cover, source, from, findings)?;
                }
                Ok((0, At::Layout))
            }
            At::Layout => {
                self.layout(table, footer, findings);
                Ok((0, At::Done))
            }
            At::Done => Ok((0, At::Done)),
        }
    }

    /// Nodes of Partitions.db; those of a row trie as soon as a leaf leads to it.
    fn nodes<S: Source>(
        &mut self,
        table: &Table<S>,
        (source, footer): (&S, &Footer),
        budget: u64,
        findings: &mut Findings,
    ) -> Result<(u64, At), Miss> {
        if self.rows.is_busy() {
            return Ok((self.rows.step(table, budget, &mut self.state, findings)?, At::Nodes));
        }
        if let Some(leaf) = self.state.pending {
            let path = self.walk.path();
            self.rows.begin(table, (&leaf, &path), &mut self.state, findings)?;
            self.state.pending = None;
            return Ok((0, At::Nodes));
        }
        let data_length = table.facts.data_length.unwrap_or(u64::MAX);
        let count = footer.count;
        let mut visitor = Leaves { state: &mut self.state, findings, count, data_length };
        let (bytes, turn) = self.walk.step(source, budget, &mut visitor)?;
        Ok((bytes, if turn == Turn::Done { At::Ends } else { At::Nodes }))
    }

    /// The number of leaves, and the keys of the first and the last one; not where branches are missing.
    fn ends<S: Source>(
        &mut self,
        table: &Table<S>,
        (source, footer): (&S, &Footer),
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        if self.state.broken {
            return Ok(());
        }
        let first = end_leaf(source, footer.root, End::First)?;
        let last = end_leaf(source, footer.root, End::Last)?;
        if self.state.leaves != footer.count {
            let (expected, found) = (self.state.leaves.to_string(), footer.count.to_string());
            let field = "number of partitions";
            let finding =
                Finding::new(trie::COUNT, field, expected + " as the trie has leaves", found);
            let at = FilePos(source.len().saturating_sub(16));
            findings.add(finding.at(Part::Partitions, at));
        }
        for (end, check, key, place) in [
            (first, trie::FIRST_KEY, &footer.first, "first key of the footer"),
            (last, trie::LAST_KEY, &footer.last, "last key of the footer"),
        ] {
            if let Some((leaf, path)) = end {
                key_of_leaf(table, (&leaf, &path), key, (check, place), findings);
            }
            if footer.count == 1 && footer.first == footer.last {
                break;
            }
        }
        Ok(())
    }

    fn layout<S: Source>(&self, table: &Table<S>, footer: &Footer, findings: &mut Findings) {
        if table.dialect().key_style == KeyStyle::Columns && table.key_schema().columns().len() > 1
        {
            let found = format!(
                "{} columns; this version cannot order colliding tokens correctly",
                table.key_schema().columns().len()
            );
            let finding = Finding::new(layout::COLUMN_WISE, "partition key", "one column", found);
            findings.add(finding.part(Part::Partitions).cost(self.state.shape.cost()));
        }
        if self.state.broken {
            return;
        }
        self.state.shape.report(Part::Partitions, self.walk.cover.fill(), findings);
        if !self.rows.broken {
            self.rows.shape.report(Part::Rows, self.rows.walk.cover.fill(), findings);
        }
        if let Some(Partitioner::Murmur3) = table.facts.partitioner {
            self.state.shape.report_depth(footer.root, findings);
        }
    }
}

impl<S: Source> Stage<S> for TrieStage {
    fn name(&self) -> &'static str {
        "the trie index, node by node"
    }

    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        let mut bytes = 0;
        if table.readable_index() != Some(IndexKind::Trie) {
            return Ok(Step { bytes, done: true });
        }
        while bytes < budget {
            let (seen, next) = self.turn(table, budget.saturating_sub(bytes), findings)?;
            bytes = bytes.saturating_add(seen);
            self.at = next;
            if let At::Done = next {
                return Ok(Step { bytes, done: true });
            }
        }
        Ok(Step { bytes, done: false })
    }
}

/// What opening the table found wrong with the end of Partitions.db.
fn footer_problem(problem: &Problem, findings: &mut Findings) {
    let Problem::Damaged(error) = problem else { return };
    if error.part != Part::Partitions {
        return;
    }
    let check = match (error.field.as_ref(), &error.kind) {
        ("last key", Kind::Unexpected { .. }) => trie::KEY_ORDER,
        ("first key" | "last key", _) => trie::KEYS,
        (field, _) if field.starts_with("bytes ") => trie::KEYS,
        _ => trie::FOOTER,
    };
    findings.add(Finding::unreadable(check, error));
}

/// Whether the root is a node that ends where the keys start.
fn check_root<S: Source>(
    footer: &Footer,
    source: &S,
    findings: &mut Findings,
) -> Result<bool, Miss> {
    let root = footer.root;
    let page = match source.page(root.page()) {
        Ok(page) => page,
        Err(Error::Miss(miss)) => return Err(miss),
        Err(Error::Damage(error)) => {
            findings.add(TRIE.node(root, &error));
            return Ok(false);
        }
    };
    let found = match Node::read(Part::Partitions, root, &page) {
        Ok(node) if node.end() == footer.keys_at => return Ok(true),
        Ok(node) => format!("one that ends at {}", node.end()),
        Err(Error::Damage(error)) => format!("none: {}", error.kind),
        Err(Error::Miss(miss)) => return Err(miss),
    };
    let expected = format!("one that ends at {}, where the keys start", footer.keys_at);
    let found = format!("{found}; root offset {root} is not a valid trie root");
    let finding = Finding::new(trie::ROOT, "root node", expected, found);
    findings.add(finding.at(Part::Partitions, root));
    Ok(false)
}

/// An end of the trie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// The first or the last leaf and the bytes that lead to it; `None` where damage, reported elsewhere, is in the way.
fn end_leaf<S: Source>(
    source: &S,
    root: FilePos,
    end: End,
) -> Result<Option<(Leaf, Vec<u8>)>, Miss> {
    let (mut at, mut path) = (root, Vec::new());
    while len64(path.len()) < limits::PATH_NODES {
        let page = match source.page(at.page()) {
            Ok(page) => page,
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(_)) => return Ok(None),
        };
        let Ok(node) = Node::read(Part::Partitions, at, &page) else { return Ok(None) };
        if node.is_leaf() {
            return Ok(Leaf::of(&node, path.len()).map(|leaf| (leaf, path)));
        }
        let child = if end == End::First { node.first_child() } else { node.last_child() };
        let Ok(Some(child)) = child else { return Ok(None) };
        path.push(child.byte);
        at = child.at;
    }
    Ok(None)
}
