//! What makes an SSTable: its components, its version, and how files become one.

mod facts;
mod part;
mod version;

pub use facts::*;
pub use part::Part;
pub use version::{IndexKind, Product, Version};
