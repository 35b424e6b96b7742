//! Links of boards: the address that is shown, with one thing changed.

use crate::board::{BoardAsk, with};

/// The links of a board: addresses with one thing changed.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a>(pub &'a BoardAsk);

impl Links<'_> {
    /// The address of a query.
    pub fn to(self, query: &str) -> String {
        let mark = if self.0.place.contains('?') { '&' } else { '?' };
        match query.is_empty() {
            true => self.0.place.clone(),
            false => format!("{}{mark}{query}", self.0.place),
        }
    }

    /// The address with another value of one name.
    pub fn with(self, name: &str, value: Option<&str>) -> String {
        self.to(&with(&self.0.query, name, value))
    }

    /// The address of a step.
    pub fn step(self, step: u64) -> String {
        self.with("step", Some(&step.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::address::View;

    fn ask(query: &str) -> BoardAsk {
        BoardAsk {
            view: View::Packing,
            tables: (None, None),
            place: "#/packing".into(),
            query: query.into(),
            keys: None,
            width: 1440,
            height: 700,
        }
    }

    #[test]
    fn links_change_one_thing() {
        let mut asked = ask("writer=scylla&step=3");
        assert_eq!(Links(&asked).step(4), "#/packing?writer=scylla&step=4");
        assert_eq!(Links(&asked).with("rows", None), "#/packing?writer=scylla");
        asked.place = "#/s/p20k/packing?key=5".into();
        assert_eq!(Links(&asked).step(4), "#/s/p20k/packing?key=5&writer=scylla&step=4");
    }
}
