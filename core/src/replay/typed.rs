//! Keys that a person types or lets be made, as entries of a trie.

use super::entries::{Entries, Fragments};
use super::error::{EntriesError, TypedError};
use super::shortest::Shortest;
use crate::bti::pack::Payload;
use crate::keys::murmur3;
use crate::limits;
use crate::pos::{FilePos, len64, mem};
use crate::race::SplitMix64;
use crate::table::Part;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bytes of data that each key is given, for the positions that its leaf holds.
const DATA_BYTES: i64 = 64;

/// Texts that are the keys of a partition trie: their UTF-8 bytes in order, each once.
///
/// In byte-comparable form a text ends with a zero byte, and a zero byte in it is followed by `ff`: so no key is the
/// beginning of another. There is no token before it, which makes the trie easy to read. Positions are multiples of 64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedKeys {
    keys: BTreeSet<String>,
    /// Lines that said what another one had said.
    twice: u64,
}

/// Keys to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Generated {
    /// `1`, `2`, `3`, as text.
    Counters,
    /// Random UUIDs of version 4.
    Uuids,
    /// Words made of syllables.
    Words,
    /// Paths that have most of their bytes in common.
    LongCommonPrefix,
}

impl Generated {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Counters, Self::Uuids, Self::Words, Self::LongCommonPrefix];

    /// Its name in a list.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counters => "counters",
            Self::Uuids => "UUIDs",
            Self::Words => "words",
            Self::LongCommonPrefix => "a long common prefix",
        }
    }
}

impl TypedKeys {
    /// From lines of text. White space at the ends of a line is no part of the key, and empty lines are passed over.
    ///
    /// # Errors
    /// A sentence for what is not taken, with its line.
    pub fn parse(text: &str) -> Result<Self, TypedError> {
        let bytes = len64(text.len());
        if bytes > limits::TYPED_BYTES {
            return Err(TypedError::TooLarge { bytes });
        }
        let lines = text.lines().zip(1..).map(|(line, number)| (line.trim(), number));
        let lines = lines.filter(|(line, _)| !line.is_empty());
        let (mut keys, mut twice) = (BTreeSet::new(), 0);
        for (line, number) in lines {
            let bytes = len64(line.len());
            if bytes > limits::TYPED_KEY_BYTES {
                return Err(TypedError::TooLong { line: number, bytes });
            }
            twice += u64::from(!keys.insert(line.to_owned()));
        }
        Self { keys, twice }.checked()
    }

    /// Makes `count` keys; `seed` decides which, the same ones each time.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn generate(what: Generated, count: u64, seed: u64) -> Result<Self, TypedError> {
        if count > limits::TYPED_KEYS {
            return Err(TypedError::TooMany { keys: count });
        }
        let mut random = SplitMix64::new(seed);
        let mut keys = BTreeSet::new();
        let mut number = 0;
        // A key that comes twice is made anew; words of growing length never run out.
        while len64(keys.len()) < count {
            number += 1;
            keys.insert(match what {
                Generated::Counters => number.to_string(),
                Generated::Uuids => uuid(&mut random),
                Generated::Words => word(&mut random, number),
                Generated::LongCommonPrefix => {
                    format!("/var/lib/measurements/station-0042/sensor-temperature/2026-12-01/{number:06}")
                }
            });
        }
        Self { keys, twice: 0 }.checked()
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(String::as_str)
    }

    /// Their number.
    pub fn count(&self) -> u64 {
        len64(self.keys.len())
    }

    /// Lines that repeated another one.
    pub fn twice(&self) -> u64 {
        self.twice
    }

    /// The keys as text, one a line: what [`Self::parse`] reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for key in &self.keys {
            text.push_str(key);
            text.push('\n');
        }
        text
    }

    /// The trie of a Partitions.db with these keys.
    ///
    /// # Errors
    /// None that keys within the limits can meet.
    pub fn entries(&self) -> Result<Entries, EntriesError> {
        let ends = self.keys.first().into_iter().chain(self.keys.last());
        let tail = 24 + ends.map(|key| 2 + len64(key.len())).sum::<u64>();
        let budget = limits::REPLAY_ENTRY_BYTES;
        let mut entries = Entries::new(Part::Partitions, FilePos(0), Fragments::None, tail, budget);
        let (mut shortest, mut position) = (Shortest::default(), 0);
        for key in &self.keys {
            let payload = Payload::partition(murmur3(key.as_bytes()).byte(), !position);
            shortest.add(&comparable(key), payload, |key, payload| {
                entries.add(key, payload, Some(self.count()))
            })?;
            position += DATA_BYTES;
        }
        shortest.finish(|key, payload| entries.add(key, payload, None))?;
        Ok(entries)
    }

    fn checked(self) -> Result<Self, TypedError> {
        match self.count() {
            0 => Err(TypedError::Empty),
            keys if keys > limits::TYPED_KEYS => Err(TypedError::TooMany { keys }),
            _ => Ok(self),
        }
    }
}

/// The bytes of a text in an order that ends it.
fn comparable(key: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(key.len() + 1);
    for byte in key.bytes() {
        bytes.push(byte);
        if byte == 0 {
            bytes.push(0xff);
        }
    }
    bytes.push(0);
    bytes
}

fn uuid(random: &mut SplitMix64) -> String {
    let number = (u128::from(random.draw()) << 64) | u128::from(random.draw());
    let hex = format!(
        "{:032x}",
        (number & !(0xf000 << 64) & !(0xc000 << 48)) | (0x4000 << 64) | (0x8000 << 48)
    );
    let piece = |range: std::ops::Range<usize>| hex.get(range).unwrap_or_default();
    let pieces = [piece(0..8), piece(8..12), piece(12..16), piece(16..20), piece(20..32)];
    pieces.join("-")
}

/// A word of two syllables and more as the numbers grow.
fn word(random: &mut SplitMix64, number: u64) -> String {
    const BEGINNINGS: &[u8] = b"bdfgklmnprstvz";
    const ENDS: &[u8] = b"aeiou";
    let syllables = 2 + number.ilog2() / 6;
    let mut word = String::new();
    for _ in 0..syllables {
        for letters in [BEGINNINGS, ENDS] {
            let chosen = mem(random.below(len64(letters.len())));
            let letter = chosen.and_then(|chosen| letters.get(chosen));
            word.extend(letter.map(|letter| char::from(*letter)));
        }
    }
    word
}
