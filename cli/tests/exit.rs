//! Exit codes: 0 nothing is broken, 1 something is, 2 it could not run; and what is said then.

mod common;

use common::{Folder, data, expect, json};
use triescope_core::table::{Version, words};

/// A run that cannot be done, and a part of the sentence that says why.
fn refused(args: &[&str], why: &str) {
    let ran = expect(2, args);
    assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn what_cannot_be_done_is_2_with_a_reason() {
    refused(&["check", "no/such/folder"], "no/such/folder: No such file");
    refused(&["info", "docs"], "no SSTable lies in this folder");
    refused(
        &["info", "README.md"],
        "is no SSTable component: file name: expected a name such as da-1-bti-Data.db",
    );
    refused(&["keys", &data("p20k")], "this command takes one SSTable, and there are 3");
    refused(&["lookup", &data("p20k/da"), "seventeen"], "seventeen");
    refused(
        &["lookup", &data("p20k/da"), "17", "--index", "legacy"],
        "no SSTable here has that index",
    );
    refused(&["lookup", &data("p20k/da"), "17", "--warm", "3"], "--cache");
    refused(&["lookup", &data("p20k/da"), "17", "--cache", "lots"], "expected a number of bytes");
    refused(&["blocks", &data("p20k/da"), "20000000"], "no partition 20000000");
    refused(&["frobnicate"], "unrecognized subcommand");
    refused(&[], "Usage: triescope");
}

#[test]
fn a_version_that_is_not_read_is_named() {
    let folder = Folder::new("unread");
    std::fs::write(folder.file("zz-1-big-Data.db"), b"x").unwrap();
    let why = words::refused(Version::new(b"zz").unwrap());
    refused(&["check", folder.path()], &why);
    refused(&["keys", folder.path()], &why);
    assert_eq!(expect(2, &["info", folder.path()]).err, "");
}

#[test]
fn names_are_those_of_the_files() {
    let folder = Folder::new("names/ks/t-0123456789abcdef0123456789abcdef");
    std::fs::write(folder.file("da-1-bti-Data.db"), b"x").unwrap();
    std::fs::write(folder.file("ks-t-ic-2-Data.db"), b"x").unwrap();
    let known = json(2, &["info", folder.path(), "--json"]);
    let names: Vec<&String> = known["sstables"].as_object().unwrap().keys().collect();
    let path = |name: &str| format!("{}/{name}", folder.path());
    assert_eq!(names, [&path("da-1-bti"), &path("ks-t-ic-2")]);
    assert_eq!(known["sstables"][path("da-1-bti")]["table"], "ks.t");
}

#[test]
fn a_damaged_copy_is_1_where_the_original_is_0() {
    expect(0, &["check", &data("p1000/da")]);
    let folder = Folder::copy("damaged", "p1000/da");
    // The count of partitions in the footer: more than the trie has room for.
    let name = "da-1-bti-Partitions.db";
    let len = std::fs::metadata(folder.file(name)).unwrap().len() as usize;
    folder.flip(name, len - 16, 0x40);
    let ran = expect(1, &["check", folder.path()]);
    assert!(
        ran.out.contains("Partitions.db at") && ran.out.contains("docs/format/"),
        "{}",
        ran.out
    );
    let checked = json(1, &["check", folder.path(), "--json"]);
    assert_eq!(checked["total"]["broken"], 1);
    let name = folder.path().to_owned() + "/da-1-bti";
    assert_eq!(checked["sstables"][&name]["worst"], "broken");
    assert_eq!(checked["sstables"][&name]["findings"][0]["component"], "Partitions.db");
    expect(1, &["info", folder.path()]);
}

#[test]
fn damage_on_the_way_is_1_and_what_could_be_read_is_shown() {
    let folder = Folder::copy("way", "p1000/da");
    // The first byte of the last page: a node that lookups pass.
    folder.flip("da-1-bti-Data.db", 20, 0xff);
    let ran = expect(1, &["keys", folder.path(), "--limit", "3"]);
    assert!(ran.out.contains("prefix 40"), "{}", ran.out);
    assert!(ran.err.contains("Data.db"), "{}", ran.err);
}

#[test]
fn rows_go_on_behind_damage() {
    let folder = Folder::copy("rows", "p1000/da");
    let len = std::fs::metadata(folder.file("da-1-bti-Data.db")).unwrap().len() as usize;
    // The last chunk: what lies before it is read.
    folder.flip("da-1-bti-Data.db", len - 6, 0xff);
    let ran = expect(1, &["rows", folder.path()]);
    let whole = expect(0, &["rows", &data("p1000/da")]);
    assert!(whole.out.starts_with(&ran.out[..ran.out.len() - 100]), "{}", ran.out.len());
    assert!(ran.err.lines().count() == 1 && ran.err.contains("Data.db"), "{}", ran.err);
    // The first chunk: the index tells where to go on.
    let folder = Folder::copy("rows-first", "p1000/da");
    folder.flip("da-1-bti-Data.db", 20, 0xff);
    let ran = expect(1, &["rows", folder.path()]);
    assert!(whole.out.ends_with(&ran.out) && !ran.out.is_empty(), "{}", ran.out.len());
    let printed = json(1, &["rows", folder.path(), "--json"]);
    let rows = printed["sstables"].as_object().unwrap().values().next().unwrap();
    let rows = rows.as_array().unwrap();
    let hidden = rows.iter().filter(|it| it["problem"].is_string()).count();
    assert_eq!((rows.len() - hidden, hidden), (ran.out.matches("partition").count(), 1));
}

#[test]
fn the_flipped_bit_is_found_with_what_it_changes() {
    let ran = expect(0, &["flip", &data("ten_partitions/da")]);
    assert!(ran.out.ends_with("every checksum of Data.db is right\n"), "{}", ran.out);
    // Not compressed, so that each byte is one of a row: the last one of the first row is its value.
    let folder = Folder::copy("flip", "two_partitions/oa");
    folder.flip("oa-1-big-Data.db", 14, 0x04);
    let ran = expect(1, &["flip", folder.path()]);
    assert!(ran.out.contains("Data.db, offset 14, bit 2"), "{}", ran.out);
    assert!(ran.out.contains("and the digest agrees"), "{}", ran.out);
    let found = json(1, &["flip", folder.path(), "--json"]);
    let candidates = found["faults"][0]["candidates"].as_array().unwrap();
    let right = candidates.iter().find(|it| it["digest_agrees"] == true).unwrap();
    assert_eq!((&right["pos"], &right["bit"]), (&14.into(), &2.into()));
    let whole = expect(0, &["rows", &data("two_partitions/oa"), "--limit", "1"]).out;
    let row = whole.lines().nth(1).unwrap().trim();
    assert_eq!(right["effect"]["after"], row);
    refused(&["flip", &data("p100k_text/da")], "Data.db is not here");
}

#[test]
fn a_page_that_is_not_there_is_2_and_a_broken_node_is_1() {
    refused(&["page", &data("p20k/da"), "Partitions.db", "40"], "a page below 40");
    refused(&["page", &data("p20k/da"), "Rows", "0"], "a page below 0");
    refused(&["page", &data("p20k/da"), "Nothing.db", "0"], "Nothing.db is no component");
    refused(&["node", &data("p20k/da"), "Partitions.db", "@170000"], "a position below 162365");
    refused(
        &["node", &data("p20k/da"), "Partitions.db", "@x"],
        "expected a position such as @8000",
    );
    let folder = Folder::copy("node", "p1000/oa");
    let len = std::fs::metadata(folder.file("oa-1-big-Index.db")).unwrap().len();
    let file = std::fs::File::options().write(true).open(folder.file("oa-1-big-Index.db")).unwrap();
    file.set_len(len - 1).unwrap();
    let last = ((len - 2) / 4096).to_string();
    let key = json(0, &["info", &data("p1000/oa"), "--json"]);
    let key = &key["sstables"].as_object().unwrap().values().next().unwrap()["last_key"]["value"];
    let ran = expect(1, &["blocks", folder.path(), key.as_str().unwrap()]);
    assert!(ran.err.contains("Index.db, offset"), "{}", ran.err);
    expect(1, &["page", folder.path(), "Index.db", &last]);
}

#[test]
fn a_component_that_is_missing_is_found_by_check_and_told_by_info() {
    let folder = Folder::copy("missing-data", "p1000/oa");
    std::fs::remove_file(folder.file("oa-1-big-Data.db")).unwrap();
    let ran = expect(1, &["check", folder.path()]);
    assert!(ran.out.contains("files/missing"), "{}", ran.out);
    expect(0, &["info", folder.path()]);

    let folder = Folder::copy("missing", "p1000/oa");
    std::fs::remove_file(folder.file("oa-1-big-Summary.db")).unwrap();
    let ran = expect(0, &["info", folder.path()]);
    assert!(ran.out.contains("Without Summary.db, Index.db is sampled in memory."), "{}", ran.out);
    // The index serves without it: keys backwards, and a lookup by samples made in memory.
    let last = expect(0, &["keys", folder.path(), "--reverse", "--limit", "1"]).out;
    assert_eq!(last, expect(0, &["keys", &data("p1000/oa"), "--reverse", "--limit", "1"]).out);
    let looked = json(0, &["lookup", folder.path(), "17", "--json"]);
    assert_eq!(
        (&looked["found"], &looked["indexes"][0]["summary"]),
        (&true.into(), &"sampled in memory".into())
    );
}

#[test]
fn several_paths_count_each_sstable_once() {
    let (folder, file) = (data("p1000"), data("p1000/da/da-1-bti-Data.db"));
    let checked = json(0, &["check", &folder, &file, &format!("./{folder}"), "--json"]);
    assert_eq!(checked["total"]["sstables"], 3);
}

#[test]
fn a_twin_in_the_same_folder_is_looked_up_too() {
    let folder = Folder::copy("twin", "p1000/da");
    for entry in std::fs::read_dir(common::root().join(data("p1000/oa"))).unwrap() {
        let from = entry.unwrap().path();
        std::fs::copy(&from, folder.file(from.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    let file = folder.file("da-1-bti-TOC.txt");
    let both = json(0, &["lookup", file.to_str().unwrap(), "17", "--json"]);
    let lanes = both["indexes"].as_array().unwrap();
    assert_eq!(lanes.iter().map(|it| &it["index"]).collect::<Vec<_>>(), ["trie", "legacy"]);
    assert!(both["fetches"]["Partitions.db"].is_array() && both["fetches"]["Index.db"].is_array());
    let text = expect(0, &["lookup", file.to_str().unwrap(), "17"]).out;
    assert!(text.contains("trie index of") && text.contains("legacy index of"), "{text}");
    let one = json(0, &["lookup", file.to_str().unwrap(), "17", "--json", "--index", "legacy"]);
    assert_eq!(one["indexes"].as_array().unwrap().len(), 1);
}

#[test]
fn one_table_under_two_names_is_broken() {
    let folder = Folder::copy("two-names", "two_partitions/oa");
    std::fs::rename(folder.file("oa-1-big-Index.db"), folder.file("nb-1-big-Index.db")).unwrap();
    let ran = expect(1, &["check", folder.path(), "--all"]);
    let said = "Index.db named nb-1-big";
    assert!(ran.out.contains("files/split-names") && ran.out.contains(said), "{}", ran.out);
}
