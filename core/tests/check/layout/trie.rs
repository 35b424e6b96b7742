//! The trie index, laid out otherwise than its writer did.

use crate::common::{InMemory, cassandra, upstream};
use crate::twin::Nodes;
use crate::{ids, report};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter};
use triescope_core::bti::{Footer, PartitionIndex};
use triescope_core::check::Cost;
use triescope_core::keys::{Dialect, Partitioner, murmur3, partition_key};
use triescope_core::source::Pages;
use triescope_core::table::{Part, Version};

const PAGE: usize = 4096;

/// A leaf: what leads to it within its branch, and its bytes.
type Leaf = (Vec<u8>, Vec<u8>);

/// A thousand keys, and their leaves by the byte that follows the first one.
struct Thousand {
    files: InMemory,
    footer: Footer,
    branches: BTreeMap<u8, Vec<Leaf>>,
}

fn thousand() -> Thousand {
    let files = cassandra("p1000", "da", 1).files;
    let bytes = files.part(Part::Partitions).to_vec();
    let source = bytes.as_slice();
    let footer = Footer::read(&source).unwrap();
    let mut unheard = ();
    let pages = Pages::new(Part::Partitions, &source, &mut unheard);
    let mut leaves = PartitionIndex::new(&footer).leaves(pages);
    let mut branches: BTreeMap<u8, Vec<_>> = BTreeMap::new();
    while let Some(found) = leaves.next().unwrap() {
        let path = leaves.prefix();
        let at = found.leaf.at.0 as usize;
        let size = 2 + usize::from(bytes[at] & 7) + 1;
        assert_eq!(path[0], 0x40);
        branches
            .entry(path[1])
            .or_default()
            .push((path[2..].to_vec(), bytes[at..at + size].to_vec()));
    }
    Thousand { files, footer, branches }
}

/// A branch, in bytes that can lie anywhere; its top node is the last one.
fn branch(leaves: &[Leaf]) -> (Nodes, u64) {
    fn put(nodes: &mut Nodes, leaves: &[Leaf], depth: usize) -> u64 {
        if let [(path, bytes)] = leaves
            && path.len() == depth
        {
            return nodes.put(bytes);
        }
        let groups = leaves.chunk_by(|(a, _), (b, _)| a[depth] == b[depth]);
        let children: Vec<_> =
            groups.map(|group| (group[0].0[depth], put(nodes, group, depth + 1))).collect();
        nodes.node(&children, 0, &[])
    }
    let mut nodes = Nodes::default();
    let top = put(&mut nodes, leaves, 0);
    (nodes, top)
}

impl Thousand {
    /// Partitions.db again; `before` may change the file, and the branch, before a branch is appended.
    fn laid_out(
        &self,
        mut before: impl FnMut(u8, usize, &mut Nodes, (Nodes, u64)) -> (Nodes, u64),
    ) -> InMemory {
        let mut nodes = Nodes::default();
        let mut slots = vec![None; 256];
        for (i, (byte, leaves)) in self.branches.iter().enumerate() {
            let (part, top) = before(*byte, i, &mut nodes, branch(leaves));
            if nodes.0.len() % PAGE + part.0.len() > PAGE {
                nodes.pad();
            }
            let at = nodes.put(&part.0);
            slots[usize::from(*byte)] = Some(at + top);
        }
        let first = slots.iter().position(Option::is_some).unwrap();
        let last = slots.iter().rposition(Option::is_some).unwrap();
        if nodes.0.len() % PAGE + 3 + 2 * 256 + 10 > PAGE {
            nodes.pad();
        }
        let fork = nodes.dense(first as u8, &slots[first..=last]);
        let root = nodes.node(&[(0x40, fork)], 0, &[]);
        let Footer { first, last, count, .. } = &self.footer;
        let bytes = nodes.partitions(root, first, last, *count);
        self.files.with(Part::Partitions, &bytes)
    }
}

#[test]
fn branches_one_after_the_other_are_no_reason_for_a_finding() {
    let files = thousand().laid_out(|_, _, _, branch| branch);
    assert_eq!(ids(&files, false), [""; 0]);
}

#[test]
fn pages_less_than_half_full_are_dear() {
    let files = thousand().laid_out(|_, i, nodes, branch| {
        if i % 32 == 31 {
            nodes.pad();
        }
        branch
    });
    // Where half of the bytes are padding, some branch would have fitted the page before its own.
    assert_eq!(ids(&files, false), ["layout/fill", "layout/padding"]);
    let report = report(&files, false);
    let fill = report.findings.iter().find(|it| it.check.id == "layout/fill").unwrap();
    assert_eq!(fill.cost, Some(Cost { median: 2, worst: 2 }));
}

#[test]
fn padding_where_a_branch_would_have_fitted_is_dear() {
    let files = thousand().laid_out(|_, i, nodes, branch| {
        if i == 10 || i == 20 {
            nodes.pad();
        }
        branch
    });
    assert_eq!(ids(&files, false), ["layout/padding"]);
}

#[test]
fn a_small_branch_in_two_pages_is_dear() {
    let mut split = 0;
    let files = thousand().laid_out(|_, _, nodes, (mut part, top)| {
        let left = PAGE - nodes.0.len() % PAGE;
        let size = 2 + usize::from(part.0[0] & 7) + 1;
        let (node, children) = (top as usize, usize::from(part.0[top as usize + 1]));
        let distance = node + 2 + children;
        // The first branch that does not fit leaves its first leaf behind, a child of its top node.
        if split > 0 || part.0.len() <= left || left < size || part.0[distance + 4] != node as u8 {
            return (part, top);
        }
        split += 1;
        nodes.put(&part.0[..size]);
        nodes.pad();
        part.0[distance + 4] += (left - size) as u8;
        (Nodes(part.0.split_off(size)), top - size as u64)
    });
    assert_eq!(split, 1);
    assert_eq!(ids(&files, false), ["layout/crossings"]);
}

#[test]
fn keys_that_share_their_tokens_lie_deep() {
    let table = thousand();
    let ends = [*table.branches.keys().next().unwrap(), *table.branches.keys().last().unwrap()];
    let files = table.laid_out(|byte, _, _, (mut part, top)| {
        // The first and the last key are known, so their branches stay; a leaf alone is told apart by this byte already.
        let keep = ends.contains(&byte) || top == 0;
        let top = if keep { top } else { part.chain(&[0; 8], top) };
        (part, top)
    });
    assert_eq!(ids(&files, false), ["layout/chains"]);
}

/// A table of ScyllaDB with a composite partition key, with a trie index in place of its legacy one.
fn composite(version: &[u8; 2]) -> Option<InMemory> {
    let folder = upstream("scylladb/3.x_uncompressed_write_composite_partition_key")?;
    let mut files = InMemory::folder(&folder).remove(0);
    files.set.version = Version::new(version).unwrap();
    let schema = files.table().key_schema().clone();
    assert!(schema.columns().len() > 1);
    let style = Dialect::of(files.set.version).key_style;
    let mut writer = PartitionsWriter::new(Flavour::SCYLLA, Vec::new());
    IndexWalk::new(files.set.version.formats().index)
        .run(&files.part(Part::Index), u64::MAX, |head, bytes| {
            let key = head.key(bytes);
            let comparable = partition_key(&Partitioner::Murmur3, style, &schema, key).bytes;
            let target = PartitionTarget::Data(head.data);
            writer.add(key, &comparable, murmur3(key).byte(), target).unwrap();
            ControlFlow::Continue(())
        })
        .unwrap();
    let file = files.set.files.iter_mut().find(|file| file.part == Some(Part::Index)).unwrap();
    file.part = Some(Part::Partitions);
    files.bytes.remove(&Part::Index);
    Some(files.with(Part::Partitions, &writer.finish().unwrap()))
}

#[test]
fn column_wise_keys_of_several_columns_have_no_order_among_colliding_tokens() {
    let layout = |files: &InMemory| {
        let report = report(files, false);
        let trie = report.findings.iter().filter(|it| !it.check.id.starts_with("files/"));
        trie.map(|it| format!("{}: {it}", it.check.id)).collect::<Vec<_>>()
    };
    let (Some(typed), Some(blob)) = (composite(b"ms"), composite(b"mt")) else { return };
    assert_eq!(
        layout(&typed),
        ["layout/column-wise-keys: Partitions.db, partition key: expected one column, \
          found 3 columns; this version cannot order colliding tokens correctly"]
    );
    assert_eq!(layout(&blob), [""; 0]);
}
