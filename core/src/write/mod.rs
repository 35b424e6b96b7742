//! What the writers of both indexes share: where their bytes go, and what they refuse.

mod error;
mod few;
mod sink;

pub(crate) use error::Hex;
pub use error::WriteError;
pub(crate) use few::append_few;
pub use sink::Sink;
