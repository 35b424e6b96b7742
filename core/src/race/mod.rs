//! One key looked up in both indexes: from typed text to two records, and means over many keys.

mod contest;
mod means;
mod model;
mod names;
mod pick;
mod run;
mod seed;
mod stop;
mod variety;

pub use contest::{Contest, Ends, Prepared};
pub use means::MeansJob;
pub use model::*;
pub use names::TableNames;
pub use pick::{Wanted, pick};
pub use run::{WARM_KEYS, key_facts, row_facts, run};
pub use seed::SplitMix64;
pub use stop::{SampleWanted, Stop};
pub use variety::vary;
