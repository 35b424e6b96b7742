//! Where a finding lies: the page that shows it, the item that holds it, and its bytes.

use crate::workshop::selection::Selection;
use triescope_core::bti::{Family, NodeKind};
use triescope_core::check::Finding;
use triescope_core::dissect::{self, Item, ItemKind, PageItem, PageView};
use triescope_core::pos::{FilePos, PageNo, pages_of};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// A place.
#[derive(Clone, Debug)]
pub struct Place {
    /// The component.
    pub part: Part,
    /// The byte, in the file; of a compressed Data.db, in its rows.
    pub at: Option<FilePos>,
    /// Bytes that the finding is about, at least one.
    pub len: u64,
    /// Its page, and how many there are; chunks of a compressed Data.db.
    pub page: Option<(PageNo, u64)>,
    /// Whether these are chunks.
    pub is_chunks: bool,
    /// What lies in the page.
    pub view: Option<PageView>,
    /// What holds the byte.
    pub item: Option<PageItem>,
    /// The field that holds it.
    pub field: Option<(String, FilePos, u64)>,
    /// Bytes around, and the position of the first.
    pub around: (FilePos, Vec<u8>),
}

/// Bytes of a row of the dump.
pub const ROW: u64 = 8;
/// Rows before and behind the row with the finding.
const ROWS: u64 = 4;
/// Most bytes of a finding that are shown.
const MOST: u64 = 8;

impl Place {
    /// Of a finding; `None` where it is about the set of files.
    pub fn of<S: Source>(table: &Table<S>, finding: &Finding) -> Option<Self> {
        let part = finding.part?;
        let mut place = Self {
            part,
            at: finding.at,
            len: finding.len.unwrap_or(1).max(1),
            page: None,
            is_chunks: false,
            view: None,
            item: None,
            field: None,
            around: (FilePos(0), Vec::new()),
        };
        let (Some(at), Some(source)) = (finding.at, table.source(part)) else { return Some(place) };
        if part == Part::Data
            && let Some(info) = &table.compression
        {
            place.is_chunks = true;
            let bytes = u64::from(info.chunk_length.max(1));
            let number = match stored_chunk(finding) {
                Some(chunk) => chunk,
                None => at.0 / bytes,
            };
            place.page = Some((PageNo(number), info.chunks.max(1)));
            place.at = stored_chunk(finding)
                .map_or(Some(at), |chunk| chunk.checked_mul(bytes).map(FilePos));
            return Some(place);
        }
        let pages = pages_of(source.len());
        let no = at.page();
        place.page = Some((PageNo(no.0.min(pages.saturating_sub(1))), pages));
        if no.0 >= pages {
            return Some(place);
        }
        place.view = dissect::page(table, part, no).ok();
        let items = place.view.as_ref().map(|view| view.items.as_slice()).unwrap_or_default();
        place.item = items.iter().find(|it| it.at <= at && at.0 - it.at.0 < it.len.max(1)).cloned();
        let opened = place.item.as_ref().and_then(|it| dissect::open(table, part, it).ok());
        place.field = opened.as_ref().and_then(|item| field(item, at));
        if finding.len.is_none()
            && let Some((_, from, len)) = &place.field
            && *from == at
        {
            place.len = (*len).max(1);
        }
        place.around = around(source, at, source.len());
        Some(place)
    }

    /// What every board selects.
    pub fn selection(&self) -> Selection {
        let node = self.item.as_ref().map(|item| item.at);
        Selection { part: Some(self.part), page: self.page.map(|(no, _)| no), node, byte: self.at }
    }

    /// The bytes of the finding, few of them: as text, and whether there are more.
    pub fn bytes(&self) -> Option<(Vec<u8>, bool)> {
        let skip = usize::try_from(self.at?.0.checked_sub(self.around.0.0)?).ok()?;
        let wanted = usize::try_from(self.len.min(MOST)).ok()?;
        let bytes: Vec<u8> = self.around.1.iter().skip(skip).take(wanted).copied().collect();
        (!bytes.is_empty()).then_some((bytes, self.len > MOST))
    }
}

/// The number of the chunk that a finding about a checksum names: its position is that in the file, not in the rows.
fn stored_chunk(finding: &Finding) -> Option<u64> {
    finding.field.strip_prefix("checksum of stored chunk ")?.parse().ok()
}

/// The smallest field with a byte.
fn field(item: &Item, at: FilePos) -> Option<(String, FilePos, u64)> {
    let holds = item.fields.iter().filter(|it| it.at <= at && at.0 - it.at.0 < it.len.max(1));
    let field = holds.min_by_key(|it| it.len)?;
    Some((field.name.to_string(), field.at, field.len))
}

fn around<S: Source>(source: &S, at: FilePos, len: u64) -> (FilePos, Vec<u8>) {
    let from = (at.0 / ROW).saturating_sub(ROWS).saturating_mul(ROW);
    let to = from.saturating_add((2 * ROWS + 1) * ROW).min(len);
    let mut bytes = Vec::new();
    let mut here = FilePos(from);
    while here.0 < to {
        let Ok(page) = source.page(here.page()) else { break };
        let room = usize::try_from(to - here.0).unwrap_or(usize::MAX);
        let piece: Vec<u8> = page.iter().skip(here.in_page()).take(room).copied().collect();
        if piece.is_empty() {
            break;
        }
        here = FilePos(here.0.saturating_add(piece.len() as u64));
        bytes.extend(piece);
    }
    (FilePos(from), bytes)
}

/// How an item is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A node.
    Node(Family),
    /// An entry or a sample of the legacy index.
    Entry,
    /// Bytes that do nothing.
    Idle,
    /// Heads, footers, keys.
    Meta,
}

/// How each item of a page is coloured.
pub fn look<S: Source>(table: &Table<S>, part: Part, item: &PageItem) -> Look {
    match item.kind {
        ItemKind::Node => {
            let page = table.source(part).and_then(|source| source.page(item.at.page()).ok());
            let first = page.and_then(|page| page.get(item.at.in_page()).copied());
            Look::Node(first.map_or(Family::Leaf, |first| NodeKind::of(first).family()))
        }
        ItemKind::RowsEntry
        | ItemKind::IndexEntry
        | ItemKind::PromotedHead
        | ItemKind::Block
        | ItemKind::BlockOffsets
        | ItemKind::SampleOffsets
        | ItemKind::Sample => Look::Entry,
        ItemKind::Padding | ItemKind::Filler | ItemKind::Unclaimed | ItemKind::Unreadable => {
            Look::Idle
        }
        _ => Look::Meta,
    }
}
