//! The workshop in the browser: what it is asked, as jobs on what it has open.

use super::boards::Boards;
use super::jobs::{Job, Slice};
use super::making::Making;
use super::onebox::Boxing;
use super::protocol::{Request, Writing};
use super::shelf::BlobShelf;
use super::twins::Twinning;
use crate::worker::desk::{BlobSource, Desk};
use crate::worker::serve::Workplace;
use crate::worker::windows::Read;
use std::cell::RefCell;
use std::rc::Rc;

/// The workshop.
#[derive(Debug, Default)]
pub struct Workshop {
    desk: Desk,
    boards: Rc<RefCell<Boards>>,
}

impl Workplace for Workshop {
    type Speaks = Writing;
    type Job = Job<BlobSource, BlobShelf>;

    fn job(&mut self, request: Request) -> Self::Job {
        match request {
            Request::Open { files, first } => {
                self.boards.borrow_mut().clear();
                Job::Open(Box::new(self.desk.open(&files, first)))
            }
            Request::Twin(call) => Job::Twin(Twinning::new(call)),
            Request::Json(race) => Job::Json(race),
            Request::Board(ask) => Job::Board(ask, Rc::clone(&self.boards)),
            Request::Text(ask) => Job::Text(ask, Rc::clone(&self.boards)),
            Request::Box(ask) => Job::Box(Box::new(Boxing::new(ask))),
            Request::Make(call) => Job::Make(Making::new(call)),
        }
    }

    fn is_background(job: &Self::Job) -> bool {
        job.is_background()
    }

    fn slice(&mut self, job: &mut Self::Job, over: &dyn Fn() -> bool) -> Slice {
        job.slice(&mut self.desk.world, over)
    }

    fn take_read(&mut self) -> Read {
        self.desk.take_read()
    }
}
