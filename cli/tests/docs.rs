//! Documents that are made from the code, or held against it: the list of checks, and the fields of the JSON.

mod common;

use common::{Folder, data, expect, json, root, same_as_file};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use triescope_core::check::catalog::{self, Area};

#[test]
fn the_list_of_checks_is_that_of_the_code() {
    same_as_file(&root().join("docs/checks.md"), &checks());
}

fn checks() -> String {
    let mut text = "# Checks\n\n\
        What `triescope check` looks for. This page is made from the code (`core/src/check/catalog`) by `cargo xtask bless`.\n\n\
        A check is *broken* where readers get wrong answers or errors, *suspicious* where what is there is valid but costs more\n\
        than it should or looks like the trace of a fault, and a *note* where nothing has to be done.\n\
        Those of Data.db, and those that compare an index with it, need `--deep`.\n"
        .to_owned();
    for (area, checks) in catalog::ALL {
        if checks.is_empty() {
            continue;
        }
        write!(text, "\n## {}\n\n{}\n\n", area.name(), about(area)).unwrap();
        text.push_str("| check | severity | in a healthy table | otherwise | format |\n| --- | --- | --- | --- | --- |\n");
        for check in checks {
            let page = check.page.split('#').next().unwrap();
            writeln!(
                text,
                "| `{}` | {} | {} | {} | [{page}](format/{}) |",
                check.id,
                check.severity,
                check.rule.replace('|', "\\|"),
                check.meaning.replace('|', "\\|"),
                check.page
            )
            .unwrap();
        }
    }
    text
}

fn about(area: Area) -> &'static str {
    match area {
        Area::Files => "The set of files: names, TOC.txt, checksums of whole files.",
        Area::Trie => "Partitions.db, the trie index of the partitions.",
        Area::Rows => "Rows.db, the row tries of wide partitions.",
        Area::Index => "Index.db, the legacy index, with its promoted index.",
        Area::Summary => "Summary.db, the sample of Index.db.",
        Area::Statistics => "Statistics.db.",
        Area::Filter => "Filter.db.",
        Area::Data => "Data.db and its chunks.",
        Area::Layout => "Valid, but dear to read.",
    }
}

#[test]
fn every_check_is_a_sentence_with_a_page_that_exists() {
    let (mut ids, mut wrong) = (BTreeSet::new(), Vec::new());
    for (area, checks) in catalog::ALL {
        for check in checks {
            assert!(ids.insert(check.id), "{} is there twice", check.id);
            assert!(check.id.starts_with(&format!("{}/", area.name())), "{}", check.id);
            for sentence in [check.rule, check.meaning] {
                assert!(
                    sentence.ends_with('.') && !sentence.contains('\n'),
                    "{}: {sentence}",
                    check.id
                );
            }
            let (page, anchor) = check.page.split_once('#').unwrap_or((check.page, ""));
            let text = fs::read_to_string(root().join("docs/format").join(page))
                .unwrap_or_else(|_| panic!("{}: there is no docs/format/{page}", check.id));
            let anchors = anchors(&text);
            if !anchors.contains(anchor) {
                wrong.push(format!("{}: {page} has no #{anchor}: {anchors:?}", check.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The anchors of the headings, as code hosts make them: lower case, blanks to hyphens, other signs dropped.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept =
                title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// Objects whose field names are data: names of SSTables, checks, components.
const MAPS: &[&str] = &["sstables", "counts", "requests", "fetches", "below"];

#[test]
fn the_fields_that_are_printed_are_those_that_are_documented() {
    let text = fs::read_to_string(root().join("docs/cli.md")).unwrap();
    let printed = printed();
    for (command, printed) in printed {
        let documented = documented(&text, command);
        assert!(!documented.is_empty(), "docs/cli.md has no table of fields of `{command}`");
        let missing: Vec<_> = printed.difference(&documented).collect();
        assert!(
            missing.is_empty(),
            "docs/cli.md does not tell of these fields of `{command}`: {missing:?}"
        );
        let unknown: Vec<_> = documented.difference(&printed).collect();
        assert!(
            unknown.is_empty(),
            "`{command}` does not print these fields of docs/cli.md: {unknown:?}"
        );
    }
}

/// The fields in the table below the heading of a command.
fn documented(text: &str, command: &str) -> BTreeSet<String> {
    let section = text.split("\n## ").find(|section| section.starts_with(&format!("`{command}`")));
    let rows = section.into_iter().flat_map(str::lines).filter(|line| line.starts_with("| `"));
    rows.filter_map(|line| line.split('`').nth(1)).map(str::to_owned).collect()
}

/// What `sstabledump` documents and we do not repeat.
const ELSEWHERE: &[&str] = &["partition", "rows"];

/// The fields that each command prints, over runs that show all of them.
fn printed() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut printed: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    let mut add = |command: &'static str, code: i32, args: &[&str]| {
        let args = [&[command], args, &["--json"]].concat();
        let ran = expect(code, &args);
        let values = serde_json::Deserializer::from_str(&ran.out).into_iter::<Value>();
        for value in values {
            fields("", &value.unwrap(), printed.entry(command).or_default());
        }
    };
    let damaged = Folder::copy("fields-chunk", "p1000/da");
    damaged.flip("da-1-bti-Data.db", 20, 0xff);
    let footer = Folder::copy("fields-footer", "p1000/da");
    let len = fs::metadata(footer.file("da-1-bti-Partitions.db")).unwrap().len() as usize;
    footer.flip("da-1-bti-Partitions.db", len - 16, 0x40);
    let flipped = Folder::copy("fields-flip", "two_partitions/oa");
    flipped.flip("oa-1-big-Data.db", 14, 4);
    let cut = Folder::copy("fields-cut", "p1000/oa");
    let index = fs::File::options().write(true).open(cut.file("oa-1-big-Index.db")).unwrap();
    index.set_len(index.metadata().unwrap().len() - 1).unwrap();
    let filter = Folder::copy("fields-filter", "p1000/oa");
    let bits = fs::metadata(filter.file("oa-1-big-Filter.db")).unwrap().len() as usize;
    (bits / 2..bits / 2 + 8).for_each(|at| filter.clear("oa-1-big-Filter.db", at));
    let unread = Folder::new("fields-unread");
    fs::write(unread.file("zz-1-big-Data.db"), b"x").unwrap();
    let uuid = Folder::new("fields-uuid");
    fs::write(uuid.file("da-3gll_1kke_3qdyo2i4kzfpt3cqcy-bti-Data.db"), b"x").unwrap();

    let scylla = Folder::copy("fields-scylla", "p1000/oa");
    let records: &[u8] = &[
        0, 0, 0, 2, // records
        0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x40, // features, bit 6
        0, 0, 0, 99, 0, 0, 0, 2, 0xca, 0xfe, // unknown
    ];
    fs::write(scylla.file("oa-1-big-Scylla.db"), records).unwrap();
    let told = expect(0, &["info", scylla.path()]).out;
    assert!(told.contains("CorrectLastPiBlockWidth") && told.contains("0xcafe"), "{told}");
    add(
        "info",
        0,
        &[
            scylla.path(),
            &data("p20k/da"),
            &data("wide_desc/oa"),
            &data("p100k_text/da"),
            uuid.path(),
        ],
    );
    add("keys", 0, &[&data("wide_many/da"), "--limit", "40"]);
    add("keys", 0, &[&data("wide_many/oa"), "--limit", "40"]);
    add("keys", 1, &[damaged.path(), "--limit", "3"]);
    add("lookup", 0, &[&data("wide_many/da"), "23", "--row", "100"]);
    add("lookup", 0, &[&data("wide_many/oa"), "23", "--row", "100"]);
    add("blocks", 0, &[&data("range_tombstones/oa"), "1"]);
    add("blocks", 0, &[&data("range_tombstones/da"), "1"]);
    add("blocks", 0, &[&data("range_tombstones/oa"), "6"]);
    add("page", 0, &[&data("wide_many/da"), "Rows.db", "0"]);
    add("page", 1, &[cut.path(), "Index.db", "2"]);
    add("node", 0, &[&data("wide_many/da"), "Partitions.db", "@3"]);
    let last = json(0, &["keys", &data("p1000/oa"), "--reverse", "--limit", "1", "--json"]);
    let last = &last["sstables"].as_object().unwrap().values().next().unwrap()[0]["index_pos"];
    add("node", 1, &[cut.path(), "Index.db", &last.to_string()]);
    add("census", 0, &[&data("wide_many/da")]);
    add("census", 0, &[&data("wide_many/oa")]);
    add("census", 1, &[cut.path()]);
    add("rows", 0, &[&data("wide_static/da"), "--limit", "8"]);
    add("rows", 1, &[damaged.path()]);
    let twins = Folder::new("fields-twin");
    let to = |version: &'static str| ["--out", twins.path(), "--as", version];
    add("twin", 0, &[&[&*data("wide_static/da")], &to("nb")[..]].concat());
    let packs = Folder::new("fields-pack");
    add("pack", 1, &[&data("wide_many/da"), "--flavour", "scylla", "--out", packs.path()]);
    add("pack", 0, &[&data("ten_partitions/da"), "--trace"]);
    add("flip", 1, &[flipped.path()]);
    add("flip", 1, &[damaged.path()]);
    add("check", 2, &[footer.path(), unread.path(), filter.path(), &data("p20k/nb")]);
    printed.values_mut().for_each(settle);
    printed
}

/// A field that was only ever `null` is a field all the same, unless it is an object in another run.
fn settle(fields: &mut BTreeSet<String>) {
    let (nulls, mut kept): (BTreeSet<String>, BTreeSet<String>) =
        std::mem::take(fields).into_iter().partition(|path| path.ends_with('?'));
    for path in nulls.iter().map(|path| path.trim_end_matches('?')) {
        let inside = [format!("{path}."), format!("{path}[]")];
        if !kept.iter().any(|other| inside.iter().any(|inside| other.starts_with(inside))) {
            kept.insert(path.to_owned());
        }
    }
    *fields = kept;
}

/// The paths of all fields of a value that hold something: `sstables.*[].key.raw`.
fn fields(path: &str, value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(_) | Value::Array(_)
            if ELSEWHERE.iter().any(|it| path == format!("sstables.*[].{it}")) =>
        {
            into.insert(path.to_owned());
        }
        Value::Object(object) => {
            let is_map = MAPS.contains(&path.rsplit('.').next().unwrap_or(path));
            for (name, value) in object {
                let name = if is_map { "*" } else { name };
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                fields(&path, value, into);
            }
        }
        Value::Array(array) if array.iter().any(|it| it.is_object()) => {
            array.iter().for_each(|value| fields(&format!("{path}[]"), value, into));
        }
        // A list of objects that is empty tells nothing of them.
        Value::Array(array) if array.is_empty() => {}
        Value::Array(_) => _ = into.insert(format!("{path}[]")),
        // An object that is not there is `null`; the run that has it shows its fields.
        Value::Null => _ = into.insert(format!("{path}?")),
        _ => _ = into.insert(path.to_owned()),
    }
}
