//! Damaged twins of the checks of the set of files.

use crate::common::{InMemory, cassandra};
use crate::{ids, said};
use triescope_core::check::split_names;
use triescope_core::table::{Part, Version, group};

fn small(version: &str) -> InMemory {
    cassandra("two_partitions", version, 1).files
}

/// The table with other files in its folder: names and bytes of the set as they would be grouped.
fn with_names(files: &InMemory, more: &[&str]) -> InMemory {
    let name = files.set.name();
    let kept =
        files.set.files.iter().map(|file| (format!("{name}-{}", file.component), file.bytes));
    let all = kept.chain(more.iter().map(|name| ((*name).to_owned(), 10)));
    InMemory { set: group(all).sets.remove(0), ..files.clone() }
}

#[test]
fn data_that_is_gone_cannot_be_rebuilt() {
    let files = small("da").without(Part::Data);
    assert_eq!(ids(&files, true), ["files/missing"]);
    assert_eq!(
        said(&files, false, "files/missing"),
        ["Data.db, component: expected a file, listed in TOC.txt, found absent"]
    );
}

#[test]
fn an_index_that_is_gone_costs_a_scan_for_every_lookup() {
    let files = small("oa").without(Part::Index);
    assert_eq!(ids(&files, true), ["files/index-missing"]);
    let bytes = files.part(Part::Data).len();
    assert_eq!(
        said(&files, false, "files/index-missing"),
        [format!(
            "Index.db, component: expected a file, listed in TOC.txt, found no index present: every lookup is a full scan of {bytes} bytes"
        )]
    );
    let files = cassandra("wide_int", "da", 1).files.without(Part::Rows);
    assert_eq!(ids(&files, false), ["files/index-missing"]);
    let both = files.without(Part::Partitions);
    assert_eq!(said(&both, false, "files/index-missing").len(), 1);
}

#[test]
fn a_filter_that_is_gone_can_be_rebuilt() {
    let files = small("da").without(Part::Filter);
    assert_eq!(ids(&files, false), ["files/derivable"]);
    assert_eq!(
        said(&files, false, "files/derivable"),
        [
            "Filter.db, component: expected a file, listed in TOC.txt, found absent; derivable from Data.db"
        ]
    );
}

#[test]
fn a_component_that_toc_txt_leaves_out_is_unlisted() {
    let files = small("da");
    let toc = String::from_utf8(files.part(Part::Toc).to_vec()).unwrap();
    let files = files.with(Part::Toc, toc.replace("Filter.db\n", "").as_bytes());
    assert_eq!(ids(&files, false), ["files/unlisted"]);
}

#[test]
fn a_name_in_toc_txt_without_a_file_is_no_component() {
    let files = small("da");
    let toc = [files.part(Part::Toc), b"\nUNRECOGNIZED.txt\n"].concat();
    let files = files.with(Part::Toc, &toc);
    assert_eq!(ids(&files, false), ["files/unknown-listed"]);
    assert_eq!(
        said(&files, false, "files/unknown-listed"),
        ["TOC.txt, list: expected names of components, found UNRECOGNIZED.txt, and no such file"]
    );
    // The file is there: a component that this program does not know.
    let files = with_names(&files, &["da-1-bti-UNRECOGNIZED.txt"]);
    assert_eq!(ids(&files, false), [""; 0]);
}

#[test]
fn two_digests_claim_one_component() {
    let files = with_names(&small("da"), &["da-1-bti-Digest.adler32"]);
    assert_eq!(ids(&files, false), ["files/twice"]);
    assert_eq!(
        said(&files, false, "files/twice"),
        ["Digest.crc32, component: expected one file, found Digest.adler32 beside Digest.crc32"]
    );
}

#[test]
fn a_bti_version_under_the_word_big_is_named() {
    let mut files = small("da");
    files.set.format = "big".to_owned();
    assert_eq!(ids(&files, false), ["files/format-word"]);
}

#[test]
fn a_version_that_is_not_read_is_named_in_one_sentence() {
    let mut files = small("oa");
    files.set.version = Version::new(b"ic").unwrap();
    assert_eq!(ids(&files, true), ["files/version"]);
}

#[test]
fn a_temporary_file_beside_a_whole_table_is_left_over() {
    let files = with_names(&small("da"), &["da-1-bti-Statistics.db.tmp"]);
    assert_eq!(ids(&files, false), ["files/leftover"]);
}

#[test]
fn a_table_with_temporary_files_and_no_toc_was_never_finished() {
    let files = with_names(&small("da").without(Part::Toc), &["da-1-bti-TOC.txt.tmp"]);
    assert_eq!(ids(&files, false), ["files/unfinished"]);
    assert_eq!(
        said(&files, false, "files/unfinished"),
        ["TOC.txt, component: expected TOC.txt, found no TOC.txt, and temporary files: TOC.txt"]
    );
}

#[test]
fn an_empty_toc_cannot_be_read() {
    let files = small("da").with(Part::Toc, b"");
    assert_eq!(ids(&files, false), ["files/unreadable"]);
}

#[test]
fn components_of_one_table_under_two_versions_are_named() {
    let names = |names: &[&str]| {
        let sets = group(names.iter().map(|name| (*name, 10))).sets;
        let found = split_names(&sets);
        assert!(found.iter().all(|(_, it)| it.check.id == "files/split-names"));
        found.iter().map(|(at, it)| format!("{at} {it}")).collect::<Vec<_>>()
    };
    assert_eq!(
        names(&["me-1-big-Data.db", "me-1-big-Summary.db", "mc-1-big-Index.db"]),
        ["0 name: expected all components named me-1-big, found Index.db named mc-1-big"]
    );
    // Whole tables may share a generation, and generations differ for a reason.
    for fine in [
        ["me-1-big-Data.db", "me-1-big-Index.db", "mt-1-big-Data.db", "mt-1-big-Partitions.db"],
        ["me-1-big-Data.db", "me-1-big-Summary.db", "mc-2-big-Index.db", "mc-2-big-TOC.txt"],
    ] {
        assert_eq!(names(&fine), [""; 0]);
    }
}

/// The table with a Scylla.db that has the checksums of some components, one of them of another file.
fn with_digests(files: &InMemory, parts: &[(u32, Part)], wrong: Option<Part>) -> InMemory {
    let mut body = u32::try_from(parts.len()).unwrap().to_be_bytes().to_vec();
    for (number, part) in parts {
        let crc = crc32fast::hash(files.part(*part)) ^ u32::from(wrong == Some(*part));
        body.extend([number.to_be_bytes(), crc.to_be_bytes()].concat());
    }
    let size = u32::try_from(body.len()).unwrap();
    let head = [1u32.to_be_bytes(), 12u32.to_be_bytes(), size.to_be_bytes()].concat();
    let mut scylla = [head, body].concat();
    scylla.extend(crc32fast::hash(&scylla).to_be_bytes());
    let toc = [files.part(Part::Toc), b"Scylla.db\n"].concat();
    let mut files = with_names(&files.with(Part::Toc, &toc), &["da-1-bti-Scylla.db"]);
    files.bytes.insert(Part::Scylla, Vec::new());
    files.with(Part::Scylla, &scylla)
}

#[test]
fn a_component_that_is_not_the_one_scylla_db_summed_up_is_found() {
    let parts = [(13, Part::Partitions), (7, Part::Filter), (8, Part::Statistics), (2, Part::Data)];
    let with = |wrong| with_digests(&small("da"), &parts, wrong);
    assert_eq!(ids(&with(None), true), [""; 0]);
    assert_eq!(ids(&with(Some(Part::Filter)), false), ["files/component-digest"]);
    // Servers rewrite it.
    assert_eq!(ids(&with(Some(Part::Statistics)), false), ["files/rewritten"]);
    // Data.db is read only when asked for.
    assert_eq!(ids(&with(Some(Part::Data)), false), [""; 0]);
    assert_eq!(ids(&with(Some(Part::Data)), true), ["files/component-digest"]);
}

#[test]
fn a_bit_of_scylla_db_is_told_by_its_own_checksum_and_its_digests_are_not_believed() {
    let files = with_digests(&small("da"), &[(7, Part::Filter)], None);
    let mut scylla = files.part(Part::Scylla).to_vec();
    let end = scylla.len() - 5;
    scylla[end] ^= 1;
    assert_eq!(ids(&files.with(Part::Scylla, &scylla), false), ["files/unreadable"]);
}
