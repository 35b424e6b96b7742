//! The supervisor of the worker, as a state machine without a browser: what happened goes in, what to do comes out.
//!
//! A worker that reported an error is dead, although it may still answer; one that is busy and gave no sign of life for
//! five seconds is dead too. It is ended and another one started, which gets the files again and every request that was
//! still open, except the one that was being worked on (all of them where it did not say which): that one has failed, so
//! no request can end worker after worker.

use std::collections::VecDeque;

/// Number of a request, never used twice.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// Milliseconds without a sign of life after which a busy worker counts as dead.
pub const SILENCE_MS: f64 = 5_000.0;
/// Milliseconds that a new worker may take to load the module.
pub const START_MS: f64 = 10_000.0;
/// Workers in a row that may die before any of them finished a request.
pub const MOST_DEATHS: u32 = 3;
/// Milliseconds between two ticks after which the page itself must have slept: silence proves nothing then.
const SLEPT_MS: f64 = 3_000.0;

/// Whether a new worker needs a request again that was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// It does not.
    #[default]
    No,
    /// It does, and nothing that was kept before: these files are open instead of those.
    Anew,
    /// It does, after what was kept before.
    Also,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<R> {
    /// The page asks for something.
    Send(RequestId, R),
    /// The page no longer wants an answer.
    Cancel(RequestId),
    /// The worker has loaded.
    Ready,
    /// The worker says that it now works on this request.
    At(RequestId),
    /// Any other sign of life: a pong, a partial answer.
    Sign,
    /// The worker has answered for good. What is kept, a new worker gets first: the files.
    Final {
        /// The request.
        id: RequestId,
        /// Whether a new worker needs it again.
        keep: Keep,
    },
    /// The worker reported an error, or could not load; the text says which.
    Broke(String),
    /// Time has passed.
    Tick,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<R> {
    /// Start a worker.
    Start,
    /// End the worker.
    Terminate,
    /// Post a request to the worker.
    Post(RequestId, R),
    /// Tell the worker that an answer is no longer wanted.
    PostCancel(RequestId),
    /// Ask the worker for a sign of life.
    Ping,
    /// Tell the page that a request has failed with the worker.
    Failed(RequestId, String),
    /// Tell the page that the files could not be given back: nothing is open any more.
    Lost(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No worker.
    Down,
    /// Loading.
    Starting,
    /// At work.
    Up,
}

/// The supervisor of requests of type `R`.
#[derive(Clone, Debug)]
pub struct Supervisor<R> {
    phase: Phase,
    /// Waiting for a worker, or for the files to be given back.
    queue: VecDeque<Sent<R>>,
    /// Posted and not answered, oldest first.
    open: Vec<Sent<R>>,
    /// What the worker says it works on.
    current: Option<RequestId>,
    /// What a new worker gets first.
    restore: Vec<(RequestId, R)>,
    /// What of that is under way.
    restoring: Vec<RequestId>,
    /// Last sign of life, or the moment the worker became busy.
    sign: f64,
    /// Last tick.
    tick: f64,
    /// Deaths since a request was last finished.
    deaths: u32,
}

#[derive(Clone, Debug)]
struct Sent<R> {
    id: RequestId,
    request: R,
    /// The page no longer wants the answer; the worker may still die of it.
    cancelled: bool,
}

impl<R: Clone> Default for Supervisor<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Clone> Supervisor<R> {
    /// A supervisor without a worker; the first request starts one.
    pub fn new() -> Self {
        Self {
            phase: Phase::Down,
            queue: VecDeque::new(),
            open: Vec::new(),
            current: None,
            restore: Vec::new(),
            restoring: Vec::new(),
            sign: 0.0,
            tick: 0.0,
            deaths: 0,
        }
    }

    /// Whether an answer is awaited.
    pub fn is_busy(&self) -> bool {
        !self.open.is_empty() || !self.queue.is_empty() || !self.restoring.is_empty()
    }

    /// Takes what happened at `now` milliseconds and says what to do, in order.
    pub fn handle(&mut self, now: f64, input: Input<R>) -> Vec<Output<R>> {
        match input {
            Input::Send(id, request) => self.send(now, Sent { id, request, cancelled: false }),
            Input::Cancel(id) => self.cancel(id),
            Input::Ready => self.ready(now),
            Input::At(id) => {
                self.sign = now;
                self.current = Some(id);
                Vec::new()
            }
            Input::Sign => {
                self.sign = now;
                Vec::new()
            }
            Input::Final { id, keep } => self.finished(now, id, keep),
            Input::Broke(said) => self.died(now, &said),
            Input::Tick => self.tick(now),
        }
    }

    fn send(&mut self, now: f64, sent: Sent<R>) -> Vec<Output<R>> {
        if !self.is_busy() {
            self.sign = now;
        }
        self.queue.push_back(sent);
        match self.phase {
            Phase::Down => self.start(now),
            Phase::Starting => Vec::new(),
            Phase::Up => self.flush(),
        }
    }

    fn cancel(&mut self, id: RequestId) -> Vec<Output<R>> {
        self.queue.retain(|sent| sent.id != id);
        match self.open.iter_mut().find(|sent| sent.id == id) {
            Some(sent) => {
                sent.cancelled = true;
                vec![Output::PostCancel(id)]
            }
            None => Vec::new(),
        }
    }

    fn start(&mut self, now: f64) -> Vec<Output<R>> {
        self.phase = Phase::Starting;
        self.sign = now;
        vec![Output::Start]
    }

    fn ready(&mut self, now: f64) -> Vec<Output<R>> {
        if self.phase != Phase::Starting {
            return Vec::new();
        }
        self.phase = Phase::Up;
        self.sign = now;
        if self.restore.is_empty() {
            return self.flush();
        }
        self.restoring = self.restore.iter().map(|(id, _)| *id).collect();
        self.restore.iter().map(|(id, request)| Output::Post(*id, request.clone())).collect()
    }

    /// Posts what waits, unless the files must be there first.
    fn flush(&mut self) -> Vec<Output<R>> {
        if !self.restoring.is_empty() {
            return Vec::new();
        }
        let post = |sent: &Sent<R>| Output::Post(sent.id, sent.request.clone());
        let out = self.queue.iter().map(post).collect();
        self.open.extend(self.queue.drain(..));
        out
    }

    fn finished(&mut self, now: f64, id: RequestId, keep: Keep) -> Vec<Output<R>> {
        self.sign = now;
        if self.current == Some(id) {
            self.current = None;
        }
        if let Some(at) = self.open.iter().position(|sent| sent.id == id) {
            self.deaths = 0;
            let sent = self.open.remove(at);
            if keep == Keep::Anew {
                self.restore.clear();
            }
            if keep != Keep::No {
                self.restore.push((sent.id, sent.request));
            }
        }
        if self.restoring.is_empty() {
            return Vec::new();
        }
        self.restoring.retain(|waited| *waited != id);
        self.flush()
    }

    fn died(&mut self, now: f64, said: &str) -> Vec<Output<R>> {
        if self.phase == Phase::Down {
            return Vec::new();
        }
        self.deaths += 1;
        let mut out = vec![Output::Terminate];
        if !self.restoring.is_empty() {
            self.restoring.clear();
            self.restore.clear();
            out.push(Output::Lost(said.to_owned()));
        }
        // Where the worker did not say what it works on, any of them may have been the end of it.
        let current = self.current.take();
        let blamed = |sent: &Sent<R>| current.is_none_or(|id| id == sent.id);
        for sent in self.open.drain(..).rev() {
            if blamed(&sent) {
                out.push(Output::Failed(sent.id, said.to_owned()));
            } else if !sent.cancelled {
                self.queue.push_front(sent);
            }
        }
        if self.deaths >= MOST_DEATHS {
            out.extend(self.queue.drain(..).map(|sent| Output::Failed(sent.id, said.to_owned())));
            self.phase = Phase::Down;
            self.deaths = 0;
        } else {
            out.extend(self.start(now));
        }
        out
    }

    fn tick(&mut self, now: f64) -> Vec<Output<R>> {
        let slept = now - self.tick > SLEPT_MS;
        self.tick = now;
        if slept {
            self.sign = now;
        }
        let silent = now - self.sign;
        match self.phase {
            Phase::Starting if silent >= START_MS => self.died(now, "it did not load within 10 s"),
            Phase::Up if self.is_busy() && silent >= SILENCE_MS => {
                self.died(now, "it gave no sign of life for 5 s")
            }
            Phase::Up if self.is_busy() => vec![Output::Ping],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Out = Output<&'static str>;

    fn id(n: u32) -> RequestId {
        RequestId(n)
    }

    /// A worker that is up, with files open as request 1.
    fn up() -> Supervisor<&'static str> {
        let mut it = Supervisor::new();
        assert_eq!(it.handle(0.0, Input::Send(id(1), "open")), [Out::Start]);
        assert_eq!(it.handle(30.0, Input::Ready), [Out::Post(id(1), "open")]);
        assert_eq!(it.handle(40.0, Input::Final { id: id(1), keep: Keep::Anew }), []);
        assert!(!it.is_busy());
        it
    }

    #[test]
    fn requests_wait_until_the_worker_is_ready() {
        let mut it = Supervisor::new();
        assert_eq!(it.handle(0.0, Input::Send(id(1), "a")), [Out::Start]);
        assert_eq!(it.handle(1.0, Input::Send(id(2), "b")), []);
        assert_eq!(it.handle(2.0, Input::Cancel(id(1))), []);
        assert_eq!(it.handle(30.0, Input::Ready), [Out::Post(id(2), "b")]);
        assert_eq!(it.handle(31.0, Input::Send(id(3), "c")), [Out::Post(id(3), "c")]);
    }

    #[test]
    fn a_trap_fails_the_request_at_work_and_gives_files_and_the_others_to_a_new_worker() {
        let mut it = up();
        it.handle(50.0, Input::Send(id(2), "means"));
        it.handle(51.0, Input::Send(id(3), "race"));
        it.handle(52.0, Input::At(id(3)));
        assert_eq!(
            it.handle(53.0, Input::Broke("unreachable".into())),
            [Out::Terminate, Out::Failed(id(3), "unreachable".into()), Out::Start]
        );
        assert_eq!(it.handle(54.0, Input::Send(id(4), "race again")), []);
        assert_eq!(it.handle(80.0, Input::Ready), [Out::Post(id(1), "open")]);
        assert_eq!(
            it.handle(90.0, Input::Final { id: id(1), keep: Keep::Anew }),
            [Out::Post(id(2), "means"), Out::Post(id(4), "race again")]
        );
    }

    #[test]
    fn what_was_added_is_given_to_a_new_worker_after_the_files_and_forgotten_with_them() {
        let mut it = up();
        it.handle(50.0, Input::Send(id(2), "twin"));
        it.handle(60.0, Input::Final { id: id(2), keep: Keep::Also });
        assert_eq!(it.handle(70.0, Input::Broke("trap".into())), [Out::Terminate, Out::Start]);
        it.handle(71.0, Input::Send(id(3), "race"));
        assert_eq!(
            it.handle(90.0, Input::Ready),
            [Out::Post(id(1), "open"), Out::Post(id(2), "twin")]
        );
        assert_eq!(it.handle(91.0, Input::Final { id: id(1), keep: Keep::Anew }), []);
        assert_eq!(
            it.handle(92.0, Input::Final { id: id(2), keep: Keep::Also }),
            [Out::Post(id(3), "race")]
        );
        it.handle(93.0, Input::Final { id: id(3), keep: Keep::No });
        it.handle(94.0, Input::Send(id(4), "open others"));
        it.handle(95.0, Input::Final { id: id(4), keep: Keep::Anew });
        it.handle(96.0, Input::Broke("trap".into()));
        assert_eq!(it.handle(99.0, Input::Ready), [Out::Post(id(4), "open others")]);
    }

    #[test]
    fn five_seconds_of_silence_while_busy_are_the_end_and_idle_silence_is_not() {
        let mut it = up();
        for second in 1..60 {
            assert_eq!(it.handle(f64::from(second) * 1000.0, Input::Tick), []);
        }
        it.handle(60_000.0, Input::Send(id(2), "race"));
        for second in 1..5 {
            let now = 60_000.0 + f64::from(second) * 1000.0;
            assert_eq!(it.handle(now, Input::Tick), [Out::Ping]);
        }
        let said = "it gave no sign of life for 5 s".to_owned();
        assert_eq!(
            it.handle(65_000.0, Input::Tick),
            [Out::Terminate, Out::Failed(id(2), said), Out::Start]
        );
    }

    #[test]
    fn a_worker_that_never_said_what_it_works_on_fails_all_it_was_given() {
        let mut it = up();
        it.handle(50.0, Input::Send(id(2), "parse"));
        it.handle(51.0, Input::Send(id(3), "race"));
        let mut out = Vec::new();
        for second in 1..=6 {
            out = it.handle(f64::from(second) * 1000.0, Input::Tick);
            if out != [Out::Ping] {
                break;
            }
        }
        let failed: Vec<bool> =
            out.iter().map(|output| matches!(output, Out::Failed(..))).collect();
        assert_eq!(failed, [false, true, true, false]);
        assert_eq!(it.handle(9_000.0, Input::Ready), [Out::Post(id(1), "open")]);
        assert_eq!(it.handle(9_010.0, Input::Final { id: id(1), keep: Keep::Anew }), []);
    }

    #[test]
    fn a_busy_worker_that_answers_pings_lives() {
        let mut it = up();
        it.handle(50.0, Input::Send(id(2), "means"));
        for second in 1..600 {
            let now = f64::from(second) * 1000.0;
            assert_eq!(it.handle(now, Input::Tick), [Out::Ping]);
            it.handle(now + 5.0, Input::Sign);
        }
    }

    #[test]
    fn a_page_that_slept_does_not_blame_the_worker() {
        let mut it = up();
        it.handle(50.0, Input::Send(id(2), "race"));
        it.handle(1_000.0, Input::Tick);
        assert_eq!(it.handle(3_600_000.0, Input::Tick), [Out::Ping]);
        it.handle(3_601_000.0, Input::Tick);
        assert!(it.is_busy());
    }

    #[test]
    fn files_that_kill_the_worker_are_given_up() {
        let mut it = up();
        it.handle(50.0, Input::Broke("gone".into()));
        assert_eq!(it.handle(80.0, Input::Ready), [Out::Post(id(1), "open")]);
        assert_eq!(
            it.handle(81.0, Input::Broke("trap".into())),
            [Out::Terminate, Out::Lost("trap".into()), Out::Start]
        );
        assert_eq!(it.handle(110.0, Input::Ready), []);
        assert!(!it.is_busy());
    }

    #[test]
    fn workers_that_die_one_after_the_other_are_not_started_for_ever() {
        let mut it = Supervisor::<&str>::new();
        it.handle(0.0, Input::Send(id(1), "a"));
        assert_eq!(it.handle(1.0, Input::Broke("404".into())), [Out::Terminate, Out::Start]);
        assert_eq!(it.handle(2.0, Input::Broke("404".into())), [Out::Terminate, Out::Start]);
        assert_eq!(
            it.handle(3.0, Input::Broke("404".into())),
            [Out::Terminate, Out::Failed(id(1), "404".into())]
        );
        assert_eq!(it.handle(4.0, Input::Broke("late".into())), []);
        assert_eq!(it.handle(5.0, Input::Send(id(2), "b")), [Out::Start]);
    }

    #[test]
    fn what_was_cancelled_is_not_asked_again_after_a_death() {
        let mut it = up();
        it.handle(50.0, Input::Send(id(2), "means"));
        it.handle(51.0, Input::Send(id(3), "race"));
        assert_eq!(it.handle(52.0, Input::Cancel(id(2))), [Out::PostCancel(id(2))]);
        it.handle(53.0, Input::At(id(3)));
        it.handle(54.0, Input::Broke("trap".into()));
        it.handle(80.0, Input::Ready);
        assert_eq!(it.handle(90.0, Input::Final { id: id(1), keep: Keep::Anew }), []);
    }

    #[test]
    fn a_worker_that_never_loads_counts_as_dead() {
        let mut it = Supervisor::<&str>::new();
        it.handle(0.0, Input::Send(id(1), "a"));
        let mut out = Vec::new();
        for second in 1..=10 {
            out = it.handle(f64::from(second) * 1000.0, Input::Tick);
        }
        assert_eq!(out, [Out::Terminate, Out::Start]);
    }
}
