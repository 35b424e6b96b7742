//! Texts in the box, over real files.

use super::Boxing;
use crate::board::{BoxAsk, Readings};
use crate::worker::world::World;
use crate::workshop::fixture::{Source, open, open_all, to_end};
use crate::workshop::jobs::Job;
use crate::workshop::protocol::Reply;

fn read(world: &mut World<Source>, address: &str, text: &str) -> Readings {
    let tables = (Some(7), world.table(8).map(|_| 8));
    let ask = BoxAsk { tables, address: address.into(), text: text.into() };
    match to_end(Job::Box(Box::new(Boxing::new(ask))), world) {
        Ok(Reply::Readings(readings)) => readings,
        other => panic!("expected readings, found {other:?}"),
    }
}

fn first(world: &mut World<Source>, address: &str, text: &str) -> (String, String) {
    let readings = read(world, address, text);
    assert_eq!(readings.wrong, None, "{text}");
    let reading = readings.list.first().unwrap_or_else(|| panic!("{text} leads nowhere"));
    (reading.words.clone(), reading.to.clone())
}

#[test]
fn a_text_leads_where_it_says() {
    let mut world = open("p20k/da", |_, _| {});
    let at = "#/s/p20k/overview";
    for (text, words, to) in [
        ("17021", "look up key 17021", "#/s/p20k/lookup?key=17021&cache=cold"),
        ("page 30", "page 30 of Partitions.db", "#/s/p20k/page?part=Partitions&page=30"),
        (
            "@124,476",
            "byte 124,476 of Partitions.db, in page 30",
            "#/s/p20k/page?part=Partitions&byte=124476",
        ),
        ("Data page 1", "page 1 of Data.db", "#/s/p20k/page?part=Data&page=1"),
        ("path:404f", "the node at 40 4f in the trie", "#/s/p20k/trie?path=404f"),
        (">map", "go to Map of pages", "#/s/p20k/page?as=map"),
    ] {
        assert_eq!(first(&mut world, at, text), (words.into(), to.into()), "{text}");
    }
    // The component that is shown is meant where none is named.
    let (words, _) = first(&mut world, "#/s/p20k/page?part=Statistics&page=1", "@5");
    assert_eq!(words, "byte 5 of Statistics.db, in page 0");
}

#[test]
fn a_number_is_a_key_first_and_may_be_more() {
    let mut world = open("p20k/da", |_, _| {});
    let words: Vec<String> =
        read(&mut world, "#/s/p20k/overview", "30").list.into_iter().map(|it| it.words).collect();
    assert_eq!(
        words[..3],
        ["look up key 30", "the path of key 30 in the trie", "page 30 of Partitions.db"]
    );
    assert!(words[4].starts_with("look up partition 30, key "), "{words:?}");
}

#[test]
fn what_leads_nowhere_is_said() {
    let mut world = open("p20k/da", |_, _| {});
    for (text, wrong) in [
        ("17x21", "17x21"),
        ("page 40", "Partitions.db has pages 0 to 39."),
        ("@162365", "Partitions.db ends at 162,365."),
        ("Summary@1", "Summary.db is not here."),
        ("#20001", "There are 20,000 partitions."),
        ("data:99999999", "Data.db ends at "),
        ("hex:00112233445566778899", "Partitions.db has no 00 11 22 33 44 55 66 77 88 99."),
    ] {
        let readings = read(&mut world, "#/s/p20k/overview", text);
        assert!(
            readings.wrong.as_ref().is_some_and(|why| why.contains(wrong)),
            "{text}: {readings:?}"
        );
        assert!(readings.list.is_empty(), "{text}: {readings:?}");
    }
}

#[test]
fn bytes_are_found_across_windows_and_at_the_end() {
    let mut world = open("p20k/da", |_, _| {});
    let whole = std::fs::read(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../testdata/cassandra/p20k/da/da-1-bti-Partitions.db"),
    )
    .unwrap();
    let end: String = whole[whole.len() - 6..].iter().map(|byte| format!("{byte:02x}")).collect();
    let (words, to) = first(&mut world, "#/s/p20k/overview", &format!("hex:{end}"));
    assert!(words.contains("162,359"), "{words}");
    assert_eq!(to, "#/s/p20k/page?part=Partitions&byte=162359");
    let many = read(&mut world, "#/s/p20k/overview", "hex:00").list;
    let wanted: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == 0).take(8).collect();
    let found: Vec<String> = many.iter().map(|it| it.to.clone()).collect();
    let to = |at: &usize| format!("#/s/p20k/page?part=Partitions&byte={at}");
    assert_eq!(found, wanted.iter().map(to).collect::<Vec<_>>());
}

#[test]
fn a_rank_and_a_position_lead_to_the_same_partition_by_both_indexes() {
    for folders in [&["p20k/da"][..], &["p20k/oa"], &["p20k/da", "p20k/oa"]] {
        let mut world = open_all(folders, |_, _| {});
        let at = "#/s/p20k/overview";
        // Cassandra's own trace of this key says where it lies.
        let (words, to) = first(&mut world, at, "data:92505");
        assert_eq!(
            words, "look up the partition that holds Data.db 92,505, key 17021",
            "{folders:?}"
        );
        assert!(to.contains("key=17021"), "{to}");
        let before = first(&mut world, at, "data:92504").0;
        assert!(!before.ends_with("key 17021"), "{before}");
        let rank = |world: &mut _, n: u64| first(world, at, &format!("#{n}")).0;
        let first_key = rank(&mut world, 1);
        assert!(
            first(&mut world, at, "data:0").0.ends_with(first_key.split("key ").nth(1).unwrap())
        );
        assert!(rank(&mut world, 20_000).starts_with("look up partition 20,000, key "));
    }
}
