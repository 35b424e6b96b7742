//! The index files of a race: their sizes, and the one scale in which both lanes draw them.

use super::pen::{CAPTION, Pen};
use super::strip::LEAST_PX;
use super::trie::NARROW;
use crate::layout::{Face, Path, fit, width as text_width};
use triescope_core::lookup::{Record, Step};
use triescope_core::pos::PAGE_SIZE;
use triescope_core::race::Race;
use triescope_core::table::{Part, TableFacts};

/// Room for the name of a strip, where there are several in a lane.
const NAME_ROOM: f64 = 120.0;
/// Most room that the ruler needs beside a strip.
const RULER_ROOM: f64 = 168.0;

/// Sizes of the index files, in bytes; 0 where a file is not walked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Files {
    /// Partitions.db.
    pub partitions: u64,
    /// Rows.db, where this lookup reads it.
    pub rows: u64,
    /// Index.db.
    pub index: u64,
    /// Pixels a byte, in every strip of both lanes.
    pub scale: f64,
}

/// Bytes of a component.
pub fn size(facts: &TableFacts, part: Part) -> Option<u64> {
    facts.components.iter().find(|component| component.part == Some(part))?.bytes
}

/// Where the last page that a record reads of a component ends: what is known of a file without its facts.
fn read_to(record: &Record, part: Part) -> u64 {
    let end = |step: &Step| match step {
        Step::Page(page) if page.part == part => {
            page.page.0.saturating_mul(PAGE_SIZE).saturating_add(page.bytes)
        }
        _ => 0,
    };
    record.steps.iter().map(end).max().unwrap_or(0)
}

impl Files {
    /// The files of a race, and the scale at which the greatest of them fits the width.
    pub fn of(
        race: &Race,
        trie: Option<&TableFacts>,
        legacy: Option<&TableFacts>,
        width: f64,
    ) -> Self {
        let known = |facts: Option<&TableFacts>, record: Option<&Record>, part: Part| {
            let read = record.map_or(0, |record| read_to(record, part));
            facts.and_then(|facts| size(facts, part)).unwrap_or(0).max(read)
        };
        let walk = race.trie.as_ref().map(|lane| &lane.record);
        let index = race.legacy.as_ref().map(|lane| &lane.lane.record);
        let mut files = Self {
            partitions: known(trie, walk, Part::Partitions),
            rows: walk.map_or(0, |record| read_to(record, Part::Rows)),
            index: known(legacy, index, Part::Index),
            scale: 0.0,
        };
        if files.rows > 0 {
            files.rows = known(trie, walk, Part::Rows);
        }
        let sizes = [files.partitions, files.rows, files.index];
        let greatest = sizes.into_iter().max().unwrap_or(0).max(1) as f64;
        files.scale = width / greatest;
        // The ruler is drawn beside a strip, on a narrow screen below all of them: where it has no room, all strips
        // leave it some.
        let beside = [files.partitions, files.rows, files.index];
        let beside = match beside {
            [partitions, rows, _] if rows > 0 => partitions.max(rows),
            [partitions, ..] if partitions > 0 => partitions,
            [.., index] => index,
        } as f64;
        let named = if files.rows > 0 { NAME_ROOM } else { 0.0 };
        if width >= NARROW && width - beside * files.scale < files.ruler_room() + named {
            files.scale = (width - RULER_ROOM - named) / greatest;
        }
        files
    }

    /// Room that the ruler needs beside a strip.
    fn ruler_room(&self) -> f64 {
        let (px, name) = self.ruler();
        22.0 + px + 7.0 + text_width(&name, Face::Text)
    }

    /// Draws the ruler from `x`, `y` its axis, and below it what the scale holds for.
    pub fn draw_ruler(&self, pen: &mut Pen, x: f64, y: f64) {
        let (px, name) = self.ruler();
        let room = pen.width() - x;
        if room < self.ruler_room() - 22.0 {
            return;
        }
        let ends = Path::new().to(x, y - 4.0).v(y + 4.0).to(x + px, y - 4.0).v(y + 4.0);
        pen.always().path(ends.to(x, y).h(x + px), "ax");
        pen.text(x + px + 7.0, y + 4.0, name, CAPTION);
        let widened = PAGE_SIZE as f64 * self.scale < LEAST_PX;
        let both = self.index > 0 && self.partitions > 0;
        let forms: &[&str] = match (both, widened) {
            (true, true) => &[
                "same scale below; fetched pages are drawn 3 px wide",
                "same below; pages 3 px wide",
                "pages: 3 px wide",
            ],
            (true, false) => &["same scale below"],
            (false, true) => &["fetched pages are drawn 3 px wide", "pages: 3 px wide"],
            (false, false) => &[],
        };
        if let Some(text) = fit(forms, room, Face::Text) {
            pen.text(x, y + 22.0, text, CAPTION);
        }
    }

    /// A round number of bytes that is 45 to 90 px long: its length in px and its name.
    pub fn ruler(&self) -> (f64, String) {
        let mut bytes = 1_u64;
        while bytes < 1 << 50 && bytes as f64 * self.scale <= 45.0 {
            bytes *= 2;
        }
        let name = match bytes {
            b if b >= 1 << 30 => format!("{} GiB", b >> 30),
            b if b >= 1 << 20 => format!("{} MiB", b >> 20),
            b if b >= 1 << 10 => format!("{} KiB", b >> 10),
            b => format!("{b} B"),
        };
        (bytes as f64 * self.scale, name)
    }
}
