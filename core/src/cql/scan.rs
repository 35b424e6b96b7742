//! Takes typed text apart: words, quoted text, hexadecimal.

/// What is left of a typed text.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    /// The text from the next character on.
    pub(crate) rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Whether only blanks are left.
    pub(crate) fn is_done(&self) -> bool {
        self.rest.trim_start().is_empty()
    }

    /// The next character that is no blank.
    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.trim_start().chars().next()
    }

    /// Passes over `token`, and says whether it was there.
    pub(crate) fn eat(&mut self, token: char) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Everything before the first of `stops`, without blanks around it.
    pub(crate) fn word(&mut self, stops: &[char]) -> &'a str {
        let end = self.rest.find(stops).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.trim()
    }

    /// A text in single quotes (a quote in it is doubled) or between `$$`; `None` when none begins here, or when it
    /// does not end: then nothing is consumed.
    pub(crate) fn quoted(&mut self) -> Option<String> {
        let text = self.rest.trim_start();
        if let Some(body) = text.strip_prefix("$$") {
            let (inner, rest) = body.split_once("$$")?;
            self.rest = rest;
            return Some(inner.to_owned());
        }
        self.between(text, '\'')
    }

    /// A name: a word, or anything in double quotes.
    pub(crate) fn name(&mut self, stops: &[char]) -> String {
        let text = self.rest.trim_start();
        match self.between(text, '"') {
            Some(name) => name,
            None => self.word(stops).to_ascii_lowercase(),
        }
    }

    fn between(&mut self, text: &'a str, quote: char) -> Option<String> {
        let mut body = text.strip_prefix(quote)?;
        let mut inner = String::new();
        loop {
            let (part, rest) = body.split_once(quote)?;
            inner.push_str(part);
            match rest.strip_prefix(quote) {
                Some(after) => {
                    inner.push(quote);
                    body = after;
                }
                None => {
                    self.rest = rest;
                    return Some(inner);
                }
            }
        }
    }
}

/// The bytes of hexadecimal digits, two each; `None` when there are other characters or an odd number of digits.
pub(crate) fn hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    if !odd.is_empty() {
        return None;
    }
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// What stands after `0x`, when the text begins so.
pub(crate) fn after_0x(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// Appends bytes as `0x…`.
pub(crate) fn push_hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    out.push_str("0x");
    for byte in bytes {
        out.extend(DIGITS.get(usize::from(byte >> 4)));
        out.extend(DIGITS.get(usize::from(byte & 15)));
    }
}
