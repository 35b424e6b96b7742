//! Messages and how a language makes text of them.

use crate::table::Part;
use serde::{Deserialize, Serialize};

/// What is said, without words: an id and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which message.
    pub id: Id,
    /// Its arguments, in the order that the message's doc gives.
    pub args: Vec<Arg>,
}

/// An argument of a message. Languages differ in how numbers look, not in what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A number: a count, a position.
    Number(u64),
    /// One byte, shown as `0x4f`.
    Byte(u8),
    /// A component.
    Part(Part),
    /// Text that is the same in every language: keys, node types, class names.
    Text(String),
    /// Another message, put into this one.
    Message(Box<Message>),
}

impl From<u64> for Arg {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Arg {
    fn from(number: u32) -> Self {
        Self::Number(u64::from(number))
    }
}

impl From<u8> for Arg {
    fn from(byte: u8) -> Self {
        Self::Byte(byte)
    }
}

impl From<Part> for Arg {
    fn from(part: Part) -> Self {
        Self::Part(part)
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Message> for Arg {
    fn from(message: Message) -> Self {
        Self::Message(Box::new(message))
    }
}

/// Text with a little emphasis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text(pub Vec<Span>);

/// A piece of text in one style.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The characters.
    pub text: String,
    /// How they look.
    pub style: Style,
}

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Style {
    /// As the text around it.
    Plain,
    /// Bytes, in the fixed-width face.
    Code,
    /// What matters.
    Strong,
}

impl Text {
    /// The characters alone.
    pub fn plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

    fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.0.push(Span { text: text.to_owned(), style }),
        }
    }
}

/// A language: a template for each message, and how it writes numbers.
///
/// In a template `{0}` is argument 0, `{0:page|pages}` a word chosen by the number in argument 0, a pair of backticks
/// the fixed-width face, a pair of `**` what matters.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// Sentence and list form of a message.
    pub templates: fn(Id) -> (&'static str, &'static str),
    /// Which of the plural forms, from 0, a number takes.
    pub plural: fn(u64) -> usize,
    /// Between groups of three digits.
    pub group: char,
}

impl Language {
    /// The sentence.
    pub fn sentence(&self, message: &Message) -> Text {
        self.fill(message, false)
    }

    /// The list form.
    pub fn short(&self, message: &Message) -> Text {
        self.fill(message, true)
    }

    fn fill(&self, message: &Message, short: bool) -> Text {
        let (long, brief) = (self.templates)(message.id);
        let mut text = Text::default();
        let mut style = Style::Plain;
        let mut rest = if short { brief } else { long };
        while let Some(at) = rest.find(['`', '*', '{']) {
            let (before, from) = rest.split_at(at);
            text.push(before, style);
            if let Some(after) = from.strip_prefix("**") {
                style = if style == Style::Strong { Style::Plain } else { Style::Strong };
                rest = after;
            } else if let Some(after) = from.strip_prefix('`') {
                style = if style == Style::Code { Style::Plain } else { Style::Code };
                rest = after;
            } else if let Some((inside, after)) =
                from.strip_prefix('{').and_then(|from| from.split_once('}'))
            {
                self.place(inside, message, short, style, &mut text);
                rest = after;
            } else {
                text.push("*", style);
                rest = from.strip_prefix('*').unwrap_or("");
            }
        }
        text.push(rest, style);
        text
    }

    fn place(&self, inside: &str, message: &Message, short: bool, style: Style, text: &mut Text) {
        let (index, forms) = match inside.split_once(':') {
            Some((index, forms)) => (index, Some(forms)),
            None => (inside, None),
        };
        let arg = index.parse::<usize>().ok().and_then(|index| message.args.get(index));
        match (arg, forms) {
            (Some(Arg::Number(n)), Some(forms)) => {
                let wanted = (self.plural)(*n);
                let form = forms.split('|').nth(wanted).or_else(|| forms.split('|').next_back());
                text.push(form.unwrap_or(""), style);
            }
            (Some(Arg::Number(n)), None) => text.push(&number(*n, self.group), style),
            (Some(Arg::Byte(byte)), _) => text.push(&format!("0x{byte:02x}"), style),
            (Some(Arg::Part(part)), _) => text.push(part.file_name(), style),
            (Some(Arg::Text(words)), _) => text.push(words, style),
            (Some(Arg::Message(inner)), _) => {
                for span in self.fill(inner, short).0 {
                    text.push(
                        &span.text,
                        if span.style == Style::Plain { style } else { span.style },
                    );
                }
            }
            (None, _) => {}
        }
    }
}

/// A number with its digits in groups of three.
pub fn number(n: u64, group: char) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(group);
        }
        out.push(digit);
    }
    out
}

/// Bytes as hex digits without `0x`, the middle left out where there are more than 24.
pub fn bytes(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    let hex = |out: &mut String, bytes: &[u8]| {
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(out, "{byte:02x}");
        }
    };
    match (bytes.len() > 24, bytes.get(..16), bytes.get(bytes.len().saturating_sub(4)..)) {
        (true, Some(start), Some(end)) => {
            hex(&mut out, start);
            out.push('…');
            hex(&mut out, end);
        }
        _ => hex(&mut out, bytes),
    }
    out
}

/// Every message. The arguments are named in brackets, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// All tested bits are set. (bits tested)
    FilterMaybe,
    /// A bit is not set. (bit, bits tested)
    FilterNo,
    /// A bit is not set, but the walk goes on. (bit, bits tested)
    FilterNoButOn,
    /// There is no filter.
    NoFilter,
    /// The filter is damaged. (error)
    FilterDamaged,
    /// A page is fetched. (page, part)
    Fetch,
    /// A page is fetched in a lookup that reads two files. (page, part)
    FetchOf,
    /// The page of the root. (page, part)
    FetchRoot,
    /// The only page of a file. (page, part)
    FetchOnly,
    /// The page of an entry in Rows.db. (page, part)
    FetchEntry,
    /// A page of a window that is parsed whole. (page, part, nth, of, from, to)
    FetchWindow,
    /// A page of a scan. (page, part)
    FetchScan,
    /// The page of a promoted index's head. (page, part)
    FetchPromoted,
    /// The page of a block offset. (page, part)
    FetchOffsets,
    /// The page of a block. (page, part)
    FetchBlock,
    /// A page touched before. (page, part)
    PageHere,
    /// A page that the cache holds. (page, part)
    PageWarm,
    /// A child is followed in the same page. (byte, depth, child from 1, children, distance, type, to)
    FollowHere,
    /// A child is followed into another page. (byte, depth, child from 1, children, distance, type, to, page)
    FollowAway,
    /// The only child is followed in the same page. (byte, depth, distance, type, to)
    FollowOnlyHere,
    /// The only child is followed into another page. (byte, depth, distance, type, to, page)
    FollowOnlyAway,
    /// No child, with neighbours on both sides. (byte, depth, below, above, type)
    NoChildBetween,
    /// No child, all are smaller. (byte, depth, greatest, type)
    NoChildAbove,
    /// No child, all are greater. (byte, depth, smallest, type)
    NoChildBelow,
    /// The key ends before the trie does. (children, type)
    KeyEnds,
    /// A leaf with an equal hash byte. (byte, part, position, type)
    LeafEqual,
    /// A leaf with another hash byte. (byte, expected, type)
    LeafDiffers,
    /// A leaf without a hash byte. (part, position, type)
    LeafNoHash,
    /// The root is the only leaf. (part, position, type)
    LeafAlone,
    /// No child; the greatest smaller one is taken. (byte, taken, type, to)
    Floor,
    /// The last child is taken. (byte, children, type, to)
    LastChild,
    /// A payload of a row trie is the floor. (offset, type)
    BlockPayload,
    /// Same, with an open deletion. (offset, type)
    BlockPayloadOpen,
    /// Back to an earlier candidate. (position, type)
    Back,
    /// Entry of Rows.db with the key. (bytes from root to base, blocks, root)
    RowEntry,
    /// Entry of Rows.db with another key. (position)
    RowEntryOther,
    /// The key lies between the ends.
    BoundsInside,
    /// It sorts before the first key.
    BoundsBefore,
    /// It sorts after the last key.
    BoundsAfter,
    /// A sample is greater. (sample, of)
    SampleLeft,
    /// A sample is smaller. (sample, of)
    SampleRight,
    /// A sample is equal. (sample, of)
    SampleEqual,
    /// A window. (sample, from, to)
    Window,
    /// The first window, for a key before the first sample. (from, to)
    WindowBefore,
    /// The window after, for the end of the partition. (from, to)
    WindowNext,
    /// A window of which Cassandra scans at most a number of entries. (sample, from, entries)
    WindowScan,
    /// All entries of a window are parsed. (entries, bytes)
    Entries,
    /// An entry is greater. (entry, of)
    EntryLeft,
    /// An entry is smaller. (entry, of)
    EntryRight,
    /// An entry has the key. (entry, position in Data.db)
    EntryEqual,
    /// The entry where the bisection ended has another key. (entry)
    EntryOther,
    /// A scanned entry has another key. (entry from 1, key)
    ScanOn,
    /// A scanned entry sorts after the key. (entry from 1, key)
    ScanPast,
    /// Head of a promoted index. (blocks)
    Promoted,
    /// A promoted index read whole. (bytes, blocks)
    PromotedWhole,
    /// A block's first row sorts after the position. (probe, block, row)
    BlockFirstLeft,
    /// A block's first row does not. (probe, block, row)
    BlockFirstRight,
    /// A block's last row does not sort before the position. (probe, block, row)
    BlockLastLeft,
    /// A block's last row sorts before it. (probe, block, row)
    BlockLastRight,
    /// The chosen block, by number. (block, start in the partition, position in Data.db)
    BlockNumbered,
    /// The chosen block. (start in the partition, position in Data.db)
    Block,
    /// The chosen block with its end. (start, position in Data.db, bytes)
    BlockSized,
    /// The position sorts after the last block.
    BlockAfterLast,
    /// A block with a deletion open at its start: (message of the block)
    BlockOpen,
    /// Data.db has the key. (position, chunks, bytes decompressed)
    DataEqual,
    /// An uncompressed Data.db has the key. (position)
    DataEqualPlain,
    /// Data.db has another key. (position, key)
    DataDiffers,
    /// Data.db has another key than the index, which has it whole. (position, key)
    DataContradicts,
    /// Data.db has key and row. (position, row position, rows passed)
    DataRow,
    /// Data.db has the key but not the row. (position, rows read)
    DataNoRow,
    /// Not confirmed, Data.db missing.
    NoData,
    /// Not confirmed, CompressionInfo.db missing.
    NoCompressionInfo,
    /// Not confirmed, unknown compressor. (class)
    UnknownCompressor,
    /// Not confirmed, Data.db of this version is not decoded.
    DataVersion,
    /// Not confirmed, damaged. (error)
    DataDamaged,
    /// The partition is there. (position)
    Present,
    /// The partition is where the index says, but the key was not compared. (position)
    PresentUnconfirmed,
    /// The row is there. (position)
    PresentRow,
    /// The partition is there, the row's block as well. (position of the block)
    PresentBlock,
    /// The partition is there, the row is not. (position)
    PresentNoRow,
    /// Absent: the filter.
    AbsentFilter,
    /// Absent: dead end.
    AbsentDeadEnd,
    /// Absent: hash byte.
    AbsentHash,
    /// Absent: other key at the position.
    AbsentOtherKey,
    /// Absent: before the first partition.
    AbsentBefore,
    /// Absent: after the last partition.
    AbsentAfter,
    /// Absent: between two entries.
    AbsentBetween,
    /// Damaged. (error)
    Damage,
    /// The answer is not known.
    Unknown,
    /// Nothing has happened yet, trie.
    BeforeTrie,
    /// Nothing has happened yet, legacy.
    BeforeLegacy,
    /// The same, with samples made in memory.
    BeforeSampled,
    /// Verdict: trie and legacy fetch. (trie pages, legacy pages)
    VerdictBoth,
    /// Verdict: both the same. (pages)
    VerdictSame,
    /// Verdict: legacy less. (trie pages, legacy pages)
    VerdictLegacyLess,
    /// Verdict: one lane, trie. (pages)
    VerdictTrie,
    /// Verdict: one lane, legacy. (pages)
    VerdictLegacy,
    /// Verdict of an absent key: (message)
    VerdictAbsent,
    /// Verdict: the filter ended it.
    VerdictFilter,
    /// Verdict: everything was in the cache.
    VerdictWarm,
    /// Verdict of a damaged lane: (message)
    VerdictDamaged,
    /// Verdict so far. (trie pages, legacy pages)
    SoFar,
    /// Verdict so far, trie only. (pages)
    SoFarTrie,
    /// Verdict so far, legacy only. (pages)
    SoFarLegacy,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups_of_three() {
        assert_eq!(number(0, ','), "0");
        assert_eq!(number(999, ','), "999");
        assert_eq!(number(1000, ','), "1,000");
        assert_eq!(number(208_094_130, ','), "208,094,130");
    }

    #[test]
    fn a_message_inside_another_is_as_short_as_that_one() {
        let language = &crate::lookup::words::ENGLISH;
        let block =
            Message { id: Id::BlockSized, args: vec![Arg::Number(7), 9_u64.into(), 5_u64.into()] };
        let open = Message { id: Id::BlockOpen, args: vec![block.into()] };
        assert_eq!(language.short(&open).plain(), "Block at 7, 5 B, inside a deletion");
        assert!(language.sentence(&open).plain().starts_with("The block to read starts at 7"));
    }

    #[test]
    fn long_byte_strings_are_cut_in_the_middle() {
        assert_eq!(bytes(&[0x40, 0x4f]), "404f");
        assert_eq!(bytes(&[7; 40]).chars().count(), 32 + 1 + 8);
    }
}
