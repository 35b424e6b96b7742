//! Where written bytes go, and how far they are.

use crate::pos::{PAGE_SIZE, len64, mem};
use crate::write::Sink;

/// Bytes gathered before the sink is called.
const GATHERED: usize = 1 << 16;

/// A file that grows.
#[derive(Clone, Debug)]
pub(super) struct Out<W: Sink> {
    sink: W,
    gathered: Vec<u8>,
    passed: u64,
}

impl<W: Sink> Out<W> {
    /// A file of which `passed` bytes are written already, elsewhere.
    pub fn new(sink: W, passed: u64) -> Self {
        Self { sink, gathered: Vec::with_capacity(GATHERED), passed }
    }

    /// Position of the next byte.
    #[inline]
    pub fn at(&self) -> u64 {
        self.passed + len64(self.gathered.len())
    }

    /// Bytes left in the page: all of it at its start.
    #[inline]
    pub fn left(&self) -> u64 {
        PAGE_SIZE - self.at() % PAGE_SIZE
    }

    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.gathered.extend_from_slice(bytes);
        self.pass_on();
    }

    /// Lets `write` append to the file.
    pub fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.gathered);
        self.pass_on();
    }

    /// Zeros to the end of the page; nothing at its start.
    pub fn pad(&mut self) {
        let zeros = mem(self.at().next_multiple_of(PAGE_SIZE) - self.at()).unwrap_or(0);
        self.gathered.resize(self.gathered.len() + zeros, 0);
        self.pass_on();
    }

    /// Gives the sink back, with everything in it.
    pub fn into_sink(mut self) -> W {
        self.sink.put(&self.gathered);
        self.sink
    }

    /// Hands the sink all that is written, and lets it be looked at.
    pub fn flush(&mut self) -> &mut W {
        self.sink.put(&self.gathered);
        self.passed += len64(self.gathered.len());
        self.gathered.clear();
        &mut self.sink
    }

    fn pass_on(&mut self) {
        if self.gathered.len() >= GATHERED {
            self.flush();
        }
    }
}
