//! The way in: a page of any component, and the item at a position.

use super::field::{Item, ItemKind, counted};
use super::plain::{first_bytes, head_item, numbers_item, opaque, plain_page, record_item};
use super::trie_page::{ends, partitions_page, rows_page};
use super::{index, index_page, node, older, summary, trie};
use crate::error::{Error, ReadError};
use crate::pos::{FilePos, PageNo, pages_of};
use crate::source::Source;
use crate::table::{IndexFormat, Part, Table};
use serde::{Deserialize, Serialize};

/// What lies in a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageView {
    /// The component.
    pub part: Part,
    /// The page.
    pub page: PageNo,
    /// Position of its first byte.
    pub at: FilePos,
    /// Its bytes: 4096, fewer at the end of the file.
    pub len: u64,
    /// The items in it, in order and without gaps. The first may begin in a page before, the last go on in the next.
    pub items: Vec<PageItem>,
}

/// An item in a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageItem {
    /// What it is.
    pub kind: ItemKind,
    /// Position of its first byte, perhaps in a page before.
    pub at: FilePos,
    /// All of its bytes.
    pub len: u64,
    /// The item in a line.
    pub summary: String,
    /// What is wrong with it.
    pub problem: Option<ReadError>,
}

/// What lies in a page of a component.
///
/// # Errors
/// A miss; or damage where the component is not here, its file cannot be read, or it has no such page.
pub fn page<S: Source>(table: &Table<S>, part: Part, no: PageNo) -> Result<PageView, Error> {
    let source = source_of(table, part)?;
    let pages = pages_of(source.len());
    if no.0 >= pages {
        let expected = format!("a page below {pages}");
        return Err(ReadError::out_of_range(part, FilePos(0), "page", expected, no.0).into());
    }
    let (start, end) = ends(source, no);
    let found = match part {
        Part::Partitions => partitions_page(table, source, no)?,
        Part::Rows => rows_page(table, source, no)?,
        Part::Index => index_page::index_page(table, source, no)?,
        Part::Summary => summary::summary_page(table, source, no)?,
        Part::Data => {
            let text = "rows of partitions, as they are stored";
            vec![Item::plain(ItemKind::Bytes, part, start, end.0 - start.0, text)]
        }
        _ => plain_page(table, source, (part, no))?,
    };
    let mut view = PageView { part, page: no, at: start, len: end.0 - start.0, items: Vec::new() };
    let mut at = start;
    for item in found {
        // Damage can make pieces overlap, and some have no bytes: both are shown, and the gaps between them.
        view.unclaimed(at, item.at);
        at = at.max(item.end());
        let Item { kind, at, len, summary, problem, .. } = item;
        view.items.push(PageItem { kind, at, len, summary, problem });
    }
    view.unclaimed(at, end);
    Ok(view)
}

impl PageView {
    fn unclaimed(&mut self, from: FilePos, to: FilePos) {
        if from < to {
            let len = to.0 - from.0;
            let verb = if len == 1 { "belongs" } else { "belong" };
            let summary = format!("{} that {verb} to nothing", counted(len, "byte"));
            let kind = ItemKind::Unclaimed;
            self.items.push(PageItem { kind, at: from, len, summary, problem: None });
        }
    }
}

/// The item at a position of a component, taken apart.
///
/// Where an item begins, it is that one. Inside a head, a footer, a table of numbers or bytes that belong to nothing it is
/// that one as well, a table from this number on. Anywhere else, and in damage, the bytes are read as what the component
/// consists of, a node or an entry, whether or not there is one: then [`Item::known`] is false.
///
/// # Errors
/// A miss; or damage where the component is not here, its file cannot be read, or the position lies behind its end.
pub fn item<S: Source>(table: &Table<S>, part: Part, at: FilePos) -> Result<Item, Error> {
    let source = source_of(table, part)?;
    if at.0 >= source.len() {
        let expected = format!("a position below {}", source.len());
        return Err(ReadError::out_of_range(part, at, "position", expected, at.0).into());
    }
    let view = page(table, part, at.page())?;
    let holds = |item: &&PageItem| item.at <= at && at.0 - item.at.0 < item.len.max(1);
    let found = view.items.iter().find(|item| item.at == at);
    let found = found.or_else(|| view.items.iter().find(holds));
    if let Some(placed) = found
        && let Some(item) = taken(table, source, part, placed, at)?
    {
        return Ok(item);
    }
    let item = match part {
        Part::Index => index::entry_item(table, source, at)?,
        _ => {
            let page = source.page(at.page())?;
            node::node_item(part, at, &page)
        }
    };
    Ok(Item { known: false, ..item })
}

/// Takes an item of a [`PageView`] apart: what [`item`] gives for its position, without listing the page once more.
///
/// # Errors
/// As [`item`].
pub fn open<S: Source>(table: &Table<S>, part: Part, placed: &PageItem) -> Result<Item, Error> {
    let source = source_of(table, part)?;
    match taken(table, source, part, placed, placed.at)? {
        Some(item) => Ok(item),
        None => item(table, part, placed.at),
    }
}

/// Takes a placed item apart; `None` when it does not begin at the position, and is of a kind that does.
fn taken<S: Source>(
    table: &Table<S>,
    source: &S,
    part: Part,
    placed: &PageItem,
    wanted: FilePos,
) -> Result<Option<Item>, Error> {
    let (at, end) = (placed.at, FilePos(placed.at.0.saturating_add(placed.len)));
    let begins = at == wanted;
    let inside = wanted.0 - at.0;
    Ok(Some(match placed.kind {
        ItemKind::Node if begins => {
            let page = source.page(at.page())?;
            node::node_item(part, at, &page)
        }
        ItemKind::RowsEntry if begins => trie::entry_item(table, source, at)?,
        ItemKind::IndexEntry if begins => index::entry_item(table, source, at)?,
        ItemKind::Block if begins => {
            let until = index_page::promoted_with(table, source, at)?;
            let until = until.map_or(FilePos(source.len()), |head| head.offsets_at);
            match table.version().formats().index {
                IndexFormat::Fixed => older::block_item(table, source, at, until)?,
                IndexFormat::Vints => index::block_item(table, source, at, until)?,
            }
        }
        ItemKind::PromotedHead => match index_page::promoted_with(table, source, at)? {
            Some(head) => match table.version().formats().index {
                IndexFormat::Fixed => older::head_item(table, source, at, head.end)?,
                IndexFormat::Vints => {
                    index::head_item(table, source, at, head.end.0.saturating_sub(at.0))?
                }
            },
            None => return Ok(None),
        },
        ItemKind::BlockOffsets if inside.is_multiple_of(4) => {
            match index_page::promoted_with(table, source, at)? {
                Some(head) => {
                    let first = wanted.0.saturating_sub(head.offsets_at.0) / 4;
                    index::offsets_item(source, wanted, end, (first, head.blocks_at))?
                }
                None => return Ok(None),
            }
        }
        ItemKind::Segments => match &table.summary {
            Some(summary) => return older::segments_item(source, summary),
            None => return Ok(None),
        },
        ItemKind::Keys if part == Part::Summary => summary::keys_item(table, source, at)?,
        ItemKind::Keys => trie::keys_item(table, source, at)?,
        ItemKind::Footer => trie::footer_item(source)?,
        ItemKind::Head if part == Part::Summary => summary::head_item(source)?,
        ItemKind::Head if part != Part::Scylla => head_item(table, source, part)?,
        ItemKind::SampleOffsets | ItemKind::Sample => {
            let Some(header) = table.summary.as_ref().map(|summary| summary.header) else {
                return Ok(None);
            };
            match (placed.kind, summary::sample_at(source, header, at)?) {
                (ItemKind::Sample, Some((sample, end))) => {
                    summary::sample_item(table, source, header, (at, end), sample)?
                }
                _ if inside.is_multiple_of(4) => {
                    summary::offsets_item(source, header, wanted, end)?
                }
                _ => summary::offsets_item(source, header, at, end)?,
            }
        }
        ItemKind::FilterWords if inside.is_multiple_of(8) => {
            numbers_item(table, source, part, wanted, end)?
        }
        ItemKind::ChunkOffsets if inside.is_multiple_of(8) => {
            numbers_item(table, source, part, wanted, end)?
        }
        ItemKind::Checksums if part == Part::Crc && inside.is_multiple_of(4) => {
            numbers_item(table, source, part, wanted, end)?
        }
        ItemKind::StatisticsPart if part == Part::Scylla => record_item(source, at, placed.len)?,
        ItemKind::Node | ItemKind::RowsEntry | ItemKind::IndexEntry | ItemKind::Block => {
            return Ok(None);
        }
        // What cannot be read was asked for all the same: it is read as what should be there.
        ItemKind::Unreadable | ItemKind::Unclaimed
            if matches!(part, Part::Partitions | Part::Rows | Part::Index) =>
        {
            return Ok(None);
        }
        _ if matches!(part, Part::Digest | Part::Toc) => {
            let mut items = plain_page(table, source, (part, PageNo(0)))?;
            return Ok(items.pop());
        }
        kind => {
            let mut item = opaque((kind, part), at, placed.len, &placed.summary, "bytes", of(part));
            if let Some(field) = item.fields.first_mut() {
                field.value = first_bytes(source, part, at, placed.len)?;
            }
            item.problem = placed.problem.clone();
            item
        }
    }))
}

/// The page of `docs/format` on a component.
fn of(part: Part) -> &'static str {
    match part {
        Part::Partitions => "trie.md#nodes",
        Part::Rows => "rows.md#layout",
        Part::Index => "index.md#promoted-index",
        Part::Summary => "summary.md#summarydb",
        Part::Statistics => "statistics.md#statisticsdb",
        Part::Filter => "filter.md#filterdb",
        Part::Scylla => "scylla.md#scylladb",
        Part::Digest | Part::Crc => "data.md#crcdb-and-digest",
        Part::CompressionInfo => "data.md#compressioninfodb",
        Part::Data => "data.md#partition",
        Part::Toc => "files.md#components",
    }
}

fn source_of<S: Source>(table: &Table<S>, part: Part) -> Result<&S, Error> {
    table.source(part).ok_or_else(|| {
        let (expected, found) = ("a file of this component", "none");
        ReadError::unexpected(part, FilePos(0), "component", expected, found).into()
    })
}
