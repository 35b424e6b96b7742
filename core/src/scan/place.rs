//! The place among the partitions where a scan starts.

use super::Order;
use crate::cql::LiteralError;
use crate::keys::{Bound, Decorated, KeyInput, Token, partition_key, token_bound};
use crate::source::Source;
use crate::table::Table;
use std::cmp::Ordering;

/// A key or a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    token: Token,
    /// The serialized key; `None` stands for all keys of the token.
    key: Option<Vec<u8>>,
}

impl Place {
    /// A serialized key.
    pub fn key<S: Source>(table: &Table<S>, key: Vec<u8>) -> Self {
        Self { token: table.partitioner().token(&key), key: Some(key) }
    }

    /// All keys of a token.
    pub fn token(token: Token) -> Self {
        Self { token, key: None }
    }

    /// What a person types: literals of the key's columns, `0x…`, or `token:…`.
    ///
    /// # Errors
    /// [`LiteralError`] says in a sentence what was expected.
    pub fn parse<S: Source>(table: &Table<S>, text: &str) -> Result<Self, LiteralError> {
        Ok(match table.key_schema().parse(&table.partitioner(), text)? {
            KeyInput::Key(key) => Self::key(table, key),
            KeyInput::Token(token) => Self::token(token),
        })
    }

    /// Whether a key is the one meant; any key fits a token, since it stands for the first partition at or after it.
    pub fn names(&self, key: &[u8]) -> bool {
        self.key.as_ref().is_none_or(|place| place == key)
    }

    /// How a key of this token stands to the place in the order of Index.db.
    pub(super) fn order(&self, token: &Token, key: &[u8]) -> Ordering {
        match &self.key {
            None => token.cmp(&self.token),
            Some(place) => {
                Decorated { token, key }.order(&Decorated { token: &self.token, key: place })
            }
        }
    }

    /// The place in byte-comparable form: of a token, the side that takes in all its keys.
    pub(super) fn comparable<S: Source>(&self, table: &Table<S>, order: Order) -> Vec<u8> {
        match &self.key {
            None => {
                let side = if order == Order::Forward { Bound::Before } else { Bound::After };
                token_bound(&self.token, side).unwrap_or_default()
            }
            Some(key) => comparable(table, key),
        }
    }
}

/// A serialized key in byte-comparable form, as the trie of this table orders it.
pub(super) fn comparable<S: Source>(table: &Table<S>, key: &[u8]) -> Vec<u8> {
    let style = table.dialect().key_style;
    partition_key(&table.partitioner(), style, table.key_schema(), key).bytes
}
