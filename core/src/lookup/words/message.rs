//! From a step and what stands around it in the record to a message.

use super::text::{Arg, Id, Message};
use crate::lookup::{
    AbsentWhy, Answer, BlockBound, BlockProbeStep, BlockStep, Cmp, Confirmation, DataStep,
    EntryHow, EntryStep, FilterAnswer, FilterMode, FilterStep, LeafPayload, LeafTarget,
    NodeOutcome, NodeStep, NotConfirmed, PageState, PageStep, PromotedStep, Record,
    RowConfirmation, RowEntryStep, Step, SummarySource, WindowStep,
};
use crate::pos::len64;
use crate::table::Part;
use serde_bytes::ByteBuf;

/// How keys of a table are written: the words need no types, only this.
pub trait Names {
    /// A serialized partition key.
    fn key(&self, key: &[u8]) -> String;
    /// Clustering values, `None` for null.
    fn row(&self, values: &[Option<ByteBuf>]) -> String;
}

/// Keys as hex: for tables whose types are not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

impl Names for NoNames {
    fn key(&self, key: &[u8]) -> String {
        format!("0x{}", super::bytes(key))
    }

    fn row(&self, values: &[Option<ByteBuf>]) -> String {
        let value = |value: &Option<ByteBuf>| match value {
            Some(bytes) => format!("0x{}", super::bytes(bytes)),
            None => "null".to_owned(),
        };
        values.iter().map(value).collect::<Vec<_>>().join(", ")
    }
}

fn message<const N: usize>(id: Id, args: [Arg; N]) -> Message {
    Message { id, args: args.into() }
}

/// The message of step number `at`.
pub(super) fn of(names: &dyn Names, record: &Record, at: usize) -> Option<Message> {
    Some(match record.steps.get(at)? {
        Step::Filter(filter) => of_filter(filter),
        Step::Page(page) => of_page(record, at, page),
        Step::Node(node) => of_node(node),
        Step::RowEntry(entry) => of_row_entry(entry),
        Step::Bounds(bounds) => match (bounds.against_first, bounds.against_last) {
            (Cmp::Smaller, _) => message(Id::BoundsBefore, []),
            (_, Some(Cmp::Greater)) => message(Id::BoundsAfter, []),
            _ => message(Id::BoundsInside, []),
        },
        Step::SummaryProbe(probe) => {
            let id = match probe.cmp {
                Cmp::Smaller => Id::SampleLeft,
                Cmp::Greater => Id::SampleRight,
                // ScyllaDB counts the samples that are not greater: an equal one sends the search on.
                Cmp::Equal if is_probe(record, at + 1) => Id::SampleRight,
                Cmp::Equal => Id::SampleEqual,
            };
            message(id, [probe.sample.into(), probe.of.into()])
        }
        Step::Window(window) => of_window(window),
        Step::Entries(entries) => {
            message(Id::Entries, [entries.count.into(), (entries.to.0 - entries.from.0).into()])
        }
        Step::Entry(entry) => of_entry(names, entry),
        Step::Promoted(promoted) => of_promoted(promoted),
        Step::BlockProbe(probe) => of_block_probe(names, record, at, probe),
        Step::Block(block) => of_block(block),
        Step::Data(data) => {
            // An index that has the whole key still says where the partition should be: then Data.db is another table's.
            let next = record.steps.get(at + 1);
            let stays = matches!(next, Some(Step::Answer(Answer::Present { .. })));
            match &data.key {
                Confirmation::Differs { found } if stays => {
                    message(Id::DataContradicts, [data.at.0.into(), names.key(found).into()])
                }
                _ => of_data(names, data),
            }
        }
        Step::Answer(answer) => of_answer(answer),
        Step::Damage(error) => message(Id::Damage, [error.to_string().into()]),
    })
}

fn is_probe(record: &Record, at: usize) -> bool {
    matches!(record.steps.get(at), Some(Step::SummaryProbe(_)))
}

fn of_filter(filter: &FilterStep) -> Message {
    match &filter.answer {
        FilterAnswer::Maybe => message(Id::FilterMaybe, [len64(filter.tested.len()).into()]),
        FilterAnswer::NoFilter => message(Id::NoFilter, []),
        FilterAnswer::Damaged(error) => message(Id::FilterDamaged, [error.to_string().into()]),
        FilterAnswer::No => {
            let id = match filter.mode {
                FilterMode::Ask => Id::FilterNo,
                FilterMode::Off => Id::FilterNoButOn,
            };
            let bit = filter.tested.last().map_or(0, |bit| bit.bit);
            message(id, [bit.into(), len64(filter.tested.len()).into()])
        }
    }
}

fn of_page(record: &Record, at: usize, page: &PageStep) -> Message {
    let args = [page.page.0.into(), page.part.into()];
    match page.state {
        PageState::Here => return message(Id::PageHere, args),
        PageState::Warm => return message(Id::PageWarm, args),
        PageState::Fetched(_) => {}
    }
    let first = !record
        .steps
        .iter()
        .take(at)
        .any(|step| matches!(step, Step::Page(p) if p.part == page.part));
    let next = record.steps.iter().skip(at + 1).find(|step| !matches!(step, Step::Page(_)));
    let two_files =
        record.steps.iter().any(|step| matches!(step, Step::Page(p) if p.part == Part::Rows));
    match (page.part, next) {
        (Part::Partitions, _) if first && two_files && page.page.0 == 0 => {
            message(Id::FetchOnly, args)
        }
        (Part::Partitions, _) if first && two_files => message(Id::FetchOf, args),
        (Part::Partitions, _) if first => message(Id::FetchRoot, args),
        (Part::Rows, Some(Step::RowEntry(_))) => message(Id::FetchEntry, args),
        (Part::Rows, _) => message(Id::FetchOf, args),
        (Part::Index, Some(Step::Entries(_))) => of_window_page(record, at, page),
        (Part::Index, Some(Step::Entry(_))) => message(Id::FetchScan, args),
        (Part::Index, Some(Step::Promoted(_))) => message(Id::FetchPromoted, args),
        (Part::Index, Some(Step::BlockProbe(probe))) => {
            let offset = probe.offset_at.is_some_and(|at| at.page() == page.page);
            let before_block = matches!(record.steps.get(at + 1), Some(Step::Page(_)));
            let id = if offset && (before_block || probe.at.page() != page.page) {
                Id::FetchOffsets
            } else {
                Id::FetchBlock
            };
            message(id, args)
        }
        (_, _) => message(Id::Fetch, args),
    }
}

/// A page of a window that is parsed whole: the page's number among those of the window.
fn of_window_page(record: &Record, at: usize, page: &PageStep) -> Message {
    let before = record.steps.get(..at).unwrap_or(&[]);
    let start = before.iter().rposition(|step| matches!(step, Step::Window(_)));
    let Some((start, Some(Step::Window(window)))) = start.map(|i| (i, record.steps.get(i))) else {
        return message(Id::Fetch, [page.page.0.into(), page.part.into()]);
    };
    let pages =
        record.steps.iter().skip(start + 1).take_while(|step| matches!(step, Step::Page(_)));
    let args = [
        page.page.0.into(),
        page.part.into(),
        len64(at - start).into(),
        len64(pages.count()).into(),
        window.from.0.into(),
        window.to.0.into(),
    ];
    message(Id::FetchWindow, args)
}

fn of_node(node: &NodeStep) -> Message {
    let kind = || Arg::from(node.kind.name());
    let children = len64(node.children.len());
    match &node.outcome {
        NodeOutcome::Follow(edge) => {
            let away = edge.to.page() != node.at.page();
            let (byte, depth, distance) =
                (edge.byte.into(), node.depth.into(), edge.distance.into());
            let (to, page) = (edge.to.0.into(), edge.to.page().0.into());
            let nth = (u64::from(edge.child) + 1).into();
            match (children, away) {
                (1, false) => message(Id::FollowOnlyHere, [byte, depth, distance, kind(), to]),
                (1, true) => message(Id::FollowOnlyAway, [byte, depth, distance, kind(), to, page]),
                (_, false) => message(
                    Id::FollowHere,
                    [byte, depth, nth, children.into(), distance, kind(), to],
                ),
                (_, true) => message(
                    Id::FollowAway,
                    [byte, depth, nth, children.into(), distance, kind(), to, page],
                ),
            }
        }
        NodeOutcome::NoTransition { byte, below, above } => {
            let (byte, depth) = ((*byte).into(), node.depth.into());
            match (*below, *above) {
                (Some(below), Some(above)) => {
                    message(Id::NoChildBetween, [byte, depth, below.into(), above.into(), kind()])
                }
                (Some(below), None) => {
                    message(Id::NoChildAbove, [byte, depth, below.into(), kind()])
                }
                (None, above) => {
                    message(Id::NoChildBelow, [byte, depth, above.unwrap_or(0).into(), kind()])
                }
            }
        }
        NodeOutcome::KeyEnds => message(Id::KeyEnds, [children.into(), kind()]),
        NodeOutcome::Leaf(leaf) => of_leaf(leaf, node.depth, kind()),
        NodeOutcome::Floor { wanted, edge } => {
            message(Id::Floor, [(*wanted).into(), edge.byte.into(), kind(), edge.to.0.into()])
        }
        NodeOutcome::Last(edge) => {
            message(Id::LastChild, [edge.byte.into(), children.into(), kind(), edge.to.0.into()])
        }
        NodeOutcome::Block(block) => {
            let id = if block.open.is_some() { Id::BlockPayloadOpen } else { Id::BlockPayload };
            message(id, [block.offset.into(), kind()])
        }
        NodeOutcome::Back { to, .. } => message(Id::Back, [to.0.into(), kind()]),
    }
}

fn of_leaf(leaf: &LeafPayload, depth: u32, kind: Arg) -> Message {
    let (part, to) = match leaf.target {
        LeafTarget::Data(data) => (Part::Data.into(), data.0.into()),
        LeafTarget::Rows(rows) => (Part::Rows.into(), rows.0.into()),
    };
    match leaf.hash {
        None => message(Id::LeafNoHash, [part, to, kind]),
        Some(hash) if hash != leaf.expected_hash => {
            message(Id::LeafDiffers, [hash.into(), leaf.expected_hash.into(), kind])
        }
        Some(_) if depth == 0 => message(Id::LeafAlone, [part, to, kind]),
        Some(hash) => message(Id::LeafEqual, [hash.into(), part, to, kind]),
    }
}

fn of_row_entry(entry: &RowEntryStep) -> Message {
    if entry.equal {
        let back = entry.base.0.saturating_sub(entry.root.0);
        message(Id::RowEntry, [back.into(), entry.blocks.into(), entry.root.0.into()])
    } else {
        message(Id::RowEntryOther, [entry.at.0.into()])
    }
}

fn of_window(window: &WindowStep) -> Message {
    let (from, to) = (window.from.0.into(), window.to.0.into());
    match (window.sample, window.entries) {
        _ if window.for_next_partition => message(Id::WindowNext, [from, to]),
        (None, _) => message(Id::WindowBefore, [from, to]),
        (Some(sample), Some(entries)) => {
            message(Id::WindowScan, [sample.into(), from, entries.into()])
        }
        (Some(sample), None) => message(Id::Window, [sample.into(), from, to]),
    }
}

fn of_entry(names: &dyn Names, entry: &EntryStep) -> Message {
    let of = entry.of.unwrap_or(0);
    let equal = || message(Id::EntryEqual, [entry.index.into(), entry.data.0.into()]);
    match (entry.how, entry.cmp) {
        (EntryHow::Probe { .. }, Cmp::Smaller) => {
            message(Id::EntryLeft, [entry.index.into(), of.into()])
        }
        (EntryHow::Probe { .. }, Cmp::Greater) => {
            message(Id::EntryRight, [entry.index.into(), of.into()])
        }
        // The bisection looks for the first entry not smaller than the key, so an equal one sends it left.
        (EntryHow::Probe { .. }, Cmp::Equal) => {
            message(Id::EntryLeft, [entry.index.into(), of.into()])
        }
        (EntryHow::Check, Cmp::Equal) => equal(),
        (EntryHow::Check, _) => message(Id::EntryOther, [entry.index.into()]),
        (EntryHow::Scan | EntryHow::ScanOrdered, Cmp::Equal) => {
            message(Id::EntryEqual, [(entry.index + 1).into(), entry.data.0.into()])
        }
        (EntryHow::Scan | EntryHow::ScanOrdered, Cmp::Greater) => {
            message(Id::ScanOn, [(entry.index + 1).into(), names.key(&entry.key).into()])
        }
        (EntryHow::Scan | EntryHow::ScanOrdered, Cmp::Smaller) => {
            message(Id::ScanPast, [(entry.index + 1).into(), names.key(&entry.key).into()])
        }
    }
}

fn of_promoted(promoted: &PromotedStep) -> Message {
    if promoted.whole {
        let bytes = promoted.end.0.saturating_sub(promoted.at.0);
        message(Id::PromotedWhole, [bytes.into(), promoted.blocks.into()])
    } else {
        message(Id::Promoted, [promoted.blocks.into()])
    }
}

fn of_block_probe(
    names: &dyn Names,
    record: &Record,
    at: usize,
    probe: &BlockProbeStep,
) -> Message {
    let nth = record.steps.iter().take(at + 1).filter(|step| matches!(step, Step::BlockProbe(_)));
    let id = match (probe.bound, probe.cmp) {
        (BlockBound::First, Cmp::Smaller) => Id::BlockFirstLeft,
        (BlockBound::First, _) => Id::BlockFirstRight,
        (BlockBound::Last, Cmp::Greater) => Id::BlockLastRight,
        (BlockBound::Last, _) => Id::BlockLastLeft,
    };
    let row = names.row(&probe.values);
    message(id, [len64(nth.count()).into(), probe.block.into(), row.into()])
}

fn of_block(block: &BlockStep) -> Message {
    let data = block.partition.0.saturating_add(block.start);
    let inner = match (block.block, block.end) {
        _ if block.after_last => message(Id::BlockAfterLast, []),
        (Some(number), _) => {
            message(Id::BlockNumbered, [number.into(), block.start.into(), data.into()])
        }
        (None, Some(end)) if end > block.start => {
            message(Id::BlockSized, [block.start.into(), data.into(), (end - block.start).into()])
        }
        (None, _) => message(Id::Block, [block.start.into(), data.into()]),
    };
    if block.open.is_some() { message(Id::BlockOpen, [inner.into()]) } else { inner }
}

fn of_data(names: &dyn Names, data: &DataStep) -> Message {
    let at = || Arg::from(data.at.0);
    match (&data.key, &data.row) {
        (Confirmation::NotConfirmed(why), _) => match why {
            NotConfirmed::NoData => message(Id::NoData, []),
            NotConfirmed::NoCompressionInfo => message(Id::NoCompressionInfo, []),
            NotConfirmed::UnknownCompressor { name } => {
                message(Id::UnknownCompressor, [name.as_str().into()])
            }
            NotConfirmed::Version => message(Id::DataVersion, []),
            NotConfirmed::Damaged(error) => message(Id::DataDamaged, [error.to_string().into()]),
        },
        (Confirmation::Differs { found }, _) => {
            message(Id::DataDiffers, [at(), names.key(found).into()])
        }
        (Confirmation::Equal, Some(RowConfirmation::Found { at: row, passed })) => {
            message(Id::DataRow, [at(), row.0.into(), (*passed).into()])
        }
        (Confirmation::Equal, Some(RowConfirmation::Absent { passed })) => {
            message(Id::DataNoRow, [at(), (*passed).into()])
        }
        (Confirmation::Equal, _) if data.compressor.is_none() => {
            message(Id::DataEqualPlain, [at()])
        }
        (Confirmation::Equal, _) => {
            let bytes = data.chunks.iter().map(|chunk| chunk.bytes).sum::<u64>();
            message(Id::DataEqual, [at(), len64(data.chunks.len()).into(), bytes.into()])
        }
    }
}

fn of_answer(answer: &Answer) -> Message {
    match answer {
        Answer::Present { data, confirmed, block, row } => match (row, block, confirmed) {
            (Some(RowConfirmation::Found { at, .. }), _, _) => {
                message(Id::PresentRow, [at.0.into()])
            }
            (Some(RowConfirmation::Absent { .. }), _, _) => {
                message(Id::PresentNoRow, [data.0.into()])
            }
            (_, Some(block), _) => message(Id::PresentBlock, [block.0.into()]),
            (_, None, true) => message(Id::Present, [data.0.into()]),
            (_, None, false) => message(Id::PresentUnconfirmed, [data.0.into()]),
        },
        Answer::Absent(why) => message(
            match why {
                AbsentWhy::Filter => Id::AbsentFilter,
                AbsentWhy::DeadEnd => Id::AbsentDeadEnd,
                AbsentWhy::HashByte => Id::AbsentHash,
                AbsentWhy::OtherKey => Id::AbsentOtherKey,
                AbsentWhy::BeforeFirst => Id::AbsentBefore,
                AbsentWhy::AfterLast => Id::AbsentAfter,
                AbsentWhy::BetweenEntries => Id::AbsentBetween,
            },
            [],
        ),
        Answer::Unknown(_) => message(Id::Unknown, []),
    }
}

/// What stands before the first step of a lane.
pub(super) fn before(summary: Option<SummarySource>) -> Message {
    let id = match summary {
        None => Id::BeforeTrie,
        Some(SummarySource::File) => Id::BeforeLegacy,
        Some(SummarySource::Sampled) => Id::BeforeSampled,
    };
    message(id, [])
}

#[cfg(test)]
mod tests {
    use super::super::{ENGLISH, sentence, short};
    use super::*;
    use crate::lookup::{Edge, NodeKind};
    use crate::pos::FilePos;

    fn node(outcome: NodeOutcome, children: Vec<u8>) -> Record {
        let step = NodeStep {
            part: Part::Partitions,
            at: FilePos(161_555),
            kind: NodeKind::Dense24,
            size: 771,
            payload_bits: 0,
            depth: 1,
            children: ByteBuf::from(children),
            outcome,
        };
        Record { steps: vec![Step::Node(step)], dropped: 0 }
    }

    #[test]
    fn a_followed_child_is_said_with_its_distance_and_page() {
        let edge = Edge { byte: 0x4f, child: 79, distance: 37_109, to: FilePos(124_446) };
        let record = node(NodeOutcome::Follow(edge), (0..=255).collect());
        assert_eq!(
            sentence(&ENGLISH, &NoNames, &record, 0).plain(),
            "Compare byte 0x4f at depth 1: child 80 of 256, 37,109 B back, page 30"
        );
        assert_eq!(
            short(&ENGLISH, &NoNames, &record, 0).plain(),
            "DENSE_24: byte 0x4f, child 80 of 256, to 124,446"
        );
    }

    #[test]
    fn a_dead_end_names_its_neighbours() {
        let outcome =
            NodeOutcome::NoTransition { byte: 0xe1, below: Some(0xda), above: Some(0xe2) };
        let record = node(outcome, vec![0xda, 0xe2]);
        let text = sentence(&ENGLISH, &NoNames, &record, 0);
        assert_eq!(
            text.plain(),
            "Byte 0xe1 at depth 1 has no child: neighbours are 0xda and 0xe2. The key is absent"
        );
        assert!(text.0.iter().any(|span| span.style == super::super::Style::Strong));
    }
}
