//! What a worker has in front of it: open SSTables, and windows of their files.

use super::blob::{BlobFile, size};
use super::frames::OpenFile;
use super::open::Opening;
use super::windows::{BUDGET_BYTES, FileSource, Read, Windows};
use super::world::World;
use crate::model::TableId;
use std::cell::RefCell;
use std::rc::Rc;
use triescope_core::table::Part;

/// Bytes of a component.
pub type BlobSource = FileSource<BlobFile>;

/// Open SSTables and windows of their files.
#[derive(Debug)]
pub struct Desk {
    /// What is open.
    pub world: World<BlobSource>,
    windows: Rc<RefCell<Windows>>,
}

impl Default for Desk {
    fn default() -> Self {
        let windows = Rc::new(RefCell::new(Windows::new(BUDGET_BYTES)));
        Self { world: World::default(), windows }
    }
}

impl Desk {
    /// Closes what is open, and opens these files when the work that is given back is done.
    pub fn open(&mut self, files: &[OpenFile], first: TableId) -> Opening<BlobSource> {
        self.world.clear();
        self.windows.borrow_mut().clear();
        let named: Vec<(String, u64)> =
            files.iter().map(|file| (file.path.clone(), size(&file.handle.0))).collect();
        let windows = &self.windows;
        Opening::new(&named, first, |at, part| {
            FileSource::new(part, BlobFile::new(files[at].handle.0.clone()), windows)
        })
    }

    /// The files of an index that was built.
    pub fn index(&self, files: &[OpenFile]) -> Vec<(Part, BlobSource)> {
        let source = |file: &OpenFile| {
            let part = Part::from_file_name(&file.path)?;
            let blob = BlobFile::new(file.handle.0.clone());
            Some((part, FileSource::new(part, blob, &self.windows)))
        };
        files.iter().filter_map(source).collect()
    }

    /// What was read from files since this was last asked.
    pub fn take_read(&mut self) -> Read {
        self.windows.borrow_mut().take_read()
    }
}
