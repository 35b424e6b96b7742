//! Where things are drawn: pure functions from data and a width to a [`Scene`] of marks, in CSS pixels. No browser here,
//! so all of it is tested natively.

pub mod overview;
mod scene;
mod text;

pub use scene::{Anchor, Mark, Rect, Scene, Shape};
pub use text::{Face, fit, width};
