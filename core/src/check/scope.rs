//! Which checks apply to a table, which of them were made, and why others could not be: a check without a finding says
//! something only where somebody looked.

use super::catalog::files::{COMPONENT_DIGEST, DIGEST, REWRITTEN};
use super::catalog::{Area, Check, data, index, layout, rows, statistics, summary, trie};
use super::{CheckOptions, catalog};
use crate::source::Source;
use crate::table::{IndexKind, Part, Table};

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The job looks.
    Made,
    /// The job looks when it is told to read Data.db too.
    Deep,
    /// It cannot: this component is not here.
    Missing(Part),
    /// It cannot: this component is here, but it could not be read as far as the check needs it.
    Unreadable(Part),
    /// There is nothing to look at in such a table.
    Needless,
}

/// The area of a check.
pub fn area(check: &Check) -> Area {
    let word = check.id.split('/').next().unwrap_or_default();
    catalog::ALL.iter().map(|(area, _)| *area).find(|it| it.name() == word).unwrap_or(Area::Files)
}

/// Every check with what becomes of it in a table.
pub fn scopes<S: Source>(
    table: &Table<S>,
    options: CheckOptions,
) -> impl Iterator<Item = (&'static Check, Scope)> {
    let checks = catalog::ALL.iter().flat_map(|(_, checks)| checks.iter());
    checks.map(move |check| (check, scope(table, check, options)))
}

/// What becomes of a check in a table.
pub fn scope<S: Source>(table: &Table<S>, check: &Check, options: CheckOptions) -> Scope {
    let of_index = match area(check) {
        Area::Files => return of_files(table, check, options),
        Area::Trie | Area::Rows => Some(IndexKind::Trie),
        Area::Index | Area::Summary => Some(IndexKind::Legacy),
        Area::Layout if is(check, &TRIE_LAYOUT) => Some(IndexKind::Trie),
        Area::Layout => Some(IndexKind::Legacy),
        Area::Statistics | Area::Filter | Area::Data => None,
    };
    let index = table.version().index().or(table.facts.index);
    if of_index.is_some_and(|kind| index.is_some_and(|index| index != kind)) {
        return Scope::Needless;
    }
    let needed = needed(table, check);
    let missing = needed.iter().find(|part| table.source(**part).is_none());
    if let Some(part) = missing {
        return match part {
            // Neither is in every table: which of them there is follows from how Data.db is stored.
            Part::CompressionInfo | Part::Crc if !is_needed(table, *part) => Scope::Needless,
            Part::Filter if !is_needed(table, *part) => Scope::Needless,
            _ => Scope::Missing(*part),
        };
    }
    // What only older and newer versions of one database write.
    if check.id == layout::COLUMN_WISE.id && table.version().as_str() != "ms" {
        return Scope::Needless;
    }
    if let Some(part) = unreadable(table, check, needed) {
        return Scope::Unreadable(part);
    }
    if is(check, &DEEP) && !options.deep { Scope::Deep } else { Scope::Made }
}

/// What is told by the files as such.
fn of_files<S: Source>(table: &Table<S>, check: &Check, options: CheckOptions) -> Scope {
    match check.id {
        id if id == DIGEST.id => match table.source(Part::Data) {
            None => Scope::Missing(Part::Data),
            Some(_) if table.digest.is_none() && table.source(Part::Digest).is_some() => {
                Scope::Unreadable(Part::Digest)
            }
            Some(_) if table.digest.is_none() => Scope::Needless,
            Some(_) if options.deep => Scope::Made,
            Some(_) => Scope::Deep,
        },
        id if id == COMPONENT_DIGEST.id || id == REWRITTEN.id => {
            match table.source(Part::Scylla).is_some() {
                true => Scope::Made,
                false => Scope::Needless,
            }
        }
        _ => Scope::Made,
    }
}

/// Checks that read Data.db.
const DEEP: [&Check; 27] = [
    trie::DATA_POSITION,
    trie::DATA_KEY,
    rows::DATA_KEY,
    rows::DELETION,
    rows::BLOCK_START,
    rows::SEPARATOR,
    rows::OPEN_DELETION,
    index::DATA_POSITION,
    index::DATA_KEY,
    index::HEADER_LENGTH,
    index::DELETION,
    index::BLOCK_START,
    index::BLOCK_BOUNDS,
    index::OPEN_DELETION,
    data::CHUNK_CHECKSUM,
    data::UNREADABLE,
    data::UNINDEXED,
    data::KEY_ORDER,
    data::ROW_ORDER,
    data::MARKERS,
    data::PREVIOUS_SIZE,
    statistics::TIMESTAMPS,
    statistics::DELETION_TIMES,
    statistics::TTLS,
    statistics::CLUSTERING_BOUNDS,
    statistics::PARTITION_DELETIONS,
    statistics::TOTALS,
];

/// What the layout of a trie costs.
const TRIE_LAYOUT: [&Check; 5] =
    [layout::FILL, layout::PADDING, layout::CROSSINGS, layout::CHAINS, layout::COLUMN_WISE];

fn is(check: &Check, of: &[&Check]) -> bool {
    of.iter().any(|it| it.id == check.id)
}

/// The components that a check looks at; without one of them it cannot be made.
fn needed<S: Source>(table: &Table<S>, check: &Check) -> &'static [Part] {
    use Part::{CompressionInfo, Crc, Data, Filter, Index, Partitions, Rows, Statistics, Summary};
    let deep = is(check, &DEEP);
    match area(check) {
        Area::Files => &[],
        Area::Trie if deep => &[Partitions, Data],
        Area::Trie => &[Partitions],
        Area::Rows if deep => &[Partitions, Rows, Data],
        Area::Rows => &[Partitions, Rows],
        Area::Index if deep => &[Index, Data],
        Area::Index if check.id == index::POSITION_IN_DATA.id => &[Index, Data],
        Area::Index => &[Index],
        Area::Summary => &[Summary, Index],
        Area::Filter => &[Filter],
        Area::Statistics if deep => &[Statistics, Data],
        Area::Statistics => &[Statistics],
        Area::Data if check.id == data::CHUNK_OFFSETS.id => &[CompressionInfo],
        Area::Data if check.id == data::CRC_COUNT.id => &[Crc, Data],
        Area::Data if table.compression.is_some() => &[Data, CompressionInfo],
        Area::Data => &[Data],
        Area::Layout if check.id == layout::SUMMARY_PAGES.id => &[Summary, Index],
        Area::Layout if check.id == layout::INDEX_LARGER.id => &[Index, Data],
        Area::Layout if is(check, &TRIE_LAYOUT) => &[Partitions],
        Area::Layout => &[Index],
    }
}

/// Whether the table needs a component.
fn is_needed<S: Source>(table: &Table<S>, part: Part) -> bool {
    let mut components = table.facts.components.iter();
    components.any(|it| it.part == Some(part) && (it.needed || it.listed == Some(true)))
}

/// A component that is here, and whose head or end could not be read, without which the check does not begin.
fn unreadable<S: Source>(table: &Table<S>, check: &Check, needed: &[Part]) -> Option<Part> {
    let says_so = [trie::FOOTER, trie::KEYS, summary::HEADER];
    if is(check, &says_so) {
        return None;
    }
    needed.iter().copied().find(|part| match part {
        Part::Partitions => table.footer.is_none(),
        Part::Summary => table.summary.is_none(),
        Part::Statistics => table.statistics.as_ref().is_none_or(|it| it.stats.is_none()),
        Part::Filter => table.filter.is_none(),
        Part::CompressionInfo => table.compression.is_none(),
        Part::Crc => table.crc.is_none(),
        _ => false,
    })
}
