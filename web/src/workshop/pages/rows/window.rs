//! The items of a partition around a position: decoded from the nearest row block before it, a few kept on both sides.

use super::find::Found;
use std::collections::VecDeque;
use triescope_core::data::{DataFormat, DataReader, Deletion, Item, Items, Life};
use triescope_core::error::Error;
use triescope_core::keys::ClusteringSchema;
use triescope_core::lookup::{RowKind, RowTarget};
use triescope_core::pos::DataPos;
use triescope_core::source::Source;

/// Items kept before the one that is meant, and behind it.
const BEFORE: usize = 20;
const BEHIND: usize = 40;
/// Items that are looked at behind them for the next deletion.
const AHEAD: usize = 2_000;

/// Something in a partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What it is; a sentence where it cannot be read.
    pub item: Result<Item, String>,
    /// Where it begins.
    pub at: u64,
    /// Its bytes.
    pub len: u64,
    /// The range deletion that is open before it.
    pub open: Option<Deletion>,
}

impl Entry {
    /// Whether it deletes something.
    pub fn deletes(&self) -> bool {
        match &self.item {
            Ok(Item::Partition(head)) => head.deletion.is_some(),
            Ok(Item::Marker(_)) => true,
            Ok(Item::Row(row)) => {
                let cells = row.columns.iter();
                let deleted = cells.map(|column| {
                    let dead =
                        column.cells.iter().any(|cell| matches!(cell.life, Life::Deleted { .. }));
                    dead || column.deletion.is_some()
                });
                row.deletion.is_some()
                    || row.shadowable.is_some()
                    || deleted.into_iter().any(|it| it)
            }
            _ => false,
        }
    }

    /// The range deletion that is open behind it.
    fn opens(&self) -> Option<Deletion> {
        match &self.item {
            Ok(Item::Marker(marker)) => marker.opens,
            Ok(Item::Row(_)) => self.open,
            _ => None,
        }
    }
}

/// What is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The item that holds a position.
    At(u64),
    /// The first row that is not before this place.
    Row(RowTarget),
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Items in order.
    pub entries: Vec<Entry>,
    /// Which of them is meant.
    pub chosen: usize,
    /// Whether there are others before the first, and behind the last.
    pub more: (bool, bool),
    /// Where the deletion before the chosen item is, and the next one.
    pub deletions: (Option<u64>, Option<u64>),
}

/// The work of decoding.
pub struct Decoding {
    target: Target,
    items: Items,
    /// Where decoding started: what lies before is not looked at.
    start: u64,
    partition: u64,
    end: u64,
    ring: VecDeque<Entry>,
    dropped: bool,
    open: Option<Deletion>,
    chosen: Option<usize>,
    behind: usize,
    ahead: usize,
    window: Window,
    /// Starts of blocks where it can go on after damage, with the deletion that is open there.
    blocks: Vec<(u64, Option<Deletion>)>,
    done: bool,
}

impl Decoding {
    /// From the block before the target, or from the partition's start.
    pub fn new(format: DataFormat, found: &Found, target: Target) -> Self {
        let blocks: Vec<_> = found.blocks.iter().map(|block| (block.at, block.open)).collect();
        let near = match &target {
            // One block earlier, so that there is something before the first row of a block.
            Target::At(at) => {
                let behind = blocks.partition_point(|(start, _)| start <= at);
                behind.checked_sub(2).filter(|block| *block > 0).and_then(|block| blocks.get(block))
            }
            Target::Row(_) => None,
        };
        let (partition, start) = (DataPos(found.at), near.map_or(found.at, |(at, _)| *at));
        let items = match near {
            Some((at, _)) => Items::within(format, partition, DataPos(*at)),
            None => Items::new(format, partition),
        };
        Self {
            target,
            items,
            start,
            partition: found.at,
            end: found.end,
            ring: VecDeque::new(),
            dropped: start > found.at,
            open: near.and_then(|(_, open)| *open),
            chosen: None,
            behind: 0,
            ahead: 0,
            window: Window::default(),
            blocks,
            done: false,
        }
    }

    /// Whether it is done.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Whether a row is looked for.
    pub fn is_of_row(&self) -> bool {
        matches!(self.target, Target::Row(_))
    }

    /// Bytes done of how many, about.
    pub fn progress(&self) -> (u64, u64) {
        let of = match &self.target {
            Target::At(at) => at.saturating_sub(self.start),
            Target::Row(_) => self.end.saturating_sub(self.start),
        };
        (self.items.at().0.saturating_sub(self.start).min(of), of.max(1))
    }

    /// The next item.
    pub fn step<S: Source>(
        &mut self,
        reader: &mut DataReader<'_, S>,
        schema: Option<&ClusteringSchema>,
    ) {
        let at = self.items.at().0;
        let item = match self.items.next(reader) {
            Ok(None) => return self.finish(),
            Ok(Some(item)) => Ok(item),
            Err(Error::Damage(error)) => Err(error.to_string()),
            Err(Error::Miss(_)) => Err("its bytes are not here".to_owned()),
        };
        let (at, len) = item.as_ref().map_or((at, 0), |item| (item.at().0, item.bytes()));
        let entry = Entry { item, at, len, open: self.open };
        self.open = entry.opens();
        let is_end = matches!(entry.item, Ok(Item::End(_)));
        let broken = entry.item.is_err();
        self.put(entry, schema);
        if broken {
            // The next block is read on its own.
            match self.blocks.iter().find(|(start, _)| *start > at) {
                Some((start, open)) => {
                    self.open = *open;
                    let format = self.items.format().clone();
                    self.items = Items::within(format, DataPos(self.partition), DataPos(*start));
                }
                None => return self.finish(),
            }
        }
        let is_enough = self.chosen.is_some() && self.behind >= BEHIND && self.is_ahead_enough();
        self.window.more.1 |= is_enough && !is_end;
        if is_end || is_enough {
            self.finish();
        }
    }

    fn is_ahead_enough(&self) -> bool {
        self.window.deletions.1.is_some() || self.ahead >= AHEAD
    }

    fn put(&mut self, entry: Entry, schema: Option<&ClusteringSchema>) {
        if self.chosen.is_some() {
            if entry.deletes() && self.window.deletions.1.is_none() {
                self.window.deletions.1 = Some(entry.at);
            }
            if self.behind < BEHIND {
                self.behind += 1;
                self.ring.push_back(entry);
            } else {
                self.ahead += 1;
                self.window.more.1 = true;
            }
            return;
        }
        let is_end = matches!(entry.item, Ok(Item::End(_)));
        let is_it = is_end
            || match &self.target {
                Target::At(at) => entry.at.saturating_add(entry.len.max(1)) > *at,
                Target::Row(row) => is_at_or_behind(&entry, row, schema),
            };
        if is_it {
            self.chosen = Some(self.ring.len());
        } else if entry.deletes() {
            self.window.deletions.0 = Some(entry.at);
        }
        self.ring.push_back(entry);
        if !is_it && self.ring.len() > BEFORE {
            self.ring.pop_front();
            self.dropped = true;
        }
    }

    fn finish(&mut self) {
        self.done = true;
        self.window.entries = std::mem::take(&mut self.ring).into();
        self.window.chosen = self.chosen.unwrap_or(self.window.entries.len().saturating_sub(1));
        self.window.more.0 = self.dropped;
    }

    /// What was found, once it is done.
    pub fn into_window(self) -> Window {
        self.window
    }
}

/// Whether a row or marker is not before a place.
fn is_at_or_behind(entry: &Entry, row: &RowTarget, schema: Option<&ClusteringSchema>) -> bool {
    let (Some(schema), Ok(item)) = (schema, &entry.item) else { return false };
    let (kind, values) = match item {
        Item::Row(row) if !row.is_static => (RowKind::Row, &row.clustering),
        Item::Marker(marker) => (marker.kind.side(), &marker.clustering),
        _ => return false,
    };
    let values: Vec<Option<&[u8]>> =
        values.iter().map(|value| value.as_ref().map(|bytes| bytes.as_slice())).collect();
    let wanted: Vec<Option<&[u8]>> = row.values.iter().map(Option::as_deref).collect();
    schema.order((kind, &values), (row.kind, &wanted)).is_ge()
}
