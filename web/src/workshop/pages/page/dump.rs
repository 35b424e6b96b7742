//! The bytes around the selection: positions, hex with the shade of each byte, characters; and the selection read as numbers.

use super::shades::shades;
use super::shown::Shown;
use crate::workshop::html::escape;
use crate::workshop::links::Links;
use std::fmt::Write as _;
use triescope_core::cursor::Cursor;
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::source::{Source, read_range};
use triescope_core::table::Part;

/// Rows that are shown.
const ROWS: u64 = 14;

/// The dump, `a_row` bytes a row.
pub fn dump<S: Source>(shown: &Shown<'_, S>, links: Links<'_>, a_row: u64) -> String {
    let Some(item) = &shown.item else { return String::new() };
    let page = shown.view.at.0;
    let end = page + shown.view.len;
    let focus =
        shown.byte.map_or(item.at.0.max(page), |byte| byte.0.clamp(page, end.saturating_sub(1)));
    // The beginning of the item stays in sight as long as the byte is in its first rows.
    let item_row = item.at.0.max(page) / a_row;
    let first = match focus / a_row >= item_row + ROWS - 1 {
        true => (focus / a_row).saturating_sub(ROWS / 2),
        false => item_row.saturating_sub(1),
    };
    let first = first
        .max(page / a_row)
        .min((end.saturating_sub(1) / a_row + 1).saturating_sub(ROWS).max(page / a_row));
    let shades = shades(shown);
    let field = shown.field().map(|field| (field.at.0, field.at.0 + field.len));
    let mut out = format!(
        "<div class=\"dump m\" role=\"group\" aria-label=\"Bytes {} to {}\" style=\"--cols:{a_row}\">",
        number(first * a_row, ','),
        number((first + ROWS) * a_row - 1, ',')
    );
    for row in first..first + ROWS {
        let from = row * a_row;
        if from >= end {
            break;
        }
        let _ = write!(out, "<div><span class=\"at\">{}</span>", shown.position(from));
        let mut text = String::new();
        for at in from..from + a_row {
            let known = at.checked_sub(page).and_then(|at| usize::try_from(at).ok());
            let byte = known.and_then(|known| shown.bytes.get(known).copied());
            let (Some(byte), Some(shade)) = (byte, known.and_then(|known| shades.get(known)))
            else {
                out.push_str("<span></span>");
                text.push(' ');
                continue;
            };
            let inside = item.at.0 <= at && at < item.at.0 + item.len.max(1);
            let mut class = if inside { shade.class() } else { "off".to_owned() };
            if field.is_some_and(|(from, to)| from <= at && at < to) {
                class.push_str(" fs");
            }
            let here = if shown.byte == Some(FilePos(at)) { " aria-current=\"true\"" } else { "" };
            let to = escape(&links.to(&shown.to_byte(FilePos(at))));
            let _ = write!(
                out,
                "<a id=\"b{at}\" href=\"{to}\" tabindex=\"-1\" class=\"{class}\"{here}>{byte:02x}</a>"
            );
            text.push(if byte.is_ascii_graphic() { char::from(byte) } else { '·' });
        }
        let _ =
            write!(out, "<span class=\"txt\" aria-hidden=\"true\">{}</span></div>", escape(&text));
    }
    out + "</div>"
}

/// The selected byte as bits.
pub fn bits<S: Source>(shown: &Shown<'_, S>) -> Option<String> {
    let byte = byte_at(shown, shown.byte?)?;
    Some(format!("{:04b} {:04b}", byte >> 4, byte & 15))
}

fn byte_at<S: Source>(shown: &Shown<'_, S>, at: FilePos) -> Option<u8> {
    let at = usize::try_from(at.0.checked_sub(shown.view.at.0)?).ok()?;
    shown.bytes.get(at).copied()
}

/// The bytes from the selection on, read as numbers, a vint, text, a token, a time.
pub fn readings<S: Source>(shown: &Shown<'_, S>) -> Vec<(&'static str, String)> {
    let at =
        shown.field().map(|field| field.at).or(shown.byte).or(shown.item.as_ref().map(|it| it.at));
    let Some((at, source)) = at.zip(shown.table.source(shown.part)) else { return Vec::new() };
    let left = shown.len.saturating_sub(at.0).min(32);
    let Ok(bytes) = read_range(shown.part, source, at, left, "selection") else {
        return Vec::new();
    };
    let field = shown.field().map_or(left, |field| field.len.min(left));
    read(&bytes, usize::try_from(field).unwrap_or(0))
}

/// The readings of some bytes, of which the first `own` are selected.
pub fn read(bytes: &[u8], own: usize) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    if let Some(first) = bytes.first() {
        out.push(("u8, i8", format!("{first}, {}", first.cast_signed())));
    }
    if let Some(it) = bytes.first_chunk::<2>() {
        out.push(("u16, i16", format!("{}, {}", u16::from_be_bytes(*it), i16::from_be_bytes(*it))));
        out.push(("u16, little-endian", u16::from_le_bytes(*it).to_string()));
    }
    if let Some(it) = bytes.first_chunk::<4>() {
        out.push(("u32, i32", format!("{}, {}", u32::from_be_bytes(*it), i32::from_be_bytes(*it))));
        out.push(("u32, little-endian", u32::from_le_bytes(*it).to_string()));
    }
    if let Some(it) = bytes.first_chunk::<8>() {
        out.push(("u64", u64::from_be_bytes(*it).to_string()));
        out.push(("token, i64", i64::from_be_bytes(*it).to_string()));
        out.push(("u64, little-endian", u64::from_le_bytes(*it).to_string()));
        let micros = i64::from_be_bytes(*it);
        if let Some(time) = moment(micros) {
            out.push(("time in microseconds", time));
        }
    }
    if let Some((value, len)) = vint(bytes) {
        out.push(("vint", format!("{value}, {len} B")));
        let signed = (value >> 1).cast_signed() ^ -((value & 1).cast_signed());
        out.push(("zig-zag vint", signed.to_string()));
    }
    let own = bytes.get(..own).unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(own)
        && !own.is_empty()
        && !text.chars().any(char::is_control)
    {
        out.push(("text", format!("“{text}”")));
    }
    out
}

/// An unsigned vint, and its bytes.
fn vint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut cursor = Cursor::new(Part::Data, FilePos(0), bytes);
    let value = cursor.uvint("vint").ok()?;
    Some((value, cursor.used()))
}

/// A time that may be meant: from 1990 to 2100.
fn moment(micros: i64) -> Option<String> {
    const YEAR: i64 = 31_557_600_000_000;
    let may = (20 * YEAR..130 * YEAR).contains(&micros);
    let millis = micros / 1_000;
    may.then(|| {
        let text = triescope_core::cql::to_text(
            &triescope_core::cql::CqlType::Timestamp,
            &millis.to_be_bytes(),
        );
        text.trim_matches('\'').to_owned()
    })
}
