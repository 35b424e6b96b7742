//! `triescope rows`: what Data.db says, row after row.

use super::blocks;
use crate::args::Rows;
use crate::failure::{Failure, Outcome, Verdict, complain};
use crate::files::{self, Opened};
use crate::json::{self, Key};
use crate::out::{Look, Out};
use crate::progress::Progress;
use crate::source::FileSource;
use serde::Serialize;
use std::io::Write as _;
use triescope_core::data::{
    AtomItem, Atoms, DataReader, Item, Items, JsonDump, LineWriter, atom_line,
};
use triescope_core::error::Error;
use triescope_core::keys::ClusteringSchema;
use triescope_core::pos::DataPos;
use triescope_core::scan::{Next, Order, Scan};
use triescope_core::table::{Part, words};

/// What is put before the fields that `sstabledump` has.
#[derive(Serialize)]
struct Head {
    key: Key,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    pos: u64,
}

/// What a walk over the data comes to, whichever version it is of.
enum Came {
    Item(Item),
    Atom(AtomItem),
}

/// A walk over the data of either kind.
enum Walk {
    Items(Box<Items>),
    /// `ka` and `la`, which have cells and no rows.
    Atoms(Atoms),
}

/// Runs the command.
pub fn run(args: &Rows, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.one.path))?.only()?;
    let from = match &args.key {
        None => DataPos(0),
        Some(key) => blocks::find(&table, key)?.data.ok_or_else(|| {
            Failure::new(format!("{}: no position is known of {key}", files::name(&table.set)))
        })?,
    };
    let reader = table.data_reader().map_err(|_| Failure::new(why_not(&table)))?.streaming();
    let walk = match table.data_format() {
        Some(format) => Walk::Items(Box::new(Items::new(format, from))),
        None if table.version().has_rows() => {
            return Err(Failure::new(words::missing(Part::Statistics).what));
        }
        None => Walk::Atoms(Atoms::new(from)),
    };
    let walker = Walker {
        args,
        table: &table,
        reader,
        walk,
        starts: None,
        said: None,
        left: args.limit.unwrap_or(u64::MAX),
    };
    if args.one.json { in_json(walker, out) } else { in_text(walker, out) }
}

fn why_not(table: &Opened) -> String {
    let name = files::name(&table.set);
    if !table.version().is_data_read() {
        return format!("{name}: Data.db of version {} is not decoded", table.version());
    }
    let part = if table.source(Part::Data).is_none() { Part::Data } else { Part::CompressionInfo };
    format!("{name}: {}", words::missing(part).what)
}

struct Walker<'t> {
    args: &'t Rows,
    table: &'t Opened,
    reader: DataReader<'t, FileSource>,
    walk: Walk,
    /// Where partitions begin, for going on behind damage.
    starts: Option<Scan<'t, FileSource>>,
    /// The damage that was said last: a chunk may hold many partitions.
    said: Option<String>,
    /// Rows and range deletions still wanted.
    left: u64,
}

impl Walker<'_> {
    /// The next item.
    fn next(&mut self) -> Result<Option<Came>, Error> {
        match &mut self.walk {
            Walk::Items(items) => Ok(items.next(&mut self.reader)?.map(Came::Item)),
            Walk::Atoms(atoms) => Ok(atoms.next(&mut self.reader)?.map(Came::Atom)),
        }
    }

    fn at(&self) -> u64 {
        match &self.walk {
            Walk::Items(items) => items.at().0,
            Walk::Atoms(atoms) => atoms.at().0,
        }
    }

    /// Says the damage and goes on with the first partition behind the place of the damage, where the index tells of one.
    fn pass(&mut self, error: &Error) -> bool {
        let text = error.to_string();
        if self.said.as_ref() != Some(&text) {
            complain(&format!("{}: {text}", files::name(&self.table.set)));
            self.said = Some(text);
        }
        if self.args.key.is_some() {
            return false;
        }
        let at = self.at();
        if self.starts.is_none() {
            self.starts = Scan::new(self.table, None, Order::Forward);
        }
        let Some(starts) = &mut self.starts else { return false };
        loop {
            match starts.step() {
                Ok(Next::Partition(partition)) => {
                    let Some(to) = partition.data.filter(|to| to.0 > at) else { continue };
                    match &mut self.walk {
                        Walk::Items(items) => items.seek(to),
                        Walk::Atoms(atoms) => atoms.seek(to),
                    }
                    return true;
                }
                Ok(Next::Working { .. }) => {}
                Ok(Next::End) | Err(_) => return false,
            }
        }
    }
}

impl Came {
    /// The serialized key and the position of a partition that begins.
    fn head(&self) -> Option<(&[u8], u64)> {
        match self {
            Self::Item(Item::Partition(head)) | Self::Atom(AtomItem::Partition(head)) => {
                Some((&head.key, head.at.0))
            }
            _ => None,
        }
    }

    fn is_end(&self) -> bool {
        matches!(self, Self::Item(Item::End(_)) | Self::Atom(AtomItem::End(_)))
    }
}

/// Calls `show` for each item until there are no more, or no more are wanted; `damage` where one cannot be read.
fn each(
    walker: &mut Walker<'_>,
    show: &mut dyn FnMut(Event<'_>) -> Result<(), Failure>,
) -> Outcome {
    let mut progress = Progress::new(files::name(&walker.table.set));
    let mut verdict = Verdict::Clean;
    while walker.left > 0 {
        match walker.next() {
            Ok(Some(came)) => {
                show(Event::Came(&came))?;
                if came.is_end() && walker.args.key.is_some() {
                    break;
                }
                walker.left -= u64::from(came.head().is_none() && !came.is_end());
            }
            Ok(None) => break,
            Err(error) => {
                verdict = Verdict::Broken;
                show(Event::Damage(&error))?;
                if !walker.pass(&error) {
                    break;
                }
            }
        }
        progress.tick("", walker.at(), Some(walker.reader.len()));
    }
    Ok(verdict)
}

enum Event<'e> {
    Came(&'e Came),
    Damage(&'e Error),
}

fn in_text(mut walker: Walker<'_>, out: &mut Out) -> Outcome {
    let format = walker.table.data_format();
    let unknown = ClusteringSchema::default();
    let clustering = walker.table.clustering_schema().unwrap_or(&unknown);
    let keys = walker.table.key_schema();
    let line = |came: &Came| match (came, &format) {
        (Came::Item(item), Some(format)) => LineWriter { format, keys, clustering }.line(item),
        (Came::Atom(atom), _) => atom_line(atom),
        (Came::Item(_), None) => String::new(),
    };
    each(&mut walker, &mut |event| {
        match event {
            Event::Came(came) if came.is_end() => {}
            Event::Came(came) if came.head().is_some() => out.line(Look::Head, &line(came))?,
            Event::Came(came) => writeln!(out, "  {}", line(came))?,
            // It is said on the standard error, behind what was printed before it.
            Event::Damage(_) => out.flush()?,
        }
        Ok(())
    })
}

fn in_json(mut walker: Walker<'_>, out: &mut Out) -> Outcome {
    let format = walker.table.data_format();
    let unknown = ClusteringSchema::default();
    let clustering = walker.table.clustering_schema().unwrap_or(&unknown);
    let keys = walker.table.key_schema();
    let partitioner = walker.table.partitioner();
    let now = crate::time::now();
    let dump = || format.as_ref().map(|format| JsonDump::new(format, keys, clustering, now));
    let mut json = json::Sstables::open(out)?;
    json.begin(&files::name(&walker.table.set))?;
    // A partition is written in pieces, since it may be large: its head waits for its first row, whose position
    // `sstabledump` gives there.
    let (mut dumping, mut head, mut open, mut atoms) = (dump(), None::<String>, false, 0u64);
    let mut said = None;
    let verdict = each(&mut walker, &mut |event| {
        let came = match event {
            Event::Damage(error) => {
                let problem = serde_json::to_string(&error.to_string())?;
                if let Some(head) = head.take() {
                    json.separate()?;
                    json.piece(&format!("{head}\"problem\":{problem}}}"))?;
                } else if std::mem::take(&mut open) {
                    json.piece(&format!("\n],\"problem\":{problem}}}"))?;
                } else if said.as_ref() != Some(&problem) {
                    // Not even a key is known. A chunk that hides many partitions is told once.
                    json.separate()?;
                    json.piece(&format!("{{\"problem\":{problem}}}"))?;
                }
                said = Some(problem);
                return Ok(());
            }
            Event::Came(came) => came,
        };
        if let Some((key, pos)) = came.head() {
            let token = json::token(&partitioner.token(key));
            let text = serde_json::to_string(&Head { key: Key::whole(keys, key), token, pos })?;
            head = text.strip_suffix('}').map(|text| format!("{text},"));
            (dumping, atoms) = (dump(), 0);
        }
        let mut text = String::new();
        match (came, &mut dumping) {
            (Came::Item(item), Some(dump)) => dump.item(&mut text, item),
            (Came::Atom(atom), _) => atom_json(atom, &mut atoms, &mut text)?,
            (Came::Item(_), None) => {}
        }
        if !text.is_empty() {
            match head.take() {
                Some(head) => {
                    json.separate()?;
                    json.piece(&head)?;
                    json.piece(text.trim_start_matches('{'))?;
                }
                None => json.piece(&text)?,
            }
            open = !came.is_end();
        }
        Ok(())
    })?;
    if open {
        json.piece("\n],\"cut\":true}")?;
    }
    json.end()?;
    json.close()?;
    Ok(verdict)
}

/// Cells of `ka` and `la`, which `sstabledump` does not read.
fn atom_json(atom: &AtomItem, written: &mut u64, text: &mut String) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line {
        position: u64,
        text: String,
    }
    match atom {
        AtomItem::Partition(_) => {}
        AtomItem::Atom(cell) => {
            text.push_str(if *written == 0 { "{\"atoms\": [\n" } else { ",\n" });
            *written += 1;
            let line = Line { position: cell.at.0, text: atom_line(atom) };
            text.push_str(&serde_json::to_string(&line)?);
        }
        AtomItem::End(_) if *written == 0 => text.push_str("{\"atoms\": []}"),
        AtomItem::End(_) => text.push_str("]}"),
    }
    Ok(())
}
