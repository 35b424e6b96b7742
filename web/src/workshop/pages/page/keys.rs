//! The keys of the page.

use super::parents::{Parents, way};
use super::shown::Shown;
use crate::board::with;
use crate::workshop::html::{Does, Key};
use crate::workshop::links::Links;
use triescope_core::bti::Node;
use triescope_core::dissect::ItemKind;
use triescope_core::pos::FilePos;
use triescope_core::source::Source;

/// All keys, as elements out of sight.
pub fn keys<S: Source>(
    shown: &Shown<'_, S>,
    parents: Option<&Parents>,
    links: Links<'_>,
) -> String {
    let item = shown.item.as_ref();
    let byte = shown.byte.or(item.map(|item| item.at)).map_or(0, |at| at.0);
    let to_byte = |at: Option<u64>| match at.filter(|at| *at < shown.len) {
        Some(at) => Does::Leads(links.to(&shown.to_byte(FilePos(at)))),
        None => Does::Nothing,
    };
    let to_page = |page: Option<u64>| match page.filter(|page| *page < shown.pages()) {
        Some(page) => Does::Leads(links.to(&shown.to_page(page))),
        None => Does::Nothing,
    };
    let to_item = |n: Option<usize>| match n.and_then(|n| shown.view.items.get(n)) {
        Some(item) => Does::Leads(links.to(&shown.to_item(item.at))),
        None => Does::Nothing,
    };
    let node = item.filter(|item| item.kind == ItemKind::Node);
    let parent = node.zip(parents).and_then(|(item, parents)| way(shown, parents, item.at)?.parent);
    let child = node.and_then(|item| {
        let node = Node::read(shown.part, item.at, &shown.bytes).ok()?;
        // The child that the selected field belongs to, else the first one.
        let of_field = shown.field().and_then(|field| {
            let at = field.at;
            let nth = node.transitions().zip(1..).find(|(_, n)| item.at.0 + 1 + n == at.0);
            node.child(nth?.0).ok()?
        });
        of_field.or_else(|| node.first_child().ok()?.map(|child| child.at))
    });
    let lead = |at: Option<FilePos>| to_byte(at.map(|at| at.0));
    let value = shown.field().map(|field| field.value.clone());
    let copies = value.or_else(|| item.map(|item| item.at.0.to_string()));
    let hex = with(&shown.query, "x", (!shown.hex).then_some("hex"));
    let hunt = |step: &str| Does::Leads(links.to(&with(&shown.query, "hunt", Some(step))));
    let key = |key, shown, words, does| Key { key, shown, words, does };
    crate::workshop::html::keys(&[
        key("ArrowLeft", "←", "byte before", to_byte(byte.checked_sub(1))),
        key("ArrowRight", "→", "byte after", to_byte(byte.checked_add(1))),
        key("ArrowUp", "↑", "row before", to_byte(byte.checked_sub(64))),
        key("ArrowDown", "↓", "row after", to_byte(byte.checked_add(64))),
        key("[", "[", "page before", to_page(shown.page().checked_sub(1))),
        key("]", "]", "page after", to_page(shown.page().checked_add(1))),
        key("j", "j", "next item", to_item(shown.at.map(|at| at + 1))),
        key("k", "k", "item before", to_item(shown.at.and_then(|at| at.checked_sub(1)))),
        key("p", "p", "parent", lead(parent)),
        key("Enter", "Enter", "follow to the child", lead(child)),
        key("u", "u", "next bytes that belong to nothing", hunt("next")),
        key("U", "Shift U", "bytes before that belong to nothing", hunt("previous")),
        key("x", "x", "positions decimal or hex", Does::Leads(links.to(&hex))),
        key(
            "m",
            "m",
            "map of all pages",
            Does::Leads(links.to(&with(&shown.query, "as", Some("map")))),
        ),
        key("c", "c", "copy the value", copies.map_or(Does::Nothing, Does::Copies)),
    ])
}
