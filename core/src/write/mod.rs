//! What the writers of both indexes share: where their bytes go, and what they refuse.

mod error;
mod sink;

pub use error::WriteError;
pub use sink::Sink;
