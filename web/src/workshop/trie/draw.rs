//! A picture whose marks lead to addresses, and whose labels never lie on each other.

use super::query::Query;
use crate::layout::{Anchor, Face, Mark, Rect, Scene, fit, width};
use crate::workshop::html::picture;
use crate::workshop::links::Links;
use triescope_core::pos::FilePos;

/// A picture in the making.
pub struct Draw<'a> {
    /// The marks so far.
    pub scene: Scene,
    leads: Vec<String>,
    boxes: Vec<Rect>,
    links: Links<'a>,
    query: &'a Query,
}

impl<'a> Draw<'a> {
    /// An empty one.
    pub fn new(width: f64, links: Links<'a>, query: &'a Query) -> Self {
        let scene = Scene { width, ..Scene::default() };
        Self { scene, leads: Vec::new(), boxes: Vec::new(), links, query }
    }

    /// The number of an address.
    fn lead(&mut self, to: String) -> u32 {
        self.leads.push(to);
        u32::try_from(self.leads.len() - 1).unwrap_or(u32::MAX)
    }

    /// The number of the address with another query.
    pub fn to(&mut self, query: &Query) -> u32 {
        let to = self.links.to(&query.print());
        self.lead(to)
    }

    /// The number of the address with a node selected.
    pub fn node(&mut self, path: Option<&[u8]>, at: FilePos) -> u32 {
        let query = match path {
            Some(path) => self.query.selecting(path, at),
            None => Query {
                path: None,
                open: None,
                find: None,
                others: None,
                node: Some(at),
                page: Some(at.page()),
                ..self.query.clone()
            },
        };
        self.to(&query)
    }

    /// Adds a mark.
    pub fn push(&mut self, mark: Mark) {
        self.scene.push(mark);
    }

    /// A filled rectangle.
    pub fn fill(&mut self, rect: Rect, class: &'static str) {
        self.push(Mark::rect(rect, class));
    }

    /// Adds a label where it fits into `room` and lies on no other; says where it ends.
    pub fn label(
        &mut self,
        x: f64,
        y: f64,
        text: &str,
        face: Face,
        class: &'static str,
        anchor: Anchor,
    ) -> Option<f64> {
        let mark = Mark::text(x, y, text, face, class).anchored(anchor);
        let here = mark.text_box()?;
        let room = Rect::new(here.x - 3.0, here.y, here.w + 6.0, here.h);
        let fits = here.x >= -0.5
            && here.right() <= self.scene.width + 0.5
            && self.boxes.iter().all(|other| !room.overlaps(*other));
        if !fits {
            return None;
        }
        self.boxes.push(here);
        self.push(mark);
        Some(here.right())
    }

    /// A label from its start, in the first of its forms that fits before `right`.
    pub fn words(
        &mut self,
        (x, right): (f64, f64),
        y: f64,
        forms: &[&str],
        face: Face,
        class: &'static str,
    ) -> Option<f64> {
        let text = fit(forms, right - x, face)?;
        self.label(x, y, text, face, class, Anchor::Start)
    }

    /// The picture as HTML, and the scene.
    pub fn done(mut self, height: f64, label: String) -> (String, Scene) {
        self.scene.height = height;
        self.scene.label = label;
        let leads = self.leads;
        let html =
            picture(&self.scene, &|hit| leads.get(hit as usize).cloned().unwrap_or_default());
        (html, self.scene)
    }
}

/// How wide a text is, with some room.
pub fn room(text: &str, face: Face) -> f64 {
    width(text, face) + 8.0
}
