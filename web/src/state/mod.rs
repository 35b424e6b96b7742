//! What the page knows and how it changes, without a browser: intents, reducer, address, clock, supervisor.

pub mod intent;
