//! The lookup worker: what it is asked, as jobs on what it has open.

use super::desk::{BlobSource, Desk};
use super::frames::Slice;
use super::jobs::Job;
use super::protocol::{Lookups, Reply, Request};
use super::serve::Workplace;
use super::suggest::Suggesting;
use super::windows::Read;

impl Workplace for Desk {
    type Speaks = Lookups;
    type Job = Job<BlobSource>;

    fn job(&mut self, request: Request) -> Self::Job {
        match request {
            Request::Open { files, first } => Job::Open(Box::new(self.open(&files, first))),
            Request::Twin { of, id, version, files } => {
                Job::Twin { of, id, version, index: self.index(&files) }
            }
            Request::Parse { tables: which, key, row } => {
                Job::Parse { which, key, row, sampling: None }
            }
            Request::Race(call) => Job::Race { call, sampling: None },
            Request::Means(call) => Job::Means { call, sampling: None, job: None },
            Request::Suggest(which) => Job::Suggest(Suggesting::new(which)),
            Request::Try(which, what) => Job::Try { which, what, sampling: None },
        }
    }

    fn is_background(job: &Self::Job) -> bool {
        job.is_background()
    }

    fn slice(&mut self, job: &mut Self::Job, over: &dyn Fn() -> bool) -> Slice<Reply> {
        job.slice(&mut self.world, over)
    }

    fn take_read(&mut self) -> Read {
        Desk::take_read(self)
    }
}
