//! The clock of a race: when each step of both lanes happens while it plays.
//!
//! Both lanes run on one clock. A page fetch lasts six comparisons: the proportion helps to read, it models no disk.

use super::intent::Side;
use triescope_core::lookup::{PageState, Record, Step};

/// Milliseconds that a page fetch lasts at normal speed.
pub const FETCH_MS: u32 = 480;
/// Milliseconds that parsing a whole window, or reading Data.db, lasts.
pub const WORK_MS: u32 = 240;
/// Milliseconds that a comparison lasts.
pub const COMPARE_MS: u32 = 80;

/// A step of one lane on the common clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The lane.
    pub side: Side,
    /// Number of the step in its lane, from 0.
    pub step: usize,
    /// When it begins, in milliseconds from the start.
    pub starts: u32,
    /// How long it lasts.
    pub lasts: u32,
    /// Whether a page is fetched.
    pub fetch: bool,
}

/// The steps of both lanes in the order in which they begin; of two that begin together the trie's is first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    ticks: Vec<Tick>,
    /// When each lane has ended: trie, legacy.
    ends: (u32, u32),
}

impl Clock {
    /// The clock of two records, one of which may be missing.
    pub fn new(trie: Option<&Record>, legacy: Option<&Record>) -> Self {
        let (trie, t) = lane(Side::Trie, trie);
        let (legacy, l) = lane(Side::Legacy, legacy);
        let mut ticks = [trie, legacy].concat();
        ticks.sort_by_key(|tick| (tick.starts, tick.side == Side::Legacy, tick.step));
        Self { ticks, ends: (t, l) }
    }

    /// The ticks.
    pub fn ticks(&self) -> &[Tick] {
        &self.ticks
    }

    /// Number of ticks: the position at the end.
    pub fn len(&self) -> usize {
        self.ticks.len()
    }

    /// Whether nothing happens.
    pub fn is_empty(&self) -> bool {
        self.ticks.is_empty()
    }

    /// When a lane has ended, in milliseconds.
    pub fn end(&self, side: Side) -> u32 {
        match side {
            Side::Trie => self.ends.0,
            Side::Legacy => self.ends.1,
        }
    }

    /// When both lanes have ended.
    pub fn length(&self) -> u32 {
        self.ends.0.max(self.ends.1)
    }

    /// The tick that has happened last at position `at`, which counts the ticks done.
    pub fn latest(&self, at: usize) -> Option<Tick> {
        at.checked_sub(1).and_then(|last| self.ticks.get(last)).copied()
    }

    /// Steps done in each lane at a position: trie, legacy.
    pub fn steps(&self, at: usize) -> (usize, usize) {
        let done = &self.ticks[..at.min(self.len())];
        let trie = done.iter().filter(|tick| tick.side == Side::Trie).count();
        (trie, done.len() - trie)
    }

    /// The position at which at least so many steps are done in each lane, as far as the lanes have them.
    pub fn at_steps(&self, trie: usize, legacy: usize) -> usize {
        let need = |tick: &Tick| match tick.side {
            Side::Trie => tick.step < trie,
            Side::Legacy => tick.step < legacy,
        };
        self.ticks.iter().rposition(need).map_or(0, |last| last + 1)
    }

    /// The position at which `steps` steps of a lane are done.
    pub fn at_lane(&self, side: Side, steps: usize) -> usize {
        match side {
            Side::Trie => self.at_steps(steps, 0),
            Side::Legacy => self.at_steps(0, steps),
        }
    }

    /// The position after the next fetch, else the end.
    pub fn next_fetch(&self, at: usize) -> usize {
        let rest = self.ticks.iter().enumerate().skip(at);
        rest.clone().find(|(_, tick)| tick.fetch).map_or(self.len(), |(n, _)| n + 1)
    }

    /// The position after the fetch before this one, else the beginning.
    pub fn previous_fetch(&self, at: usize) -> usize {
        let before = &self.ticks[..at.saturating_sub(1).min(self.len())];
        before.iter().rposition(|tick| tick.fetch).map_or(self.first(), |n| n + 1)
    }

    /// The first position that shows something.
    pub fn first(&self) -> usize {
        usize::from(!self.is_empty())
    }

    /// Milliseconds at normal speed from the step shown at `at` to the next one; `None` at the end.
    pub fn wait(&self, at: usize) -> Option<u32> {
        let next = self.ticks.get(at)?.starts;
        Some(next - self.latest(at).map_or(0, |tick| tick.starts))
    }
}

fn lane(side: Side, record: Option<&Record>) -> (Vec<Tick>, u32) {
    let (mut ticks, mut starts) = (Vec::new(), 0);
    for (step, what) in record.map_or(&[][..], |record| &record.steps).iter().enumerate() {
        let (lasts, fetch) = match what {
            Step::Page(page) if matches!(page.state, PageState::Fetched(_)) => (FETCH_MS, true),
            Step::Entries(_) | Step::Data(_) => (WORK_MS, false),
            _ => (COMPARE_MS, false),
        };
        ticks.push(Tick { side, step, starts, lasts, fetch });
        starts += lasts;
    }
    (ticks, starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use triescope_core::lookup::{
        AbsentWhy, Answer, Cmp, PageState, PageStep, Record, Step, SummaryProbeStep,
    };
    use triescope_core::pos::PageNo;
    use triescope_core::table::Part;

    fn record(steps: &str) -> Record {
        let mut fetched = 0;
        let step = |letter| match letter {
            'f' => {
                fetched += 1;
                let state = PageState::Fetched(fetched);
                Step::Page(PageStep { part: Part::Index, page: PageNo(1), bytes: 4096, state })
            }
            'p' => Step::SummaryProbe(SummaryProbeStep {
                sample: 1,
                of: 2,
                low: 0,
                high: 2,
                key: Vec::new().into(),
                cmp: Cmp::Smaller,
                bytes_compared: 4,
            }),
            _ => Step::Answer(Answer::Absent(AbsentWhy::DeadEnd)),
        };
        Record { steps: steps.chars().map(step).collect(), dropped: 0 }
    }

    fn order(clock: &Clock) -> String {
        let letter = |tick: &Tick| if tick.side == Side::Trie { 't' } else { 'l' };
        clock.ticks().iter().map(letter).collect()
    }

    #[test]
    fn both_lanes_run_on_one_clock_and_the_trie_goes_first_when_they_tie() {
        let clock = Clock::new(Some(&record("fppf")), Some(&record("ppppff")));
        assert_eq!(order(&clock), "tllllltttl");
        assert_eq!(clock.end(Side::Trie), 480 + 80 + 80 + 480);
        assert_eq!(clock.end(Side::Legacy), 4 * 80 + 2 * 480);
        assert_eq!(clock.length(), 1280);
        assert_eq!(clock.steps(clock.len()), (4, 6));
    }

    #[test]
    fn every_position_is_found_again_from_its_steps() {
        let clock = Clock::new(Some(&record("fpfp")), Some(&record("ppfpfa")));
        for at in 0..=clock.len() {
            let (t, l) = clock.steps(at);
            assert_eq!(clock.at_steps(t, l), at);
        }
        assert_eq!(clock.at_steps(99, 99), clock.len());
        assert_eq!(clock.steps(clock.at_lane(Side::Trie, 3)).0, 3);
        assert_eq!(clock.steps(clock.at_lane(Side::Legacy, 2)).1, 2);
    }

    #[test]
    fn fetches_are_found_forwards_and_backwards() {
        let clock = Clock::new(Some(&record("pfpfp")), None);
        assert_eq!(clock.next_fetch(1), 2);
        assert_eq!(clock.next_fetch(2), 4);
        assert_eq!(clock.next_fetch(4), 5);
        assert_eq!(clock.previous_fetch(5), 4);
        assert_eq!(clock.previous_fetch(4), 2);
        assert_eq!(clock.previous_fetch(2), 1);
    }

    #[test]
    fn waits_add_up_to_the_start_of_the_last_step() {
        let clock = Clock::new(Some(&record("fppf")), Some(&record("ppppff")));
        let waits: u32 = (0..clock.len()).filter_map(|at| clock.wait(at)).sum();
        assert_eq!(waits, clock.latest(clock.len()).unwrap().starts);
        assert_eq!(clock.wait(clock.len()), None);
    }

    #[test]
    fn a_race_without_lanes_has_no_positions() {
        let clock = Clock::new(None, None);
        assert!(clock.is_empty());
        assert_eq!((clock.first(), clock.steps(3), clock.at_steps(1, 1)), (0, (0, 0), 0));
    }
}
