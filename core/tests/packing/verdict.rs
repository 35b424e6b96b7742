//! Verdicts on real files, on files of the other writer and on damaged ones.

use crate::common::pieces::{Pieces, bring};
use crate::common::{InMemory, all_cassandra, cassandra, folders, upstream};
use triescope_core::dissect::ItemKind;
use triescope_core::error::Miss;
use triescope_core::replay::{EntriesError, EntriesJob, Judged, Judging, Nothing, Verdict, Writer};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

fn judge<S: Source>(
    table: &Table<S>,
    writer: Writer,
    mut missed: impl FnMut(Miss),
) -> Result<Vec<Judged>, EntriesError> {
    let mut judging = Judging::new(table, writer, |_| Nothing)?;
    loop {
        match judging.step(table, 97) {
            Ok(true) => return Ok(judging.finish().0),
            Ok(false) => {}
            Err(EntriesError::Miss(miss)) => missed(miss),
            Err(error) => return Err(error),
        }
    }
}

fn own(files: &InMemory) -> Vec<Judged> {
    let table = files.table();
    judge(&table, Writer::of(table.version()), |miss| panic!("{miss:?}")).unwrap()
}

/// Which are not the same, in words.
fn wrong(name: &str, judged: &[Judged], filled: bool, out: &mut Vec<String>) {
    for it in judged {
        let is_right = match it.verdict {
            Verdict::Same => !filled || it.part != Part::Rows,
            Verdict::SameAndFiller => filled && it.part == Part::Rows,
            Verdict::Differs(_) => false,
        };
        if !is_right {
            out.push(format!("{name} {it:?}"));
        }
    }
}

#[test]
fn files_of_cassandra_are_byte_for_byte_what_its_writer_makes() {
    let (mut found, mut files) = (Vec::new(), 0);
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            let judged = own(&expected.files);
            assert_eq!(judged.len(), 2, "{} {judged:?}", expected.name);
            wrong(&expected.name, &judged, false, &mut found);
            files += judged.len();
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(files > 300, "{files}");
}

#[test]
fn files_of_scylladb_are_byte_for_byte_what_its_writer_makes() {
    let (mut found, mut sets) = (Vec::new(), 0);
    for origin in ["scylladb", "kopens-lsb", "datastax"] {
        let Some(all) = upstream(origin) else { return };
        for folder in folders(&all) {
            for files in InMemory::folder(&folder) {
                let version = files.set.version;
                let written = ["ms", "mt", "bb", "mc", "md", "me", "na", "nb", "oa"];
                // Its Index.db is damaged: a single byte.
                let damaged = folder.ends_with("empty_index");
                if !written.contains(&version.as_str())
                    || damaged
                    || files.table().readable_index().is_none()
                {
                    continue;
                }
                let name = format!("{} {}", folder.display(), files.set.name());
                let filled = ["ms", "mt"].contains(&version.as_str());
                let table = files.table();
                match judge(&table, Writer::of(version), |miss| panic!("{miss:?}")) {
                    Ok(judged) => wrong(&name, &judged, filled, &mut found),
                    Err(error) => found.push(format!("{name} {error}")),
                }
                sets += 1;
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(sets > 100, "{sets}");
}

#[test]
fn a_file_in_the_way_of_the_other_writer_gives_the_first_byte_that_differs() {
    let mut differ = 0;
    for expected in all_cassandra("da") {
        let files = &expected.files;
        let table = files.table();
        let mut judging = Judging::new(&table, Writer::Scylla, |_| Vec::new()).unwrap();
        while !judging.step(&table, 1000).unwrap() {}
        let (judged, made) = judging.finish();
        for it in judged {
            let (_, made) = made.iter().find(|(part, _)| *part == it.part).unwrap();
            let real = files.part(it.part);
            assert_eq!((it.bytes, it.rebuilt), (real.len() as u64, made.len() as u64));
            let first = real.iter().zip(made).position(|(a, b)| a != b);
            let is_same = first.is_none() && real.len() == made.len();
            match it.verdict {
                Verdict::Same => assert!(is_same, "{} {}", expected.name, it.part),
                Verdict::SameAndFiller => panic!("{}", expected.name),
                Verdict::Differs(difference) => {
                    let at = first.unwrap_or(real.len().min(made.len()));
                    assert_eq!(difference.at.0, at as u64, "{} {}", expected.name, it.part);
                    for (structure, bytes) in
                        [(&difference.file, real), (&difference.rebuilt, &made[..])]
                    {
                        let Some(structure) = structure else {
                            assert_eq!(at, bytes.len());
                            continue;
                        };
                        assert!(bytes[at..].starts_with(&structure.bytes));
                        assert!(structure.at <= difference.at && !structure.what.is_empty());
                        if let Some(item) = &structure.item {
                            assert!(item.kind == ItemKind::Node);
                            assert!(item.problem.is_none(), "{} {difference:?}", expected.name);
                        }
                    }
                    differ += 1;
                }
            }
        }
    }
    assert!(differ > 20, "{differ}");
}

#[test]
fn a_wrong_byte_of_padding_is_the_first_difference() {
    let files = cassandra("p20k", "da", 1).files;
    let mut bytes = files.part(Part::Partitions).to_vec();
    bytes[32_767] = 7;
    let judged = own(&files.with(Part::Partitions, &bytes));
    let Verdict::Differs(difference) = &judged[0].verdict else { panic!("{judged:?}") };
    assert_eq!(difference.at.0, 32_767);
    let rebuilt = difference.rebuilt.as_ref().unwrap();
    assert_eq!((&rebuilt.what[..], &rebuilt.bytes[..]), ("zeros to the end of the page", &[0][..]));
    assert_eq!(difference.file.as_ref().unwrap().bytes[..], [7]);
    assert_eq!(judged[1].verdict, Verdict::Same);
}

#[test]
fn a_summary_with_a_wrong_byte_differs_there_and_the_index_does_not() {
    let files = cassandra("p20k", "oa", 1).files;
    let mut bytes = files.part(Part::Summary).to_vec();
    let at = bytes.len() - 1;
    bytes[at] ^= 1;
    let judged = own(&files.with(Part::Summary, &bytes));
    let summary = judged.iter().find(|it| it.part == Part::Summary).unwrap();
    let Verdict::Differs(difference) = &summary.verdict else { panic!("{summary:?}") };
    assert_eq!(difference.at.0, at as u64);
    assert!(judged.iter().any(|it| it.part == Part::Index && it.verdict == Verdict::Same));
}

#[test]
fn damage_is_said_with_its_place() {
    let files = cassandra("p20k", "da", 1).files;
    let mut bytes = files.part(Part::Partitions).to_vec();
    // A distance: the child it leads to is another.
    bytes[32_067] ^= 8;
    let files = files.with(Part::Partitions, &bytes);
    let table = files.table();
    match judge(&table, Writer::Cassandra, |miss| panic!("{miss:?}")) {
        Ok(judged) => assert!(matches!(judged[0].verdict, Verdict::Differs(_)), "{judged:?}"),
        Err(error) => assert!(error.to_string().contains("key"), "{error}"),
    }
    let none = InMemory { bytes: Default::default(), ..files.clone() };
    let table = none.table();
    let said = judge(&table, Writer::Cassandra, |_| {}).unwrap_err().to_string();
    assert_eq!(said, "there is no index here that can be read");
}

#[test]
fn files_that_come_in_pieces_get_the_same_verdict_and_entries() {
    let mut missed = 0;
    for (name, version) in [("p1000", "da"), ("wide_many", "da"), ("wide_many", "oa")] {
        let files = cassandra(name, version, 1).files;
        let whole = own(&files);
        let parts: Vec<Pieces<'_>> =
            files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, 3)).collect();
        let all: Vec<&Pieces<'_>> = parts.iter().collect();
        let table = loop {
            let sources = parts.iter().map(|piece| (piece.part(), piece));
            match Table::open(files.set.clone(), sources) {
                Ok(table) => break table,
                Err(miss) => bring(&all, miss),
            }
        };
        let writer = Writer::of(table.version());
        let judged = judge(&table, writer, |miss| bring(&all, miss)).unwrap();
        assert_eq!(judged, whole, "{name}");
        if version == "da" {
            let mut job = EntriesJob::partitions(&table, 1 << 20).unwrap();
            while !job.is_done() {
                match job.step(&table, 10) {
                    Ok(_) => {}
                    Err(EntriesError::Miss(miss)) => bring(&all, miss),
                    Err(error) => panic!("{error}"),
                }
            }
        }
        missed += parts.iter().map(Pieces::misses).sum::<u64>();
    }
    assert!(missed > 20, "{missed}");
}
