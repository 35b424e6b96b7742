//! Texts around the key box: what it takes, what it understood, what it suggests.

use crate::model::{Suggestions, Understood};
use triescope_core::keys::Token;
use triescope_core::lookup::words::number;
use triescope_core::table::TableFacts;

/// Most suggestions in the list.
const MOST: usize = 8;

/// What the box of the partition key takes: `int`, `int, text`, or hex where the types are not known.
pub fn key_type(facts: &TableFacts) -> String {
    if facts.key_types.is_empty() { "hex".to_owned() } else { facts.key_types.join(", ") }
}

/// What the box of the clustering key takes; `None` where there is no such box.
pub fn row_type(facts: &TableFacts) -> Option<String> {
    let columns = facts.clustering.as_ref().filter(|columns| !columns.is_empty())?;
    let column = |column: &triescope_core::table::ClusteringColumn| {
        if column.descending { format!("{} desc", column.cql) } else { column.cql.clone() }
    };
    let columns: Vec<String> = columns.iter().map(column).collect();
    facts.has_row_index.then(|| columns.join(", "))
}

/// The token as it is typed after `token:`, where the partitioner has tokens that are numbers.
pub fn token(token: &Token) -> Option<String> {
    match token {
        Token::Murmur3(token) => Some(token.to_string()),
        Token::Random(token) => Some(token.to_string()),
        Token::Key => None,
    }
}

/// What the text in the box means, or what is wrong with it: `Err` is a sentence. Nothing while that is being found out.
pub fn meaning(understood: Option<&Understood>, typed: &str) -> Option<Result<String, String>> {
    let understood = understood.filter(|understood| understood.key_text == typed)?;
    Some(match &understood.key {
        // Nothing typed yet is not wrong.
        Err(_) if typed.trim().is_empty() => Ok(String::new()),
        Err(why) => Err(why.clone()),
        Ok(key) => {
            let token = token(&key.token).map(|token| format!("token {token}"));
            let read = (key.text != typed.trim()).then(|| shorten(&key.text));
            Ok([read, token].into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
    })
}

/// The same for the clustering key.
pub fn row_meaning(understood: Option<&Understood>, typed: &str) -> Option<Result<String, String>> {
    let understood = understood.filter(|known| known.row_text.as_deref() == Some(typed))?;
    Some(match understood.row.as_ref()? {
        Err(why) => Err(why.clone()),
        Ok(row) if row.text == typed.trim() => Ok(String::new()),
        Ok(row) => Ok(shorten(&row.text)),
    })
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    let head: String = text.chars().take(36).collect();
    format!("{head}…")
}

/// The suggestions that begin as the text does, quotes left out of account; all of them for no text.
pub fn matching<'a>(suggestions: &'a Suggestions, typed: &str) -> Vec<&'a str> {
    let bare = |text: &str| text.trim().trim_start_matches('\'').to_ascii_lowercase();
    let typed = bare(typed);
    let fits = |key: &&str| bare(key).starts_with(&typed);
    suggestions.keys.iter().map(String::as_str).filter(fits).take(MOST).collect()
}

/// What the suggestions are.
pub fn origin(suggestions: &Suggestions) -> String {
    let count = number(suggestions.keys.len() as u64, ',');
    match suggestions.from {
        Some(part) if suggestions.all => format!("all {count} keys, from {part}"),
        Some(part) => format!("of the first {count} keys, from {part}"),
        None => "the first and the last key".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triescope_core::race::KeyFacts;
    use triescope_core::table::Part;

    fn understood(text: &str, key: Result<&str, &str>) -> Understood {
        let facts = |text: &str| KeyFacts {
            text: text.into(),
            bytes: vec![1].into(),
            token: Token::Murmur3(-5),
            comparable: vec![1].into(),
            parts: Vec::new(),
        };
        Understood {
            key_text: text.into(),
            row_text: None,
            key: key.map(facts).map_err(str::to_owned),
            row: None,
        }
    }

    #[test]
    fn the_token_is_said_and_the_reading_where_it_is_not_what_was_typed() {
        let plain = understood("42", Ok("42"));
        assert_eq!(meaning(Some(&plain), "42"), Some(Ok("token -5".into())));
        let hex = understood("0x2a", Ok("42"));
        assert_eq!(meaning(Some(&hex), "0x2a"), Some(Ok("42, token -5".into())));
        let wrong = understood("17x", Err("no int"));
        assert_eq!(meaning(Some(&wrong), "17x"), Some(Err("no int".into())));
        let empty = understood("", Err("no int"));
        assert_eq!(meaning(Some(&empty), ""), Some(Ok(String::new())));
    }

    #[test]
    fn an_answer_to_an_older_text_says_nothing() {
        assert_eq!(meaning(Some(&understood("4", Ok("4"))), "42"), None);
        assert_eq!(meaning(None, "42"), None);
    }

    #[test]
    fn suggestions_begin_as_the_text_and_say_where_they_come_from() {
        let keys = ["'user:1'", "'user:12'", "'other'"].map(str::to_owned).to_vec();
        let mut all = Suggestions { keys, from: Some(Part::Index), all: false };
        assert_eq!(matching(&all, "user:1"), ["'user:1'", "'user:12'"]);
        assert_eq!(matching(&all, "'USER:12"), ["'user:12'"]);
        assert_eq!(matching(&all, "").len(), 3);
        assert_eq!(origin(&all), "of the first 3 keys, from Index.db");
        all.from = None;
        assert_eq!(origin(&all), "the first and the last key");
    }
}
