//! What the text in the one box may mean, before anything is read.

use triescope_core::table::Part;

/// Something that the text may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A partition key: literals, `0x…`, `token:…`.
    Key(String),
    /// `#5`: the partition of this rank, counted from 1.
    Rank(u64),
    /// `path:404f`: a way through the trie.
    Path(Vec<u8>),
    /// `page 30`, `Rows page 2`.
    Page(Option<Part>, u64),
    /// `@124446`, `Rows@0x1f`.
    At(Option<Part>, u64),
    /// `hex:4017`: these bytes, wherever they are.
    Bytes(Option<Part>, Vec<u8>),
    /// `data:92505`: the partition that holds this position of Data.db, uncompressed.
    Data(u64),
    /// A command, by its place in the list of them.
    Command(usize),
    /// It begins like one of these and is none; the sentence says what is expected.
    Wrong(String),
}

/// All that a text may mean, the most likely first. Empty for an empty text.
pub fn parse(text: &str, commands: &[&str]) -> Vec<Meaning> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    if let Some(wanted) = text.strip_prefix('>') {
        return commands_like(wanted, commands);
    }
    if let Some(rank) = text.strip_prefix('#') {
        return vec![match number(rank) {
            Some(rank) if rank > 0 => Meaning::Rank(rank),
            _ => wrong(text, "a rank: # and a number from 1, such as #17"),
        }];
    }
    let (part, rest) = component(text);
    if let Some(at) = rest.strip_prefix('@') {
        return vec![match number(at) {
            Some(at) => Meaning::At(part, at),
            None => wrong(text, "a position: @ and a number, such as @124446 or @0x1f40"),
        }];
    }
    if let Some(page) = word(rest, "page") {
        return vec![match number(page) {
            Some(page) => Meaning::Page(part, page),
            None => wrong(text, "a page: page and a number, such as page 30"),
        }];
    }
    if let Some(hex) = named(rest, "hex") {
        return vec![match bytes(hex) {
            Some(bytes) if !bytes.is_empty() => Meaning::Bytes(part, bytes),
            _ => wrong(text, "bytes: hex: and pairs of hex digits, such as hex:4017"),
        }];
    }
    if let Some(hex) = named(text, "path") {
        return vec![match bytes(hex) {
            Some(bytes) => Meaning::Path(bytes),
            None => wrong(
                text,
                "a way through the trie: path: and pairs of hex digits, such as path:404f",
            ),
        }];
    }
    if let Some(at) = named(text, "data") {
        return vec![match number(at) {
            Some(at) => Meaning::Data(at),
            None => wrong(text, "a position in Data.db: data: and a number, such as data:92505"),
        }];
    }
    let mut all = vec![Meaning::Key(text.to_owned())];
    if let Some(n) = number(text).filter(|_| !text.starts_with("0x")) {
        all.extend([Meaning::Page(None, n), Meaning::At(None, n), Meaning::Rank(n)]);
    }
    all.retain(|it| !matches!(it, Meaning::Rank(0)));
    all.extend(
        commands_like(text, commands).into_iter().filter(|it| matches!(it, Meaning::Command(_))),
    );
    all
}

fn commands_like(wanted: &str, commands: &[&str]) -> Vec<Meaning> {
    let wanted = wanted.trim().to_lowercase();
    let fits =
        commands.iter().enumerate().filter(|(_, name)| name.to_lowercase().contains(&wanted));
    let found: Vec<Meaning> = fits.map(|(n, _)| Meaning::Command(n)).collect();
    match found.is_empty() {
        true => vec![Meaning::Wrong(format!(
            "There is no command `{wanted}`: {}.",
            commands.join(", ")
        ))],
        false => found,
    }
}

fn wrong(text: &str, expected: &str) -> Meaning {
    Meaning::Wrong(
        format!("`{text}` is no {}", expected.strip_prefix("a ").unwrap_or(expected)) + ".",
    )
}

/// A component's name at the start: `Rows page 2`, `Index.db@12`.
fn component(text: &str) -> (Option<Part>, &str) {
    for part in Part::ALL {
        let file = part.file_name();
        let stem = file.split('.').next().unwrap_or(file);
        for name in [file, stem] {
            let Some((start, rest)) = text.split_at_checked(name.len()) else { continue };
            let rest = rest.trim_start_matches([':', ' ']);
            let goes_on = ["@", "page", "hex"].iter().any(|it| rest.to_lowercase().starts_with(it));
            if start.eq_ignore_ascii_case(name) && goes_on {
                return (Some(part), rest);
            }
        }
    }
    (None, text)
}

/// What follows a word and a space, or a word and a digit.
fn word<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(name.len())?;
    let ends =
        rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c.is_ascii_digit());
    (start.eq_ignore_ascii_case(name) && ends).then(|| rest.trim())
}

/// What follows `name:`.
fn named<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (start, rest) = text.split_once(':')?;
    start.eq_ignore_ascii_case(name).then(|| rest.trim())
}

/// A number with or without separators, decimal or `0x…`.
fn number(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
    match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if digits.starts_with('+') => None,
        None => digits.parse().ok(),
    }
}

/// Pairs of hex digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .trim_start_matches("0x")
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: [&str; 3] = ["Overview", "Pages", "Findings"];

    #[test]
    fn a_text_means_what_its_beginning_says() {
        for (text, meaning) in [
            ("page 30", Meaning::Page(None, 30)),
            ("Page30", Meaning::Page(None, 30)),
            ("rows page 2", Meaning::Page(Some(Part::Rows), 2)),
            ("@124,446", Meaning::At(None, 124_446)),
            ("Index.db@0x1f", Meaning::At(Some(Part::Index), 31)),
            ("hex: 40 17", Meaning::Bytes(None, vec![0x40, 0x17])),
            ("data:92505", Meaning::Data(92_505)),
            ("path:404f", Meaning::Path(vec![0x40, 0x4f])),
            ("#17", Meaning::Rank(17)),
            (">find", Meaning::Command(2)),
            ("0xcafe", Meaning::Key("0xcafe".into())),
            ("token:-5", Meaning::Key("token:-5".into())),
            ("'page 3'", Meaning::Key("'page 3'".into())),
            ("pagers", Meaning::Key("pagers".into())),
        ] {
            assert_eq!(parse(text, &COMMANDS), [meaning], "{text}");
        }
    }

    #[test]
    fn a_number_may_mean_several_things_and_a_name_a_command() {
        let all = parse("30", &COMMANDS);
        let others = [Meaning::Page(None, 30), Meaning::At(None, 30), Meaning::Rank(30)];
        assert_eq!(all[0], Meaning::Key("30".into()));
        assert_eq!(all[1..], others);
        assert_eq!(parse("0", &COMMANDS).len(), 3);
        assert_eq!(parse("pages", &COMMANDS), [Meaning::Key("pages".into()), Meaning::Command(1)]);
        assert_eq!(parse("  ", &COMMANDS), []);
    }

    #[test]
    fn what_is_begun_and_not_right_is_said() {
        for text in
            ["#x", "#0", "@", "@-1", "page x", "hex:4", "hex:", "path:zz", "data:", ">nothing"]
        {
            let all = parse(text, &COMMANDS);
            assert!(
                matches!(&all[..], [Meaning::Wrong(why)] if why.ends_with('.')),
                "{text}: {all:?}"
            );
        }
    }
}
