//! The work of the workshop on real files, in the smallest slices.

use super::jobs::{Job, Slice};
use super::making::Making;
use super::protocol::{MakeCall, Reply};
use super::twins::Twinning;
use crate::model::{Failure, Made};
use crate::state::intent::Side;
use crate::state::store::TwinCall;
use crate::worker::frames::OpenFile;
use crate::worker::open::Opening;
use crate::worker::world::World;
use std::fs;
use std::path::{Path, PathBuf};
use triescope_core::table::{IndexKind, Part, Version};

/// Tests may leak what they read.
type Bytes = &'static [u8];
type Work = Job<Bytes, Vec<u8>>;

fn keep(bytes: Vec<u8>) -> Bytes {
    bytes.leak()
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra").join(path)
}

/// Opens the files of a folder of the repository's fixtures under number 7, as `change` leaves them.
fn open(path: &str, change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) -> World<Bytes> {
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder(path)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let Some(content) = change(&name, fs::read(entry.path()).unwrap()) else { continue };
        named.push((format!("{path}/{name}"), content.len() as u64));
        bytes.push(keep(content));
    }
    let mut world = World::default();
    let opening = Opening::new(&named, 7, |at, _| bytes[at]);
    assert!(matches!(run(Job::Open(Box::new(opening)), &mut world).1, Ok(Reply::Opened)));
    world
}

/// Runs a job to its end, a slice as small as can be: how far it came in between, and its end.
fn run(mut job: Work, world: &mut World<Bytes>) -> (Vec<(u64, u64)>, Result<Reply, Failure>) {
    let mut come = Vec::new();
    for _ in 0..1_000_000 {
        match job.slice(world, &|| true) {
            Slice::Done(result) => return (come, result),
            Slice::More(Some(Reply::Progress(done, of))) => come.push((done, of)),
            Slice::More(other) => panic!("expected progress, found {other:?}"),
        }
    }
    panic!("the job has no end");
}

fn twin(world: &mut World<Bytes>, side: Side, block: Option<u64>) -> Reply {
    let call = TwinCall { of: 7, side, block, large: false };
    match run(Job::Twin(Twinning::new(call)), world).1 {
        Ok(reply) => reply,
        Err(failure) => panic!("expected a reply, found {failure:?}"),
    }
}

fn not(reply: Reply) -> (String, bool) {
    match reply {
        Reply::Not { why, ask } => (why, ask),
        other => panic!("expected no twin, found {other:?}"),
    }
}

fn bytes<'a>(files: &'a [OpenFile], part: &str) -> &'a [u8] {
    &files.iter().find(|file| file.path == part).unwrap().handle.0
}

#[test]
fn the_twin_of_a_trie_is_the_legacy_index_of_the_same_rows_and_says_what_it_was_built_from() {
    let mut world = open("p20k/da", |_, bytes| Some(bytes));
    let Reply::Twin { version, words, files } = twin(&mut world, Side::Legacy, None) else {
        panic!("expected a twin")
    };
    assert_eq!(version, "oa");
    assert_eq!(words.from, "Partitions.db and Rows.db, with keys from Data.db");
    let real = fs::read(folder("p20k/oa/oa-1-big-Index.db")).unwrap();
    assert_eq!(bytes(&files, "Index.db"), real);
    let index = files
        .into_iter()
        .map(|file| (Part::from_file_name(&file.path).unwrap(), keep(file.handle.0)));
    let facts = world.put_twin(7, 8, Version::new(b"oa").unwrap(), index.collect()).unwrap();
    assert_eq!((facts.index, facts.problems.len()), (Some(IndexKind::Legacy), 0));
    assert_eq!(facts.ends, world.table(7).unwrap().facts.ends);
}

#[test]
fn a_legacy_index_alone_is_enough_for_a_trie() {
    let mut world = open("p20k/oa", |name, bytes| name.ends_with("Index.db").then_some(bytes));
    let Reply::Twin { words, files, .. } = twin(&mut world, Side::Trie, None) else {
        panic!("expected a twin")
    };
    assert_eq!(words.from, "Index.db alone");
    assert_eq!(words.assumed.len(), 1, "{words:?}");
    assert!(bytes(&files, "Partitions.db").len() > 100_000);
}

#[test]
fn row_blocks_of_another_size_are_more_blocks() {
    let mut world = open("wide_int/da", |_, bytes| Some(bytes));
    let mut rows = |block| match twin(&mut world, Side::Trie, block) {
        Reply::Twin { version, words, files } => {
            assert_eq!(version, "da");
            (words.from, bytes(&files, "Rows.db").len())
        }
        other => panic!("expected a twin, found {other:?}"),
    };
    let (small, large) = (rows(Some(1024)), rows(Some(65_536)));
    assert!(small.0.ends_with("of 1024 bytes") && large.0.ends_with("of 65536 bytes"));
    assert!(small.1 > 10 * large.1, "{small:?} {large:?}");
}

#[test]
fn what_a_twin_needs_and_does_not_have_is_a_sentence() {
    let mut world = open("p20k/da", |name, bytes| (!name.ends_with("Data.db")).then_some(bytes));
    let why = "The legacy index of this table cannot be built: a trie holds prefixes of keys only, so Data.db is \
               needed for them, but it is not here.";
    assert_eq!(not(twin(&mut world, Side::Legacy, None)), (why.to_owned(), false));
    let damaged = |name: &str, mut bytes: Vec<u8>| {
        if name.ends_with("Data.db") {
            let middle = bytes.len() / 2;
            bytes.truncate(middle);
        }
        Some(bytes)
    };
    let (why, ask) = not(twin(&mut open("p20k/da", damaged), Side::Legacy, None));
    assert!(why.contains("CompressionInfo.db, offset 111") && !ask, "{why}");
}

#[test]
fn a_made_sample_is_a_pair_of_whole_tables() {
    let made = Made { rows: 5_000, block_bytes: 4096 };
    let versions = vec!["mt".to_owned(), "me".to_owned()];
    let call = MakeCall { name: "wide".into(), versions, made };
    let mut world = World::default();
    let (come, end) = run(Job::Make(Making::new(call.clone())), &mut world);
    assert!(come.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 == pair[1].1));
    let Ok(Reply::Made { files }) = end else { panic!("expected files, found {end:?}") };
    let named: Vec<(String, u64)> =
        files.iter().map(|file| (file.path.clone(), file.handle.0.len() as u64)).collect();
    let opening = Opening::new(&named, 7, |at, _| keep(files[at].handle.0.clone()));
    run(Job::Open(Box::new(opening)), &mut world).1.unwrap();
    let kinds = [7, 8].map(|id| {
        let facts = &world.table(id).unwrap().facts;
        assert_eq!(facts.problems, [], "{}", facts.name);
        facts.index.unwrap()
    });
    assert_ne!(kinds[0], kinds[1]);
    let odd = MakeCall { versions: vec!["da".into()], ..call };
    let (_, end) = run(Job::Make(Making::new(odd)), &mut world);
    let (why, _) = not(end.unwrap());
    assert!(why.starts_with("The sample wide cannot be made: "), "{why}");
}
