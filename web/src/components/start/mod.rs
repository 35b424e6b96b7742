//! Start view: where files are dropped or picked, what was recognised among them, and the samples.

mod drop_zone;
mod gallery;
mod recognised;
mod set_table;
mod strangers;
mod view;

pub use view::start_view;
