//! Files of which only some pages are here: the others come one by one, after they were missed, in an order drawn from a
//! seed. What is read from them must be what is read from files that are here.
#![allow(dead_code, reason = "every test program uses its own part of this")]

use std::cell::{Cell, RefCell};
use triescope_core::error::{Error, Miss, ReadError};
use triescope_core::pos::{FilePos, PAGE_SIZE, PageNo, pages_of};
use triescope_core::race::SplitMix64;
use triescope_core::source::{Source, miss};
use triescope_core::table::Part;

/// A component of which only some pages are here.
pub struct Pieces<'a> {
    part: Part,
    bytes: &'a [u8],
    here: RefCell<Vec<bool>>,
    misses: Cell<u64>,
    random: RefCell<SplitMix64>,
}

impl<'a> Pieces<'a> {
    /// A component of which nothing is here.
    pub fn new(part: Part, bytes: &'a [u8], seed: u64) -> Self {
        let pages = usize::try_from(pages_of(bytes.len() as u64)).unwrap();
        Self {
            part,
            bytes,
            here: RefCell::new(vec![false; pages]),
            misses: Cell::new(0),
            random: RefCell::new(SplitMix64::new(seed)),
        }
    }

    /// The component.
    pub fn part(&self) -> Part {
        self.part
    }

    /// How often pages were missed.
    pub fn misses(&self) -> u64 {
        self.misses.get()
    }

    /// Answers a miss: first brings as many other pages as chance will have it, each anywhere, then what was missed.
    pub fn bring(&self, wanted: Miss) {
        assert_eq!(wanted.part, self.part);
        assert!(wanted.from < wanted.to, "nothing is wanted: {wanted:?}");
        assert!(wanted.from.0 < self.bytes.len() as u64, "{wanted:?} lies past the end");
        let last = FilePos(wanted.to.0.min(self.bytes.len() as u64) - 1).page().0;
        let pages = wanted.from.page().0..=last;
        // A miss for what is here would be answered for ever.
        assert!(!pages.clone().all(|page| self.has(page)), "{wanted:?} was here already");
        let (mut here, mut random) = (self.here.borrow_mut(), self.random.borrow_mut());
        for _ in 0..random.below(3) {
            let other = random.below(here.len() as u64);
            here[usize::try_from(other).unwrap()] = true;
        }
        for page in pages {
            here[usize::try_from(page).unwrap()] = true;
        }
        self.misses.set(self.misses.get() + 1);
    }

    fn has(&self, page: u64) -> bool {
        let here = self.here.borrow();
        usize::try_from(page).ok().and_then(|page| here.get(page).copied()).unwrap_or(true)
    }
}

impl<'a> Source for Pieces<'a> {
    type Page = &'a [u8];

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn page(&self, no: PageNo) -> Result<&'a [u8], Error> {
        if self.has(no.0) {
            return self.bytes.page(no);
        }
        let end = FilePos((no.start().0 + PAGE_SIZE).min(self.bytes.len() as u64));
        Err(miss(self.part, no.start(), end))
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        let last = to.0.min(self.bytes.len() as u64).saturating_sub(1) / PAGE_SIZE;
        if from < to && (from.page().0..=last).any(|page| !self.has(page)) {
            return Err(miss(self.part, from, FilePos(to.0.min(self.bytes.len() as u64))));
        }
        Ok(())
    }
}

impl<'a> Source for &Pieces<'a> {
    type Page = &'a [u8];

    fn len(&self) -> u64 {
        Source::len(*self)
    }

    fn page(&self, no: PageNo) -> Result<&'a [u8], Error> {
        (*self).page(no)
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        (*self).expect(from, to)
    }
}

/// Runs something until nothing is missing. Where all is here, `pieces` is empty and a miss is a fault.
pub fn until_here<T>(
    pieces: &[&Pieces<'_>],
    mut run: impl FnMut() -> Result<T, Error>,
) -> Result<T, ReadError> {
    loop {
        match run() {
            Ok(value) => return Ok(value),
            Err(Error::Damage(error)) => return Err(*error),
            Err(Error::Miss(wanted)) => bring(pieces, wanted),
        }
    }
}

/// Answers a miss of any of several components.
pub fn bring(pieces: &[&Pieces<'_>], wanted: Miss) {
    let piece = pieces.iter().find(|piece| piece.part() == wanted.part);
    piece.unwrap_or_else(|| panic!("{wanted:?}, and all of it is here")).bring(wanted);
}
