//! What the walk over a legacy index needs to know of its table, and what opening the table has found already.

use super::samples::File;
use crate::check::catalog::summary::{BIG_ENDIAN, HEADER};
use crate::check::{Finding, Findings};
use crate::keys::Partitioner;
use crate::pos::FilePos;
use crate::race::LegacyReader;
use crate::source::Source;
use crate::table::{Part, Problem, Product, Table};

/// What the walk needs to know of the table, gathered once.
#[derive(Clone, Debug, Default)]
pub(super) struct About {
    /// How keys are ordered; `None` where that is not known.
    pub(super) order: Option<Partitioner>,
    /// The fixed lengths of clustering values.
    pub(super) lengths: Vec<Option<u32>>,
    pub(super) data_length: Option<u64>,
}

impl About {
    pub(super) fn of<S: Source>(table: &Table<S>) -> Self {
        let order = table.facts.partitioner.clone();
        Self {
            order: order.filter(|order| !matches!(order, Partitioner::Unknown(_))),
            lengths: lengths(table),
            data_length: data_length(table),
        }
    }
}

/// The summary and its bytes, where it can be read.
pub(super) fn summary<S: Source>(table: &Table<S>) -> Option<File<'_, S>> {
    table.summary.as_ref().zip(table.source(Part::Summary))
}

/// What opening the table found wrong with the summary as a whole.
pub(super) fn summary_header<S: Source>(table: &Table<S>, findings: &mut Findings) {
    for problem in &table.facts.problems {
        match problem {
            Problem::Damaged(error) if error.part == Part::Summary => {
                findings.add(Finding::unreadable(HEADER, error));
            }
            _ => {}
        }
    }
    if table.summary.as_ref().is_some_and(|summary| summary.header.big_endian) {
        let found = "offsets are big-endian; Cassandra 5 discards and rebuilds this summary";
        let finding = Finding::new(BIG_ENDIAN, "offsets", "little-endian", found);
        findings.add(finding.at(Part::Summary, FilePos(24)));
    }
}

/// Who reads the table: ScyllaDB where it wrote it, else Cassandra.
pub(super) fn reader<S: Source>(table: &Table<S>) -> LegacyReader {
    let scylla =
        table.version().product() == Product::ScyllaDb || table.source(Part::Scylla).is_some();
    if scylla { LegacyReader::Scylla } else { LegacyReader::Cassandra }
}

/// The fixed lengths of the clustering values.
pub(super) fn lengths<S: Source>(table: &Table<S>) -> Vec<Option<u32>> {
    let columns = table.clustering_schema().map_or(&[][..], |schema| schema.columns());
    columns.iter().map(|column| column.cql.fixed_len()).collect()
}

/// Bytes of Data.db, uncompressed, where that is certain.
pub(super) fn data_length<S: Source>(table: &Table<S>) -> Option<u64> {
    if table.facts.data_length.is_some() {
        return table.facts.data_length;
    }
    let unknown = table.facts.problems.iter().any(|problem| match problem {
        Problem::Missing(part) => *part == Part::CompressionInfo,
        Problem::Damaged(error) => error.part == Part::CompressionInfo,
        _ => false,
    });
    table.source(Part::Data).filter(|_| !unknown).map(Source::len)
}
