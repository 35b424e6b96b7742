//! What the page knows, and how each action changes it. No browser: what has to be fetched or asked follows from the
//! state ([`State::wanted_source`], [`State::wanted_race`], [`State::wanted_means`]) and is done elsewhere.

mod act;
mod board;
mod lanes;
#[cfg(test)]
mod tests;
mod wants;

pub use lanes::Lane;

use super::address::{Address, Origin, View};
use super::clock::Clock;
use super::intent::Side;
use crate::board::{Board, BoardAsk, Readings};
use crate::model::{Failure, Opened, Pair, SampleEntry, Suggestions, TableId, Twin, Understood};
use crate::shared::Shared;
use serde::{Deserialize, Serialize};
use triescope_core::lookup::FilterMode;
use triescope_core::race::{LegacyReader, Means, Race, RaceRequest};
use triescope_core::table::TableFacts;

/// The SSTables that are looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// Where they come from, as the address says it.
    pub origin: Origin,
    /// Their name: the sample's, the table's, or that of the files.
    pub name: String,
    /// The one with the trie index.
    pub trie: Option<(TableId, Shared<TableFacts>)>,
    /// The one with the legacy index.
    pub legacy: Option<(TableId, Shared<TableFacts>)>,
}

impl Tables {
    /// The facts that both share, from the trie's SSTable where it is here.
    pub fn facts(&self) -> Option<&TableFacts> {
        self.trie.as_ref().or(self.legacy.as_ref()).map(|(_, facts)| &**facts)
    }

    /// The numbers of the tables in the worker: trie, legacy.
    pub fn ids(&self) -> (Option<TableId>, Option<TableId>) {
        (self.trie.as_ref().map(|(id, _)| *id), self.legacy.as_ref().map(|(id, _)| *id))
    }

    /// Bytes of all components.
    pub fn bytes(&self) -> u64 {
        [&self.trie, &self.legacy].into_iter().flatten().map(|(_, facts)| facts.bytes).sum()
    }
}

/// A race that is asked for: the tables and the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceCall {
    /// The SSTable with the trie index.
    pub trie: Option<TableId>,
    /// The SSTable with the legacy index.
    pub legacy: Option<TableId>,
    /// The question.
    pub request: RaceRequest,
}

/// A twin that is asked for: the index that an SSTable does not have, or the one it has with other row blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwinCall {
    /// The SSTable that it is built from.
    pub of: TableId,
    /// Which of the two indexes.
    pub side: Side,
    /// Bytes of its row blocks; `None` keeps those of the SSTable.
    pub block: Option<u64>,
    /// Whether it is built although that takes long.
    pub large: bool,
}

/// Means that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeansCall {
    /// The SSTable with the trie index.
    pub trie: Option<TableId>,
    /// The SSTable with the legacy index.
    pub legacy: Option<TableId>,
    /// Who reads the legacy index.
    pub reader: LegacyReader,
    /// Whether Index.db may be sampled although it is large.
    pub sample_large: bool,
}

/// What the worker read for the last answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Bytes read from files.
    pub bytes: u64,
    /// Reads.
    pub reads: u64,
    /// Milliseconds of work.
    pub ms: f64,
}

/// A request that is not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// Its number.
    pub id: u32,
    /// What it does, in words.
    pub about: String,
    /// How far it has come.
    pub progress: Option<Progress>,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Done, of whatever it counts.
    pub done: u64,
    /// In all.
    pub of: u64,
    /// Done in a second.
    pub a_second: u64,
}

/// Speeds of the transport, as factors, with their names.
pub const SPEEDS: [(f64, &str); 3] = [(0.5, "½×"), (1.0, "1×"), (4.0, "4×")];

/// Everything the page knows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The place.
    pub address: Address,
    /// Whether the last change of the place was a board that said it in full, which is no move.
    pub is_settled: bool,
    /// The samples of the gallery.
    pub samples: Shared<Vec<SampleEntry>>,
    /// Files that were dropped or picked, grouped.
    pub dropped: Option<Shared<Opened>>,
    /// What is looked at; what the address asks for may still be on its way.
    pub tables: Option<Tables>,
    /// What is being loaded, in words.
    pub loading: Option<String>,
    /// Why the last attempt to open something failed.
    pub failure: Option<String>,
    /// The race that is shown.
    pub race: Option<Shared<Race>>,
    /// Its clock.
    pub clock: Shared<Clock>,
    /// Counts how often the same question was asked again after it had failed.
    pub attempt: u32,
    /// Why there is no race.
    pub race_failure: Option<Shared<Failure>>,
    /// Steps done, on the clock.
    pub at: usize,
    /// Whether it plays.
    pub playing: bool,
    /// Which of [`SPEEDS`].
    pub speed: usize,
    /// Means, for each reader that was asked for.
    pub means: Vec<(MeansCall, Shared<Means>)>,
    /// Why there are no means, or no more of them.
    pub means_failure: Option<(MeansCall, Shared<Failure>)>,
    /// Whether Index.db may be sampled although it is large.
    pub sample_large: bool,
    /// Twins that were asked for.
    pub twins: Vec<(TwinCall, Twin)>,
    /// Whether twins may be built although that takes long.
    pub twin_large: bool,
    /// What the text in the key box means.
    pub understood: Option<Shared<Understood>>,
    /// Keys to suggest.
    pub suggestions: Option<Shared<Suggestions>>,
    /// Something to say that is no answer: a worker that died, a link that was copied.
    pub notice: Option<String>,
    /// What the last answer has cost.
    pub spent: Spent,
    /// Size of the board in CSS pixels, once it is known.
    pub room: Option<(u32, u32)>,
    /// Typed keys that the address does not hold.
    pub typed: Option<String>,
    /// The board that is shown, and the question that it answers.
    pub board: Option<(BoardAsk, Shared<Board>)>,
    /// Whether it shows what is known so far, and the rest is on its way.
    pub is_partial: bool,
    /// What the text in the one box may mean.
    pub readings: Option<Shared<Readings>>,
    /// Why there is no board.
    pub board_failure: Option<(BoardAsk, Shared<Failure>)>,
    /// Requests that are not answered yet, oldest first.
    pub busy: Vec<Busy>,
    /// Whether the help is open.
    pub help: bool,
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The address has changed: a link, back, forward.
    Navigate(Address),
    /// The list of samples is here.
    Samples(Vec<SampleEntry>),
    /// Open a sample.
    OpenSample(String),
    /// Open recognised files.
    OpenPair(Pair),
    /// Open a view of what is open.
    Show(View),
    /// Something is being loaded.
    Loading(String),
    /// Files were grouped. `Some` is a sample's name, `None` are local files.
    Loaded(Option<String>, Opened),
    /// Loading has failed.
    LoadFailed(String),
    /// Put the recognised files away.
    Forget,
    /// The worker was replaced and has not got the files again.
    Lost(String),
    /// Look a key up, and perhaps a row; `Some` also says whether the filter may end that lookup.
    LookUp(String, Option<String>, Option<FilterMode>),
    /// Choose the reader of the legacy index.
    Reader(LegacyReader),
    /// Choose the cache model: `None` is cold. Either empties it.
    Cache(Option<u64>),
    /// Choose whether the filter may end the lookup.
    Filter(FilterMode),
    /// A large Index.db may be sampled.
    SampleLarge,
    /// Choose the size of row blocks; `None` is that of the files.
    Block(Option<u64>),
    /// A twin is here, or there is none.
    Twinned(TwinCall, Twin),
    /// Twins may be built although that takes long; what was stopped or failed is built once more.
    BuildTwin,
    /// A race is here.
    Raced(RaceCall, Box<Race>),
    /// A race has failed.
    RaceFailed(RaceCall, Failure),
    /// Means so far.
    Means(MeansCall, Means),
    /// No more means.
    MeansFailed(MeansCall, Failure),
    /// What the text in the key box means.
    Understood(Option<Understood>),
    /// Keys to suggest.
    Suggestions(Suggestions),
    /// What the text in the one box may mean.
    Readings(Readings),
    /// The board has this size.
    Room(u32, u32),
    /// A board is here, as it stays or of what is known so far.
    Boarded(BoardAsk, Box<Board>, bool),
    /// A board has failed.
    BoardFailed(BoardAsk, Failure),
    /// Choose something on a board: a name of its query and the value.
    Choose(String, String),
    /// To a position on the clock.
    To(usize),
    /// To a step of a lane.
    ToStep(Side, usize),
    /// One step on, or back.
    Step(bool),
    /// To the next fetch, or the one before.
    Fetch(bool),
    /// To the first position, or the last.
    End(bool),
    /// Play or pause.
    Play,
    /// Time for the next step while playing.
    Tick,
    /// Choose a speed by its place in [`SPEEDS`].
    Speed(usize),
    /// Something to say, or no longer.
    Notice(Option<String>),
    /// What an answer has cost.
    Spent(Spent),
    /// A request has begun.
    Began(u32, String),
    /// How far a request has come.
    Progress(u32, Progress),
    /// A request has ended.
    Ended(u32),
    /// Open or close the help.
    Help(bool),
}
