//! A promoted index that is too long to wait is measured, and its blocks are read twice: the bytes are the same.

use crate::build::{build, file, target, try_build};
use crate::common::cassandra;
use std::ops::ControlFlow;
use triescope_core::big::write::{IndexWriter, Promoted};
use triescope_core::big::{Block, BlockLayout, EntryHead, IndexWalk, PromotedHead};
use triescope_core::cursor::Cursor;
use triescope_core::limits;
use triescope_core::source::Pages;
use triescope_core::table::Part;
use triescope_core::twin::TwinOptions;

/// Index.db read and written again by a writer that is given all blocks at once.
fn written_at_once(index: &[u8], lengths: &[Option<u32>], version: &str) -> (Vec<u8>, u64) {
    let version = target(version).version();
    let layout = BlockLayout { version, lengths };
    let partitioner = triescope_core::keys::Partitioner::Murmur3;
    let mut writer = IndexWriter::new(&partitioner, layout, Vec::new());
    let mut longest = 0;
    let each = |head: &EntryHead, bytes: &[u8]| {
        longest = longest.max(head.promoted_size);
        if head.promoted_size == 0 {
            writer.add(head.key(bytes), head.data, None).unwrap();
            return ControlFlow::Continue(());
        }
        let mut nobody = ();
        let mut pages = Pages::new(Part::Index, &index, &mut nobody);
        let (at, size) = (head.promoted_at(), head.promoted_size);
        let promoted = PromotedHead::read(&mut pages, at, size, version).unwrap();
        let from = promoted.blocks_at.0 as usize;
        let mut cursor = Cursor::new(Part::Index, promoted.blocks_at, &index[from..]);
        let blocks: Vec<Block> =
            (0..promoted.blocks).map(|_| Block::read(&mut cursor, layout).unwrap()).collect();
        let (header_length, deletion) = (promoted.header_length, promoted.deletion);
        let promoted = Promoted { header_length, deletion, blocks: &blocks };
        writer.add(head.key(bytes), head.data, Some(promoted)).unwrap();
        ControlFlow::Continue(())
    };
    IndexWalk::new(version.formats().index).run(&index, u64::MAX, each).unwrap();
    (writer.into_sink(), longest)
}

#[test]
fn blocks_told_twice_give_the_bytes_of_blocks_that_waited() {
    for (version, name) in [("oa", "wide_longck"), ("me", "wide_longck"), ("nb", "wide_longsep")] {
        let files = cassandra(name, "da", 1).files;
        let table = files.table();
        let options = TwinOptions { block_bytes: Some(1), ..TwinOptions::new(target(version)) };
        let twin = build(&table, options);
        let index = file(&twin, Part::Index);
        let (at_once, longest) = written_at_once(index, &[None], version);
        assert_eq!(index, at_once, "{version}");
        let waits = limits::PROMOTED_WAITING_BYTES as u64;
        assert_eq!(longest > waits, name == "wide_longck", "{name}: {longest} bytes");
        // In the smallest steps it is the same.
        let slow = try_build(&table, options, 1).unwrap();
        assert_eq!(file(&slow, Part::Index), index);
        assert_eq!(slow.report, twin.report);
        // And out of itself, where the blocks come from Index.db.
        let parts = twin.files.each_ref().map(|(part, bytes)| (*part, bytes.as_slice()));
        let opened = table.with_index(target(version).version(), parts).unwrap();
        let again = build(&opened, TwinOptions::new(target(version)));
        assert_eq!(file(&again, Part::Index), index, "{version}");
    }
}
