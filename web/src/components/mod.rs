//! Yew components, one a file. Views get values and send intents; the frame owns the rest.

pub mod app;
mod bar;
pub mod board;
mod help;
pub mod icons;
pub mod keybox;
pub mod lookup;
pub mod matters;
mod onebox;
pub mod overview;
mod pickers;
pub mod picture;
mod scrub;
pub mod spans;
pub mod start;
mod status;
mod transport;
mod view;
mod which;
