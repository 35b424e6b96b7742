//! What is said of an index that was built from the other one.

use crate::model::TwinWords;
use crate::words::mean;

/// `built in 0.4 s from Index.db alone, blocks of 16 KiB`.
pub fn built(words: &TwinWords) -> String {
    let blocks = words.blocks.as_ref().map_or(String::new(), |blocks| format!(", {blocks}"));
    format!("built in {} from {}{blocks}", time(words.millis), words.from)
}

/// What had to be assumed, as a sentence; `None` where the source determines everything.
pub fn assumed(words: &TwinWords) -> Option<String> {
    (!words.assumed.is_empty()).then(|| format!("Assumed: {}.", words.assumed.join("; ")))
}

/// `35 ms`, `0.4 s`.
fn time(millis: u64) -> String {
    match mean(millis, 1000, 1) {
        Some(seconds) if millis >= 100 => format!("{seconds} s"),
        _ => format!("{millis} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twin_says_what_it_was_built_from_how_long_that_took_and_what_was_assumed() {
        let from = "Index.db alone".to_owned();
        let words = TwinWords { from, blocks: None, assumed: Vec::new(), millis: 35 };
        assert_eq!(built(&words), "built in 35 ms from Index.db alone");
        assert_eq!(assumed(&words), None);
        let words = TwinWords {
            blocks: Some("blocks of 16 KiB".into()),
            assumed: vec!["a".into(), "b".into()],
            millis: 449,
            ..words
        };
        assert_eq!(built(&words), "built in 0.4 s from Index.db alone, blocks of 16 KiB");
        assert_eq!(assumed(&words).as_deref(), Some("Assumed: a; b."));
    }
}
