//! `triescope pack` with real files: verdicts, steps, and what is written.

mod common;

use common::{Folder, data, expect, json, root, run, snapshot};
use std::fs;

#[test]
fn files_are_what_their_writers_make() {
    let ran = expect(0, &["pack", &data("p20k/da")]);
    snapshot("pack-p20k-da.txt", &ran.out);
    let ran = expect(0, &["pack", &data("wide_many/oa")]);
    snapshot("pack-wide_many-oa.txt", &ran.out);
    let found = json(0, &["pack", &data("wide_many/nb"), "--json"]);
    let set = found["sstables"].as_object().unwrap().values().next().unwrap();
    assert_eq!(set["writer"], "Cassandra");
    let files = set["files"].as_array().unwrap();
    assert!(
        files.len() == 2
            && files.iter().all(|it| it["same"] == true && it["bytes"] == it["rebuilt"])
    );
}

#[test]
fn the_other_writer_gives_a_difference_and_the_steps_where_it_lies() {
    let ran = expect(1, &["pack", &data("wide_many/da"), "--flavour", "scylla"]);
    snapshot("pack-wide_many-scylla.txt", &ran.out);
    let found = json(1, &["pack", &data("wide_many/da"), "--flavour", "scylla", "--json"]);
    let set = found["sstables"].as_object().unwrap().values().next().unwrap();
    let differs = set["files"].as_array().unwrap().iter().find(|it| it["same"] == false).unwrap();
    let difference = &differs["difference"];
    let pos = difference["pos"].as_u64().unwrap();
    assert_eq!(
        pos,
        difference["page"].as_u64().unwrap() * 4096
            + difference["offset_in_page"].as_u64().unwrap()
    );
    let name = format!("da-1-bti-{}", differs["component"].as_str().unwrap());
    let real = fs::read(root().join(data("wide_many/da")).join(name)).unwrap();
    let bytes = difference["file"]["bytes"].as_str().unwrap();
    assert_eq!(bytes[..2], format!("{:02x}", real[pos as usize]));
    assert_ne!(bytes[..2], difference["writer"]["bytes"].as_str().unwrap()[..2]);
}

#[test]
fn steps_are_told_one_a_line() {
    let ran = expect(0, &["pack", &data("ten_partitions/da"), "--trace"]);
    snapshot("pack-trace-ten_partitions.txt", &ran.out);
    let ran = expect(0, &["pack", &data("p20k/da"), "--trace"]);
    let page_7 = "Page 7 has 650 B left. Of 211 waiting subtrees 172 fit; the greatest, a7 with 649 B, goes in.";
    assert_eq!(ran.out.matches(page_7).count(), 2, "choice and write");
    let steps = json(0, &["pack", &data("ten_partitions/da"), "--trace", "--json"]);
    let steps = steps["sstables"].as_object().unwrap().values().next().unwrap().as_array().unwrap();
    assert!(steps.iter().zip(1..).all(|(step, number)| step["step"] == number));
    let rows = expect(0, &["pack", &data("wide_many/da"), "--trace", "--rows", "1"]);
    assert!(rows.out.lines().last().unwrap().contains("The root comes last"), "{}", rows.out);
    let legacy = expect(0, &["pack", &data("ten_partitions/oa"), "--trace"]);
    assert_eq!(legacy.out, expect(0, &["pack", &data("ten_partitions/da"), "--trace"]).out);
}

#[test]
fn what_is_made_again_is_written_under_its_own_name_and_never_over_a_file() {
    for (table, stem, files) in [
        ("wide_many/da", "da-1-bti", ["Partitions.db", "Rows.db"]),
        ("wide_many/nb", "nb-1-big", ["Index.db", "Summary.db"]),
    ] {
        let out = Folder::new(&format!("pack-{stem}"));
        expect(0, &["pack", &data(table), "--out", out.path()]);
        for file in files {
            let name = format!("{stem}-{file}");
            let real = fs::read(root().join(data(table)).join(&name)).unwrap();
            assert!(fs::read(out.file(&name)).unwrap() == real, "{name}");
        }
        let again = run(&["pack", &data(table), "--out", out.path()]);
        assert_eq!(again.code, 2);
        assert!(again.err.contains("nothing is written over it"), "{}", again.err);
    }
    // Into the folder of the SSTable itself.
    let own = Folder::copy("pack-own", "wide_many/da");
    let again = run(&["pack", own.path(), "--out", own.path()]);
    assert_eq!(again.code, 2, "{}", again.out);
    // In the other writer's way the files lead into each other.
    let out = Folder::copy("pack-other", "wide_many/da");
    for file in ["Partitions.db", "Rows.db"] {
        fs::remove_file(out.file(&format!("da-1-bti-{file}"))).unwrap();
    }
    expect(1, &["pack", &data("wide_many/da"), "--flavour", "scylla", "--out", out.path()]);
    expect(0, &["check", out.path(), "--deep"]);
    let ours = expect(0, &["pack", out.path(), "--flavour", "scylla"]);
    assert!(ours.out.contains("byte for byte what ScyllaDB’s writer makes"), "{}", ours.out);
}

#[test]
fn what_cannot_be_done_is_said_and_damage_is_1() {
    let refused = |args: &[&str], text: &str| {
        let ran = run(args);
        assert!(ran.code == 2 && ran.err.contains(text), "{args:?} {} {}", ran.code, ran.err);
    };
    refused(&["pack", &data("p20k/oa"), "--flavour", "scylla"], "--flavour is for --trace alone");
    refused(&["pack", &data("p20k/da"), "--trace", "--rows", "1"], "has no row trie");
    refused(&["pack", &data("p20k/da"), "--rows", "1"], "--trace");
    refused(&["pack", &data("p20k/da"), "--trace", "--out", "x"], "leave --out out");
    let folder = Folder::copy("pack-padding", "p20k/da");
    folder.flip("da-1-bti-Partitions.db", 32_767, 7);
    let ran = expect(1, &["pack", folder.path()]);
    let found = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(found.contains("lies at 32,767, page 7 + 4,095"), "{found}");
    let folder = Folder::copy("pack-damaged", "p20k/da");
    let len = fs::metadata(folder.file("da-1-bti-Partitions.db")).unwrap().len() as usize;
    folder.flip("da-1-bti-Partitions.db", len - 1, 1);
    let ran = run(&["pack", folder.path()]);
    assert!(ran.code == 1 && ran.err.contains("root"), "{} {} {}", ran.code, ran.out, ran.err);
}
