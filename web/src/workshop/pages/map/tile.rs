//! A page or chunk as the map knows it, and what is found out about all of them in one pass.

use super::query::By;
use triescope_core::census::{ChunkCount, DataStarts, PageCount, Sparse};
use triescope_core::pos::PAGE_SIZE;
use triescope_core::table::Part;

/// Shades from the lightest to the darkest.
pub const SHADES: u64 = 8;
/// Steps that the order of a list is made in.
const STEPS: u64 = 4096;

/// A page of an index, or a chunk of Data.db.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tile {
    /// Bytes that it stands for.
    pub len: u64,
    /// Bytes by what they are; the last ones are what belongs to no share.
    pub shares: [u64; 6],
    /// Bytes that belong to nothing; of a chunk, those that compression saves.
    pub room: u64,
    /// The counts of a page.
    pub count: PageCount,
    /// Lookups that read it; partitions that start in a chunk.
    pub lookups: u64,
    /// Places in it that cannot be read.
    pub faults: u64,
    /// Whether it was counted.
    pub known: bool,
}

impl Tile {
    /// Bytes that belong to something.
    pub fn used(&self) -> u64 {
        self.shares.iter().sum()
    }

    /// How bad it is, the greater the worse, for what pages are coloured by.
    pub fn worth(&self, by: By) -> u64 {
        match by {
            By::Family | By::Fill => self.room,
            By::Depth => u64::from(self.count.depth),
            By::Lookups => self.lookups,
            By::Findings => self.faults,
        }
    }
}

/// The pages of a component.
#[derive(Clone, Copy)]
pub struct Tiles<'a> {
    /// The component.
    pub part: Part,
    /// Its bytes.
    pub bytes: u64,
    /// What is known of it.
    pub of: Of<'a>,
}

/// What is known.
#[derive(Clone, Copy)]
pub enum Of<'a> {
    /// Pages of an index.
    Pages(&'a Sparse<PageCount>),
    /// Chunks of Data.db.
    Chunks(&'a Sparse<ChunkCount>, &'a DataStarts),
}

impl Tiles<'_> {
    /// How many there are.
    pub fn len(&self) -> u64 {
        match self.of {
            Of::Pages(pages) => pages.len(),
            Of::Chunks(chunks, _) => chunks.len(),
        }
    }

    /// A page.
    pub fn get(&self, no: u64) -> Tile {
        match self.of {
            Of::Pages(pages) => {
                let count = pages.get(no);
                let len = PAGE_SIZE.min(self.bytes.saturating_sub(no.saturating_mul(PAGE_SIZE)));
                let [a, b, c, d, e] = count.shares.map(u64::from);
                let shares = [a, b, c, d, e, count.other.into()];
                let known = count.used() > 0 || count.faults > 0;
                let room = if known { len.saturating_sub(count.used()) } else { 0 };
                let (lookups, faults) = (count.lookups.into(), count.faults.into());
                Tile { len, shares, room, count, lookups, faults, known }
            }
            Of::Chunks(chunks, starts) => {
                let chunk = chunks.get(no);
                let (stored, bytes) = (u64::from(chunk.stored), u64::from(chunk.bytes));
                Tile {
                    len: bytes.max(stored),
                    shares: [stored, 0, 0, 0, 0, 0],
                    room: bytes.saturating_sub(stored),
                    count: PageCount::default(),
                    lookups: starts.of(no).into(),
                    faults: chunk.fault.into(),
                    known: chunk.bytes > 0 || chunk.fault,
                }
            }
        }
    }

    /// What a list of all of them begins with: the greatest of these.
    pub fn rank(&self, tile: &Tile) -> u64 {
        match self.part {
            Part::Index => tile.lookups,
            Part::Summary => tile.count.nodes.into(),
            Part::Data => tile.used(),
            _ => tile.room,
        }
    }
}

/// What is found out about all pages in one pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whole pages before the last one.
    pub full: u64,
    /// Bytes in them that belong to something.
    pub used: u64,
    /// The one of them with most room, and its room.
    pub emptiest: Option<(u64, u64)>,
    /// Least and most room in one of them.
    pub room: (u64, u64),
    /// How many of them have so much room, in steps of 64 bytes.
    pub by_room: Vec<u64>,
    /// Whether each of them holds one subtree.
    pub single: bool,
    /// Bytes of the two that hold least.
    pub least: [u64; 2],
    /// Nodes, entries or samples; payloads.
    pub nodes: (u64, u64),
    /// Bytes that all stand for, and those that belong to something.
    pub bytes: (u64, u64),
    /// Greatest depth.
    pub depth: u64,
    /// Fewest and most lookups of a page before the last one.
    pub lookups: (u64, u64),
    /// The one with most lookups, and how many.
    pub hottest: Option<(u64, u64)>,
    /// Pages with a finding.
    pub faulty: u64,
    /// Pages that were counted.
    pub known: u64,
    /// How many are of each rank, in steps.
    ranks: Vec<u64>,
    most: u64,
}

/// Bytes of a bar of the histogram.
pub const BAR: u64 = 64;

impl Facts {
    /// One pass over all pages.
    pub fn of(tiles: &Tiles<'_>) -> Self {
        let len = tiles.len();
        let mut facts = Self {
            by_room: vec![0; 65],
            single: true,
            least: [u64::MAX; 2],
            room: (u64::MAX, 0),
            lookups: (u64::MAX, 0),
            ..Self::default()
        };
        for no in 0..len {
            let tile = tiles.get(no);
            facts.known += u64::from(tile.known);
            facts.faulty += u64::from(tile.faults > 0);
            facts.nodes.0 += u64::from(tile.count.nodes);
            facts.nodes.1 += u64::from(tile.count.payloads);
            facts.bytes.0 += tile.len;
            facts.bytes.1 += tile.used();
            facts.depth = facts.depth.max(tile.count.depth.into());
            facts.most = facts.most.max(tiles.rank(&tile));
            if facts.hottest.is_none_or(|(_, most)| tile.lookups > most) {
                facts.hottest = Some((no, tile.lookups));
            }
            if tile.known && (no + 1 < len || len == 1) {
                facts.lookups.0 = facts.lookups.0.min(tile.lookups);
                facts.lookups.1 = facts.lookups.1.max(tile.lookups);
                facts.full(no, &tile);
            }
        }
        facts.ranks = vec![0; usize::try_from(STEPS).unwrap_or(0) + 1];
        for no in 0..len {
            let step = facts.step(tiles.rank(&tiles.get(no)));
            if let Some(count) = facts.ranks.get_mut(step) {
                *count += 1;
            }
        }
        facts
    }

    fn full(&mut self, no: u64, tile: &Tile) {
        self.full += 1;
        self.used += tile.used();
        if self.emptiest.is_none_or(|(_, room)| tile.room > room) {
            self.emptiest = Some((no, tile.room));
        }
        self.room = (self.room.0.min(tile.room), self.room.1.max(tile.room));
        let bar = usize::try_from(tile.room / BAR).unwrap_or(usize::MAX);
        if let Some(count) = self.by_room.get_mut(bar) {
            *count += 1;
        }
        self.single &= tile.count.roots == 1;
        let used = tile.used();
        if used < self.least[0] {
            self.least = [used, self.least[0]];
        } else if used < self.least[1] {
            self.least[1] = used;
        }
    }

    /// Greater ranks come first.
    fn step(&self, rank: u64) -> usize {
        let of = u128::from(self.most.max(1));
        let step =
            STEPS - u64::try_from(u128::from(rank) * u128::from(STEPS) / of).unwrap_or(STEPS);
        usize::try_from(step.min(STEPS)).unwrap_or(0)
    }

    /// The pages at these ranks, those of equal rank in their order.
    pub fn ranked(&self, tiles: &Tiles<'_>, from: u64, count: u64) -> Vec<u64> {
        let to = from.saturating_add(count);
        let (mut before, mut passed, mut steps) = (0u64, 0u64, None::<(usize, usize)>);
        for (step, here) in self.ranks.iter().enumerate() {
            let after = passed + here;
            if *here > 0 && after > from && passed < to {
                if steps.is_none() {
                    before = passed;
                }
                steps = Some((steps.map_or(step, |(first, _)| first), step));
            }
            passed = after;
        }
        let Some((first, last)) = steps else { return Vec::new() };
        let mut found = Vec::new();
        for no in 0..tiles.len() {
            let rank = tiles.rank(&tiles.get(no));
            if (first..=last).contains(&self.step(rank)) {
                found.push((u64::MAX - rank, no));
            }
        }
        found.sort_unstable();
        let skip = usize::try_from(from - before).unwrap_or(usize::MAX);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        found.into_iter().skip(skip).take(count).map(|(_, no)| no).collect()
    }

    /// The shade of a page, 1 for the lightest; 0 for none.
    pub fn shade(&self, tile: &Tile, by: By) -> u64 {
        if !tile.known {
            return 0;
        }
        let (least, most) = match by {
            By::Family | By::Fill => self.room,
            By::Depth => (0, self.depth),
            By::Lookups => self.lookups,
            By::Findings => return if tile.faults > 0 { SHADES } else { 1 },
        };
        let worth = tile.worth(by).clamp(least.min(most), most);
        match most.saturating_sub(least) {
            0 if tile.worth(by) > most => SHADES,
            0 => 1,
            range => 1 + (worth - least).saturating_mul(SHADES - 1) / range,
        }
    }
}
