//! Boards of real files, in the smallest slices.

use crate::board::{Board, BoardAsk, value};
use crate::model::Failure;
use crate::state::address::View;
use crate::worker::world::World;
use crate::workshop::boards::Boards;
use crate::workshop::fixture::{Source, open, to_end};
use crate::workshop::jobs::Job;
use crate::workshop::protocol::Reply;
use std::cell::RefCell;
use std::rc::Rc;

type Builds = Rc<RefCell<Boards>>;

fn ask(place: &str, query: &str, width: u32) -> BoardAsk {
    let tables = if place == "#/packing" { (None, None) } else { (Some(7), None) };
    let (place, query) = (place.to_owned(), query.to_owned());
    BoardAsk { view: View::Packing, tables, place, query, keys: None, width, height: 760 }
}

fn run(
    ask: BoardAsk,
    job: fn(BoardAsk, Builds) -> Job<Source, Vec<u8>>,
    world: &mut World<Source>,
    builds: &Builds,
) -> Result<Reply, Failure> {
    to_end(job(ask, Rc::clone(builds)), world)
}

fn board(world: &mut World<Source>, builds: &Builds, ask: BoardAsk) -> Result<Board, Failure> {
    match run(ask, Job::Board, world, builds)? {
        Reply::Board(board) => Ok(*board),
        other => panic!("expected a board, found {other:?}"),
    }
}

fn why(failure: Failure) -> String {
    crate::words::failure::sentence(&failure)
}

/// All that a board shows, as one text.
fn all(board: &Board) -> String {
    let parts = board.main.iter().chain(&board.side).map(|part| part.html.as_str());
    board.head.clone() + &board.sentence + &parts.collect::<String>()
}

#[test]
fn p20k_is_packed_as_the_file_is() {
    let (mut world, builds) = (open("p20k/da", |_, _| {}), Builds::default());
    let place = "#/s/p20k/packing";
    let last = board(&mut world, &builds, ask(place, "", 1440)).unwrap();
    assert_eq!(last.at, last.of);
    assert!(last.head.contains("the same 162,365 bytes, no difference"), "{}", last.head);
    assert!(last.said.starts_with("The root comes last"), "{}", last.said);
    assert_eq!(value(&last.query, "step"), Some(last.of.to_string()));
    // The last subtree of page 7 goes in.
    let page = board(&mut world, &builds, ask(place, "goto=page 7", 1440)).unwrap();
    assert_eq!(value(&page.query, "goto"), None);
    let a7 = format!("step={}", page.at + 5);
    let a7 = board(&mut world, &builds, ask(place, &a7, 1440)).unwrap();
    assert_eq!(
        a7.said,
        "Page 7 has 650 B left. Of 211 waiting subtrees 172 fit; the greatest, a7 with 649 B, goes in."
    );
    let text = all(&a7);
    for part in [
        "46 of 256",
        "124,389 B",
        "156,825",
        "32,767 B",
        "1 B left, no waiting subtree is that small",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let pad = board(&mut world, &builds, ask(place, "goto=padding 7", 1440)).unwrap();
    assert_eq!(
        (pad.at, pad.said.contains("zeros fill the page")),
        (a7.at + 1, true),
        "{}",
        pad.said
    );
    let wrote = board(&mut world, &builds, ask(place, "goto=@32,118", 1440)).unwrap();
    assert_eq!(wrote.at, a7.at);
    let next =
        board(&mut world, &builds, ask(place, &format!("step={}&goto=next", a7.at), 1440)).unwrap();
    assert_eq!(next.at, a7.at + 2);
    let back =
        board(&mut world, &builds, ask(place, &format!("step={}&goto=previous", next.at), 1440))
            .unwrap();
    assert_eq!(back.at, page.at);
}

#[test]
fn what_leads_nowhere_is_said_and_the_step_stays() {
    let (mut world, builds) = (open("p20k/da", |_, _| {}), Builds::default());
    for (typed, words) in [
        ("page 99", "no page 99: expected 0 to 39"),
        ("padding 39", "no padding"),
        ("@999999", "no byte at 999,999"),
        ("left", "leads nowhere"),
    ] {
        let query = format!("step=5&goto={typed}");
        let board = board(&mut world, &builds, ask("#/s/p20k/packing", &query, 1440)).unwrap();
        assert!(board.said.contains(words) && all(&board).contains(words), "{}", board.said);
        assert_eq!(board.at, 5, "{typed}");
    }
}

#[test]
fn both_writers_stand_side_by_side() {
    let (mut world, builds) = (World::<Source>::default(), Builds::default());
    for width in [390, 820, 1440] {
        let both = board(
            &mut world,
            &builds,
            ask("#/packing", "make=prefix&n=5000&writer=both&step=20", width),
        )
        .unwrap();
        let text = all(&both);
        for part in [
            "They part at step",
            "Go there: step",
            "Sparse though dense is smaller",
            "Cassandra",
            "ScyllaDB",
        ] {
            assert!(text.contains(part), "{part} at {width}");
        }
    }
    let (mut world, builds) = (open("p20k/da", |_, _| {}), Builds::default());
    let same = board(&mut world, &builds, ask("#/s/p20k/packing", "", 1440)).unwrap();
    assert!(all(&same).contains("Both writers"));
    let scylla =
        board(&mut world, &builds, ask("#/s/p20k/packing", "writer=scylla", 1440)).unwrap();
    assert!(scylla.head.contains("as ScyllaDB would pack them"), "{}", scylla.head);
}

#[test]
fn a_row_trie_of_one_partition_is_packed_as_the_file_is() {
    let (mut world, builds) = (open("wide_int/da", |_, _| {}), Builds::default());
    let rows = board(&mut world, &builds, ask("#/s/wide_int/packing", "rows=", 1440)).unwrap();
    assert!(rows.head.contains("Rows.db") && rows.head.contains("no difference"), "{}", rows.head);
    let wrong = board(&mut world, &builds, ask("#/s/wide_int/packing", "rows=17x", 1440));
    assert!(why(wrong.unwrap_err()).contains("17x"));
}

#[test]
fn a_legacy_index_gives_the_trie_that_would_be_built() {
    let (mut world, builds) = (open("p20k/oa", |_, _| {}), Builds::default());
    let board = board(&mut world, &builds, ask("#/s/p20k/packing", "", 1440)).unwrap();
    assert!(board.head.contains("would be built from Index.db"), "{}", board.head);
    assert!(all(&board).contains("Partitions.db so far, 162,3"), "the same trie as in da");
    // What the file has is judged all the same.
    for part in ["Index.db: ", "Summary.db: "] {
        assert!(
            board.head.contains(part) && board.head.contains("byte for byte"),
            "{}",
            board.head
        );
    }
}

#[test]
fn a_flipped_byte_is_where_the_verdict_says() {
    // The last byte of page 7 is padding: no reader looks at it, and a writer leaves it zero.
    let flip = |name: &str, bytes: &mut Vec<u8>| {
        if name.ends_with("Partitions.db") {
            bytes[32_767] = 1;
        }
    };
    let (mut world, builds) = (open("p20k/da", flip), Builds::default());
    let board = board(&mut world, &builds, ask("#/s/p20k/packing", "", 1440)).unwrap();
    assert!(
        board.head.contains("lies at 32,767, page 7 + 4,095. The file has")
            && board.head.contains("The writer makes"),
        "{}",
        board.head
    );
}

#[test]
fn typed_keys_are_packed_as_they_are_typed() {
    let (mut world, builds) = (World::default(), Builds::default());
    let keys = "keys=car%0Acard%0Acare%0Acat";
    let typed =
        board(&mut world, &builds, ask("#/packing", &format!("{keys}&steps=all&step=1"), 1440))
            .unwrap();
    assert!(typed.said.starts_with("Key 1 is the first"), "{}", typed.said);
    assert!(typed.query.starts_with(keys), "{}", typed.query);
    let twice = board(&mut world, &builds, ask("#/packing", "keys=a%0Aa%0Ab", 1440)).unwrap();
    assert!(twice.head.contains("2 keys") && twice.head.contains("1 line repeats another one"));
    let none = board(&mut world, &builds, ask("#/packing", "", 1440)).unwrap();
    assert!(none.said.contains("No key yet") && none.head.contains("UUIDs") && none.of == 0);
    let made =
        board(&mut world, &builds, ask("#/packing", "make=uuids&n=5000&writer=scylla", 1440))
            .unwrap();
    assert!(made.of > 3, "{}", made.of);
}

#[test]
fn the_steps_are_copied_as_text() {
    let (mut world, builds) = (open("p20k/da", |_, _| {}), Builds::default());
    let asked = ask("#/s/p20k/packing", "step=3", 1440);
    let Ok(Reply::Text(text)) = run(asked, Job::Text, &mut world, &builds) else {
        panic!("expected text")
    };
    assert!(text.contains("a7 with 649 B, goes in."), "{text:.300}");
    assert!(text.lines().count() > 290);
}

#[test]
fn missing_files_are_named() {
    let (mut world, builds) = (World::<Source>::default(), Builds::default());
    let gone = board(&mut world, &builds, ask("#/s/p20k/packing", "", 1440)).unwrap_err();
    assert_eq!(gone, Failure::Cancelled);
}
