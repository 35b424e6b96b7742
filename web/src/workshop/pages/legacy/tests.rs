//! Boards of real files, against what the lookups and the answers of the databases say.

use super::draw::{Leads, alignment};
use super::*;
use crate::board::Board;
use crate::state::address::View;
use crate::worker::open::Opening;
use crate::worker::windows::{BUDGET_BYTES, File, FileSource, Windows};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;

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

/// Opens a folder of the fixtures under the number 7; `change` may change bytes, and says whether a file is there.
fn open(folder: &str, change: impl Fn(&str, &mut Vec<u8>) -> bool) -> World<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra").join(folder);
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(root).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let mut content = fs::read(entry.path()).unwrap();
        if change(&name, &mut content) {
            named.push((format!("{folder}/{name}"), content.len() as u64));
            bytes.push(content);
        }
    }
    let windows = Rc::new(RefCell::new(Windows::new(BUDGET_BYTES)));
    let mut opening = Opening::new(&named, 7, |at, part| {
        FileSource::new(part, Disk(bytes[at].clone()), &windows)
    });
    let mut world = World::default();
    while opening.step(&mut world) {}
    world
}

fn ask(place: &str, query: &str, width: u32) -> BoardAsk {
    let (place, query) = (place.to_owned(), query.to_owned());
    let tables = (None, Some(7));
    BoardAsk { view: View::Pages, tables, place, query, keys: None, width, height: 800 }
}

fn board_of(world: &World<Source>, ask: &BoardAsk) -> Board {
    let mut legacy = Legacy::default();
    loop {
        match legacy.board(ask, world, &|| true) {
            Slice::More(_) => {}
            Slice::Done(Ok(Reply::Board(board))) => return *board,
            Slice::Done(other) => panic!("{other:?}"),
        }
    }
}

fn text_of(world: &World<Source>, ask: &BoardAsk) -> String {
    match Legacy::default().text(ask, world, &|| false) {
        Slice::Done(Ok(Reply::Text(text))) => text,
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

const P20K: &str = "#/s/p20k/page?key=17021";

#[test]
fn a_key_is_shown_where_the_lookup_finds_it() {
    let world = open("p20k/oa", |_, _| true);
    let board = board_of(&world, &ask(P20K, "as=legacy", 1440));
    assert_eq!(
        board.said,
        "Sample 48 leads to a window of 128 entries; 24 of them are parsed until key 17021 is equal. It lies at Data.db 92,505."
    );
    assert_eq!(
        board.query,
        "as=legacy&sample=48&part=Index&page=14&node=60568&entry=23".to_owned()
    );
    let scylla = board_of(&world, &ask(P20K, "as=legacy&by=scylla", 1440));
    assert!(scylla.head.contains("as ScyllaDB samples: 11"), "{}", scylla.head);
    assert!(scylla.said.contains("of 1,867 entries"), "{}", scylla.said);
}

#[test]
fn a_row_is_shown_in_its_block_of_the_promoted_index() {
    let world = open("wide_int/oa", |_, _| true);
    let board = board_of(&world, &ask("#/s/wide_int/page?key=0&ck=1234", "as=legacy", 1440));
    assert_eq!(
        board.said,
        "Row 1234 of partition 0 is looked for in block 311: 9 probes in the promoted index, then Data.db 889,621–890,720."
    );
    assert!(board.query.ends_with("promoted=311"), "{}", board.query);
    let html = all(&board);
    for cell in ["1220", "1238", "17,403", "340,723", "500 × 4 B"] {
        assert!(html.contains(cell), "{cell}");
    }
}

#[test]
fn a_block_is_reached_by_the_table_of_offsets() {
    use triescope_core::scan::{BlockScan, Next, Order, Scan};
    let world = open("wide_int/oa", |_, _| true);
    let table = world.table(7).unwrap();
    let mut scan = Scan::new(table, None, Order::Forward).unwrap();
    let Next::Partition(_) = scan.step().unwrap() else { panic!() };
    let Next::Partition(partition) = scan.step().unwrap() else { panic!() };
    let mut blocks = BlockScan::new(table, &partition).unwrap().unwrap();
    assert!(blocks.go_to(311).unwrap() && !blocks.go_to(500).unwrap());
    let block = blocks.step().unwrap().unwrap();
    assert_eq!((block.number, block.at.0, block.start), (311, 17_403, 340_723));
}

#[test]
fn the_windows_hold_all_partitions_once() {
    let world = open("p20k/oa", |_, _| true);
    let (mut keys, mut count) = (BTreeSet::new(), 0);
    for sample in 0..157 {
        let query = format!("as=legacy&sample={sample}&text=entries.csv");
        let text = text_of(&world, &ask("#/s/p20k/page", &query, 1440));
        for line in text.lines().skip(1) {
            keys.insert(line.split(',').nth(1).unwrap().to_owned());
            count += 1;
        }
    }
    assert_eq!((keys.len(), count), (20_000, 20_000));
}

#[test]
fn the_address_of_a_board_gives_the_same_board() {
    for (folder, place, queries) in [
        (
            "p20k/oa",
            P20K,
            vec![
                "as=legacy",
                "as=legacy&sample=3&entry=9",
                "as=legacy&part=Index&node=60568",
                "as=legacy&part=Index&page=30",
                "as=legacy&sample=99999&entry=99999",
                "as=legacy&part=Partitions&node=124446&sample=2",
                "as=legacy&goto=5",
                "as=legacy&by=scylla&sample=2",
            ],
        ),
        ("wide_int/oa", "#/s/wide_int/page", vec!["as=legacy&entry=1&promoted=311", "as=legacy"]),
    ] {
        let world = open(folder, |_, _| true);
        for query in queries {
            let first = board_of(&world, &ask(place, query, 820));
            let second = board_of(&world, &ask(place, &first.query, 820));
            assert_eq!(first, second, "{query}");
            let html = all(&first);
            let found = ids(&html);
            let unique: BTreeSet<&str> = found.iter().copied().collect();
            assert_eq!(found.len(), unique.len(), "{query}: {found:?}");
        }
    }
    let world = open("p20k/oa", |_, _| true);
    let page = board_of(&world, &ask(P20K, "as=legacy&part=Index&node=60568", 820));
    assert!(page.query.contains("sample=48") && page.query.contains("entry=23"), "{}", page.query);
    let other = board_of(&world, &ask(P20K, "as=legacy&part=Partitions&node=124446&sample=2", 820));
    assert!(other.query.contains("part=Partitions&node=124446"), "{}", other.query);
}

#[test]
fn no_words_overlap_or_are_cut() {
    for folder in ["p20k/oa", "p20k/nb", "wide_int/oa", "range_tombstones/oa", "one_partition/oa"] {
        let world = open(folder, |_, _| true);
        for by in ["", "&by=scylla"] {
            for sample in [0, 1, 47, 48, 156] {
                let ask = ask(P20K, &format!("as=legacy&sample={sample}&entry=30{by}"), 1440);
                let query = Query::of(&ask);
                let mut legacy = Legacy { tables: ask.tables, ..Legacy::default() };
                let contest = world.contest(ask.tables).unwrap();
                legacy.samples(&contest, &query, &|| false);
                let contest = legacy.with_samples(contest);
                let facts = read::facts(&contest, &ask, &query, None).unwrap();
                for width in [342.0, 756.0, 1376.0] {
                    let (lead, entry) = (|_| String::new(), |_| String::new());
                    let sheet = alignment(&facts, width, Leads { sample: &lead, entry: &entry });
                    assert_eq!(
                        sheet.scene.faults(),
                        Vec::<String>::new(),
                        "{folder} {sample} {width}"
                    );
                    if let Some(Ok(it)) = &facts.promoted {
                        let entry = &facts.window.entries[facts.chosen];
                        let found = facts.found.as_ref();
                        let sheet = promoted::strip(entry, it, found, width, &lead);
                        assert_eq!(sheet.scene.faults(), Vec::<String>::new(), "{folder} {width}");
                    }
                }
            }
        }
    }
}

#[test]
fn damage_is_said_and_the_rest_stays() {
    // The key length of entry 24 of window 48: it claims more than the file has left.
    let damaged = open("p20k/oa", |name, bytes| {
        if name.ends_with("Index.db") {
            bytes[60_578] = 0xff;
            bytes.truncate(100_000);
        }
        true
    });
    let board = board_of(&damaged, &ask("#/s/p20k/page", "as=legacy&sample=48&entry=3", 1440));
    let html = all(&board);
    assert!(html.contains("leg-wrong") && html.contains("Index.db, offset"), "{html}");
    assert!(board.said.contains("at least 24 entries; entry 3 is key"), "{}", board.said);
    // A Summary.db whose count cannot be: samples are made in memory, the same ones.
    let summary = open("p20k/oa", |name, bytes| {
        if name.ends_with("Summary.db") {
            bytes[4] = 0xff;
        }
        true
    });
    let board = board_of(&summary, &ask(P20K, "as=legacy", 1440));
    let html = all(&board);
    assert!(html.contains("Summary.db, offset 4") && html.contains("made in memory"), "{html}");
    assert!(board.said.starts_with("Sample 48 leads to a window of 128 entries"), "{}", board.said);
    // Without Summary.db, and where a large Index.db is not sampled before a person says so.
    let missing = open("p20k/oa", |name, _| !name.ends_with("Summary.db"));
    let ask = ask(P20K, "as=legacy", 1440);
    let contest = missing.contest(ask.tables).unwrap();
    let query = Query::of(&ask);
    let facts = read::facts(&contest, &ask, &query, Some(1 << 30)).unwrap();
    assert!(facts.samples.is_none() && facts.window.entries.len() == 20_000);
    let html = all(&board::board(&facts, &ask, &query, &|_| String::new()));
    assert!(html.contains("Make the samples") && html.contains("make=yes"), "{html}");
    // No byte of either file takes the board away.
    for at in (0..2_500).step_by(61) {
        let world = open("p20k/oa", |name, bytes| {
            if name.ends_with("Summary.db") || name.ends_with("Index.db") {
                bytes[at] ^= 0x80;
            }
            true
        });
        assert!(!board_of(&world, &ask).main.is_empty());
    }
}
