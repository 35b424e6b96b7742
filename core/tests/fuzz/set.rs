//! Whole SSTables with damage: a real set of files is changed as the input says, opened, checked, and keys are looked up in
//! both of its indexes.

use super::input::{Input, Once};
use crate::common::pieces::{Pieces, bring, until_here};
use crate::common::{InMemory, cassandra, testdata};
use std::fmt::Write as _;
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler};
use triescope_core::check::{CheckJob, CheckOptions};
use triescope_core::lookup::FilterMode;
use triescope_core::meta::crc32;
use triescope_core::race::{
    CacheModel, Contest, LegacyReader, RaceRequest, SampleWanted, Stop, run,
};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Tables that inputs choose from, small ones, with a key and a row that they have.
const TABLES: [(&str, &str, &str); 10] = [
    ("ten_partitions", "5", ""),
    ("one_partition", "1", ""),
    ("two_partitions", "1", ""),
    ("wide_static", "1", "80"),
    ("ck_boolean", "1", "true"),
    ("counters", "1", ""),
    ("after_2038", "1", ""),
    ("ck_text", "1", "'m'"),
    ("ck_tinyint", "1", "5"),
    ("ck_decimal_desc", "1", "1.5"),
];

/// The SSTables with a trie index and with both forms of the legacy one.
pub(super) static OPENED: Once<Vec<[InMemory; 3]>> = Once::new(|| {
    let sets = TABLES.iter().map(|(table, ..)| {
        let older = if testdata().join(table).join("nb").is_dir() { "nb" } else { "oa" };
        ["da", "oa", older].map(|version| cassandra(table, version, 1).files)
    });
    sets.collect()
});

/// Most changes of one input.
pub(super) const CHANGES: usize = 8;
/// Bytes of work in one step of a check.
const BUDGET: u64 = 1000;

/// The table, the changes, and a key as typed.
pub fn table(data: &[u8]) {
    let mut input = Input::new(data);
    let which = input.below(OPENED.len());
    let seed = input.seed();
    let [trie, oa, nb] = &OPENED[which];
    let legacy = if input.below(2) == 0 { oa } else { nb };
    let mut changed = [trie.clone(), legacy.clone()];
    for _ in 0..input.below(CHANGES + 1) {
        let side = &mut changed[input.below(2)];
        *side = change(side, &mut input);
    }
    let (asked, reader) = (input.below(4), input.below(2));
    let typed = String::from_utf8_lossy(input.rest()).into_owned();
    for files in &changed {
        checked(files, seed, asked % 2 == 0);
    }
    let (_, key, row) = TABLES[which];
    let (key, row) = match asked {
        0 => (key, row),
        1 => (typed.as_str(), row),
        2 => (key, typed.as_str()),
        _ => ("token:0", ""),
    };
    let request = RaceRequest {
        key: key.to_owned(),
        row: (!row.is_empty()).then(|| row.to_owned()),
        reader: [LegacyReader::Cassandra, LegacyReader::Scylla][reader],
        cache: CacheModel::Cold,
        filter: FilterMode::Ask,
        sample_large: false,
    };
    raced(&changed, &request);
}

/// One change of one component.
pub(super) fn change(files: &InMemory, input: &mut Input<'_>) -> InMemory {
    let parts: Vec<Part> = files.bytes.keys().copied().collect();
    if parts.is_empty() {
        return files.clone();
    }
    let part = parts[input.below(parts.len())];
    let mut bytes = files.part(part).to_vec();
    let (what, at, value) = (input.below(12), usize::from(input.two()), input.byte());
    // From the end as often as from the start: footers and totals lie there.
    let at = match bytes.len() {
        0 => 0,
        len if what % 2 == 0 => at % len,
        len => len - 1 - at % len,
    };
    match what {
        0..=3 if !bytes.is_empty() => bytes[at] = value,
        4 | 5 if !bytes.is_empty() => bytes[at] ^= 1 << (value % 8),
        6 => bytes.truncate(at),
        7 => return files.without(part),
        8 => bytes.insert(at, value),
        9 if !bytes.is_empty() => {
            bytes.remove(at);
        }
        10 => {
            let end = bytes.len().min(at + usize::from(value));
            bytes[at..end].fill(0);
        }
        11 => {
            let end = bytes.len().min(at + usize::from(value));
            bytes.extend_from_within(at..end);
        }
        _ => {}
    }
    let files = files.with(part, &bytes);
    if part == Part::Data && value % 2 == 0 { with_checksums(&files) } else { files }
}

/// With right checksums behind the chunks of Data.db, so that damage reaches the rows.
fn with_checksums(files: &InMemory) -> InMemory {
    let table = files.table();
    let (Some(info), Some(offsets)) = (&table.compression, table.source(Part::CompressionInfo))
    else {
        return files.clone();
    };
    let mut data = files.part(Part::Data).to_vec();
    for chunk in 0..info.chunks.min(64) {
        let Ok(place) = info.chunk(offsets, chunk, data.len() as u64) else { continue };
        let from = usize::try_from(place.at.0).unwrap();
        let to = from + usize::try_from(place.stored_bytes).unwrap();
        let checksum = crc32(&data[from..to]).to_be_bytes();
        data[to..to + 4].copy_from_slice(&checksum);
    }
    files.with(Part::Data, &data)
}

/// Checks a set, whole and in pieces.
pub(super) fn checked(files: &InMemory, seed: u64, deep: bool) {
    let whole = findings(&files.table(), deep, &[]);
    let held: Vec<_> =
        files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, seed)).collect();
    let held: Vec<&Pieces<'_>> = held.iter().collect();
    let sources = || held.iter().map(|piece| (piece.part(), *piece));
    let table = until_here(&held, || Ok(Table::open(files.set.clone(), sources())?)).unwrap();
    assert_eq!(findings(&table, deep, &held), whole, "in pieces and whole, deep: {deep}");
}

/// What a check finds, as text, after a number of steps that the bytes of the set allow.
fn findings<S: Source>(table: &Table<S>, deep: bool, pieces: &[&Pieces<'_>]) -> String {
    let mut job = CheckJob::new(table, CheckOptions { deep });
    let (mut steps, mut bytes) = (0, 0);
    loop {
        match job.step(table, BUDGET) {
            Ok(progress) if progress.done => break,
            Ok(progress) => {
                assert!(progress.bytes >= bytes, "work is not undone");
                (steps, bytes) = (steps + 1, progress.bytes);
                assert!(steps < 50_000, "{} after {bytes} bytes", progress.stage);
            }
            Err(wanted) => bring(pieces, wanted),
        }
    }
    let report = job.into_report();
    let mut said = String::new();
    for finding in &report.findings {
        let _ =
            writeln!(said, "{} {finding} {:?} {:?}", finding.check.id, finding.key, finding.cost);
    }
    for (check, count) in report.all.counts() {
        assert!(*count > 0);
        let _ = writeln!(said, "{} {count}", check.id);
    }
    said
}

/// Races, as a host does: samples are made when they are wanted.
fn raced(changed: &[InMemory; 2], request: &RaceRequest) {
    let (trie, legacy) = (changed[0].table(), changed[1].table());
    let (mut scylla, mut cassandra) = (None, None);
    for _ in 0..3 {
        let contest = Contest {
            trie: Some(&trie),
            legacy: Some(&legacy),
            scylla_samples: scylla.as_ref(),
            cassandra_samples: cassandra.as_ref(),
        };
        match run(&contest, request) {
            Ok(_) | Err(Stop::Text { .. } | Stop::Damage(_)) => return,
            Err(Stop::Sample(wanted)) => {
                let made = sampled(legacy.source(Part::Index).expect("an index"), &wanted);
                match wanted.rule {
                    SampleRule::Scylla => scylla = Some(made),
                    SampleRule::Every(_) => cassandra = Some(made),
                }
            }
            Err(Stop::Miss(miss)) => panic!("all bytes are here: {miss:?}"),
        }
    }
    panic!("samples are wanted again and again");
}

fn sampled(index: &&[u8], wanted: &SampleWanted) -> Sampled {
    let mut sampler = Sampler::new(wanted.rule, wanted.format);
    loop {
        match until_here(&[], || sampler.step(index, 1000)) {
            Ok(Progress::Finished) => return sampler.into_sampled(),
            Ok(Progress::Working { .. }) => {}
            Err(error) => return Sampled::damaged(Box::new(error)),
        }
    }
}

/// Each table as it is, and with one change of each component of each side.
pub fn table_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for table in 0..u8::try_from(TABLES.len()).unwrap() {
        for asked in 0..4 {
            seeds.push(vec![table, table % 2, 0, asked, asked % 2, b'1']);
        }
        for part in 0..8 {
            // The side, the component, what is done, where, with which value; then what is asked, and by whom.
            let change = [part % 2, part, 5 + part, 0, 40 + part, 0xff];
            seeds.push([&[table, part, 1][..], &change, &[part % 4, part / 4, b'1']].concat());
        }
    }
    seeds
}
