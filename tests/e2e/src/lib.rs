//! Drives the built page in a real browser: what the end-to-end tests and the screenshots share.
//!
//! Things are found as a screen reader finds them, by role and name, and used as a person uses them, by pointer and
//! keyboard events of the browser itself. The product has no hooks for tests.

pub mod audit;
pub mod contrast;
pub mod driver;
pub mod files;
pub mod judge;
pub mod keys;
pub mod other;
pub mod page;
pub mod run;
pub mod screen;
pub mod screens;
pub mod session;
pub mod site;
