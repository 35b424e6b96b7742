//! The worker: what is asked of it, how that crosses over, where its bytes come from, and the work itself.

pub mod frames;
pub mod jobs;
pub mod open;
pub mod protocol;
pub mod suggest;
#[cfg(test)]
mod tests;
pub mod windows;
pub mod world;

#[cfg(target_arch = "wasm32")]
pub mod blob;
#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod codec;
#[cfg(target_arch = "wasm32")]
pub mod desk;
#[cfg(target_arch = "wasm32")]
pub mod lookups;
#[cfg(target_arch = "wasm32")]
pub mod serve;
