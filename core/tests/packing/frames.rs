//! Frames against the numbers of the design board, against each other and against what the reader finds in the file.

use crate::common::{InMemory, all_cassandra, cassandra};
use std::rc::Rc;
use triescope_core::bti::pack::PackStep;
use triescope_core::bti::{PartitionIndex, RowEntry};
use triescope_core::dissect::{ItemKind, page};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::{FilePos, PAGE_SIZE, PageNo};
use triescope_core::race::SplitMix64;
use triescope_core::replay::{
    Checkpoints, Costs, DecisionKind, Entries, EntriesError, EntriesJob, Frame, LevelState,
    Parting, PartingJob, Replay, SegmentKind, Side, SubtreeState, Writer, line, pseudocode, words,
};
use triescope_core::source::Pages;
use triescope_core::table::{Part, Table};

const BUDGET: u64 = 64 << 20;

pub fn built(mut job: EntriesJob, table: &Table<&[u8]>) -> Entries {
    while !job.is_done() {
        job.step(table, 1000).unwrap();
    }
    job.into_entries()
}

fn partitions(files: &InMemory) -> Rc<Entries> {
    let table = files.table();
    Rc::new(built(EntriesJob::partitions(&table, BUDGET).unwrap(), &table))
}

pub fn replayed(entries: &Rc<Entries>, writer: Writer, checkpoints: Checkpoints) -> Replay {
    let mut replay = Replay::with_checkpoints(entries.clone(), writer, checkpoints);
    while !replay.is_done() {
        replay.step(1000).unwrap();
    }
    replay
}

fn usual(entries: &Rc<Entries>, writer: Writer) -> Replay {
    replayed(entries, writer, Checkpoints::default())
}

/// The entries of Rows.db of a table.
fn wide(files: &InMemory) -> Vec<FilePos> {
    let table = files.table();
    let partitions = files.part(Part::Partitions);
    let mut unheard = ();
    let pages = Pages::new(Part::Partitions, &partitions, &mut unheard);
    let mut leaves = PartitionIndex::new(table.footer.as_ref().unwrap()).leaves(pages);
    let mut found = Vec::new();
    while let Some(leaf) = leaves.next().unwrap() {
        if let LeafTarget::Rows(at) = leaf.leaf.target() {
            found.push(at);
        }
    }
    found
}

#[test]
fn p20k_is_packed_with_the_numbers_of_the_board() {
    let files = cassandra("p20k", "da", 1).files;
    let replay = usual(&partitions(&files), Writer::Cassandra);
    let totals = *replay.totals();
    assert_eq!((totals.entries, totals.file_bytes, totals.pages), (20_000, 162_365, 40));
    assert_eq!((totals.padding, totals.root.0 / PAGE_SIZE), (4730, 39));
    // The decision of page 7: the write that carries the choice out.
    let at = 32_767 - 649;
    let step = replay.wrote(FilePos(at)).unwrap();
    let frame = replay.frame(step).unwrap();
    assert_eq!(
        frame.sentence().plain(),
        "Page 7 has 650 B left. Of 211 waiting subtrees 172 fit; the greatest, a7 with 649 B, goes in."
    );
    assert_eq!((frame.page.no, frame.page.left, frame.file.at), (PageNo(7), 1, 32_767));
    let segments: Vec<(u8, u16)> =
        frame.page.segments.iter().map(|it| (it.edge.unwrap(), it.bytes)).collect();
    let board = [(0xc8, 690), (0xde, 689), (0xaa, 689), (0x76, 689), (0x3a, 689), (0xa7, 649)];
    assert_eq!(segments, board);
    assert_eq!((frame.file.padding, frame.file.pages()), (331, 8));
    assert_eq!(frame.file.fill_per_mille(), Some(988));
    assert_eq!(frame.waiting_bytes, 124_389);
    let [layout] = &frame.layouts[..] else { panic!("{:?}", frame.layouts) };
    assert_eq!((layout.below, layout.own, layout.keeps_full_page), (156_825, 771, false));
    assert_eq!((layout.written, layout.subtrees.len()), (46, 256));
    let state = |state| layout.subtrees.iter().filter(|it| it.state == state).count();
    assert_eq!((state(SubtreeState::Now), state(SubtreeState::Written)), (1, 45));
    // Of 211 that waited 172 fitted; the chosen one is one of these.
    assert_eq!((state(SubtreeState::Waiting), state(SubtreeState::TooLarge)), (171, 39));
    let [root, node] = &frame.stack[..] else { panic!("{:?}", frame.stack) };
    assert_eq!((root.edge.len(), root.children, root.state), (0, 0, LevelState::Open));
    assert_eq!((&node.edge[..], node.children), (&[0x40][..], 256));
    assert_eq!(node.state, LevelState::LaidOut { own: 771 });
    let before: Vec<String> = frame.before.iter().rev().map(|it| it.text()).collect();
    assert_eq!(before[0], "write 3a, 689 B of 1,339 left in page 7");
    assert_eq!(before[5], "write cb, 614 B of 614 left in page 6");
    let after: Vec<String> = frame.after.iter().map(|it| it.text()).collect();
    assert_eq!(after[0], "pad 1 B to the end of page 7");
    assert_eq!(after[1], "write 32, 689 B of 4,096 left in page 8");
    assert_eq!(frame.now.unwrap().text(), "write a7, 649 B of 650 left in page 7");
    assert_eq!(replay.decision(frame.decision), Some(step));
    // The padding behind it, and the page that begins.
    let mark = replay.page(PageNo(7)).unwrap();
    let (pad, zeros) = mark.pad.unwrap();
    assert_eq!(zeros, 1);
    assert!(matches!(replay.frame(pad).unwrap().what, PackStep::Pad { at: 32_767, bytes: 1, .. }));
    assert_eq!(replay.next_page(step), Some(replay.page(PageNo(8)).unwrap().first));
    assert_eq!(replay.previous_page(step), Some(mark.first));
    assert!(replay.frame(totals.steps).is_none());
}

#[test]
fn frames_reached_by_jumping_equal_those_reached_by_walking() {
    let mut random = SplitMix64::new(7);
    let (mut frames, mut layouts) = (0, 0);
    for expected in all_cassandra("da") {
        let files = &expected.files;
        let table = files.table();
        let mut tries = vec![partitions(files)];
        for at in wide(files).into_iter().take(2) {
            tries.push(Rc::new(built(EntriesJob::rows(&table, at, BUDGET).unwrap(), &table)));
        }
        for entries in tries {
            for writer in Writer::BOTH {
                let many = Checkpoints { every: 50, budget: BUDGET };
                let jumping = replayed(&entries, writer, many);
                let walking = replayed(&entries, writer, Checkpoints { every: 1, budget: 0 });
                let steps = jumping.totals().steps;
                assert_eq!(jumping.totals(), walking.totals());
                for i in 0..8 {
                    let decision = 1 + random.below(jumping.totals().decisions);
                    let step = match i {
                        0..4 => random.below(steps),
                        _ => jumping.decision(decision).unwrap(),
                    };
                    let frame = jumping.frame(step).unwrap();
                    assert_eq!(Some(&frame), walking.frame(step).as_ref(), "{}", expected.name);
                    check(&frame);
                    frames += 1;
                    layouts += usize::from(!frame.layouts.is_empty());
                }
                let last = jumping.frame(steps - 1).unwrap();
                assert_eq!((last.waiting_bytes, last.line), (0, 3), "{}", expected.name);
                let is_root = matches!(&last.what, PackStep::Write { what, .. } if what.is_root());
                assert!(is_root);
            }
        }
    }
    assert!(frames > 1500 && layouts > 60, "{frames} frames, {layouts} in a layout");
}

/// What holds for every frame.
pub fn check(frame: &Frame) {
    assert!((1..=10).contains(&frame.line) && frame.line == line(&frame.what));
    assert!(frame.sentence().plain().ends_with('.'));
    // The page is filled without gaps.
    let mut end = 0;
    for segment in &frame.page.segments {
        assert_eq!(segment.from, end);
        end += segment.bytes;
    }
    assert_eq!(u64::from(end) + frame.page.left, PAGE_SIZE);
    // What waits is what hangs from the stack and from the layouts, and the node that was completed.
    let waiting = |subtrees: &[triescope_core::replay::Subtree]| -> u64 {
        let waits = |it: &&triescope_core::replay::Subtree| it.state != SubtreeState::Written;
        subtrees.iter().filter(waits).map(|it| it.size).sum()
    };
    if frame.layouts.is_empty() && !matches!(frame.what, PackStep::Write { .. }) {
        let mut sum = 0;
        for level in &frame.stack {
            sum += match level.state {
                LevelState::Kept { own } => level.below + own,
                LevelState::Alone { own } => own,
                _ => waiting(&level.subtrees),
            };
        }
        let is_root = matches!(frame.what, PackStep::Pad { .. } | PackStep::Node { .. });
        assert!(sum == frame.waiting_bytes || is_root, "{sum} {frame:?}");
    }
}

#[test]
fn segments_of_all_pages_are_what_the_reader_finds() {
    for (name, writer) in [("p20k", Writer::Cassandra), ("p5k_uuid", Writer::Cassandra)] {
        let files = cassandra(name, "da", 1).files;
        let table = files.table();
        let replay = usual(&partitions(&files), writer);
        let totals = replay.totals();
        let last = totals.end.0.div_ceil(PAGE_SIZE);
        assert_eq!(replay.pages().len() as u64, last);
        for mark in replay.pages() {
            // The state when the page was full: before the step that began the next one.
            let next = replay.next_page(mark.first).unwrap_or(totals.steps);
            let mut step = next - 1;
            let mut frame = replay.frame(step).unwrap();
            while frame.page.no != mark.page {
                step -= 1;
                frame = replay.frame(step).unwrap();
            }
            let view = page(&table, Part::Partitions, mark.page).unwrap();
            let start = mark.page.start().0;
            for segment in &frame.page.segments {
                let from = start + u64::from(segment.from);
                let to = from + u64::from(segment.bytes);
                let items = view.items.iter().filter(|it| (from..to).contains(&it.at.0));
                let items: Vec<_> = items.collect();
                // Items lie in it from its first to its last byte.
                assert_eq!(items.first().unwrap().at.0, from);
                let end = items.last().unwrap();
                assert_eq!(end.at.0 + end.len, to);
                let kind = match segment.what {
                    SegmentKind::Padding => ItemKind::Padding,
                    _ => ItemKind::Node,
                };
                assert!(items.iter().all(|it| it.kind == kind), "{name} {:?}", mark.page);
                for item in items.iter().step_by(17) {
                    let step = replay.wrote(item.at).unwrap();
                    assert_eq!(segment.step, Some(step), "{name} {:?}", item.at);
                }
            }
        }
    }
}

#[test]
fn row_tries_begin_where_they_begin_in_the_file() {
    let mut tries = 0;
    for expected in all_cassandra("da") {
        let files = &expected.files;
        let table = files.table();
        let rows = files.part(Part::Rows);
        for at in wide(files).into_iter().take(8) {
            let entries = built(EntriesJob::rows(&table, at, BUDGET).unwrap(), &table);
            let replay = usual(&Rc::new(entries), Writer::Cassandra);
            let mut unheard = ();
            let entry =
                RowEntry::read(&mut Pages::new(Part::Rows, &rows, &mut unheard), at).unwrap();
            assert_eq!(replay.totals().end, at, "{}", expected.name);
            assert_eq!(replay.totals().root, entry.root);
            tries += 1;
        }
    }
    assert!(tries > 60, "{tries}");
}

#[test]
fn index_db_gives_the_trie_of_the_same_keys() {
    let (da, oa) = (cassandra("p20k", "da", 1).files, cassandra("p20k", "oa", 1).files);
    let table = oa.table();
    let entries = built(EntriesJob::index(&table, BUDGET).unwrap(), &table);
    let replay = usual(&Rc::new(entries), Writer::Cassandra);
    assert_eq!(replay.totals(), usual(&partitions(&da), Writer::Cassandra).totals());
}

#[test]
fn each_line_of_the_pseudocode_says_what_its_writer_does() {
    for writer in Writer::BOTH {
        let lines = pseudocode(writer);
        assert_eq!(lines.len(), 10);
        assert!(lines[4].text.contains(&format!("{} 4,096 B", writer.sign())));
        assert!(lines.iter().zip(1..).all(|(line, number)| line.number == number));
    }
    // Every line that a step can carry out is carried out in p20k.
    let replay = usual(&partitions(&cassandra("p20k", "da", 1).files), Writer::Scylla);
    let mut seen = std::collections::BTreeSet::new();
    let mut decision = 0;
    while let Some(step) = replay.decision(decision + 1) {
        for step in step.saturating_sub(2)..=step {
            seen.insert(replay.frame(step).unwrap().line);
        }
        decision += 20;
    }
    seen.insert(replay.frame(replay.totals().steps - 1).unwrap().line);
    seen.insert(replay.frame(0).unwrap().line);
    assert!([2, 3, 7, 8, 10].iter().all(|line| seen.contains(line)), "{seen:?}");
}

#[test]
fn both_writers_part_where_their_steps_differ_and_the_costs_add_up() {
    let (mut part, mut never, mut larger) = (0, 0, 0);
    for expected in all_cassandra("da") {
        let entries = partitions(&expected.files);
        let mut job = PartingJob::new(entries.clone());
        while job.found().is_none() {
            job.step(500).unwrap();
        }
        let [cassandra, scylla] = Writer::BOTH.map(|writer| usual(&entries, writer));
        let costs = Costs::of(&cassandra, &scylla).unwrap();
        assert_eq!(costs, Costs::of(&scylla, &cassandra).unwrap());
        assert!(Costs::of(&cassandra, &cassandra).is_none());
        assert_eq!(costs.cassandra.tally.larger_nodes, 0);
        assert_eq!(words::costs(&costs).len(), 5);
        larger += costs.scylla.tally.larger_nodes;
        match job.found().unwrap() {
            Parting::Never => never += 1,
            Parting::At { cassandra: a, scylla: b } => {
                // The steps named are those of the replays.
                assert_eq!(cassandra.frame(a.step).map(|it| it.what), a.what);
                assert_eq!(scylla.frame(b.step).map(|it| it.what), b.what);
                assert_ne!(a.what, b.what);
                assert!(words::parting(job.found().unwrap()).starts_with("They part at step"));
                part += 1;
            }
        }
        if costs.cassandra.pages == 1 && costs.scylla.pages == 1 && entries.count() > 1 {
            // No pointer leads into another page, so the files differ by types and runs alone.
            let runs = |side: &Side| side.tally.chain_bytes + side.tally.single_bytes;
            let [a, b] = [costs.cassandra, costs.scylla]
                .map(|side| side.file_bytes - side.padding - runs(&side));
            assert_eq!(b - a, costs.scylla.tally.larger_bytes, "{}", expected.name);
        }
    }
    assert!(part > 5 && never > 5 && larger > 0, "{part} part, {never} never, {larger} larger");
}

#[test]
fn a_file_beyond_the_budget_is_refused_with_the_estimate() {
    let files = cassandra("p20k", "da", 1).files;
    let table = files.table();
    let refused = EntriesJob::partitions(&table, 100_000).unwrap_err();
    assert!(
        matches!(refused, EntriesError::Budget { needed, budget: 100_000 } if needed > 150_000)
    );
    assert!(refused.to_string().starts_with("the keys of this trie would take about 1 MiB"));
    let oa = cassandra("p20k", "oa", 1).files;
    let table = oa.table();
    let mut job = EntriesJob::index(&table, 100_000).unwrap();
    let refused = loop {
        if let Err(error) = job.step(&table, 100) {
            break error;
        }
    };
    let Some(exact) = Some(partitions(&files).held_bytes()) else { return };
    let EntriesError::Budget { needed, .. } = refused else { panic!("{refused}") };
    assert!(needed.abs_diff(exact) < exact / 10, "{needed} of {exact}");
}

#[test]
fn checkpoints_keep_to_their_memory() {
    let entries = partitions(&cassandra("p20k", "da", 1).files);
    let budget = 1 << 20;
    let replay = replayed(&entries, Writer::Cassandra, Checkpoints { every: 100, budget });
    assert!(replay.held_bytes() <= budget && replay.held_bytes() > budget / 4);
    let frame = replay.frame(replay.totals().steps / 2).unwrap();
    assert!(matches!(frame.before.last().unwrap().what, DecisionKind::Keep { .. }));
}
