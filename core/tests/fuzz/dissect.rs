//! Pages and items of an SSTable with damage: every page is listed without gaps, and whatever lies at any position is taken
//! apart, the same in pieces.

use super::input::Input;
use super::set::{CHANGES, OPENED, change};
use crate::common::InMemory;
use crate::common::pieces::{Pieces, until_here};
use triescope_core::dissect::{Item, item, open, page};
use triescope_core::pos::{FilePos, PageNo, len64, pages_of};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Pages of a component that are listed.
const PAGES: u64 = 3;
/// Items of a page that are taken apart.
const ITEMS: usize = 40;

/// The table, its side, the changes, then positions.
pub fn dissect(data: &[u8]) {
    let mut input = Input::new(data);
    let sides = &OPENED[input.below(OPENED.len())];
    let mut files = sides[input.below(sides.len())].clone();
    for _ in 0..input.below(CHANGES + 1) {
        files = change(&files, &mut input);
    }
    let seed = input.seed();
    let positions: Vec<u64> = (0..4).map(|_| u64::from(input.two())).collect();
    let whole = looked_at(&files.table(), &files, &positions, &[]);
    let held: Vec<_> =
        files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, seed)).collect();
    let held: Vec<&Pieces<'_>> = held.iter().collect();
    let sources = || held.iter().map(|piece| (piece.part(), *piece));
    let table = until_here(&held, || Ok(Table::open(files.set.clone(), sources())?)).unwrap();
    assert_eq!(looked_at(&table, &files, &positions, &held), whole, "in pieces and whole");
}

/// Lists pages and takes items apart, as text to compare.
fn looked_at<S: Source>(
    table: &Table<S>,
    files: &InMemory,
    positions: &[u64],
    pieces: &[&Pieces<'_>],
) -> Vec<String> {
    let mut said = Vec::new();
    for (part, bytes) in &files.bytes {
        let (part, length) = (*part, len64(bytes.len()));
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
        seeds.push(vec![table, table % 3, 0, 0, 3, 0, 40, 1, 0, 2, 7]);
        for part in 0..4 {
            seeds.push(vec![table, part, 1, part * 2, 0, 0, 20 + part, 0xff, 0, 3, 0, 40]);
        }
    }
    seeds
}
