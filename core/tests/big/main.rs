//! The legacy index against the answers of Cassandra's own readers, other people's files, hand-worked page counts, and
//! damage.

mod cells;
mod damage;
mod expected;
mod files;
mod pages;
mod pieces;
mod scylla;
mod summaries;
mod upstream;
