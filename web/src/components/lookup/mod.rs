//! The lookup screen, from values alone: see [`crate::views::LookupProps`].

mod empty;
mod lane;
mod phone;
mod picture;
mod side;
mod steps;
mod table;
mod view;

pub use lane::say;
pub use steps::{SharedNames, keep_in_sight};
pub use view::LookupView;
