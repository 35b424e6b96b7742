//! What is shown: a component, one of its pages, an item in it, a byte; found from the query, with defaults for the rest.

use crate::board::{BoardAsk, value, with};
use crate::model::Failure;
use crate::worker::world::World;
use crate::workshop::selection::{Selection, table_with};
use triescope_core::dissect::{self, Field, Item, ItemKind, PageItem, PageView};
use triescope_core::error::Error;
use triescope_core::pos::{FilePos, PageNo, pages_of};
use triescope_core::source::{Source, read_range};
use triescope_core::table::{Part, Table};

/// Components in the order of their links.
pub const PARTS: [Part; 10] = [
    Part::Partitions,
    Part::Rows,
    Part::Index,
    Part::Summary,
    Part::Data,
    Part::Statistics,
    Part::Filter,
    Part::CompressionInfo,
    Part::Crc,
    Part::Scylla,
];

/// What is shown.
pub struct Shown<'w, S> {
    /// The SSTable.
    pub table: &'w Table<S>,
    /// The component.
    pub part: Part,
    /// Its bytes.
    pub len: u64,
    /// The items of the page.
    pub view: PageView,
    /// The bytes of the page.
    pub bytes: Vec<u8>,
    /// Which item is selected; `None` in a page without any.
    pub at: Option<usize>,
    /// That item, taken apart.
    pub item: Option<Item>,
    /// The selected byte.
    pub byte: Option<FilePos>,
    /// Whether positions are shown in hex.
    pub hex: bool,
    /// The query that says all this.
    pub query: String,
}

impl<'w, S: Source> Shown<'w, S> {
    /// Reads the page that a query asks for.
    ///
    /// # Errors
    /// A sentence where there is no such page, or its file cannot be read.
    pub fn of(ask: &BoardAsk, world: &'w World<S>) -> Result<Self, Failure> {
        let wanted = Selection::of(ask);
        let here = |part: Part| {
            let table = table_with(world, ask.tables, part)?;
            let len = table.source(part)?.len();
            (len > 0).then_some((part, table, len))
        };
        let first = wanted.part.into_iter().chain(PARTS).find_map(here);
        let why = |why: String| Failure::Text { why };
        let (part, table, len) = match (wanted.part, first) {
            (Some(part), Some(found)) if found.0 == part => found,
            (Some(part), _) => {
                let what = if table_with(world, ask.tables, part).is_some() {
                    "has no bytes"
                } else {
                    "is not here"
                };
                return Err(why(format!("{} {what}.", part.file_name())));
            }
            (None, Some(found)) => found,
            (None, None) => {
                return Err(why("There is no component here that has bytes.".to_owned()));
            }
        };
        let pages = pages_of(len);
        let root = table.footer.as_ref().filter(|_| part == Part::Partitions).map(|it| it.root);
        let place = wanted.byte.or(wanted.node).filter(|at| at.0 < len);
        let page = place.map(FilePos::page).or(wanted.page.filter(|page| page.0 < pages));
        let page =
            page.or(root.map(FilePos::page).filter(|page| page.0 < pages)).unwrap_or(PageNo(0));
        let view = dissect::page(table, part, page).map_err(|it| why(format!("{it}.")))?;
        let source = table.source(part).ok_or(Failure::Cancelled)?;
        let bytes = read_range(part, source, view.at, view.len, "page")
            .map_err(|it| why(format!("{it}.")))?;
        let holds = |at: FilePos| {
            move |item: &PageItem| item.at <= at && at.0 - item.at.0 < item.len.max(1)
        };
        let index = match (wanted.byte, wanted.node) {
            (Some(byte), _) if byte.0 < len => view.items.iter().position(holds(byte)),
            (_, Some(node)) if node.0 < len => view
                .items
                .iter()
                .position(|item| item.at == node)
                .or_else(|| view.items.iter().position(holds(node))),
            // Where nothing is selected the root of the trie, else the largest node, else what begins the page.
            _ => {
                let of_root = root.and_then(|root| view.items.iter().position(|it| it.at == root));
                let is_something = |it: &&PageItem| {
                    !matches!(it.kind, ItemKind::Padding | ItemKind::Filler | ItemKind::Unclaimed)
                };
                let is_node = |it: &&PageItem| it.kind == ItemKind::Node;
                let largest = view.items.iter().filter(is_node).max_by_key(|it| it.len);
                let first = view.items.iter().find(is_something);
                of_root.or_else(|| {
                    let chosen = largest.or(first)?.at;
                    view.items.iter().position(|item| item.at == chosen)
                })
            }
        };
        let placed = index.and_then(|index| view.items.get(index));
        let item = match placed {
            Some(placed) => match dissect::open(table, part, placed) {
                Ok(item) => Some(item),
                Err(Error::Damage(error)) => {
                    let (at, len) = (placed.at, placed.len);
                    let (kind, summary) = (placed.kind, placed.summary.clone());
                    let (fields, problem) = (Vec::new(), Some(*error));
                    Some(Item { kind, part, at, len, summary, fields, problem, known: true })
                }
                Err(Error::Miss(_)) => None,
            },
            None => None,
        };
        let byte = wanted.byte.filter(|byte| byte.0 < len);
        let selection = Selection {
            part: Some(part),
            page: Some(page),
            node: placed.map(|item| item.at),
            byte,
        };
        let rest = with(&with(&ask.query, "as", None), "hunt", None);
        let hex = value(&ask.query, "x").as_deref() == Some("hex");
        let query = selection.put(&rest);
        Ok(Self { table, part, len, view, bytes, at: index, item, byte, hex, query })
    }

    /// The page.
    pub fn page(&self) -> u64 {
        self.view.page.0
    }

    /// Pages of the component.
    pub fn pages(&self) -> u64 {
        pages_of(self.len)
    }

    /// The field that holds the selected byte.
    pub fn field(&self) -> Option<&Field> {
        let byte = self.byte?;
        let holds = |field: &&Field| field.at <= byte && byte.0 - field.at.0 < field.len.max(1);
        self.item.as_ref()?.fields.iter().find(holds)
    }

    /// The query with something else selected.
    pub fn with(&self, selection: Selection) -> String {
        let selection = Selection { part: Some(selection.part.unwrap_or(self.part)), ..selection };
        selection.put(&self.query)
    }

    /// The query with an item of this page selected.
    pub fn to_item(&self, at: FilePos) -> String {
        let page = Some(self.view.page);
        self.with(Selection { page, node: Some(at), ..Selection::default() })
    }

    /// The query with a byte selected, whichever item and page hold it.
    pub fn to_byte(&self, at: FilePos) -> String {
        self.with(Selection { byte: Some(at), ..Selection::default() })
    }

    /// The query with another page.
    pub fn to_page(&self, page: u64) -> String {
        self.with(Selection { page: Some(PageNo(page)), ..Selection::default() })
    }

    /// A position as it is shown.
    pub fn position(&self, at: u64) -> String {
        match self.hex {
            true => format!("0x{at:x}"),
            false => triescope_core::lookup::words::number(at, ','),
        }
    }
}
