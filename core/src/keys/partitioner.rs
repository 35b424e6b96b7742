//! Partitioners: which token a key has, and in which order keys lie in an SSTable.

use super::{Hash, murmur3};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How keys are ordered, from the class name in Statistics.db.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Partitioner {
    /// Token = first word of Murmur3.
    Murmur3,
    /// Token = absolute value of the MD5 as a signed 128-bit number.
    Random,
    /// Token = key.
    ByteOrdered,
    /// Token = key as text, an older name of the same order.
    OrderPreserving,
    /// Another class: tokens are unknown, keys are compared as bytes.
    Unknown(String),
}

/// The token of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Token {
    /// Of [`Partitioner::Murmur3`].
    Murmur3(i64),
    /// Of [`Partitioner::Random`], 0 to 2^127.
    Random(u128),
    /// Of the order-preserving partitioners, and of unknown ones: the key itself, which is not repeated here.
    Key,
}

/// A key in the order of its table: token first, then the serialized key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decorated<'a> {
    /// The token.
    pub token: &'a Token,
    /// The serialized key.
    pub key: &'a [u8],
}

impl Decorated<'_> {
    /// Compares two keys of one partitioner.
    pub fn order(&self, other: &Decorated<'_>) -> Ordering {
        self.token.cmp(other.token).then_with(|| self.key.cmp(other.key))
    }
}

impl Partitioner {
    /// The partitioner with this Java class name.
    pub fn from_class(class: &str) -> Self {
        match class.rsplit('.').next().unwrap_or(class) {
            "Murmur3Partitioner" => Self::Murmur3,
            "RandomPartitioner" => Self::Random,
            "ByteOrderedPartitioner" => Self::ByteOrdered,
            "OrderPreservingPartitioner" => Self::OrderPreserving,
            _ => Self::Unknown(class.to_owned()),
        }
    }

    /// The token of a serialized key.
    pub fn token(&self, key: &[u8]) -> Token {
        match self {
            Self::Murmur3 => Token::Murmur3(Token::of_murmur3(key, murmur3(key))),
            Self::Random => Token::Random(random_token(key)),
            Self::ByteOrdered | Self::OrderPreserving | Self::Unknown(_) => Token::Key,
        }
    }
}

impl Token {
    /// The Murmur3 token of a key with this hash: the first word, but never the least number, which is kept for the
    /// empty key.
    #[inline]
    pub const fn of_murmur3(key: &[u8], hash: Hash) -> i64 {
        if key.is_empty() {
            return i64::MIN;
        }
        match hash.h1.cast_signed() {
            i64::MIN => i64::MAX,
            token => token,
        }
    }
}

fn random_token(key: &[u8]) -> u128 {
    use md5::{Digest, Md5};
    let digest: [u8; 16] = Md5::digest(key).into();
    i128::from_be_bytes(digest).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_tokens_equal_those_of_a_real_table() {
        let token = |n: i32| Partitioner::Random.token(&n.to_be_bytes());
        assert_eq!(token(1), Token::Random(19_580_090_105_725_936_846_312_850_328_329_299_579));
        assert_eq!(token(2), Token::Random(19_847_720_572_362_509_985_402_305_765_727_304_993));
        assert_eq!(token(3), Token::Random(117_356_732_921_465_116_845_890_410_746_976_120_467));
    }
}
