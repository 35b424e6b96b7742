//! The command line, as clap reads it: commands, options, and an example for each.

use crate::out::Colour;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use triescope_core::replay::Writer;
use triescope_core::table::Version;

/// Reads, looks up and checks SSTables of Apache Cassandra and ScyllaDB.
///
/// PATH is a folder (with all folders below it), or any component file of an SSTable. KEY is a CQL literal (42, 'user:7',
/// (1, 'a')), the serialized key as 0x…, or token:… for the first partition at or after a token. Only twin writes files.
#[derive(Debug, Parser)]
#[command(name = "triescope", version, max_term_width = 80, after_help = AFTER)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When text is coloured: auto (on a terminal, unless NO_COLOR is set), always, never.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub color: Colour,
}

const AFTER: &str = "\
Exit code: 0 nothing is broken, 1 something is broken, 2 could not run.

Example:
  triescope check /var/lib/cassandra/data";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Version, index, components, key types, sizes, facts
    #[command(after_help = "Example:\n  triescope info da-1-bti-Data.db")]
    Info(Paths),
    /// Partitions in the order of the table
    #[command(after_help = "Examples:\n  triescope keys da-1-bti-Data.db --limit 10\n  \
        triescope keys da-1-bti-Data.db --from token:0 --limit 10 --reverse")]
    Keys(Keys),
    /// Find a key, and say every step and page on the way
    #[command(after_help = "Examples:\n  triescope lookup da-1-bti-Data.db 17021\n  \
        triescope lookup da-1-bti-Data.db 17021 --cache 64K --warm 5,17020")]
    Lookup(Lookup),
    /// Row-index blocks of one partition
    #[command(after_help = "Example:\n  triescope blocks da-1-bti-Data.db 1")]
    Blocks(OfKey),
    /// What lies in one 4 KiB page of a component
    #[command(after_help = "Example:\n  triescope page da-1-bti-Data.db Partitions.db 39")]
    Page(Page),
    /// One node or entry with its bytes, field by field
    #[command(after_help = "Example:\n  triescope node da-1-bti-Data.db Partitions.db @0")]
    Node(Node),
    /// Where the bytes go: nodes, pointers, payloads, padding, depth
    #[command(after_help = "Example:\n  triescope census da-1-bti-Data.db")]
    Census(One),
    /// Decoded rows, range deletions and cells
    #[command(after_help = "Examples:\n  triescope rows da-1-bti-Data.db --limit 10\n  \
        triescope rows da-1-bti-Data.db 17021 --json")]
    Rows(Rows),
    /// What is wrong, where, and what it means
    #[command(after_help = "Examples:\n  triescope check /var/lib/cassandra/data\n  \
        triescope check da-1-bti-Data.db --deep")]
    Check(Check),
    /// Which single flipped bit explains a checksum that is wrong
    #[command(after_help = "Example:\n  triescope flip da-1-bti-Data.db")]
    Flip(One),
    /// The same rows as a complete SSTable of another version
    #[command(after_help = "Examples:\n  triescope twin da-1-bti-Data.db --out DIR --as nb\n  \
        triescope twin da-1-bti-Data.db --out DIR --as mt --block-size 4K")]
    Twin(Twin),
    /// Is an index what its database's writer makes, and how is it packed
    #[command(after_help = "Examples:\n  triescope pack da-1-bti-Data.db\n  \
        triescope pack da-1-bti-Data.db --trace --flavour scylla\n  \
        triescope pack da-1-bti-Data.db --out REBUILT")]
    Pack(Pack),
    /// Removes what a run left behind that was ended
    #[command(name = crate::written::TIDY, hide = true)]
    TidyUpAfter,
    /// Completions for a shell
    #[command(
        after_help = "Example:\n  triescope completions bash > ~/.local/share/bash-completion/completions/triescope"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// The manual page
    #[command(after_help = "Example:\n  triescope man | man -l -")]
    Man {
        /// Write a page for each command into this folder instead.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// Some SSTables.
#[derive(Debug, Args)]
pub struct Paths {
    /// Folders, or component files.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// One SSTable.
#[derive(Debug, Args)]
pub struct One {
    /// A component file of the SSTable, or a folder that holds no other.
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// A key of one SSTable.
#[derive(Debug, Args)]
pub struct OfKey {
    /// The SSTable.
    #[command(flatten)]
    pub one: One,
    /// The partition key: a CQL literal, 0x…, or token:…
    #[arg(value_name = "KEY", allow_hyphen_values = true)]
    pub key: String,
}

/// `triescope keys`
#[derive(Debug, Args)]
pub struct Keys {
    /// The SSTable.
    #[command(flatten)]
    pub one: One,
    /// Begin with this partition, or where it would be.
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End after so many.
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// From the last to the first.
    #[arg(long)]
    pub reverse: bool,
}

/// `triescope lookup`
#[derive(Debug, Args)]
pub struct Lookup {
    /// A component file of the SSTable, or a folder: then it is looked up in every SSTable there.
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The partition key: a CQL literal, 0x…, or token:…
    #[arg(value_name = "KEY", allow_hyphen_values = true)]
    pub key: String,
    /// Find a row too, or where rows that begin so would be: its clustering values.
    #[arg(long, value_name = "CK", allow_hyphen_values = true)]
    pub row: Option<String>,
    /// Which index is asked: trie, legacy, or both where there are both.
    #[arg(long, value_enum, default_value = "both", hide_possible_values = true)]
    pub index: Index,
    /// Which database reads the legacy index: scylla or cassandra [default: the one that wrote it].
    #[arg(long, value_enum, hide_possible_values = true)]
    pub reader: Option<Reader>,
    /// Go on where the Bloom filter says no.
    #[arg(long)]
    pub no_filter: bool,
    /// With a page cache of so many bytes for each index: 65536, 64K, 1M.
    #[arg(long, value_name = "BYTES", value_parser = crate::parse::bytes)]
    pub cache: Option<u64>,
    /// Keys looked up before, which fill the cache: at most 16, separated by commas.
    #[arg(long, value_name = "KEY,…", requires = "cache", allow_hyphen_values = true)]
    pub warm: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `triescope page`
#[derive(Debug, Args)]
pub struct Page {
    /// The SSTable.
    #[command(flatten)]
    pub one: One,
    /// The component: Partitions.db, Rows.db, Index.db, Summary.db, …
    #[arg(value_name = "COMPONENT")]
    pub component: String,
    /// The page, from 0.
    #[arg(value_name = "N")]
    pub page: u64,
}

/// `triescope node`
#[derive(Debug, Args)]
pub struct Node {
    /// The SSTable.
    #[command(flatten)]
    pub one: One,
    /// The component: Partitions.db, Rows.db, Index.db, Summary.db, …
    #[arg(value_name = "COMPONENT")]
    pub component: String,
    /// Its position: @8000, @0x1f40, or page and offset in it, @1+3904.
    #[arg(value_name = "@POS", value_parser = crate::parse::position)]
    pub at: u64,
}

/// `triescope rows`
#[derive(Debug, Args)]
pub struct Rows {
    /// The SSTable.
    #[command(flatten)]
    pub one: One,
    /// Of this partition alone: a CQL literal, 0x…, or token:…
    #[arg(value_name = "KEY", allow_hyphen_values = true)]
    pub key: Option<String>,
    /// End after so many rows and range deletions.
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
}

/// `triescope check`
#[derive(Debug, Args)]
pub struct Check {
    /// The SSTables.
    #[command(flatten)]
    pub of: Paths,
    /// Read Data.db too, and compare it with indexes and statistics.
    #[arg(long)]
    pub deep: bool,
    /// Every finding that was kept, also of several SSTables.
    #[arg(long)]
    pub all: bool,
}

/// `triescope twin`
#[derive(Debug, Args)]
pub struct Twin {
    /// The SSTable.
    #[command(flatten)]
    pub one: One,
    /// The folder that its files go to. Files that are there are not written over.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The version: da, oa, nb, na, mc, md, me, ms, mt [default: the other index of the same database].
    #[arg(long = "as", value_name = "VERSION", value_parser = crate::parse::written)]
    pub version: Option<Version>,
    /// Bytes of rows in a row block, 4096 or 4K [default: the blocks of the source].
    #[arg(long, value_name = "BYTES", value_parser = crate::parse::bytes)]
    pub block_size: Option<u64>,
}

/// `triescope pack`
#[derive(Debug, Args)]
pub struct Pack {
    /// The SSTable.
    #[command(flatten)]
    pub one: One,
    /// Whose way of packing a trie: cassandra or scylla [default: the version's].
    #[arg(long, value_name = "WRITER", hide_possible_values = true)]
    pub flavour: Option<Flavour>,
    /// Say each step of the writer, one a line.
    #[arg(long)]
    pub trace: bool,
    /// With --trace: the row trie of this partition, not the trie of the partitions.
    #[arg(long, value_name = "KEY", requires = "trace", allow_hyphen_values = true)]
    pub rows: Option<String>,
    /// Write the rebuilt index files into this folder. Files that are there are not written over.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A writer of tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Flavour {
    /// Apache Cassandra 5: a node a byte.
    Cassandra,
    /// ScyllaDB: chains.
    Scylla,
}

impl From<Flavour> for Writer {
    fn from(flavour: Flavour) -> Self {
        match flavour {
            Flavour::Cassandra => Self::Cassandra,
            Flavour::Scylla => Self::Scylla,
        }
    }
}

/// Which index is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Index {
    /// Partitions.db and Rows.db.
    Trie,
    /// Summary.db and Index.db.
    Legacy,
    /// Both, where there are both.
    Both,
}

/// Which database reads the legacy index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reader {
    /// A window of entries, parsed whole and bisected.
    Scylla,
    /// A scan from a sample on.
    Cassandra,
}
