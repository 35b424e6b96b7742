//! CQL types and values: marshal class names, text to bytes and back. See `docs/format/keys.md`.
//!
//! Reading a type never fails (what is not understood is kept by name, its values are shown as bytes), and writing a
//! value as text never fails either; only what a person types can be wrong, and then [`LiteralError`] says what was
//! expected.

mod calendar;
mod duration;
mod float;
mod json;
mod literal;
mod marshal;
mod number;
mod scan;
mod text;
mod types;
pub(crate) mod wire;

pub use json::{to_bare, write_json, write_json_string};
pub(crate) use literal::term;
pub use literal::{LiteralError, parse_literal};
pub(crate) use marshal::key_columns;
pub(crate) use scan::{Scanner, after_0x, hex, push_hex};
pub use text::{to_text, to_text_or_null};
pub use types::{ColumnType, CqlType, UserType};
