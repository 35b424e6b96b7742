//! SSTables that no database wrote: made here, byte by byte, where a real one would be too large to ship.

mod statistics;
mod wide;

pub use wide::{Estimate, Progress, Wide, WideJob};
