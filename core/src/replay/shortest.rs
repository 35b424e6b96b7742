//! The shortest prefixes that tell keys apart: what Partitions.db stores of them.

use super::error::EntriesError;
use crate::bti::pack::Payload;
use crate::write::WriteError;

/// What every partition key begins with in byte-comparable form.
const FIRST: u8 = 0x40;

/// Holds back one key until its successor has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Shortest {
    waiting: Option<Payload>,
    key: Vec<u8>,
    /// Bytes that it needs to be told from its predecessor.
    needed: usize,
    count: u64,
}

impl Shortest {
    /// The next key in byte-comparable form. `put` gets the one before with its shortest prefix.
    pub fn add(
        &mut self,
        key: &[u8],
        payload: Payload,
        put: impl FnOnce(&[u8], &Payload) -> Result<(), EntriesError>,
    ) -> Result<(), EntriesError> {
        if let Some(before) = self.waiting.take() {
            if key <= self.key.as_slice() {
                let (previous, got) = (self.key.clone(), key.to_vec());
                return Err(EntriesError::Write(match previous == got {
                    true => WriteError::Duplicate { key: got },
                    false => WriteError::OutOfOrder { previous, got },
                }));
            }
            let needed = self.key.iter().zip(key).take_while(|(a, b)| a == b).count() + 1;
            put(self.prefix(needed), &before)?;
            self.needed = needed;
        }
        self.waiting = Some(payload);
        self.key.clear();
        self.key.extend_from_slice(key);
        self.count += 1;
        Ok(())
    }

    /// The last key. A lone one comes with its first byte: how much of it a writer takes is the writer's.
    pub fn finish(
        &mut self,
        put: impl FnOnce(&[u8], &Payload) -> Result<(), EntriesError>,
    ) -> Result<(), EntriesError> {
        let Some(before) = self.waiting.take() else { return Ok(()) };
        if self.count == 1 {
            let first = self.key.first().copied().unwrap_or(FIRST);
            return put(&[first], &before);
        }
        put(self.prefix(0), &before)
    }

    /// Keys so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    fn prefix(&self, needed: usize) -> &[u8] {
        let bytes = needed.max(self.needed).min(self.key.len());
        self.key.get(..bytes).unwrap_or(&[])
    }
}
