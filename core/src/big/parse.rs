//! Parsing a record of Index.db whose length is only known once it is parsed, so that no page is touched but those that
//! hold a byte of it.

use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::lookup::Observer;
use crate::pos::{FilePos, PAGE_SIZE, len64, mem};
use crate::source::{Pages, Source};

/// Parses what lies at `at` and must not pass `end`; returns it with its length in bytes. `buffer` is only used where the
/// record goes on in another page; then it holds the record's bytes and perhaps more.
///
/// The record is parsed from the rest of its first page. Where a field is cut off by the page's end, and not by `end`,
/// the page with that field's last byte is added and the record parsed again.
pub(crate) fn parse<S: Source, O: Observer, T>(
    pages: &mut Pages<'_, S, O>,
    at: FilePos,
    end: FilePos,
    buffer: &mut Vec<u8>,
    mut read: impl FnMut(&mut Cursor<'_>) -> Result<T, Error>,
) -> Result<(T, usize), Error> {
    buffer.clear();
    let part = pages.part();
    let most = end.0.saturating_sub(at.0);
    let page: &[u8] = if at < end { pages.page(at.page())? } else { &[] };
    let rest = page.get(at.in_page()..).unwrap_or(&[]);
    let first = mem(most).and_then(|most| rest.get(..most)).unwrap_or(rest);
    let mut cursor = Cursor::new(part, at, first);
    let mut error = match read(&mut cursor) {
        Ok(value) => return Ok((value, cursor.used())),
        Err(error) => error,
    };
    buffer.extend_from_slice(first);
    loop {
        let Some((from, needed)) = cut_off(&error) else { return Err(error) };
        let have = len64(buffer.len());
        let wanted = from.after(needed).map(|to| to.0.saturating_sub(at.0));
        let Some(wanted) = wanted.filter(|wanted| *wanted <= most) else {
            return Err(with_left(error, end.0.saturating_sub(from.0)));
        };
        if wanted <= have {
            return Err(error);
        }
        if wanted > limits::INDEX_RECORD_BYTES {
            let kind = Kind::OverLimit { limit: limits::INDEX_RECORD_BYTES, found: wanted };
            return Err(ReadError::new(part, at, "record", kind).into());
        }
        // The last page wanted is touched anyhow: the rest of it costs nothing and saves parsing once more.
        let last = FilePos(at.0.saturating_add(wanted).saturating_sub(1)).page();
        let to = last.start().0.saturating_add(PAGE_SIZE).min(end.0).saturating_sub(at.0);
        let more = mem(to.max(wanted).saturating_sub(have)).unwrap_or(usize::MAX);
        pages.read(FilePos(at.0.saturating_add(have)), more, "record", buffer)?;
        let mut cursor = Cursor::new(part, at, buffer);
        error = match read(&mut cursor) {
            Ok(value) => return Ok((value, cursor.used())),
            Err(error) => error,
        };
    }
}

/// Where a field starts that was cut off, and the bytes that it needs.
fn cut_off(error: &Error) -> Option<(FilePos, u64)> {
    match error {
        Error::Damage(damage) => match damage.kind {
            Kind::Truncated { needed, .. } => Some((damage.at, needed)),
            _ => None,
        },
        Error::Miss(_) => None,
    }
}

/// The error with the bytes that are really left: the parser saw only the pages read so far.
fn with_left(error: Error, really: u64) -> Error {
    match error {
        Error::Damage(mut damage) => {
            if let Kind::Truncated { left, .. } = &mut damage.kind {
                *left = really;
            }
            Error::Damage(damage)
        }
        miss @ Error::Miss(_) => miss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pos::PageNo;
    use crate::table::Part;

    #[derive(Default)]
    struct Requests(Vec<u64>);
    impl Observer for Requests {
        fn request(&mut self, _: Part, page: PageNo, _: u64) {
            self.0.push(page.0);
        }
    }

    /// A `u16` length and bytes at `at`: their number or the error, and the pages touched.
    fn short_bytes(file: &[u8], at: u64, end: u64) -> (Result<usize, String>, Vec<u64>) {
        let mut seen = Requests::default();
        let mut pages = Pages::new(Part::Index, &file, &mut seen);
        let parsed = parse(&mut pages, FilePos(at), FilePos(end), &mut Vec::new(), |cursor| {
            Ok(cursor.short_bytes("key")?.len())
        });
        (parsed.map(|(n, used)| n + used).map_err(|e| e.to_string()), seen.0)
    }

    #[test]
    fn only_pages_with_a_byte_of_the_record_are_touched() {
        let mut file = vec![0u8; 20_000];
        file[4090..4092].copy_from_slice(&[0, 4]);
        assert_eq!(short_bytes(&file, 4090, 20_000), (Ok(10), vec![0]));
        file[4090..4092].copy_from_slice(&[0, 5]);
        assert_eq!(short_bytes(&file, 4090, 20_000), (Ok(12), vec![0, 1]));
        // 9,000 bytes from 4,092 on end in page 3.
        file[4090..4092].copy_from_slice(&9000u16.to_be_bytes());
        assert_eq!(short_bytes(&file, 4090, 20_000), (Ok(18_002), vec![0, 1, 2, 3]));
        // The length itself lies across the pages.
        file[4095..4097].copy_from_slice(&[0, 5]);
        assert_eq!(short_bytes(&file, 4095, 20_000), (Ok(12), vec![0, 1]));
    }

    #[test]
    fn a_record_that_passes_its_end_says_what_is_really_left() {
        let mut file = vec![0u8; 20_000];
        file[4090..4092].copy_from_slice(&9000u16.to_be_bytes());
        let (parsed, pages) = short_bytes(&file, 4090, 13_000);
        let expected =
            "Index.db, offset 4092 (page 0 + 4092), key: expected 9000 more bytes, found 8908";
        assert_eq!((parsed, pages), (Err(expected.to_owned()), vec![0]));
    }
}
