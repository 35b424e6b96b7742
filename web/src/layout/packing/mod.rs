//! The pictures of the packing: the rightmost path, finished subtrees by size, the page being filled, the file so far.
//!
//! They are laid out in the workshop and painted by the page. What each takes is plain data with sizes in bytes; a mark
//! with a hit number leads to the step of that number plus one.

mod file;
mod page;
mod stack;
mod subtrees;

pub use file::{FileSoFar, file};
pub use page::{Filling, Piece, page};
pub use stack::{Kid, Level, stack};
pub use subtrees::{Bar, Heap, State, subtrees};

use triescope_core::lookup::words::number;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// The mark of a step, counted from 1: what a click on a mark leads to.
fn hit(step: Option<u64>) -> Option<u32> {
    u32::try_from(step?.checked_sub(1)?).ok()
}

/// `4,096`.
fn n(number_of: u64) -> String {
    number(number_of, ',')
}

/// Bytes as a length for arithmetic on pixels.
#[expect(clippy::cast_precision_loss, reason = "pictures round to hundredths of a pixel")]
fn f(bytes: u64) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests;
