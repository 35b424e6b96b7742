//! What a replay shows at one step: everything of screen *packing*, as plain data.
//! See `docs/format/packing.md` for what a writer does.

use super::tally::Tally;
use super::writer::Writer;
use crate::bti::pack::{PackStep, Written};
use crate::pos::{PAGE_SIZE, PageNo, pages_of};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// The state of a writer after one of its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Whose way of packing.
    pub writer: Writer,
    /// Partitions.db or Rows.db.
    pub part: Part,
    /// Number of the step, from 0.
    pub step: u64,
    /// Steps of the whole trie.
    pub steps: u64,
    /// Decisions up to this step, with it: layouts, padding, writes.
    pub decision: u64,
    /// Decisions of the whole trie.
    pub decisions: u64,
    /// The step.
    pub what: PackStep,
    /// The line of the pseudocode that it carries out, from 1 to 10.
    pub line: u8,
    /// The path of the last key, the root first; a node that was completed with this step, or whose children are laid out,
    /// last.
    pub stack: Vec<Level>,
    /// The nodes whose children are laid out, the innermost last. Mostly one, or none.
    pub layouts: Vec<Layout>,
    /// The choice that this step makes or carries out.
    pub choice: Option<Choice>,
    /// The page being filled: that of the byte written last, or the one that begins.
    pub page: PageFill,
    /// The file so far.
    pub file: FileFill,
    /// What was done so far.
    pub counts: Counts,
    /// Bytes of finished branches that wait in memory.
    pub waiting_bytes: u64,
    /// Decisions before this step, the last ones, in order.
    pub before: Vec<Decision>,
    /// This step as a decision, where it is one.
    pub now: Option<Decision>,
    /// Decisions after this step, the next ones, as far as they lie near.
    pub after: Vec<Decision>,
}

/// A node on the path of the last key, or several in a row that have one child to come and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// The bytes that lead to it from its parent; empty for the root.
    pub edge: ByteBuf,
    /// Nodes: 1, or more where open nodes without finished children and payload follow each other.
    pub nodes: u32,
    /// Bytes of the key down to the last of them.
    pub depth: u32,
    /// Bytes of its payload.
    pub payload: u8,
    /// Finished children.
    pub children: u16,
    /// Bytes of finished branches below it that wait.
    pub below: u64,
    /// How far it is.
    pub state: LevelState,
    /// Its finished children in order. Those of a node that is laid out are in [`Layout::subtrees`].
    pub subtrees: Vec<Subtree>,
}

/// How far a node on the stack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LevelState {
    /// More may come below it.
    Open,
    /// Complete: it keeps its branch, which waits with it.
    Kept {
        /// Its own bytes.
        own: u64,
    },
    /// Complete: its branch does not fit a page with it, and its children are laid out.
    LaidOut {
        /// Its own bytes, as they were estimated.
        own: u64,
    },
    /// Complete, and its children are written: it waits alone.
    Alone {
        /// Its own bytes.
        own: u64,
    },
}

/// Why and how the children of a node are laid out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The byte that leads to the node; `None` for the root.
    pub edge: Option<u8>,
    /// Bytes of the key down to it.
    pub depth: u32,
    /// Bytes of the branch below it when it was completed.
    pub below: u64,
    /// Bytes of the node itself.
    pub own: u64,
    /// Whether a branch of exactly one page would have stayed whole: the sign is `≤` then, else `<`.
    pub keeps_full_page: bool,
    /// Whether the branch had fitted a page when it was completed and has outgrown it since.
    pub grown: bool,
    /// Children that are written.
    pub written: u16,
    /// All children in order.
    pub subtrees: Vec<Subtree>,
}

/// A finished branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subtree {
    /// Its first byte.
    pub edge: u8,
    /// Its bytes; where it is written, those it was written with.
    pub size: u64,
    /// Where it is.
    pub state: SubtreeState,
    /// Whether it points at something that is written already, so that its size depends on its place.
    pub far: bool,
}

/// Where a finished branch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SubtreeState {
    /// Written by an earlier step.
    Written,
    /// It waits in memory.
    Waiting,
    /// It waits, and is larger than the space left in the page.
    TooLarge,
    /// This step chooses, sizes or writes it.
    Now,
}

/// Which of the waiting children is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Its first byte.
    pub edge: u8,
    /// Its size as it was estimated.
    pub size: u64,
    /// Bytes that were left in the page.
    pub left: u32,
    /// The page.
    pub page: PageNo,
    /// Children that waited, the chosen one included.
    pub waiting: u16,
    /// Those of them that fitted.
    pub fitting: u16,
}

/// A page with what lies in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFill {
    /// Its number.
    pub no: PageNo,
    /// What lies in it, in order and without gaps, from its first byte.
    pub segments: Vec<Segment>,
    /// Bytes that are still free.
    pub left: u64,
}

/// Some bytes of a page that were written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Bytes from the start of the page to its first one.
    pub from: u16,
    /// Its bytes.
    pub bytes: u16,
    /// What it is.
    pub what: SegmentKind,
    /// The byte that leads to its node; `None` for the root and for what is no branch.
    pub edge: Option<u8>,
    /// The step that wrote it; `None` for what was there before.
    pub step: Option<u64>,
}

/// What some bytes of a page are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SegmentKind {
    /// Something of the file before this trie.
    Before,
    /// A branch or a piece of one.
    Branch,
    /// The root, with what had not been written below it.
    Root,
    /// Zeros up to the end of the page.
    Padding,
}

/// How far the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFill {
    /// Where the trie begins.
    pub start: u64,
    /// Position of the next byte.
    pub at: u64,
    /// Zeros written by this trie.
    pub padding: u64,
    /// Zeros in the pages that are full.
    pub padding_in_full: u64,
    /// Pages that this trie has filled, from the first to the last byte.
    pub full_pages: u64,
}

impl FileFill {
    /// Pages begun, from the start of the file.
    pub const fn pages(&self) -> u64 {
        pages_of(self.at)
    }

    /// How much of the full pages holds something, in thousandths; `None` while none is full.
    pub const fn fill_per_mille(&self) -> Option<u64> {
        let bytes = self.full_pages * PAGE_SIZE;
        match bytes {
            0 => None,
            _ => Some((bytes.saturating_sub(self.padding_in_full)) * 1000 / bytes),
        }
    }
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Keys.
    pub keys: u64,
    /// Nodes completed.
    pub completed: u64,
    /// Of these, those that keep their branch.
    pub kept: u64,
    /// Layouts.
    pub layouts: u64,
    /// Branches written, the root among them.
    pub written: u64,
    /// Branches sized anew for their place.
    pub recalculated: u64,
    /// Times that a page was padded.
    pub pads: u64,
    /// What the nodes so far cost; those that wait and may still change are not in it.
    pub tally: Tally,
}

/// A step that decides what becomes of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The step.
    pub step: u64,
    /// What it decides.
    pub what: DecisionKind,
}

/// What a step decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecisionKind {
    /// A node with several children keeps its branch. Not counted among the decisions.
    Keep {
        /// The byte that leads to it; `None` for the root.
        edge: Option<u8>,
        /// Bytes of the branch below it.
        below: u64,
        /// Its own bytes.
        own: u64,
    },
    /// The children of a node are laid out.
    LayOut {
        /// The byte that leads to it; `None` for the root.
        edge: Option<u8>,
        /// Bytes of the branch below it.
        below: u64,
        /// Its own bytes.
        own: u64,
        /// Its children.
        children: u16,
    },
    /// A branch, or a piece of one that is taken apart, is written.
    Write {
        /// The byte that leads to it; `None` for the root.
        edge: Option<u8>,
        /// Its bytes.
        size: u64,
        /// Bytes that were left in the page.
        left: u64,
        /// The page.
        page: PageNo,
        /// What was written.
        what: Written,
    },
    /// A page is padded.
    Pad {
        /// Zeros.
        bytes: u32,
        /// The page.
        page: PageNo,
    },
}

impl DecisionKind {
    /// Whether it is counted, and stepped to.
    pub const fn is_counted(&self) -> bool {
        !matches!(self, Self::Keep { .. })
    }
}
