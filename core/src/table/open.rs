//! Opening an SSTable: its files become facts and a [`Table`] that lookups read from.
//!
//! Damage in one component becomes a [`Problem`] and the rest stays usable. Only bytes that are not here yet stop the
//! opening, which is then run again.

use super::{
    ClusteringColumn, Component, Count, FileSet, IndexFormat, IndexKind, Part, Problem, Product,
    TableFacts, TypeClasses, Version,
};
use crate::big::{IndexWalk, Summary};
use crate::bti::Footer;
use crate::data::{DataFormat, DataReader, Layout, RowFormat};
use crate::error::{Error, Miss, ReadError};
use crate::few::Few;
use crate::keys::{ClusteringSchema, Dialect, Hash, KeySchema, Partitioner, murmur3};
use crate::lookup::NotConfirmed;
use crate::meta::{
    Compression, Compressor, CrcTable, Digest, FilterHeader, ScyllaFeatures, Statistics, Toc,
};
use crate::pos::FilePos;
use crate::source::{Source, read_range};
use serde_bytes::ByteBuf;
use std::ops::ControlFlow;

/// Bytes at the end of an index file that name it.
const IDENTITY_BYTES: u64 = 64;
/// Rows.db of this many bytes or fewer holds nothing, or the four bytes of filler that ScyllaDB once wrote.
const FILLER_BYTES: u64 = 4;
/// Entries of Index.db looked at while opening, to see whether partitions have a promoted index.
const ENTRIES_LOOKED_AT: u64 = 256;

/// An opened SSTable.
#[derive(Debug)]
pub struct Table<S> {
    /// Its files.
    pub set: FileSet,
    /// What is known of it, as plain data.
    pub facts: TableFacts,
    /// Statistics.db, as far as it can be read.
    pub statistics: Option<Statistics>,
    /// The header of CompressionInfo.db.
    pub compression: Option<Compression>,
    /// The head of CRC.db.
    pub crc: Option<CrcTable>,
    /// The checksum of Data.db as a whole. It is not compared: that would read all of Data.db.
    pub digest: Option<Digest>,
    /// The head of Filter.db.
    pub filter: Option<FilterHeader>,
    /// The end of Partitions.db.
    pub footer: Option<Footer>,
    /// The feature bits in Scylla.db.
    pub scylla: Option<ScyllaFeatures>,
    /// The head and the end keys of Summary.db.
    pub summary: Option<Summary>,
    sources: Few<Part, S>,
    /// Parsed once: lookups by the thousand ask for them.
    key_schema: KeySchema,
    clustering_schema: Option<ClusteringSchema>,
}

impl<S: Source> Table<S> {
    /// Opens an SSTable: reads Statistics.db, TOC.txt and the digest whole, and the heads and ends of the other files. Nothing of it
    /// is recorded. A component without a source counts as missing.
    pub fn open(set: FileSet, sources: impl IntoIterator<Item = (Part, S)>) -> Result<Self, Miss> {
        let sources: Few<Part, S> = sources.into_iter().collect();
        let mut opening = Opening { set: &set, sources: &sources, problems: Vec::new() };
        let facts = opening.facts();
        let mut table = Self {
            facts,
            statistics: None,
            compression: None,
            crc: None,
            digest: None,
            filter: None,
            footer: None,
            scylla: None,
            summary: None,
            set: set.clone(),
            sources: Few::default(),
            key_schema: KeySchema::default(),
            clustering_schema: None,
        };
        let toc = opening.part(Part::Toc, |source| Toc::read(source))?;
        if set.version.is_read() {
            opening.read_into(&mut table)?;
        } else {
            opening.problems.push(Problem::Version(set.version));
        }
        table.facts.identity = opening.identity()?;
        opening.components(&mut table, toc.as_ref());
        table.facts.problems = opening.problems;
        if let Some(header) = table.header() {
            let (key, clustering) = (
                KeySchema::from_class(&header.key_type),
                ClusteringSchema::new(header.clustering()),
            );
            (table.key_schema, table.clustering_schema) = (key, Some(clustering));
        }
        table.sources = sources;
        Ok(table)
    }

    /// The same SSTable with an index that was built for it, of another version: what is no index is shared.
    pub fn with_index(&self, version: Version, index: [(Part, S); 2]) -> Result<Self, Miss>
    where
        S: Clone,
    {
        let lengths = index.each_ref().map(|(part, source)| (*part, source.len()));
        let shared = Part::ALL.into_iter().filter(|part| part.is_shared());
        let shared = shared.filter_map(|part| Some((part, self.source(part)?.clone())));
        Self::open(self.set.twin(version, &lengths), shared.chain(index))
    }

    /// The bytes of a component.
    pub fn source(&self, part: Part) -> Option<&S> {
        self.sources.get(&part)
    }

    /// The version; of a twin, that of its index.
    pub fn version(&self) -> Version {
        self.set.version
    }

    /// The version of Data.db and of all else that is no index.
    pub fn data_version(&self) -> Version {
        self.set.data_version()
    }

    /// The index that can be read: it is here, and its version is read.
    pub fn readable_index(&self) -> Option<IndexKind> {
        self.facts.index.filter(|_| self.set.version.is_read())
    }

    /// The partitioner; without Statistics.db, Murmur3 is assumed, as in nearly all tables.
    pub fn partitioner(&self) -> Partitioner {
        self.facts.partitioner.clone().unwrap_or(Partitioner::Murmur3)
    }

    /// The columns of the partition key; unknown without Statistics.db.
    pub fn key_schema(&self) -> &KeySchema {
        &self.key_schema
    }

    /// The clustering columns; `None` without Statistics.db.
    pub fn clustering_schema(&self) -> Option<&ClusteringSchema> {
        self.clustering_schema.as_ref()
    }

    /// Whether the last block of a promoted index ends before the byte that ends the partition.
    pub fn has_exact_block_widths(&self) -> bool {
        self.scylla.is_some_and(ScyllaFeatures::has_exact_block_widths)
    }

    /// Whether ScyllaDB wrote it, as far as version and components tell.
    pub fn is_written_by_scylla(&self) -> bool {
        self.data_version().product() == Product::ScyllaDb || self.source(Part::Scylla).is_some()
    }

    /// How byte-comparable keys are written.
    pub fn dialect(&self) -> Dialect {
        Dialect::of(self.set.version)
    }

    /// How rows lie in Data.db; `None` without Statistics.db.
    pub fn row_format(&self) -> Option<RowFormat> {
        self.header().map(|header| RowFormat::new(self.data_version(), header))
    }

    /// How rows and cells of Data.db are decoded; `None` without Statistics.db.
    pub fn data_format(&self) -> Option<DataFormat> {
        self.header().map(|header| DataFormat::new(self.data_version(), header))
    }

    fn header(&self) -> Option<&crate::meta::SerializationHeader> {
        self.statistics.as_ref()?.header.as_ref()
    }

    /// A reader of Data.db, or why it cannot be asked. Nothing is read yet.
    pub fn data_reader(&self) -> Result<DataReader<'_, S>, NotConfirmed> {
        let data = self.source(Part::Data).ok_or(NotConfirmed::NoData)?;
        if !self.data_version().is_data_read() {
            return Err(NotConfirmed::Version);
        }
        if let Some(info) = &self.compression {
            if let Compressor::Unknown(name) = &info.compressor {
                return Err(NotConfirmed::UnknownCompressor { name: name.clone() });
            }
            let offsets =
                self.source(Part::CompressionInfo).ok_or(NotConfirmed::NoCompressionInfo)?;
            return Ok(DataReader::new(data, Layout::Compressed { info, offsets }));
        }
        if let Some(error) = self.facts.problems.iter().find_map(|problem| match problem {
            Problem::Damaged(error) if error.part == Part::CompressionInfo => Some(error),
            _ => None,
        }) {
            return Err(NotConfirmed::Damaged(error.clone()));
        }
        if self.facts.problems.contains(&Problem::Missing(Part::CompressionInfo)) {
            return Err(NotConfirmed::NoCompressionInfo);
        }
        let crc = self.crc.zip(self.source(Part::Crc));
        Ok(DataReader::new(data, Layout::Plain { crc }))
    }
}

/// The work of opening.
struct Opening<'a, S> {
    set: &'a FileSet,
    sources: &'a Few<Part, S>,
    problems: Vec<Problem>,
}

impl<S: Source> Opening<'_, S> {
    /// What names and sizes tell.
    fn facts(&self) -> TableFacts {
        TableFacts {
            name: self.set.name(),
            version: self.set.version,
            table: self.set.table.as_ref().map(ToString::to_string),
            directory: self.set.directory.clone(),
            index: self.set.index().kind,
            components: Vec::new(),
            bytes: self.set.bytes(),
            partitions: None,
            partitioner: None,
            key_types: Vec::new(),
            classes: TypeClasses::default(),
            clustering: None,
            compressor: None,
            data_length: None,
            ends: None,
            root: None,
            summary: None,
            filter_bytes: None,
            has_row_index: false,
            problems: Vec::new(),
            identity: String::new(),
        }
    }

    /// Damage becomes a problem and `None`; a miss ends the opening.
    fn keep<T>(&mut self, result: Result<T, Error>) -> Result<Option<T>, Miss> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Error::Miss(miss)) => Err(miss),
            Err(Error::Damage(error)) => {
                self.problems.push(Problem::Damaged(*error));
                Ok(None)
            }
        }
    }

    /// Reads something from a component if it is here.
    fn part<T>(
        &mut self,
        part: Part,
        read: impl FnOnce(&S) -> Result<T, Error>,
    ) -> Result<Option<T>, Miss> {
        match self.sources.get(&part) {
            Some(source) => self.keep(read(source)),
            None => Ok(None),
        }
    }

    fn read_into(&mut self, table: &mut Table<S>) -> Result<(), Miss> {
        let version = self.set.data_version();
        table.statistics = self.part(Part::Statistics, |s| Statistics::read(version, s))?;
        if let Some(statistics) = &table.statistics {
            let differing = statistics.checksums.iter().filter(|it| !it.holds());
            let differing = differing.map(|it| it.error(Part::Statistics));
            let problems = statistics.problems.iter().cloned().chain(differing);
            self.problems.extend(problems.map(Problem::Damaged));
            self.types(&mut table.facts, statistics);
        }
        table.compression =
            self.part(Part::CompressionInfo, |source| Compression::read(version, source))?;
        if let Some(info) = &table.compression {
            self.part(Part::CompressionInfo, |source| info.check(source))?;
            table.facts.compressor = Some(info.compressor.name().to_owned());
            table.facts.data_length = Some(info.data_length);
        } else {
            table.crc = self.part(Part::Crc, |source| CrcTable::read(version, source))?;
            if let (Some(_), Some(data)) = (table.crc, self.sources.get(&Part::Data)) {
                table.facts.data_length = Some(data.len());
            }
        }
        table.scylla = self.part(Part::Scylla, ScyllaFeatures::read)?;
        let digest = self.set.file(Part::Digest).map_or("", |file| &file.component);
        table.digest = self.part(Part::Digest, |source| Digest::read(digest, source))?;
        match table.facts.index {
            Some(IndexKind::Trie) => self.trie(table)?,
            Some(IndexKind::Legacy) => self.legacy(table)?,
            None => {}
        }
        let ends =
            table.facts.ends.iter().flat_map(|(first, last)| [murmur3(first), murmur3(last)]);
        let ends: Vec<Hash> = ends.collect();
        table.filter = self.part(Part::Filter, |source| {
            FilterHeader::read(version, source)?.settle_order(version, source, &ends)
        })?;
        table.facts.filter_bytes = table.filter.map(|filter| filter.words * 8);
        Ok(())
    }

    fn types(&self, facts: &mut TableFacts, statistics: &Statistics) {
        if let Some(validation) = &statistics.validation {
            facts.partitioner = Some(Partitioner::from_class(&validation.partitioner));
        }
        if let Some(header) = &statistics.header {
            facts.classes.key = Some(header.key_type.clone());
            facts.classes.clustering = header.clustering_types.clone();
            let key = KeySchema::from_class(&header.key_type);
            facts.key_types = key.columns().iter().map(|cql| cql.name()).collect();
            let clustering = header.clustering().into_iter().map(|column| ClusteringColumn {
                cql: column.cql.name(),
                descending: column.descending,
            });
            facts.clustering = Some(clustering.collect());
        }
        facts.partitions = statistics.partitions().map(Count::FromStatistics);
        facts.ends = statistics.stats.as_ref().and_then(|stats| {
            let (first, last) = stats.ends.clone()?;
            Some((ByteBuf::from(first), ByteBuf::from(last)))
        });
    }

    fn trie(&mut self, table: &mut Table<S>) -> Result<(), Miss> {
        table.footer = self.part(Part::Partitions, Footer::read)?;
        if let Some(footer) = &table.footer {
            table.facts.partitions = Some(Count::Exact(footer.count));
            table.facts.root = Some(footer.root);
            table.facts.ends =
                Some((ByteBuf::from(footer.first.clone()), ByteBuf::from(footer.last.clone())));
            // In the order of an unknown partitioner nothing is wrong.
            match &table.facts.partitioner {
                None | Some(Partitioner::Unknown(_)) => {}
                Some(partitioner) => _ = self.keep(footer.check_order(partitioner))?,
            }
        }
        let rows = self.sources.get(&Part::Rows).map_or(0, Source::len);
        table.facts.has_row_index = rows > FILLER_BYTES;
        Ok(())
    }

    fn legacy(&mut self, table: &mut Table<S>) -> Result<(), Miss> {
        table.summary = self.part(Part::Summary, Summary::open)?;
        if let Some(summary) = &table.summary {
            table.facts.summary = Some(summary.header.facts());
            table.facts.ends =
                Some((ByteBuf::from(summary.first.clone()), ByteBuf::from(summary.last.clone())));
        }
        let format = self.set.version.formats().index;
        let found = self.part(Part::Index, |it| promoted_index_near_the_start(format, it))?;
        table.facts.has_row_index = found.unwrap_or(false);
        Ok(())
    }

    /// Name, size and the first digits of the checksum of the end of the index file.
    fn identity(&mut self) -> Result<String, Miss> {
        let name = self.set.name();
        let here = [Part::Partitions, Part::Index]
            .into_iter()
            .find_map(|part| Some((part, self.sources.get(&part)?)));
        let Some((part, source)) = here else { return Ok(name) };
        let size = source.len();
        let from = FilePos(size.saturating_sub(IDENTITY_BYTES));
        let end = read_range(part, source, from, size.min(IDENTITY_BYTES), "end of the file");
        let Some(end) = self.keep(end)? else { return Ok(format!("{name}.{size}")) };
        Ok(format!("{name}.{size}.{:04x}", crate::meta::crc32(&end) >> 16))
    }

    /// The list of the components, and a problem for each that is missing.
    fn components(&mut self, table: &mut Table<S>, toc: Option<&Toc>) {
        let needed = |part| is_needed(self.set, table, toc, part);
        let listed = |part| toc.map(|toc| toc.lists(part));
        let mut components = Vec::new();
        let mut missing = Vec::new();
        for part in Part::ALL {
            let file = self.set.file(part);
            let here = self.sources.contains_key(&part);
            if here || needed(part) || listed(part) == Some(true) {
                components.push(Component {
                    part: Some(part),
                    name: file.map_or(part.file_name(), |file| &file.component).to_owned(),
                    bytes: file.filter(|_| here).map(|file| file.bytes),
                    listed: listed(part),
                    needed: needed(part),
                });
                if !here {
                    missing.push(Problem::Missing(part));
                }
            }
        }
        for file in self.set.files.iter().filter(|file| file.part.is_none()) {
            let in_toc = |toc: &Toc| toc.entries.iter().any(|entry| entry.name == file.component);
            components.push(Component {
                part: None,
                name: file.component.clone(),
                bytes: Some(file.bytes),
                listed: toc.map(in_toc),
                needed: false,
            });
        }
        let unknown = toc.iter().flat_map(|toc| &toc.entries).filter(|entry| entry.part.is_none());
        missing.extend(unknown.map(|entry| Problem::UnknownInToc(entry.name.clone())));
        missing.extend(self.set.twice.iter().filter_map(|file| file.part).map(Problem::Twice));
        if !self.set.unfinished.is_empty() {
            missing.push(Problem::Unfinished);
        }
        self.problems.extend(missing);
        table.facts.components = components;
    }
}

/// Whether an SSTable of this kind needs a component to be read by a database.
fn is_needed<S>(set: &FileSet, table: &Table<S>, toc: Option<&Toc>, part: Part) -> bool {
    let index = set.version.index().or(table.facts.index);
    let statistics = table.statistics.as_ref();
    match part {
        Part::Data | Part::Statistics => true,
        Part::Toc => set.twin_of.is_none(),
        Part::Partitions | Part::Rows => index == Some(IndexKind::Trie),
        Part::Index | Part::Summary => index == Some(IndexKind::Legacy),
        Part::Filter => statistics
            .and_then(|statistics| statistics.validation.as_ref())
            .is_some_and(|validation| validation.filter_chance < 1.0),
        // The ratio is -1 for an uncompressed Data.db, and NaN in some compressed ones of ScyllaDB. TOC.txt decides first.
        Part::CompressionInfo => match toc {
            Some(toc) => toc.lists(part),
            None => statistics
                .and_then(|statistics| statistics.stats.as_ref())
                .is_some_and(|stats| !set.has(Part::Crc) && stats.compression_ratio != -1.0),
        },
        Part::Crc | Part::Digest | Part::Scylla => false,
    }
}

/// Whether one of the first entries of Index.db has a promoted index. Tables with wide partitions rarely have few of them:
/// a look at the first few hundred entries saves reading all of a large file while it is opened.
fn promoted_index_near_the_start<S: Source>(
    format: IndexFormat,
    source: &S,
) -> Result<bool, Error> {
    if source.is_empty() {
        return Err(ReadError::truncated(Part::Index, FilePos(0), "first entry", 1, 0).into());
    }
    let mut found = false;
    IndexWalk::new(format).run(source, ENTRIES_LOOKED_AT, |head, _| {
        found = head.promoted_size > 0;
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}
