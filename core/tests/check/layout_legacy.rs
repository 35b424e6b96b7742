//! Damaged twins of the checks of legacy indexes that are valid but dear. Real tables stand in where they are dear
//! themselves.

use crate::common::cassandra;
use crate::pieces::{SummaryPieces, entries};
use crate::{fires, ids, report};
use triescope_core::check::Cost;

#[test]
fn an_index_larger_than_the_data_says_what_fills_it() {
    let files = cassandra("p20k", "nb", 1).files;
    let said = "Index.db, size of Index.db: expected less than Data.db, found Index.db is 1.5 × Data.db: key bytes 40 %, positions 30 %, key lengths 20 %, promoted sizes 10 %";
    fires(&files, &[], "layout/index-larger-than-data", &[said]);
    // A window of 128 entries of about 10 bytes lies in one page, or in two.
    assert_eq!(report(&files, false).findings[0].cost, Some(Cost { median: 1, worst: 2 }));
}

#[test]
fn promoted_indexes_of_half_the_partitions_are_named_once() {
    let files = cassandra("wide_longck", "nb", 1).files;
    let said = "Index.db, promoted indexes: expected small beside the rows that they index, found 100.0 % of Index.db, which is 27.0 × Data.db; the greatest is 329211 bytes of promoted index for a partition of 660544 bytes (49.8 %): 80 blocks of 8250 to 8260 bytes, 8256 in the middle; the last one leaves out the end marker; the worst lookup fetches 3 pages where promoted indexes are skipped, 96 read straight through";
    fires(&files, &[], "layout/promoted-dominates", &[said]);
    assert_eq!(report(&files, false).findings[0].cost, Some(Cost { median: 2, worst: 3 }));
}

#[test]
fn one_promoted_index_larger_than_its_partition_is_named_with_the_cost_of_a_row() {
    let files = cassandra("wide_longsep", "nb", 1).files;
    let said = "Index.db, offset 0 (page 0 + 0), promoted index: expected at most 10 MB and a tenth of the partition, found 286279 bytes of promoted index for a partition of 143461 bytes (199.6 %): 48 blocks of 2913 to 3060 bytes, 2976 in the middle; the last one leaves out the end marker";
    fires(&files, &[], "layout/promoted-size", &[said]);
    assert_eq!(report(&files, false).findings[0].cost, Some(Cost { median: 13, worst: 15 }));
}

#[test]
fn samples_at_the_start_only_leave_one_large_page() {
    let files = cassandra("p5k_uuid", "nb", 1).files;
    assert_eq!(ids(&files, false), [""; 0]);
    let tenth = entries(&files)[10].clone();
    let twin = SummaryPieces::changed(&files, |summary| {
        summary.samples.truncate(1);
        summary.samples.push((tenth.key, tenth.at as u64));
    });
    let said = "Index.db, offset 206 (page 0 + 206), samples: expected about 10 partitions a page, found page 2 of 2 holds 4990 of 5000 partitions";
    // The interval is not the declared one either.
    fires(&twin, &["summary/interval"], "layout/summary-pages", &[said]);
}
