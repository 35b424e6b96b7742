//! Index.db: one entry a partition, in the order of the partitions (`docs/format/index.md`).
//!
//! An entry is a head (key, position in Data.db, size of the promoted index) and the promoted index. Heads are read here;
//! promoted indexes are skipped without touching the pages they fill.

use super::parse::parse;
use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::lookup::Observer;
use crate::pos::{DataPos, FilePos, len64, mem};
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Part};
use std::ops::ControlFlow;

/// Bytes that a walk announces to the source at once, so that a source that must fetch does not miss for each page.
const AHEAD: u64 = 128 << 10;

/// The head of an entry; its bytes lie in the buffer that they were read into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryHead {
    /// Position of the entry's first byte, the key length.
    pub at: FilePos,
    /// Bytes of the head: key length, key, position, promoted size.
    pub bytes: u32,
    /// Position of the partition in Data.db.
    pub data: DataPos,
    /// Bytes of the promoted index, 0 for none. It lies in the file as a whole.
    pub promoted_size: u64,
    key: u16,
    data_bytes: u8,
}

impl EntryHead {
    /// Reads the head at `at` and appends its bytes to `into`. Damage is a head or a promoted index that passes the end
    /// of the file.
    // Always inlined, with what it calls: ScyllaDB's reader parses 1,832 heads a lookup of p20k, which took 54 µs with
    // calls and takes 27 µs without.
    #[inline(always)]
    pub fn read<S: Source, O: Observer>(
        pages: &mut Pages<'_, S, O>,
        format: IndexFormat,
        at: FilePos,
        into: &mut Vec<u8>,
    ) -> Result<Self, Error> {
        let end = FilePos(pages.len());
        let page: &[u8] = if at < end { pages.page(at.page())? } else { &[] };
        let rest = page.get(at.in_page()..).unwrap_or(&[]);
        let head = match Self::within(format, at, rest) {
            Some((head, bytes)) => {
                into.extend_from_slice(bytes);
                head
            }
            None => Self::across(pages, format, at, end, into)?,
        };
        let left = end.0.saturating_sub(head.promoted_at().0);
        if head.promoted_size > left {
            let (at, size) = (head.promoted_at(), head.promoted_size);
            return Err(ReadError::truncated(pages.part(), at, "promoted index", size, left).into());
        }
        Ok(head)
    }

    /// A head that lies in one page, which is the rule; `None` when the bytes end before the head does.
    #[inline(always)]
    fn within(format: IndexFormat, at: FilePos, rest: &[u8]) -> Option<(Self, &[u8])> {
        let (length, _) = rest.split_first_chunk::<2>()?;
        let key = u16::from_be_bytes(*length);
        let after_key = 2 + usize::from(key);
        if format == IndexFormat::Fixed {
            return Self::fixed(at, rest, key);
        }
        let (data, data_bytes) = uvint(rest.get(after_key..)?)?;
        let (promoted_size, promoted_bytes) = uvint(rest.get(after_key + data_bytes..)?)?;
        let bytes = after_key + data_bytes + promoted_bytes;
        Some((Self::new(at, bytes, data, promoted_size, key, data_bytes), rest.get(..bytes)?))
    }

    /// [`Self::within`] where position and promoted size have 8 and 4 bytes.
    fn fixed(at: FilePos, rest: &[u8], key: u16) -> Option<(Self, &[u8])> {
        let after_key = 2 + usize::from(key);
        let (data, rest_of) = rest.get(after_key..)?.split_first_chunk::<8>()?;
        let (size, _) = rest_of.split_first_chunk::<4>()?;
        let (data, size) = (u64::from_be_bytes(*data), u64::from(u32::from_be_bytes(*size)));
        let bytes = after_key + 12;
        Some((Self::new(at, bytes, data, size, key, 8), rest.get(..bytes)?))
    }

    /// A head that goes on in the next page, or that is cut off.
    #[cold]
    fn across<S: Source, O: Observer>(
        pages: &mut Pages<'_, S, O>,
        format: IndexFormat,
        at: FilePos,
        end: FilePos,
        into: &mut Vec<u8>,
    ) -> Result<Self, Error> {
        let mut buffer = Vec::new();
        let (head, used) = parse(pages, at, end, &mut buffer, |cursor: &mut Cursor<'_>| {
            let key = cursor.u16("key length")?;
            cursor.take(usize::from(key), "key")?;
            let before = cursor.used();
            let data = match format {
                IndexFormat::Fixed => cursor.u64("data position")?,
                IndexFormat::Vints => cursor.uvint("data position")?,
            };
            let data_bytes = cursor.used() - before;
            let promoted_size = match format {
                IndexFormat::Fixed => u64::from(cursor.u32("promoted size")?),
                IndexFormat::Vints => cursor.uvint("promoted size")?,
            };
            Ok(Self::new(at, cursor.used(), data, promoted_size, key, data_bytes))
        })?;
        // A record that was read in more than one page lies in the buffer.
        into.extend_from_slice(buffer.get(..used).unwrap_or(&buffer));
        Ok(head)
    }

    #[inline]
    fn new(
        at: FilePos,
        bytes: usize,
        data: u64,
        promoted_size: u64,
        key: u16,
        data_bytes: usize,
    ) -> Self {
        // A key of at most 65,535 bytes and two vints of at most 9: neither conversion can fail.
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let data_bytes = u8::try_from(data_bytes).unwrap_or(u8::MAX);
        Self { at, bytes, data: DataPos(data), promoted_size, key, data_bytes }
    }

    /// The key, from the head's own bytes.
    #[inline]
    pub fn key<'b>(&self, head: &'b [u8]) -> &'b [u8] {
        head.get(2..2 + usize::from(self.key)).unwrap_or(&[])
    }

    /// The bytes of the position and of the promoted size, from the head's own bytes.
    pub fn vints<'b>(&self, head: &'b [u8]) -> (&'b [u8], &'b [u8]) {
        let vints = head.get(2 + usize::from(self.key)..).unwrap_or(&[]);
        vints.split_at_checked(usize::from(self.data_bytes)).unwrap_or((vints, &[]))
    }

    /// Position of the promoted index; of the next entry when there is none.
    #[inline]
    pub fn promoted_at(&self) -> FilePos {
        // The head was read, so it ends inside the file.
        FilePos(self.at.0.saturating_add(u64::from(self.bytes)))
    }

    /// End of the entry, exclusive: the position of the next one.
    #[inline]
    pub fn end(&self) -> FilePos {
        FilePos(self.promoted_at().0.saturating_add(self.promoted_size))
    }

    /// The page with the head's last byte.
    pub fn last_page(&self) -> u64 {
        FilePos(self.promoted_at().0.saturating_sub(1)).page().0
    }
}

/// The unsigned vint at the start of `bytes` and its length, `None` when they end inside it.
#[inline]
fn uvint(bytes: &[u8]) -> Option<(u64, usize)> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        return Some((u64::from(*first), 1));
    }
    let mut cursor = Cursor::new(Part::Index, FilePos(0), bytes);
    let extra = usize::try_from(first.leading_ones()).ok()?;
    (rest.len() >= extra).then(|| cursor.uvint("vint").ok())?.map(|value| (value, 1 + extra))
}

/// Announces ranges to the source as a walk comes to them.
#[derive(Debug)]
pub(crate) struct Ahead {
    until: FilePos,
    end: FilePos,
}

impl Ahead {
    /// For a walk that ends at `end`.
    pub(crate) fn new(end: FilePos) -> Self {
        Self { until: FilePos(0), end }
    }

    /// The walk comes to `at`.
    #[inline]
    pub(crate) fn come<S: Source, O: Observer>(
        &mut self,
        pages: &mut Pages<'_, S, O>,
        at: FilePos,
    ) -> Result<(), Error> {
        if at < self.until || at >= self.end {
            return Ok(());
        }
        let until = FilePos(at.0.saturating_add(AHEAD).min(self.end.0));
        pages.expect(at, until)?;
        self.until = until;
        Ok(())
    }
}

/// A walk over the entries of Index.db that nobody listens to: for samples, suggestions and keys at random. It stands
/// between two entries, so that it goes on where it was after a miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexWalk {
    format: IndexFormat,
    at: FilePos,
}

impl IndexWalk {
    /// A walk over all entries of an Index.db in the format of its version ([`crate::table::Formats::index`]).
    pub fn new(format: IndexFormat) -> Self {
        Self::from(format, FilePos(0))
    }

    /// A walk from the entry at `at`.
    pub fn from(format: IndexFormat, at: FilePos) -> Self {
        Self { format, at }
    }

    /// Position of the next entry.
    pub fn at(&self) -> FilePos {
        self.at
    }

    /// Reads entries until `each` breaks, `most` are read, or the file ends. `each` gets the head and its bytes.
    /// Returns the entries read. After an error the walk stands before the entry that could not be read; those before it
    /// are done.
    pub fn run<S: Source>(
        &mut self,
        source: &S,
        most: u64,
        mut each: impl FnMut(&EntryHead, &[u8]) -> ControlFlow<()>,
    ) -> Result<u64, Error> {
        let mut unheard = ();
        let mut pages = Pages::new(Part::Index, source, &mut unheard);
        let mut ahead = Ahead::new(FilePos(pages.len()));
        let (mut done, mut bytes) = (0, Vec::new());
        while done < most && !self.ended(source) {
            ahead.come(&mut pages, self.at)?;
            bytes.clear();
            let head = EntryHead::read(&mut pages, self.format, self.at, &mut bytes)?;
            self.at = head.end();
            done += 1;
            if each(&head, &bytes).is_break() {
                break;
            }
        }
        Ok(done)
    }

    /// Whether no entry is left.
    pub fn ended<S: Source>(&self, source: &S) -> bool {
        self.at.0 >= source.len()
    }
}

/// The heads of a window of Index.db, kept while the window is bisected: their bytes, of which few are looked at again.
#[derive(Clone, Debug)]
pub(crate) struct Heads {
    format: IndexFormat,
    /// Position of each entry, and where its head begins in `bytes`.
    entries: Vec<(FilePos, usize)>,
    bytes: Vec<u8>,
}

impl Heads {
    /// No heads.
    pub(crate) fn new(format: IndexFormat) -> Self {
        Self { format, entries: Vec::new(), bytes: Vec::new() }
    }

    /// Reads one more head.
    #[inline]
    pub(crate) fn push<S: Source, O: Observer>(
        &mut self,
        pages: &mut Pages<'_, S, O>,
        at: FilePos,
    ) -> Result<EntryHead, Error> {
        let start = self.bytes.len();
        let head = EntryHead::read(pages, self.format, at, &mut self.bytes)?;
        self.entries.push((at, start));
        Ok(head)
    }

    /// Number of heads.
    pub(crate) fn len(&self) -> u64 {
        len64(self.entries.len())
    }

    /// Bytes of all heads.
    pub(crate) fn bytes(&self) -> u64 {
        len64(self.bytes.len())
    }

    /// The head `index` and its bytes.
    pub(crate) fn get(&self, index: u64) -> Option<(EntryHead, &[u8])> {
        let (at, start) = self.entries.get(mem(index)?)?;
        EntryHead::within(self.format, *at, self.bytes.get(*start..)?)
    }

    /// The positions of all entries in order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = FilePos> {
        self.entries.iter().map(|(at, _)| *at)
    }
}
