//! Sentences about an Index.db that cannot be read to its end.

use super::samples::Sample;
use crate::cql::push_hex;
use crate::error::{Kind, ReadError};

/// Bytes of a key that a sentence shows; a finding has all of them beside it.
const SHOWN: usize = 32;

/// Bytes as hexadecimal digits without `0x`, of long ones the beginning.
pub(super) fn to_hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    push_hex(&mut out, bytes.get(..SHOWN).unwrap_or(bytes));
    let mut out = out.split_off(2);
    if bytes.len() > SHOWN {
        out.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    out
}

/// Where the file ends: `file ends inside the 2-byte key length at offset 0`. What is wrong otherwise, in its own words.
pub(super) fn cut(error: &ReadError) -> String {
    let Kind::Truncated { needed, .. } = error.kind else {
        let (expected, found) = error.kind.sides();
        return format!("{}: expected {expected}, found {found}", error.field);
    };
    let field = &error.field;
    match field.as_ref() {
        "key length" | "key" | "promoted index" => {
            format!("file ends inside the {needed}-byte {field} at offset {}", error.at)
        }
        _ => format!("file ends inside the {field} at offset {}", error.at),
    }
}

/// What a summary says of an Index.db that ends before: `Summary.db promises key 0000002a at Index.db 0 and 3 more`.
pub(super) fn promise(sample: Sample, key: &[u8], more: u64) -> String {
    let mut out = format!("Summary.db promises key {} at Index.db {}", to_hex(key), sample.at);
    if more > 0 {
        out.push_str(&format!(" and {more} more"));
    }
    out
}

/// What is lost with the rest of Index.db: entries that could be read, what the summary promises from there on, and the
/// bytes of Data.db that are in no index.
pub(super) fn lost(
    entries: u64,
    promise: Option<&str>,
    data: Option<(u64, Option<u64>)>,
) -> String {
    let mut out = format!("{entries} complete {}", if entries == 1 { "entry" } else { "entries" });
    if let Some(promise) = promise {
        out.push_str("; ");
        out.push_str(promise);
    }
    match data {
        Some((length, None)) => {
            out.push_str(&format!("; Data.db has {length} bytes that no index entry covers"));
        }
        Some((length, Some(last))) => {
            let left = length.saturating_sub(last);
            out.push_str(&format!(
                "; Data.db has up to {left} bytes behind {last}, where the last one's partition begins, \
                 that no index entry covers"
            ));
        }
        None => {}
    }
    out
}
