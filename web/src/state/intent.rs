//! What a view asks for. Views know nothing of the worker, the address or each other: they get values and send intents.

use crate::model::Pair;
use serde::{Deserialize, Serialize};
use triescope_core::lookup::FilterMode;
use triescope_core::race::LegacyReader;

/// One of the two indexes of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Partitions.db and Rows.db.
    Trie,
    /// Summary.db and Index.db.
    Legacy,
}

/// What the start view asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum StartIntent {
    /// Open the browser's folder picker.
    ChooseFolder,
    /// Open the browser's file picker; what is picked replaces what was recognised.
    ChooseFiles,
    /// Open the file picker; what is picked is added to the files that are here.
    AddFiles,
    /// Go on with these SSTables ("Open", "Open without it").
    Open(Pair),
    /// Load this sample and open it.
    OpenSample(String),
    /// Put the recognised files away.
    Forget,
}

/// What the overview asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum OverviewIntent {
    /// Go to the lookup with the key that is in the box, else with the sample's key or the first one.
    LookUp,
    /// Go to the lookup with this key.
    LookUpKey(String),
    /// The means as this database reads the legacy index.
    Reader(LegacyReader),
    /// Look the keys up again, Index.db sampled in memory although it is large.
    SampleLarge,
    /// Build the twin of this table although it is large, or once more.
    BuildTwin,
    /// Load this sample and open it.
    OpenSample(String),
    /// Add missing files.
    AddFiles,
}

/// What the lookup asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum LookupIntent {
    /// Go to this step of a lane: `step` steps are done, so 1 is the first one. The other lane follows the clock.
    Go(Side, usize),
    /// Copy the steps of both lanes as text.
    CopyText,
    /// Copy the steps of both lanes as JSON.
    CopyJson,
    /// Index.db may be sampled in memory although it is large: run the lookup again.
    SampleLarge,
    /// Build the twin of this table although it is large, or once more.
    BuildTwin,
    /// Load this sample and open it: offered where one lane has no index.
    OpenSample(String),
    /// Add missing files.
    AddFiles,
}

/// What the key box asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyIntent {
    /// This was typed, and it has to be understood: partition key and clustering key.
    Typed(String, String),
    /// Look this up: partition key and clustering key.
    Go(String, String),
    /// Look up a key that is known to show something, and let the filter end that or not.
    Pick(String, Option<String>, FilterMode),
    /// Find a key of a kind and look it up.
    Try(TryWhat),
    /// Read the legacy index as this database does.
    Reader(LegacyReader),
    /// The cache model: `None` is cold, else its bytes. Either empties it.
    Cache(Option<u64>),
    /// Whether the filter may end the lookup.
    Filter(FilterMode),
    /// Row blocks of so many bytes, built anew; `None` takes those of the files.
    Block(Option<u64>),
}

/// A kind of key worth trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TryWhat {
    /// The first partition.
    First,
    /// The last one.
    Last,
    /// The partition at or after a random token made from this seed.
    Random(u64),
    /// A key that is not there, and whose walk through the trie ends at a leaf.
    Absent(u64),
    /// A key that is not there, and whose walk through the trie ends at a node without a child.
    DeadEnd(u64),
}
