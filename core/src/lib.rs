//! SSTable indexes of Apache Cassandra and ScyllaDB, read page by page, with a record of every step.
//!
//! Two indexes find a partition in an SSTable. The *trie* index is `Partitions.db` with `Rows.db` (Cassandra `da`,
//! ScyllaDB `ms` and `mt`); the *legacy* index is `Summary.db` with `Index.db` and its promoted index
//! (`ma` to `me`, `na` to `nc`, `oa`). Both are read here as they lie on disk, 4096-byte page by page, by one reader
//! each; who wants to know what a lookup does listens to it ([`lookup::Observer`]).
//!
//! # Example
//!
//! Looks a key up in the trie index of a real SSTable, and says every step of it.
//!
//! ```
//! use std::collections::BTreeMap;
//! use triescope_core::lookup::{FilterMode, words};
//! use triescope_core::race::{self, CacheModel, Contest, LegacyReader, RaceRequest};
//! use triescope_core::table::{Part, Table, group};
//! # macro_rules! file { ($name:literal) => { include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/cassandra/p20k/da/", $name)) } }
//!
//! let (index, types): (&[u8], &[u8]) = (file!("da-1-bti-Partitions.db"), file!("da-1-bti-Statistics.db"));
//! let names = [("da-1-bti-Partitions.db", 162_365), ("da-1-bti-Statistics.db", 10_269)];
//! let sources = BTreeMap::from([(Part::Partitions, index), (Part::Statistics, types)]);
//! let table = Table::open(group(names).sets.remove(0), sources).unwrap();
//!
//! let contest = Contest { trie: Some(&table), legacy: None, scylla_samples: None, cassandra_samples: None };
//! let (key, reader) = ("17021".to_owned(), LegacyReader::Cassandra);
//! let (cache, filter) = (CacheModel::Cold, FilterMode::Ask);
//! let request = RaceRequest { key, row: None, reader, cache, filter, sample_large: false };
//! let record = race::run(&contest, &request).unwrap().trie.unwrap().record;
//! for step in 0..record.steps.len() {
//!     println!("{}", words::sentence(&words::ENGLISH, &words::NoNames, &record, step).plain());
//! }
//! assert_eq!(record.requests(Part::Partitions).map(|page| page.0).collect::<Vec<_>>(), [39, 30]);
//! ```
//!
//! # Rooms
//!
//! | module | holds |
//! | --- | --- |
//! | [`pos`], [`error`], [`limits`], [`cursor`], [`vint`], [`few`] | positions, errors, named limits, checked reading of fields, variable integers, a map of a few entries |
//! | [`source`] | where bytes come from: pages on demand, and the one place where page requests are counted |
//! | [`mod@write`] | what the writers of both indexes share |
//! | [`table`] | what makes an SSTable: component names, versions, grouping, what is missing; opening one |
//! | [`meta`] | Statistics, CompressionInfo, Filter, Digest, TOC |
//! | [`cql`], [`keys`] | CQL types and values; tokens and byte-comparable keys |
//! | [`bti`], [`big`] | the trie index and the legacy index |
//! | [`census`] | where the bytes go: nodes, pointers, payload, padding, depth, fill; sizes of partitions |
//! | [`data`] | chunks of Data.db, and every partition, row, marker and cell in it, one after the other |
//! | [`dissect`] | what every byte says: a page as a list of items, an item as a list of fields |
//! | [`lookup`] | the two lookups, their steps, their record, what it costs, and the words for it |
//! | [`set`] | a complete SSTable in another version |
//! | [`scan`] | the partitions in order, from a key on, forwards or backwards |
//! | [`make`] | SSTables made here where a real one would be too large to ship |
//! | [`replay`] | how a writer packs a trie, step by step; whether a file is what a database's writer makes |
//! | [`race`] | one key looked up in both indexes: from typed text to two records, and means over many keys |
//! | [`twin`] | the index that an SSTable does not have, built from it |
//!
//! # Promise
//!
//! No I/O, clock, thread, global state or log. No `unsafe`. Damaged bytes give a [`error::ReadError`] that names part,
//! position, field, expected and found; they never panic, loop, or make the reader allocate what a file merely claims.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::host_endian_bytes
    )
)]

pub mod big;
pub mod bti;
pub mod census;
pub mod check;
pub mod cql;
pub mod cursor;
pub mod data;
pub mod dissect;
pub mod error;
pub mod few;
pub mod keys;
pub mod limits;
pub mod lookup;
pub mod make;
pub mod meta;
pub mod patched;
pub mod pos;
pub mod race;
pub mod replay;
pub mod scan;
pub mod set;
pub mod source;
pub mod table;
pub mod twin;
pub mod vint;
pub mod write;

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
