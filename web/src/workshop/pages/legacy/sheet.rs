//! A picture being drawn: marks, and the addresses that some of them lead to.

use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, fit, width};

/// A picture, and where its marks lead.
#[derive(Debug, Default)]
pub struct Sheet {
    /// The picture.
    pub scene: Scene,
    /// Addresses, by the numbers of the hits.
    pub leads: Vec<String>,
}

impl Sheet {
    /// An empty picture of this width.
    pub fn new(width: f64, label: String) -> Self {
        Self { scene: Scene { width, label, ..Scene::default() }, leads: Vec::new() }
    }

    /// A rectangle.
    pub fn rect(&mut self, rect: Rect, class: &'static str) {
        self.scene.push(Mark::rect(rect, class));
    }

    /// A path, where there is something in it.
    pub fn path(&mut self, path: Path, class: &'static str) {
        if !path.is_empty() {
            self.scene.push(Mark::path(path, class));
        }
    }

    /// A place that leads to an address.
    pub fn lead(&mut self, rect: Rect, to: String) {
        let hit = u32::try_from(self.leads.len()).unwrap_or(u32::MAX);
        self.scene.push(Mark::rect(rect, "hit").hit(hit));
        self.leads.push(to);
    }

    /// The longest of these texts that fits between `x` and `to`; gives its right edge, or `x` where none fits.
    pub fn text(
        &mut self,
        forms: &[&str],
        (x, to): (f64, f64),
        y: f64,
        face: Face,
        class: &'static str,
    ) -> f64 {
        let Some(text) = fit(forms, to - x, face) else { return x };
        self.scene.push(Mark::text(x, y, text, face, class));
        x + width(text, face)
    }

    /// The longest of these texts, so that it ends at `x` and begins not before `from`.
    pub fn ending(&mut self, forms: &[&str], (from, x): (f64, f64), y: f64, class: &'static str) {
        if let Some(text) = fit(forms, x - from, Face::Text) {
            let mark = Mark::text(x, y, text, Face::Text, class).anchored(Anchor::End);
            self.scene.push(mark);
        }
    }

    /// A name, and behind it what there is to say; on narrow pictures below it. Gives the height.
    pub fn caption(&mut self, name: &str, forms: &[&str], y: f64) -> f64 {
        let right = self.text(&[name], (0.0, self.scene.width), y, Face::Strong, "s") + 8.0;
        let room = self.scene.width;
        if fit(forms, room - right, Face::Text).is_some() {
            self.text(forms, (right, room), y, Face::Text, "c");
            return 0.0;
        }
        self.text(forms, (0.0, room), y + 16.0, Face::Text, "c");
        16.0
    }
}
