//! Pieces of JSON that commands share. Names follow `scylla sstable` where it has one; `docs/cli.md` has them all.

use crate::failure::Failure;
use crate::out::Out;
use serde::Serialize;
use std::io::Write as _;
use triescope_core::data::Deletion;
use triescope_core::keys::{KeySchema, Token};

/// A partition key.
#[derive(Debug, Serialize)]
pub struct Key {
    /// Serialized, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// As a CQL literal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What a trie has of it where the key itself cannot be read: the first bytes of its byte-comparable form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

impl Key {
    /// A serialized key.
    pub fn whole(schema: &KeySchema, key: &[u8]) -> Self {
        let value = schema.is_known().then(|| schema.to_text(key));
        Self { raw: Some(hex(key)), value, prefix: None }
    }

    /// A prefix.
    pub fn prefix(bytes: &[u8]) -> Self {
        Self { raw: None, value: None, prefix: Some(hex(bytes)) }
    }
}

/// A deletion.
#[derive(Debug, Serialize)]
pub struct DeletionJson {
    /// Microseconds since 1970.
    timestamp: i64,
    /// Seconds since 1970.
    local_deletion_time: i64,
}

impl From<Deletion> for DeletionJson {
    fn from(deletion: Deletion) -> Self {
        Self { timestamp: deletion.timestamp, local_deletion_time: deletion.local_time }
    }
}

/// A token as text, since it passes 2^53; `None` where tokens are the keys themselves.
pub fn token(token: &Token) -> Option<String> {
    match token {
        Token::Murmur3(token) => Some(token.to_string()),
        Token::Random(token) => Some(token.to_string()),
        Token::Key => None,
    }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `{"sstables": {NAME: …, NAME: …}}`, written as it becomes known: an SSTable may have more than fits into memory.
pub struct Sstables<'o> {
    out: &'o mut Out,
    any: bool,
    elements: u64,
}

impl<'o> Sstables<'o> {
    /// Opens the object.
    pub fn open(out: &'o mut Out) -> Result<Self, Failure> {
        out.write_all(b"{\"sstables\":{\n")?;
        Ok(Self { out, any: false, elements: 0 })
    }

    /// An SSTable with its value.
    pub fn put(&mut self, name: &str, value: &impl Serialize) -> Result<(), Failure> {
        self.key(name)?;
        serde_json::to_writer(&mut *self.out, value)?;
        Ok(())
    }

    /// Begins an SSTable whose value is a list.
    pub fn begin(&mut self, name: &str) -> Result<(), Failure> {
        self.key(name)?;
        self.out.write_all(b"[")?;
        self.elements = 0;
        Ok(())
    }

    /// An element of the list.
    pub fn element(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.separate()?;
        serde_json::to_writer(&mut *self.out, value)?;
        Ok(())
    }

    /// Before an element that is written in pieces.
    pub fn separate(&mut self) -> Result<(), Failure> {
        self.out.write_all(if self.elements == 0 { b"\n" } else { b",\n" })?;
        self.elements += 1;
        Ok(())
    }

    /// A piece of an element.
    pub fn piece(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes())?;
        Ok(())
    }

    /// Ends the list.
    pub fn end(&mut self) -> Result<(), Failure> {
        self.out.write_all(b"\n]")?;
        Ok(())
    }

    /// Closes the object.
    pub fn close(self) -> Result<(), Failure> {
        self.out.write_all(b"\n}}\n")?;
        Ok(())
    }

    /// Closes the object behind one more field of the outer one.
    pub fn close_with(self, field: &str, value: &impl Serialize) -> Result<(), Failure> {
        self.out.write_all(format!("\n}},\"{field}\":").as_bytes())?;
        serde_json::to_writer(&mut *self.out, value)?;
        self.out.write_all(b"}\n")?;
        Ok(())
    }

    fn key(&mut self, name: &str) -> Result<(), Failure> {
        if std::mem::replace(&mut self.any, true) {
            self.out.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut *self.out, name)?;
        self.out.write_all(b":")?;
        Ok(())
    }
}
