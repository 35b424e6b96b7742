//! The row above the lanes: the key, what to try, and how it is looked up.

mod combo;
mod options;
mod row;
mod tries;

pub use combo::Combo;
pub use row::{KeyBox, KeyBoxProps};

/// Id of the box of the partition key, where `/` leads.
pub const KEY_ID: &str = "key";
