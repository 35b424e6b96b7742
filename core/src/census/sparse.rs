//! A list that has room only where something was put: a count for each page of a file, of which a walk touches few.

use crate::pos::mem;

/// Entries that get their room together.
const BLOCK: u64 = 256;

/// A list of entries that are empty until they are touched. Room is made for what is touched, not for what a file claims.
#[derive(Clone, Debug, Default)]
pub struct Sparse<T> {
    blocks: Vec<Option<Box<[T]>>>,
    len: u64,
}

impl<T: Copy + Default> Sparse<T> {
    /// `len` empty entries.
    pub const fn new(len: u64) -> Self {
        Self { blocks: Vec::new(), len }
    }

    /// How many there are.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An entry; an empty one where nothing was put.
    pub fn get(&self, no: u64) -> T {
        let found = || {
            let block = self.blocks.get(mem(no / BLOCK)?)?.as_deref()?;
            block.get(mem(no % BLOCK)?).copied()
        };
        found().unwrap_or_default()
    }

    /// An entry to write to; none behind the end.
    pub(crate) fn touch(&mut self, no: u64) -> Option<&mut T> {
        if no >= self.len {
            return None;
        }
        let block = mem(no / BLOCK)?;
        if block >= self.blocks.len() {
            self.blocks.resize_with(block + 1, || None);
        }
        let size = mem(BLOCK)?;
        let block = self.blocks.get_mut(block)?;
        let block = block.get_or_insert_with(|| vec![T::default(); size].into_boxed_slice());
        block.get_mut(mem(no % BLOCK)?)
    }

    /// A list that is made of all its entries.
    pub fn from_entries(entries: impl IntoIterator<Item = T>) -> Self {
        let mut list = Self::new(u64::MAX);
        let mut len = 0;
        for entry in entries {
            if let Some(slot) = list.touch(len) {
                *slot = entry;
            }
            len += 1;
        }
        list.len = len;
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_for_what_is_touched() {
        let mut list = Sparse::<u32>::new(1 << 40);
        assert_eq!((list.get(0), list.get(1 << 50)), (0, 0));
        *list.touch(1_000_000).unwrap() = 7;
        *list.touch(3).unwrap() = 5;
        assert!(list.touch(1 << 40).is_none());
        assert_eq!([3, 4, 1_000_000, 1_000_001].map(|no| list.get(no)), [5, 0, 7, 0]);
        assert_eq!(list.blocks.iter().flatten().count(), 2);
    }

    #[test]
    fn a_list_of_entries_is_as_long_as_they_are_many() {
        let list = Sparse::from_entries((0..1000u64).map(|n| n * 3));
        assert_eq!((list.len(), list.get(999), list.get(1000)), (1000, 2997, 0));
    }
}
