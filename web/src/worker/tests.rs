//! The work of the worker on real files, in the smallest slices.

use super::jobs::{Job, Slice};
use super::open::Opening;
use super::protocol::Reply;
use super::suggest::Suggesting;
use super::windows::{BUDGET_BYTES, File, FileSource, Windows};
use super::world::World;
use crate::model::{Failure, Opened, Pair};
use crate::state::intent::TryWhat;
use crate::state::store::{MeansCall, RaceCall};
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use triescope_core::lookup::{Answer, FilterMode, Step, SummarySource};
use triescope_core::race::{CacheModel, LegacyReader, Race, RaceRequest};
use triescope_core::table::{IndexKind, Part};

#[derive(Clone)]
struct Disk(Vec<u8>);

impl File for Disk {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
        Ok(self.0[from as usize..to as usize].to_vec())
    }
}

type Source = FileSource<Disk>;

/// Opens folders of the repository's fixtures, the files of which `keep` says.
fn open(folders: &[&str], keep: impl Fn(&str) -> bool) -> (World<Source>, Opened) {
    open_changed(folders, keep, |_, _| {})
}

/// The same, with other bytes where `change` says.
fn open_changed(
    folders: &[&str],
    keep: impl Fn(&str) -> bool,
    change: impl Fn(&str, &mut Vec<u8>),
) -> (World<Source>, Opened) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra");
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    for folder in folders {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if keep(&name) {
                let mut content = fs::read(entry.path()).unwrap();
                change(&name, &mut content);
                named.push((format!("{folder}/{name}"), content.len() as u64));
                bytes.push(content);
            }
        }
    }
    let windows = Rc::new(RefCell::new(Windows::new(BUDGET_BYTES)));
    let opening = Opening::new(&named, 7, |at, part| {
        FileSource::new(part, Disk(bytes[at].clone()), &windows)
    });
    let mut world = World::default();
    let (_, opened) = run(Job::Open(Box::new(opening)), &mut world);
    match opened {
        Ok(Reply::Opened(opened)) => (world, opened),
        other => panic!("expected opened files, found {other:?}"),
    }
}

/// Runs a job to its end, a slice as small as can be; the answers before the last, and the last.
fn run(mut job: Job<Source>, world: &mut World<Source>) -> (Vec<Reply>, Result<Reply, Failure>) {
    let mut partial = Vec::new();
    for _ in 0..1_000_000 {
        match job.slice(world, &|| true) {
            Slice::Done(result) => return (partial, result),
            Slice::More(reply) => partial.extend(reply),
        }
    }
    panic!("the job has no end");
}

fn call(pair: Pair, key: &str, reader: LegacyReader) -> RaceCall {
    let request = RaceRequest {
        key: key.into(),
        row: None,
        reader,
        cache: CacheModel::Cold,
        filter: FilterMode::Ask,
        sample_large: false,
    };
    RaceCall { trie: pair.trie, legacy: pair.legacy, request }
}

fn race(world: &mut World<Source>, call: RaceCall) -> Race {
    match run(Job::Race { call, sampling: None }, world).1 {
        Ok(Reply::Race(race)) => *race,
        other => panic!("expected a race, found {other:?}"),
    }
}

fn components(name: &str) -> bool {
    name.starts_with("da-") || name.starts_with("oa-")
}

#[test]
fn two_formats_of_one_table_are_a_pair_and_other_files_are_named() {
    let (_, opened) = open(&["p20k/da", "p20k/oa"], |_| true);
    assert_eq!(opened.tables.len(), 2);
    assert_eq!(opened.tables[0].1.index, Some(IndexKind::Trie));
    assert_eq!(opened.pairs, [Pair { trie: Some(7), legacy: Some(8) }]);
    assert_eq!(opened.strangers.len(), 2, "both folders hold an expected.json");
    assert!(opened.strangers[0].why.contains("expected"));
}

#[test]
fn tables_of_other_rows_are_no_pair() {
    let (_, opened) = open(&["p20k/da", "wide_int/oa", "one_partition/oa"], components);
    let trie = opened.pairs.iter().find(|pair| pair.trie.is_some()).unwrap();
    assert_eq!(trie.legacy, None);
    assert_eq!(opened.pairs.len(), 3);
}

#[test]
fn a_race_as_scylladb_reads_samples_index_db_first_and_once() {
    let (mut world, opened) = open(&["p20k/da", "p20k/oa"], components);
    let question = call(opened.pairs[0], "17021", LegacyReader::Scylla);
    let (progress, _) = run(Job::Race { call: question.clone(), sampling: None }, &mut world);
    assert!(progress.iter().any(|reply| matches!(reply, Reply::Progress(..))));
    let (progress, _) = run(Job::Race { call: question.clone(), sampling: None }, &mut world);
    assert!(progress.is_empty());
    let race = race(&mut world, question);
    let legacy = race.legacy.unwrap();
    assert_eq!(
        (legacy.summary, legacy.samples, legacy.resident),
        (SummarySource::Sampled, 11, 216)
    );
    assert_eq!(legacy.lane.record.total().fetches, 5);
    assert_eq!(race.trie.unwrap().record.total().fetches, 2);
}

#[test]
fn one_format_alone_has_one_lane() {
    let (mut world, opened) = open(&["ten_partitions/da"], components);
    let race = race(&mut world, call(opened.pairs[0], "5", LegacyReader::Cassandra));
    assert!(race.legacy.is_none());
    let last = race.trie.unwrap().record.steps.pop();
    assert!(matches!(last, Some(Step::Answer(Answer::Present { .. }))));
}

#[test]
fn means_come_as_they_are_counted_and_end_with_all_keys() {
    let (mut world, opened) = open(&["p1000/da", "p1000/oa"], components);
    let (trie, legacy) = (opened.pairs[0].trie, opened.pairs[0].legacy);
    let call = MeansCall { trie, legacy, reader: LegacyReader::Cassandra, sample_large: false };
    let (partial, last) = run(Job::Means { call, sampling: None, job: None }, &mut world);
    let counts: Vec<u64> = partial
        .iter()
        .filter_map(|reply| match reply {
            Reply::Means(means) => Some(means.done),
            _ => None,
        })
        .collect();
    assert!(counts.len() > 10 && counts.is_sorted());
    let Ok(Reply::Means(means)) = last else { panic!("expected means, found {last:?}") };
    assert_eq!((means.done, means.of, means.all_keys), (1000, 1000, true));
    assert!(means.other.is_some(), "the other reader is counted beside it");
}

#[test]
fn keys_are_suggested_from_index_db_else_from_where_the_trie_points() {
    let suggest = |folders: &[&str]| {
        let (mut world, opened) = open(folders, components);
        let pair = opened.pairs[0];
        let job = Job::Suggest(Suggesting::new((pair.trie, pair.legacy)));
        match run(job, &mut world).1 {
            Ok(Reply::Suggested(suggestions)) => suggestions,
            other => panic!("expected suggestions, found {other:?}"),
        }
    };
    let both = suggest(&["p1000/da", "p1000/oa"]);
    assert_eq!((both.keys.len(), both.from, both.all), (1000, Some(Part::Index), true));
    let trie = suggest(&["p1000/da"]);
    assert_eq!(trie.keys, both.keys, "both are in the order of the table");
    assert_eq!((trie.from, trie.all), (Some(Part::Data), true));
    let wide = suggest(&["wide_many/da"]);
    assert_eq!(wide.keys.len(), 250);
    let large = suggest(&["p20k/oa"]);
    assert_eq!((large.keys.len(), large.all), (2_000, false));
    let only_ends = suggest(&["p100k_text/da"]);
    assert_eq!((only_ends.keys.len(), only_ends.from), (2, None));
}

#[test]
fn typed_text_is_understood_or_explained() {
    let (mut world, opened) = open(&["p20k/da"], components);
    let which = (opened.pairs[0].trie, None);
    let mut parse = |key: &str| {
        let job = Job::Parse { which, key: key.into(), row: None, sampling: None };
        match run(job, &mut world).1 {
            Ok(Reply::Parsed(understood)) => understood.key.map(|key| key.text),
            other => panic!("expected an understanding, found {other:?}"),
        }
    };
    assert_eq!(parse("17021"), Ok("17021".into()));
    assert_eq!(parse("0x0000427d"), Ok("17021".into()));
    assert_eq!(parse("token:-3495019013798960315"), Ok("17021".into()));
    let wrong = parse("17x21").unwrap_err();
    assert!(wrong.contains("17x21") && wrong.contains("int"), "{wrong}");
}

#[test]
fn keys_worth_trying_are_found_in_the_files() {
    let (mut world, opened) = open(&["p20k/da", "p20k/oa"], components);
    let which = (opened.pairs[0].trie, opened.pairs[0].legacy);
    let mut find = |what| match run(Job::Try { which, what, sampling: None }, &mut world).1 {
        Ok(Reply::Key(key)) => key,
        other => panic!("expected a key, found {other:?}"),
    };
    assert_eq!(find(TryWhat::First), "4317");
    assert_eq!(find(TryWhat::Last), "11033");
    assert_eq!(find(TryWhat::Random(1)), find(TryWhat::Random(1)));
    let dead_end = find(TryWhat::DeadEnd(1));
    let mut question = call(opened.pairs[0], &dead_end, LegacyReader::Cassandra);
    question.request.filter = FilterMode::Off;
    let answer = race(&mut world, question).trie.unwrap().record.steps.pop();
    assert!(matches!(answer, Some(Step::Answer(Answer::Absent(_)))), "{answer:?}");
}

#[test]
fn a_table_that_is_closed_cancels_what_was_asked_of_it() {
    let (mut world, opened) = open(&["one_partition/da"], components);
    let question = call(opened.pairs[0], "0", LegacyReader::Cassandra);
    world.clear();
    let (_, last) = run(Job::Race { call: question, sampling: None }, &mut world);
    assert_eq!(last.map(|_| ()), Err(Failure::Cancelled));
}

#[test]
fn folders_without_sstables_and_odd_files_open_as_strangers() {
    let (_, opened) = open(&["p20k"], |name| name == "schema.cql");
    assert!(opened.tables.is_empty() && opened.pairs.is_empty());
    assert_eq!(opened.strangers.len(), 1);
}

#[test]
fn damage_that_keeps_index_db_from_being_sampled_ends_its_lane_alone() {
    let cut = |name: &str, content: &mut Vec<u8>| {
        if name.ends_with("Index.db") {
            content.truncate(content.len() / 2 + 1);
        }
    };
    let (mut world, opened) = open_changed(&["p1000/da", "p1000/oa"], components, cut);
    let race = race(&mut world, call(opened.pairs[0], "5", LegacyReader::Scylla));
    let last = race.trie.unwrap().record.steps.pop();
    assert!(matches!(last, Some(Step::Answer(Answer::Present { .. }))), "{last:?}");
    let legacy = race.legacy.unwrap();
    let last = legacy.lane.record.steps.last();
    let Some(Step::Answer(Answer::Unknown(error))) = last else { panic!("{last:?}") };
    assert_eq!(error.part, Part::Index);
    assert_eq!((legacy.samples, legacy.resident), (0, 0));
}

#[test]
fn without_summary_db_and_without_a_trie_keys_and_tokens_are_found_by_samples() {
    let (mut world, opened) =
        open(&["p1000/nb"], |name| name.starts_with("nb-") && !name.ends_with("Summary.db"));
    let which = (None, opened.pairs[0].legacy);
    let mut find = |what| match run(Job::Try { which, what, sampling: None }, &mut world).1 {
        Ok(Reply::Key(key)) => key,
        other => panic!("expected a key, found {other:?}"),
    };
    let (first, last) = (find(TryWhat::First), find(TryWhat::Last));
    assert_ne!(first, last);
    let random: Vec<String> = (1..5).map(|seed| find(TryWhat::Random(seed))).collect();
    assert!(random.iter().any(|key| *key != first), "{random:?}");
    find(TryWhat::Absent(1));
    let (mut world, opened) =
        open(&["p1000/nb"], |name| name.starts_with("nb-") && !name.ends_with("Summary.db"));
    let job = Job::Parse {
        which: (None, opened.pairs[0].legacy),
        key: "token:-9223372036854775808".into(),
        row: None,
        sampling: None,
    };
    let Ok(Reply::Parsed(understood)) = run(job, &mut world).1 else { panic!("not understood") };
    assert_eq!(understood.key.map(|key| key.text), Ok(first));
}
