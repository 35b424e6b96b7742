//! Items taken apart, and pages listed: examples of the format texts, every byte of real files, and damage.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod examples;
mod pages;

use std::collections::BTreeSet;
use std::sync::LazyLock;
use triescope_core::dissect::{Field, Item};
use triescope_core::pos::FilePos;

/// The first bit of a field and the bit after its last one, counted from the start of the file.
fn bits(field: &Field) -> (u64, u64) {
    match field.bits {
        None => (8 * field.at.0, 8 * (field.at.0 + field.len)),
        Some(bits) => {
            let first = 8 * field.at.0 + u64::from(bits.first);
            let end = first + u64::from(bits.count);
            assert_eq!(end.div_ceil(8), field.at.0 + field.len, "{field:?}");
            assert!(bits.first < 8, "{field:?}");
            (first, end)
        }
    }
}

/// Asserts that the fields of an item cover it bit for bit, and that it is not damaged.
fn assert_covered(item: &Item) {
    assert_eq!(item.problem, None, "{item:?}");
    let mut at = 8 * item.at.0;
    for field in &item.fields {
        let (first, end) = bits(field);
        assert_eq!(first, at, "{field:?} of {item:?}");
        assert!(end > first);
        assert!(!field.name.is_empty() && !field.value.is_empty() && !field.meaning.is_empty());
        assert!(ANCHORS.contains(&*field.page), "docs/format has no {}", field.page);
        at = end;
    }
    assert_eq!(at, 8 * (item.at.0 + item.len), "{item:?}");
    assert!(!item.summary.is_empty(), "{item:?}");
}

/// Every heading of `docs/format`, as a link names it: `trie.md#nodes`.
static ANCHORS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut anchors = BTreeSet::new();
    for page in std::fs::read_dir(common::root().join("docs/format")).unwrap() {
        let page = page.unwrap();
        let name = page.file_name().into_string().unwrap();
        for line in std::fs::read_to_string(page.path()).unwrap().lines() {
            let heading = line.trim_start_matches('#');
            if heading.len() == line.len() {
                continue;
            }
            let letter = |c: char| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' => Some(c.to_ascii_lowercase()),
                _ => None,
            };
            let anchor: String = heading.trim().chars().filter_map(letter).collect();
            anchors.insert(format!("{name}#{anchor}"));
        }
    }
    anchors
});

/// The end of an item in a page.
fn end(at: FilePos, len: u64) -> u64 {
    at.0 + len
}
