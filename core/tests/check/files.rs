//! Damaged twins of the checks of the set of files.

use crate::common::cassandra;
use crate::{ids, said};
use triescope_core::table::Part;

#[test]
fn a_component_that_toc_txt_lists_and_that_is_gone_is_missing() {
    let files = cassandra("p20k", "da", 1).files.without(Part::Filter);
    assert_eq!(ids(&files, false), ["files/missing"]);
    assert_eq!(
        said(&files, false, "files/missing"),
        ["Filter.db, component: expected as TOC.txt lists it, found no such file"]
    );
}
