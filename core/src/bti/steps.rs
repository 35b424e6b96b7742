//! Steps made of nodes, for observers that keep them.

use super::node::{Child, Node};
use crate::lookup::{Edge, NodeOutcome, NodeStep, Step};
use serde_bytes::ByteBuf;

/// The step of a node that was entered `depth` bytes below the root.
pub(super) fn node_step(node: &Node<'_>, depth: usize, outcome: NodeOutcome) -> Step {
    Step::Node(NodeStep {
        part: node.part(),
        at: node.at(),
        kind: node.kind(),
        size: u32::try_from(node.size()).unwrap_or(u32::MAX),
        payload_bits: node.payload_bits(),
        depth: u32::try_from(depth).unwrap_or(u32::MAX),
        children: node.transitions().collect::<Vec<u8>>().into(),
        outcome,
    })
}

/// The edge to a child of the node.
pub(super) fn edge(node: &Node<'_>, child: Child) -> Edge {
    let before = node.transitions().take_while(|byte| *byte < child.byte).count();
    Edge {
        byte: child.byte,
        child: u32::try_from(before).unwrap_or(u32::MAX),
        distance: node.at().0.saturating_sub(child.at.0),
        to: child.at,
    }
}

/// Bytes of a payload for a step.
pub(super) fn payload_bytes(node: &Node<'_>) -> ByteBuf {
    ByteBuf::from(node.payload())
}
