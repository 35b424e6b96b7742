//! The view on real tables, whole and damaged, in the smallest slices.

use super::draw::{Stroke, strip};
use super::query::Query;
use crate::board::{Board, BoardAsk, value};
use crate::layout::Scene;
use crate::state::address::View;
use crate::worker::open::Opening;
use crate::worker::windows::{BUDGET_BYTES, File, FileSource, Windows};
use crate::worker::world::World;
use crate::workshop::boards::Boards;
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use crate::workshop::selection::Selection;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use triescope_core::table::IndexKind;

#[derive(Debug)]
pub struct Disk(Vec<u8>);

impl File for Disk {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
        Ok(self.0[from as usize..to as usize].to_vec())
    }
}

type Place = World<FileSource<Disk>>;

/// Opens folders of the fixtures, with other bytes where `change` says; `None` leaves a file out.
fn open(folders: &[&str], change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) -> Place {
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    for folder in folders {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra").join(folder);
        for entry in fs::read_dir(root).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let Some(content) = change(&name, fs::read(entry.path()).unwrap()) else { continue };
            named.push((format!("{folder}/{name}"), content.len() as u64));
            bytes.push(content);
        }
    }
    let windows = Rc::new(RefCell::new(Windows::new(BUDGET_BYTES)));
    let mut opening = Opening::new(&named, 0, |at, part| {
        FileSource::new(part, Disk(bytes[at].clone()), &windows)
    });
    let mut world = World::default();
    while opening.step(&mut world) {}
    world
}

/// p20k with bit 3 of byte 32,067 of Partitions.db flipped, as on the board of the design.
fn flipped() -> Place {
    open(&["p20k/da"], |name, mut bytes| {
        if name.ends_with("Partitions.db") {
            bytes[32_067] ^= 8;
        }
        Some(bytes)
    })
}

fn ask(world: &Place, query: &str, width: u32) -> BoardAsk {
    let find =
        |kind| (0..9).find(|id| Some(kind) == world.table(*id).and_then(|it| it.facts.index));
    BoardAsk {
        view: View::Findings,
        tables: (find(IndexKind::Trie), find(IndexKind::Legacy)),
        place: "#/s/p20k/findings".into(),
        query: query.into(),
        keys: None,
        width,
        height: 820,
    }
}

fn run(boards: &mut Boards, world: &Place, ask: &BoardAsk) -> Reply {
    let is_text = value(&ask.query, "text").is_some();
    for _ in 0..1_000_000 {
        let slice = match is_text {
            true => boards.text(ask, world, &|| true),
            false => boards.board(ask, world, &|| true),
        };
        match slice {
            Slice::Done(done) => return done.unwrap(),
            Slice::More(Some(Reply::Progress(done, of))) => {
                assert!(done <= of, "{done} of {of}");
            }
            Slice::More(other) => panic!("{other:?}"),
        }
    }
    panic!("it never ends")
}

fn board(world: &Place, query: &str, width: u32) -> Board {
    board_of(&mut Boards::default(), world, query, width)
}

fn board_of(boards: &mut Boards, world: &Place, query: &str, width: u32) -> Board {
    match run(boards, world, &ask(world, query, width)) {
        Reply::Board(board) => *board,
        other => panic!("{other:?}"),
    }
}

fn text(world: &Place, query: &str) -> String {
    match run(&mut Boards::default(), world, &ask(world, query, 1440)) {
        Reply::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

fn all(board: &Board) -> String {
    let parts = board.main.iter().chain(&board.side).map(|part| part.html.as_str());
    board.head.clone() + &parts.collect::<String>()
}

fn ids(html: &str) -> Vec<&str> {
    html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn a_flipped_bit_is_found_and_selected() {
    let world = flipped();
    let shown = board(&world, "", 1440);
    assert!(shown.said.starts_with("2 of "), "{}", shown.said);
    assert!(shown.query.starts_with("check=trie/"), "{}", shown.query);
    let chosen = board(&world, "check=trie/overlap", 1440);
    assert_eq!(chosen.query, "check=trie/overlap&part=Partitions&page=7&node=31823&byte=31823");
    let html = all(&chosen);
    for part in [
        "A pointer leads to the wrong node",
        "Partitions.db, page 7",
        "31,823",
        "<b class=\"badt\">0a 15 fe f6 af</b>",
        "some that belong to a node visited before",
        "#/s/p20k/page?part=Partitions&amp;page=7&amp;node=31823&amp;byte=31823",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[test]
fn the_query_and_what_is_shown_are_one() {
    let world = flipped();
    let mut boards = Boards::default();
    let queries = [
        "",
        "check=trie/positions",
        "check=trie/overlap&n=7",
        "check=nothing&show=failed",
        "check=files/missing&deep=1",
        "part=Partitions&page=7&byte=31825",
        "try=Partitions@32067:3",
        "show=all&n=x&part=Nothing&try=Data@1:9",
    ];
    for query in queries {
        for width in [390, 820, 1440] {
            let shown = board_of(&mut boards, &world, query, width);
            let again = board_of(&mut boards, &world, &shown.query, width);
            assert_eq!(shown, again, "{query}");
        }
    }
    let from_pages = board_of(&mut boards, &world, "part=Partitions&page=7&byte=31825", 1440);
    assert!(from_pages.query.starts_with("check=trie/overlap&"), "{}", from_pages.query);
}

#[test]
fn the_numbers_are_those_of_the_command() {
    let world = flipped();
    let json: Value = serde_json::from_str(&text(&world, "text=json")).unwrap();
    let table = &json["sstables"]["da-1-bti"];
    assert_eq!(table["counts"].to_string(), "{\"trie/overlap\":1,\"trie/positions\":1}");
    assert_eq!(table["worst"], "broken");
    let found = &table["findings"][1];
    assert_eq!((&found["pos"], &found["offset_in_page"]), (&31_823.into(), &3_151.into()));
    let csv = text(&world, "text=csv");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.contains("da-1-bti,trie/positions,broken,Partitions.db,31700,7,,"), "{csv}");
    let words = text(&world, "text=text");
    assert!(
        words.contains("Partitions.db, offset 31823 (page 7 + 3151), bytes of a node"),
        "{words}"
    );
}

#[test]
fn what_is_not_here_is_a_check_that_is_not_possible() {
    let world = open(&["p20k/da"], |name, bytes| (!name.ends_with("Data.db")).then_some(bytes));
    let shown = board(&world, "deep=1", 1440);
    let html = all(&shown);
    assert!(shown.said.contains("not possible"), "{}", shown.said);
    assert!(html.contains("Data.db is missing") && html.contains("files/missing"), "{html}");
    let whole = board(&open(&["p20k/da", "p20k/oa"], |_, bytes| Some(bytes)), "deep=1", 1440);
    assert!(!whole.said.contains("not possible"), "{}", whole.said);
}

#[test]
fn findings_of_both_tables_stand_in_one_list() {
    let world = open(&["p20k/da", "p20k/oa"], |name, mut bytes| {
        if name.ends_with("Partitions.db") {
            bytes[32_067] ^= 8;
        }
        if name.ends_with("Index.db") {
            bytes[40_000] ^= 1;
        }
        Some(bytes)
    });
    let html = all(&board(&world, "", 1440));
    assert!(
        html.contains("id=\"check-trie-overlap\"") && html.contains("id=\"check-index-"),
        "{html}"
    );
    let shown = board(&world, "check=trie/overlap", 1440);
    assert!(all(&shown).contains("<span class=\"c\">da-1-bti</span>"));
}

#[test]
fn no_damage_leaves_the_view_empty() {
    for part in ["Partitions.db", "Statistics.db", "CompressionInfo.db", "Data.db", "TOC.txt"] {
        for keep in [0, 1, 50] {
            let world = open(&["p20k/da"], |name, mut bytes| {
                if name.ends_with(part) {
                    bytes.truncate(keep);
                }
                Some(bytes)
            });
            for width in [390, 1440] {
                let shown = board(&world, "deep=1", width);
                assert!(!shown.said.starts_with("All"), "{part} {keep}: {}", shown.said);
                assert!(all(&shown).contains("<h2"), "{part} {keep}");
            }
        }
    }
}

#[test]
fn ids_are_there_once_and_pictures_have_no_faults() {
    let world = flipped();
    for width in [390, 820, 1200, 1440, 1920] {
        for query in ["check=trie/overlap", "check=trie/positions&deep=1", "show=failed"] {
            let shown = board(&world, query, width);
            let html = all(&shown);
            let ids = ids(&html);
            assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{ids:?}");
        }
    }
    let judge = |scene: &Scene| assert_eq!(scene.faults(), [""; 0], "{}", scene.label);
    for of in [1, 2, 9, 40, 300, 5_000, 2_500_000] {
        for page in [0, 1, 7, of / 2, of - 1] {
            for width in [320.0, 358.0, 772.0, 968.0] {
                let others: Vec<u64> = (0..of).step_by(1 + of as usize / 50).collect();
                let page = page.min(of - 1);
                judge(&strip(&Stroke { page, of, others: &others, word: "page" }, width));
            }
        }
    }
    let table = world.table(0).unwrap();
    for at in [0, 1, 4_095, 4_096, 31_823, 32_067, 159_000, 162_364] {
        let check = triescope_core::check::catalog::find("trie/overlap").unwrap();
        let finding = triescope_core::check::Finding::new(check, "field", "this", "that")
            .at(triescope_core::table::Part::Partitions, triescope_core::pos::FilePos(at))
            .len(9_000);
        let place = super::place::Place::of(table, &finding).unwrap();
        for room in [300.0, 358.0, 430.0, 620.0, 644.0] {
            judge(&super::draw::map(table, &place, room).unwrap());
        }
    }
}

#[test]
fn text_of_files_never_becomes_a_tag() {
    let world = open(&["p20k/da"], |name, bytes| match name.ends_with("TOC.txt") {
        true => Some([bytes.as_slice(), b"<img src=x>\n"].concat()),
        false => Some(bytes),
    });
    let shown = board(&world, "check=files/unknown-listed", 1440);
    let html = all(&shown);
    assert!(html.contains("&lt;img") && !html.contains("<img"), "{html}");
    assert_eq!(
        shown.query,
        Query::of(&ask(&world, &shown.query, 1440)).print(Selection::of(&ask(
            &world,
            &shown.query,
            1440
        )))
    );
}

#[test]
fn the_flipped_bit_is_found_and_tried_in_memory() {
    let world = flipped();
    let mut boards = Boards::default();
    let offered = board_of(&mut boards, &world, "check=trie/overlap", 1440);
    assert!(all(&offered).contains("1,576 bits of what lies here"), "{}", all(&offered));
    let found = board_of(&mut boards, &world, "check=trie/overlap&flip=1", 1440);
    let html = all(&found);
    assert!(html.contains("One flipped bit explains it"), "{html}");
    assert!(
        html.contains("Byte 32,067 of Partitions.db: byte <span class=\"m\">06</span>"),
        "{html}"
    );
    assert!(html.contains("0000 <b class=\"badt\">0</b>110") && html.contains("0000 <b>1</b>110"));
    assert!(html.contains("all checks pass. 1,576 bits were tried; only this one does that."));
    assert!(html.contains("flip=1&amp;try=Partitions@32067:3"), "{html}");
    let tried =
        board_of(&mut boards, &world, "check=trie/overlap&flip=1&try=Partitions@32067:3", 1440);
    assert!(all(&tried).contains("No check fails; 2 before."), "{}", all(&tried));
    assert_eq!(tried.said, found.said, "the file is as it was");
    let other = board_of(&mut boards, &world, "check=trie/overlap&try=Partitions@32067:2", 390);
    assert!(all(&other).contains("before.</b>") && !all(&other).contains("No check fails"));
    let next = board_of(&mut boards, &world, "check=trie/positions", 1440);
    assert!(!next.query.contains("try="), "{}", next.query);
}

#[test]
fn a_flipped_bit_of_the_rows_is_solved_for_and_tried() {
    let world = open(&["p5k_uuid/da"], |name, mut bytes| {
        if name.ends_with("Data.db") {
            bytes[50_000] ^= 0x10;
        }
        Some(bytes)
    });
    let mut boards = Boards::default();
    let query = "check=data/chunk-checksum&deep=1&flip=1&try=Data@50000:4";
    let shown = board_of(&mut boards, &world, query, 1440);
    let html = all(&shown);
    assert!(
        html.contains("One flipped bit explains it") && html.contains("Byte 50,000 of Data.db"),
        "{html}"
    );
    assert!(html.contains("No check fails;"), "{html}");
    assert!(shown.query.contains("part=Data&page="), "{}", shown.query);
}
