//! The scrub line: both lanes of a race over time, and where its head stands.

use crate::state::clock::{Clock, Tick};
use crate::state::intent::Side;

/// Room at the right end for the head, in CSS pixels.
pub const MARGIN: f64 = 8.0;
/// Width of a comparison.
const TICK: f64 = 2.0;

/// The scrub line in a width.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Blocks of the trie lane.
    pub trie: Vec<Block>,
    /// Blocks of the legacy lane.
    pub legacy: Vec<Block>,
    /// Where each lane ends: trie, legacy.
    pub ends: (f64, f64),
    /// Where the head stands once so many ticks are done: entry 0 after the first.
    pub heads: Vec<f64>,
}

/// A step on the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Left edge.
    pub x: f64,
    /// Width.
    pub width: f64,
    /// Whether a page is fetched.
    pub fetch: bool,
}

/// Lays the line out.
pub fn scrub(clock: &Clock, width: f64) -> Line {
    let length = f64::from(clock.length().max(1));
    let scale = (width - MARGIN).max(0.0) / length;
    let place = |tick: &Tick| {
        let x = f64::from(tick.starts) * scale;
        // A fetch ends two pixels before the next begins, so that two of them stay two.
        let width = if tick.fetch { (f64::from(tick.lasts) * scale - 2.0).max(TICK) } else { TICK };
        Block { x, width, fetch: tick.fetch }
    };
    let of = |side: Side| {
        clock.ticks().iter().filter(|tick| tick.side == side).map(place).collect::<Vec<_>>()
    };
    Line {
        trie: of(Side::Trie),
        legacy: of(Side::Legacy),
        ends: (
            f64::from(clock.end(Side::Trie)) * scale,
            f64::from(clock.end(Side::Legacy)) * scale,
        ),
        heads: clock.ticks().iter().map(place).map(|block| block.x + block.width / 2.0).collect(),
    }
}

/// The position on the clock whose head is nearest to `x`.
pub fn nearest(heads: &[f64], x: f64) -> usize {
    let far = |head: &f64| (head - x).abs();
    let nearest = heads.iter().enumerate().min_by(|(_, a), (_, b)| far(a).total_cmp(&far(b)));
    nearest.map_or(0, |(at, _)| at + 1)
}

/// Where the head stands at a position, counted from 1, of steps that are spread evenly.
pub fn head(steps: usize, width: f64, at: usize) -> Option<f64> {
    let room = (width - MARGIN).max(0.0);
    (1..=steps).contains(&at).then(|| (at as f64 - 0.5) * room / steps as f64)
}

/// The position whose head is nearest to `x`.
pub fn evenly(steps: usize, width: f64, x: f64) -> usize {
    let at = x.max(0.0) * steps as f64 / (width - MARGIN).max(1.0);
    (at as usize + 1).min(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use triescope_core::lookup::{AbsentWhy, Answer, PageState, PageStep, Record, Step};
    use triescope_core::pos::PageNo;
    use triescope_core::table::Part;

    fn record(fetches: u32) -> Record {
        let fetch = |n| {
            let state = PageState::Fetched(n);
            Step::Page(PageStep { part: Part::Index, page: PageNo(1), bytes: 4096, state })
        };
        let mut steps: Vec<Step> = (1..=fetches).map(fetch).collect();
        steps.push(Step::Answer(Answer::Absent(AbsentWhy::DeadEnd)));
        Record { steps, dropped: 0 }
    }

    #[test]
    fn the_longer_lane_fills_the_width_and_the_other_has_the_same_scale() {
        let line = scrub(&Clock::new(Some(&record(1)), Some(&record(3))), 908.0);
        assert!((line.ends.1 - 900.0).abs() < 0.01);
        assert!((line.ends.0 - 900.0 * 560.0 / 1520.0).abs() < 0.01);
        assert!(line.legacy.windows(2).all(|two| two[0].x + two[0].width < two[1].x));
        assert_eq!((line.trie.len(), line.legacy.len(), line.heads.len()), (2, 4, 6));
    }

    #[test]
    fn every_head_is_nearest_to_itself() {
        let clock = Clock::new(Some(&record(2)), Some(&record(2)));
        let line = scrub(&clock, 400.0);
        for (n, head) in line.heads.iter().enumerate() {
            let at = nearest(&line.heads, *head);
            assert!((line.heads[at - 1] - head).abs() < 1e-9, "tick {n}");
        }
        assert_eq!(nearest(&line.heads, -50.0), 1);
        assert_eq!(nearest(&[], 3.0), 0);
    }

    #[test]
    fn the_steps_of_a_writer_are_spread_evenly_and_found_again() {
        for steps in [1, 7, 292, 1_000_000] {
            for at in [1, steps / 2 + 1, steps] {
                assert_eq!(evenly(steps, 891.0, head(steps, 891.0, at).unwrap()), at);
            }
            assert_eq!((evenly(steps, 891.0, -5.0), evenly(steps, 891.0, 1e6)), (1, steps));
        }
        assert_eq!((head(0, 891.0, 1), head(7, 891.0, 8), evenly(0, 891.0, 9.0)), (None, None, 0));
    }

    #[test]
    fn a_line_without_steps_or_room_is_no_problem() {
        assert!(scrub(&Clock::default(), 0.0).heads.is_empty());
        assert!(scrub(&Clock::new(Some(&record(3)), None), 0.0).heads.iter().all(|x| *x >= 0.0));
    }
}
