//! The shortest prefixes that tell keys apart: what Partitions.db stores of them.

use super::entries::Entries;
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
    /// The next key in byte-comparable form. `of` are the keys in all, where that is known.
    pub fn add(
        &mut self,
        key: &[u8],
        payload: Payload,
        entries: &mut Entries,
        of: Option<u64>,
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
            self.flush(&before, needed, entries, of)?;
            self.needed = needed;
        }
        self.waiting = Some(payload);
        self.key.clear();
        self.key.extend_from_slice(key);
        self.count += 1;
        Ok(())
    }

    /// The last key. A lone one is stored with its first byte: how much of it a writer takes is the writer's.
    pub fn finish(&mut self, entries: &mut Entries) -> Result<(), EntriesError> {
        let Some(before) = self.waiting.take() else { return Ok(()) };
        if self.count == 1 {
            let first = self.key.first().copied().unwrap_or(FIRST);
            return entries.add(&[first], &before, None);
        }
        self.flush(&before, 0, entries, None)
    }

    fn flush(
        &self,
        payload: &Payload,
        needed: usize,
        entries: &mut Entries,
        of: Option<u64>,
    ) -> Result<(), EntriesError> {
        let bytes = needed.max(self.needed).min(self.key.len());
        entries.add(self.key.get(..bytes).unwrap_or(&[]), payload, of)
    }
}
