//! Reading small files whole, up to their limits.

use crate::error::{Error, Kind, ReadError};
use crate::pos::FilePos;
use crate::source::{Source, read_range};
use crate::table::Part;

/// Reads all of a component, at most `limit` bytes.
pub(crate) fn read_whole<S: Source>(part: Part, source: &S, limit: u64) -> Result<Vec<u8>, Error> {
    if source.len() > limit {
        let kind = Kind::OverLimit { limit, found: source.len() };
        return Err(ReadError::new(part, FilePos(0), "length of the file", kind).into());
    }
    read_range(part, source, FilePos(0), source.len(), "file")
}

/// Text of a file: class names are ASCII, what is not UTF-8 is shown with replacement characters.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
