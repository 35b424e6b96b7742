//! Means over many keys: the same lookups, counted.
