//! Bytes that nothing claimed, and what they look like.

use super::super::cover::Coverage;
use super::super::node::Node;
use super::rules::Rules;
use crate::check::{Finding, Findings};
use crate::error::{Error, Miss};
use crate::pos::{FilePos, PAGE_SIZE, len64, mem};
use crate::source::Source;

/// Reports the gaps from `from` on, one after the other.
pub(super) fn report<S: Source>(
    rules: &Rules,
    cover: &mut Coverage,
    source: &S,
    from: &mut FilePos,
    findings: &mut Findings,
) -> Result<(), Miss> {
    while let Some((start, end)) = cover.gap(*from) {
        match source.page(start.page()) {
            Ok(page) => {
                let last = end.0.min(start.page().start().0.saturating_add(PAGE_SIZE));
                let len = mem(last.saturating_sub(start.0)).unwrap_or(0);
                let bytes = page.get(start.in_page()..).unwrap_or(&[]);
                let gap = Gap { rules, start, end, bytes: bytes.get(..len).unwrap_or(bytes) };
                findings_of(&gap, &page, findings);
            }
            Err(Error::Miss(miss)) => return Err(miss),
            // The page was read before; a host that lost the file has said so elsewhere.
            Err(Error::Damage(_)) => {}
        }
        *from = end;
    }
    Ok(())
}

struct Gap<'a> {
    rules: &'a Rules,
    start: FilePos,
    end: FilePos,
    /// Its bytes in the first page.
    bytes: &'a [u8],
}

fn findings_of(gap: &Gap<'_>, page: &[u8], findings: &mut Findings) {
    let Gap { rules, start, end, bytes } = *gap;
    let ends_page = end.0.is_multiple_of(PAGE_SIZE);
    let zero = bytes.iter().all(|byte| *byte == 0);
    let after_nodes = start.in_page() > 0 && ends_page;
    if zero && after_nodes {
        return;
    }
    let at = |finding: Finding| finding.at(rules.part, start).len(end.0.saturating_sub(start.0));
    let (nodes, bytes_of_nodes) = nodes_in(gap, page);
    let rest = bytes.get(bytes_of_nodes..).unwrap_or(&[]);
    if nodes > 0 && (rest.is_empty() || ends_page && rest.iter().all(|byte| *byte == 0)) {
        let found = if nodes == 1 { "one node".into() } else { format!("{nodes} nodes") };
        let found = format!("{found} of {bytes_of_nodes} bytes");
        let field = "bytes that no pointer leads to";
        findings.add(at(Finding::new(rules.unreachable, field, "none", found)));
    } else if zero {
        let expected = "bytes of nodes; zeros are only where a page ends";
        let found = format!("{} zero bytes", end.0.saturating_sub(start.0));
        findings.add(at(Finding::new(rules.padding, "padding", expected, found)));
    } else if after_nodes && bytes.first() == Some(&0) {
        let place = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
        let byte = bytes.get(place).copied().unwrap_or(0);
        let pos = FilePos(start.0.saturating_add(len64(place)));
        let finding = Finding::new(rules.padding, "padding", "zero bytes", format!("0x{byte:02x}"));
        findings.add(finding.at(rules.part, pos).len(1));
    } else {
        let found = format!("{} bytes", end.0.saturating_sub(start.0));
        let field = "bytes that belong to nothing";
        findings.add(at(Finding::new(rules.unclaimed, field, "none", found)));
    }
}

/// Nodes from the start of a gap on, one after the other, and their bytes.
fn nodes_in(gap: &Gap<'_>, page: &[u8]) -> (usize, usize) {
    let (mut nodes, mut used) = (0, 0);
    // No node begins with a zero byte: a leaf has a payload.
    while gap.bytes.get(used).is_some_and(|byte| *byte != 0) {
        let at = FilePos(gap.start.0.saturating_add(len64(used)));
        match Node::read(gap.rules.part, at, page) {
            Ok(node) if used + node.size() <= gap.bytes.len() => used += node.size(),
            _ => break,
        }
        nodes += 1;
    }
    (nodes, used)
}
