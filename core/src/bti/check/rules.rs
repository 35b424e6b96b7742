//! What holds in both tries alike: the rules about nodes, and the findings that a walk's faults become.

use super::super::node::Node;
use super::super::walk::Fault;
use crate::check::catalog::{rows, trie};
use crate::check::{Check, Finding, Findings};
use crate::error::{Error, ReadError};
use crate::pos::{FilePos, len64};
use crate::table::Part;

/// The rules about nodes, in one of the two files.
pub(super) struct Rules {
    pub part: Part,
    node: &'static Check,
    page: &'static Check,
    child: &'static Check,
    overlap: &'static Check,
    transitions: &'static Check,
    dense_ends: &'static Check,
    leaf_payload: &'static Check,
    pub padding: &'static Check,
    pub unreachable: &'static Check,
    pub unclaimed: &'static Check,
    limit: &'static Check,
}

/// In Partitions.db.
pub(super) const TRIE: Rules = Rules {
    part: Part::Partitions,
    node: trie::NODE,
    page: trie::PAGE,
    child: trie::CHILD,
    overlap: trie::OVERLAP,
    transitions: trie::TRANSITIONS,
    dense_ends: trie::DENSE_ENDS,
    leaf_payload: trie::LEAF_PAYLOAD,
    padding: trie::PADDING,
    unreachable: trie::UNREACHABLE,
    unclaimed: trie::UNCLAIMED,
    limit: trie::LIMIT,
};

/// In Rows.db.
pub(super) const ROWS: Rules = Rules {
    part: Part::Rows,
    node: rows::NODE,
    page: rows::PAGE,
    child: rows::CHILD,
    overlap: rows::OVERLAP,
    transitions: rows::TRANSITIONS,
    dense_ends: rows::DENSE_ENDS,
    leaf_payload: rows::LEAF_PAYLOAD,
    padding: rows::PADDING,
    unreachable: rows::UNREACHABLE,
    unclaimed: rows::UNCLAIMED,
    limit: rows::LIMIT,
};

impl Rules {
    /// A node with children that can be walked: its bytes ascend, its ends are there.
    #[inline(always)]
    pub fn inner(&self, node: &Node<'_>, findings: &mut Findings) {
        if node.is_dense() {
            let last = node.slots().saturating_sub(1);
            if node.distance(0) == 0 || node.distance(last) == 0 {
                self.empty_end(node, findings);
            }
        } else if !node.is_ascending()
            && let Err(Error::Damage(error)) = node.check_order()
        {
            findings.add(Finding::unreadable(self.transitions, &error));
        }
    }

    #[cold]
    fn empty_end(&self, node: &Node<'_>, findings: &mut Findings) {
        let (name, slot) = match node.distance(0) {
            0 => ("first", 0),
            _ => ("last", node.slots().saturating_sub(1)),
        };
        let field = format!("distance in the {name} slot, byte 0x{:02x}", node.byte_of(slot));
        let finding = Finding::new(self.dense_ends, field, "that of a child", "0, an empty slot");
        findings.add(finding.at(self.part, node.at()).len(len64(node.size())));
    }

    /// What ended the walk of a branch.
    #[cold]
    pub fn fault(&self, fault: Fault, findings: &mut Findings) {
        let part = self.part;
        let finding = match fault {
            Fault::Page(error) => Finding::unreadable(self.node, &error),
            Fault::Node { at, error } => self.node(at, &error),
            Fault::Child { parent, byte, distance, most } => {
                let field = format!("distance to the child for byte 0x{byte:02x}");
                let expected = format!("1..={most}");
                Finding::new(self.child, field, expected, distance.to_string()).at(part, parent)
            }
            Fault::Overlap { at, size, first } => {
                if !first {
                    return;
                }
                let found = "some that belong to a node visited before";
                let finding = Finding::new(self.overlap, "bytes of a node", "its own", found);
                finding.at(part, at).len(len64(size))
            }
            Fault::Limit { at, field, limit } => {
                let expected = format!("at most {limit} (a limit of this program)");
                Finding::new(self.limit, field, expected, "more").at(part, at)
            }
        };
        findings.add(finding);
    }

    /// A node that cannot be read.
    pub fn node(&self, at: FilePos, error: &ReadError) -> Finding {
        let check = match error.field.as_ref() {
            "node size" => self.page,
            "payload bits of a node without children" => self.leaf_payload,
            _ => self.node,
        };
        let finding = Finding::unreadable(check, error);
        if error.at == at { finding } else { finding.at(self.part, at) }
    }
}

/// Bytes on the way to a node, as they are written in texts: `40 17`. The first sixteen will do.
pub(super) fn path_text(path: &[u8]) -> String {
    let mut text = String::new();
    for (i, byte) in path.iter().take(16).enumerate() {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    match path.len() {
        0 => "the empty path".to_owned(),
        n if n > 16 => format!("{text}… ({n} bytes)"),
        _ => text,
    }
}
