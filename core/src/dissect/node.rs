//! A trie node, bit for bit: type and payload bits, transitions, distances, payload. `docs/format/trie.md`, "Nodes".

use super::field::{Bits, Field, Item, ItemKind, counted, moment};
use crate::bti::{Block, Family, Leaf, Node, NodeKind};
use crate::error::{Error, ReadError};
use crate::lookup::LeafTarget;
use crate::pos::{FilePos, len64};
use crate::table::Part;
use std::borrow::Cow;

/// The node at `at`, whose page is `page`. A node that cannot be read has its first byte only, and the problem.
pub(crate) fn node_item(part: Part, at: FilePos, page: &[u8]) -> Item {
    let bytes = page.get(at.in_page()..).unwrap_or(&[]);
    let mut item = Item::plain(ItemKind::Node, part, at, 0, "");
    let Some(first) = bytes.first().copied() else {
        item.problem = Some(ReadError::truncated(part, at, "node", 1, 0));
        return item;
    };
    let mut fields = Fields { part, at, fields: Vec::new(), page: "trie.md#nodes" };
    let kind = NodeKind::of(first);
    let code = kind as u8;
    fields.bits("node type", 0, 4, format!("{code} {kind}"), of_kind(kind));
    match Node::read(part, at, page) {
        Ok(node) => {
            item.summary = summary(&node);
            item.len = len64(node.size());
            item.problem = dissect(&mut fields, &node, bytes).err();
        }
        Err(error) => {
            fields.bits("low bits", 4, 4, (first & 15).to_string(), "of a node that is damaged");
            item.summary = format!("{kind}, damaged");
            item.len = 1;
            item.problem = match error {
                Error::Damage(problem) => Some(*problem),
                Error::Miss(_) => None,
            };
        }
    }
    item.fields = fields.fields;
    item
}

/// A node in a line.
pub(super) fn summary(node: &Node<'_>) -> String {
    let mut text = node.kind().name().to_owned();
    match node.transitions().count() {
        0 => {}
        1 => {
            let byte = node.transitions().next().unwrap_or(0);
            text.push_str(&format!(", one child for 0x{byte:02x}"));
        }
        n => text.push_str(&format!(", {n} children")),
    }
    if node.payload_bits() != 0 {
        text.push_str(", ");
        text.push_str(&payload_summary(node));
    }
    text
}

fn payload_summary(node: &Node<'_>) -> String {
    if node.part() == Part::Rows {
        return match Block::of(node) {
            Ok(Some(block)) => {
                let open = if block.open.is_some() { " inside a deletion" } else { "" };
                format!("block at {}{open}", block.offset)
            }
            _ => "damaged payload".to_owned(),
        };
    }
    Leaf::of(node, 0).map(|leaf| target(&leaf)).unwrap_or_default()
}

fn target(leaf: &Leaf) -> String {
    match leaf.target() {
        LeafTarget::Data(data) => format!("partition at {data} of Data.db"),
        LeafTarget::Rows(entry) => format!("entry at {entry} of Rows.db"),
    }
}

fn of_kind(kind: NodeKind) -> &'static str {
    match kind.family() {
        Family::Leaf => "no children, a payload",
        Family::Single => "one child",
        Family::Sparse => "the transition bytes are listed, then a distance for each",
        Family::Dense | Family::Long => "a distance for each byte of a range, 0 for no child",
    }
}

struct Fields {
    part: Part,
    at: FilePos,
    fields: Vec<Field>,
    page: &'static str,
}

impl Fields {
    /// A field of some bits, counted from the first bit of the node.
    fn bits(
        &mut self,
        name: &'static str,
        from: usize,
        count: usize,
        value: impl Into<String>,
        meaning: impl Into<String>,
    ) {
        let first = from / 8;
        let len = (from + count).div_ceil(8).saturating_sub(first);
        let whole = from.is_multiple_of(8) && count.is_multiple_of(8);
        let narrow = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
        self.fields.push(Field {
            name: Cow::Borrowed(name),
            at: FilePos(self.at.0.saturating_add(len64(first))),
            len: len64(len),
            bits: (!whole).then(|| Bits { first: narrow(from % 8), count: narrow(count) }),
            value: value.into(),
            meaning: meaning.into(),
            page: Cow::Borrowed(self.page),
        });
    }

    fn byte(
        &mut self,
        name: &'static str,
        at: usize,
        value: impl Into<String>,
        meaning: impl Into<String>,
    ) {
        self.bits(name, 8 * at, 8, value, meaning);
    }

    fn distance(&mut self, from: usize, width: usize, byte: u8, distance: u64) {
        let meaning = match self.at.before(distance) {
            _ if distance == 0 => format!("no child for byte 0x{byte:02x}"),
            Some(child) => format!(
                "the child for byte 0x{byte:02x} lies at {} - {distance} = {child}, in page {}",
                self.at,
                child.page()
            ),
            None => format!("the child for byte 0x{byte:02x} would lie before the file"),
        };
        self.bits("distance", from, width, distance.to_string(), meaning);
    }
}

/// All fields after the type, and what is wrong with a node that could be read.
fn dissect(fields: &mut Fields, node: &Node<'_>, bytes: &[u8]) -> Result<(), ReadError> {
    let kind = node.kind();
    let width = usize::try_from(kind.distance_bits()).unwrap_or(0);
    let has_payload_bits =
        !matches!(kind, NodeKind::SingleNoPayload4 | NodeKind::SingleNoPayload12);
    if has_payload_bits {
        let bits = node.payload_bits();
        fields.bits("payload bits", 4, 4, bits.to_string(), of_payload_bits(node.part(), bits));
    }
    let slots: Vec<(u8, u64)> = node.distances().collect();
    let n = slots.len();
    let transition = |byte: &u8| format!("0x{byte:02x}");
    let mut end = 8;
    match (kind.family(), slots.as_slice()) {
        (Family::Leaf, _) | (_, []) => {}
        (Family::Single, [(byte, distance), ..]) => {
            let meaning = "the next byte of the keys below";
            if has_payload_bits {
                fields.byte("transition byte", 1, transition(byte), meaning);
                fields.distance(16, width, *byte, *distance);
                end = 16 + width;
            } else {
                fields.distance(4, width, *byte, *distance);
                end = (4 + width).next_multiple_of(8);
                fields.byte("transition byte", end / 8, transition(byte), meaning);
                end += 8;
            }
        }
        (Family::Sparse, _) => {
            let children = format!("{}, each with a transition byte and a distance", children(n));
            fields.byte("number of children", 1, n.to_string(), children);
            for (i, (byte, _)) in slots.iter().enumerate() {
                let meaning = format!("child {} of {n}", i + 1);
                fields.byte("transition byte", 2 + i, transition(byte), meaning);
            }
            end = distances(fields, 8 * (2 + n), width, &slots);
        }
        (Family::Dense | Family::Long, [(first, _), ..]) => {
            let last = slots.last().map_or(*first, |(byte, _)| *byte);
            let range = format!("the slots are for the bytes 0x{first:02x} to 0x{last:02x}");
            fields.byte("first transition byte", 1, transition(first), range);
            let meaning = format!("{n} slots follow");
            fields.byte("number of slots less 1", 2, (n - 1).to_string(), meaning);
            end = distances(fields, 24, width, &slots);
        }
    }
    if !end.is_multiple_of(8) {
        // Packed distances of 12 bits: an odd number of them leaves half a byte.
        let rest = bytes.get(end / 8).copied().unwrap_or(0) & 15;
        fields.bits("unused bits", end, 4, rest.to_string(), "fill the last byte of the distances");
    }
    payload(fields, node)?;
    // Pointers are followed to see whether they lead anywhere.
    for child in node.children() {
        if let Err(Error::Damage(problem)) = child {
            return Err(*problem);
        }
    }
    Ok(())
}

fn children(n: usize) -> String {
    if n == 1 { "one child".to_owned() } else { format!("{n} children") }
}

fn distances(fields: &mut Fields, from: usize, width: usize, slots: &[(u8, u64)]) -> usize {
    let mut at = from;
    for (byte, distance) in slots {
        fields.distance(at, width, *byte, *distance);
        at += width;
    }
    at
}

fn of_payload_bits(part: Part, bits: u8) -> String {
    let of = |n: u8, noun: &str| counted(n.into(), noun);
    match (part, bits) {
        (_, 0) => "no payload".to_owned(),
        (Part::Rows, 1..=7) => format!("the payload is a block offset of {}", of(bits, "byte")),
        (Part::Rows, _) => format!(
            "the payload is a block offset of {} and the deletion open there",
            of(bits & 7, "byte")
        ),
        (_, 1..=7) => format!("the payload is a position of {}, without a hash", of(bits, "byte")),
        (_, _) => format!("the payload is a hash byte and a position of {}", of(bits - 7, "byte")),
    }
}

fn payload(fields: &mut Fields, node: &Node<'_>) -> Result<(), ReadError> {
    if node.payload_bits() == 0 {
        return Ok(());
    }
    let head = node.size().saturating_sub(node.payload().len());
    let bits = usize::from(node.payload_bits());
    if fields.part == Part::Rows {
        fields.page = "rows.md#row-trie";
        let width = bits & 7;
        let number = |from: usize, len: usize| {
            let bytes = node.payload().get(from..from + len).unwrap_or(&[]);
            bytes.iter().fold(0u64, |n, byte| n << 8 | u64::from(*byte))
        };
        if width > 0 {
            let offset = number(0, width);
            let meaning = "where the block starts, from the start of the partition in Data.db";
            fields.bits("block offset", 8 * head, 8 * width, offset.to_string(), meaning);
        }
        if bits & 8 != 0 {
            let (micros, seconds) = (number(width, 8).cast_signed(), number(width + 8, 4));
            let at = 8 * (head + width);
            let meaning = deleted_up_to(micros);
            fields.bits("open deletion, timestamp", at, 64, micros.to_string(), meaning);
            let meaning = made_at(i64::try_from(seconds).unwrap_or(i64::MAX));
            fields.bits("open deletion, local time", at + 64, 32, seconds.to_string(), meaning);
        }
        return match Block::of(node) {
            Err(Error::Damage(problem)) => Err(*problem),
            _ => Ok(()),
        };
    }
    fields.page = "trie.md#leaf-payload";
    if let Some(leaf) = Leaf::of(node, 0) {
        let mut at = 8 * head;
        if let Some(hash) = leaf.hash {
            let meaning = "low byte of the second hash word of the key";
            fields.bits("hash byte", at, 8, format!("0x{hash:02x}"), meaning);
            at += 8;
        }
        let width = 8 * if bits >= 8 { bits - 7 } else { bits };
        let meaning = match leaf.target() {
            LeafTarget::Data(_) => format!("negative, so it is ~position: {}", target(&leaf)),
            LeafTarget::Rows(_) => format!("not negative: {}", target(&leaf)),
        };
        fields.bits("position", at, width, leaf.raw.to_string(), meaning);
    }
    Ok(())
}

/// What a deletion with a timestamp in microseconds deletes.
pub(super) fn deleted_up_to(micros: i64) -> String {
    format!("everything written up to {} is deleted", moment(micros.div_euclid(1000)))
}

/// When a deletion was made, from seconds.
pub(super) fn made_at(seconds: i64) -> String {
    format!("the deletion was made at {}", moment(seconds.saturating_mul(1000)))
}
