//! Cases about components, names and checksums.

use crate::common::{InMemory, upstream};
use triescope_core::table::{Part, Problem};

#[test]
fn f18_a_missing_summary_is_named() {
    let Some(folder) = upstream("scylladb/3.x_uncompressed_read_missing_summary") else { return };
    let files = InMemory::folder(&folder).remove(0);
    assert!(files.table().facts.problems.contains(&Problem::Missing(Part::Summary)));
}
