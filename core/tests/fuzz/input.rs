//! An input taken apart: small numbers and short pieces first, the bytes of a file last. Any input can be taken apart, and a
//! real file becomes an input by writing a few bytes before it.

use std::sync::LazyLock;
use triescope_core::pos::len64;
use triescope_core::table::Version;

/// What is left of an input.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// All of an input.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next byte; 0 behind the end.
    pub fn byte(&mut self) -> u8 {
        let (byte, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *byte
    }

    /// A number below `n`, which is at most 256.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// Two bytes, big-endian.
    pub fn two(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    /// As many of the next `n` bytes as there are.
    pub fn take(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A byte of length, then so many bytes.
    pub fn short(&mut self) -> &'a [u8] {
        let n = self.byte();
        self.take(usize::from(n))
    }

    /// Two bytes of length, then so many bytes.
    pub fn long(&mut self) -> &'a [u8] {
        let n = self.two();
        self.take(usize::from(n))
    }

    /// A version, of those that are known.
    pub fn version(&mut self) -> Version {
        Version::KNOWN[self.below(Version::KNOWN.len())]
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// A number drawn from all that is left: what is to be random but the same each time.
    pub fn seed(&self) -> u64 {
        self.0.iter().fold(len64(self.0.len()), |seed, byte| {
            (seed ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}

/// The byte that [`Input::version`] makes this version of.
pub fn version_byte(letters: &str) -> u8 {
    let at = Version::KNOWN.iter().position(|version| version.as_str() == letters);
    u8::try_from(at.expect("a known version")).unwrap()
}

/// Bytes with a byte of length before them.
pub fn short(bytes: &[u8]) -> Vec<u8> {
    [&[u8::try_from(bytes.len()).unwrap()], bytes].concat()
}

/// Bytes with two bytes of length before them.
pub fn long(bytes: &[u8]) -> Vec<u8> {
    [&u16::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
}

/// Something made once and used by each run.
pub type Once<T> = LazyLock<T>;
