//! A branch that waits as bytes, taken apart into nodes again.
//!
//! Needed in one place: where ScyllaDB's writer meets a branch that has outgrown a page, it pads before single nodes, so
//! the distances inside the branch change.

use super::branch::{Child, Soft, State};
use super::observer::PackStep;
use super::payload::Payload;
use super::shape::surplus;
use crate::bti::node::Node;
use crate::pos::{FilePos, len64};
use crate::table::Part;

/// The root of a branch of `part`, from its bytes and the sizes of its units (a node with its chain) in their order.
pub(super) fn melt(part: Part, branch: &[u8], units: &[u16]) -> Soft {
    let mut done: Vec<Soft> = Vec::new();
    let mut start = 0;
    for size in units {
        let end = start + usize::from(*size);
        let Some(soft) = unit(part, branch.get(..end).unwrap_or(&[]), start, &mut done) else {
            break;
        };
        done.push(soft);
        start = end;
    }
    // The last unit is the root of the branch, and has taken all others.
    done.pop().unwrap_or(Soft {
        children: Vec::new(),
        payload: Payload::NONE,
        links: Vec::new(),
        below: 0,
        size: 0,
        has_written_child: false,
        has_written_below: false,
        waiting: 0,
    })
}

/// What is told of a branch before it is taken apart.
pub(super) fn melted(part: Part, branch: &[u8], units: &[u16]) -> PackStep {
    let (mut sums, mut start) = ([0; 7], 0);
    for unit in units {
        let size = usize::from(*unit);
        if let Ok(node) = Node::read(part, FilePos(len64(start)), branch) {
            let surplus = surplus_of(&node);
            let chain = len64(size.saturating_sub(node.size()));
            let is_single = node.transitions().count() == 1 && node.payload_bits() == 0;
            let single = u64::from(is_single);
            let more = [
                1,
                u64::from(surplus > 0),
                surplus,
                chain / 2,
                chain,
                single,
                single * len64(node.size()),
            ];
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += more;
            }
        }
        start += size;
    }
    let [nodes, larger, surplus, links, chain, single, single_bytes] =
        sums.map(|sum| u32::try_from(sum).unwrap_or(u32::MAX));
    PackStep::Melt { nodes, larger, surplus, links, chain, single, single_bytes }
}

/// Bytes by which a node is larger than the smallest type that would hold it.
fn surplus_of(node: &Node<'_>) -> u64 {
    let children: Vec<Child> = (0..node.slots())
        .filter(|slot| node.distance(*slot) != 0)
        .map(|slot| {
            let at = node.at().0.saturating_sub(node.distance(slot));
            Child { edge: node.byte_of(slot), state: State::Written { at } }
        })
        .collect();
    let has_payload = node.payload_bits() != 0;
    let head = len64(node.size() - node.payload().len());
    surplus(head, &children, has_payload, node.at().0).into()
}

/// One unit, whose children are the last ones done.
fn unit(part: Part, branch: &[u8], start: usize, done: &mut Vec<Soft>) -> Option<Soft> {
    let at = FilePos(len64(start));
    let node = Node::read(part, at, branch).ok()?;
    let links = links(branch.get(start + node.size()..)?, node.size());
    let bytes: Vec<u8> = node.transitions().collect();
    let children = done.split_off(done.len().checked_sub(bytes.len())?);
    let children = bytes
        .into_iter()
        .zip(children)
        .map(|(edge, soft)| Child { edge, state: State::Soft(Box::new(soft)) });
    Some(Soft {
        children: children.collect(),
        payload: Payload::raw(node.payload_bits(), node.payload()),
        links,
        below: 0,
        size: 0,
        has_written_child: false,
        has_written_below: true,
        waiting: 0,
    })
}

/// The bytes of a chain above a body, the one nearest to the parent first.
fn links(chain: &[u8], body: usize) -> Vec<u8> {
    // The link next to a body of 16 bytes or more has 3 bytes, all others 2; each ends with its byte.
    let (deepest, others) = chain.split_at(if body >= 16 { 3 } else { 2 }.min(chain.len()));
    let links = [deepest].into_iter().chain(others.chunks(2));
    let mut links: Vec<u8> = links.filter_map(|link| link.last().copied()).collect();
    links.reverse();
    links
}
