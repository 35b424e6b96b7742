//! The worker: what is asked of it, how that crosses over, where its bytes come from.

pub mod windows;
