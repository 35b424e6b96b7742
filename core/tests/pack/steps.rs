//! What the writers tell those who listen.

use crate::common::cassandra;
use std::ops::ControlFlow;
use triescope_core::big::{EntryHead, IndexWalk};
use triescope_core::bti::pack::{Flavour, PackStep, PartitionTarget, PartitionsWriter};
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::pos::PAGE_SIZE;
use triescope_core::table::Part;

/// The steps that write the Partitions.db of `p20k`, and the file.
fn p20k(flavour: Flavour) -> (Vec<PackStep>, Vec<u8>) {
    let twin = cassandra("p20k", "oa", 1).files;
    let mut steps = Vec::new();
    let mut writer = PartitionsWriter::observed(flavour, Vec::new(), &mut steps);
    let each = |head: &EntryHead, bytes: &[u8]| {
        let key = head.key(bytes);
        let mut comparable = Vec::new();
        murmur3_blob_into(key, murmur3(key), &mut comparable);
        let target = PartitionTarget::Data(head.data);
        writer.add(key, &comparable, murmur3(key).byte(), target).unwrap();
        ControlFlow::Continue(())
    };
    IndexWalk::new(twin.set.version.formats().index)
        .run(&twin.part(Part::Index), u64::MAX, each)
        .unwrap();
    let file = writer.finish().unwrap();
    (steps, file)
}

#[test]
fn the_steps_of_p20k_are_those_of_the_format_text() {
    let (steps, file) = p20k(Flavour::CASSANDRA);
    let real = cassandra("p20k", "da", 1).files;
    assert_eq!(file, real.part(Part::Partitions));
    // 256 subtrees are written, then the node that all of them hang from, then the root.
    let writes = steps.iter().filter(|step| matches!(step, PackStep::Write { .. })).count();
    let pads = |step: &&PackStep| matches!(step, PackStep::Pad { .. });
    let padding: u32 = steps
        .iter()
        .filter_map(|step| match step {
            PackStep::Pad { bytes, .. } => Some(*bytes),
            _ => None,
        })
        .sum();
    assert_eq!((writes, steps.iter().filter(pads).count(), padding), (257, 33, 4730));
    let node_40 = steps.iter().find(|step| matches!(step, PackStep::Complete { depth: 1, .. }));
    let Some(PackStep::Complete { own, below, children, keeps, .. }) = node_40 else {
        panic!("{node_40:?}")
    };
    assert_eq!((*own, *below, *children, *keeps), (771, 156_825, 256, false));
    let page_7 = PackStep::Choose { edge: 0xa7, size: 649, left: 650, waiting: 211, fitting: 172 };
    assert!(steps.contains(&page_7));
    let after = steps.iter().skip_while(|step| **step != page_7).nth(2);
    assert!(matches!(after, Some(PackStep::Pad { at: 32_767, bytes: 1, .. })), "{after:?}");
}

#[test]
fn positions_told_are_those_of_the_file() {
    for flavour in [Flavour::CASSANDRA, Flavour::SCYLLA] {
        let (steps, file) = p20k(flavour);
        let mut end = 0;
        for step in &steps {
            match *step {
                PackStep::Pad { at, bytes, least } => {
                    assert_eq!(at, end);
                    end = at + u64::from(bytes);
                    assert!(end % PAGE_SIZE == 0 && least > u64::from(bytes));
                    assert!(file[at as usize..end as usize].iter().all(|byte| *byte == 0));
                }
                PackStep::Write { at, size, entry, .. } => {
                    assert_eq!(at, end);
                    end += size;
                    assert!((at..end).contains(&entry));
                }
                PackStep::Choose { size, left, waiting, fitting, .. } => {
                    assert!(size <= u64::from(left) && fitting <= waiting && fitting > 0);
                    assert_eq!(u64::from(left), PAGE_SIZE - end % PAGE_SIZE);
                }
                _ => {}
            }
        }
        // First and last key, each with its length, and the footer follow.
        assert_eq!(end + 2 * 6 + 24, file.len() as u64);
    }
}
