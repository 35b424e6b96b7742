//! The cache model of the race: whole pages, least recently used out first.

use crate::pos::PageNo;
use crate::table::Part;
use std::collections::BTreeMap;

/// A cache of 4096-byte pages with a budget in bytes. Partitions.db and Rows.db share one.
#[derive(Clone, Debug)]
pub struct PageCache {
    budget: u64,
    used: u64,
    clock: u64,
    pages: BTreeMap<(Part, PageNo), (u64, u64)>,
    by_age: BTreeMap<u64, (Part, PageNo)>,
}

impl PageCache {
    /// An empty cache that holds at most `budget` bytes of pages.
    pub fn new(budget: u64) -> Self {
        Self { budget, used: 0, clock: 0, pages: BTreeMap::new(), by_age: BTreeMap::new() }
    }

    /// Bytes of the pages held.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Touches a page and says whether it was held. A page that was not enters, and the oldest ones leave until the
    /// budget holds again; a page greater than the whole budget does not enter.
    pub fn touch(&mut self, part: Part, page: PageNo, bytes: u64) -> bool {
        self.clock += 1;
        let key = (part, page);
        if let Some((age, _)) = self.pages.get_mut(&key) {
            self.by_age.remove(age);
            *age = self.clock;
            self.by_age.insert(self.clock, key);
            return true;
        }
        if bytes > self.budget {
            return false;
        }
        self.pages.insert(key, (self.clock, bytes));
        self.by_age.insert(self.clock, key);
        self.used += bytes;
        while self.used > self.budget {
            let Some((_, oldest)) = self.by_age.pop_first() else { break };
            if let Some((_, bytes)) = self.pages.remove(&oldest) {
                self.used -= bytes;
            }
        }
        false
    }
}
