//! The part of the legacy lane that costs no fetch: filter, ends of the table, samples and their bisection.

use super::filter;
use super::ladder::{self, Probe};
use super::pen::{CAPTION, INK, Pen, STRONG, n};
use crate::layout::path::Path;
use crate::layout::{Face, Rect, fit, width};
use crate::state::intent::Side;
use triescope_core::lookup::{
    BoundsStep, Cmp, Record, Step, SummaryProbeStep, SummarySource, WindowStep,
};
use triescope_core::race::{LegacyLane, LegacyReader};

/// What the summary's corner of the picture needs from a record.
pub struct Summary<'a> {
    bounds: Option<(usize, &'a BoundsStep)>,
    probes: Vec<(usize, &'a SummaryProbeStep)>,
    window: Option<(usize, &'a WindowStep)>,
}

impl<'a> Summary<'a> {
    /// Of a record of the legacy lane.
    pub fn of(record: &'a Record) -> Self {
        let mut out = Self { bounds: None, probes: Vec::new(), window: None };
        for (at, step) in record.steps.iter().enumerate() {
            match step {
                Step::Bounds(bounds) => out.bounds = Some((at, bounds)),
                Step::SummaryProbe(probe) => out.probes.push((at, probe)),
                Step::Window(window) if !window.for_next_partition => {
                    out.window = out.window.or(Some((at, window)));
                }
                _ => {}
            }
        }
        out
    }

    /// Draws it into a column of this width from the upper left corner; gives its height and, where a window follows,
    /// the step and the height at which the arrow to it starts.
    pub fn draw(
        &self,
        pen: &mut Pen,
        lane: &LegacyLane,
        x: f64,
        y: f64,
        room: f64,
    ) -> (f64, Option<(usize, f64)>) {
        let mut top = y;
        if let Some((at, step)) = filter::step(&lane.lane.record) {
            filter::draw(pen, x, top + 12.0, at, step, Side::Legacy);
            top += 20.0;
        }
        if let Some((at, bounds)) = self.bounds {
            pen.ahead(at).text(x, top + 12.0, bounds_say(bounds), INK);
            pen.hit(Rect::new(x, top, room, 16.0), at);
            top += 20.0;
            if self.window.is_none() {
                return (top - y, None);
            }
        }
        pen.always();
        let samples = if lane.samples == 1 {
            "1 sample".to_owned()
        } else {
            format!("{} samples", n(lane.samples))
        };
        let title = match lane.summary {
            SummarySource::File => format!("Summary.db, {samples}"),
            SummarySource::Sampled => format!("Summary in memory, {samples}"),
        };
        pen.text(x, top + 12.0, title, STRONG);
        for line in self.notes(lane, room) {
            top += 16.0;
            pen.text(x, top + 12.0, line, CAPTION);
        }
        top += 20.0;
        top += self.draw_samples(pen, lane, x, top, room) + 6.0;
        let Some((at, window)) = self.window else { return (top - y, None) };
        top += 14.0;
        pen.at(at);
        let lines = window_says(window, room);
        let count = lines.len();
        for (i, line) in lines.into_iter().enumerate() {
            pen.text(x, top + 16.0 * i as f64, line, INK);
        }
        pen.hit(Rect::new(x, top - 12.0, room, 16.0 * count as f64), at);
        (top + 16.0 * (count - 1) as f64 + 6.0 - y, Some((at, top - 4.0)))
    }

    fn notes(&self, lane: &LegacyLane, room: f64) -> Vec<String> {
        let forms: Vec<String> = match (lane.summary, lane.own_samples) {
            (SummarySource::File, _) => vec!["resident, bisected in memory".to_owned()],
            (SummarySource::Sampled, Some(own)) => {
                let long = format!("ScyllaDB’s sampling; the file’s own has {}", n(own));
                if width(&long, Face::Text) <= room {
                    vec![long]
                } else {
                    return vec![
                        "ScyllaDB’s sampling of these keys;".to_owned(),
                        format!("the file’s own has {} samples", n(own)),
                    ];
                }
            }
            (SummarySource::Sampled, None) => vec![match lane.reader {
                LegacyReader::Scylla => "ScyllaDB’s sampling; no Summary.db read".to_owned(),
                LegacyReader::Cassandra => "Cassandra’s sampling; no Summary.db read".to_owned(),
            }],
        };
        let fits = fit(&forms.iter().map(String::as_str).collect::<Vec<_>>(), room, Face::Text);
        fits.map_or_else(|| vec!["sampled in memory".to_owned()], |text| vec![text.to_owned()])
    }

    fn draw_samples(&self, pen: &mut Pen, lane: &LegacyLane, x: f64, y: f64, room: f64) -> f64 {
        let count = lane.samples.max(1) as f64;
        let words = 38.0;
        let bar = room - words;
        let unit = bar / count;
        pen.always();
        if unit >= 4.0 {
            let mut cells = Path::new();
            for i in 0..lane.samples {
                cells = cells.rect(Rect::new(x + i as f64 * unit + 0.5, y, unit - 1.0, 14.0));
            }
            pen.path(cells, "soft-l");
        } else {
            pen.rect(Rect::new(x, y, bar, 14.0), "soft-l");
        }
        if let Some((at, WindowStep { sample: Some(sample), .. })) = self.window {
            let w = unit.max(2.5);
            let left = (x + *sample as f64 * unit).min(x + bar - w);
            pen.at(at).rect(Rect::new(left, y, w, 14.0), "lane-l");
        }
        let probes: Vec<Probe> = self
            .probes
            .iter()
            .map(|&(step, probe)| Probe {
                step,
                from: x + probe.low as f64 * unit,
                to: x + probe.high as f64 * unit,
                at: x + (probe.sample as f64 + 0.5) * unit,
            })
            .collect();
        let rows = if probes.len() <= 8 { ladder::WORDED } else { ladder::TIGHT };
        let height = ladder::draw(pen, &probes, rows, y + 20.0);
        if probes.len() <= 8 {
            for (i, &(step, probe)) in self.probes.iter().enumerate() {
                let word = match probe.cmp {
                    Cmp::Smaller => "left",
                    Cmp::Greater => "right",
                    Cmp::Equal => "equal",
                };
                pen.at(step).text(x + bar + 6.0, y + 31.0 + rows.pitch * i as f64, word, CAPTION);
            }
        }
        20.0 + height
    }
}

fn bounds_say(bounds: &BoundsStep) -> &'static str {
    match (bounds.against_first, bounds.against_last) {
        (Cmp::Smaller, _) => "before the first key: absent",
        (_, Some(Cmp::Greater)) => "after the last key: absent",
        _ => "between first and last key",
    }
}

fn window_says(window: &WindowStep, room: f64) -> Vec<String> {
    let (from, to) = (n(window.from.0), n(window.to.0));
    let (head, tail) = match (window.sample, window.entries) {
        (None, _) => ("before sample 0:".to_owned(), format!("window {from}–{to}")),
        (Some(sample), Some(_)) => (format!("sample {}:", n(sample)), format!("scan from {from}")),
        (Some(sample), None) => (format!("sample {}:", n(sample)), format!("window {from}–{to}")),
    };
    let whole = format!("{head} {tail}");
    if width(&whole, Face::Text) <= room { vec![whole] } else { vec![head, tail] }
}
