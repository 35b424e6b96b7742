//! What nodes cost, counted from the steps of a writer.

use crate::bti::pack::PackStep;
use crate::pos::PAGE_SIZE;
use serde::{Deserialize, Serialize};

/// Nodes and bytes in which the two writers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Nodes, chains not counted.
    pub nodes: u64,
    /// Nodes that are sparse though the dense type would be smaller: ScyllaDB alone makes them.
    pub larger_nodes: u64,
    /// Bytes by which they are larger.
    pub larger_bytes: u64,
    /// Tiny nodes in chains: bytes of edges behind the first one.
    pub chain_nodes: u64,
    /// Bytes of these chains.
    pub chain_bytes: u64,
    /// Nodes with one child and nothing else: what a chain is made of where each byte has its node.
    pub single_nodes: u64,
    /// Bytes of these nodes.
    pub single_bytes: u64,
    /// Nodes with one child and nothing else whose child lies in another page: a run that a page boundary parts.
    pub parted_runs: u64,
}

impl Tally {
    /// Takes a step in.
    pub(super) fn add(&mut self, step: &PackStep) {
        match *step {
            PackStep::Complete {
                settled: true,
                own,
                chain,
                edge_bytes,
                children,
                payload,
                surplus,
                ..
            } => {
                let links = u64::from(edge_bytes).saturating_sub(1);
                self.node(own, (chain, links), (children, payload), surplus);
            }
            PackStep::Node {
                at, size, chain, links, children, payload, surplus, farthest, ..
            } => {
                self.node(size, (chain, links.into()), (children, payload), surplus);
                let is_parted = at / PAGE_SIZE != at.saturating_sub(farthest) / PAGE_SIZE;
                self.parted_runs += u64::from(children == 1 && payload == 0 && is_parted);
            }
            PackStep::Melt { nodes, larger, surplus, links, chain, single, single_bytes } => {
                self.nodes = self.nodes.saturating_sub(nodes.into());
                self.larger_nodes = self.larger_nodes.saturating_sub(larger.into());
                self.larger_bytes = self.larger_bytes.saturating_sub(surplus.into());
                self.chain_nodes = self.chain_nodes.saturating_sub(links.into());
                self.chain_bytes = self.chain_bytes.saturating_sub(chain.into());
                self.single_nodes = self.single_nodes.saturating_sub(single.into());
                self.single_bytes = self.single_bytes.saturating_sub(single_bytes.into());
            }
            _ => {}
        }
    }

    fn node(&mut self, size: u32, chain: (u32, u64), what: (u16, u8), surplus: u16) {
        let (chain_bytes, links) = chain;
        self.nodes += 1;
        self.larger_nodes += u64::from(surplus > 0);
        self.larger_bytes += u64::from(surplus);
        self.chain_nodes += links;
        self.chain_bytes += u64::from(chain_bytes);
        if what == (1, 0) {
            self.single_nodes += 1;
            self.single_bytes += u64::from(size.saturating_sub(chain_bytes));
        }
    }
}
