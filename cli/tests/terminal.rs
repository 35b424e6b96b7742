//! What a shell relies on: no colours in a pipe, no panic when the reader leaves, lines of 80 characters.

mod common;

use common::{command, data, expect, finish};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

#[test]
fn pipes_get_no_colours_unless_asked_for() {
    let path = data("p20k/da");
    for args in [vec!["info", &path], vec!["lookup", &path, "17021"], vec!["check", &path]] {
        let plain = expect(0, &args).out;
        assert!(!plain.contains('\x1b'), "{args:?}");
        let mut asked = args.clone();
        asked.push("--color=always");
        let coloured = expect(0, &asked).out;
        assert!(coloured.contains("\x1b["), "{args:?}");
        let stripped: String = coloured
            .split('\x1b')
            .enumerate()
            .map(|(i, part)| if i == 0 { part } else { part.split_once('m').unwrap().1 })
            .collect();
        assert_eq!(stripped, plain, "colours change nothing else");
        let unwanted = finish(command(&args).env("NO_COLOR", "1"));
        assert_eq!(unwanted.out, plain);
    }
}

#[test]
fn a_reader_that_leaves_ends_it_without_a_panic() {
    for json in [false, true] {
        let path = data("p20k/oa");
        let mut args = vec!["keys", &path];
        if json {
            args.push("--json");
        }
        let mut child =
            command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(!line.is_empty());
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn text_fits_80_columns() {
    let (trie, wide) = (data("p20k/da"), data("wide_desc/nb"));
    let runs = [
        vec!["info", &trie],
        vec!["info", &wide],
        vec!["lookup", &trie, "17021"],
        vec!["keys", &trie, "--limit", "20"],
        vec!["check", &wide],
        vec!["page", &trie, "Partitions.db", "39"],
        vec!["node", &trie, "Partitions.db", "@162000"],
    ];
    for args in runs {
        for line in expect(0, &args).out.lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
}

#[test]
fn nothing_is_said_of_progress_where_it_is_quick() {
    assert_eq!(expect(0, &["check", &data("p20k")]).err, "");
}
