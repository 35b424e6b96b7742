//! Branches that outgrow a page between their estimate and their turn: Cassandra lays their own children out, ScyllaDB
//! writes them node by node.

use crate::frames::{check, replayed};
use std::ops::ControlFlow;
use std::rc::Rc;
use triescope_core::bti::pack::{PackStep, Payload, TrieWriter, Written};
use triescope_core::pos::{FilePos, PAGE_SIZE};
use triescope_core::replay::{Checkpoints, Entries, Fragments, Replay, Writer, trace};
use triescope_core::table::Part;

/// Nodes of 256 far children in groups of seven, which fill nearly a page with pointers of 16 bits. When their turn comes
/// what they point at lies more than 64 KiB back, and takes 24 bits each.
fn entries() -> Rc<Entries> {
    let none = Fragments::None;
    let mut entries = Entries::new(Part::Partitions, FilePos(0), none, 0, 1 << 20);
    for group in 0..4 {
        for node in 0..7 {
            for child in 0..=255 {
                for leaf in 0..4 {
                    let key = [group, node, child, leaf];
                    let payload = Payload::partition(child, !i64::from(leaf));
                    entries.add(&key, &payload, None).unwrap();
                }
            }
        }
    }
    Rc::new(entries)
}

fn steps(entries: &Entries, writer: Writer) -> Vec<PackStep> {
    let mut steps = Vec::new();
    trace(entries, writer, |told| {
        assert_eq!(told.number, steps.len() as u64);
        steps.push(told.step.clone());
        ControlFlow::Continue(())
    })
    .unwrap();
    steps
}

#[test]
fn both_ways_of_writing_what_has_grown_are_shown_as_they_are() {
    let entries = entries();
    for writer in Writer::BOTH {
        let steps = steps(&entries, writer);
        let is_grown = |step: &PackStep| match writer {
            Writer::Cassandra => matches!(step, PackStep::LayOut { grown: true, .. }),
            Writer::Scylla => matches!(step, PackStep::TakeApart { .. }),
        };
        let grown = steps.iter().filter(|step| is_grown(step)).count();
        assert!(grown > 0, "{}", writer.name());
        let many = Checkpoints { every: 3000, budget: 32 << 20 };
        let jumping = replayed(&entries, writer, many);
        assert_eq!(jumping.totals().steps, steps.len() as u64);
        let around: Vec<usize> = steps
            .iter()
            .enumerate()
            .filter(|(_, step)| is_grown(step))
            .flat_map(|(at, _)| at..(at + 40).min(steps.len()))
            .collect();
        let walking = replayed(&entries, writer, Checkpoints { every: u64::MAX, budget: 0 });
        for at in around.iter().copied().step_by(3) {
            let frame = jumping.frame(at as u64).unwrap();
            assert_eq!(frame.what, steps[at]);
            assert_eq!(Some(&frame), walking.frame(at as u64).as_ref());
            check(&frame);
        }
        whole(&entries, writer, &steps, &jumping);
    }
}

/// Pieces, branches and padding cover the file; what nodes cost adds up to its bytes.
fn whole(entries: &Rc<Entries>, writer: Writer, steps: &[PackStep], replay: &Replay) {
    let mut end = 0;
    for step in steps {
        match *step {
            PackStep::Pad { at, bytes, .. } => {
                assert_eq!(at, end);
                end += u64::from(bytes);
                assert!(end.is_multiple_of(PAGE_SIZE));
            }
            PackStep::Write { at, size, what, .. } if what.is_sum() => assert_eq!(at + size, end),
            PackStep::Write { at, size, .. } => {
                assert_eq!(at, end);
                assert_eq!(at / PAGE_SIZE, (at + size - 1) / PAGE_SIZE);
                end += size;
            }
            _ => {}
        }
    }
    let totals = replay.totals();
    assert_eq!(end, totals.end.0);
    let last = replay.frame(totals.steps - 1).unwrap();
    assert_eq!(last.waiting_bytes, 0, "{}", writer.name());
    let is_apart = |step: &&PackStep| {
        matches!(step, PackStep::Write { what: Written::Apart | Written::RootApart, .. })
    };
    assert_eq!(steps.iter().any(|step| is_apart(&step)), writer == Writer::Scylla);
    // The file itself has as many bytes.
    let mut trie = TrieWriter::new(Part::Partitions, writer.flavour(), Vec::new());
    entries.for_each(|key, payload| trie.add(key, *payload, []).unwrap());
    assert_eq!(trie.finish(), Some(totals.root.0));
    let file = trie.into_sink();
    assert_eq!(file.len() as u64, end);
}
