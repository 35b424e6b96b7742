//! Races written by hand from real files, for the tests of this room: the keys 17021, 22300 and 20000 of `p20k`.

use serde_bytes::ByteBuf;
use triescope_core::bti::NodeKind;
use triescope_core::keys::Token;
use triescope_core::lookup::*;
use triescope_core::pos::{DataPos, FilePos, PageNo};
use triescope_core::race::*;
use triescope_core::table::Part;

const SPARSE: &str = "00010b151617181c1f212a33374041444c5152545a5b627374767a7e7f848897999c9e9fa0a4a5a6aaafb0b1b3b4b5c4\
                      c7c9cecfd0d6d7d9dfe0e1e4e5ecf8fdff";
const SPARSE_DEAD: &str = "0308090b1213161b1c1e20222325293037383c3e404a4d4f53555a5d5f6061676d737982848d90989a9daaabb0b2bbbec5\
                           d2d3d5d6d7dae2e6eaf0f2f3f7fb";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect()
}

fn buf(text: &str) -> ByteBuf {
    ByteBuf::from(hex(text))
}

/// A page request.
pub fn page(part: Part, page: u64, bytes: u64, nth: u32) -> Step {
    Step::Page(PageStep { part, page: PageNo(page), bytes, state: PageState::Fetched(nth) })
}

/// A node of Partitions.db.
pub fn node(
    at: u64,
    kind: NodeKind,
    size: u32,
    depth: u32,
    children: &[u8],
    outcome: NodeOutcome,
) -> Step {
    let children = ByteBuf::from(children.to_vec());
    let at = FilePos(at);
    Step::Node(NodeStep {
        part: Part::Partitions,
        at,
        kind,
        size,
        payload_bits: 0,
        depth,
        children,
        outcome,
    })
}

/// A child followed.
pub fn follow(at: u64, byte: u8, child: u32, distance: u64) -> NodeOutcome {
    NodeOutcome::Follow(Edge { byte, child, distance, to: FilePos(at - distance) })
}

fn filter() -> Step {
    let tested = [41, 7, 99, 3, 1000, 12, 5].map(|bit| FilterBit { bit, set: true }).to_vec();
    Step::Filter(FilterStep {
        mode: FilterMode::Ask,
        hashes: 7,
        bits: 200_064,
        tested,
        answer: FilterAnswer::Maybe,
    })
}

fn key(text: &str, bytes: &str, token: i64, comparable: &str) -> KeyFacts {
    let parts = [
        (1, ComparableWhat::Separator),
        (8, ComparableWhat::Token),
        (1, ComparableWhat::Separator),
        (6, ComparableWhat::Key),
        (1, ComparableWhat::Terminator),
    ];
    KeyFacts {
        text: text.to_owned(),
        bytes: buf(bytes),
        token: Token::Murmur3(token),
        comparable: buf(comparable),
        parts: parts.map(|(bytes, what)| ComparablePart { bytes, what }).to_vec(),
    }
}

fn data(at: u64) -> Step {
    let chunk =
        ChunkRead { chunk: at / 16384, at: FilePos(3000), stored_bytes: 9000, bytes: 16384 };
    Step::Data(DataStep {
        at: DataPos(at),
        chunks: vec![chunk],
        compressor: Some("LZ4Compressor".to_owned()),
        key: Confirmation::Equal,
        row: None,
    })
}

fn root_and_dense(byte: u8, distance: u64) -> Vec<Step> {
    let all: Vec<u8> = (0..=255).collect();
    vec![
        filter(),
        page(Part::Partitions, 39, 2621, 1),
        node(162_326, NodeKind::SingleNoPayload12, 3, 0, &[0x40], follow(162_326, 0x40, 0, 771)),
        node(
            161_555,
            NodeKind::Dense24,
            771,
            1,
            &all,
            follow(161_555, byte, byte.into(), distance),
        ),
    ]
}

fn probe(sample: u64, low: u64, high: u64, cmp: Cmp) -> Step {
    Step::SummaryProbe(SummaryProbeStep {
        sample,
        of: 11,
        low,
        high,
        key: buf("00000001"),
        cmp,
        bytes_compared: 8,
    })
}

fn entry_step(index: u64, from: u64, how: EntryHow, cmp: Cmp) -> Step {
    Step::Entry(EntryStep {
        index,
        of: Some(1867),
        at: FilePos(from + index * 10),
        head: 10,
        key: buf("0000427d"),
        cmp,
        how,
        data: DataPos(92_505),
        data_bytes: buf("c16959"),
        promoted_size: 0,
        promoted_size_bytes: buf("00"),
        promoted: PromotedUse::None,
        bytes_compared: 8,
    })
}

/// The legacy lane of `p20k` with ScyllaDB's sampling: window 3.
pub fn scylla(found: bool) -> LegacyLane {
    let (from, to) = (54_908, 73_578);
    let mut steps = vec![filter()];
    steps.extend([
        probe(5, 0, 11, Cmp::Smaller),
        probe(2, 0, 5, Cmp::Greater),
        probe(4, 3, 5, Cmp::Smaller),
        probe(3, 3, 4, Cmp::Greater),
    ]);
    steps.push(Step::Window(WindowStep {
        sample: Some(3),
        of: 11,
        from: FilePos(from),
        to: FilePos(to),
        summary: SummarySource::Sampled,
        entries: None,
        for_next_partition: false,
    }));
    steps.extend((13..=17).map(|n| page(Part::Index, n, 4096, n as u32 - 12)));
    steps.push(Step::Entries(EntriesStep {
        from: FilePos(from),
        to: FilePos(to),
        count: 1867,
        head_bytes: to - from,
        skipped_bytes: 0,
        ticks: (0..38).map(|tick| FilePos(from + tick * 500)).collect(),
        straight_pages: 5,
    }));
    let (mut low, mut high) = (0, 1867);
    while low < high {
        let middle = low + (high - low) / 2;
        let left = middle >= 566;
        let cmp = if left { Cmp::Smaller } else { Cmp::Greater };
        steps.push(entry_step(middle, from, EntryHow::Probe { low, high }, cmp));
        if left {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    steps.push(entry_step(
        low,
        from,
        EntryHow::Check,
        if found { Cmp::Equal } else { Cmp::Smaller },
    ));
    if found {
        steps.push(data(92_505));
        steps.push(Step::Answer(Answer::Present {
            data: DataPos(92_505),
            confirmed: true,
            block: None,
            row: None,
        }));
    } else {
        steps.push(Step::Answer(Answer::Absent(AbsentWhy::BetweenEntries)));
    }
    LegacyLane {
        lane: Lane { record: Record { steps, dropped: 0 } },
        reader: LegacyReader::Scylla,
        summary: SummarySource::Sampled,
        samples: 11,
        sample_positions: (0..11).map(|sample| sample * 18_670).collect(),
        resident: 216,
        own_samples: Some(157),
    }
}

fn leaf(at: u64, hash: u8, expected: u8, bytes: &str, data: u64) -> Step {
    let payload = LeafPayload {
        bytes: buf(bytes),
        hash: Some(hash),
        expected_hash: expected,
        target: LeafTarget::Data(DataPos(data)),
    };
    node(at, NodeKind::PayloadOnly, 5, 4, &[], NodeOutcome::Leaf(payload))
}

/// Key 17021: present.
pub fn present() -> Race {
    let mut steps = root_and_dense(0x4f, 37_109);
    steps.extend([
        page(Part::Partitions, 30, 4096, 2),
        node(124_446, NodeKind::Sparse12, 165, 2, &hex(SPARSE), follow(124_446, 0x7f, 28, 232)),
        node(124_214, NodeKind::Sparse8, 8, 3, &[0x1f, 0x32, 0x3e], follow(124_214, 0x32, 1, 10)),
        leaf(124_204, 0x96, 0x96, "96fe96a6", 92_505),
        data(92_505),
        Step::Answer(Answer::Present {
            data: DataPos(92_505),
            confirmed: true,
            block: None,
            row: None,
        }),
    ]);
    Race {
        key: key(
            "17021",
            "0000427d",
            -3_495_019_013_798_960_315,
            "404f7f32b96f46e3454000feff427d0038",
        ),
        row: None,
        trie: Some(Lane { record: Record { steps, dropped: 0 } }),
        legacy: Some(scylla(true)),
    }
}

/// Key 20000: the trie has no child for a byte.
pub fn dead_end() -> Race {
    let mut steps = root_and_dense(0xc6, 30_757);
    let outcome = NodeOutcome::NoTransition { byte: 0xe1, below: Some(0xda), above: Some(0xe2) };
    steps.extend([
        page(Part::Partitions, 31, 4096, 2),
        node(130_798, NodeKind::Sparse12, 160, 2, &hex(SPARSE_DEAD), outcome),
        Step::Answer(Answer::Absent(AbsentWhy::DeadEnd)),
    ]);
    Race {
        key: key(
            "20000",
            "00004e20",
            5_107_545_186_694_551_070,
            "40c6e1a5494f2f561e4000feff4e200038",
        ),
        row: None,
        trie: Some(Lane { record: Record { steps, dropped: 0 } }),
        legacy: Some(scylla(false)),
    }
}

/// The leaf that key 22300 ends at belongs to another key.
pub fn other_hash() -> Race {
    let mut race = present();
    let Some(lane) = &mut race.trie else { return race };
    lane.record.steps.truncate(7);
    lane.record.steps.push(leaf(124_204, 0xd4, 0x85, "d4fdf05c", 135_075));
    lane.record.steps.push(Step::Answer(Answer::Absent(AbsentWhy::HashByte)));
    race.legacy = Some(scylla(false));
    race
}

/// The filter ends both lanes.
pub fn filtered() -> Race {
    let mut race = present();
    let tested = vec![FilterBit { bit: 41, set: true }, FilterBit { bit: 7, set: false }];
    let step = Step::Filter(FilterStep {
        mode: FilterMode::Ask,
        hashes: 7,
        bits: 200_064,
        tested,
        answer: FilterAnswer::No,
    });
    let steps = vec![step, Step::Answer(Answer::Absent(AbsentWhy::Filter))];
    if let Some(lane) = &mut race.trie {
        lane.record.steps = steps.clone();
    }
    if let Some(lane) = &mut race.legacy {
        lane.lane.record.steps = steps;
    }
    race
}

/// A trie of one child after the other, over several pages.
pub fn long_chain(nodes: u32) -> Race {
    let mut race = present();
    let mut steps = vec![filter()];
    let (mut at, mut nth, mut depth) = (20_000_u64, 0, 0);
    let mut last_page = u64::MAX;
    while depth < nodes {
        if at / 4096 != last_page {
            last_page = at / 4096;
            nth += 1;
            steps.push(page(Part::Partitions, last_page, 4096, nth));
        }
        let byte = b'a' + (depth % 26) as u8;
        steps.push(node(at, NodeKind::SingleNoPayload4, 2, depth, &[byte], follow(at, byte, 0, 2)));
        at -= 2;
        depth += 1;
    }
    steps.push(leaf(at, 0x96, 0x96, "96fe96a6", 92_505));
    steps.push(data(92_505));
    race.key.comparable = ByteBuf::from(vec![b'a'; nodes as usize + 40]);
    race.key.parts = vec![ComparablePart { bytes: nodes + 40, what: ComparableWhat::Key }];
    race.trie = Some(Lane { record: Record { steps, dropped: 0 } });
    race
}
