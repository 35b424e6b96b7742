//! All node types, from bytes made by hand.

use crate::files::{hex, pos};
use triescope_core::bti::{Block, Child, Leaf, Node, NodeKind};
use triescope_core::data::Deletion;
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::DataPos;
use triescope_core::table::Part;

/// Reads the node that these bytes are, at `at` of a page that is otherwise empty.
fn with_node<T>(part: Part, at: usize, bytes: &str, run: impl FnOnce(Node<'_>) -> T) -> T {
    let mut page = vec![0; at];
    page.extend(hex(bytes));
    run(Node::read(part, pos(at as u64), &page).unwrap())
}

fn check(bytes: &str, at: usize, kind: NodeKind, children: &[(u8, u64)]) {
    with_node(Part::Partitions, at, bytes, |node| {
        assert_eq!(node.kind(), kind);
        let children: Vec<Child> =
            children.iter().map(|(byte, at)| Child { byte: *byte, at: pos(*at) }).collect();
        assert_eq!(node.children().collect::<Result<Vec<_>, _>>().unwrap(), children);
        assert!(node.transitions().eq(children.iter().map(|child| child.byte)));
        assert_eq!(node.first_child().unwrap(), children.first().copied());
        assert_eq!(node.last_child().unwrap(), children.last().copied());
        assert_eq!(node.is_leaf(), children.is_empty());
        for byte in 0..=255 {
            let find = |which: fn(&u8, &u8) -> bool| {
                children.iter().copied().filter(move |child| which(&child.byte, &byte))
            };
            assert_eq!(node.child(byte).unwrap(), find(u8::eq).map(|child| child.at).next());
            assert_eq!(node.below(byte.into()).unwrap(), find(u8::lt).next_back());
            assert_eq!(node.above(byte).unwrap(), find(u8::gt).next());
        }
    });
}

#[test]
fn every_type_gives_its_children() {
    check("08 f1 ff", 0, NodeKind::PayloadOnly, &[]);
    check("13 40", 3, NodeKind::SingleNoPayload4, &[(0x40, 0)]);
    check("20 40 10", 40, NodeKind::Single8, &[(0x40, 24)]);
    check("31 06 40", 920, NodeKind::SingleNoPayload12, &[(0x40, 658)]);
    check("40 7f 0123", 4000, NodeKind::Single16, &[(0x7f, 4000 - 0x123)]);
    check("50 03 2021ff 060402", 6, NodeKind::Sparse8, &[(0x20, 0), (0x21, 2), (0xff, 4)]);
    let three = [(0x00, 3000 - 0x123), (0x7f, 3000 - 0x456), (0x80, 3000 - 0x789)];
    check("60 03 007f80 123456 7890", 3000, NodeKind::Sparse12, &three);
    check("60 02 007f 123456", 3000, NodeKind::Sparse12, &three[..2]);
    check("70 03 007f80 0123 0456 0789", 3000, NodeKind::Sparse16, &three);
    check("80 03 007f80 000123 000456 000789", 3000, NodeKind::Sparse24, &three);
    let wide = "90 03 007f80 0000000123 0000000456 0000000789";
    check(wide, 3000, NodeKind::Sparse40, &three);
    let dense = [(0xfd, 3000 - 0x123), (0xff, 3000 - 0x456)];
    check("a0 fd 02 123 000 456 0", 3000, NodeKind::Dense12, &dense);
    check("b0 fd 02 0123 0000 0456", 3000, NodeKind::Dense16, &dense);
    check("c0 fd 02 000123 000000 000456", 3000, NodeKind::Dense24, &dense);
    check("d0 fd 02 00000123 00000000 00000456", 3000, NodeKind::Dense32, &dense);
    check("e0 fd 02 0000000123 0000000000 0000000456", 3000, NodeKind::Dense40, &dense);
    let long = "f0 fd 02 0000000000000123 0000000000000000 0000000000000456";
    check(long, 3000, NodeKind::LongDense, &dense);
}

#[test]
fn a_dense_node_of_256_slots_has_all_bytes() {
    let bytes = format!("a0 00 ff {}", "fff".repeat(256));
    let children: Vec<_> = (0..=255).map(|byte| (byte, 4500 - 0xfff)).collect();
    let mut page = vec![0; 404];
    page.extend(hex(&bytes));
    let node = Node::read(Part::Rows, pos(4500), &page).unwrap();
    let found: Vec<_> = node.children().map(|child| child.unwrap()).collect();
    assert!(found.iter().map(|child| (child.byte, child.at.0)).eq(children));
    assert_eq!(node.above(255).unwrap(), None);
    assert_eq!(node.below(0).unwrap(), None);
}

#[test]
fn a_distance_above_4_gib_reaches_its_child() {
    let mut page = vec![0; 100];
    page.extend(hex("e0 05 00 0200000000"));
    let at = (1u64 << 34) + 100;
    let node = Node::read(Part::Partitions, pos(at), &page).unwrap();
    assert_eq!(node.child(5).unwrap(), Some(pos(at - (1 << 33))));
}

#[test]
fn leaves_give_hash_byte_and_signed_position() {
    let leaf = |bytes: &str| with_node(Part::Partitions, 0, bytes, |node| Leaf::of(&node, 3));
    let found = leaf("08 f1 ff").unwrap();
    assert_eq!((found.hash, found.raw, found.depth), (Some(0xf1), -1, 3));
    assert_eq!(found.target(), LeafTarget::Data(DataPos(0)));
    assert_eq!(leaf("09 05 ff48").unwrap().target(), LeafTarget::Data(DataPos(183)));
    assert_eq!(leaf("08 98 2c").unwrap().target(), LeafTarget::Rows(pos(0x2c)));
    let found = leaf("0f 01 8000000000000000").unwrap();
    assert_eq!(found.target(), LeafTarget::Data(DataPos(i64::MAX as u64)));
    for (bytes, raw) in [("01 ff", -1), ("02 0123", 0x123), ("07 80000000000000", -(1 << 55))] {
        let found = leaf(bytes).unwrap();
        assert_eq!((found.hash, found.raw), (None, raw), "without a hash byte: {bytes}");
    }
    assert_eq!(with_node(Part::Partitions, 9, "13 40", |node| Leaf::of(&node, 0)), None);
}

#[test]
fn blocks_give_offset_and_open_marker() {
    let block = |bytes: &str| with_node(Part::Rows, 50, bytes, |node| Block::of(&node).unwrap());
    assert_eq!(block("12 74"), None);
    assert_eq!(block("21 40 08 10").unwrap().offset, 16);
    let open = block("0a 0455 00060a2498079c80 6553f100").unwrap();
    let deletion = Deletion { timestamp: 1_700_002_146_000_000, local_time: 1_700_000_000 };
    assert_eq!((open.offset, open.open), (1109, Some(deletion)));
    let negative = block("09 07 ffffffffffffffff 00000000").unwrap();
    assert_eq!(negative.open.unwrap().timestamp, -1);
}

#[test]
fn debug_speaks_as_people_do() {
    let text = |bytes: &str| with_node(Part::Rows, 0x3f4, bytes, |node| format!("{node:?}"));
    assert_eq!(text("50 03 202123 060402"), "Sparse@p0+0x3f4 3 children");
    assert_eq!(text("21 40 08 10"), "Single@p0+0x3f4 1 child payload 1 byte");
    assert_eq!(text("03 01001a"), "Leaf@p0+0x3f4 payload 3 bytes");
    let mut page = vec![0; 0x3f4];
    page.extend(hex("a0 30 02 012 000 00e 0"));
    let node = Node::read(Part::Partitions, pos(12 * 4096 + 0x3f4), &page).unwrap();
    assert_eq!(format!("{node:?}"), "Dense@p12+0x3f4 2 children");
}
