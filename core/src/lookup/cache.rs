//! The cache model of the race: whole pages, least recently used out first.

use crate::pos::PageNo;
use crate::table::Part;
use std::collections::VecDeque;

/// A cache of 4096-byte pages with a budget in bytes. Partitions.db and Rows.db share one.
#[derive(Clone, Debug)]
pub struct PageCache {
    budget: u64,
    used: u64,
    /// The pages held, the one that leaves next first. A race touches dozens of pages: a list is enough.
    pages: VecDeque<Held>,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    part: Part,
    page: PageNo,
    bytes: u64,
}

impl PageCache {
    /// An empty cache that holds at most `budget` bytes of pages.
    pub fn new(budget: u64) -> Self {
        Self { budget, used: 0, pages: VecDeque::new() }
    }

    /// Bytes of the pages held.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Touches a page and says whether it was held. A page that was not enters, and the oldest ones leave until the
    /// budget holds again; a page greater than the whole budget does not enter.
    pub fn touch(&mut self, part: Part, page: PageNo, bytes: u64) -> bool {
        // The pages touched last are looked at first.
        let at = self.pages.iter().rposition(|held| held.part == part && held.page == page);
        if let Some(held) = at.and_then(|at| self.pages.remove(at)) {
            self.pages.push_back(held);
            return true;
        }
        if bytes > self.budget {
            return false;
        }
        self.pages.push_back(Held { part, page, bytes });
        self.used += bytes;
        while self.used > self.budget {
            let Some(oldest) = self.pages.pop_front() else { break };
            self.used -= oldest.bytes;
        }
        false
    }
}
