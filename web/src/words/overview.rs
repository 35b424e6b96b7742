//! The table of the two indexes, and the sentences below it.

use crate::words::{bytes, count, mean};
use triescope_core::lookup::SummarySource;
use triescope_core::lookup::words::number;
use triescope_core::pos::pages_of;
use triescope_core::race::{LegacyReader, MeanCosts, Means};
use triescope_core::table::{Count, Part, TableFacts};

/// A row of the table: the same question to both indexes. `None` is "not here", an empty cell is "not yet".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What is counted.
    pub what: &'static str,
    /// The trie index's number.
    pub trie: Option<String>,
    /// The legacy index's number.
    pub legacy: Option<String>,
}

/// The table. Means stand as far as they have come; [`progress`] says how far that is.
pub fn rows(
    trie: Option<&TableFacts>,
    legacy: Option<&TableFacts>,
    means: Option<&Means>,
    reader: LegacyReader,
) -> Vec<Row> {
    let both = |what, of: &dyn Fn(&TableFacts) -> String| Row {
        what,
        trie: trie.map(of),
        legacy: legacy.map(of),
    };
    let mut rows = vec![both("Index bytes", &|facts| bytes(index_bytes(facts)))];
    if partitions(trie).or(partitions(legacy)).is_some_and(|n| n > 0) {
        rows.push(both("· per partition", &|facts| {
            let n = partitions(Some(facts)).unwrap_or(0);
            mean(index_bytes(facts), n, 2).map_or(String::new(), |mean| format!("{mean} B"))
        }));
    }
    rows.push(both("Pages of 4 KiB", &|facts| number(index_pages(facts), ',')));
    let cost = |costs: Option<MeanCosts>, of: &dyn Fn(&MeanCosts, u64) -> Option<String>| {
        let done = means.map_or(0, |means| means.done);
        costs.and_then(|costs| of(&costs, done)).unwrap_or_default()
    };
    let (t, l) = (means.and_then(|it| it.trie), means.and_then(|it| it.legacy));
    let means_row =
        |what,
         of_trie: &dyn Fn(&MeanCosts, u64) -> Option<String>,
         of_legacy: &dyn Fn(&MeanCosts, u64) -> Option<String>| Row {
            what,
            trie: trie.map(|_| cost(t, of_trie)),
            legacy: legacy.map(|_| cost(l, of_legacy)),
        };
    let fetches = |costs: &MeanCosts, done| mean(costs.fetches, done, 2);
    rows.push(means_row("Page fetches, cold, mean", &fetches, &fetches));
    rows.push(means_row(
        "Nodes or entries parsed, mean",
        &|costs, done| parsed(costs.parsed, done).map(|mean| format!("{mean} nodes")),
        &|costs, done| parsed(costs.parsed, done).map(|mean| format!("{mean} entries")),
    ));
    let compared = |costs: &MeanCosts, done: u64| {
        let (least, most) = (costs.least_bytes_compared, costs.most_bytes_compared);
        (done > 0).then(|| match least == most {
            true => bytes(least),
            false => format!("{} to {} B", number(least, ','), number(most, ',')),
        })
    };
    rows.push(means_row("Key bytes compared", &compared, &compared));
    rows.push(Row {
        what: "Resident, always",
        trie: trie.map(|_| bytes(0)),
        legacy: legacy.map(|facts| resident(facts, means, reader)),
    });
    let filter = |facts: &TableFacts| match facts.filter_bytes {
        Some(n) => bytes(n),
        None => "no filter".to_owned(),
    };
    rows.push(both("Filter.db, resident too", &filter));
    rows
}

/// How far the means have come: `3,100 of 20,000 keys so far`, or over which keys they are.
pub fn progress(means: &Means) -> String {
    let keys = if means.all_keys { "keys" } else { "seeded random tokens" };
    match (means.done < means.of, means.all_keys) {
        _ if means.of == 0 => "No means: not one key could be found to look up.".to_owned(),
        (true, _) => format!(
            "Means over {} of {} {keys} so far.",
            number(means.done, ','),
            number(means.of, ',')
        ),
        (false, true) if means.of == 1 => "Means over the one key there is.".to_owned(),
        (false, true) => format!("Means over all {} keys.", number(means.of, ',')),
        (false, false) => format!("Means over {} {keys}.", number(means.of, ',')),
    }
}

/// How this database reads the legacy index, with what bounds the work.
pub fn reading(reader: LegacyReader, legacy: &TableFacts, means: Option<&Means>) -> String {
    match reader {
        LegacyReader::Cassandra => match scan(legacy) {
            Some(n) => format!(
                "Legacy as Cassandra reads it: a scan of at most {}, and one more for an absent key.",
                count(n, "entry", "entries")
            ),
            None => "Legacy as Cassandra reads it: a scan from a sample on.".to_owned(),
        },
        LegacyReader::Scylla => {
            let sampled = means
                .and_then(|means| means.summary)
                .filter(|summary| summary.source == SummarySource::Sampled);
            let sampled = sampled.map_or(String::new(), |summary| {
                format!(" ({}, taken in memory)", count(summary.samples, "sample", "samples"))
            });
            format!(
                "Legacy as ScyllaDB reads it: all entries between two samples{sampled} are parsed, then bisected."
            )
        }
    }
}

/// What the other reader costs, `5.40 page fetches, 1,831 entries`; `None` where it was not counted.
pub fn other(means: &Means) -> Option<String> {
    let costs = means.other?;
    let fetches = mean(costs.fetches, means.done, 2)?;
    let parsed = parsed(costs.parsed, means.done)?;
    Some(format!("{fetches} page fetches, {parsed} entries"))
}

/// A mean number of things parsed: with a decimal where it is small.
fn parsed(sum: u64, of: u64) -> Option<String> {
    mean(sum, of, u32::from(sum < of.saturating_mul(100)))
}

/// The name of a reader, as in "as Cassandra reads it".
pub const fn reader_name(reader: LegacyReader) -> &'static str {
    match reader {
        LegacyReader::Cassandra => "Cassandra",
        LegacyReader::Scylla => "ScyllaDB",
    }
}

/// The other reader.
pub const fn other_reader(reader: LegacyReader) -> LegacyReader {
    match reader {
        LegacyReader::Cassandra => LegacyReader::Scylla,
        LegacyReader::Scylla => LegacyReader::Cassandra,
    }
}

/// Which index costs less, in fetches of a cold lookup and in bytes, whichever of the two it is; `None` before there
/// are means of both.
pub fn fair(
    trie: &TableFacts,
    legacy: &TableFacts,
    means: &Means,
    reader: LegacyReader,
) -> Option<String> {
    let (t, l) = (means.trie?, means.legacy?);
    let numbers = format!(
        "{} against {} as {} reads",
        mean(t.fetches, means.done, 2)?,
        mean(l.fetches, means.done, 2)?,
        reader_name(reader)
    );
    let first = match t.fetches.cmp(&l.fetches) {
        std::cmp::Ordering::Less => {
            format!("One cold lookup costs fewer page fetches in the trie ({numbers})")
        }
        std::cmp::Ordering::Equal => {
            format!("One cold lookup costs as many page fetches in both ({numbers})")
        }
        std::cmp::Ordering::Greater => {
            let why = short_scan(legacy, reader).unwrap_or_default();
            format!("One cold lookup costs more page fetches in the trie here ({numbers}){why}")
        }
    };
    let (t, l) = (index_bytes(trie), index_bytes(legacy));
    let second = match t.cmp(&l) {
        std::cmp::Ordering::Less => format!("The trie index is {} smaller.", bytes(l - t)),
        std::cmp::Ordering::Equal => "Both indexes have the same size.".to_owned(),
        std::cmp::Ordering::Greater => format!("The legacy index is {} smaller.", bytes(t - l)),
    };
    Some(format!("{first}. {second}"))
}

/// Why a legacy lookup can be cheap: entries so short that a scan hardly leaves its page.
fn short_scan(legacy: &TableFacts, reader: LegacyReader) -> Option<String> {
    let (entries, partitions) = (scan(legacy)?, partitions(Some(legacy))?);
    let index = part_bytes(legacy, Part::Index);
    let each = mean(index, partitions, 1)?;
    let page = triescope_core::pos::PAGE_SIZE;
    // Above one page the scan is not what makes it cheap, and nothing is claimed.
    let fits = entries.checked_mul(index)? <= page.checked_mul(partitions)?;
    (reader == LegacyReader::Cassandra && fits).then(|| {
        format!(
            ": with {each} B an entry, the {} of a scan seldom leave their page",
            count(entries, "entry", "entries")
        )
    })
}

/// Most entries that Cassandra scans from a sample on: the sampling interval.
fn scan(legacy: &TableFacts) -> Option<u64> {
    let summary = legacy.summary?;
    // At level 128 every sample is kept; below it the gaps grow as samples were dropped.
    let level = u64::from(summary.sampling_level.max(1));
    Some((u64::from(summary.min_index_interval) * 128).div_ceil(level))
}

fn resident(facts: &TableFacts, means: Option<&Means>, reader: LegacyReader) -> String {
    match (means.and_then(|means| means.summary), facts.summary) {
        (Some(used), _) => bytes(used.resident),
        // Before the first means the file's own summary is known, and it is the one that Cassandra reads.
        (None, Some(_)) if reader == LegacyReader::Cassandra => {
            bytes(part_bytes(facts, Part::Summary))
        }
        _ => String::new(),
    }
}

fn partitions(facts: Option<&TableFacts>) -> Option<u64> {
    match facts?.partitions? {
        Count::Exact(n) | Count::FromStatistics(n) => Some(n),
    }
}

fn part_bytes(facts: &TableFacts, part: Part) -> u64 {
    facts.components.iter().filter(|it| it.part == Some(part)).filter_map(|it| it.bytes).sum()
}

fn index_bytes(facts: &TableFacts) -> u64 {
    [Part::Partitions, Part::Rows, Part::Index, Part::Summary]
        .into_iter()
        .map(|part| part_bytes(facts, part))
        .sum()
}

/// Pages of the files that are read by the page; Summary.db is read once and kept.
fn index_pages(facts: &TableFacts) -> u64 {
    [Part::Partitions, Part::Rows, Part::Index]
        .into_iter()
        .map(|part| pages_of(part_bytes(facts, part)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::overview::testing::set;
    use triescope_core::race::SummaryUsed;
    use triescope_core::table::SummaryFacts;

    fn p20k() -> (TableFacts, TableFacts) {
        let mut legacy = set("p20k", "oa");
        legacy.summary = Some(SummaryFacts {
            samples: 157,
            memory_bytes: 2_512,
            min_index_interval: 128,
            sampling_level: 128,
            big_endian: false,
        });
        (set("p20k", "da"), legacy)
    }

    fn means(fetches: (u64, u64), done: u64) -> Means {
        let costs = |fetches, parsed, least, most| MeanCosts {
            fetches,
            parsed,
            least_bytes_compared: least,
            most_bytes_compared: most,
        };
        Means {
            done,
            of: 20_000,
            all_keys: true,
            trie: Some(costs(fetches.0, 86_000, 3, 5)),
            legacy: Some(costs(fetches.1, 1_290_000, 24, 560)),
            other: None,
            summary: None,
        }
    }

    fn cell(rows: &[Row], what: &str) -> (Option<String>, Option<String>) {
        let row = rows.iter().find(|row| row.what == what).unwrap();
        (row.trie.clone(), row.legacy.clone())
    }

    fn both(trie: &str, legacy: &str) -> (Option<String>, Option<String>) {
        (Some(trie.to_owned()), Some(legacy.to_owned()))
    }

    #[test]
    fn both_indexes_are_asked_the_same_questions() {
        let (trie, legacy) = p20k();
        let means = means((39_800, 23_400), 20_000);
        let rows = rows(Some(&trie), Some(&legacy), Some(&means), LegacyReader::Cassandra);
        assert_eq!(cell(&rows, "Index bytes"), both("162,365 B", "201,450 B"));
        assert_eq!(cell(&rows, "· per partition"), both("8.12 B", "10.07 B"));
        assert_eq!(cell(&rows, "Pages of 4 KiB"), both("40", "49"));
        assert_eq!(cell(&rows, "Page fetches, cold, mean"), both("1.99", "1.17"));
        assert_eq!(cell(&rows, "Nodes or entries parsed, mean"), both("4.3 nodes", "64.5 entries"));
        assert_eq!(cell(&rows, "Key bytes compared"), both("3 to 5 B", "24 to 560 B"));
        assert_eq!(cell(&rows, "Resident, always"), both("0 B", "2,552 B"));
        assert_eq!(progress(&means), "Means over all 20,000 keys.");
    }

    #[test]
    fn before_the_means_their_cells_are_empty_and_a_missing_index_has_none() {
        let (trie, legacy) = p20k();
        let early = rows(Some(&trie), Some(&legacy), None, LegacyReader::Scylla);
        assert_eq!(cell(&early, "Page fetches, cold, mean"), both("", ""));
        assert_eq!(cell(&early, "Resident, always"), both("0 B", ""));
        let alone = rows(Some(&trie), None, None, LegacyReader::Cassandra);
        assert_eq!(cell(&alone, "Index bytes").1, None);
        let part = Means { done: 3_100, ..means((1, 1), 3_100) };
        assert_eq!(progress(&part), "Means over 3,100 of 20,000 keys so far.");
        assert!(progress(&Means::default()).starts_with("No means"));
        let tokens = Means { done: 10_000, of: 10_000, all_keys: false, ..part };
        assert_eq!(progress(&tokens), "Means over 10,000 seeded random tokens.");
    }

    #[test]
    fn the_sentence_is_fair_to_the_legacy_index() {
        let (trie, legacy) = p20k();
        let cassandra = means((39_800, 23_400), 20_000);
        assert_eq!(
            fair(&trie, &legacy, &cassandra, LegacyReader::Cassandra).unwrap(),
            "One cold lookup costs more page fetches in the trie here (1.99 against 1.17 as Cassandra reads): with 9.9 B an entry, the 128 entries of a scan seldom leave their page. The trie index is 39,085 B smaller."
        );
        let scylla = means((39_800, 108_000), 20_000);
        assert_eq!(
            fair(&trie, &legacy, &scylla, LegacyReader::Scylla).unwrap(),
            "One cold lookup costs fewer page fetches in the trie (1.99 against 5.40 as ScyllaDB reads). The trie index is 39,085 B smaller."
        );
        let (trie, legacy) = (set("ten_partitions", "oa"), set("ten_partitions", "da"));
        let same = means((10, 10), 10);
        assert!(
            fair(&legacy, &trie, &same, LegacyReader::Cassandra).unwrap().starts_with(
                "One cold lookup costs as many page fetches in both (1.00 against 1.00"
            )
        );
    }

    #[test]
    fn the_reading_says_what_bounds_it() {
        let (_, mut legacy) = p20k();
        assert_eq!(
            reading(LegacyReader::Cassandra, &legacy, None),
            "Legacy as Cassandra reads it: a scan of at most 128 entries, and one more for an absent key."
        );
        let mut means = means((1, 1), 1);
        means.summary =
            Some(SummaryUsed { source: SummarySource::Sampled, samples: 11, resident: 216 });
        assert_eq!(
            reading(LegacyReader::Scylla, &legacy, Some(&means)),
            "Legacy as ScyllaDB reads it: all entries between two samples (11 samples, taken in memory) are parsed, then bisected."
        );
        means.other = means.legacy;
        assert!(other(&means).unwrap().ends_with(" entries"));
        if let Some(summary) = &mut legacy.summary {
            summary.sampling_level = 64;
        }
        assert!(reading(LegacyReader::Cassandra, &legacy, None).contains("256 entries"));
    }
}
