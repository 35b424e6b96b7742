//! One key looked up in both indexes: from typed text to two records, and means over many keys.

mod model;
mod names;
mod seed;
mod variety;

pub use model::*;
pub use names::TableNames;
pub use seed::SplitMix64;
pub use variety::vary;
