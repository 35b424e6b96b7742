//! The lookup's pictures of real races: whatever the files hold, no label overlaps or is cut, and no mark leaves the
//! picture.

#[path = "../../core/tests/common/mod.rs"]
mod common;

use common::{Expected, InMemory};
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler};
use triescope_core::lookup::{FilterMode, Step};
use triescope_core::race::*;
use triescope_core::table::{Part, Table};
use triescope_web::layout::lookup::{Files, legacy, phone_strips, trie};
use triescope_web::layout::{Scene, Shape};

const WIDTHS: [f64; 3] = [358.0, 772.0, 1008.0];

fn sampled(table: &Table<&[u8]>) -> Sampled {
    let mut sampler = Sampler::new(SampleRule::Scylla, triescope_core::table::IndexFormat::Vints);
    let index = table.source(Part::Index).unwrap();
    while sampler.step(index, 1000).unwrap() != Progress::Finished {}
    sampler.into_sampled()
}

fn requests(contest: &Contest<'_, &[u8]>, expected: &Expected) -> Vec<RaceRequest> {
    let ask = |key: String, row: Option<String>, reader, filter| RaceRequest {
        key,
        row,
        reader,
        cache: CacheModel::Cold,
        filter,
        sample_large: false,
    };
    let mut out = Vec::new();
    for reader in [LegacyReader::Scylla, LegacyReader::Cassandra] {
        for wanted in [
            Wanted::First,
            Wanted::Last,
            Wanted::Random { seed: 7 },
            Wanted::Absent { seed: 7 },
            Wanted::DeadEnd { seed: 7 },
        ] {
            for filter in [FilterMode::Ask, FilterMode::Off] {
                if let Some(key) = pick(contest, wanted).unwrap() {
                    out.push(ask(key, None, reader, filter));
                }
            }
        }
        let partitions = expected.json["row_lookups"].as_array();
        for partition in partitions.into_iter().flatten().take(3) {
            let key = format!("0x{}", partition["key"].as_str().unwrap());
            let rows = partition["lookups"].as_array().unwrap();
            let texts: Vec<String> = rows.iter().filter_map(text).collect();
            for text in texts.iter().step_by(texts.len().div_ceil(6).max(1)) {
                out.push(ask(key.clone(), Some(text.clone()), reader, FilterMode::Off));
            }
        }
    }
    out
}

/// The clustering of a row as typed. Where expected.json leaves it out, since it is long, it is one text: byte-comparable
/// between `40` and `0038`.
fn text(row: &serde_json::Value) -> Option<String> {
    if let Some(text) = row["cql"].as_str() {
        return Some(text.to_owned());
    }
    let hex = row["comparable"].as_str().filter(|hex| row["kind"] == "row" && hex.len() > 200)?;
    let digits = hex.strip_prefix("40")?.strip_suffix("0038")?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    Some(format!("'{}'", String::from_utf8(bytes?).ok()?))
}

fn judge(scene: &Scene, what: &str, faults: &mut Vec<String>) {
    let mut found = scene.faults();
    if scene.marks.len() >= 6000 {
        found.push(format!("{} marks", scene.marks.len()));
    }
    for mark in &scene.marks {
        let Shape::Rect { rect, .. } = &mark.shape else { continue };
        let inside = rect.x >= -0.6
            && rect.right() <= scene.width + 0.6
            && rect.y >= -0.6
            && rect.bottom() <= scene.height + 0.6
            && rect.w >= 0.0
            && rect.h >= 0.0;
        if !inside {
            found.push(format!("{mark:?} leaves {} × {}", scene.width, scene.height));
        }
    }
    if let Some(first) = found.first() {
        faults.push(format!("{what}: {first} ({} in all)", found.len()));
    }
}

fn check(expected: &Expected, other: &Expected, faults: &mut Vec<String>) -> usize {
    let (t, l) = (expected.files.table(), other.files.table());
    let samples = sampled(&l);
    let contest = Contest {
        trie: Some(&t),
        legacy: Some(&l),
        scylla_samples: Some(&samples),
        cassandra_samples: None,
    };
    let mut drawn = 0;
    for request in requests(&contest, expected) {
        let race = match run(&contest, &request) {
            Ok(race) => race,
            // A few texts of expected.json are no literals (bytes that are no character).
            Err(Stop::Text { .. }) => continue,
            Err(other) => panic!("{}: {request:?}: {other:?}", expected.name),
        };
        for width in WIDTHS {
            let files = Files::of(&race, Some(&t.facts), Some(&l.facts), width);
            let start = |text: &str| text.chars().take(30).collect::<String>();
            let (key, row) = (start(&request.key), request.row.as_deref().map(start));
            let what = |lane: &str| {
                format!("{}, {lane}, {width} px, {key} {row:?} {:?}", expected.name, request.reader)
            };
            judge(&trie(&race, &files, width), &what("trie"), faults);
            judge(&legacy(&race, &files, width), &what("legacy"), faults);
            judge(&phone_strips(&race, &files, width), &what("strips"), faults);
            drawn += 1;
        }
    }
    drawn
}

fn with_pair(trie: &InMemory, legacy: &InMemory, look: impl FnOnce(&Contest<'_, &[u8]>)) {
    let (t, l) = (trie.table(), legacy.table());
    let samples = l.source(Part::Index).is_some().then(|| sampled(&l));
    look(&Contest {
        trie: Some(&t),
        legacy: Some(&l),
        scylla_samples: samples.as_ref(),
        cassandra_samples: None,
    });
}

fn draw(race: &Race, what: &str, faults: &mut Vec<String>) {
    for width in WIDTHS {
        let files = Files::of(race, None, None, width);
        judge(&trie(race, &files, width), &format!("{what}, trie, {width} px"), faults);
        judge(&legacy(race, &files, width), &format!("{what}, legacy, {width} px"), faults);
        judge(&phone_strips(race, &files, width), &format!("{what}, strips, {width} px"), faults);
    }
}

#[test]
fn a_damaged_index_is_drawn_as_far_as_it_was_read() {
    let mut faults = Vec::new();
    let mut damaged = 0;
    for (table, key, row) in [("p20k", "17021", None), ("wide_int", "1", Some("4000"))] {
        let whole = common::cassandra(table, "da", 1).files;
        let legacy = common::cassandra(table, "oa", 1).files;
        let part = if row.is_some() { Part::Rows } else { Part::Partitions };
        for seed in 0..40 {
            let mut bytes = whole.part(part).to_vec();
            let len = bytes.len();
            for byte in bytes[..len - 24].iter_mut().skip(seed).step_by(11 + seed) {
                *byte ^= 0x5a;
            }
            with_pair(&whole.with(part, &bytes), &legacy, |contest| {
                let request = RaceRequest {
                    key: key.to_owned(),
                    row: row.map(str::to_owned),
                    reader: LegacyReader::Cassandra,
                    cache: CacheModel::Cold,
                    filter: FilterMode::Off,
                    sample_large: false,
                };
                let Ok(race) = run(contest, &request) else { return };
                let steps = &race.trie.as_ref().unwrap().record.steps;
                damaged += usize::from(steps.iter().any(|step| matches!(step, Step::Damage(_))));
                draw(&race, &format!("{table} damaged {seed}"), &mut faults);
            });
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults[..faults.len().min(40)].join("\n")
    );
    assert!(damaged > 10, "{damaged} lookups met damage");
}

#[test]
fn warm_pages_are_hatched_and_have_no_number() {
    let trie_files = common::cassandra("p20k", "da", 1).files;
    let legacy_files = common::cassandra("p20k", "oa", 1).files;
    with_pair(&trie_files, &legacy_files, |contest| {
        let keys = vec!["17021".to_owned(), "1".to_owned()];
        let request = RaceRequest {
            key: "17021".to_owned(),
            row: None,
            reader: LegacyReader::Scylla,
            cache: CacheModel::Warm { bytes: 65_536, keys },
            filter: FilterMode::Ask,
            sample_large: false,
        };
        let race = run(contest, &request).unwrap();
        let mut faults = Vec::new();
        draw(&race, "warm", &mut faults);
        assert_eq!(faults, Vec::<String>::new());
        let files = Files::of(&race, None, None, 1008.0);
        let scene = trie(&race, &files, 1008.0);
        let class = |class: &str| scene.marks.iter().filter(|mark| mark.class == class).count();
        assert!(class("warm") >= 2, "{} warm marks", class("warm"));
        assert_eq!(class("num"), 0);
    });
}

#[test]
fn one_format_alone_leaves_the_other_picture_empty() {
    let files = common::cassandra("p20k", "da", 1).files;
    let table = files.table();
    let contest =
        Contest { trie: Some(&table), legacy: None, scylla_samples: None, cassandra_samples: None };
    let request = RaceRequest {
        key: "17021".to_owned(),
        row: None,
        reader: LegacyReader::Cassandra,
        cache: CacheModel::Cold,
        filter: FilterMode::Ask,
        sample_large: false,
    };
    let race = run(&contest, &request).unwrap();
    let mut faults = Vec::new();
    draw(&race, "trie alone", &mut faults);
    assert_eq!(faults, Vec::<String>::new());
    let sizes = Files::of(&race, Some(&table.facts), None, 1008.0);
    assert!(legacy(&race, &sizes, 1008.0).marks.is_empty());
    assert!(trie(&race, &sizes, 1008.0).marks.len() > 50);
}

#[test]
fn pictures_of_every_table_are_whole() {
    let (mut drawn, mut faults) = (0, Vec::new());
    for expected in common::all_cassandra("da") {
        let (name, generation) = match expected.name.split_once(" generation ") {
            Some((name, generation)) => (name, generation.parse().unwrap()),
            None => (expected.name.as_str(), 1),
        };
        let table = name.split('/').next().unwrap();
        drawn += check(&expected, &common::cassandra(table, "oa", generation), &mut faults);
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults[..faults.len().min(400)].join("\n")
    );
    assert!(drawn > 1000, "{drawn} races drawn");
}
