//! The end that both lookups share: Data.db is asked, and the answer said.

use super::{
    AbsentWhy, Answer, BlockStep, Confirmation, Observer, Query, RowConfirmation, Step, confirm,
};
use crate::error::{Error, ReadError};
use crate::pos::DataPos;
use crate::source::Source;
use crate::table::Table;

/// What an index alone says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Indexed {
    /// The partition should be here.
    At {
        /// Its position in Data.db.
        data: DataPos,
        /// Whether the index stores the whole key, so that it has been compared.
        key_compared: bool,
        /// The row block, where a row was searched and the partition has blocks.
        block: Option<BlockStep>,
    },
    /// The key is absent.
    Absent(AbsentWhy),
}

/// Asks Data.db where the index says that the partition is, and tells the observer the answer.
pub(crate) fn conclude<S: Source, O: Observer>(
    table: &Table<S>,
    query: &Query<'_>,
    indexed: Indexed,
    observer: &mut O,
) -> Result<Answer, Error> {
    let answer = match indexed {
        Indexed::Absent(why) => Answer::Absent(why),
        Indexed::At { data, key_compared, block } => {
            let step = confirm(table, query, data, block.as_ref(), observer)?;
            match step.key {
                Confirmation::Differs { .. } if !key_compared => {
                    Answer::Absent(AbsentWhy::OtherKey)
                }
                // The index holds the key and Data.db another one: the two do not belong together.
                Confirmation::Differs { .. } => present(data, false, block.as_ref(), None),
                Confirmation::Equal => present(data, true, block.as_ref(), step.row),
                Confirmation::NotConfirmed(_) => present(data, key_compared, block.as_ref(), None),
            }
        }
    };
    observer.step(|| Step::Answer(answer.clone()));
    Ok(answer)
}

/// Says that damage ends the lookup.
pub(crate) fn unknown<O: Observer>(error: ReadError, observer: &mut O) -> Answer {
    observer.step(|| Step::Damage(error.clone()));
    let answer = Answer::Unknown(error);
    observer.step(|| Step::Answer(answer.clone()));
    answer
}

fn present(
    data: DataPos,
    confirmed: bool,
    block: Option<&BlockStep>,
    row: Option<RowConfirmation>,
) -> Answer {
    let block = block
        .filter(|block| !block.after_last)
        .map(|block| DataPos(block.partition.0.saturating_add(block.start)));
    Answer::Present { data, confirmed, block, row }
}
