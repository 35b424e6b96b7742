//! The picture of the three files, each whole, and of one window magnified.

use super::facts::{Entry, Facts};
use super::sheet::Sheet;
use crate::layout::{Face, Path, Rect, fit, width};
use crate::words::{bytes, count, mean};
use triescope_core::lookup::SummarySource;
use triescope_core::lookup::words::number;
use triescope_core::pos::{FilePos, PAGE_SIZE};
use triescope_core::source::Source;

/// Where the links of a picture lead.
#[derive(Clone, Copy)]
pub struct Leads<'a> {
    /// To a sample.
    pub sample: &'a dyn Fn(u64) -> String,
    /// To an entry of the window.
    pub entry: &'a dyn Fn(usize) -> String,
}

/// `1 px is 143 B`.
pub fn scale(span: u64, room: f64) -> String {
    let room = room.max(1.0) as u64;
    let px = match span / room {
        0..10 => mean(span, room, 2).unwrap_or_default(),
        _ => number(span / room, ','),
    };
    format!("1 px is {px} B")
}

/// `in page 14`, `in pages 14 and 15`, `in pages 2 to 5`.
pub fn in_pages(from: u64, to: u64) -> String {
    let (first, last) = (FilePos(from).page().0, FilePos(to.saturating_sub(1).max(from)).page().0);
    match last - first {
        0 => format!("in page {first}"),
        1 => format!("in pages {first} and {last}"),
        _ => format!("in pages {first} to {last}"),
    }
}

/// Both pictures in one, since what is magnified hangs from what it is a part of.
pub fn alignment<S: Source>(facts: &Facts<'_, S>, room: f64, leads: Leads<'_>) -> Sheet {
    let label = "Samples of Summary.db over the pages of Index.db over the chunks of Data.db, and the chosen window magnified; \
                 the table of windows says the same";
    let mut sheet = Sheet::new(room, label.to_owned());
    let frame = files(&mut sheet, facts, leads);
    let from = sheet.scene.height;
    window(&mut sheet, facts, frame, from, leads);
    sheet
}

/// The three files. Gives left and right of the frame around what belongs to the window.
fn files<S: Source>(sheet: &mut Sheet, facts: &Facts<'_, S>, leads: Leads<'_>) -> (f64, f64) {
    let room = sheet.scene.width;
    let x = |at: u64| at.min(facts.index) as f64 / facts.index.max(1) as f64 * room;
    let xd = |at: u64| at.min(facts.data) as f64 / facts.data.max(1) as f64 * room;
    let (from, to) = (x(facts.window.from), x(facts.window.to));
    let (begin, end) = (xd(facts.window.data.0), xd(facts.window.data.1));
    let (mut left, mut right) = (from, to.max(from + 3.0));
    if facts.data > 0 {
        left = left.min(begin);
        right = right.max(end).max(begin + 3.0);
    }
    let frame = ((left - 3.0).max(0.5), (right + 3.0).min(room - 0.5));
    let mut y = 12.0;
    let mut top = y + 8.0;
    if let Some(samples) = &facts.samples {
        let name = match samples.source {
            SummarySource::File => "Summary.db",
            SummarySource::Sampled => "Summary in memory",
        };
        let size =
            format!("{}, {}", count(samples.count, "sample", "samples"), bytes(samples.bytes));
        let drawn = samples.ticks.len() as u64;
        let ticks = match drawn < samples.count {
            true => format!("a tick for one of {}", samples.count.div_ceil(drawn.max(1))),
            false => "a tick a sample, above the entry it points to".to_owned(),
        };
        let (long, short) =
            (format!("{size}, kept in memory: {ticks}"), format!("{size}: {ticks}"));
        y += sheet.caption(name, &[&long, &short, &size], y);
        let strip = Rect::new(0.0, y + 8.0, room, 18.0);
        top = strip.y;
        let (mut path, mut bad, mut last) = (Path::new(), Path::new(), -2.0);
        let mut before = 0;
        for (sample, at) in &samples.ticks {
            let right = at.is_some_and(|at| at < facts.index && (at > before || *sample == 0));
            match at.filter(|_| right) {
                Some(at) => {
                    before = at;
                    if x(at) - last >= 2.0 {
                        last = x(at);
                        path = path.rect(Rect::new(last.min(room - 1.5), strip.y + 2.0, 1.5, 16.0));
                    }
                }
                None => {
                    let near = *sample as f64 / samples.count.max(1) as f64 * room;
                    bad = bad.rect(Rect::new(near.min(room - 3.0), strip.y + 2.0, 3.0, 16.0));
                }
            }
        }
        sheet.path(path, "leg-tick");
        sheet.path(bad, "leg-bad");
        if facts.window.from < facts.index {
            let rect = Rect::new(from.min(room - 3.0), strip.y - 1.0, 3.0, 19.0);
            sheet.rect(rect, "lane-l");
        }
        sheet.path(Path::new().to(0.0, strip.bottom()).h(room), "ax");
        let cells = samples.count.min((room / 6.0) as u64).max(1);
        for cell in 0..cells {
            let sample = u128::from(cell) * u128::from(samples.count) / u128::from(cells);
            let left = cell as f64 / cells as f64 * room;
            let rect = Rect::new(left, strip.y, room / cells as f64, strip.h);
            sheet.lead(rect, (leads.sample)(u64::try_from(sample).unwrap_or(0)));
        }
        y = strip.bottom();
    }
    y += 18.0;
    let strip = Rect::new(0.0, y + 6.0, room, 22.0);
    pages(sheet, facts.index, y, strip, frame);
    sheet.rect(Rect::new(from.min(room - 3.0), strip.y, (to - from).max(3.0), strip.h), "lane-l");
    sheet.rect(strip, "leg-line");
    let mut bottom = strip.bottom();
    if facts.data > 0 {
        let data = Rect::new(0.0, bottom + 34.0, room, 22.0);
        let mut path = Path::new();
        for (at, lies) in &facts.joins {
            path = path.to(x(*at), bottom + 1.0).line(xd(*lies), data.y - 1.0);
        }
        sheet.path(path, "hl");
        sheet.rect(
            Rect::new(begin.min(room - 3.0), data.y, (end - begin).max(3.0), 22.0),
            "leg-part",
        );
        sheet.rect(data, "leg-line");
        chunks(sheet, facts, data, (begin, end));
        bottom = data.bottom();
    }
    sheet.rect(Rect::new(frame.0, top - 3.0, frame.1 - frame.0, bottom - top + 6.0), "sel");
    let pages = count(facts.index.div_ceil(PAGE_SIZE), "page", "pages");
    let index =
        format!("Index.db, {} in {pages}: {}.", bytes(facts.index), scale(facts.index, room));
    let data = match facts.chunk.filter(|_| facts.data > 0) {
        _ if facts.data == 0 => "How long Data.db is, is not known.".to_owned(),
        Some(chunk) => format!(
            "Data.db, {} decompressed in {} of {}: {}.",
            bytes(facts.data),
            count(facts.data.div_ceil(chunk), "chunk", "chunks"),
            bytes(chunk),
            scale(facts.data, room)
        ),
        None => {
            format!("Data.db, {}, not compressed: {}.", bytes(facts.data), scale(facts.data, room))
        }
    };
    y = bottom + 20.0;
    let both = format!("{index} {data}");
    if fit(&[&both], room, Face::Text).is_some() {
        sheet.text(&[&both], (0.0, room), y, Face::Text, "c");
    } else {
        let short = |text: &str| text.split(": ").next().unwrap_or_default().to_owned();
        sheet.text(&[&index, &short(&index)], (0.0, room), y, Face::Text, "c");
        y += 16.0;
        let last = format!("Data.db, {}", bytes(facts.data));
        sheet.text(&[&data, &short(&data), &last], (0.0, room), y, Face::Text, "c");
    }
    sheet.scene.height = y + 10.0;
    frame
}

/// Borders of pages where they can be told apart, and numbers of some.
fn pages(sheet: &mut Sheet, length: u64, y: f64, strip: Rect, frame: (f64, f64)) {
    let pages = length.div_ceil(PAGE_SIZE).max(1);
    let px = PAGE_SIZE as f64 / length.max(1) as f64 * strip.w;
    if px >= 4.0 {
        let mut path = Path::new();
        for page in 1..pages {
            path = path.to(page as f64 * px, strip.y).v(strip.bottom());
        }
        sheet.path(path, "ax");
    }
    let widest = width(&format!("page {pages}"), Face::Text) + 24.0;
    let step = [1, 2, 5, 10, 20, 50, 100, 200, 500]
        .into_iter()
        .find(|step| *step as f64 * px >= widest)
        .unwrap_or_else(|| (widest / px.max(1e-9)).ceil().max(1.0) as u64);
    let mut page = 0;
    while page < pages {
        let text = if page == 0 { "page 0".to_owned() } else { page.to_string() };
        let left = page as f64 * px + 4.0;
        let right = left + width(&text, Face::Text);
        let crossed = |edge: f64| edge > left - 3.0 && edge < right + 3.0;
        if !crossed(frame.0) && !crossed(frame.1) {
            sheet.text(&[&text], (left, strip.w), y, Face::Text, "c");
        }
        page += step;
    }
}

/// Borders of chunks and their numbers where there is room.
fn chunks<S: Source>(sheet: &mut Sheet, facts: &Facts<'_, S>, strip: Rect, dark: (f64, f64)) {
    let Some(chunk) = facts.chunk else { return };
    let px = chunk as f64 / facts.data.max(1) as f64 * strip.w;
    if px < 4.0 {
        return;
    }
    let mut path = Path::new();
    for no in 0..facts.data.div_ceil(chunk) {
        let left = no as f64 * px;
        path = path.to(left, strip.y).v(strip.bottom());
        let right = (left + px).min(strip.w);
        let (long, short) = (format!("chunk {no}"), no.to_string());
        let (begin, end) = (left + 6.0, right - 4.0);
        let Some(text) = fit(&[&long, &short], end - begin, Face::Text) else { continue };
        let ends = begin + width(text, Face::Text);
        if ends < dark.0 - 5.0 || begin > dark.1.max(dark.0 + 3.0) + 5.0 {
            sheet.text(&[text], (begin, end), strip.y + 15.5, Face::Text, "");
        }
    }
    sheet.path(path, "ax");
}

/// The window, magnified, over the part of Data.db that it covers.
fn window<S: Source>(
    sheet: &mut Sheet,
    facts: &Facts<'_, S>,
    frame: (f64, f64),
    top: f64,
    leads: Leads<'_>,
) {
    let room = sheet.scene.width;
    let window = &facts.window;
    let span = window.to.saturating_sub(window.from).max(1);
    let trapezoid = Path::new().to(frame.0, top).line(frame.1, top).line(room, top + 26.0);
    sheet.path(trapezoid.line(0.0, top + 26.0).close(), "zoom");
    let read = window.entries.len() as u64;
    let entries = match window.more || window.broken.is_some() {
        true => format!("the first {}", count(read, "entry", "entries")),
        false => count(read, "entry", "entries"),
    };
    let name = match &facts.samples {
        Some(samples) => format!("Window {}", number(samples.chosen, ',')),
        None => "Index.db".to_owned(),
    };
    let size = format!("{entries}, {}", bytes(span));
    let place = format!("{size} {}", in_pages(window.from, window.to));
    let long = match facts.index / span {
        0 | 1 => format!("{place}: {}", scale(span, room)),
        times => format!("{place}, magnified {} times: {}", number(times, ','), scale(span, room)),
    };
    let middle = format!("{place}: {}", scale(span, room));
    let mut y = top + 20.0;
    y += sheet.caption(&name, &[&long, &middle, &place, &size], y);
    let x = |at: u64| at.saturating_sub(window.from).min(span) as f64 / span as f64 * room;
    let strip = Rect::new(0.0, y + 26.0, room, 44.0);
    for_entries(sheet, facts, strip, &x);
    borders(sheet, (window.from, window.to), strip, &x);
    y = strip.bottom();
    let Some(chosen) = window.entries.get(facts.chosen) else {
        sheet.text(&["no entry can be read here"], (0.0, room), y + 18.0, Face::Text, "k");
        sheet.scene.height = y + 26.0;
        return;
    };
    let (left, right) = (x(chosen.at), x(chosen.end()).max(x(chosen.at) + 3.0));
    sheet.rect(Rect::new(left - 1.0, strip.y - 4.0, right - left + 2.0, strip.h + 8.0), "sel");
    let before = facts.chosen as u64 + 1;
    let (up_to, behind) = (number(before, ','), read.saturating_sub(before));
    let more = if window.more || window.broken.is_some() { "at least " } else { "" };
    let parsed = [
        format!("{} up to the chosen one", count(before, "entry", "entries")),
        format!("{up_to} up to it"),
        up_to,
    ];
    let left_out = [
        format!(
            "{more}{} behind it in the window, fetched with it",
            count(behind, "entry", "entries")
        ),
        format!("{more}{} behind it", number(behind, ',')),
        number(behind, ','),
    ];
    let lines = y + 10.0;
    let bracket = |from: f64, to: f64| {
        Path::new().to(from + 0.5, lines - 4.0).v(lines).h(to - 0.5).v(lines - 4.0)
    };
    sheet.path(bracket(0.0, right), "ax");
    if behind > 0 && room - right > 2.0 {
        sheet.path(bracket(right + 2.0, room), "ax");
    }
    let forms: Vec<&str> = parsed.iter().map(String::as_str).collect();
    let ends = sheet.text(&forms[..2], (0.0, room), y + 26.0, Face::Text, "k");
    let arrow_y = y + 30.0;
    if behind > 0 {
        let forms: Vec<&str> = left_out.iter().map(String::as_str).collect();
        let from = ends.max(right) + 16.0;
        match fit(&forms, room - from, Face::Text) {
            Some(_) => drop(sheet.text(&forms, (from, room), y + 26.0, Face::Text, "c")),
            None => sheet.ending(&forms, (ends + 12.0, room), y + 26.0, "c"),
        }
    }
    sheet.scene.height = y + 34.0;
    for (n, cell) in cells(&window.entries, &x) {
        sheet.lead(Rect::new(cell.0, strip.y, cell.1 - cell.0, strip.h), (leads.entry)(n));
    }
    if facts.data > 0 {
        partitions(sheet, facts, (left + right) / 2.0, arrow_y);
    }
}

/// The entries: keys pale, positions dark, promoted indexes as blocks; what lies behind the chosen one hatched.
fn for_entries<S: Source>(
    sheet: &mut Sheet,
    facts: &Facts<'_, S>,
    strip: Rect,
    x: &dyn Fn(u64) -> f64,
) {
    let entries = &facts.window.entries;
    let (mut keys, mut positions, mut promoted) = (Path::new(), Path::new(), Path::new());
    let (mut gaps, mut behind) = (Path::new(), None);
    let fine = entries.len() as f64 * 3.0 <= strip.w;
    let mut last = 0.0;
    for (n, entry) in entries.iter().enumerate() {
        let (left, right) = (x(entry.at), x(entry.end()));
        if n > facts.chosen {
            behind = behind.or(Some(left));
        }
        let parts = |at: u64| x(entry.at.saturating_add(at));
        let head = entry.head.len() as u64;
        let key = head.saturating_sub((entry.position.len() + entry.size.len()) as u64);
        if n == facts.chosen || (fine && n <= facts.chosen) {
            let (from, to) = (parts(key), parts(head));
            keys = keys.rect(Rect::new(left, strip.y, from - left, strip.h));
            positions = positions.rect(Rect::new(from, strip.y, (to - from).max(0.5), strip.h));
            if entry.promoted > 0 {
                promoted = promoted.rect(Rect::new(to, strip.y, (right - to).max(0.5), strip.h));
            }
        }
        if n > 0 && (fine || (n.is_multiple_of(50) && left - last >= 3.0)) {
            last = left;
            gaps = gaps.to(left, strip.y).v(strip.bottom());
        }
    }
    let all = entries.last().map_or(strip.w, |last| x(last.end()));
    sheet.rect(Rect::new(0.0, strip.y, all, strip.h), "soft-l");
    sheet.path(keys, "soft-l");
    sheet.path(promoted, "leg-pi");
    sheet.path(positions, "lane-l");
    if let Some(entry) = entries.get(facts.chosen) {
        let rect =
            Rect::new(x(entry.at), strip.y, (x(entry.end()) - x(entry.at)).max(2.0), strip.h);
        sheet.rect(rect, "lane-l");
    }
    if let Some(from) = behind {
        let rect = Rect::new(from, strip.y, all - from, strip.h);
        sheet.path(Path::new().hatch(rect, 6.0), "leg-hatch");
    }
    sheet.path(gaps, "leg-gap");
    if facts.window.broken.is_some() {
        sheet.rect(
            Rect::new(all.min(strip.w - 4.0), strip.y, (strip.w - all).max(4.0), strip.h),
            "leg-bad",
        );
    }
    sheet.rect(strip, "leg-line");
}

/// Where pages begin within a range, with their numbers above where there is room.
pub fn borders(sheet: &mut Sheet, (from, to): (u64, u64), strip: Rect, x: &dyn Fn(u64) -> f64) {
    let first = FilePos(from).page().0;
    let last = FilePos(to.saturating_sub(1).max(from)).page().0;
    let text = format!("page {first}");
    let room =
        if last > first { x((first + 1).saturating_mul(PAGE_SIZE)) - 6.0 } else { strip.right() };
    let ends = sheet.text(&[&text], (strip.x, room), strip.y - 8.0, Face::Text, "c");
    let mut right = if ends > strip.x { ends } else { -12.0 };
    let px = x(from.saturating_add(PAGE_SIZE).min(to)) - x(from);
    if px < 4.0 && last - first > 8 {
        return;
    }
    let mut path = Path::new();
    for page in first + 1..=last {
        let left = x(page.saturating_mul(PAGE_SIZE));
        path = path.to(left, strip.y - 6.0).v(strip.bottom() + 4.0);
        let text = format!("page {page}");
        if left > right + 12.0 {
            let ends =
                sheet.text(&[&text], (left + 4.0, strip.right()), strip.y - 8.0, Face::Text, "c");
            right = if ends > left + 4.0 { ends } else { right };
        }
    }
    sheet.path(path, "leg-page");
}

/// What a press on the strip finds: each entry, or the one at each few pixels.
fn cells<'e>(entries: &'e [Entry], x: &'e dyn Fn(u64) -> f64) -> Vec<(usize, (f64, f64))> {
    let mut cells: Vec<(usize, (f64, f64))> = Vec::new();
    for (n, entry) in entries.iter().enumerate() {
        let right = x(entry.end());
        let left = cells.last().map_or(x(entry.at), |(_, (_, right))| *right);
        if right - left >= 4.0 {
            cells.push((n, (left, right)));
        }
    }
    cells
}

/// The partitions that the entries point to.
fn partitions<S: Source>(sheet: &mut Sheet, facts: &Facts<'_, S>, from: f64, y: f64) {
    let room = sheet.scene.width;
    let window = &facts.window;
    let (begin, end) = window.data;
    let span = end.saturating_sub(begin).max(1);
    let x = |at: u64| at.saturating_sub(begin).min(span) as f64 / span as f64 * room;
    let strip = Rect::new(0.0, y + 26.0, room, 22.0);
    sheet.rect(strip, "wr");
    let mut gaps = Path::new();
    if window.entries.len() as f64 * 3.0 <= room {
        for entry in window.entries.iter().skip(1) {
            gaps = gaps.to(x(entry.data), strip.y).v(strip.bottom());
        }
    }
    sheet.path(gaps, "leg-gap");
    if let Some(entry) = window.entries.get(facts.chosen) {
        let next = window.entries.get(facts.chosen + 1).map_or(end, |next| next.data);
        let (left, right) = (x(entry.data), x(next).max(x(entry.data) + 3.0));
        let rect = Rect::new(left.min(room - 3.0), strip.y, right - left, strip.h);
        sheet.rect(rect, "leg-black");
        let to = (left + right) / 2.0;
        let to = to.min(room - 2.0);
        let path = Path::new().to(from, y + 4.0).v(y + 12.0).h(to).v(strip.y - 6.0);
        sheet.path(path, "ar thin");
        let tip = Path::new().to(to - 4.0, strip.y - 7.0).h(to + 4.0).line(to, strip.y - 1.0);
        sheet.path(tip.close(), "ard");
    }
    let read = window.entries.len() as u64;
    let range = format!("{}–{}", number(begin, ','), number(end.saturating_sub(1).max(begin), ','));
    let long = format!(
        "{range}: {}, {}, {}",
        count(read, "partition", "partitions"),
        bytes(span),
        scale(span, room)
    );
    let extra = sheet.caption("Data.db", &[&long, &range], strip.bottom() + 18.0);
    sheet.scene.height = strip.bottom() + 26.0 + extra;
}
