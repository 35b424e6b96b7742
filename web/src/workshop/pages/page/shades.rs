//! What each byte of a page is, as a shade: header, transitions, distances and payload of nodes by family, parts of entries,
//! padding, damage.

use super::shown::Shown;
use crate::workshop::family;
use triescope_core::bti::{Family, Node};
use triescope_core::dissect::{self, Field, ItemKind, PageItem};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// A shade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shade {
    /// Header of a node of a family.
    Header(u8),
    /// Its transition bytes.
    Transitions(u8),
    /// Its distances.
    Distances(u8),
    /// Hash byte or head of a payload.
    PayloadHead,
    /// The rest of a payload.
    Payload,
    /// The key of an entry or sample.
    Key,
    /// A position that leads to another file.
    Position,
    /// Other numbers: lengths, sizes, counts.
    Number,
    /// A promoted index, a block.
    Block,
    /// Every other block.
    NextBlock,
    /// Bytes of a component that is not taken apart here.
    Plain,
    /// Zeros before the end of a page.
    Padding,
    /// Belongs to nothing.
    Unclaimed,
    /// Cannot be read.
    Unreadable,
}

impl Shade {
    /// Its class: fill of a mark, and background of a byte.
    pub fn class(self) -> String {
        let of = |family: u8| {
            let family = family::FAMILIES.get(usize::from(family)).copied();
            family::class(family.unwrap_or(Family::Leaf))
        };
        match self {
            Self::Header(family) => of(family).to_owned(),
            Self::Transitions(family) => format!("{} tb", of(family)),
            Self::Distances(family) => format!("{} db", of(family)),
            Self::PayloadHead => "ph".to_owned(),
            Self::Payload => "pl".to_owned(),
            Self::Key => "ek".to_owned(),
            Self::Position => "ep".to_owned(),
            Self::Number => "en".to_owned(),
            Self::Block => "eb".to_owned(),
            Self::NextBlock => "eb2".to_owned(),
            Self::Plain => "ed".to_owned(),
            Self::Padding => "pad-bg".to_owned(),
            Self::Unclaimed => "un".to_owned(),
            Self::Unreadable => "br".to_owned(),
        }
    }
}

/// The place of a family in [`family::FAMILIES`].
fn place(family: Family) -> u8 {
    let at = family::FAMILIES.iter().position(|known| *known == family);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
}

/// The family of a node in the page; `None` for what is no node.
pub fn family_of<S: Source>(shown: &Shown<'_, S>, item: &PageItem) -> Option<Family> {
    if item.kind != ItemKind::Node {
        return None;
    }
    Some(Node::read(shown.part, item.at, &shown.bytes).ok()?.kind().family())
}

/// The shade of every byte of the page.
pub fn shades<S: Source>(shown: &Shown<'_, S>) -> Vec<Shade> {
    let mut shades = vec![Shade::Unclaimed; shown.bytes.len()];
    let start = shown.view.at.0;
    let mut put = |from: u64, len: u64, shade: Shade| {
        let clip = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX);
        let (from, to) = (clip(from), clip(from.saturating_add(len)).min(shown.bytes.len()));
        if let Some(run) = shades.get_mut(from..to) {
            run.fill(shade);
        }
    };
    for (n, item) in shown.view.items.iter().enumerate() {
        // Blocks that touch differ, so that each can be seen.
        let shade = match item.kind {
            ItemKind::Block if n % 2 == 1 => Shade::NextBlock,
            kind => whole(kind),
        };
        put(item.at.0, item.len, shade);
        let family = family_of(shown, item).map(place);
        if family.is_none() && !has_fields(item.kind) {
            continue;
        }
        let Ok(opened) = dissect::open(shown.table, shown.part, item) else { continue };
        // A byte that two fields share is that of the first.
        for field in opened.fields.iter().rev() {
            put(field.at.0, field.len, of_field(field, shown.part, family));
        }
        if item.problem.is_some() {
            put(item.at.0, item.len.max(1), Shade::Unreadable);
        }
    }
    shades
}

/// Items with few fields, which differ in kind.
const fn has_fields(kind: ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::RowsEntry
            | ItemKind::Keys
            | ItemKind::Footer
            | ItemKind::IndexEntry
            | ItemKind::PromotedHead
            | ItemKind::Sample
            | ItemKind::Head
    )
}

const fn whole(kind: ItemKind) -> Shade {
    match kind {
        ItemKind::Node => Shade::Header(0),
        ItemKind::Padding | ItemKind::Filler => Shade::Padding,
        ItemKind::Block | ItemKind::BlockOffsets | ItemKind::PromotedHead => Shade::Block,
        ItemKind::SampleOffsets | ItemKind::ChunkOffsets => Shade::Position,
        ItemKind::Unclaimed => Shade::Unclaimed,
        ItemKind::Unreadable => Shade::Unreadable,
        ItemKind::Bytes | ItemKind::FilterWords | ItemKind::Text | ItemKind::StatisticsPart => {
            Shade::Plain
        }
        _ => Shade::Number,
    }
}

fn of_field(field: &Field, part: Part, family: Option<u8>) -> Shade {
    let name = field.name.as_ref();
    if let Some(family) = family {
        return match name {
            "transition byte" => Shade::Transitions(family),
            "distance" | "unused bits" => Shade::Distances(family),
            "hash byte" | "open deletion, timestamp" | "open deletion, local time" => {
                Shade::PayloadHead
            }
            "position" | "block offset" => Shade::Payload,
            _ => Shade::Header(family),
        };
    }
    if name.contains("length") || name.contains("size") || name.contains("count") {
        return Shade::Number;
    }
    if name.contains("position") || name.contains("distance") || name.contains("start") {
        return Shade::Position;
    }
    match name.contains("key") || part == Part::Summary && name == "key" {
        true => Shade::Key,
        false => Shade::Number,
    }
}
