//! The components as a list: what a narrow screen shows, and the text twin of the picture on a wide one.

use super::{here, is_index};
use triescope_core::table::{Part, TableFacts};

/// A component, or several small ones together.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name, `5 small ones` for several.
    pub name: String,
    /// Its component, `None` for several or an unknown one.
    pub part: Option<Part>,
    /// Bytes.
    pub bytes: u64,
    /// Length of its bar, from 0 to 1; 1 is the largest component of all tables that are compared.
    pub share: f64,
}

/// Rows of the components, largest first, in the scale of `largest` bytes. Other components of together less than a
/// hundredth of that become one row; those of an index never do.
pub fn rows(facts: &TableFacts, largest: u64, index_only: bool) -> Vec<Row> {
    let share = |bytes: u64| bytes as f64 / largest.max(1) as f64;
    let mut rows: Vec<Row> = here(facts)
        .into_iter()
        .filter(|(it, _)| !index_only || is_index(it.part))
        .map(|(it, bytes)| Row { name: it.name.clone(), part: it.part, bytes, share: share(bytes) })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.bytes));
    let is_small = |row: &Row| row.share < 0.01 && (!is_index(row.part) || row.bytes == 0);
    let (small, mut rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_small);
    match small.as_slice() {
        [] => {}
        [one] => rows.push(one.clone()),
        several => {
            let bytes = several.iter().map(|row| row.bytes).sum();
            rows.push(Row {
                name: format!("{} small ones", several.len()),
                part: None,
                bytes,
                share: share(bytes),
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::testing::set;
    use super::*;

    fn names(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| format!("{} {}", row.name, row.bytes)).collect()
    }

    #[test]
    fn small_components_are_one_row() {
        let (trie, legacy) = (set("p20k", "da"), set("p20k", "oa"));
        assert_eq!(
            names(&rows(&trie, 198_898, false)),
            [
                "Partitions.db 162365",
                "Data.db 106945",
                "Filter.db 25016",
                "Statistics.db 10269",
                "4 small ones 295"
            ]
        );
        let legacy = rows(&legacy, 198_898, true);
        assert_eq!(names(&legacy), ["Index.db 198898", "Summary.db 2552"]);
        assert_eq!(legacy[0].share, 1.0);
    }

    #[test]
    fn a_small_index_keeps_its_row() {
        let rows = rows(&set("wide_int", "da"), 213_975, false);
        assert!(names(&rows).contains(&"Partitions.db 58".to_owned()), "{rows:?}");
    }
}
