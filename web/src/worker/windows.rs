//! The bytes that the worker holds: windows of files, read when a page of them is asked for, within one budget.
//!
//! A read of a file costs about a millisecond whatever its size up to 64 KiB, so never less is read, and more when a
//! file is read one window after the other. What is read here is no page fetch: those are counted by the reader alone.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;
use triescope_core::error::{Error, Kind, ReadError};
use triescope_core::pos::{FilePos, PAGE_BYTES, PageNo};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Bytes of a window.
pub const WINDOW_BYTES: u64 = 64 << 10;
/// Most windows in one read.
const MOST_WINDOWS: u64 = 16;
/// Bytes of all windows held.
pub const BUDGET_BYTES: usize = 64 << 20;

/// A file of the host.
pub trait File {
    /// Its length when it was opened, in bytes.
    fn len(&self) -> u64;

    /// Reads `from..to`, which lies in the file. The error is a sentence without its full stop: `the file vanished`.
    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String>;

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Windows of all files, least recently used out first.
#[derive(Debug)]
pub struct Windows {
    budget: usize,
    used: usize,
    clock: u64,
    files: u32,
    held: HashMap<(u32, u64), Held>,
    read: Read,
}

#[derive(Debug)]
struct Held {
    age: u64,
    bytes: Rc<[u8]>,
}

/// What was read from files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Bytes.
    pub bytes: u64,
    /// Calls.
    pub reads: u64,
}

/// A component whose bytes are read through [`Windows`].
/// A clone reads the same windows.
#[derive(Clone, Debug)]
pub struct FileSource<F> {
    part: Part,
    file: F,
    number: u32,
    windows: Rc<RefCell<Windows>>,
    /// The window after the last one that was read, and how many were.
    next: Cell<(u64, u64)>,
}

/// A page inside a window.
#[derive(Clone, Debug)]
pub struct WindowPage {
    window: Rc<[u8]>,
    from: usize,
    to: usize,
}

impl Deref for WindowPage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.window.get(self.from..self.to).unwrap_or(&[])
    }
}

impl Windows {
    /// Holds at most `budget` bytes, but always the windows of one read.
    pub fn new(budget: usize) -> Self {
        Self { budget, used: 0, clock: 0, files: 0, held: HashMap::new(), read: Read::default() }
    }

    /// What was read since this was last asked.
    pub fn take_read(&mut self) -> Read {
        std::mem::take(&mut self.read)
    }

    /// Forgets all windows: their files are closed.
    pub fn clear(&mut self) {
        self.held.clear();
        self.used = 0;
    }

    fn get(&mut self, key: (u32, u64)) -> Option<Rc<[u8]>> {
        let held = self.held.get_mut(&key)?;
        self.clock += 1;
        held.age = self.clock;
        Some(Rc::clone(&held.bytes))
    }

    fn put(&mut self, key: (u32, u64), bytes: Rc<[u8]>) {
        self.clock += 1;
        self.used += bytes.len();
        if let Some(old) = self.held.insert(key, Held { age: self.clock, bytes }) {
            self.used -= old.bytes.len();
        }
        while self.used > self.budget && self.held.len() > 1 {
            // A thousand windows at most are held, and one is read for each that leaves: looking at all is nothing to that.
            let oldest = self.held.iter().min_by_key(|(_, held)| held.age).map(|(key, _)| *key);
            let Some(oldest) = oldest else { break };
            if let Some(held) = self.held.remove(&oldest) {
                self.used -= held.bytes.len();
            }
        }
    }
}

impl<F: File> FileSource<F> {
    /// `file` as the component `part`.
    pub fn new(part: Part, file: F, windows: &Rc<RefCell<Windows>>) -> Self {
        let number = {
            let mut windows = windows.borrow_mut();
            windows.files += 1;
            windows.files
        };
        Self { part, file, number, windows: Rc::clone(windows), next: Cell::new((0, 1)) }
    }

    fn window(&self, window: u64) -> Result<Rc<[u8]>, Error> {
        if let Some(held) = self.windows.borrow_mut().get((self.number, window)) {
            return Ok(held);
        }
        // Reading on doubles the read; a jump starts with one window again.
        let count = match self.next.get() {
            (next, count) if next == window && window > 0 => (count * 2).min(MOST_WINDOWS),
            _ => 1,
        };
        self.fill(window, count)
    }

    /// Reads `count` windows from `window` on, and gives the first.
    fn fill(&self, window: u64, count: u64) -> Result<Rc<[u8]>, Error> {
        let from = window.saturating_mul(WINDOW_BYTES).min(self.file.len());
        let to = from.saturating_add(count * WINDOW_BYTES).min(self.file.len());
        let unreadable = |reason: String| {
            let kind = Kind::Unreadable { reason: reason.into() };
            Error::from(ReadError::new(self.part, FilePos(from), "bytes", kind))
        };
        let bytes = self.file.read(from, to).map_err(unreadable)?;
        if bytes.len() as u64 != to - from {
            return Err(unreadable("the file changed while it was open".to_owned()));
        }
        self.next.set((window + count, count));
        let mut windows = self.windows.borrow_mut();
        windows.read.bytes += to - from;
        windows.read.reads += 1;
        let mut first = None;
        for (number, chunk) in (window..).zip(bytes.chunks(WINDOW_BYTES as usize)) {
            let chunk: Rc<[u8]> = chunk.into();
            first.get_or_insert_with(|| Rc::clone(&chunk));
            windows.put((self.number, number), chunk);
        }
        Ok(first.unwrap_or_else(|| Rc::from([])))
    }
}

impl<F: File> Source for FileSource<F> {
    type Page = WindowPage;

    fn len(&self) -> u64 {
        self.file.len()
    }

    fn page(&self, no: PageNo) -> Result<WindowPage, Error> {
        let at = no.start().0;
        if at >= self.file.len() {
            return Ok(WindowPage { window: Rc::from([]), from: 0, to: 0 });
        }
        let window = self.window(at / WINDOW_BYTES)?;
        let from = usize::try_from(at % WINDOW_BYTES).unwrap_or(usize::MAX);
        let to = (from + PAGE_BYTES).min(window.len());
        Ok(WindowPage { window, from, to })
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        let end = to.0.min(self.file.len());
        let (mut window, last) = (from.0 / WINDOW_BYTES, end.div_ceil(WINDOW_BYTES));
        // More than fits would push itself out again: the rest is read when it is asked for.
        let most = self.windows.borrow().budget as u64 / WINDOW_BYTES / 2;
        let last = last.min(window + most.max(1));
        while window < last {
            let held =
                |window: &u64| self.windows.borrow().held.contains_key(&(self.number, *window));
            if held(&window) {
                window += 1;
                continue;
            }
            let missing = (window..last).take_while(|window| !held(window)).count() as u64;
            let count = missing.min(MOST_WINDOWS);
            self.fill(window, count)?;
            window += count;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes(Vec<u8>);

    impl File for Bytes {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
            Ok(self.0[from as usize..to as usize].to_vec())
        }
    }

    fn source(bytes: usize, budget: usize) -> FileSource<Bytes> {
        let file = Bytes((0..bytes).map(|at| (at / PAGE_BYTES) as u8).collect());
        FileSource::new(Part::Index, file, &Rc::new(RefCell::new(Windows::new(budget))))
    }

    fn read(source: &FileSource<Bytes>) -> (u64, u64) {
        let read = source.windows.borrow_mut().take_read();
        (read.reads, read.bytes)
    }

    #[test]
    fn pages_are_those_of_the_file_and_a_window_is_read_once() {
        let source = source(70_000, BUDGET_BYTES);
        for no in (0..18).rev().chain(0..18) {
            let page = source.page(PageNo(no)).unwrap();
            assert!(page.iter().all(|byte| u64::from(*byte) == no), "page {no}");
            assert_eq!(page.len(), if no == 17 { 70_000 - 17 * PAGE_BYTES } else { PAGE_BYTES });
        }
        assert_eq!(read(&source), (2, 70_000));
        assert!(source.page(PageNo(18)).unwrap().is_empty());
    }

    #[test]
    fn reading_on_reads_more_at_once_and_a_jump_does_not() {
        let source = source(4 << 20, BUDGET_BYTES);
        for no in 0..1024 {
            source.page(PageNo(no)).unwrap();
        }
        let (reads, bytes) = read(&source);
        assert_eq!(bytes, 4 << 20);
        assert!(reads <= 9, "{reads} reads");
        source.windows.borrow_mut().clear();
        source.page(PageNo(500)).unwrap();
        assert_eq!(read(&source), (1, WINDOW_BYTES));
    }

    #[test]
    fn an_expected_range_is_read_in_one_go() {
        let source = source(1 << 20, BUDGET_BYTES);
        source.page(PageNo(20)).unwrap();
        assert_eq!(read(&source), (1, WINDOW_BYTES));
        source.expect(FilePos(10), FilePos(300_000)).unwrap();
        assert_eq!(read(&source), (2, 4 * WINDOW_BYTES));
        source.expect(FilePos(0), FilePos(u64::MAX)).unwrap();
        assert_eq!(read(&source), (1, 11 * WINDOW_BYTES));
    }

    #[test]
    fn the_budget_holds_and_every_page_is_still_right() {
        let source = source(2 << 20, 3 * WINDOW_BYTES as usize);
        for no in [0, 400, 17, 300, 33, 5, 511, 0] {
            let page = source.page(PageNo(no)).unwrap();
            assert!(page.iter().all(|byte| *byte == no as u8), "page {no}");
            assert!(source.windows.borrow().used <= 3 * WINDOW_BYTES as usize);
        }
        source.expect(FilePos(0), FilePos(2 << 20)).unwrap();
    }

    #[test]
    fn a_file_that_vanished_or_shrank_is_unreadable_at_its_place() {
        struct Gone;
        impl File for Gone {
            fn len(&self) -> u64 {
                1 << 20
            }
            fn read(&self, from: u64, _: u64) -> Result<Vec<u8>, String> {
                if from == 0 { Err("the file vanished".into()) } else { Ok(vec![1; 7]) }
            }
        }
        let windows = Rc::new(RefCell::new(Windows::new(BUDGET_BYTES)));
        let source = FileSource::new(Part::Rows, Gone, &windows);
        let said = |no| match source.page(PageNo(no)) {
            Err(Error::Damage(error)) => error.to_string(),
            other => panic!("expected damage, found {other:?}"),
        };
        assert_eq!(
            said(3),
            "Rows.db, offset 0 (page 0 + 0), bytes: expected a readable file, found: the file vanished"
        );
        assert!(said(16).contains("offset 65536 (page 16 + 0)"));
        assert!(said(16).contains("the file changed"));
    }
}
