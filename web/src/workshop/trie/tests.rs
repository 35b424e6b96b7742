//! Boards of real files: numbers against other computations, links that lead back, pictures without faults, damage.

use super::counts::Counts;
use super::open::Open;
use super::query::{Query, hex};
use super::{Trie, icicle, nodes};
use crate::board::{Board, BoardAsk, value};
use crate::model::TableId;
use crate::state::address::{Address, View};
use crate::worker::world::World;
use crate::workshop::fixture::{Source, open};
use crate::workshop::jobs::Slice;
use crate::workshop::links::Links;
use crate::workshop::protocol::Reply;
use std::collections::BTreeSet;
use triescope_core::bti::PartitionIndex;
use triescope_core::source::{Pages, Source as _};
use triescope_core::table::Part;

fn ask(
    folder: &str,
    fragment: &str,
    width: u32,
    ids: (Option<TableId>, Option<TableId>),
) -> BoardAsk {
    let address = Address::parse(&format!("#/s/{folder}/trie{fragment}"));
    BoardAsk {
        view: View::Trie,
        tables: ids,
        place: address.place(),
        query: address.rest,
        keys: None,
        width,
        height: 824,
    }
}

fn board(world: &World<Source>, ask: &BoardAsk) -> Board {
    let mut trie = Trie::default();
    for _ in 0..1_000_000 {
        match trie.board(ask, world, &|| true) {
            Slice::More(_) => {}
            Slice::Done(Ok(Reply::Board(board))) => return *board,
            Slice::Done(other) => panic!("{other:?}"),
        }
    }
    panic!("it never ends")
}

fn side(board: &Board) -> String {
    board.side.iter().map(|part| part.html.as_str()).collect()
}

fn all(board: &Board) -> String {
    let parts = board.main.iter().chain(&board.side);
    board.head.clone() + &parts.map(|part| part.html.as_str()).collect::<String>()
}

const TRIE: (Option<TableId>, Option<TableId>) = (Some(7), None);

#[test]
fn the_key_of_the_board_is_where_the_board_says() {
    let world = open("p20k/da", |_, _| {});
    let board = board(&world, &ask("p20k", "?key=17021", 1440, TRIE));
    assert_eq!(board.query, "part=Partitions&path=404f7f32&open=30&page=30&node=124204");
    let side = side(&board);
    for words in [
        "17021",
        "124,204",
        "page 30",
        "Data.db 92,505",
        "4 of 17 key bytes",
        ">96<",
        "22,710",
        "20,000",
        "3.26",
        "5 bytes",
        "255 others",
        "64 others",
        "2 others",
    ] {
        assert!(side.contains(words), "{words}: {side}");
    }
    assert!(board.main[0].html.contains("7 subtrees, 518 partitions"), "{}", board.main[0].html);
}

#[test]
fn a_board_is_named_by_its_query() {
    for (folder, fragments) in [
        (
            "p20k/da",
            &[
                "",
                "?key=17021",
                "?pic=icicle&path=404f&from=40&w=bytes",
                "?node=124204",
                "?open=7",
                "?find=x",
                "?others=2.32&path=404f7f",
                "?part=Rows",
                "?find=%2317",
                "?find=token:5",
            ][..],
        ),
        (
            "wide_deep/da",
            &["", "?part=Rows&key=7&ck=50000", "?part=Rows&pic=icicle", "?part=Rows&find=50000"],
        ),
        ("wide_many/da", &["?part=Rows&list=20", "?part=Rows&page=0"]),
        ("p100k_text/da", &["", "?pic=icicle", "?page=254"]),
        ("composite_pk/da", &[""]),
    ] {
        let world = open(folder, |_, _| {});
        for fragment in fragments {
            for width in [1440, 820, 390] {
                let asked = ask("x", fragment, width, TRIE);
                let first = board(&world, &asked);
                let again = BoardAsk { query: first.query.clone(), ..asked };
                assert_eq!(board(&world, &again), first, "{folder} {fragment} {width}");
            }
        }
    }
}

#[test]
fn what_is_typed_leads_to_its_node() {
    let world = open("p20k/da", |_, _| {});
    let path = |find: &str| {
        let found = board(&world, &ask("p20k", &format!("?find={find}"), 1440, TRIE));
        (value(&found.query, "path"), value(&found.query, "find"), found.main[0].html.clone())
    };
    assert_eq!(path("17021").0.as_deref(), Some("404f7f32"));
    assert_eq!(path("0x0000427d").0.as_deref(), Some("404f7f32"));
    let (_, find, html) = path("17x21");
    assert_eq!(find.as_deref(), Some("17x21"));
    assert!(html.contains("`17x21` is no int: a number from"), "{html}");
    // The rank of a leaf is its place among the leaves in order.
    let table = world.table(7).unwrap();
    let mut nobody = ();
    let pages = Pages::new(Part::Partitions, table.source(Part::Partitions).unwrap(), &mut nobody);
    let mut leaves = PartitionIndex::new(table.footer.as_ref().unwrap()).leaves(pages);
    for _ in 0..1000 {
        leaves.next().unwrap().unwrap();
    }
    assert_eq!(path("%231000").0, Some(hex(&leaves.prefix())));
    assert!(path("%2320001").2.contains("There are 20,000 partitions."));
}

#[test]
fn counts_are_those_of_a_walk_over_the_leaves() {
    for folder in ["p20k/da", "p5k_uuid/da", "p100k_text/da", "one_partition/da"] {
        let world = open(folder, |_, _| {});
        let table = world.table(7).unwrap();
        let trie = Open::partitions(table).unwrap();
        let mut counts = Counts::new(trie.part, trie.root, trie.source.len());
        while !counts.go_on(trie.source, &|| true) {}
        let mut nobody = ();
        let mut leaves = PartitionIndex::new(table.footer.as_ref().unwrap()).leaves(Pages::new(
            Part::Partitions,
            trie.source,
            &mut nobody,
        ));
        let (mut ends, mut stored) = (0, 0);
        while leaves.next().unwrap().is_some() {
            ends += 1;
            stored += leaves.prefix().len() as u64;
        }
        let sums = counts.sums();
        assert_eq!((sums.ends, sums.stored), (ends, stored), "{folder}");
        assert_eq!(sums.families.iter().sum::<u64>(), sums.nodes);
        assert_eq!(counts.fills().0.iter().flatten().sum::<u64>(), sums.bytes);
        // The first row of a profile is the root, and has everything.
        for (by_bytes, whole) in [(false, sums.ends), (true, sums.bytes)] {
            let row = counts.profile(by_bytes).rows.first().unwrap();
            let sum: u64 = row.iter().flatten().map(|n| u64::from(*n)).sum();
            assert_eq!(sum, whole, "{folder}");
        }
        let root = counts.kept().last().unwrap();
        assert_eq!((root.at, root.sum), (trie.root, [sums.ends, sums.bytes]));
        assert!(counts.kept().len() < 200_000);
    }
}

#[test]
fn links_select_what_they_say() {
    let world = open("p20k/da", |_, _| {});
    let first = board(&world, &ask("p20k", "?key=17021", 1440, TRIE));
    let html = first.main[0].html.clone();
    let mut tried = 0;
    for link in html.split("href=\"#/s/p20k/trie?").skip(1).step_by(37).take(20) {
        let fragment = link.split('"').next().unwrap().replace("&amp;", "&");
        let asked = ask("p20k", &format!("?{fragment}"), 1440, TRIE);
        let (path, node) = (value(&asked.query, "path"), value(&asked.query, "node"));
        let found = board(&world, &asked);
        assert_eq!((value(&found.query, "path"), value(&found.query, "node")), (path, node));
        tried += 1;
    }
    assert!(tried > 10);
}

#[test]
fn pictures_have_no_faults_and_ids_are_unique() {
    for (folder, fragments) in [
        ("p20k/da", &["?key=17021", "?open=7", "?path=40", "?path="][..]),
        ("p100k_text/da", &["", "?page=254"]),
        ("wide_deep/da", &["?part=Rows&key=7&ck=50000", "?part=Rows&path=40"]),
        ("wide_longck/da", &["?part=Rows"]),
        ("long_keys/da", &[""]),
        ("ten_partitions/da", &[""]),
        ("one_partition/da", &[""]),
    ] {
        let world = open(folder, |_, _| {});
        for fragment in fragments {
            for (width, more) in [
                (1440, ""),
                (820, ""),
                (390, ""),
                (1440, "&pic=icicle"),
                (390, "&pic=icicle&w=bytes"),
            ] {
                let sign = if fragment.is_empty() { "?" } else { "" };
                let asked = ask("x", &format!("{fragment}{sign}{more}"), width, TRIE);
                let shown = board(&world, &asked);
                let html = all(&shown);
                assert!(html.contains("<svg"), "{folder} {fragment}");
                let ids: Vec<&str> =
                    html.split(" id=\"").skip(1).filter_map(|it| it.split('"').next()).collect();
                let unique: BTreeSet<&&str> = ids.iter().collect();
                assert_eq!(ids.len(), unique.len(), "{folder} {fragment}: {ids:?}");
                let model = model(&world, &asked);
                let links = Links(&asked);
                let room = super::top::room(width);
                let (_, scene) = match model.query.icicle {
                    true => icicle::icicle(&model, links, room),
                    false => nodes::nodes(&model, links, room),
                };
                assert_eq!(scene.faults(), Vec::<String>::new(), "{folder} {fragment} {width}");
                assert!(scene.marks.len() < 6000, "{folder} {fragment}: {}", scene.marks.len());
            }
        }
    }
}

fn model(world: &World<Source>, asked: &BoardAsk) -> super::model::Model {
    let mut trie = Trie { tables: asked.tables, ..Trie::default() };
    let table = world.table(7).unwrap();
    loop {
        if let super::Gathered::Ready(model) = trie.gather(asked, table, &|| false) {
            return *model;
        }
    }
}

#[test]
fn damage_is_shown_and_the_rest_stays() {
    // The node at 124204 is a leaf; as a node of 255 children it would leave its page.
    let world = open("p20k/da", |name, bytes| {
        if name.ends_with("Partitions.db") {
            bytes[124_204] = 0;
        }
    });
    let shown = board(&world, &ask("p20k", "?path=404f7f32", 1440, TRIE));
    let html = all(&shown);
    assert!(html.contains("payload bits of a node without children"), "{html}");
    assert!(html.contains("19,999"), "the others are counted");
    assert!(html.contains("255 others"));
    let near = board(&world, &ask("p20k", "?path=404f7f1f", 1440, TRIE));
    assert!(near.main[0].html.contains("class=\"badmark\""), "{}", near.main[0].html);
    // A whole page of other bytes, and a root that is none.
    for at in [0, 30 * 4096, 158_000, 162_000] {
        let world = open("p20k/da", |name, bytes| {
            if name.ends_with("Partitions.db") {
                let end = (at + 4096).min(bytes.len() - 24);
                bytes[at..end].fill(0xf7);
            }
        });
        for fragment in ["", "?key=17021", "?pic=icicle", "?open=30"] {
            let shown = board(&world, &ask("p20k", fragment, 1440, TRIE));
            assert!(!shown.main.is_empty() && !shown.main[0].html.is_empty());
        }
    }
}

#[test]
fn a_table_without_a_trie_says_so() {
    let world = open("p20k/oa", |_, _| {});
    let shown = board(&world, &ask("p20k", "", 1440, (None, Some(7))));
    assert!(shown.main[0].html.contains("no trie here"), "{}", shown.main[0].html);
    assert!(shown.main[0].html.contains("/packing"));
}

#[test]
fn a_row_trie_leads_to_the_block_that_cassandra_reads() {
    let world = open("wide_deep/da", |_, _| {});
    let shown = board(&world, &ask("wide_deep", "?part=Rows&key=7&ck=50000", 1440, TRIE));
    let side = side(&shown);
    assert_eq!(value(&shown.query, "path").as_deref(), Some("408000c34f"), "{}", shown.query);
    for words in
        ["18,114", "4,289,922 B into the partition", "12,000 blocks", "12,013", "from 49999"]
    {
        assert!(side.contains(words), "{words}: {side}");
    }
}

#[test]
fn the_query_is_printed_as_it_was_read() {
    let text = "part=Rows&path=4080&open=4&pic=icicle&from=40&w=bytes&count=all&others=2.32&list=20&find=x&page=4&node=18114";
    let asked = ask("x", &format!("?{text}"), 1440, TRIE);
    assert_eq!(Query::of(&asked).print(), text);
}
