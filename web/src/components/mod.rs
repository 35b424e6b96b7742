//! Yew components, one a file. Views get values and send intents; the frame owns the rest.

pub mod app;
pub mod bar;
pub mod icons;
pub mod lookup;
pub mod matters;
pub mod overview;
pub mod picture;
pub mod spans;
pub mod start;
pub mod status;
