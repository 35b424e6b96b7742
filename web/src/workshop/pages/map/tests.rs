//! Maps of real files in the smallest slices, and of a million made-up pages.

use super::board::{Seen, board};
use super::query::{By, Query};
use super::tile::{Facts, Of, Tiles};
use super::{boxes, cells};
use crate::board::{Board, BoardAsk, value};
use crate::state::address::View;
use crate::worker::open::Opening;
use crate::worker::windows::{BUDGET_BYTES, File, FileSource, Windows};
use crate::worker::world::World;
use crate::workshop::boards::Boards;
use crate::workshop::jobs::{Job, Slice};
use crate::workshop::protocol::Reply;
use crate::workshop::selection::table_with;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use triescope_core::census::{PageCount, Sparse};
use triescope_core::source::Source as _;
use triescope_core::table::{IndexKind, Part};

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

/// Opens the tables of a folder of the repository's fixtures, with other bytes where `change` says.
fn open(table: &str, change: impl Fn(&str, &mut Vec<u8>)) -> (World<Source>, BoardAsk) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra").join(table);
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    for folder in ["da", "oa"].map(|version| root.join(version)) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let mut content = fs::read(&path).unwrap();
            change(path.file_name().unwrap().to_str().unwrap(), &mut content);
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
    let find =
        |kind| (0..9).find(|id| world.table(*id).and_then(|it| it.facts.index) == Some(kind));
    let tables = (find(IndexKind::Trie), find(IndexKind::Legacy));
    let place = format!("#/s/{table}/page");
    let query = "as=map".to_owned();
    let ask =
        BoardAsk { view: View::Pages, tables, place, query, keys: None, width: 1440, height: 800 };
    (world, ask)
}

/// Runs a job to its end, a slice as small as can be: the last answer, and the boards on the way.
fn run(
    world: &mut World<Source>,
    boards: &Rc<RefCell<Boards>>,
    ask: &BoardAsk,
) -> (Board, Vec<Board>) {
    let mut job = Job::<Source, Vec<u8>>::Board(ask.clone(), Rc::clone(boards));
    let mut come = Vec::new();
    for _ in 0..1_000_000 {
        match job.slice(world, &|| true) {
            Slice::More(Some(Reply::Board(board))) => come.push(*board),
            Slice::More(_) => {}
            Slice::Done(Ok(Reply::Board(board))) => return (*board, come),
            Slice::Done(other) => panic!("{other:?}"),
        }
    }
    panic!("it never ends")
}

fn asked(ask: &BoardAsk, query: &str, width: u32) -> BoardAsk {
    BoardAsk { query: query.into(), width, ..ask.clone() }
}

fn all(board: &Board) -> String {
    let parts = board.main.iter().chain(&board.side).map(|part| part.html.as_str());
    board.head.clone() + &parts.collect::<String>()
}

/// What must hold for any board: its ids are unique, and its query leads to itself.
fn accept(world: &mut World<Source>, ask: &BoardAsk) -> Board {
    let boards = Rc::default();
    let (board, _) = run(world, &boards, ask);
    let html = all(&board);
    let mut ids = BTreeSet::new();
    for id in html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.insert(id.to_owned()), "{}: id {id} twice", ask.query);
    }
    let (again, _) = run(world, &boards, &BoardAsk { query: board.query.clone(), ..ask.clone() });
    assert!(again == board, "{} is {}, then {}", ask.query, board.query, again.query);
    board
}

#[test]
fn p100k_text_is_the_map_of_the_board() {
    let (mut world, ask) = open("p100k_text", |_, _| {});
    let board = accept(&mut world, &asked(&ask, "as=map&part=Partitions", 1440));
    assert_eq!(
        board.said,
        "Full pages are filled to 77.6 % on average; the emptiest is page 254 with 1,322 B of padding. \
         Each holds one of 255 subtrees: no two are small enough to share a page."
    );
    assert_eq!(value(&board.query, "page").as_deref(), Some("254"));
    let text = all(&board);
    for part in [
        "256 pages",
        "1,040,384–1,044,479",
        "2,774 B, 67.7 %",
        "440, 345 of them partitions",
        "child <span class=\"m\">c9</span>",
        "DENSE_24 in page 255",
        "345 of 100,000 keys",
        "345 to 456, last page all",
        "67.7 to 90.6 %",
        "packing?goto=padding%20254",
    ] {
        assert!(text.contains(part), "{part}");
    }
    for (page, room) in [(253, "1,278 B"), (248, "1,231 B")] {
        assert!(text.contains(&format!("id=\"l-{page}\"")) && text.contains(room), "{page}");
    }
}

#[test]
fn every_map_leads_to_itself_at_every_width() {
    for table in ["p20k", "wide_int", "range_tombstones", "one_partition"] {
        let (mut world, ask) = open(table, |_, _| {});
        for part in ["Partitions", "Rows", "Index", "Summary", "Data"] {
            for by in By::ALL {
                for width in [390, 820, 1440] {
                    let query = format!("as=map&part={part}&by={}", by.word());
                    let board = accept(&mut world, &asked(&ask, &query, width));
                    assert!(!board.said.is_empty() && !board.main.is_empty(), "{query}");
                }
            }
        }
    }
}

#[test]
fn a_list_goes_on_and_a_page_that_is_not_there_is_the_last() {
    let (mut world, ask) = open("p100k_text", |_, _| {});
    let board = accept(&mut world, &asked(&ask, "as=map&part=Partitions&list=250&page=9999", 1440));
    assert_eq!(value(&board.query, "page").as_deref(), Some("255"));
    let text = all(&board);
    assert!(text.contains("pages 251 to 256 of 256") && text.contains("list-before"), "{text}");
    let (mut seen, boards) = (BTreeSet::new(), Rc::default());
    for from in (0..256).step_by(50) {
        let query = format!("as=map&part=Partitions&list={from}&page=0");
        let (board, _) = run(&mut world, &boards, &asked(&ask, &query, 1440));
        let html = all(&board);
        let ids = html.split(" id=\"l-").skip(1).filter_map(|rest| rest.split('"').next());
        seen.extend(ids.map(|id| id.parse::<u64>().unwrap()));
    }
    assert_eq!(seen, (0..256).collect());
}

#[test]
fn what_is_counted_so_far_is_shown_and_kept() {
    let (mut world, ask) = open("p100k_text", |_, _| {});
    let boards = Rc::default();
    let (_, come) = run(&mut world, &boards, &asked(&ask, "as=map&part=Partitions", 1440));
    assert!(come.len() > 4 && come.len() <= 17, "{}", come.len());
    assert!(come[0].said.contains(" of 256 pages are read."), "{}", come[0].said);
    // A second question finds all of it.
    let (_, again) = run(&mut world, &boards, &asked(&ask, "as=map&part=Partitions&by=fill", 1440));
    assert_eq!(again.len(), 0);
}

#[test]
fn damage_is_marked_and_the_rest_stays() {
    let (mut world, ask) = open("p20k", |name, bytes| {
        if name.ends_with("Partitions.db") {
            bytes[32_067] ^= 8;
            bytes[70_000] ^= 0xff;
        }
    });
    let board = accept(&mut world, &asked(&ask, "as=map&part=Partitions&by=findings&page=0", 1440));
    let text = all(&board);
    assert!(
        text.contains("class=\"fault\"") && board.said.contains("cannot be read whole"),
        "{}",
        board.said
    );
    assert!(text.contains("data-key=\"n\" data-to="), "the next finding");
    // Without an index there is nothing to count, and the map says so.
    let (mut world, ask) = open("p20k", |name, bytes| {
        if name.ends_with("Partitions.db") || name.ends_with("Index.db") {
            bytes.truncate(10);
        }
    });
    for part in ["Partitions", "Index", "Summary", "Data"] {
        let board = accept(&mut world, &asked(&ask, &format!("as=map&part={part}"), 820));
        assert!(!board.said.is_empty());
    }
}

/// Pages of a file that nobody has written: padding and lookups that go up and down, three findings.
fn made(pages: u64) -> Sparse<PageCount> {
    Sparse::from_entries((0..pages).map(|no| {
        let used = 2600 + (no * 37 % 1200) as u16;
        PageCount {
            shares: [used / 2, 60, used / 4, used - used / 2 - used / 4 - 60, 0],
            nodes: 440,
            payloads: 345,
            roots: 1,
            depth: (no % 7) as u8,
            lookups: 300 + (no * 13 % 200) as u32,
            faults: u8::from([310_000, 560_017, 811_111].contains(&no)),
            ..PageCount::default()
        }
    }))
}

#[test]
fn a_million_pages_are_few_elements() {
    let pages = made(1_000_000);
    let tiles = Tiles { part: Part::Partitions, bytes: 4_096_000_000, of: Of::Pages(&pages) };
    let (world, ask) = open("one_partition", |_, _| {});
    let seen = Seen { done: true, waits: false, pages: None };
    for width in [390, 820, 1440, 2560] {
        for by in By::ALL {
            let ask = asked(&ask, &format!("as=map&part=Partitions&by={}", by.word()), width);
            let board = board(&ask, Query::of(&ask), &world, &tiles, &seen);
            let html = all(&board);
            let elements = html.matches('<').count() - html.matches("</").count();
            assert!(elements < 1_600, "{width} {by:?}: {elements} elements");
            assert!(html.len() < 700_000, "{width} {by:?}: {} bytes", html.len());
            assert!(html.contains("class=\"fault\""), "{width} {by:?}");
        }
    }
    // From all of them to one, in a few steps.
    let mut query = "as=map&part=Partitions&page=560017".to_owned();
    let mut steps = 0;
    loop {
        let ask = asked(&ask, &query, 1440);
        let board = board(&ask, Query::of(&ask), &world, &tiles, &seen);
        let nearer = board.head.split("data-key=\"+\"").nth(1).unwrap();
        let Some(to) = nearer.strip_prefix(" data-to=\"#/s/one_partition/page?") else { break };
        query = to.split('"').next().unwrap().replace("&amp;", "&");
        steps += 1;
        assert!(steps < 4, "{query}");
    }
    assert!(value(&query, "span").unwrap().parse::<u64>().unwrap() <= boxes::MOST_BOXES);
}

#[test]
fn the_worst_page_of_a_cell_wins_and_each_page_has_its_place() {
    let pages = made(5_000);
    let tiles = Tiles { part: Part::Partitions, bytes: 5_000 * 4096, of: Of::Pages(&pages) };
    let facts = Facts::of(&tiles);
    let plan = cells::Plan::new(0, 5_000, 1000.0);
    let places: BTreeSet<_> =
        (0..5_000).map(|no| plan.rect(no)).map(|it| (it.x as u64, it.y as u64)).collect();
    assert_eq!(places.len(), 5_000 / plan.per as usize);
    let scene = cells::cells(&tiles, &facts, By::Fill, &plan, Some(17), 1000.0);
    assert_eq!(scene.faults(), Vec::<String>::new());
    assert!(plan.height() <= scene.height);
    // The list is in order, whatever the ranks are.
    let listed = facts.ranked(&tiles, 100, 300);
    let mut told: Vec<_> = (0..5_000).map(|no| (u64::MAX - tiles.get(no).room, no)).collect();
    told.sort_unstable();
    assert_eq!(listed, told[100..400].iter().map(|(_, no)| *no).collect::<Vec<_>>());
}

#[test]
fn boxes_have_no_faults() {
    for pages in [1, 31, 256, 513, 2048] {
        let list = made(pages);
        let tiles = Tiles { part: Part::Partitions, bytes: pages * 4096, of: Of::Pages(&list) };
        let facts = Facts::of(&tiles);
        for width in [358.0, 756.0, 1024.0, 2100.0] {
            let plan = boxes::Plan::new(0, pages, width);
            let scene = boxes::boxes(&tiles, &facts, By::Family, &plan, Some(0), width);
            assert_eq!(scene.faults(), Vec::<String>::new(), "{pages} at {width}");
            let last = plan.rect(pages - 1);
            assert!(last.right() <= width + 0.5 && last.bottom() <= scene.height, "{last:?}");
        }
    }
}

#[test]
fn the_list_is_copied_as_csv_and_json() {
    let (mut world, ask) = open("p20k", |_, _| {});
    for (name, part) in
        [("Partitions", Part::Partitions), ("Index", Part::Index), ("Summary", Part::Summary)]
    {
        let mut ask = asked(&ask, &format!("as=map&part={name}&text=csv"), 1440);
        let text = |ask: &BoardAsk, world: &mut World<Source>| {
            let mut job = Job::<Source, Vec<u8>>::Text(ask.clone(), Rc::default());
            loop {
                match job.slice(world, &|| false) {
                    Slice::More(_) => {}
                    Slice::Done(Ok(Reply::Text(text))) => return text,
                    Slice::Done(other) => panic!("{other:?}"),
                }
            }
        };
        let csv = text(&ask, &mut world);
        let columns: BTreeSet<_> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns.len(), 1, "{csv}");
        let bytes = table_with(&world, ask.tables, part).unwrap().source(part).unwrap().len();
        assert_eq!(csv.lines().count() as u64, 1 + bytes.div_ceil(4096), "{name}");
        ask.query = ask.query.replace("csv", "json");
        let json: serde_json::Value = serde_json::from_str(&text(&ask, &mut world)).unwrap();
        assert_eq!(json.as_array().unwrap().len(), csv.lines().count() - 1);
    }
}
