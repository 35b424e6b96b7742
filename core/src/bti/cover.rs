//! Which bytes of a file belong to something: a bitmap for each page that is begun and not complete.
//!
//! Nodes are packed into a page from its start, and what is left is zero. A page is complete when its claimed bytes have
//! no gap and only zeros follow; its bitmap is dropped then. Writers fill the pages below one node together, so a walk
//! in key order has a few hundred pages open at once, however long the file is.

use crate::limits;
use crate::pos::{FilePos, PAGE_BYTES, PAGE_SIZE, mem};
use std::collections::BTreeMap;

const WORDS: usize = PAGE_BYTES / 64;
/// Pages that are found by the last bits of their number: a walk turns back and forth among the pages of one branch. The
/// check of a million keys takes 8 % longer when all of them are looked for in a tree.
const NEAR: u64 = 16;

/// The claimed bytes of a page.
struct PageCover {
    no: u64,
    words: [u64; WORDS],
    /// Claimed bytes.
    bytes: u32,
    /// Where the last claimed byte ends.
    end: u32,
    /// Bytes of the page that are to be claimed.
    len: u32,
    /// From here to the end there are only zeros.
    zeros_from: u32,
    /// Whether it was complete before: every further claim is refused.
    complete: bool,
    /// Whether a refused claim in it has been reported.
    blamed: bool,
}

/// A run of complete pages.
#[derive(Clone, Copy)]
struct Run {
    /// After its last page.
    to: u64,
    /// Claimed bytes of its first page.
    first: u32,
    /// Claimed bytes of its last page.
    last: u32,
}

/// How full pages are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fill {
    /// Whole pages that are complete.
    pub pages: u64,
    /// Claimed bytes in them.
    pub used: u64,
    /// Pages by the tenth of them that is claimed: the last one has 90 % and more.
    pub tenths: [u64; 10],
    /// Pages that end in padding.
    pub gaps: u64,
    /// Padding in them.
    pub padding: u64,
    /// Times two neighbours together hold no more than one page does.
    pub thin_pairs: u64,
}

/// What a claim came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The bytes were free.
    Made,
    /// Some of them belong to something else: the first such claim in its page, or another one.
    Refused { first: bool },
}

/// The bytes of a file that belong to something.
pub(super) struct Coverage {
    /// Bytes that are to be claimed: from the start of the file to here.
    limit: u64,
    here: Option<Box<PageCover>>,
    /// Pages begun: the last one for each ending of their numbers, and the others.
    near: [Option<Box<PageCover>>; 16],
    open: BTreeMap<u64, Box<PageCover>>,
    complete: BTreeMap<u64, Run>,
    /// One that is not needed any more.
    spare: Option<Box<PageCover>>,
    fill: Fill,
}

impl Coverage {
    /// Nothing is claimed yet; bytes up to `limit` are to be.
    pub fn new(limit: FilePos) -> Self {
        Self {
            limit: limit.0,
            here: None,
            near: Default::default(),
            open: BTreeMap::new(),
            complete: BTreeMap::new(),
            spare: None,
            fill: Fill::default(),
        }
    }

    /// How full the pages are that are complete.
    pub fn fill(&self) -> Fill {
        self.fill
    }

    /// Turns to a page, which has these bytes. `false` when too many pages are begun.
    #[inline]
    pub fn turn(&mut self, no: u64, page: &[u8]) -> bool {
        self.here.as_ref().is_some_and(|here| here.no == no) || self.turn_to(no, page)
    }

    fn turn_to(&mut self, no: u64, page: &[u8]) -> bool {
        self.put_away();
        let near = near(&mut self.near, no);
        if let Some(cover) = near.take_if(|cover| cover.no == no) {
            self.here = Some(cover);
            return true;
        }
        self.here = match self.open.remove(&no) {
            Some(cover) => Some(cover),
            None if self.open.len() >= limits::BEGUN_PAGES => return false,
            None => Some(self.begin(no, page)),
        };
        true
    }

    fn begin(&mut self, no: u64, page: &[u8]) -> Box<PageCover> {
        let start = no.saturating_mul(PAGE_SIZE);
        let len = mem(self.limit.saturating_sub(start)).unwrap_or(PAGE_BYTES).min(page.len());
        let page = page.get(..len).unwrap_or(page);
        let zeros_from = page.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let complete = self.is_complete(no);
        let cover = PageCover {
            no,
            words: [if complete { u64::MAX } else { 0 }; WORDS],
            bytes: 0,
            end: 0,
            len: small(len),
            zeros_from: small(zeros_from),
            complete,
            blamed: false,
        };
        match self.spare.take() {
            Some(mut spare) => {
                *spare = cover;
                spare
            }
            None => Box::new(cover),
        }
    }

    fn is_complete(&self, no: u64) -> bool {
        self.complete.range(..=no).next_back().is_some_and(|(_, run)| no < run.to)
    }

    /// Claims bytes of the page that was turned to.
    #[inline(always)]
    pub fn claim(&mut self, in_page: usize, size: usize) -> Claim {
        let Some(here) = &mut self.here else { return Claim::Refused { first: false } };
        let (word, bit) = (in_page / 64, in_page % 64);
        // Nearly every node lies in one word.
        let free = if size <= 64 - bit {
            let mask = ones(size) << bit;
            match here.words.get_mut(word) {
                Some(word) if *word & mask == 0 => {
                    *word |= mask;
                    true
                }
                _ => false,
            }
        } else {
            here.claim_far(in_page, size)
        };
        if free {
            here.bytes += small(size);
            here.end = here.end.max(small(in_page + size));
            return Claim::Made;
        }
        Claim::Refused { first: !std::mem::replace(&mut here.blamed, true) }
    }

    /// Claims what is still free of a range of the page that was turned to.
    pub fn fill_up(&mut self, in_page: usize, size: usize) {
        for at in in_page..in_page.saturating_add(size) {
            if let Some(here) = &mut self.here
                && here.is_free(at)
            {
                self.claim(at, 1);
            }
        }
    }

    /// Lays the page aside, for good when it is complete.
    fn put_away(&mut self) {
        let Some(here) = self.here.take() else { return };
        if here.complete {
            self.spare = Some(here);
        } else if here.is_full() {
            self.finish(&here);
            self.spare = Some(here);
        } else if let Some(other) = near(&mut self.near, here.no).replace(here) {
            self.open.insert(other.no, other);
        }
    }

    /// Lays all pages aside, in one place.
    fn put_all_away(&mut self) {
        self.put_away();
        let near = self.near.iter_mut().filter_map(Option::take);
        self.open.extend(near.map(|cover| (cover.no, cover)));
    }

    fn finish(&mut self, cover: &PageCover) {
        let (no, used) = (cover.no, cover.bytes);
        let before = self.complete.range(..no).next_back().filter(|(_, run)| run.to == no);
        let before = before.map(|(from, run)| (*from, *run));
        let after = self.complete.remove(&(no + 1));
        if u64::from(cover.len) == PAGE_SIZE {
            self.fill.add(used);
            let thin = |other: u32| u64::from(u64::from(other) + u64::from(used) <= PAGE_SIZE);
            self.fill.thin_pairs += before.map_or(0, |(_, run)| thin(run.last));
            self.fill.thin_pairs += after.filter(|run| run.first > 0).map_or(0, |r| thin(r.first));
        }
        // The last page of the file is shorter; it is not compared with its neighbour.
        let used = if u64::from(cover.len) == PAGE_SIZE { used } else { 0 };
        let (from, first) = before.map_or((no, used), |(from, run)| (from, run.first));
        let (to, last) = after.map_or((no + 1, used), |run| (run.to, run.last));
        self.complete.insert(from, Run { to, first, last });
    }

    /// The first run of bytes at or after a position that nothing has claimed, inside one page or, where no byte of whole
    /// pages is claimed, over all of them. Padding of complete pages is none.
    pub fn gap(&mut self, from: FilePos) -> Option<(FilePos, FilePos)> {
        self.put_all_away();
        let mut at = from.0;
        while at < self.limit {
            let no = at / PAGE_SIZE;
            if let Some((_, run)) = self.complete.range(..=no).next_back()
                && no < run.to
            {
                at = run.to.saturating_mul(PAGE_SIZE);
                continue;
            }
            let Some(cover) = self.open.get(&no) else {
                let next = |found: Option<&u64>| found.copied().unwrap_or(u64::MAX);
                let open = next(self.open.range(no..).next().map(|(no, _)| no));
                let complete = next(self.complete.range(no..).next().map(|(no, _)| no));
                let end = open.min(complete).saturating_mul(PAGE_SIZE).min(self.limit);
                return Some((FilePos(at), FilePos(end)));
            };
            let start = no * PAGE_SIZE;
            let free = |at: &usize| cover.is_free(*at);
            let len = mem(cover.len.into()).unwrap_or(0);
            let here = mem(at - start).unwrap_or(0);
            if let Some(first) = (here..len).find(free) {
                let end = (first..len).find(|at| !free(at)).unwrap_or(len);
                let pos = |at: usize| FilePos(start + u64::from(small(at)));
                return Some((pos(first), pos(end)));
            }
            at = start + PAGE_SIZE;
        }
        None
    }
}

/// Where a page is kept that was turned to not long ago.
#[inline]
fn near(near: &mut [Option<Box<PageCover>>; 16], no: u64) -> &mut Option<Box<PageCover>> {
    let [first, others @ ..] = near;
    match mem(no % NEAR).and_then(|i| i.checked_sub(1)).and_then(|i| others.get_mut(i)) {
        Some(place) => place,
        None => first,
    }
}

impl PageCover {
    /// Bytes of several words.
    #[inline(never)]
    fn claim_far(&mut self, in_page: usize, size: usize) -> bool {
        let end = in_page.saturating_add(size).min(PAGE_BYTES);
        let parts = |mut at: usize| {
            std::iter::from_fn(move || {
                let (word, bit) = (at / 64, at % 64);
                let n = (64 - bit).min(end.checked_sub(at).filter(|left| *left > 0)?);
                at += n;
                Some((word, ones(n) << bit))
            })
        };
        let taken = |(word, mask): (usize, u64)| self.words.get(word).is_none_or(|w| w & mask != 0);
        if parts(in_page).any(taken) {
            return false;
        }
        for (word, mask) in parts(in_page) {
            if let Some(word) = self.words.get_mut(word) {
                *word |= mask;
            }
        }
        true
    }

    fn is_free(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 0)
    }

    /// No gap, and padding only where a page ends.
    fn is_full(&self) -> bool {
        let whole = u64::from(self.len) == PAGE_SIZE;
        self.bytes == self.end
            && (self.end == self.len || whole && self.bytes > 0 && self.end >= self.zeros_from)
    }
}

impl Fill {
    fn add(&mut self, used: u32) {
        self.pages += 1;
        self.used += u64::from(used);
        let padding = PAGE_SIZE.saturating_sub(used.into());
        self.gaps += u64::from(padding > 0);
        self.padding += padding;
        let tenth = mem(u64::from(used) * 10 / PAGE_SIZE).unwrap_or(0).min(9);
        if let Some(count) = self.tenths.get_mut(tenth) {
            *count += 1;
        }
    }
}

/// `n` ones, 1 to 64 of them.
#[inline]
fn ones(n: usize) -> u64 {
    u64::MAX >> (64 - n.clamp(1, 64))
}

/// A number of bytes in a page.
#[inline]
fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(nodes: usize) -> Vec<u8> {
        [vec![7; nodes], vec![0; PAGE_BYTES - nodes]].concat()
    }

    #[test]
    fn a_page_is_complete_when_zeros_follow_its_bytes() {
        let mut cover = Coverage::new(FilePos(3 * PAGE_SIZE));
        for (no, used) in [(1, 4000), (0, 3000), (2, 96)] {
            assert!(cover.turn(no, &page(used)));
            assert_eq!(cover.claim(used - 50, 50), Claim::Made);
            assert_eq!(cover.claim(0, used - 50), Claim::Made);
        }
        assert_eq!(cover.gap(FilePos(0)), None);
        assert!(cover.open.is_empty());
        let fill = cover.fill();
        assert_eq!((fill.pages, fill.used, fill.gaps), (3, 7096, 3));
        assert_eq!(fill.padding, 3 * PAGE_SIZE - 7096);
        assert_eq!((fill.tenths[0], fill.tenths[7], fill.tenths[9]), (1, 1, 1));
        assert_eq!(fill.thin_pairs, 1, "4000 and 96 fit one page");
        assert!(cover.turn(0, &page(3000)));
        assert_eq!(cover.claim(10, 1), Claim::Refused { first: true });
        assert_eq!(cover.claim(11, 1), Claim::Refused { first: false });
    }

    #[test]
    fn gaps_are_told_page_by_page() {
        let mut cover = Coverage::new(FilePos(5 * PAGE_SIZE + 10));
        assert!(cover.turn(1, &page(100)));
        assert_eq!(cover.claim(0, 70), Claim::Made);
        assert_eq!(cover.claim(60, 5), Claim::Refused { first: true });
        assert_eq!(cover.claim(80, 20), Claim::Made);
        let mut gaps = Vec::new();
        let mut at = FilePos(0);
        while let Some((from, to)) = cover.gap(at) {
            gaps.push((from.0, to.0));
            at = to;
        }
        assert_eq!(gaps, [(0, 4096), (4166, 4176), (4196, 8192), (8192, 20490)]);
    }
}
