//! `triescope page` and `triescope node`: what the bytes of a component say.

use crate::args::{Node, Page};
use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{self, Opened};
use crate::json;
use crate::out::{Cell, Column, Look, Out, count, number};
use serde::Serialize;
use std::io::Write as _;
use triescope_core::dissect::{self, Field, ItemKind};
use triescope_core::error::Error;
use triescope_core::pos::{FilePos, PAGE_SIZE, PageNo};
use triescope_core::source::read_range;
use triescope_core::table::Part;

/// Bytes of a field that are shown.
const BYTES_SHOWN: u64 = 6;

/// A page.
#[derive(Serialize)]
struct PageJson {
    sstable: String,
    component: &'static str,
    page: u64,
    pos: u64,
    size: u64,
    items: Vec<PageItem>,
}

#[derive(Serialize)]
struct PageItem {
    kind: ItemKind,
    pos: u64,
    size: u64,
    text: String,
    problem: Option<String>,
}

/// An item, taken apart.
#[derive(Serialize)]
struct NodeJson {
    sstable: String,
    component: &'static str,
    kind: ItemKind,
    pos: u64,
    page: u64,
    offset_in_page: u64,
    size: u64,
    text: String,
    known: bool,
    problem: Option<String>,
    fields: Vec<FieldJson>,
}

#[derive(Serialize)]
struct FieldJson {
    name: String,
    pos: u64,
    size: u64,
    bits: Option<Bits>,
    raw: Option<String>,
    value: String,
    meaning: String,
    link: String,
}

#[derive(Serialize)]
struct Bits {
    first: u8,
    count: u8,
}

/// `triescope page`
pub fn page(args: &Page, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.one.path))?.only()?;
    let part = files::component(&args.component)?;
    let view = dissect::page(&table, part, PageNo(args.page)).map_err(|it| refused(&table, &it))?;
    let broken = view.items.iter().any(|item| item.problem.is_some());
    let verdict = if broken { Verdict::Broken } else { Verdict::Clean };
    if args.one.json {
        let items = view.items.iter().map(|item| PageItem {
            kind: item.kind,
            pos: item.at.0,
            size: item.len,
            text: item.summary.clone(),
            problem: item.problem.as_ref().map(ToString::to_string),
        });
        let json = PageJson {
            sstable: files::name(&table.set),
            component: part.file_name(),
            page: view.page.0,
            pos: view.at.0,
            size: view.len,
            items: items.collect(),
        };
        serde_json::to_writer(&mut *out, &json)?;
        out.write_all(b"\n")?;
        return Ok(verdict);
    }
    let (from, to) = (view.at.0, view.at.0 + view.len);
    let head = format!(
        "{part}, page {}: bytes {} to {}, {}",
        view.page,
        number(from),
        number(to.saturating_sub(1)),
        count(view.items.len() as u64, "item")
    );
    out.line(Look::Head, &head)?;
    let mut rows =
        vec![["POSITION", "BYTES", "KIND", "WHAT"].map(|it| Cell::new(Look::Dim, it)).to_vec()];
    for item in &view.items {
        let look = if item.problem.is_some() { Look::Bad } else { looks(item.kind) };
        let text = match &item.problem {
            Some(problem) => format!("{}. {problem}", item.summary),
            None => item.summary.clone(),
        };
        rows.push(vec![
            Cell::from(format!("@{}", item.at.0)),
            Cell::from(number(item.len)),
            Cell::new(look, name(item.kind)),
            Cell::new(look, text),
        ]);
    }
    let columns = [Column::Right, Column::Right, Column::Left, Column::Left];
    out.table(0, &columns, &rows)?;
    Ok(verdict)
}

/// `triescope node`
pub fn node(args: &Node, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.one.path))?.only()?;
    let part = files::component(&args.component)?;
    let item = dissect::item(&table, part, FilePos(args.at)).map_err(|it| refused(&table, &it))?;
    let verdict = if item.problem.is_some() { Verdict::Broken } else { Verdict::Clean };
    if args.one.json {
        let fields = item.fields.iter().map(|field| FieldJson {
            name: field.name.to_string(),
            pos: field.at.0,
            size: field.len,
            bits: field.bits.map(|bits| Bits { first: bits.first, count: bits.count }),
            raw: bytes(&table, part, field, field.len.min(PAGE_SIZE))
                .map(|bytes| json::hex(&bytes)),
            value: field.value.clone(),
            meaning: field.meaning.clone(),
            link: format!("docs/format/{}", field.page),
        });
        let json = NodeJson {
            sstable: files::name(&table.set),
            component: part.file_name(),
            kind: item.kind,
            pos: item.at.0,
            page: item.at.page().0,
            offset_in_page: item.at.0 % PAGE_SIZE,
            size: item.len,
            text: item.summary.clone(),
            known: item.known,
            problem: item.problem.as_ref().map(ToString::to_string),
            fields: fields.collect(),
        };
        serde_json::to_writer(&mut *out, &json)?;
        out.write_all(b"\n")?;
        return Ok(verdict);
    }
    let (page, offset) = (item.at.page(), item.at.0 % PAGE_SIZE);
    let size = count(item.len, "byte");
    let head =
        format!("{part} @{} (page {page} + {offset}), {}, {size}", item.at.0, name(item.kind));
    out.line(Look::Head, &head)?;
    out.paragraph(0, Look::Plain, &item.summary)?;
    if !item.known {
        let text = "The component does not say that something begins here: the bytes are read as if it did.";
        out.paragraph(0, Look::Odd, text)?;
    }
    let mut rows = vec![
        ["@", "BYTES", "FIELD", "VALUE", "MEANING"].map(|it| Cell::new(Look::Dim, it)).to_vec(),
    ];
    for field in &item.fields {
        let raw = match field.bits {
            Some(bits) => bit_text(&table, part, field, bits.first, bits.count),
            None => byte_text(&table, part, field),
        };
        rows.push(vec![
            Cell::new(Look::Dim, format!("+{}", field.at.0.saturating_sub(item.at.0))),
            Cell::from(raw),
            Cell::new(Look::Head, field.name.as_ref()),
            Cell::from(crate::out::cut(&field.value, 22)),
            Cell::from(field.meaning.as_str()),
        ]);
    }
    let columns = [Column::Right, Column::Left, Column::Left, Column::Left, Column::Left];
    out.table(0, &columns, &rows)?;
    if let Some(problem) = &item.problem {
        out.paragraph(0, Look::Bad, &problem.to_string())?;
    }
    Ok(verdict)
}

fn refused(table: &Opened, error: &Error) -> Failure {
    Failure::new(format!("{}: {error}", files::name(&table.set)))
}

/// `RowsEntry` as words: `rows-entry` in JSON, `rows entry` for people.
fn name(kind: ItemKind) -> String {
    let name = serde_json::to_value(kind).ok();
    let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    name.replace('-', " ")
}

const fn looks(kind: ItemKind) -> Look {
    match kind {
        ItemKind::Padding | ItemKind::Filler => Look::Dim,
        ItemKind::Unclaimed => Look::Odd,
        ItemKind::Unreadable => Look::Bad,
        _ => Look::Plain,
    }
}

/// The bytes of a field, as many as are wanted; `None` where the file ends before.
fn bytes(table: &Opened, part: Part, field: &Field, most: u64) -> Option<Vec<u8>> {
    read_range(part, table.source(part)?, field.at, most, "field").ok()
}

fn byte_text(table: &Opened, part: Part, field: &Field) -> String {
    let shown = field.len.min(BYTES_SHOWN);
    let bytes = bytes(table, part, field, shown).unwrap_or_default();
    let text: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let more = if field.len > shown { " …" } else { "" };
    format!("{}{more}", text.join(" "))
}

/// Some bits of bytes: the others are dots.
fn bit_text(table: &Opened, part: Part, field: &Field, first: u8, count: u8) -> String {
    let bytes = bytes(table, part, field, field.len.min(2)).unwrap_or_default();
    let mut text = String::new();
    for (at, byte) in (0u32..).zip(&bytes) {
        if at > 0 {
            text.push(' ');
        }
        for bit in 0..8 {
            let number = at * 8 + bit;
            let inside = (u32::from(first)..u32::from(first) + u32::from(count)).contains(&number);
            text.push(match (inside, byte >> (7 - bit) & 1) {
                (false, _) => '.',
                (true, 0) => '0',
                (true, _) => '1',
            });
        }
    }
    text
}
