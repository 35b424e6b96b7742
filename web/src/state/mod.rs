//! What the page knows and how it changes, without a browser: intents, reducer, address, clock, keys, supervisor.

pub mod address;
pub mod clock;
pub mod intent;
pub mod keymap;
pub mod keytext;
mod percent;
pub mod samples;
pub mod store;
pub mod supervisor;
pub mod told;
