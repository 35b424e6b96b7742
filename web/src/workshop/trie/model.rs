//! What a board shows: read from the files, so that drawing it needs none of them.

use super::counts::{Counts, Fill, Profile, Subtree, Sums};
use super::open::{Key, Open, Seen, Step, Within, entry};
use super::query::Query;
use std::collections::BTreeSet;
use triescope_core::bti::{Family, Node, RowEntry};
use triescope_core::dissect::{ItemKind, page};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Subtrees of a page that are looked at one by one.
const SUBTREES: usize = 2048;

/// Everything.
#[derive(Debug)]
pub struct Model {
    /// The query, with what the board chose in it.
    pub query: Query,
    /// Why there is no trie to show.
    pub without: Option<String>,
    /// Whether the trie of Partitions.db can be shown instead.
    pub has_partitions: bool,
    /// Whether Rows.db has tries.
    pub has_rows: bool,
    /// What could not be done as asked.
    pub notes: Vec<String>,
    /// Pages of the component.
    pub pages: u64,
    /// Partitions or blocks, as the file says.
    pub ends: u64,
    /// The nodes of the way to the selected one.
    pub steps: Vec<Step>,
    /// What the bytes of each of them say of the key.
    pub says: Vec<String>,
    /// The key that the selected leaf leads to.
    pub key: Option<Result<Key, String>>,
    /// Text of the key for a lookup.
    pub lookup: Option<String>,
    /// The page that is open.
    pub open: Option<OpenPage>,
    /// Partitions with a row trie: those listed, and whether there are more.
    pub list: Option<(Vec<Listed>, bool)>,
    /// The entry of the row trie.
    pub entry: Option<(RowEntry, String)>,
    /// Counts of the whole trie.
    pub counts: Option<Counted>,
    /// Counts of what the icicle shows, where that is a part.
    pub below: Option<Counted>,
    /// The way to where the icicle begins.
    pub from: Vec<Step>,
}

/// A partition with a row trie.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Position of its entry.
    pub at: FilePos,
    /// Its key as text and its blocks; or why it cannot be read.
    pub entry: Result<(String, u64), String>,
}

/// The page that is open.
#[derive(Clone, Debug)]
pub struct OpenPage {
    /// Its number.
    pub no: PageNo,
    /// Bytes of nodes in it.
    pub bytes: u64,
    /// Partitions or blocks in it.
    pub ends: u64,
    /// Its subtrees: nodes whose parents lie in other pages.
    pub subtrees: Vec<Root>,
    /// Whether the page has more than are looked at.
    pub more: bool,
    /// What is damaged in it.
    pub bad: Vec<(FilePos, String)>,
    /// The children of the nodes of the followed subtree, by position, as far as they lie in this page.
    pub kids: Vec<Seen>,
}

/// A subtree of a page.
#[derive(Clone, Debug)]
pub struct Root {
    /// Its node.
    pub at: FilePos,
    /// The path to it, where the way that is shown leads to it.
    pub path: Option<Vec<u8>>,
    /// Family of the node.
    pub family: Family,
    /// For each child in order, what it is.
    pub kids: Vec<Family>,
    /// What lies below it in the page.
    pub within: Within,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// The sums.
    pub sums: Sums,
    /// Great subtrees.
    pub kept: Vec<Subtree>,
    /// Both profiles.
    pub profiles: [Profile; 2],
    /// Fill of the pages, and how many go into one.
    pub fills: (Vec<Fill>, u64),
    /// The first node of each of them.
    pub first: Vec<Option<(Vec<u8>, FilePos)>>,
    /// What cannot be read.
    pub faults: Vec<(FilePos, String)>,
    /// How many faults are not listed.
    pub more_faults: u64,
}

impl Counted {
    fn of(counts: &Counts, with_pages: bool) -> Self {
        let (fills, per) = counts.fills();
        let (faults, more_faults) = counts.faults();
        let count = if with_pages { fills.len() as u64 } else { 0 };
        let first = (0..count)
            .map(|at| counts.first_in(PageNo(at * per)).map(|(path, at)| (path.to_vec(), at)));
        Self {
            sums: counts.sums().clone(),
            kept: counts.kept().to_vec(),
            profiles: [counts.profile(false).clone(), counts.profile(true).clone()],
            fills: (if with_pages { fills.to_vec() } else { Vec::new() }, per),
            first: first.collect(),
            faults: faults.map(|(at, why)| (*at, why.clone())).collect(),
            more_faults,
        }
    }
}

impl Model {
    /// A board without a trie.
    pub fn without(query: Query, why: &str) -> Self {
        Self {
            query,
            without: Some(why.to_owned()),
            has_partitions: false,
            has_rows: false,
            notes: Vec::new(),
            pages: 0,
            ends: 0,
            steps: Vec::new(),
            says: Vec::new(),
            key: None,
            lookup: None,
            open: None,
            list: None,
            entry: None,
            counts: None,
            below: None,
            from: Vec::new(),
        }
    }

    /// Reads what is shown.
    pub fn new<S: Source>(
        open: &Open<'_, S>,
        mut query: Query,
        path: Option<Vec<u8>>,
        notes: Vec<String>,
        listed: Option<(Vec<FilePos>, bool)>,
        counts: (Option<&Counts>, Option<&Counts>),
    ) -> Self {
        let steps = path.map_or_else(|| open.first(), |path| open.follow(&path));
        let last = steps.last();
        query.path = last.map(|step| step.path.clone());
        query.node = last.map(|step| step.at);
        let own = last.map(|step| step.at.page());
        let other = query.page.filter(|page| Some(*page) != own && page.0 < open.pages());
        query.page = own;
        query.open = Some(which_page(open, &query, &steps, other));
        let leaf = last.and_then(|step| step.seen.as_ref().ok()?.leaf);
        let key = leaf.map(|leaf| open.key(&leaf));
        let schema = open.table.key_schema();
        let text = |entry: &RowEntry| schema.to_text(&entry.key);
        let lookup = match (&key, &open.entry) {
            (Some(Ok(key)), _) => Some(key.text.clone()),
            (_, Some(entry)) => Some(text(entry)),
            _ => None,
        };
        let listed = listed.map(|(entries, more)| {
            let list = entries.iter().map(|at| {
                let read = open.table.source(Part::Rows).ok_or_else(String::new);
                let read = read.and_then(|rows| entry(rows, *at));
                Listed { at: *at, entry: read.map(|it| (text(&it), it.blocks)) }
            });
            (list.collect(), more)
        });
        Self {
            without: None,
            has_partitions: true,
            has_rows: open.table.source(Part::Rows).is_some_and(|rows| rows.len() > 0),
            notes,
            pages: open.pages(),
            ends: match &open.entry {
                Some(entry) => entry.blocks,
                None => open.table.footer.as_ref().map_or(0, |footer| footer.count),
            },
            says: steps.iter().map(|step| open.says(&step.path)).collect(),
            key,
            lookup,
            open: query.open.map(|no| open_page(open, no, &steps)),
            list: listed,
            entry: open.entry.clone().map(|entry| (entry.clone(), text(&entry))),
            counts: counts.0.map(|counts| Counted::of(counts, true)),
            below: counts.1.map(|counts| Counted::of(counts, false)),
            from: open.follow(&query.from),
            steps,
            query,
        }
    }

    /// The selected node.
    pub fn selected(&self) -> Option<&Step> {
        self.steps.last()
    }
}

/// The page that is opened where none is asked for: that of the selected node, or of what lies below it.
fn which_page<S: Source>(
    open: &Open<'_, S>,
    query: &Query,
    steps: &[Step],
    other: Option<PageNo>,
) -> PageNo {
    if let Some(asked) = query.open.filter(|page| page.0 < open.pages()).or(other) {
        return asked;
    }
    let Some(last) = steps.last() else { return open.root.page() };
    if last.at.page() != open.root.page() {
        return last.at.page();
    }
    let turned = |step: &Step| {
        let seen = step.seen.as_ref().ok()?;
        let kids = seen.children.iter().filter_map(|(_, at)| *at);
        kids.map(FilePos::page).find(|page| *page != open.root.page())
    };
    steps.iter().rev().find_map(turned).unwrap_or(open.root.page())
}

fn open_page<S: Source>(open: &Open<'_, S>, no: PageNo, steps: &[Step]) -> OpenPage {
    let mut shown = OpenPage {
        no,
        bytes: 0,
        ends: 0,
        subtrees: Vec::new(),
        more: false,
        bad: Vec::new(),
        kids: Vec::new(),
    };
    // The children of the nodes on the way, and the nodes of the way, are known with their paths.
    let mut known: Vec<(Vec<u8>, FilePos)> = Vec::new();
    for step in steps {
        let Ok(seen) = &step.seen else { continue };
        for (byte, at) in &seen.children {
            let Some(at) = at.filter(|at| at.page() == no) else { continue };
            if step.at.page() != no {
                known.push(([step.path.as_slice(), &[*byte]].concat(), at));
            }
        }
    }
    if open.root.page() == no {
        known.push((Vec::new(), open.root));
    }
    let named: BTreeSet<FilePos> = known.iter().map(|(_, at)| *at).collect();
    let claimed = subtrees_of(open, no, &named);
    let unnamed = claimed.into_iter().map(|at| (None, at));
    let known = known.into_iter().map(|(path, at)| (Some(path), at));
    let mut seen = BTreeSet::new();
    for (path, at) in known.chain(unnamed) {
        if !seen.insert(at) {
            continue;
        }
        if shown.subtrees.len() == SUBTREES {
            shown.more = true;
            break;
        }
        match open.read(at, path.as_ref().map_or(1, Vec::len)) {
            Ok(node) => {
                let within = open.within(at);
                shown.bytes += within.bytes;
                shown.ends += within.ends;
                let kids = node.children.iter().take(256).map(|(_, at)| family_of(open, *at, no));
                let (family, kids) = (node.family(), kids.collect());
                shown.subtrees.push(Root { at, path, family, kids, within });
            }
            Err(why) => shown.bad.push((at, why)),
        }
    }
    for step in steps.iter().filter(|step| step.at.page() == no) {
        let Ok(node) = &step.seen else { continue };
        let kids = node.children.iter().filter_map(|(_, at)| *at).filter(|at| at.page() == no);
        shown.kids.extend(kids.filter_map(|at| open.read(at, step.path.len() + 1).ok()));
    }
    shown
}

/// Family of a child, as far as it lies in the page; a child elsewhere counts as one with children.
fn family_of<S: Source>(open: &Open<'_, S>, at: Option<FilePos>, no: PageNo) -> Family {
    let near = at.filter(|at| at.page() == no);
    near.and_then(|at| open.read(at, 1).ok()).map_or(Family::Sparse, |seen| seen.family())
}

/// Nodes of a page that no node of the page leads to. Of Rows.db, which holds a trie for each of many partitions, only
/// where the way that is shown leads to none.
fn subtrees_of<S: Source>(
    open: &Open<'_, S>,
    no: PageNo,
    named: &BTreeSet<FilePos>,
) -> Vec<FilePos> {
    if open.part == Part::Rows && !named.is_empty() {
        return Vec::new();
    }
    let (Ok(bytes), Ok(view)) = (open.source.page(no), page(open.table, open.part, no)) else {
        return Vec::new();
    };
    let items = view.items.iter().filter(|item| item.kind == ItemKind::Node);
    let mut starts: Vec<FilePos> = items.map(|item| item.at).collect();
    let nodes = starts.iter().filter_map(|at| Node::read(open.part, *at, &bytes).ok());
    let targets: BTreeSet<FilePos> =
        nodes.flat_map(|node| node.children().flatten().map(|child| child.at)).collect();
    starts.retain(|at| !targets.contains(at) && *at <= open.root);
    starts
}

/// Where the payload of a partition leads.
pub fn target(seen: &Seen) -> Option<LeafTarget> {
    seen.leaf.map(|leaf| leaf.target())
}
