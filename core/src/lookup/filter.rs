//! The first step of every lookup: Filter.db is asked.

use super::{FilterAnswer, FilterMode, FilterStep, Observer, Query, Step};
use crate::error::Error;
use crate::source::Source;
use crate::table::{Part, Problem, Table};

impl FilterStep {
    /// Whether the lookup ends here: the filter says no and may end it.
    pub fn ends_lookup(&self) -> bool {
        self.mode == FilterMode::Ask && self.answer == FilterAnswer::No
    }
}

/// Asks the Bloom filter for a key and tells the observer. Whatever is wrong with Filter.db becomes an answer too, and the
/// lookup goes on; the only error is bytes that are not here yet.
pub fn ask_filter<S: Source, O: Observer>(
    table: &Table<S>,
    query: &Query<'_>,
    observer: &mut O,
) -> Result<FilterStep, Error> {
    let mode = query.filter;
    let step = match (table.filter, table.source(Part::Filter)) {
        (Some(filter), Some(source)) => {
            let (hashes, bits) = (filter.hashes, filter.bits());
            match filter.test(source, query.hash) {
                Ok(tested) => {
                    let no = tested.iter().any(|bit| !bit.set);
                    let answer = if no { FilterAnswer::No } else { FilterAnswer::Maybe };
                    FilterStep { mode, hashes, bits, tested, answer }
                }
                Err(Error::Damage(error)) => {
                    let answer = FilterAnswer::Damaged(*error);
                    FilterStep { mode, hashes, bits, tested: Vec::new(), answer }
                }
                Err(miss) => return Err(miss),
            }
        }
        _ => {
            let damage = table.facts.problems.iter().find_map(|problem| match problem {
                Problem::Damaged(error) if error.part == Part::Filter => Some(error.clone()),
                _ => None,
            });
            let answer = damage.map_or(FilterAnswer::NoFilter, FilterAnswer::Damaged);
            FilterStep { mode, hashes: 0, bits: 0, tested: Vec::new(), answer }
        }
    };
    observer.step(|| Step::Filter(step.clone()));
    Ok(step)
}
