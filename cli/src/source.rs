//! Files as sources of pages: positioned reads in blocks of 64 KiB, one cache for all files with a budget in bytes, and
//! reading ahead where a file is read in order.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::rc::Rc;
use triescope_core::error::{Error, Kind, ReadError};
use triescope_core::pos::{FilePos, PAGE_BYTES, PAGE_SIZE, PageNo};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Pages in a block.
const BLOCK_PAGES: u64 = 16;
/// Bytes of a block: what is read and cached at once.
const BLOCK_BYTES: usize = PAGE_BYTES * BLOCK_PAGES as usize;
/// Most blocks read at once: 1 MiB.
const MOST_AHEAD: u64 = 16;

/// The blocks of all open files, the least recently used ones given up when the budget is spent.
#[derive(Debug)]
pub struct Cache {
    most_blocks: usize,
    next_file: Cell<u32>,
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    slots: Vec<Slot>,
    places: HashMap<(u32, u64), usize>,
    hand: usize,
}

#[derive(Debug)]
struct Slot {
    key: (u32, u64),
    block: Rc<[u8]>,
    /// Touched since the hand came by.
    touched: bool,
}

/// A component as a file.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    len: u64,
    part: Part,
    id: u32,
    cache: Rc<Cache>,
    /// The block that was asked for last: most questions are for pages of it.
    last: RefCell<Option<(u64, Rc<[u8]>)>>,
    /// The end of what the reader has announced.
    announced: Cell<u64>,
    /// The block behind the one read last, and how many were read at once there.
    run: Cell<(u64, u64)>,
}

/// A page: a part of a block.
#[derive(Clone, Debug)]
pub struct FilePage {
    block: Rc<[u8]>,
    from: usize,
    to: usize,
}

impl Deref for FilePage {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.block.get(self.from..self.to).unwrap_or(&[])
    }
}

impl Cache {
    /// A cache of at most so many bytes, and of one block at least.
    pub fn new(bytes: usize) -> Rc<Self> {
        let most_blocks = (bytes / BLOCK_BYTES).max(1);
        Rc::new(Self { most_blocks, next_file: Cell::new(0), inner: RefCell::default() })
    }

    fn get(&self, key: (u32, u64)) -> Option<Rc<[u8]>> {
        let inner = &mut *self.inner.borrow_mut();
        let slot = inner.slots.get_mut(*inner.places.get(&key)?)?;
        slot.touched = true;
        Some(Rc::clone(&slot.block))
    }

    fn put(&self, key: (u32, u64), block: Rc<[u8]>) {
        let inner = &mut *self.inner.borrow_mut();
        if inner.places.contains_key(&key) {
            return;
        }
        let slot = Slot { key, block, touched: false };
        if inner.slots.len() < self.most_blocks {
            inner.places.insert(key, inner.slots.len());
            inner.slots.push(slot);
            return;
        }
        // The hand passes each slot at most twice: the first time it takes the mark away.
        while std::mem::take(&mut inner.slots[inner.hand].touched) {
            inner.hand = (inner.hand + 1) % inner.slots.len();
        }
        let old = std::mem::replace(&mut inner.slots[inner.hand], slot);
        inner.places.remove(&old.key);
        inner.places.insert(key, inner.hand);
        inner.hand = (inner.hand + 1) % inner.slots.len();
    }

    /// Forgets the blocks of a file that was closed.
    fn forget(&self, id: u32) {
        let inner = &mut *self.inner.borrow_mut();
        inner.slots.retain(|slot| slot.key.0 != id);
        inner.places = inner.slots.iter().enumerate().map(|(at, slot)| (slot.key, at)).collect();
        inner.hand = 0;
    }
}

impl FileSource {
    /// Opens a file, which must be an ordinary one.
    pub fn open(path: &Path, part: Part, cache: &Rc<Cache>) -> io::Result<Self> {
        let file = File::open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("not an ordinary file"));
        }
        let id = cache.next_file.get();
        cache.next_file.set(id + 1);
        Ok(Self {
            file,
            len: meta.len(),
            part,
            id,
            cache: Rc::clone(cache),
            last: RefCell::new(None),
            announced: Cell::new(0),
            run: Cell::new((0, 0)),
        })
    }

    fn block(&self, no: u64) -> Result<Rc<[u8]>, Error> {
        if let Some(block) = self.cache.get((self.id, no)) {
            return Ok(block);
        }
        self.read(no).map_err(|error| {
            let kind = Kind::Unreadable { reason: error.to_string().into() };
            let at = FilePos(no * BLOCK_PAGES * PAGE_SIZE);
            ReadError::new(self.part, at, "block of the file", kind).into()
        })
    }

    /// Reads a block, and those behind it that the reader has announced or, where it reads in order, will ask for.
    fn read(&self, no: u64) -> io::Result<Rc<[u8]>> {
        let (next, before) = self.run.get();
        let in_order = if no == next { (before * 2).max(2) } else { 1 };
        let announced = self.announced.get().div_ceil(BLOCK_BYTES as u64).saturating_sub(no);
        let most = MOST_AHEAD.min((self.cache.most_blocks as u64 / 4).max(1));
        let count = in_order.max(announced).clamp(1, most);
        let from = no * BLOCK_BYTES as u64;
        let to = (from + count * BLOCK_BYTES as u64).min(self.len);
        let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(0)];
        read_exact_at(&self.file, &mut bytes, from)?;
        self.run.set((no + count, count));
        for (block, bytes) in (no..).zip(bytes.chunks(BLOCK_BYTES)).skip(1) {
            self.cache.put((self.id, block), bytes.into());
        }
        let first: Rc<[u8]> = bytes.chunks(BLOCK_BYTES).next().unwrap_or(&[]).into();
        self.cache.put((self.id, no), Rc::clone(&first));
        Ok(first)
    }
}

impl Drop for FileSource {
    fn drop(&mut self) {
        self.cache.forget(self.id);
    }
}

impl Source for FileSource {
    type Page = FilePage;

    fn len(&self) -> u64 {
        self.len
    }

    #[inline]
    fn page(&self, no: PageNo) -> Result<FilePage, Error> {
        let wanted = no.0 / BLOCK_PAGES;
        let mut last = self.last.borrow_mut();
        let block = match &*last {
            Some((at, block)) if *at == wanted => Rc::clone(block),
            _ => {
                let block = self.block(wanted)?;
                *last = Some((wanted, Rc::clone(&block)));
                block
            }
        };
        let from = (no.0 % BLOCK_PAGES) as usize * PAGE_BYTES;
        let (from, to) = (from.min(block.len()), (from + PAGE_BYTES).min(block.len()));
        Ok(FilePage { block, from, to })
    }

    fn expect(&self, _: FilePos, to: FilePos) -> Result<(), Error> {
        self.announced.set(to.0.min(self.len));
        Ok(())
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        at += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of so many bytes, each the low byte of the number of its page.
    fn file(name: &str, bytes: u64) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("triescope-{}-{name}", std::process::id()));
        let content: Vec<u8> = (0..bytes).map(|at| (at / PAGE_SIZE) as u8).collect();
        std::fs::write(&path, content).unwrap();
        path
    }

    #[test]
    fn pages_are_those_of_the_file_in_any_order_and_with_the_least_budget() {
        let path = file("order", 100 * PAGE_SIZE + 7);
        let cache = Cache::new(0);
        let source = FileSource::open(&path, Part::Index, &cache).unwrap();
        assert_eq!(source.len(), 100 * PAGE_SIZE + 7);
        for no in (0..=100).chain((0..=100).rev()).chain((0..303).map(|i| i * 37 % 101)) {
            let page = source.page(PageNo(no)).unwrap();
            assert_eq!(page.len(), if no == 100 { 7 } else { PAGE_BYTES });
            assert!(page.iter().all(|byte| u64::from(*byte) == no));
        }
        assert!(source.page(PageNo(101)).unwrap().is_empty());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_cache_never_holds_more_than_its_budget() {
        let path = file("budget", 64 * BLOCK_BYTES as u64);
        let cache = Cache::new(8 * BLOCK_BYTES);
        let source = FileSource::open(&path, Part::Data, &cache).unwrap();
        for no in 0..64 * BLOCK_PAGES {
            source.page(PageNo(no)).unwrap();
            assert!(cache.inner.borrow().slots.len() <= 8);
        }
        drop(source);
        assert!(cache.inner.borrow().slots.is_empty());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_became_shorter_is_unreadable_and_not_damaged() {
        let path = file("shorter", 3 * BLOCK_BYTES as u64);
        let source = FileSource::open(&path, Part::Rows, &Cache::new(1 << 20)).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
        let Err(Error::Damage(error)) = source.page(PageNo(40)) else { panic!("it was read") };
        assert!(matches!(error.kind, Kind::Unreadable { .. }), "{error}");
        std::fs::remove_file(path).unwrap();
    }
}
