//! Pages and items of an SSTable with damage: every page is listed without gaps, and whatever lies at any position is taken
//! apart, the same in pieces.

use super::input::Input;
use super::set::{CHANGES, OPENED, change};
use crate::common::pieces::{Pieces, until_here};
use triescope_core::dissect::{Item, item, open, page};
use triescope_core::pos::{FilePos, PageNo, len64, pages_of};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Pages of a component that are listed.
const PAGES: u64 = 3;
/// Items of a page that are taken apart.
const ITEMS: usize = 40;

/// The table, its side, the changes, the component that is looked at, then positions.
pub fn dissect(data: &[u8]) {
    let mut input = Input::new(data);
    let sides = &OPENED[input.below(OPENED.len())];
    let mut files = sides[input.below(sides.len())].clone();
    for _ in 0..input.below(CHANGES + 1) {
        files = change(&files, &mut input);
    }
    let seed = input.seed();
    let parts: Vec<Part> = files.bytes.keys().copied().collect();
    if parts.is_empty() {
        return;
    }
    let part = parts[input.below(parts.len())];
    let positions: Vec<u64> = (0..4).map(|_| u64::from(input.two())).collect();
    let whole = looked_at(&files.table(), (part, files.part(part)), &positions, &[]);
    let held: Vec<_> =
        files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, seed)).collect();
    let held: Vec<&Pieces<'_>> = held.iter().collect();
    let sources = || held.iter().map(|piece| (piece.part(), *piece));
    let table = until_here(&held, || Ok(Table::open(files.set.clone(), sources())?)).unwrap();
    let found = looked_at(&table, (part, files.part(part)), &positions, &held);
    assert_eq!(found, whole, "in pieces and whole");
}

/// Lists pages and takes items apart, as text to compare.
fn looked_at<S: Source>(
    table: &Table<S>,
    (part, bytes): (Part, &[u8]),
    positions: &[u64],
    pieces: &[&Pieces<'_>],
) -> Vec<String> {
    let mut said = Vec::new();
    let length = len64(bytes.len());
    for no in 0..pages_of(length).min(PAGES) {
        let view = until_here(pieces, || page(table, part, PageNo(no))).unwrap();
        let mut covered = view.at.0;
        for placed in &view.items {
            assert!(placed.at.0 <= covered, "a gap before {placed:?}");
            covered = covered.max(placed.at.0 + placed.len);
        }
        assert!(covered >= view.at.0 + view.len, "{part} page {no}");
        for placed in view.items.iter().take(ITEMS) {
            let item = until_here(pieces, || open(table, part, placed));
            said.push(format!("{:?}", item.inspect(|item| sound(item, part, length))));
        }
        said.push(format!("{view:?}"));
    }
    for at in positions {
        let item = until_here(pieces, || item(table, part, FilePos(at % length.max(1))));
        said.push(format!("{:?}", item.inspect(|item| sound(item, part, length))));
    }
    said
}

/// Fields ascend and lie in the file.
fn sound(item: &Item, part: Part, length: u64) {
    assert!(item.at.0 + item.len <= length, "{part} {item:?}");
    let mut at = item.at;
    for field in &item.fields {
        assert!(field.at >= at && field.at.0 + field.len <= length, "{part} {field:?}");
        at = field.at;
    }
}

/// Each table as it is, and with one change of each component.
pub fn dissect_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for table in 0..u8::try_from(OPENED.len()).unwrap() {
        for part in 0..12 {
            seeds.push(vec![table, part % 3, 0, part, 0, 0, 0, 3, 0, 40, 1, 0]);
            // The component, what is done, where, with which value; then what is looked at, and positions.
            seeds.push(vec![table, part % 3, 1, part, 0, 0, 20 + part, 0xff, part, 0, 3, 0, 40]);
        }
    }
    seeds
}
