//! The two SSTables of a race, and what has to be known before a key can be looked up in them: its bytes, its order,
//! and the samples that the legacy index is entered by.

use super::{LegacyReader, SampleWanted, Stop};
use crate::big::{SampleRule, Sampled, Samples};
use crate::bti::{PartitionIndex, RowEntry};
use crate::keys::{
    Bound, ComparableKey, Dialect, Hash, KeyInput, KeySchema, Partitioner, Token, murmur3,
    partition_key, token_bound,
};
use crate::lookup::{FilterMode, LeafTarget, Query, RowTarget};
use crate::source::{Pages, Source};
use crate::table::{DataForm, IndexFormat, Part, Table};

/// An SSTable with a trie index and one with a legacy index of the same rows, or one of them alone.
#[derive(Debug)]
pub struct Contest<'a, S> {
    /// The one with the trie index.
    pub trie: Option<&'a Table<S>>,
    /// The one with the legacy index.
    pub legacy: Option<&'a Table<S>>,
    /// Samples of its Index.db by ScyllaDB's rule, once they were made.
    pub scylla_samples: Option<&'a Sampled>,
    /// Samples of its Index.db by Cassandra's rule, once they were made: only where Summary.db cannot be used.
    pub cassandra_samples: Option<&'a Sampled>,
}

/// The first and the last key of a table, serialized.
pub type Ends = (Vec<u8>, Vec<u8>);

/// A partition key in all the forms that a lookup compares.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Serialized.
    pub key: Vec<u8>,
    /// Its token.
    pub token: Token,
    /// Its hash.
    pub hash: Hash,
    /// Its byte-comparable form.
    pub comparable: ComparableKey,
}

impl Prepared {
    /// The query for this key, and perhaps a place among its rows.
    pub fn query<'a>(&'a self, row: Option<&'a RowTarget>, filter: FilterMode) -> Query<'a> {
        Query {
            key: &self.key,
            token: &self.token,
            hash: self.hash,
            comparable: &self.comparable.bytes,
            row,
            filter,
            clustering: None,
        }
    }
}

impl<'a, S: Source> Contest<'a, S> {
    /// The tables, trie first.
    pub fn tables(&self) -> impl Iterator<Item = &'a Table<S>> + use<'a, S> {
        [self.trie, self.legacy].into_iter().flatten()
    }

    /// The columns of the partition key, from the first table that knows them.
    pub fn key_schema(&self) -> &'a KeySchema {
        let known = self.tables().map(Table::key_schema).find(|schema| schema.is_known());
        known.unwrap_or(KeySchema::UNKNOWN)
    }

    /// How keys are ordered.
    pub fn partitioner(&self) -> Partitioner {
        let known = self.tables().find(|table| table.facts.partitioner.is_some());
        known.or_else(|| self.tables().next()).map_or(Partitioner::Murmur3, Table::partitioner)
    }

    /// How byte-comparable keys are written: as the trie has them, else as Cassandra does.
    pub fn dialect(&self) -> Dialect {
        self.trie.or(self.legacy).map_or(Dialect::CASSANDRA, Table::dialect)
    }

    /// A serialized key in all its forms.
    pub fn prepare(&self, key: Vec<u8>) -> Prepared {
        let partitioner = self.partitioner();
        let style = self.dialect().key_style;
        Prepared {
            token: partitioner.token(&key),
            hash: murmur3(&key),
            comparable: partition_key(&partitioner, style, self.key_schema(), &key),
            key,
        }
    }

    /// What is typed in the key box, as a serialized key. A token becomes the key of the first partition at or after it.
    pub fn resolve(&self, text: &str) -> Result<Vec<u8>, Stop> {
        let input = self.key_schema().parse(&self.partitioner(), text);
        match input.map_err(|error| Stop::Text { why: error.to_string() })? {
            KeyInput::Key(key) => Ok(key),
            KeyInput::Token(token) => self.first_at(&token)?.ok_or_else(|| Stop::Text {
                why: format!("No partition has the token of `{text}` or a greater one."),
            }),
        }
    }

    /// What is typed in the box for the clustering key, as a place among the rows.
    pub fn resolve_row(&self, text: &str) -> Result<RowTarget, Stop> {
        let schema =
            self.tables().find_map(Table::clustering_schema).ok_or_else(|| Stop::Text {
                why: match self.tables().next().map(|table| table.data_version().formats().data) {
                    Some(DataForm::Cells) => crate::table::words::NO_ROW_TYPES.to_owned(),
                    _ => "Without Statistics.db the clustering columns are not known.".to_owned(),
                },
            })?;
        schema.parse(self.dialect(), text).map_err(|error| Stop::Text { why: error.to_string() })
    }

    /// The key of the first partition whose token is `token` or greater. Nobody listens: this comes before the lookup.
    /// The legacy index is asked first, since it has whole keys, and the trie where that one cannot answer.
    pub fn first_at(&self, token: &Token) -> Result<Option<Vec<u8>>, Stop> {
        match (self.first_in_index(token), self.trie) {
            (Ok(Some(found)), _) => Ok(found),
            (Err(Stop::Miss(miss)), _) => Err(Stop::Miss(miss)),
            (_, Some(table)) => self.first_in_trie(table, token),
            (Ok(None), None) => Ok(None),
            (Err(stop), None) => Err(stop),
        }
    }

    /// The same by Index.db; `None` without one.
    fn first_in_index(&self, token: &Token) -> Result<Option<Option<Vec<u8>>>, Stop> {
        let Some((index, samples)) = self.entered()? else { return Ok(None) };
        let found = samples.lower_bound(index, self.index_format(), &self.partitioner(), token)?;
        Ok(Some(found.map(|(_, key)| key)))
    }

    /// The first and the last key, serialized: from what opening has read, else from samples of Index.db. `None` where
    /// neither index tells.
    pub fn ends(&self) -> Result<Option<Ends>, Stop> {
        let known = self.tables().find_map(|table| table.facts.ends.as_ref());
        if let Some((first, last)) = known {
            return Ok(Some((first.to_vec(), last.to_vec())));
        }
        let Some((_, samples)) = self.entered()? else { return Ok(None) };
        let (first, last) = samples.ends();
        Ok(Some((first.to_vec(), last.to_vec())))
    }

    /// Index.db with any samples of it, whichever reader's they are. `None` without it.
    ///
    /// # Errors
    /// [`Stop::Sample`] where none were made yet, and the damage that keeps them from being made.
    pub(super) fn entered(&self) -> Result<Option<(&'a S, Samples<'a, S>)>, Stop> {
        let samples = match self.samples(LegacyReader::Cassandra) {
            Err(Stop::Sample(_)) if self.scylla_samples.is_some() => {
                self.samples(LegacyReader::Scylla)?
            }
            other => other?,
        };
        let index = self.legacy.and_then(|table| table.source(Part::Index));
        let Some((index, samples)) = index.zip(samples) else { return Ok(None) };
        samples.usable(index)?;
        Ok(Some((index, samples)))
    }

    fn first_in_trie(&self, table: &Table<S>, token: &Token) -> Result<Option<Vec<u8>>, Stop> {
        let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions)) else {
            let why = "Partitions.db cannot be read, so no partition is found by its token.";
            return Err(Stop::Text { why: why.to_owned() });
        };
        let bound = token_bound(token, Bound::Before).unwrap_or_default();
        let mut unheard = ();
        let pages = Pages::new(Part::Partitions, source, &mut unheard);
        let mut leaves = PartitionIndex::new(footer).leaves_from(pages, &bound)?;
        let partitioner = self.partitioner();
        while let Some(found) = leaves.next()? {
            let key = key_at(table, found.leaf.target())?;
            if found.certain || partitioner.token(&key) >= *token {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The format of Index.db.
    pub fn index_format(&self) -> IndexFormat {
        self.legacy.map_or(IndexFormat::Vints, |table| table.version().formats().index)
    }

    /// The samples that a reader enters the legacy index by; `None` without a legacy index.
    ///
    /// # Errors
    /// [`Stop::Sample`] where they have to be made from Index.db first.
    pub fn samples(&self, reader: LegacyReader) -> Result<Option<Samples<'a, S>>, Stop> {
        let Some(table) = self.legacy else { return Ok(None) };
        let Some(index) = table.source(Part::Index) else { return Ok(None) };
        let own = own_samples(table);
        let (file, made, rule) = match reader {
            LegacyReader::Cassandra => {
                let interval =
                    table.summary.as_ref().map_or(128, |summary| summary.header.min_index_interval);
                (own, self.cassandra_samples, SampleRule::Every(interval))
            }
            LegacyReader::Scylla => {
                let own = own.filter(|_| table.version().is_read_by_scylla());
                (own, self.scylla_samples, SampleRule::Scylla)
            }
        };
        match (file, made) {
            (Some(file), _) => Ok(Some(file)),
            (None, Some(made)) => Ok(Some(Samples::Memory(made))),
            (None, None) => {
                let format = self.index_format();
                Err(Stop::Sample(SampleWanted { rule, format, bytes: index.len() }))
            }
        }
    }
}

/// The samples of the file's own Summary.db, where it is here and can be read.
pub(super) fn own_samples<S: Source>(table: &Table<S>) -> Option<Samples<'_, S>> {
    let (summary, source) = (table.summary.as_ref()?, table.source(Part::Summary)?);
    (summary.header.samples > 0).then_some(Samples::File { summary, source })
}

/// The key of a partition that a leaf points to, from Rows.db or Data.db.
pub(super) fn key_at<S: Source>(table: &Table<S>, target: LeafTarget) -> Result<Vec<u8>, Stop> {
    match target {
        LeafTarget::Rows(at) => {
            let Some(source) = table.source(Part::Rows) else {
                return Err(keys_missing(Part::Rows));
            };
            let mut unheard = ();
            let mut pages = Pages::new(Part::Rows, source, &mut unheard);
            Ok(RowEntry::read(&mut pages, at)?.key)
        }
        LeafTarget::Data(at) => match table.data_reader() {
            Ok(mut data) => Ok(data.key(at)?.0),
            Err(_) => Err(keys_missing(Part::Data)),
        },
    }
}

fn keys_missing(part: Part) -> Stop {
    Stop::Text {
        why: format!(
            "The trie holds prefixes of keys; the keys are in {part}, which cannot be read."
        ),
    }
}
