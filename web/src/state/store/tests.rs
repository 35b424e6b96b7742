//! The state of the page, action by action.

use super::*;
use crate::model::SampleTable;
use crate::model::Wanted;
use triescope_core::error::{Kind, ReadError};
use triescope_core::keys::Token;
use triescope_core::lookup::{AbsentWhy, Answer, Record, Step};
use triescope_core::pos::FilePos;
use triescope_core::race::{CacheModel, KeyFacts, Lane};
use triescope_core::table::{Component, Count, IndexKind, Part, Problem, TypeClasses, Version};

fn facts(name: &str, identity: &str, index: IndexKind) -> TableFacts {
    TableFacts {
        name: name.into(),
        version: Version::new(&name.as_bytes()[..2]).unwrap(),
        table: Some("fx.t".into()),
        directory: String::new(),
        index: Some(index),
        components: Vec::new(),
        bytes: 10,
        partitions: Some(Count::Exact(2)),
        partitioner: None,
        key_types: vec!["int".into()],
        classes: TypeClasses {
            key: Some("org.apache.cassandra.db.marshal.Int32Type".into()),
            ..TypeClasses::default()
        },
        clustering: None,
        compressor: None,
        data_length: None,
        ends: Some((vec![0, 0, 0, 7].into(), vec![0, 0, 0, 9].into())),
        root: None,
        summary: None,
        filter_bytes: None,
        has_row_index: false,
        problems: Vec::new(),
        identity: format!("{name}.{identity}"),
    }
}

fn opened() -> Opened {
    Opened {
        tables: vec![
            (0, facts("da-1-bti", "5.aaaa", IndexKind::Trie)),
            (1, facts("oa-1-big", "6.bbbb", IndexKind::Legacy)),
        ],
        pairs: vec![Pair { trie: Some(0), legacy: Some(1) }],
        strangers: Vec::new(),
    }
}

fn sample(name: &str) -> SampleEntry {
    let table = |version: &str| SampleTable {
        folder: format!("{name}/{version}"),
        version: version.into(),
        files: Vec::new(),
    };
    SampleEntry {
        name: name.into(),
        teaches: String::new(),
        trie: table("da"),
        legacy: table("oa"),
        present: "17021".into(),
        absent: None,
        dead_end: None,
        row: None,
        writer: None,
        made: None,
    }
}

fn race(steps: usize) -> Race {
    let step = Step::Answer(Answer::Absent(AbsentWhy::DeadEnd));
    Race {
        key: KeyFacts {
            text: "1".into(),
            bytes: vec![1].into(),
            token: Token::Murmur3(1),
            comparable: vec![1].into(),
            parts: Vec::new(),
        },
        row: None,
        trie: Some(Lane { record: Record { steps: vec![step; steps], dropped: 0 } }),
        legacy: None,
    }
}

fn at(address: &str) -> State {
    let state = State::new(Address::parse(address));
    act(state, [Action::Samples(vec![sample("p20k"), sample("wide")])])
}

fn act(state: State, actions: impl IntoIterator<Item = Action>) -> State {
    actions.into_iter().fold(state, |state, action| state.after(action).unwrap_or(state))
}

/// A lookup in a sample, with its race of 9 steps.
fn racing(address: &str) -> State {
    let state = act(at(address), [Action::Loaded(Some("p20k".into()), opened())]);
    let call = state.wanted_race().expect("a race is asked for");
    act(state, [Action::Raced(call, Box::new(race(9)))])
}

#[test]
fn a_link_to_a_sample_asks_for_the_sample_then_the_race_then_stands_at_its_step() {
    let state = at("#/s/p20k/lookup?key=5&t=4");
    assert_eq!(state.wanted_source().map(|sample| sample.name.as_str()), Some("p20k"));
    assert_eq!(state.wanted_race(), None);
    let state = act(state, [Action::Loaded(Some("p20k".into()), opened())]);
    assert_eq!(state.wanted_source(), None);
    let call = state.wanted_race().unwrap();
    assert_eq!((call.trie, call.legacy, call.request.key.as_str()), (Some(0), Some(1), "5"));
    let state = act(state, [Action::Raced(call, Box::new(race(9)))]);
    assert_eq!((state.at, state.steps()), (4, (4, 0)));
}

#[test]
fn a_lookup_opens_at_its_last_step_and_the_address_says_so() {
    let state = racing("#/s/p20k/lookup?key=5");
    assert_eq!(state.at, 9);
    assert!(state.address.print().ends_with("&t=9&l=0"));
}

#[test]
fn another_key_is_another_place_and_keeps_the_race_until_its_own_is_here() {
    let before = racing("#/s/p20k/lookup?key=5&t=3");
    let state = act(before.clone(), [Action::LookUp("6".into(), Some(" ".into()), None)]);
    assert!(!state.address.same_place(&before.address));
    assert_eq!(state.address.ask.row, None);
    assert!(state.race.is_some());
    let late = before.wanted_race().unwrap();
    let state = act(state, [Action::Raced(late, Box::new(race(2)))]);
    assert_eq!(state.clock.len(), 9, "an answer to the key before is dropped");
    let back = act(state, [Action::Navigate(before.address.clone())]);
    let call = back.wanted_race().unwrap();
    let back = act(back, [Action::Raced(call, Box::new(race(9)))]);
    assert_eq!(back.at, 3);
}

#[test]
fn a_view_without_a_key_takes_the_key_of_the_sample_else_the_first_one() {
    let state = act(at("#/s/p20k/overview"), [Action::Loaded(Some("p20k".into()), opened())]);
    assert_eq!(state.wanted_race(), None);
    let state = act(state, [Action::Show(View::Lookup)]);
    assert_eq!(state.address.ask.key.as_deref(), Some("17021"));
    let local = act(at("#"), [Action::Loaded(None, opened()), Action::Show(View::Lookup)]);
    assert_eq!(local.address.ask.key.as_deref(), Some("7"));
}

#[test]
fn a_whole_pair_opens_at_once_and_a_set_with_a_problem_waits() {
    let state = act(at("#"), [Action::Loaded(None, opened())]);
    assert_eq!(state.address.print(), "#/l/da-1-bti.5.aaaa+oa-1-big.6.bbbb/overview");
    assert_eq!(state.open().map(|tables| tables.name.as_str()), Some("fx.t"));
    let mut odd = opened();
    odd.tables[0].1.problems.push(Problem::Missing(Part::CompressionInfo));
    let state = act(at("#"), [Action::Loaded(None, odd.clone())]);
    assert_eq!(state.address.origin, None);
    assert!(state.dropped.is_some());
    let state = act(state, [Action::OpenPair(odd.pairs[0])]);
    assert!(state.open().is_some());
}

#[test]
fn a_link_to_local_files_waits_for_them_and_goes_on_once_they_are_dropped() {
    let link = "#/l/oa-1-big.6.bbbb/lookup?key=5&l=1";
    let state = at(link);
    assert_eq!(state.wanted_files().map(<[Wanted]>::len), Some(1));
    let mut other = opened();
    other.tables[1].1.identity = "oa-1-big.7.cccc".into();
    let state = act(state, [Action::Loaded(None, other)]);
    assert!(state.failure.as_ref().is_some_and(|why| why.contains("oa-1-big (6 B)")));
    let state = act(state, [Action::Loaded(None, opened())]);
    assert_eq!(state.open().map(Tables::ids), Some((None, Some(1))));
    assert_eq!(state.address.steps, Some((0, 1)));
    assert_eq!(state.wanted_race().map(|call| call.request.key), Some("5".into()));
}

#[test]
fn an_unknown_sample_is_said_and_the_start_view_shown() {
    let state = at("#/s/nope/lookup?key=1");
    assert_eq!(state.address, Address::default());
    assert!(state.failure.is_some_and(|why| why.contains("nope")));
}

#[test]
fn the_transport_stays_inside_the_race() {
    let state = racing("#/s/p20k/lookup?key=5");
    let to = |actions: &[Action]| act(state.clone(), actions.to_vec()).at;
    assert_eq!(to(&[Action::Step(true)]), 9);
    assert_eq!(to(&[Action::End(false)]), 1);
    assert_eq!(to(&[Action::End(false), Action::Step(false)]), 1);
    assert_eq!(to(&[Action::ToStep(Side::Trie, 5)]), 5);
    assert_eq!(to(&[Action::To(99)]), 9);
    let steps = act(state.clone(), [Action::To(2)]).address;
    assert!(steps.same_place(&state.address), "steps are replaced, not pushed");
}

#[test]
fn playing_from_the_end_begins_at_the_beginning_and_stops_at_the_end() {
    let mut state = act(racing("#/s/p20k/lookup?key=5"), [Action::Play]);
    assert!(state.playing);
    assert_eq!(state.at, 1);
    for _ in 0..8 {
        state = act(state, [Action::Tick]);
    }
    assert_eq!((state.at, state.playing), (9, false));
    assert_eq!(state.after(Action::Tick), None);
    let paused = act(state, [Action::Play, Action::Tick, Action::Play]);
    assert_eq!((paused.at, paused.playing), (2, false));
}

#[test]
fn a_warm_cache_remembers_what_was_looked_up_since_it_was_emptied() {
    let look = |key: &str| Action::LookUp(key.into(), None, None);
    let state = act(
        racing("#/s/p20k/lookup?key=5"),
        [Action::Cache(Some(65_536)), look("6"), look("7"), look("7")],
    );
    let warm = |keys: &[&str]| CacheModel::Warm {
        bytes: 65_536,
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
    };
    assert_eq!(state.address.ask.cache, warm(&["5", "6"]));
    let state = act(state, [Action::Cache(Some(65_536))]);
    assert_eq!(state.address.ask.cache, warm(&[]));
}

#[test]
fn scylla_reads_what_scylla_wrote_unless_the_reader_was_chosen() {
    let mut scylla = opened();
    scylla.tables[1].1.components.push(Component {
        part: Some(Part::Scylla),
        name: "Scylla.db".into(),
        bytes: Some(3),
        listed: Some(true),
        needed: false,
    });
    let state = act(at("#"), [Action::Loaded(None, scylla)]);
    assert_eq!(state.reader(), LegacyReader::Scylla);
    let state = act(state, [Action::Reader(LegacyReader::Cassandra)]);
    assert_eq!(state.reader(), LegacyReader::Cassandra);
    assert_eq!(racing("#/s/p20k/lookup?key=5").reader(), LegacyReader::Cassandra);
}

#[test]
fn a_file_that_cannot_be_read_any_more_is_named_with_what_to_do() {
    let state = act(at("#/s/p20k/lookup?key=5"), [Action::Loaded(Some("p20k".into()), opened())]);
    let call = state.wanted_race().unwrap();
    let mut gone = race(2);
    let kind = Kind::Unreadable { reason: "the file vanished".into() };
    let error = ReadError::new(Part::Partitions, FilePos(4096), "bytes", kind);
    gone.trie.as_mut().unwrap().record.steps[0] = Step::Damage(error);
    let state = act(state, [Action::Raced(call.clone(), Box::new(gone))]);
    let notice =
        "Partitions.db cannot be read any more: the file vanished. Choose the files again.";
    assert_eq!(state.notice.as_deref(), Some(notice));
    assert_eq!(act(state, [Action::Raced(call, Box::new(race(2)))]).notice, None);
}

#[test]
fn a_question_that_has_failed_can_be_asked_again() {
    let state = racing("#/s/p20k/lookup?key=5");
    let call = state.wanted_race().unwrap();
    let look = || Action::LookUp("5".into(), None, None);
    assert_eq!(act(state.clone(), [look()]).attempt, 0);
    let state = act(state, [Action::RaceFailed(call, Failure::Cancelled), look()]);
    assert_eq!((state.attempt, state.race_failure.is_some()), (1, false));
}

#[test]
fn a_sample_that_cannot_be_loaded_leads_back_to_the_start() {
    let state = act(at("#/s/p20k/lookup?key=5"), [Action::LoadFailed("no server".into())]);
    assert_eq!(state.address, Address::default());
    assert_eq!(state.failure.as_deref(), Some("no server"));
}

#[test]
fn means_are_kept_for_each_reader() {
    let state = racing("#/s/p20k/lookup?key=5");
    let call = state.wanted_means().unwrap();
    let state = act(state, [Action::Means(call, Means { done: 3, ..Means::default() })]);
    assert_eq!(state.current_means().map(|means| means.done), Some(3));
    let state = act(state, [Action::Reader(LegacyReader::Scylla)]);
    assert_eq!(state.current_means().map(|means| means.done), None);
    let state = act(state, [Action::Reader(LegacyReader::Cassandra)]);
    assert_eq!(state.current_means().map(|means| means.done), Some(3));
}

fn boarded(state: State, query: &str, at: u32, of: u32) -> State {
    let ask = state.wanted_board().unwrap();
    let board = crate::board::Board {
        query: query.into(),
        at,
        of,
        ticks: Default::default(),
        said: format!("step {at}"),
        is_worth_saying: false,
        sentence: String::new(),
        head: String::new(),
        main: Vec::new(),
        side: Vec::new(),
    };
    act(state, [Action::Boarded(ask, Box::new(board), true)])
}

fn packing(fragment: &str) -> State {
    let loaded = Action::Loaded(Some("p20k".into()), opened());
    act(at(fragment), [loaded, Action::Room(1440, 760)])
}

#[test]
fn the_packing_asks_once_for_each_step_and_takes_the_step_of_the_answer() {
    let state = packing("#/s/p20k/packing");
    let ask = state.wanted_board().unwrap();
    assert_eq!((ask.place.as_str(), ask.query.as_str()), ("#/s/p20k/packing", ""));
    let state = boarded(state, "step=291", 291, 291);
    assert_eq!((state.wanted_board(), state.position()), (None, (291, 291)));
    assert_eq!(state.address.print(), "#/s/p20k/packing?step=291");
    let state = act(state, [Action::Step(false)]);
    assert_eq!(state.wanted_board().unwrap().query, "step=290");
    assert_eq!(state.position(), (290, 291));
    let state = boarded(state, "step=290", 290, 291);
    let state = act(state, [Action::Fetch(false)]);
    assert_eq!(state.wanted_board().unwrap().query, "step=290&goto=previous");
    let state = boarded(state, "step=284", 284, 291);
    assert_eq!(state.address.rest, "step=284");
}

#[test]
fn playing_waits_for_the_workshop_and_ends_at_the_last_step() {
    let state = boarded(packing("#/s/p20k/packing?step=3"), "step=3", 3, 4);
    let state = act(state, [Action::Play]);
    assert!(state.wait().is_some());
    let state = act(state, [Action::Tick]);
    assert_eq!((state.wait(), state.playing), (None, false), "it is at its end");
    let state = act(boarded(state, "step=4", 4, 4), [Action::Play]);
    assert_eq!((state.playing, state.wait()), (true, None), "step 1 is on its way");
    let state = boarded(state, "step=1", 1, 4);
    assert!(state.wait().is_some());
}

#[test]
fn another_writer_shows_the_same_step_and_another_trie_its_last() {
    let state = boarded(packing("#/s/p20k/packing?step=3"), "step=3", 3, 9);
    let go = |to: &str| act(state.clone(), [Action::Navigate(Address::parse(to))]).address.rest;
    assert_eq!(go("#/s/p20k/packing?writer=scylla"), "writer=scylla&step=3");
    assert_eq!(go("#/s/p20k/packing?rows="), "rows=");
    assert_eq!(go("#/s/p20k/packing?writer=scylla&step=5"), "writer=scylla&step=5");
}

#[test]
fn keys_that_a_link_does_not_hold_stay_out_of_it() {
    let state = act(at("#/packing?keys=a"), [Action::Room(1440, 760)]);
    assert_eq!(state.typed_keys().as_deref(), Some("a"));
    let long = "k".repeat(crate::board::LINK_BYTES + 1);
    let state = act(state, [Action::Choose("keys".into(), long.clone())]);
    assert_eq!((state.address.print().as_str(), state.typed_keys()), ("#/packing", Some(long)));
    let state = act(state, [Action::Choose("keys".into(), "b".into())]);
    assert_eq!(state.address.print(), "#/packing?keys=b");
    assert_eq!(state.wanted_board().unwrap().keys, None);
    let made = act(state, [Action::Navigate(Address::parse("#/packing?make=words&n=9"))]);
    assert_eq!(made.typed_keys(), None);
}

#[test]
fn a_partial_board_is_shown_and_the_rest_is_still_wanted() {
    let state = packing("#/s/p20k/page?as=map");
    let ask = state.wanted_board().unwrap();
    let board = boarded(state.clone(), "as=map&page=3", 0, 0).board.unwrap().1;
    let part = |done| Action::Boarded(ask.clone(), Box::new((*board).clone()), done);
    let state = act(state, [part(false)]);
    assert!(state.current_board().is_some());
    assert_eq!(
        state.wanted_board().as_ref(),
        Some(&ask),
        "it is not asked anew, and not taken back"
    );
    assert_eq!(state.address.print(), "#/s/p20k/page?as=map");
    let state = act(state, [part(true)]);
    assert_eq!(state.wanted_board(), None);
    assert_eq!(state.address.print(), "#/s/p20k/page?as=map&page=3");
}

#[test]
fn a_place_that_a_board_says_in_full_is_no_move() {
    let state = packing("#/s/p20k/page?byte=5");
    let state = boarded(state, "page=0&byte=5", 0, 0);
    assert!(state.is_settled, "{}", state.address.print());
    let moved = act(state, [Action::Navigate(Address::parse("#/s/p20k/page?page=1"))]);
    assert!(!moved.is_settled);
}
