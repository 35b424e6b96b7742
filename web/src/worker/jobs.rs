//! What the worker is asked to do, done in slices, so that a press of Stop and a ping are heard in between.

use super::frames;
use super::open::Opening;
use super::protocol::{Reply, Which};
use super::suggest::Suggesting;
use super::world::{World, failure};
use crate::model::{Failure, TableId, Understood};
use crate::state::intent::TryWhat;
use crate::state::store::{MeansCall, RaceCall};
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler};
use triescope_core::error::Error;
use triescope_core::limits::SAMPLE_WITHOUT_ASKING_BYTES;
use triescope_core::race::{self, LegacyReader, MeansJob, SampleWanted, Stop, Wanted};
use triescope_core::source::Source;
use triescope_core::table::{Part, Version};

/// Entries of Index.db between two looks at the clock.
const ENTRIES: u64 = 512;
/// Keys between two looks at the clock.
const KEYS: u64 = 4;

/// A piece of work.
#[derive(Debug)]
pub enum Job<S> {
    /// Opens files.
    Open(Box<Opening<S>>),
    /// Opens a twin.
    Twin {
        /// The SSTable it was built for.
        of: TableId,
        /// Its number.
        id: TableId,
        /// The version whose index it is.
        version: String,
        /// The files of that.
        index: Vec<(Part, S)>,
    },
    /// Says what typed text means.
    Parse {
        /// Whose keys.
        which: Which,
        /// The partition key.
        key: String,
        /// The clustering key.
        row: Option<String>,
        /// Samples being made.
        sampling: Option<Sampling>,
    },
    /// Looks a key up.
    Race {
        /// The question.
        call: RaceCall,
        /// Samples being made.
        sampling: Option<Sampling>,
    },
    /// Looks many keys up.
    Means {
        /// The question.
        call: MeansCall,
        /// Samples being made.
        sampling: Option<Sampling>,
        /// The lookups, once their samples are there.
        job: Option<Box<MeansJob>>,
    },
    /// Reads keys to suggest.
    Suggest(Suggesting),
    /// Finds a key.
    Try {
        /// Whose keys.
        which: Which,
        /// Which kind.
        what: TryWhat,
        /// Samples being made.
        sampling: Option<Sampling>,
    },
}

/// Samples being made of an Index.db.
#[derive(Debug)]
pub struct Sampling {
    table: TableId,
    rule: SampleRule,
    sampler: Sampler,
}

/// What a slice of work gave.
pub type Slice = frames::Slice<Reply>;

impl<S: Source + Clone> Job<S> {
    /// Whether others should go first: nobody waits for it with a key pressed.
    pub fn is_background(&self) -> bool {
        matches!(self, Self::Means { .. } | Self::Suggest(_))
    }

    /// Works until `over` says that the slice is over, or until it is done.
    pub fn slice(&mut self, world: &mut World<S>, over: &dyn Fn() -> bool) -> Slice {
        if let Some(sampling) = self.sampling() {
            match sample(world, sampling, over) {
                Ok(None) => {}
                Ok(progress) => return Slice::More(progress),
                Err(failure) => return Slice::Done(Err(failure)),
            }
        }
        let step = match self {
            Self::Open(opening) => Ok(open(opening, world, over)),
            Self::Twin { of, id, version, index } => twin(world, (*of, *id), version, index),
            Self::Parse { which, key, row, sampling } => {
                parse(world, *which, (key, row.as_deref()), sampling)
            }
            Self::Race { call, sampling } => race(world, call, sampling),
            Self::Means { call, sampling, job } => means(world, *call, sampling, job, over),
            Self::Suggest(suggesting) => suggesting.slice(world, over),
            Self::Try { which, what, sampling } => find(world, *which, *what, sampling),
        };
        step.unwrap_or_else(|failure| Slice::Done(Err(failure)))
    }
}

impl<S> Job<S> {
    /// The samples that have to be made before it can go on.
    const fn sampling(&mut self) -> Option<&mut Option<Sampling>> {
        match self {
            Self::Parse { sampling, .. }
            | Self::Race { sampling, .. }
            | Self::Means { sampling, .. }
            | Self::Try { sampling, .. } => Some(sampling),
            Self::Open(_) | Self::Twin { .. } | Self::Suggest(_) => None,
        }
    }
}

fn open<S: Source>(
    opening: &mut Opening<S>,
    world: &mut World<S>,
    over: &dyn Fn() -> bool,
) -> Slice {
    while opening.step(world) {
        if over() {
            let (done, of) = opening.progress();
            return Slice::More(Some(Reply::Progress(done, of)));
        }
    }
    Slice::Done(Ok(Reply::Opened(opening.take())))
}

fn twin<S: Source + Clone>(
    world: &mut World<S>,
    (of, id): (TableId, TableId),
    version: &str,
    index: &mut Vec<(Part, S)>,
) -> Result<Slice, Failure> {
    let version = Version::new(version.as_bytes()).ok_or(Failure::Cancelled)?;
    let facts = world.put_twin(of, id, version, std::mem::take(index))?;
    Ok(Slice::Done(Ok(Reply::Twin(Box::new(facts)))))
}

fn parse<S: Source>(
    world: &World<S>,
    which: Which,
    (key, row): (&str, Option<&str>),
    sampling: &mut Option<Sampling>,
) -> Result<Slice, Failure> {
    let contest = world.contest(which)?;
    let said = |stop: Stop| match failure(stop) {
        Failure::Text { why } => why,
        Failure::Read(error) => error.to_string(),
        _ => "A token is found by samples of Index.db, and none were made yet.".to_owned(),
    };
    let resolved = contest.resolve(key);
    // A token is found by samples. Where there are none and they take long, a lookup asks whether to make them.
    if let Err(Stop::Sample(wanted)) = resolved
        && let Ok(work) = Sampling::new(which.1, wanted, false)
    {
        *sampling = Some(work);
        return Ok(Slice::More(None));
    }
    let understood = Understood {
        key_text: key.to_owned(),
        row_text: row.map(str::to_owned),
        key: resolved.map(|key| race::key_facts(&contest, &contest.prepare(key))).map_err(said),
        row: row.and_then(|text| match contest.resolve_row(text) {
            Ok(row) => race::row_facts(&contest, Some(&row)).map(Ok),
            Err(stop) => Some(Err(said(stop))),
        }),
    };
    Ok(Slice::Done(Ok(Reply::Parsed(understood))))
}

fn race<S: Source>(
    world: &World<S>,
    call: &RaceCall,
    sampling: &mut Option<Sampling>,
) -> Result<Slice, Failure> {
    let contest = world.contest((call.trie, call.legacy))?;
    match race::run(&contest, &call.request) {
        Ok(race) => Ok(Slice::Done(Ok(Reply::Race(Box::new(race))))),
        Err(Stop::Sample(wanted)) => {
            *sampling = Some(Sampling::new(call.legacy, wanted, call.request.sample_large)?);
            Ok(Slice::More(None))
        }
        Err(stop) => Err(failure(stop)),
    }
}

fn means<S: Source>(
    world: &World<S>,
    call: MeansCall,
    sampling: &mut Option<Sampling>,
    job: &mut Option<Box<MeansJob>>,
    over: &dyn Fn() -> bool,
) -> Result<Slice, Failure> {
    let contest = world.contest((call.trie, call.legacy))?;
    if let Err(Stop::Sample(wanted)) = contest.samples(call.reader) {
        *sampling = Some(Sampling::new(call.legacy, wanted, call.sample_large)?);
        return Ok(Slice::More(None));
    }
    // The other reader is counted beside it where that costs no question.
    if let Err(Stop::Sample(wanted)) = contest.samples(other(call.reader))
        && let Ok(work) = Sampling::new(call.legacy, wanted, call.sample_large)
    {
        *sampling = Some(work);
        return Ok(Slice::More(None));
    }
    let job = job.get_or_insert_with(|| Box::new(MeansJob::new(&contest, call.reader)));
    loop {
        job.step(&contest, KEYS).map_err(failure)?;
        let reply = || Reply::Means(job.means().clone());
        if job.is_over() {
            return Ok(Slice::Done(Ok(reply())));
        }
        if over() {
            return Ok(Slice::More(Some(reply())));
        }
    }
}

const fn other(reader: LegacyReader) -> LegacyReader {
    match reader {
        LegacyReader::Scylla => LegacyReader::Cassandra,
        LegacyReader::Cassandra => LegacyReader::Scylla,
    }
}

impl Sampling {
    fn new(table: Option<TableId>, wanted: SampleWanted, large: bool) -> Result<Self, Failure> {
        let ask = Failure::AskToSample { bytes: wanted.bytes };
        if wanted.bytes > SAMPLE_WITHOUT_ASKING_BYTES && !large {
            return Err(ask);
        }
        let table = table.ok_or(ask)?;
        Ok(Self { table, rule: wanted.rule, sampler: Sampler::new(wanted.rule, wanted.format) })
    }
}

/// Goes on making samples; `None` when there is nothing to make any more.
fn sample<S: Source>(
    world: &mut World<S>,
    sampling: &mut Option<Sampling>,
    over: &dyn Fn() -> bool,
) -> Result<Option<Reply>, Failure> {
    let Some(mut work) = sampling.take() else { return Ok(None) };
    loop {
        let index = world.table(work.table).and_then(|table| table.source(Part::Index));
        let index = index.ok_or(Failure::Cancelled)?;
        match work.sampler.step(index, ENTRIES) {
            Err(miss @ Error::Miss(_)) => return Err(failure(miss.into())),
            // The lane of this index names the damage, and the other lane runs all the same.
            Err(Error::Damage(error)) => {
                world.keep(work.table, work.rule, Sampled::damaged(error));
                return Ok(None);
            }
            Ok(Progress::Finished) => {
                world.keep(work.table, work.rule, work.sampler.into_sampled());
                return Ok(None);
            }
            Ok(Progress::Working { done, of }) if over() => {
                *sampling = Some(work);
                return Ok(Some(Reply::Progress(done, of)));
            }
            Ok(Progress::Working { .. }) => {}
        }
    }
}

fn find<S: Source>(
    world: &World<S>,
    which: Which,
    what: TryWhat,
    sampling: &mut Option<Sampling>,
) -> Result<Slice, Failure> {
    let contest = world.contest(which)?;
    let wanted = match what {
        TryWhat::First => Wanted::First,
        TryWhat::Last => Wanted::Last,
        TryWhat::Random(seed) => Wanted::Random { seed },
        TryWhat::Absent(seed) => Wanted::Absent { seed },
        TryWhat::DeadEnd(seed) => Wanted::DeadEnd { seed },
    };
    match race::pick(&contest, wanted) {
        Ok(Some(key)) => Ok(Slice::Done(Ok(Reply::Key(key)))),
        Ok(None) => Err(Failure::Text { why: "No such key was found.".to_owned() }),
        Err(Stop::Sample(wanted)) => {
            *sampling = Some(Sampling::new(which.1, wanted, false)?);
            Ok(Slice::More(None))
        }
        Err(stop) => Err(failure(stop)),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        failure(error.into())
    }
}
