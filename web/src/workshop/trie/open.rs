//! A trie that is open: its nodes as the board shows them, the way along a path, and what bytes say of a key.

use super::query::PATH_BYTES;
use triescope_core::bti::{Block, Family, Leaf, Node, NodeKind, RowEntry};
use triescope_core::error::Error;
use triescope_core::keys::{ClusteringSchema, Token, decode_partition_key, partition_key};
use triescope_core::lookup::LeafTarget;
use triescope_core::lookup::words::number;
use triescope_core::pos::{FilePos, pages_of};
use triescope_core::source::{Pages, Source};
use triescope_core::table::{Part, Table};

/// The byte that ends a clustering key of a row.
const ROW_END: u8 = 0x38;

/// A trie of a table.
#[derive(Debug)]
pub struct Open<'a, S> {
    /// Whose it is.
    pub table: &'a Table<S>,
    /// The component that holds it.
    pub part: Part,
    /// Its bytes.
    pub source: &'a S,
    /// The root.
    pub root: FilePos,
    /// Where the root ends, as the file says.
    pub end: FilePos,
    /// The entry, of a row trie.
    pub entry: Option<RowEntry>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Position of its first byte.
    pub at: FilePos,
    /// Its type.
    pub kind: NodeKind,
    /// Its bytes with the payload.
    pub size: usize,
    /// Its children in order: byte and position, none where the distance leads out of the file.
    pub children: Vec<(u8, Option<FilePos>)>,
    /// Bytes of its payload.
    pub payload: Vec<u8>,
    /// What the payload of a partition says.
    pub leaf: Option<Leaf>,
    /// What the payload of a block says.
    pub block: Option<Result<Block, String>>,
}

impl Seen {
    /// How it is drawn.
    pub fn family(&self) -> Family {
        self.kind.family()
    }

    /// Whether a partition or a block ends here.
    pub fn carries(&self) -> bool {
        !self.payload.is_empty()
    }
}

/// A node of a path.
#[derive(Clone, Debug)]
pub struct Step {
    /// Bytes from the root.
    pub path: Vec<u8>,
    /// Its position.
    pub at: FilePos,
    /// The node, or why it cannot be read.
    pub seen: Result<Seen, String>,
}

impl Step {
    /// The last byte of its path; none at the root.
    pub fn byte(&self) -> Option<u8> {
        self.path.last().copied()
    }

    /// The byte as words.
    pub fn name(&self) -> String {
        self.byte().map_or_else(|| "root".to_owned(), |byte| format!("{byte:02x}"))
    }
}

/// A key that a leaf leads to.
#[derive(Clone, Debug)]
pub struct Key {
    /// As text.
    pub text: String,
    /// Bytes of its byte-comparable form.
    pub len: usize,
}

impl<'a, S: Source> Open<'a, S> {
    /// The trie of Partitions.db.
    pub fn partitions(table: &'a Table<S>) -> Option<Self> {
        let (source, footer) = (table.source(Part::Partitions)?, table.footer.as_ref()?);
        let (root, end) = (footer.root, footer.keys_at);
        Some(Self { table, part: Part::Partitions, source, root, end, entry: None })
    }

    /// The row trie of an entry of Rows.db.
    pub fn rows(table: &'a Table<S>, at: FilePos) -> Result<Self, String> {
        let source = table.source(Part::Rows).ok_or("Rows.db is not here.")?;
        let entry = entry(source, at)?;
        let (root, end) = (entry.root, entry.at);
        Ok(Self { table, part: Part::Rows, source, root, end, entry: Some(entry) })
    }

    /// Pages of the component.
    pub fn pages(&self) -> u64 {
        pages_of(self.source.len())
    }

    /// What ends at a node with a payload.
    pub fn things(&self, n: u64) -> String {
        let (one, many) = match self.part {
            Part::Rows => ("block", "blocks"),
            _ => ("partition", "partitions"),
        };
        format!("{} {}", number(n, ','), if n == 1 { one } else { many })
    }

    /// The node at a position, `depth` bytes below the root.
    pub fn read(&self, at: FilePos, depth: usize) -> Result<Seen, String> {
        if at.0 >= self.source.len() {
            return Err(format!("{} ends at {}.", self.part.file_name(), self.source.len()));
        }
        let page = self.source.page(at.page()).map_err(|error| error.to_string())?;
        let node = Node::read(self.part, at, &page).map_err(|error| error.to_string())?;
        Ok(self.seen(&node, depth))
    }

    /// A node that was read.
    pub fn seen(&self, node: &Node<'_>, depth: usize) -> Seen {
        let dense = matches!(node.kind().family(), Family::Dense | Family::Long);
        let child = |(byte, distance): (u8, u64)| match distance {
            0 if dense => None,
            0 => Some((byte, None)),
            _ => Some((byte, node.at().before(distance))),
        };
        let is_rows = self.part == Part::Rows;
        Seen {
            at: node.at(),
            kind: node.kind(),
            size: node.size(),
            children: node.distances().filter_map(child).collect(),
            payload: node.payload().to_vec(),
            leaf: if is_rows { None } else { Leaf::of(node, depth) },
            block: match is_rows {
                true => Block::of(node).map_err(|error| error.to_string()).transpose(),
                false => None,
            },
        }
    }

    /// The nodes on the way along a path, as far as there are any.
    pub fn follow(&self, path: &[u8]) -> Vec<Step> {
        let mut steps = vec![self.step(Vec::new(), self.root)];
        for byte in path.iter().take(PATH_BYTES) {
            let Some(next) = steps.last().and_then(|last| self.child(last, *byte)) else { break };
            steps.push(next);
        }
        steps
    }

    /// The way to a first leaf, over the first pointer to another page where a node has one.
    pub fn first(&self) -> Vec<Step> {
        let mut steps = vec![self.step(Vec::new(), self.root)];
        while steps.len() <= PATH_BYTES {
            let Some(last) = steps.last() else { break };
            let Ok(seen) = &last.seen else { break };
            let turns = |at: &Option<FilePos>| at.is_some_and(|at| at.page() != last.at.page());
            let turning = seen.children.iter().find(|(_, at)| turns(at));
            let Some((byte, _)) = turning.or(seen.children.first()) else { break };
            let Some(next) = self.child(last, *byte) else { break };
            steps.push(next);
        }
        steps
    }

    fn child(&self, of: &Step, byte: u8) -> Option<Step> {
        let seen = of.seen.as_ref().ok()?;
        let (_, at) = seen.children.iter().find(|(known, _)| *known == byte)?;
        let path = [of.path.as_slice(), &[byte]].concat();
        Some(self.step(path, (*at)?))
    }

    fn step(&self, path: Vec<u8>, at: FilePos) -> Step {
        let seen = self.read(at, path.len()).and_then(|seen| {
            let end = at.0.saturating_add(seen.size as u64);
            match path.is_empty() && end != self.end.0 {
                true => Err(format!("The root ends at {end}, and the file says {}.", self.end)),
                false => Ok(seen),
            }
        });
        Step { path, at, seen }
    }

    /// A serialized key as the trie orders it.
    pub fn comparable(&self, key: &[u8]) -> Vec<u8> {
        let (table, style) = (self.table, self.table.dialect().key_style);
        partition_key(&table.partitioner(), style, table.key_schema(), key).bytes
    }

    /// What the bytes of a path say of the key, in words.
    pub fn says(&self, path: &[u8]) -> String {
        if self.part == Part::Rows {
            return match self.table.clustering_schema() {
                _ if path.is_empty() => "the first rows".to_owned(),
                Some(schema) => separator(schema, path),
                None => format!("0x{}", super::query::hex(path)),
            };
        }
        let (table, style) = (self.table, self.table.dialect().key_style);
        let schema = table.key_schema();
        let known = decode_partition_key(&table.partitioner(), style, schema, path);
        match (known.key, known.token, known.tokens) {
            (Some(key), ..) => format!("key {}", schema.to_text(&key)),
            (None, Some(Token::Murmur3(token)), _) => format!("token {}", signed(token)),
            (None, None, Some((low, high))) if low == i64::MIN && high == i64::MAX => {
                "every token".to_owned()
            }
            (None, None, Some((low, high))) => between(low, high),
            _ if path.is_empty() => "every key".to_owned(),
            _ => format!("0x{}", super::query::hex(path)),
        }
    }

    /// The key of the partition that a leaf leads to.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn key(&self, leaf: &Leaf) -> Result<Key, String> {
        let key = match leaf.target() {
            LeafTarget::Rows(at) => {
                let rows = self.table.source(Part::Rows).ok_or("Rows.db is not here")?;
                entry(rows, at)?.key
            }
            LeafTarget::Data(at) => {
                let mut data =
                    self.table.data_reader().map_err(|_| "Data.db is not here or not readable")?;
                data.key(at).map_err(|error| error.to_string())?.0
            }
        };
        let text = self.table.key_schema().to_text(&key);
        Ok(Key { text, len: self.comparable(&key).len() })
    }

    /// How many nodes of one page lie below a node with it, their bytes, what ends at them, and pointers to other pages.
    pub fn within(&self, at: FilePos) -> Within {
        let mut within = Within::default();
        let Ok(page) = self.source.page(at.page()) else { return within };
        let mut stack = vec![at];
        while let Some(at) = stack.pop() {
            // A page has no more nodes than bytes.
            if within.nodes as usize > page.len() {
                break;
            }
            let Ok(node) = Node::read(self.part, at, &page) else {
                within.bad += 1;
                continue;
            };
            within.nodes += 1;
            within.bytes += node.size() as u64;
            within.ends += u64::from(!node.payload().is_empty());
            for child in node.children().flatten() {
                match child.at.page() == at.page() {
                    true => stack.push(child.at),
                    false => within.out += 1,
                }
            }
        }
        within
    }
}

/// What lies below a node in its page, with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Within {
    /// Nodes.
    pub nodes: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Partitions or blocks.
    pub ends: u64,
    /// Pointers to other pages.
    pub out: u64,
    /// Nodes that cannot be read.
    pub bad: u64,
}

/// The entry at a position of Rows.db.
///
/// # Errors
/// A sentence.
pub fn entry<S: Source>(source: &S, at: FilePos) -> Result<RowEntry, String> {
    if at.0 >= source.len() {
        return Err(format!("The entry at {at} lies behind the end of Rows.db."));
    }
    let mut unheard = ();
    RowEntry::read(&mut Pages::new(Part::Rows, source, &mut unheard), at)
        .map_err(|error: Error| error.to_string())
}

/// A separator as text. It has no end, so a value whose bytes are all there looks cut: where one more byte would be no
/// value of the type, it is whole.
fn separator(schema: &ClusteringSchema, path: &[u8]) -> String {
    let text = schema.describe(path);
    let whole = [path, &[ROW_END]].concat();
    let longer = [path, &[0, ROW_END]].concat();
    let is_whole = schema.decode(&whole).kind.is_some() && schema.decode(&longer).kind.is_none();
    match schema.decode(path).kind {
        None if is_whole => format!("from {}", schema.describe(&whole)),
        _ => text,
    }
}

/// Tokens between two: the digits that are certain.
fn between(low: i64, high: i64) -> String {
    let (low, high) = (signed(low), signed(high));
    let same: String = low
        .chars()
        .zip(high.chars())
        .take_while(|(one, other)| one == other)
        .map(|(c, _)| c)
        .collect();
    if low.chars().count() == high.chars().count() && same.chars().any(|c| c.is_ascii_digit()) {
        return format!("token {}…", same.trim_end_matches(','));
    }
    let short = |text: &str| match text.char_indices().nth(7) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text).trim_end_matches(',')),
        None => text.to_owned(),
    };
    format!("tokens {} to {}", short(&low), short(&high))
}

fn signed(n: i64) -> String {
    let sign = if n < 0 { "−" } else { "" };
    format!("{sign}{}", number(n.unsigned_abs(), ','))
}
