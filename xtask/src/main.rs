//! The tasks of this project, one table of commands.
fn main() {}
