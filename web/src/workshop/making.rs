//! Making a sample that would be too large to come with the page.

use super::jobs::Slice;
use super::protocol::{MakeCall, Reply};
use super::shelf::Shelf;
use crate::worker::frames::OpenFile;
use std::fmt::Display;
use triescope_core::make::{Progress, Wide, WideJob};
use triescope_core::table::Version;

/// Rows and row blocks between two looks at the clock.
const BUDGET: u64 = 500;

/// A sample that is being made. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Making<W: Shelf> {
    call: MakeCall,
    /// The table of the version that is made now.
    job: Option<(Wide, Box<WideJob<W>>)>,
    /// Versions that are done.
    done: usize,
    files: Vec<OpenFile>,
}

impl<W: Shelf> Making<W> {
    /// Nothing is written yet.
    pub const fn new(call: MakeCall) -> Self {
        Self { call, job: None, done: 0, files: Vec::new() }
    }

    /// Works until `over` says that the slice is over, or until it is done.
    pub fn slice(&mut self, over: &dyn Fn() -> bool) -> Slice {
        match self.work(over) {
            Ok(Some((done, of))) => Slice::More(Some(Reply::Progress(done, of))),
            Ok(None) => Slice::Done(Ok(Reply::Made { files: std::mem::take(&mut self.files) })),
            Err(why) => {
                let why = format!("The sample {} cannot be made: {why}.", self.call.name);
                Slice::Done(Ok(Reply::Not { why, ask: false }))
            }
        }
    }

    /// How far it has come over all versions; `None` at the end.
    fn work(&mut self, over: &dyn Fn() -> bool) -> Result<Option<(u64, u64)>, String> {
        while let Some(letters) = self.call.versions.get(self.done) {
            let (wide, mut job) = match self.job.take() {
                Some(job) => job,
                None => {
                    let version = Version::new(letters.as_bytes());
                    let version = version.ok_or_else(|| format!("{letters} is no version"))?;
                    let made = self.call.made;
                    let wide = Wide { version, rows: made.rows, block_bytes: made.block_bytes };
                    (wide, Box::new(WideJob::new(wide, |_| W::default()).map_err(said)?))
                }
            };
            match job.step(BUDGET).map_err(said)? {
                Progress::Finished => {
                    for (part, shelf) in job.finish().map_err(said)? {
                        let name = wide.file_name(part);
                        let path = format!("{}/{}/{name}", self.call.name, wide.version);
                        self.files.push(OpenFile { path, handle: shelf.file()? });
                    }
                    self.done += 1;
                }
                Progress::Working { done, of } => {
                    self.job = Some((wide, job));
                    if over() {
                        let versions = self.call.versions.len() as u64;
                        return Ok(Some((self.done as u64 * of + done, versions * of)));
                    }
                }
            }
        }
        Ok(None)
    }
}

fn said(error: impl Display) -> String {
    error.to_string()
}
