//! Means over keys.

use super::{Opened, ask, common};
use triescope_core::keys::Partitioner;
use triescope_core::lookup::{Answer, Step};
use triescope_core::race::{
    Contest, LegacyReader, MeanCosts, Means, MeansJob, RaceRequest, Wanted, pick, run,
};

fn means(opened: &Opened, reader: LegacyReader) -> Means {
    opened.with(|contest| {
        let mut job = MeansJob::new(contest, reader);
        while !job.is_over() {
            job.step(contest, 777).unwrap();
        }
        job.means().clone()
    })
}

fn mean(costs: Option<MeanCosts>, means: &Means) -> (f64, f64) {
    let costs = costs.unwrap();
    let round = |sum: u64| (100.0 * sum as f64 / means.done as f64).round() / 100.0;
    (round(costs.fetches), round(costs.parsed))
}

#[test]
fn the_means_of_p20k_are_those_of_the_overview() {
    let opened = Opened::new("p20k", 1);
    let cassandra = means(&opened, LegacyReader::Cassandra);
    assert_eq!((cassandra.done, cassandra.of, cassandra.all_keys), (20_000, 20_000, true));
    let (fetches, nodes) = mean(cassandra.trie, &cassandra);
    assert_eq!(fetches, 1.99);
    assert!((4.2..4.4).contains(&nodes), "{nodes}");
    // Prefixes of 3 to 5 bytes, and the hash byte of the leaf.
    let trie = cassandra.trie.unwrap();
    assert_eq!((trie.least_bytes_compared, trie.most_bytes_compared), (4, 6));
    let (fetches, entries) = mean(cassandra.legacy, &cassandra);
    assert_eq!(fetches, 1.17);
    assert!((64.0..65.0).contains(&entries), "{entries}");
    let (fetches, entries) = mean(cassandra.other, &cassandra);
    assert_eq!(fetches, 5.4);
    // Ten windows of 1,867 entries and one of 1,330: each key parses its own (1,831.3 on average), and the ten that are
    // the last of their window parse the next one as well, which tells where their partition ends.
    let own = (10 * 1867 * 1867 + 1330 * 1330) as f64 / 20_000.0;
    let next = (9 * 1867 + 1330) as f64 / 20_000.0;
    assert_eq!(entries, (100.0 * (own + next)).round() / 100.0);
}

#[test]
fn a_trie_alone_has_the_same_means_from_its_own_prefixes() {
    let opened = Opened::new("p1000", 1);
    let both = means(&opened, LegacyReader::Cassandra);
    let alone = opened.with(|contest| {
        let contest = Contest { legacy: None, ..*contest };
        let mut job = MeansJob::new(&contest, LegacyReader::Cassandra);
        while !job.is_over() {
            job.step(&contest, 100).unwrap();
        }
        job.means().clone()
    });
    assert_eq!((alone.done, alone.trie), (both.done, both.trie));
    assert_eq!((alone.legacy, alone.summary), (None, None));
}

#[test]
fn keys_to_try_end_as_asked() {
    let opened = Opened::new("p20k", 1);
    opened.with(|contest| {
        let text = |wanted| pick(contest, wanted).unwrap();
        assert_eq!(text(Wanted::First).as_deref(), Some("4317"));
        assert_eq!(text(Wanted::Last).as_deref(), Some("11033"));
        let random = text(Wanted::Random { seed: 7 }).unwrap();
        assert_eq!(text(Wanted::Random { seed: 7 }), Some(random.clone()));
        assert!(random.parse::<i32>().is_ok_and(|key| (0..20_000).contains(&key)));
        let ends = |wanted| {
            let record = opened.race(&super::ask(&text(wanted).unwrap())).trie.unwrap().record;
            record.steps.last().cloned()
        };
        use triescope_core::lookup::{AbsentWhy, Answer, Step};
        let dead_end = ends(Wanted::DeadEnd { seed: 1 });
        assert_eq!(dead_end, Some(Step::Answer(Answer::Absent(AbsentWhy::DeadEnd))));
        let absent = ends(Wanted::Absent { seed: 1 });
        assert_eq!(absent, Some(Step::Answer(Answer::Absent(AbsentWhy::HashByte))));
    });
}

#[test]
fn an_absent_key_is_found_where_keys_are_ordered_by_their_bytes() {
    for version in ["mc", "me", "na", "nb", "oa"] {
        let folder = format!("kopens-lsb/legacy_{version}_simple");
        let Some(folder) = common::upstream(&folder) else { return };
        for files in common::InMemory::folder(&folder) {
            let table = files.table();
            assert_eq!(table.partitioner(), Partitioner::ByteOrdered, "{version}");
            let contest = Contest {
                trie: None,
                legacy: Some(&table),
                scylla_samples: None,
                cassandra_samples: None,
            };
            let key = pick(&contest, Wanted::Absent { seed: 1 }).unwrap().unwrap();
            let request = RaceRequest { reader: LegacyReader::Cassandra, ..ask(&key) };
            let record = run(&contest, &request).unwrap().legacy.unwrap().lane.record;
            let last = record.steps.last();
            assert!(matches!(last, Some(Step::Answer(Answer::Absent(_)))), "{version} {key}");
        }
    }
}
