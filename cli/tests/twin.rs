//! `triescope twin` with real files: what is written, what is refused, and what is left behind.

mod common;

use common::{Folder, command, data, expect, json, root};
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

/// The names in a folder, hidden ones too.
fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_twin_has_the_index_that_cassandra_wrote_and_nothing_is_wrong_with_it() {
    let out = Folder::new("twin-set");
    for (from, to, files) in [
        ("wide_many/da", "nb-1-big", ["Index.db", "Summary.db"]),
        ("wide_many/nb", "da-1-bti", ["Partitions.db", "Rows.db"]),
        ("wide_many/da", "oa-1-big", ["Index.db", "Summary.db"]),
    ] {
        expect(0, &["twin", &data(from), "--out", out.path(), "--as", &to[..2]]);
        for file in files {
            let real = root().join(data("wide_many")).join(&to[..2]).join(format!("{to}-{file}"));
            let ours = fs::read(out.file(&format!("{to}-{file}"))).unwrap();
            assert!(ours == fs::read(&real).unwrap(), "{}", real.display());
        }
    }
    let total = &json(0, &["check", out.path(), "--deep", "--json"])["total"];
    assert_eq!((&total["sstables"], &total["clean"]), (&3.into(), &3.into()), "{total}");
    assert!(names(out.path()).iter().all(|name| !name.starts_with('.')));
}

#[test]
fn without_a_version_it_is_the_other_index_of_the_same_database() {
    let out = Folder::new("twin-default");
    let told = json(0, &["twin", &data("p1000/da"), "--out", out.path(), "--json"]);
    let told = told["sstables"].as_object().unwrap().values().next().unwrap();
    assert_eq!(
        (&told["version"], &told["twin"], &told["data"]),
        (&"da".into(), &"oa".into(), &"copied".into())
    );
    assert_eq!(told["partitions"], 1000);
}

#[test]
fn a_file_that_is_there_is_not_written_over_and_nothing_else_is_written() {
    let out = Folder::new("twin-there");
    fs::write(out.file("nb-1-big-Index.db"), b"mine").unwrap();
    let ran = expect(2, &["twin", &data("p1000/da"), "--out", out.path(), "--as", "nb"]);
    assert!(
        ran.err.contains("nb-1-big-Index.db: it exists, and nothing is written over it"),
        "{}",
        ran.err
    );
    assert_eq!(names(out.path()), ["nb-1-big-Index.db"]);
    assert_eq!(fs::read(out.file("nb-1-big-Index.db")).unwrap(), b"mine");
}

#[test]
fn what_the_version_cannot_hold_is_refused_and_leaves_nothing_behind() {
    let out = Folder::new("twin-late");
    let below = out.file("made/for/it");
    let below = below.to_str().unwrap();
    let ran = expect(2, &["twin", &data("after_2038/da"), "--out", below, "--as", "nb"]);
    assert!(ran.err.contains("it cannot be written as nb: Data.db, offset "), "{}", ran.err);
    assert!(ran.err.contains("and the version holds 0 to 2147483646"), "{}", ran.err);
    assert!(names(out.path()).is_empty(), "{:?}", names(out.path()));
    let ran = expect(2, &["twin", &data("p100k_text/da"), "--out", out.path(), "--as", "nb"]);
    assert!(ran.err.contains("all rows are needed, but Data.db is not here"), "{}", ran.err);
    let ran = expect(2, &["twin", &data("p1000/da"), "--out", out.path(), "--as", "la"]);
    assert!(ran.err.contains("expected a version that can be written: da, ms, mt"), "{}", ran.err);
    assert!(names(out.path()).is_empty());
}

#[test]
fn damage_on_the_way_ends_it_and_leaves_nothing_behind() {
    let out = Folder::new("twin-damage");
    let damaged = Folder::copy("twin-damaged", "p1000/da");
    damaged.flip("da-1-bti-Data.db", 400, 0x10);
    for to in ["nb", "oa"] {
        let ran = expect(1, &["twin", damaged.path(), "--out", out.path(), "--as", to]);
        assert!(ran.err.contains("checksum") || ran.err.contains("digest"), "{}", ran.err);
        assert!(names(out.path()).is_empty(), "{to}: {:?}", names(out.path()));
    }
}

#[test]
fn a_run_that_is_killed_leaves_all_or_nothing() {
    let out = Folder::new("twin-kill");
    let is_unfinished = || names(out.path()).iter().any(|name| name.starts_with('.'));
    for later in [0, 1000, 100_000] {
        let args = ["twin", &data("p20k/da"), "--out", out.path(), "--as", "nb"];
        let mut child = command(&args).stdout(Stdio::null()).spawn().unwrap();
        while !is_unfinished() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        (0..later).for_each(|_| std::thread::yield_now());
        _ = child.kill();
        child.wait().unwrap();
        // The process beside it is still at work.
        let is_all_or_nothing = || !is_unfinished() && [0, 8].contains(&names(out.path()).len());
        let mut looks = 0u64;
        while !is_all_or_nothing() && looks < 1_000_000 {
            std::thread::yield_now();
            looks += 1;
        }
        let left = names(out.path());
        assert!(is_all_or_nothing(), "{left:?}");
        left.iter().for_each(|name| fs::remove_file(out.file(name)).unwrap());
    }
}

#[test]
fn a_killed_run_is_tidied_up_after() {
    let out = Folder::new("twin-killed");
    let unfinished = out.file(".nb-1-big.unfinished-1");
    let moved = out.file("nb-1-big-Data.db");
    let other = out.file("not-mine");
    // What a run says to the process beside it, before it is gone without another word.
    for ends_well in [true, false] {
        fs::create_dir_all(&unfinished).unwrap();
        for file in [&unfinished.join("nb-1-big-TOC.txt"), &moved, &other] {
            fs::write(file, b"x").unwrap();
        }
        let mut child = command(&["tidy-up-after"]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for path in [out.path().as_ref(), unfinished.as_path(), moved.as_path()] {
            writeln!(stdin, "{}", path.display()).unwrap();
        }
        if ends_well {
            writeln!(stdin, "done").unwrap();
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
        let left = if ends_well { 3 } else { 1 };
        assert_eq!(names(out.path()).len(), left, "{:?}", names(out.path()));
    }
    assert_eq!(names(out.path()), ["not-mine"]);
}
