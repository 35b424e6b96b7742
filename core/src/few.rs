//! A map of a few entries, kept as a list: for a handful of keys it is as fast as a tree, and much less code, which
//! counts in a module that is loaded over a network.

/// A map whose entries are looked for one after the other.
#[derive(Clone, Debug)]
pub struct Few<K, V>(Vec<(K, V)>);

impl<K, V> Default for Few<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq, V> Few<K, V> {
    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.iter_mut().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Whether the key is there.
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Puts a value in, and gives back the one that was there.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.get_mut(&key) {
            Some(old) => Some(std::mem::replace(old, value)),
            None => {
                self.0.push((key, value));
                None
            }
        }
    }

    /// Takes a value out.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Takes all values out.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<K: PartialEq, V> FromIterator<(K, V)> for Few<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut few = Self::default();
        for (key, value) in entries {
            few.insert(key, value);
        }
        few
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_value() {
        let mut few: Few<u8, &str> = [(1, "a"), (2, "b"), (1, "c")].into_iter().collect();
        assert_eq!((few.get(&1), few.get(&2), few.get(&3)), (Some(&"c"), Some(&"b"), None));
        assert_eq!(
            (few.insert(2, "d"), few.remove(&2), few.remove(&2)),
            (Some("b"), Some("d"), None)
        );
        assert!(few.contains_key(&1) && !few.contains_key(&2));
    }
}
