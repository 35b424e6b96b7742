//! All partitions, in both orders, from every place.

use super::common::{all_cassandra, cassandra, unhex};
use super::{all, expected, key, some};
use triescope_core::keys::Token;
use triescope_core::scan::{FoundKey, Order, Place};
use triescope_core::table::Part;

#[test]
fn partitions_are_those_of_cassandra_in_their_order() {
    for version in ["da", "oa", "nb"] {
        for files in all_cassandra(version) {
            let table = files.files.table();
            let found = all(&table, None, Order::Forward);
            assert_eq!(
                found.len() as u64,
                files.json["partition_count"].as_u64().unwrap(),
                "{}",
                files.name
            );
            for (rank, partition) in expected(&files) {
                let found = &found[rank];
                let position = partition["data_position"].as_u64();
                assert_eq!(found.data.map(|at| at.0), position, "{} {rank}", files.name);
                if let (Some(found), Some(wanted)) = (key(found), unhex(&partition["key"])) {
                    assert_eq!(found, wanted, "{} {rank}", files.name);
                }
                let at = partition["leaf"].as_u64().or(partition["index_position"].as_u64());
                assert_eq!(Some(found.at.0), at, "{} {rank}", files.name);
                if let FoundKey::Prefix(prefix) = &found.key {
                    assert_eq!(
                        Some(prefix.clone()),
                        unhex(&partition["prefix"]),
                        "{} {rank}",
                        files.name
                    );
                }
            }
            let mut reverse = all(&table, None, Order::Reverse);
            reverse.reverse();
            assert_eq!(found, reverse, "{}", files.name);
        }
    }
}

#[test]
fn without_data_db_a_trie_gives_prefixes() {
    let files = cassandra("p1000", "da", 1).files.without(Part::Data);
    let found = all(&files.table(), None, Order::Forward);
    assert_eq!(found.len(), 1000);
    assert!(found.iter().all(|it| key(it).is_none() && it.problem.is_none() && it.data.is_some()));
}

#[test]
fn a_scan_starts_at_a_key_or_where_it_would_be() {
    for (table, version) in
        [("p1000", "da"), ("p1000", "oa"), ("composite_pk", "da"), ("wide_many", "nb")]
    {
        let files = cassandra(table, version, 1);
        let table = files.files.table();
        let forward = all(&table, None, Order::Forward);
        for (rank, partition) in forward.iter().enumerate().step_by(37) {
            let place = Place::key(&table, key(partition).unwrap().to_vec());
            let found = some(&table, Some(place.clone()), Order::Forward, 3).unwrap();
            assert_eq!(
                found,
                forward[rank..(rank + 3).min(forward.len())],
                "{} {rank}",
                files.name
            );
            let found = some(&table, Some(place), Order::Reverse, 3).unwrap();
            let mut before = forward[rank.saturating_sub(2)..=rank].to_vec();
            before.reverse();
            assert_eq!(found, before, "{} {rank}", files.name);
        }
        // Absent keys: expected.json says which partition follows.
        for lookup in files.json["lookups"].as_array().unwrap() {
            if lookup["present"] == true {
                continue;
            }
            let Some(absent) = unhex(&lookup["key"]) else { continue };
            let place = Place::key(&table, absent);
            let next = some(&table, Some(place.clone()), Order::Forward, 1).unwrap();
            let position = next.first().and_then(|it| it.data).map(|at| at.0);
            assert_eq!(position, lookup["next_position"].as_u64(), "{}", files.name);
            // What lies before it is the partition before that one.
            let rank = next
                .first()
                .map_or(forward.len(), |next| forward.iter().position(|it| it == next).unwrap());
            let before = some(&table, Some(place), Order::Reverse, 1).unwrap();
            assert_eq!(
                before.first(),
                rank.checked_sub(1).map(|rank| &forward[rank]),
                "{}",
                files.name
            );
        }
    }
}

#[test]
fn a_token_takes_in_all_its_keys() {
    for version in ["da", "oa"] {
        // Groups of up to six keys of one token.
        let files = cassandra("token_edges", version, 1);
        let table = files.files.table();
        let token =
            |it: &triescope_core::scan::Partition| table.partitioner().token(key(it).unwrap());
        let forward = all(&table, None, Order::Forward);
        for partition in forward.iter().step_by(11) {
            let place = Place::token(token(partition));
            let first = forward.iter().position(|it| token(it) == token(partition)).unwrap();
            let last = forward.iter().rposition(|it| token(it) == token(partition)).unwrap();
            let found = some(&table, Some(place.clone()), Order::Forward, 1).unwrap();
            assert_eq!(found, forward[first..=first], "{version}");
            let found = some(&table, Some(place), Order::Reverse, 1).unwrap();
            assert_eq!(found, forward[last..=last], "{version}");
        }
        let least = Place::token(Token::Murmur3(i64::MIN));
        assert_eq!(all(&table, Some(least.clone()), Order::Forward).len(), forward.len());
        let before = all(&table, Some(least), Order::Reverse);
        assert!(before.iter().all(|it| token(it) == Token::Murmur3(i64::MIN)));
    }
}

#[test]
fn without_a_summary_index_db_is_read_through() {
    let whole = cassandra("p20k", "oa", 1).files;
    let files = whole.without(Part::Summary);
    let (table, with) = (files.table(), whole.table());
    let forward = all(&with, None, Order::Forward);
    let mut reverse = all(&table, None, Order::Reverse);
    reverse.reverse();
    assert_eq!(forward, reverse);
    let place = Place::parse(&table, "token:0").unwrap();
    for order in [Order::Forward, Order::Reverse] {
        let found = some(&table, Some(place.clone()), order, 5).unwrap();
        assert_eq!(found, some(&with, Some(place.clone()), order, 5).unwrap());
    }
}

#[test]
fn an_index_of_many_entries_is_noted_in_windows() {
    // 131,072 entries and more make the scan note every second entry first.
    let mut index = Vec::new();
    for i in 0..150_000u32 {
        index.extend_from_slice(&[0, 4]);
        index.extend_from_slice(&i.to_be_bytes());
        index.extend_from_slice(&[
            0xf0 | (i >> 24) as u8 & 0xf,
            (i >> 24) as u8,
            (i >> 16) as u8,
            (i >> 8) as u8,
            i as u8,
            0,
        ]);
    }
    let files = cassandra("p1000", "oa", 1).files;
    let files = files.with(Part::Index, &index).without(Part::Summary);
    let found = all(&files.table(), None, Order::Reverse);
    assert_eq!(found.len(), 150_000);
    for (i, partition) in found.iter().rev().enumerate() {
        assert_eq!(key(partition), Some((i as u32).to_be_bytes().as_slice()));
    }
}

#[test]
fn damage_ends_a_scan_after_what_could_be_read() {
    let files = cassandra("p1000", "oa", 1).files;
    let mut index = files.part(Part::Index).to_vec();
    index.truncate(index.len() - 1);
    let cut = files.with(Part::Index, &index);
    let table = cut.table();
    let mut scan = triescope_core::scan::Scan::new(&table, None, Order::Forward).unwrap();
    let mut read = 0;
    let error = loop {
        match scan.step() {
            Ok(_) => read += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(read, 999);
    assert!(error.to_string().starts_with("Index.db, offset"), "{error}");
}

#[test]
fn a_chunk_that_cannot_be_read_leaves_prefixes_with_the_reason() {
    let files = cassandra("p1000", "da", 1).files;
    let mut data = files.part(Part::Data).to_vec();
    data[20] ^= 0xff;
    let damaged = files.with(Part::Data, &data);
    let found = all(&damaged.table(), None, Order::Forward);
    assert_eq!(found.len(), 1000);
    let hidden = found.iter().filter(|it| key(it).is_none()).count();
    assert!((1..1000).contains(&hidden), "{hidden}");
    assert!(found.iter().all(|it| it.problem.is_some() == key(it).is_none()));
}
