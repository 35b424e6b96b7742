//! Pages of real files.

use super::dump::read;
use super::parents::{Parents, way};
use super::picture;
use super::shades::{Shade, shades};
use super::shown::Shown;
use crate::board::{Board, BoardAsk, value};
use crate::model::Failure;
use crate::state::address::View;
use crate::worker::world::World;
use crate::workshop::boards::Boards;
use crate::workshop::fixture::{Source, open, open_all, to_end};
use crate::workshop::jobs::Job;
use crate::workshop::protocol::Reply;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use triescope_core::bti::Node;
use triescope_core::dissect::ItemKind;
use triescope_core::table::Part;

fn ask(query: &str, width: u32) -> BoardAsk {
    BoardAsk {
        view: View::Pages,
        tables: (Some(7), Some(8)),
        place: "#/s/p20k/page".into(),
        query: query.into(),
        keys: None,
        width,
        height: 824,
    }
}

fn board(world: &mut World<Source>, query: &str, width: u32) -> Board {
    let boards = Rc::new(RefCell::new(Boards::default()));
    match to_end(Job::Board(ask(query, width), boards), world) {
        Ok(Reply::Board(board)) => *board,
        other => panic!("expected a board of {query}, found {other:?}"),
    }
}

fn html(board: &Board) -> String {
    let parts = board.main.iter().chain(&board.side).map(|part| part.html.as_str());
    board.head.clone() + &parts.collect::<String>()
}

#[test]
fn a_byte_is_a_field_of_a_node_with_its_way_from_the_root() {
    let mut world = open_all(&["p20k/da", "p20k/oa"], |_, _| {});
    let board = board(&mut world, "byte=124476", 1440);
    assert_eq!(board.query, "part=Partitions&page=30&node=124446&byte=124476");
    assert_eq!(board.said, "node at 124,446, page 30 of Partitions.db: SPARSE_12, 65 children");
    let all = html(&board);
    for text in [
        "Page 30 <span class=\"q\">of 40, Partitions.db</span>",
        "prefix <span class=\"m\">40 4f</span>",
        "Parent, page 39",
        "transition byte 28",
        "distance 28",
        "124214, in page 30",
        "Byte 124,476 is <b class=\"m\">0111 1111</b>",
        // The board of the design counts the same.
        "In: 7, from page",
        "<td class=\"n\">518</td><td class=\"n\">2,508 B</td><td class=\"n\">61.2 %</td>",
        "<td class=\"n\">67</td><td class=\"n\">1,516 B</td><td class=\"n\">37.0 %</td>",
        "<td class=\"n\">72 B</td><td class=\"n\">1.8 %</td>",
    ] {
        assert!(all.contains(text), "{text} is not in {all}");
    }
}

#[test]
fn a_leaf_leads_to_its_key() {
    let mut world = open("p20k/da", |_, _| {});
    // Cassandra's own trace: key 17021 lies at 92,505.
    let all = html(&board(&mut world, "node=124204", 1440));
    assert!(all.contains("key <span class=\"m\">17021</span>"), "{all}");
    assert!(all.contains("href=\"#/s/p20k/lookup?key=17021\""), "{all}");
    assert!(all.contains("prefix <span class=\"m\">40 4f 7f 32</span>"), "{all}");
}

#[test]
fn the_query_of_a_board_gives_the_same_board() {
    let mut world = open_all(&["p20k/da", "p20k/oa"], |_, _| {});
    for query in [
        "",
        "part=Index",
        "part=Summary&page=0",
        "part=Data&page=3",
        "byte=5",
        "node=124204&x=hex",
        "page=39",
        "part=Statistics",
        "part=Filter&byte=4097",
        "part=CompressionInfo",
        "page=4000",
    ] {
        let first = board(&mut world, query, 1440);
        assert_eq!(board(&mut world, &first.query, 1440), first, "{query}");
    }
    assert_eq!(board(&mut world, "", 1440).query, "part=Partitions&page=39&node=162326");
}

#[test]
fn pictures_have_no_faults_and_ids_are_unique() {
    for folder in ["p20k/da", "p20k/oa", "wide_int/da", "wide_int/oa", "wide_many/nb"] {
        let mut world = open(folder, |_, _| {});
        for part in ["Partitions", "Rows", "Index", "Summary", "Data", "Statistics"] {
            for width in [390, 820, 1440] {
                let query = format!("part={part}");
                let board = board(&mut world, &query, width);
                let all = html(&board);
                let ids: Vec<&str> =
                    all.split(" id=\"").skip(1).filter_map(|it| it.split('"').next()).collect();
                let unique: BTreeSet<&str> = ids.iter().copied().collect();
                assert_eq!(ids.len(), unique.len(), "{folder} {part}");
                let Ok(shown) = Shown::of(&ask(&query, width), &world) else { continue };
                for scene in [
                    picture::strip(&shown, f64::from(width) - 48.0),
                    picture::rows(&shown, None, f64::from(width) - 48.0, 8.0),
                ] {
                    assert_eq!(scene.faults(), Vec::<String>::new(), "{folder} {part} {width}");
                }
            }
        }
    }
}

#[test]
fn shades_cover_nodes_as_the_reader_takes_them_apart() {
    let world = open("p20k/da", |_, _| {});
    for page in [0, 7, 30, 39] {
        let shown =
            Shown::of(&ask(&format!("page={page}"), 1440), &world).unwrap_or_else(|_| panic!());
        let shades = shades(&shown);
        let count = |is: fn(&Shade) -> bool| shades.iter().filter(|shade| is(shade)).count();
        let (mut payload, mut transitions) = (0, 0);
        for item in shown.view.items.iter().filter(|item| item.kind == ItemKind::Node) {
            let node = Node::read(Part::Partitions, item.at, &shown.bytes).unwrap();
            payload += usize::try_from(node.end().0 - node.payload_at().0).unwrap();
            transitions += match node.kind().family() {
                triescope_core::bti::Family::Sparse => node.transitions().count(),
                triescope_core::bti::Family::Single => 1,
                _ => 0,
            };
        }
        assert_eq!(
            count(|it| matches!(it, Shade::Payload | Shade::PayloadHead)),
            payload,
            "{page}"
        );
        assert_eq!(count(|it| matches!(it, Shade::Transitions(_))), transitions, "{page}");
        assert_eq!(count(|it| matches!(it, Shade::Unclaimed | Shade::Unreadable)), 0, "{page}");
    }
}

#[test]
fn the_way_to_a_node_is_that_of_a_walk_by_its_bytes() {
    let world = open("p20k/da", |_, _| {});
    let shown = Shown::of(&ask("page=30", 1440), &world).unwrap_or_else(|_| panic!());
    let mut parents = Parents::new(shown.table, shown.part, shown.view.page).unwrap();
    while !parents.step(shown.table) {}
    let source = shown.table.source(Part::Partitions).unwrap();
    let root = shown.table.footer.as_ref().unwrap().root;
    for item in shown.view.items.iter().filter(|item| item.kind == ItemKind::Node) {
        let way = way(&shown, &parents, item.at).unwrap();
        let mut at = root;
        for byte in &way.bytes {
            let page = triescope_core::source::Source::page(source, at.page()).unwrap();
            at = Node::read(Part::Partitions, at, &page).unwrap().child(*byte).unwrap().unwrap();
        }
        assert_eq!(at, item.at);
    }
}

#[test]
fn damage_is_shown_in_its_place_and_the_rest_stays() {
    // The design's example: one bit of a distance.
    let mut world = open("p20k/da", |name, bytes| {
        if name.ends_with("Partitions.db") {
            bytes[31_931] = 0;
        }
    });
    let shown = board(&mut world, "part=Partitions&page=7", 1440);
    let all = html(&shown);
    assert!(all.contains("cannot be read"), "{all}");
    assert!(all.matches("PAYLOAD_ONLY").count() > 100);
    let hunted = board(&mut world, "part=Partitions&page=0&node=0&hunt=next", 1440);
    assert_eq!(value(&hunted.query, "page").as_deref(), Some("7"));
    let at: u64 = value(&hunted.query, "node").unwrap().parse().unwrap();
    assert!((28_672..32_768).contains(&at), "{at}");
    // A truncated file has its pages as far as it goes.
    let mut world = open("p20k/da", |name, bytes| {
        if name.ends_with("Partitions.db") {
            bytes.truncate(100_000);
        }
    });
    let all = html(&board(&mut world, "part=Partitions&page=24", 1440));
    assert!(all.contains("Page 24 <span class=\"q\">of 25"), "{all}");
}

#[test]
fn what_is_not_here_is_a_sentence() {
    let mut world = open("p20k/da", |_, _| {});
    for (query, why) in
        [("part=Index", "Index.db is not here."), ("part=Rows", "Rows.db has no bytes.")]
    {
        assert!(html(&board(&mut world, query, 390)).contains(why), "{query}");
    }
}

#[test]
fn items_are_copied_as_json_and_csv() {
    let mut world = open("p20k/da", |_, _| {});
    let text = |world: &mut World<Source>, form: &str| -> Result<String, Failure> {
        let boards = Rc::new(RefCell::new(Boards::default()));
        match to_end(Job::Text(ask(&format!("page=30&text={form}"), 1440), boards), world)? {
            Reply::Text(text) => Ok(text),
            other => panic!("{other:?}"),
        }
    };
    let csv = text(&mut world, "csv").unwrap();
    assert!(csv.contains("124446,165,node,\"SPARSE_12, 65 children\",\"\""), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&text(&mut world, "json").unwrap()).unwrap();
    let items = json["items"].as_array().unwrap();
    let bytes: u64 = items.iter().map(|item| item["size"].as_u64().unwrap()).sum();
    assert_eq!((items.len() + 1, bytes), (csv.lines().count(), 4096));
}

#[test]
fn bytes_are_read_as_numbers_text_and_time() {
    let of = |bytes: &[u8], own: usize, name: &str| {
        read(bytes, own).into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    };
    let bytes = [0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(of(&bytes, 1, "u8, i8").as_deref(), Some("255, -1"));
    assert_eq!(of(&bytes, 1, "u16, i16").as_deref(), Some("65534, -2"));
    assert_eq!(of(&bytes, 1, "u16, little-endian").as_deref(), Some("65279"));
    assert_eq!(of(&[0x81, 0x02], 2, "vint").as_deref(), Some("258, 2 B"));
    assert_eq!(of(&[0x05], 1, "zig-zag vint").as_deref(), Some("-3"));
    assert_eq!(of(b"key!rest", 3, "text").as_deref(), Some("“key”"));
    let micros = 1_700_000_000_000_000_i64.to_be_bytes();
    assert!(of(&micros, 8, "time in microseconds").unwrap().starts_with("2023-11-14"));
    assert_eq!(of(&[1, 2], 2, "time in microseconds"), None);
    assert_eq!(read(&[], 0), Vec::new());
}
