//! The samples that a lookup bisects, wherever they come from, and where a key's entry must lie by them.

use super::index::{EntryHead, IndexWalk};
use super::sample::Sampled;
use super::summary::Summary;
use crate::error::{Error, Kind, ReadError};
use crate::keys::{Partitioner, Token};
use crate::limits;
use crate::lookup::SummarySource;
use crate::pos::FilePos;
use crate::source::Source;
use crate::table::{IndexFormat, Part};
use std::ops::ControlFlow;

/// Cassandra's default interval, for samples that do not say theirs.
const DEFAULT_INTERVAL: u64 = 128;

/// A summary, with the source that its samples are read from.
#[derive(Debug)]
pub enum Samples<'a, S: Source> {
    /// The file's own Summary.db.
    File {
        /// Its header and ends.
        summary: &'a Summary,
        /// Its bytes.
        source: &'a S,
    },
    /// Made in memory from Index.db.
    Memory(&'a Sampled),
}

impl<S: Source> Clone for Samples<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Source> Copy for Samples<'_, S> {}

impl<S: Source> Samples<'_, S> {
    /// Number of samples.
    pub fn len(&self) -> u64 {
        match self {
            Self::File { summary, .. } => summary.header.samples,
            Self::Memory(sampled) => sampled.len(),
        }
    }

    /// Whether there is none: Index.db is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// That there are some to enter Index.db by.
    ///
    /// # Errors
    /// Why there is none: damage met while Index.db was sampled, or no entry in it.
    pub fn usable(&self, index: &S) -> Result<(), Error> {
        let damage = match self {
            Self::File { .. } => None,
            Self::Memory(sampled) => sampled.damage(),
        };
        match damage {
            Some(error) => Err(error.clone().into()),
            None if self.is_empty() => Err(no_entries(index.len())),
            None => Ok(()),
        }
    }

    /// Where they come from.
    pub fn source(&self) -> SummarySource {
        match self {
            Self::File { .. } => SummarySource::File,
            Self::Memory(_) => SummarySource::Sampled,
        }
    }

    /// Bytes of the Summary.db, or of one with these samples: what stays in memory.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::File { summary, .. } => summary.bytes,
            Self::Memory(sampled) => sampled.bytes(),
        }
    }

    /// First and last key of the SSTable.
    pub fn ends(&self) -> (&[u8], &[u8]) {
        match self {
            Self::File { summary, .. } => (&summary.first, &summary.last),
            Self::Memory(sampled) => (sampled.first(), sampled.last()),
        }
    }

    /// Entries of Index.db that Cassandra expects from a sample to the next one.
    pub fn interval_after(&self, sample: u64) -> u64 {
        match self {
            Self::File { summary, .. } => summary.header.interval_after(sample),
            Self::Memory(sampled) => sampled.interval().map_or(DEFAULT_INTERVAL, u64::from),
        }
    }

    /// The key of a sample into `key`, replacing what was there; and its position in Index.db, which may be damaged.
    pub fn sample(&self, sample: u64, key: &mut Vec<u8>) -> Result<FilePos, Error> {
        match self {
            Self::File { summary, source } => summary.sample(*source, sample, key),
            Self::Memory(sampled) => {
                let (found, at) = sampled.sample(sample).ok_or_else(|| no_entries(0))?;
                key.clear();
                key.extend_from_slice(found);
                Ok(at)
            }
        }
    }

    /// The part of Index.db from a sample to the next one, or to the end of the file of `index_len` bytes. Damage is a
    /// position outside the file, or one that does not lie before the next.
    pub fn window(&self, sample: u64, index_len: u64) -> Result<(FilePos, FilePos), Error> {
        let mut key = Vec::new();
        let from = self.sample(sample, &mut key)?;
        if from.0 >= index_len {
            return Err(self.outside(sample, index_len.saturating_sub(1), from));
        }
        if sample.saturating_add(1) >= self.len() {
            return Ok((from, FilePos(index_len)));
        }
        let to = self.sample(sample + 1, &mut key)?;
        if to <= from || to.0 > index_len {
            return Err(self.outside(sample + 1, index_len.saturating_sub(1), to));
        }
        Ok((from, to))
    }

    #[cold]
    fn outside(&self, sample: u64, most: u64, found: FilePos) -> Error {
        let at = match self {
            Self::File { summary, source } => match summary.position_field(*source, sample) {
                Ok(at) => at,
                Err(error) => return error,
            },
            Self::Memory(_) => FilePos(0),
        };
        let expected = format!("above that of the sample before and at most {most}");
        let field = "position in Index.db";
        ReadError::out_of_range(Part::Summary, at, field, expected, found.0).into()
    }

    /// The first entry of Index.db whose token is `token` or greater, and its key; `None` when there is none. Nobody
    /// listens: this is how a key at a token is found, or one at random, before it is looked up. Where tokens are the keys
    /// themselves it is the first entry.
    pub fn lower_bound(
        &self,
        index: &S,
        format: IndexFormat,
        partitioner: &Partitioner,
        token: &Token,
    ) -> Result<Option<(EntryHead, Vec<u8>)>, Error> {
        let mut key = Vec::new();
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let mid = low + (high - low) / 2;
            self.sample(mid, &mut key)?;
            if partitioner.token(&key) < *token { low = mid + 1 } else { high = mid }
        }
        if self.is_empty() {
            return Ok(None);
        }
        let (from, _) = self.window(low.saturating_sub(1), index.len())?;
        let (mut walk, mut found) = (IndexWalk::from(format, from), None);
        walk.run(index, limits::WINDOW_ENTRIES, |head, bytes| {
            let key = head.key(bytes);
            if partitioner.token(key) < *token {
                return ControlFlow::Continue(());
            }
            found = Some((*head, key.to_vec()));
            ControlFlow::Break(())
        })?;
        if found.is_none() && !walk.ended(index) {
            return Err(too_many_entries(walk.at()));
        }
        Ok(found)
    }
}

/// A lookup that would read more entries than this program does.
#[cold]
pub(crate) fn too_many_entries(at: FilePos) -> Error {
    let limit = limits::WINDOW_ENTRIES;
    let kind = Kind::OverLimit { limit, found: limit + 1 };
    ReadError::new(Part::Index, at, "entries to read for one lookup", kind).into()
}

/// An Index.db without entries, or one of which no sample was made.
#[cold]
fn no_entries(left: u64) -> Error {
    ReadError::truncated(Part::Index, FilePos(0), "first entry", 1, left).into()
}
