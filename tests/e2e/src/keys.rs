//! Keys as the browser wants them described.

use serde_json::{Value, json};

/// A key that a test presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// What types one character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Tab, to the next thing.
    Tab,
    /// Shift and Tab, to the thing before.
    BackTab,
    /// Arrow to the left.
    Left,
    /// Arrow to the right.
    Right,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Delete.
    Delete,
    /// Control and A.
    SelectAll,
}

/// Bit of the Control key in `modifiers`.
const CONTROL: u32 = 2;
/// Bit of the Shift key in `modifiers`.
const SHIFT: u32 = 8;

impl Key {
    /// The DevTools events of pressing and releasing it.
    pub fn events(self) -> Vec<Value> {
        let (key, code, number, text, modifiers) = self.described();
        let kind = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let event = |kind: &str| json!({ "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers });
        let mut down = event(kind);
        if !text.is_empty() {
            down["text"] = json!(text);
        }
        if self == Key::SelectAll {
            down["commands"] = json!(["selectAll"]);
        }
        vec![down, event("keyUp")]
    }

    /// `key`, `code`, virtual key number, text it types, modifiers.
    fn described(self) -> (String, String, u32, String, u32) {
        let plain =
            |name: &str, number: u32| (name.to_owned(), name.to_owned(), number, String::new(), 0);
        match self {
            Key::Char(' ') => (" ".to_owned(), "Space".to_owned(), 32, " ".to_owned(), 0),
            Key::Char(letter) => {
                let upper = letter.to_ascii_uppercase();
                let code = match upper {
                    'A'..='Z' => format!("Key{upper}"),
                    '0'..='9' => format!("Digit{upper}"),
                    '/' => "Slash".to_owned(),
                    ',' => "Comma".to_owned(),
                    '.' => "Period".to_owned(),
                    _ => String::new(),
                };
                // Punctuation has numbers of its own; as character numbers they would be arrows and the like.
                let number = if upper.is_ascii_alphanumeric() { u32::from(upper) } else { 0 };
                let shifted = letter.is_ascii_uppercase()
                    || matches!(letter, '<' | '>' | '?' | '(' | ')' | '\'' | '"' | ':');
                (
                    letter.to_string(),
                    code,
                    number,
                    letter.to_string(),
                    if shifted { SHIFT } else { 0 },
                )
            }
            Key::Enter => ("Enter".to_owned(), "Enter".to_owned(), 13, "\r".to_owned(), 0),
            Key::Escape => plain("Escape", 27),
            Key::Tab => plain("Tab", 9),
            Key::BackTab => ("Tab".to_owned(), "Tab".to_owned(), 9, String::new(), SHIFT),
            Key::Left => plain("ArrowLeft", 37),
            Key::Right => plain("ArrowRight", 39),
            Key::Up => plain("ArrowUp", 38),
            Key::Down => plain("ArrowDown", 40),
            Key::Home => plain("Home", 36),
            Key::End => plain("End", 35),
            Key::Delete => plain("Delete", 46),
            Key::SelectAll => ("a".to_owned(), "KeyA".to_owned(), 65, String::new(), CONTROL),
        }
    }
}
