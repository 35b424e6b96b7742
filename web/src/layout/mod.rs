//! Where things are drawn: pure functions from data and a width to a [`Scene`] of marks, in CSS pixels. No browser here,
//! so all of it is tested natively.

pub mod lookup;
pub mod overview;
pub mod packing;
mod path;
mod scene;
pub mod scrub;
mod svg;
mod text;

pub use path::{Path, px};
pub use scene::{Anchor, Mark, Rect, Scene, Shape};
pub use svg::{anchor, face, state, svg};
pub use text::{Face, fit, width};
