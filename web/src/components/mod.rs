//! Yew components, one a file. Views get values and send intents; the frame owns the rest.

pub mod app;
pub mod bar;
pub mod icons;
pub mod status;

// The views live in folders of their own: `start`, `overview`, `lookup`.
