//! Rows of real files against what Cassandra says of them, in the smallest slices; damage, and files that are missing.

use crate::board::{Board, BoardAsk, value};
use crate::state::address::{Address, View};
use crate::worker::open::Opening;
use crate::worker::windows::{BUDGET_BYTES, File, FileSource, Windows};
use crate::worker::world::World;
use crate::workshop::boards::Boards;
use crate::workshop::jobs::{Job, Slice};
use crate::workshop::protocol::Reply;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use triescope_core::data::{Item, Items};
use triescope_core::pos::DataPos;
use triescope_core::table::IndexKind;

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

/// Opens one version of a table of the repository's fixtures; `change` may alter a file, or take it out.
fn open(folder: &str, change: impl Fn(&str, &mut Vec<u8>) -> bool) -> World<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra").join(folder);
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let mut content = fs::read(&path).unwrap();
        if change(path.file_name().unwrap().to_str().unwrap(), &mut content) {
            named.push((path.display().to_string(), content.len() as u64));
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

/// A question as the page asks it: the key goes into the place.
fn ask(world: &World<Source>, fragment: &str, width: u32) -> BoardAsk {
    let find =
        |kind| (0..9).find(|id| world.table(*id).and_then(|it| it.facts.index) == Some(kind));
    let tables = (find(IndexKind::Trie), find(IndexKind::Legacy));
    let address = Address::parse(fragment);
    let (place, query) = (address.place(), address.rest);
    BoardAsk { view: View::Pages, tables, place, query, keys: None, width, height: 800 }
}

fn run(world: &mut World<Source>, boards: &Rc<RefCell<Boards>>, ask: &BoardAsk) -> Board {
    let mut job = Job::<Source, Vec<u8>>::Board(ask.clone(), Rc::clone(boards));
    for _ in 0..1_000_000 {
        match job.slice(world, &|| true) {
            Slice::More(_) => {}
            Slice::Done(Ok(Reply::Board(board))) => return *board,
            Slice::Done(other) => panic!("{other:?}"),
        }
    }
    panic!("it never ends")
}

fn all(board: &Board) -> String {
    let parts = board.main.iter().chain(&board.side).map(|part| part.html.as_str());
    board.head.clone() + &parts.collect::<String>()
}

/// What must hold for any board: its ids are unique, and its query leads to itself.
fn accept(world: &mut World<Source>, fragment: &str, width: u32) -> Board {
    let ask = ask(world, fragment, width);
    let board = run(world, &Rc::default(), &ask);
    let html = all(&board);
    let mut ids = BTreeSet::new();
    for id in html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.insert(id.to_owned()), "{fragment}: id {id} twice");
    }
    let again = run(world, &Rc::default(), &BoardAsk { query: board.query.clone(), ..ask });
    assert!(again == board, "{fragment} is {} and then {}", board.query, again.query);
    board
}

/// Positions of the items that a board lists.
fn listed(board: &Board) -> Vec<u64> {
    let html = all(board);
    let ids = html.split(" id=\"i-").skip(1).filter_map(|rest| rest.split('"').next());
    ids.map(|id| id.parse().unwrap()).collect()
}

#[test]
fn the_boundary_of_the_board_is_said_as_there() {
    for version in ["da", "oa"] {
        let mut world = open(&format!("range_tombstones/{version}"), |_, _| true);
        let board = accept(&mut world, "#/s/range_tombstones/page?key=1&as=rows&item=23307", 1440);
        let text = all(&board);
        for part in [
            "Partition 1 <span class=\"q\">2 of 8",
            "−4069959284402364209",
            "bytes 21,866–65,944",
            "Range tombstone boundary at 23,307",
            "deletion of 22:21:41 ends after ck1 = 25, that of 22:21:42 begins",
            "written: 2023-11-14, UTC",
            "02 05 00 01 00 00 00 00 19 0d 6d f0 1d dc a7 40",
            "Block 1</b> at 22,980",
            "33 of 40",
            "begins inside the deletion of 22:21:41",
        ] {
            assert!(text.contains(part), "{version}: {part}");
        }
        // The position alone leads to the same partition.
        let found = accept(&mut world, "#/s/range_tombstones/page?as=rows&item=23310", 1440);
        assert_eq!(value(&found.query, "item").as_deref(), Some("23307"), "{version}");
        assert_eq!(found.said, board.said);
    }
}

#[test]
fn what_is_typed_leads_to_its_row() {
    let mut world = open("range_tombstones/da", |_, _| true);
    let item = |world: &mut World<Source>, typed: &str| {
        let fragment = format!("#/s/range_tombstones/page?key=1&as=rows&goto={typed}");
        let board = accept(world, &fragment, 1440);
        (value(&board.query, "item"), value(&board.query, "goto"), board.said)
    };
    assert_eq!(item(&mut world, "block%201").0.as_deref(), Some("22980"));
    assert_eq!(item(&mut world, "@23310").0.as_deref(), Some("23307"));
    // Behind the boundary after 25 comes the row of 26.
    assert_eq!(item(&mut world, "26,0").0.as_deref(), Some("23330"));
    // What is typed wrong leaves the rows as they are, and is said.
    for (typed, said) in [("block%2040", "The partition has blocks 0 to 39."), ("abc", "abc")] {
        let fragment = format!("#/s/x/page?key=1&as=rows&item=23307&goto={typed}");
        let ask = ask(&world, &fragment, 1440);
        let board = run(&mut world, &Rc::default(), &ask);
        assert!(board.said.contains(said) && all(&board).contains("say-note"), "{}", board.said);
        assert_eq!(board.query, "as=rows&item=23307");
    }
    let board = accept(&mut world, "#/s/range_tombstones/page?key=1&ck=26,0&as=rows", 1440);
    assert_eq!(value(&board.query, "item").as_deref(), Some("23330"));
}

#[test]
fn later_and_earlier_pass_every_item_of_a_partition() {
    for table in ["range_tombstones", "wide_int", "counters", "all_types_val", "wide_static"] {
        for version in ["da", "oa"] {
            let mut world = open(&format!("{table}/{version}"), |_, _| true);
            // Each item of the first partition, decoded without a board.
            let (told, _) = {
                let it = world.table(0).unwrap();
                let mut reader = it.data_reader().unwrap();
                let mut items = Items::new(it.data_format().unwrap(), DataPos(0));
                let mut told = Vec::new();
                loop {
                    let item = items.next(&mut reader).unwrap().unwrap();
                    told.push(item.at().0);
                    if matches!(item, Item::End(_)) {
                        break (told, ());
                    }
                }
            };
            let told: Vec<u64> = told.into_iter().take(700).collect();
            let mut seen = BTreeSet::new();
            let boards = Rc::default();
            let mut to = format!("#/s/{table}/page?as=rows&item=0");
            for _ in 0..100 {
                let ask = ask(&world, &to, 1440);
                let board = run(&mut world, &boards, &ask);
                assert!(listed(&board).len() <= 62, "{}", listed(&board).len());
                seen.extend(listed(&board));
                let html = all(&board);
                let Some(later) = html.split("id=\"later\" href=\"").nth(1) else { break };
                to = later.split('"').next().unwrap().replace("&amp;", "&");
            }
            let seen: Vec<u64> = seen.into_iter().take(told.len()).collect();
            assert_eq!(seen, told, "{table} {version}");
        }
    }
}

#[test]
fn the_next_partition_and_the_next_deletion_are_found() {
    let mut world = open("range_tombstones/da", |_, _| true);
    let leads = |board: &Board, key: &str| {
        let at = board.head.split(&format!("data-key=\"{key}\" data-to=\"")).nth(1);
        at.map(|to| to.split('"').next().unwrap().replace("&amp;", "&"))
    };
    let (mut to, mut keys) = ("#/s/range_tombstones/page?as=rows".to_owned(), Vec::new());
    loop {
        let board = accept(&mut world, &to, 1440);
        keys.push(board.said.split(':').next().unwrap().to_owned());
        match leads(&board, "]") {
            Some(next) => to = next,
            None => break,
        }
    }
    let told = ["5", "1", "0", "2", "4", "7", "6", "3"].map(|key| format!("Partition {key}"));
    assert_eq!(keys.len(), 8, "{keys:?}");
    assert_eq!(keys[..5], told[..5]);
    let board = accept(&mut world, "#/s/range_tombstones/page?key=1&as=rows&item=21873", 1440);
    let next = leads(&board, "n").unwrap();
    assert!(next.ends_with("item=21982"), "{next}");
    let board = accept(&mut world, &next, 1440);
    assert!(leads(&board, "n").unwrap().ends_with("item=23307"));
    // Where the end of one deletion is chosen, the one before is its start.
    let board = accept(&mut world, "#/s/range_tombstones/page?key=1&as=rows&item=23307", 1440);
    assert!(leads(&board, "N").unwrap().ends_with("item=21982"));
}

#[test]
fn damage_is_an_item_and_the_rest_stays() {
    let mut world = open("range_tombstones/da", |name, bytes| {
        if name.ends_with("Data.db") {
            bytes[23_307] = 0xff;
        }
        // Without CRC.db the bytes are read as they are.
        !name.ends_with("CRC.db")
    });
    for width in [390, 820, 1440] {
        let board = accept(&mut world, "#/s/range_tombstones/page?key=1&as=rows&item=23198", width);
        let (text, listed) = (all(&board), listed(&board));
        assert!(text.contains("jd bad") && listed.contains(&23_198) && listed.contains(&23_307));
        assert!(listed.iter().any(|at| *at > 24_000), "the next block: {listed:?}");
    }
}

#[test]
fn what_is_missing_is_said() {
    let without = |part: &'static str| open("wide_int/da", move |name, _| !name.ends_with(part));
    for (part, said) in [
        ("Data.db", "Data.db is not here"),
        ("CompressionInfo.db", "Without CompressionInfo.db, Data.db cannot be decompressed"),
        ("Statistics.db", "Without the types in Statistics.db"),
    ] {
        let board = accept(&mut without(part), "#/s/wide_int/page?as=rows&key=1&item=5", 1440);
        assert!(board.said.contains(said), "{part}: {}", board.said);
    }
    let mut world = open("wide_int/da", |_, _| true);
    let board = accept(&mut world, "#/s/wide_int/page?as=rows&key=99999", 1440);
    assert_eq!(board.said, "The partition 99999 is not in this table.");
    let board = accept(&mut world, "#/s/wide_int/page?as=rows&item=99999999999", 1440);
    assert!(value(&board.query, "item").is_some());
}

#[test]
fn the_list_is_copied_as_csv_and_json() {
    let mut world = open("all_types_val/da", |_, _| true);
    let mut asked = ask(&world, "#/s/all_types_val/page?as=rows&text=json", 1440);
    let text = |world: &mut World<Source>, ask: &BoardAsk| {
        let mut job = Job::<Source, Vec<u8>>::Text(ask.clone(), Rc::default());
        loop {
            match job.slice(world, &|| false) {
                Slice::More(_) => {}
                Slice::Done(Ok(Reply::Text(text))) => return text,
                Slice::Done(other) => panic!("{other:?}"),
            }
        }
    };
    let json: serde_json::Value = serde_json::from_str(&text(&mut world, &asked)).unwrap();
    let rows = json.as_array().unwrap();
    assert!(rows.len() > 2 && rows[0]["kind"] == "partition head", "{json}");
    asked.query = asked.query.replace("json", "csv");
    assert!(text(&mut world, &asked).starts_with("at,bytes,kind"));
}
