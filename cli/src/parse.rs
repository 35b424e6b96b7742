//! Texts of the command line that are neither keys nor names.

use triescope_core::pos::PAGE_SIZE;
use triescope_core::table::Version;

/// A number of bytes: `65536`, `64K`, `1M`, `2G`, with powers of 1024.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.trim().to_ascii_uppercase() {
        text if text.ends_with('K') => (text[..text.len() - 1].to_owned(), 1 << 10),
        text if text.ends_with('M') => (text[..text.len() - 1].to_owned(), 1 << 20),
        text if text.ends_with('G') => (text[..text.len() - 1].to_owned(), 1 << 30),
        text => (text, 1),
    };
    let number: Option<u64> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(factor))
        .ok_or_else(|| "expected a number of bytes such as 65536, 64K or 1M".to_owned())
}

/// A position in a file: `@8000`, `@0x1f40`, or page and offset in it, `@1+3904`; the sign may be missing.
pub fn position(text: &str) -> Result<u64, String> {
    let text = text.trim().trim_start_matches('@');
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let at = match text.split_once('+') {
        Some((page, offset)) => number(page)
            .and_then(|page| page.checked_mul(PAGE_SIZE))
            .zip(number(offset))
            .and_then(|(page, offset)| page.checked_add(offset)),
        None => number(text),
    };
    at.ok_or_else(|| "expected a position such as @8000, @0x1f40 or @1+3904".to_owned())
}

/// A version that can be written.
pub fn written(text: &str) -> Result<Version, String> {
    let version =
        Version::new(text.as_bytes()).filter(|version| Version::WRITTEN.contains(version));
    version.ok_or_else(|| {
        let known: Vec<String> = Version::WRITTEN.iter().map(ToString::to_string).collect();
        format!("expected a version that can be written: {}", known.join(", "))
    })
}

/// Keys separated by commas. A comma inside quotes or brackets belongs to a key.
pub fn keys(text: &str) -> Vec<String> {
    let (mut keys, mut key) = (Vec::new(), String::new());
    let (mut depth, mut quoted) = (0u32, false);
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                keys.push(std::mem::take(&mut key).trim().to_owned());
                continue;
            }
            _ => {}
        }
        key.push(c);
    }
    keys.push(key.trim().to_owned());
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        assert_eq!(bytes("65536"), Ok(65_536));
        assert_eq!(bytes("64k"), Ok(65_536));
        assert_eq!(bytes("1M"), Ok(1 << 20));
        for odd in ["", "K", "-1", "1T", "99999999999G"] {
            assert!(bytes(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn positions_are_counted_from_the_file_or_from_a_page() {
        for text in ["@8000", "8000", "@0x1f40", "@1+3904", "0x1+0xf40"] {
            assert_eq!(position(text), Ok(8000), "{text}");
        }
        for odd in ["@", "@-1", "@1+", "@0xg", "@18446744073709551615+1"] {
            assert!(position(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn commas_inside_a_key_do_not_separate() {
        assert_eq!(keys("5, 6"), ["5", "6"]);
        assert_eq!(keys("(1, 'a'), (2, 'b,)')"), ["(1, 'a')", "(2, 'b,)')"]);
        assert_eq!(keys("'it''s, one','two'"), ["'it''s, one'", "'two'"]);
    }
}
