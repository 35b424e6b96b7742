//! What a replay is fed: the entries of a trie, read from an open SSTable in pieces, or made of keys that belong to no file.

use super::query::Keys;
use crate::model::Failure;
use crate::words::count;
use triescope_core::bti::{PartitionIndex, RowEntry};
use triescope_core::error::{Error, Kind, ReadError};
use triescope_core::keys::KeyInput;
use triescope_core::limits::REPLAY_ENTRY_BYTES;
use triescope_core::lookup::LeafTarget;
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::replay::{Entries, EntriesError, EntriesJob, TypedKeys};
use triescope_core::source::{Pages, Source};
use triescope_core::table::{Part, Table};

/// Entries read at once.
const BATCH: u64 = 4_096;
/// Seed of keys that are made: the same question gives the same keys.
const SEED: u64 = 1;

/// What is fed, and what is said of it.
pub struct Feed {
    work: Work,
    /// The part of the file that the trie is in; none for what is in no file.
    pub compare: Option<Part>,
    /// What the replay was made from, and what had to be assumed: a sentence.
    pub from: String,
    /// The partition whose row trie it is.
    pub rows: Option<String>,
}

enum Work {
    Table(Box<EntriesJob>),
    Keys(Box<Entries>),
}

impl Feed {
    /// Keys that belong to no file.
    pub fn of_keys(of: &Keys) -> Result<Self, Failure> {
        let keys = match of {
            Keys::Typed(text) => TypedKeys::parse(text),
            Keys::Made(made, count) => TypedKeys::generate(*made, (*count).into(), SEED),
        };
        let keys = keys.map_err(|why| Failure::Text { why: sentence(&why.to_string()) })?;
        let mut from = format!(
            "{} in the order of their bytes, without tokens. Their positions in Data.db are made up.",
            count(keys.count(), "key", "keys")
        );
        if keys.twice() > 0 {
            from +=
                &format!(" {} another one.", count(keys.twice(), "line repeats", "lines repeat"));
        }
        let work = Work::Keys(Box::new(keys.entries().map_err(failure)?));
        Ok(Self { work, compare: None, from, rows: None })
    }

    /// The index of an SSTable: Partitions.db, or the row trie of one partition. From a legacy index, the trie that would
    /// be built of its keys.
    pub fn of_table<S: Source>(table: &Table<S>, rows: Option<&str>) -> Result<Self, Failure> {
        let feed = |job: Result<EntriesJob, EntriesError>, compare, from: String, rows| {
            let work = Work::Table(Box::new(job.map_err(failure)?));
            Ok(Self { work, compare, from, rows })
        };
        if let Some(typed) = rows {
            let (entry, key) = row_entry(table, typed)?;
            let from = format!("Replayed from the separators of partition {key}.");
            let job = EntriesJob::rows(table, entry, REPLAY_ENTRY_BYTES);
            return feed(job, Some(Part::Rows), from, Some(key));
        }
        if table.footer.is_some() && table.source(Part::Partitions).is_some() {
            let job = EntriesJob::partitions(table, REPLAY_ENTRY_BYTES);
            let from = "Replayed from this file’s own keys.".to_owned();
            return feed(job, Some(Part::Partitions), from, None);
        }
        if table.source(Part::Index).is_none() {
            let why = "Neither Partitions.db nor Index.db is here, so there are no keys to pack. Add one of them.";
            return Err(Failure::Text { why: why.to_owned() });
        }
        let from = "The trie that would be built from Index.db: its keys and positions; every leaf leads to Data.db, also \
                    where a row index would lie between."
            .to_owned();
        feed(EntriesJob::index(table, REPLAY_ENTRY_BYTES), None, from, None)
    }

    /// Reads on; how far it is, until it is done.
    pub fn step<S: Source>(
        &mut self,
        table: Option<&Table<S>>,
    ) -> Result<Option<(u64, u64)>, Failure> {
        let Work::Table(job) = &mut self.work else { return Ok(None) };
        let table = table.ok_or(Failure::Cancelled)?;
        let progress = job.step(table, BATCH).map_err(failure)?;
        Ok((!job.is_done()).then_some((progress.done, progress.of)))
    }

    /// The entries, once it is done.
    pub fn into_entries(self) -> Entries {
        match self.work {
            Work::Table(job) => job.into_entries(),
            Work::Keys(entries) => *entries,
        }
    }
}

/// The entry in Rows.db of the partition that is typed, and its key as text; of the first one that has an entry where
/// nothing is typed.
fn row_entry<S: Source>(table: &Table<S>, typed: &str) -> Result<(FilePos, String), Failure> {
    let text = |why: String| Failure::Text { why };
    let missing = |part: Part| {
        text(format!(
            "{} is not here, so there is no row trie to pack. Add the file.",
            part.file_name()
        ))
    };
    let source = table.source(Part::Partitions).ok_or_else(|| missing(Part::Partitions))?;
    let rows = table.source(Part::Rows).ok_or_else(|| missing(Part::Rows))?;
    let footer = table.footer.as_ref().ok_or_else(|| missing(Part::Partitions))?;
    let schema = table.key_schema();
    let wanted = match typed.trim() {
        "" => None,
        typed => match schema.parse(&table.partitioner(), typed) {
            Ok(KeyInput::Key(key)) => Some(key),
            Ok(_) => return Err(text(format!("“{typed}” is no partition key."))),
            Err(why) => return Err(text(sentence(&why.to_string()))),
        },
    };
    let mut unheard = ();
    let mut leaves =
        PartitionIndex::new(footer).leaves(Pages::new(Part::Partitions, source, &mut unheard));
    while let Some(found) = leaves.next().map_err(damage)? {
        let LeafTarget::Rows(at) = found.leaf.target() else { continue };
        let mut unheard = ();
        let mut pages = Pages::new(Part::Rows, rows, &mut unheard);
        let entry = RowEntry::read(&mut pages, at).map_err(damage)?;
        if wanted.as_ref().is_none_or(|wanted| *wanted == entry.key) {
            return Ok((at, schema.to_text(&entry.key)));
        }
    }
    Err(text(match typed.trim() {
        "" => "No partition has a row index: Rows.db holds no trie.".to_owned(),
        typed => {
            format!(
                "Partition {typed} has no row index here: it has one block of rows, or is absent."
            )
        }
    }))
}

/// Damage, as the page is told.
fn damage(error: Error) -> Failure {
    match error {
        Error::Damage(error) => Failure::Read(*error),
        // The sources of a worker read at once and never miss.
        Error::Miss(miss) => {
            let kind = Kind::Unreadable { reason: "its bytes are not here".into() };
            Failure::Read(ReadError::new(miss.part, miss.from, "bytes", kind))
        }
    }
}

fn failure(error: EntriesError) -> Failure {
    match error {
        EntriesError::Damage(error) => Failure::Read(*error),
        EntriesError::Miss(miss) => damage(Error::Miss(miss)),
        other => Failure::Text { why: sentence(&other.to_string()) },
    }
}

/// With a capital and a full stop.
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// `4,096`.
pub fn n(of: u64) -> String {
    number(of, ',')
}
