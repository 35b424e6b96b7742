//! Real files for tests of what the workshop does: fixtures of the repository, opened as the browser's files are.

use super::jobs::{Job, Slice};
use super::protocol::Reply;
use crate::model::Failure;
use crate::worker::open::Opening;
use crate::worker::windows::{BUDGET_BYTES, File, FileSource, Windows};
use crate::worker::world::World;
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

/// Bytes as a file.
pub struct Disk(Vec<u8>);

impl File for Disk {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
        Ok(self.0[from as usize..to as usize].to_vec())
    }
}

/// What fixtures are read from.
pub type Source = FileSource<Disk>;

/// Opens a folder of the repository's fixtures under the number 7, with other bytes where `change` says.
pub fn open(folder: &str, change: impl Fn(&str, &mut Vec<u8>)) -> World<Source> {
    open_all(&[folder], change)
}

/// Opens several folders, under the numbers from 7 on.
pub fn open_all(folders: &[&str], change: impl Fn(&str, &mut Vec<u8>)) -> World<Source> {
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    for folder in folders {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cassandra").join(folder);
        for entry in fs::read_dir(root).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let mut content = fs::read(entry.path()).unwrap();
            change(&name, &mut content);
            named.push((format!("{folder}/{name}"), content.len() as u64));
            bytes.push(content);
        }
    }
    let windows = Rc::new(RefCell::new(Windows::new(BUDGET_BYTES)));
    let mut opening = Opening::new(&named, 7, |at, part| {
        FileSource::new(part, Disk(bytes[at].clone()), &windows)
    });
    let mut world = World::default();
    while opening.step(&mut world) {}
    world
}

/// Runs a job to its end, a slice as small as can be.
pub fn to_end(mut job: Job<Source, Vec<u8>>, world: &mut World<Source>) -> Result<Reply, Failure> {
    for _ in 0..1_000_000 {
        match job.slice(world, &|| true) {
            Slice::More(_) => {}
            Slice::Done(result) => return result,
        }
    }
    panic!("it never ends")
}
