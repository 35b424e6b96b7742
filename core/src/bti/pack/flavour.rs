//! Where the two writers of tries differ: data, with the reason for each.

/// How a trie is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flavour {
    /// Most bytes on the edge to one node. Cassandra has a node for each byte; ScyllaDB keeps up to 300 bytes with one
    /// node and writes the others as a chain of tiny nodes that is never parted.
    pub edge_bytes: usize,
    /// How many bytes larger a sparse node may be and still be taken in place of a dense one, plus one. ScyllaDB adds
    /// header sizes in bits (16 and 24) to sizes in bytes, so 7; in Cassandra the dense one wins a tie, so 0.
    pub sparse_bias: u64,
    /// Whether a branch of exactly one page stays whole: `<=` in ScyllaDB, `<` in Cassandra.
    pub keeps_full_page: bool,
    /// What happens when a branch has outgrown a page because its pointers grew.
    pub grown: Grown,
    /// Bytes of the key in a trie of one partition: none in Cassandra, whose root is then the leaf; one in ScyllaDB.
    pub lone_key_bytes: usize,
}

/// What is done with a branch that has outgrown a page between its estimate and its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grown {
    /// In an empty page its children are laid out, and it waits for another turn (Cassandra).
    LayOutChildren,
    /// It is written node by node, with padding before each node that does not fit (ScyllaDB).
    PadBeforeNodes,
}

impl Flavour {
    /// Apache Cassandra 5 (`da`).
    pub const CASSANDRA: Self = Self {
        edge_bytes: 1,
        sparse_bias: 0,
        keeps_full_page: false,
        grown: Grown::LayOutChildren,
        lone_key_bytes: 0,
    };

    /// ScyllaDB (`ms`, `mt`).
    pub const SCYLLA: Self = Self {
        edge_bytes: 300,
        sparse_bias: 7,
        keeps_full_page: true,
        grown: Grown::PadBeforeNodes,
        lone_key_bytes: 1,
    };
}
