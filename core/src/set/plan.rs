//! What of an SSTable is copied and what is written anew for another version, before anything is; or why it cannot be.

use super::Note;
use crate::data::Storing;
use crate::error::Error;
use crate::lookup::NotConfirmed;
use crate::meta::{Compressor, StatisticsModel};
use crate::source::Source;
use crate::table::{Part, Product, Table, Version};
use crate::twin::Target;
use std::fmt;

/// Why an SSTable cannot be written in another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetRefusal {
    /// Data.db cannot be read.
    Data(NotConfirmed),
    /// Data.db of the source has no rows that this program knows.
    NoRows {
        /// Its version.
        version: Version,
    },
    /// Statistics.db is not here.
    NoStatistics,
    /// Counters have local or remote shards, which ScyllaDB refuses.
    OldCounters,
}

/// What is done with Data.db.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowPlan {
    /// It is copied; positions in it stay.
    Copied,
    /// Its rows are written anew, and stored so; positions change.
    Rewritten(Storing),
}

/// An SSTable that can be written in another version.
#[derive(Clone, Debug)]
pub struct SetPlan {
    /// The version.
    pub target: Target,
    /// What is done with Data.db.
    pub rows: RowPlan,
    /// The files that the job writes, TOC.txt last; the index is built beside them.
    pub parts: Vec<Part>,
    /// What is left out or assumed, as far as it is known before.
    pub notes: Vec<Note>,
    /// Statistics.db of the source.
    pub(super) model: StatisticsModel,
    /// How Data.db is stored, copied or not.
    pub(super) storing: Storing,
}

impl SetPlan {
    /// Looks at an SSTable; of Statistics.db all is read, of other files nothing.
    ///
    /// # Errors
    /// Outside, a miss or damage in Statistics.db; inside, what stands against it.
    pub fn new<S: Source>(
        table: &Table<S>,
        target: Target,
    ) -> Result<Result<Self, SetRefusal>, Error> {
        let from = table.data_version();
        if !from.has_rows() {
            return Ok(Err(SetRefusal::NoRows { version: from }));
        }
        if let Err(why) = table.data_reader() {
            return Ok(Err(SetRefusal::Data(why)));
        }
        let Some(statistics) = table.source(Part::Statistics) else {
            return Ok(Err(SetRefusal::NoStatistics));
        };
        let model = StatisticsModel::read(from, statistics)?;
        if model.header.is_none() || model.stats.is_none() || model.validation.is_none() {
            return Ok(Err(SetRefusal::NoStatistics));
        }
        let to = target.version();
        let old_counters = model.stats.as_ref().is_some_and(|stats| stats.legacy_counter_shards);
        if old_counters && to.product() == Product::ScyllaDb {
            return Ok(Err(SetRefusal::OldCounters));
        }
        let mut notes = Vec::new();
        let (rows, storing) = rows(table, to, &mut notes);
        let storage = match &rows {
            RowPlan::Rewritten(storing) => storing.part(),
            RowPlan::Copied if table.compression.is_some() => Part::CompressionInfo,
            RowPlan::Copied => Part::Crc,
        };
        let mut parts = vec![Part::Data, storage, Part::Digest];
        if table.filter.is_some() {
            parts.push(Part::Filter);
        } else {
            notes.push(Note::NoFilter);
        }
        parts.extend([Part::Statistics, Part::Toc]);
        if to.product() == Product::ScyllaDb || table.source(Part::Scylla).is_some() {
            notes.push(Note::NoScylla);
        }
        for component in &table.facts.components {
            if component.part.is_none() && component.bytes.is_some() {
                notes.push(Note::Left { name: component.name.clone() });
            }
        }
        Ok(Ok(Self { target, rows, parts, notes, model, storing }))
    }

    /// Whether the positions of partitions and rows change, so that the index is to be built over the written Data.db.
    pub fn moves_positions(&self) -> bool {
        matches!(self.rows, RowPlan::Rewritten(_))
    }
}

/// Data.db is copied where every reader of the target reads it as it is.
fn rows<S: Source>(table: &Table<S>, to: Version, notes: &mut Vec<Note>) -> (RowPlan, Storing) {
    let from = table.data_version();
    let (source, target) = (from.formats(), to.formats());
    let same_form = source.deletion == target.deletion
        && source.live_times.iter().all(|time| target.live_times.contains(time));
    // What only one of the two databases writes is looked for row by row where the other one is to read it.
    let is_scylla = table.source(Part::Scylla).is_some();
    let same_readers = match (from.product(), to.product()) {
        (from, to) if from == to => true,
        (Product::ScyllaDb, Product::Either) => true,
        (Product::Either, Product::ScyllaDb) => is_scylla,
        _ => false,
    };
    // The limit for raw chunks has no place in older versions; the other way round it is added.
    let loses_raw = source.has_max_compressed_length && !target.has_max_compressed_length;
    let is_stored = table.compression.is_none() || !loses_raw;
    let has_companion = match &table.compression {
        Some(_) => true,
        None => table.source(Part::Crc).is_some(),
    };
    let (storing, other) = storing(table, to, notes);
    if same_form && same_readers && is_stored && has_companion && other.is_none() {
        return (RowPlan::Copied, storing);
    }
    // A dictionary is not written with, whoever reads.
    let storing = without_dictionary(storing);
    if let Some(info) = &table.compression {
        let now = match &storing {
            Storing::Plain => None,
            Storing::Compressed { compressor, .. } => Some(compressor),
        };
        if now != Some(&info.compressor) {
            let was = info.compressor.name().to_owned();
            notes.push(Note::Compressor { was, now: storing.to_string() });
        }
    }
    if matches!(storing, Storing::Compressed { .. }) {
        notes.push(Note::Compressed);
    }
    (RowPlan::Rewritten(storing.clone()), storing)
}

/// How the target stores it, and whether its readers need another compressor. Only their options are left.
fn storing<S: Source>(
    table: &Table<S>,
    to: Version,
    notes: &mut Vec<Note>,
) -> (Storing, Option<Compressor>) {
    let Some(info) = &table.compression else { return (Storing::Plain, None) };
    let mut storing = Storing::of(info, to);
    let by_scylla = to.product() == Product::ScyllaDb;
    let same = table.data_version() == to;
    // Cassandra 5 refuses an option that it does not know, and `crc_check_chance` is none of a compressor any more.
    // ScyllaDB knows none of Cassandra's for LZ4.
    let is_known = |name: &str| {
        same || if by_scylla { !name.starts_with("lz4_") } else { name != "crc_check_chance" }
    };
    if let Storing::Compressed { options, .. } = &mut storing {
        for (name, _) in options.iter().filter(|(name, _)| !is_known(name)) {
            notes.push(Note::Option { name: name.clone() });
        }
        options.retain(|(name, _)| is_known(name));
    }
    let has_dictionary =
        matches!(info.compressor, Compressor::Lz4WithDictionary | Compressor::ZstdWithDictionary);
    let no_noop = info.compressor == Compressor::Noop && !to.formats().has_max_compressed_length;
    match info.compressor.clone() {
        // A dictionary is trained by ScyllaDB, and read by it alone.
        compressor if has_dictionary && !by_scylla && !same => (storing, Some(compressor)),
        compressor if no_noop => (Storing::Plain, Some(compressor)),
        _ => (storing, None),
    }
}

fn without_dictionary(mut storing: Storing) -> Storing {
    if let Storing::Compressed { compressor, options, .. } = &mut storing {
        match compressor {
            Compressor::Lz4WithDictionary => *compressor = Compressor::Lz4,
            Compressor::ZstdWithDictionary => *compressor = Compressor::Zstd,
            _ => return storing,
        }
        options.retain(|(name, _)| !name.starts_with('.'));
    }
    storing
}

impl fmt::Display for SetRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(why) => {
                f.write_str("all rows are needed, but ")?;
                match why {
                    NotConfirmed::NoData => f.write_str("Data.db is not here"),
                    NotConfirmed::NoCompressionInfo => f.write_str(
                        "Data.db is compressed and CompressionInfo.db is not here",
                    ),
                    NotConfirmed::UnknownCompressor { name } => {
                        write!(f, "{name}, which compressed Data.db, is not known")
                    }
                    NotConfirmed::Version => f.write_str("Data.db of this version is not read"),
                    NotConfirmed::Damaged(error) => write!(f, "Data.db cannot be read: {error}"),
                }
            }
            Self::NoRows { version } => write!(
                f,
                "Data.db of {} does not have the rows of later versions, and is not converted",
                version.as_str()
            ),
            Self::NoStatistics => f.write_str(
                "Statistics.db, which tells the types of all columns, is missing or incomplete",
            ),
            Self::OldCounters => f.write_str(
                "counters have local or remote shards of Cassandra before 2.1, which ScyllaDB refuses",
            ),
        }
    }
}
