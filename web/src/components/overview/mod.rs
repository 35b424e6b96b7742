//! Overview: the components at true scale, the two indexes in numbers, and where to go next.

mod components;
mod next;
mod numbers;
mod readers;
mod view;

pub use view::overview_view;
