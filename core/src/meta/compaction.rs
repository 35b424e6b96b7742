//! The compaction component of Statistics.db: a sketch that tells how many keys several SSTables have together
//! (`docs/format/statistics.md`, compaction). Nothing but compaction needs it, so it is read where it is asked for.

use super::{Statistics, StatisticsPart};
use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::pos::{len64, mem};
use crate::source::{Source, read_range};
use crate::table::{Part, Version};

/// Type of the component in the table of contents.
const KIND: u32 = 1;
/// Greatest precision of a sketch that the library that writes them allows.
const MAX_PRECISION: u32 = 32;
/// Registers of 5 bits in a word of the sketch.
const REGISTERS_PER_WORD: u32 = 6;

/// The compaction component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Generations that it was compacted from, in versions that list them.
    pub ancestors: Option<Vec<u32>>,
    /// Bytes of the sketch, perhaps none.
    pub cardinality: Vec<u8>,
    /// The sketch decoded; `None` when there is none or it cannot be read ([`Self::problem`]).
    pub sketch: Option<Sketch>,
    /// Why the sketch cannot be read. ScyllaDB takes any bytes.
    pub problem: Option<ReadError>,
    /// Bytes behind the sketch. Early ScyllaDB wrote 28 of them in `mc`: the layout of `la`, with the sketch behind an
    /// empty list of ancestors.
    pub left_over: Vec<u8>,
}

/// A HyperLogLog++ sketch of the partition keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// Precision of the normal form: it has 2 to this power registers.
    pub precision: u32,
    /// Precision of the sparse form; 0 when the writer does not use it.
    pub sparse_precision: u32,
    /// What it holds.
    pub form: SketchForm,
}

/// How a sketch keeps what it saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SketchForm {
    /// Few keys: so many of their hashes, shortened.
    Sparse {
        /// Number of hashes kept.
        hashes: u64,
    },
    /// Many keys: a small number a register.
    Normal {
        /// The registers, each 0 to 31.
        registers: Vec<u8>,
    },
}

impl Compaction {
    /// Reads the component that `statistics`, read from the same file, found. `None` when the file has none.
    pub fn read<S: Source>(
        version: Version,
        statistics: &Statistics,
        source: &S,
    ) -> Result<Option<Self>, Error> {
        let Some(part) = statistics.part(KIND) else { return Ok(None) };
        let StatisticsPart { at, bytes, .. } = part;
        let body = read_range(Part::Statistics, source, at, bytes, part.name())?;
        Self::parse(version, &mut Cursor::new(Part::Statistics, at, &body)).map(Some)
    }

    pub(super) fn parse(version: Version, cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let mut ancestors = None;
        if version.formats().statistics.has_ancestors {
            let count = cursor.count(4, "ancestors")?;
            let mut listed = Vec::with_capacity(count);
            for _ in 0..count {
                listed.push(cursor.u32("ancestors")?);
            }
            ancestors = Some(listed);
        }
        let length_at = cursor.pos();
        let cardinality = cursor.int_bytes("cardinality")?.to_vec();
        let (mut sketch, mut problem) = (None, None);
        if !cardinality.is_empty() {
            // A length of 4 bytes stands before it.
            let at = length_at.after(4).unwrap_or(length_at);
            match Sketch::read(&mut Cursor::new(Part::Statistics, at, &cardinality)) {
                Ok(read) => sketch = Some(read),
                Err(Error::Damage(error)) => problem = Some(*error),
                Err(miss) => return Err(miss),
            }
        }
        let left_over = cursor.take(cursor.left(), "end of the component")?.to_vec();
        Ok(Self { ancestors, cardinality, sketch, problem, left_over })
    }
}

impl Sketch {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        const FIELD: &str = "cardinality";
        let before = cursor.clone();
        let version = cursor.i32("cardinality version")?;
        if version != -2 {
            return Err(before.error("cardinality version", "-2", i128::from(version)));
        }
        let before = cursor.clone();
        let (precision, sparse_precision) = (varint(cursor)?, varint(cursor)?);
        if !(4..=MAX_PRECISION).contains(&precision) || sparse_precision > MAX_PRECISION {
            return Err(before.error("cardinality precision", "4 to 32", i128::from(precision)));
        }
        let before = cursor.clone();
        let form = match varint(cursor)? {
            0 => {
                let before = cursor.clone();
                let bytes = varint(cursor)?;
                let words = cursor.take(usize::try_from(bytes).unwrap_or(usize::MAX), FIELD)?;
                let registers = registers(words, precision);
                if len64(registers.len()) != 1 << precision {
                    let expected = "as many bytes as the registers need";
                    return Err(before.error(FIELD, expected, i128::from(bytes)));
                }
                SketchForm::Normal { registers }
            }
            1 => {
                let hashes = varint(cursor)?;
                for _ in 0..hashes {
                    varint(cursor)?;
                }
                SketchForm::Sparse { hashes: u64::from(hashes) }
            }
            other => return Err(before.error("cardinality form", "0 or 1", i128::from(other))),
        };
        if cursor.left() != 0 {
            let left = i128::try_from(cursor.left()).unwrap_or(i128::MAX);
            return Err(cursor.error("end of the sketch", "no bytes left", left));
        }
        Ok(Self { precision, sparse_precision, form })
    }

    /// About how many distinct keys it saw. The databases correct the normal form a little further, from tables.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate: a few per cent either way, never negative, below 2^64"
    )]
    pub fn estimate(&self) -> u64 {
        // Keys that fell into `of` places and left `empty` of them empty.
        let linear = |of: f64, empty: f64| of * (of / empty).ln();
        let estimate = match &self.form {
            SketchForm::Sparse { hashes } => {
                let places = 2f64.powi(i32::try_from(self.sparse_precision).unwrap_or(0));
                linear(places, (places - *hashes as f64).max(1.0))
            }
            SketchForm::Normal { registers } => {
                let places = registers.len() as f64;
                let sum: f64 = registers.iter().map(|value| 2f64.powi(-i32::from(*value))).sum();
                let raw = 0.7213 / (1.0 + 1.079 / places) * places * places / sum;
                let empty = registers.iter().filter(|value| **value == 0).count();
                if empty > 0 && raw <= 2.5 * places { linear(places, empty as f64) } else { raw }
            }
        };
        estimate.round() as u64
    }
}

/// The registers of a sketch: words of six registers of 5 bits, the first in the lowest bits.
fn registers(words: &[u8], precision: u32) -> Vec<u8> {
    let count = 1u64 << precision;
    // The words are there, so memory for their registers is too.
    let most = len64(words.len()) / 4 * u64::from(REGISTERS_PER_WORD);
    let words = words.as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word));
    let registers = words.flat_map(|word| {
        (0..REGISTERS_PER_WORD).map(move |n| u8::try_from(word >> (5 * n) & 31).unwrap_or(0))
    });
    registers.take(mem(count.min(most)).unwrap_or(0)).collect()
}

/// A number in groups of 7 bits, the lowest first.
fn varint(cursor: &mut Cursor<'_>) -> Result<u32, Error> {
    let before = cursor.clone();
    let mut value = 0u64;
    for group in 0..5 {
        let byte = cursor.u8("cardinality")?;
        value |= u64::from(byte & 0x7f) << (7 * group);
        if byte & 0x80 == 0 {
            // The writer's numbers have 32 bits.
            return u32::try_from(value)
                .map_err(|_| before.error("cardinality", "a number of 32 bits", value.into()));
        }
    }
    Err(before.error("cardinality", "a number of at most 5 bytes", value.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pos::FilePos;

    fn parse(letters: &[u8], bytes: &[u8]) -> Compaction {
        let mut cursor = Cursor::new(Part::Statistics, FilePos(0), bytes);
        Compaction::parse(Version::new(letters).unwrap(), &mut cursor).unwrap()
    }

    const SPARSE: &[u8] = &[
        0xff, 0xff, 0xff, 0xfe, // version
        13, 25, 1, // precisions, sparse
        2, 0x85, 0x01, 7, // two hashes, as differences
    ];

    #[test]
    fn ancestors_are_read_in_versions_that_list_them() {
        let read = parse(b"ka", &[0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 0]);
        assert_eq!((read.ancestors, read.cardinality.len()), (Some(vec![7, 9]), 0));
        assert!(read.sketch.is_none() && read.problem.is_none());
    }

    #[test]
    fn a_sparse_sketch_keeps_hashes() {
        let read = parse(b"mc", &[&[0, 0, 0, 11], SPARSE].concat());
        let sketch = read.sketch.unwrap();
        assert_eq!((sketch.precision, sketch.sparse_precision), (13, 25));
        assert_eq!((&sketch.form, sketch.estimate()), (&SketchForm::Sparse { hashes: 2 }, 2));
    }

    #[test]
    fn a_normal_sketch_has_registers_of_five_bits() {
        let mut bytes = vec![0xff, 0xff, 0xff, 0xfe, 4, 0, 0, 12];
        bytes.extend((3u32 | 31 << 25).to_be_bytes());
        bytes.extend([0; 8]);
        let mut cursor = Cursor::new(Part::Statistics, FilePos(0), &bytes);
        let SketchForm::Normal { registers } = Sketch::read(&mut cursor).unwrap().form else {
            panic!()
        };
        assert_eq!((registers.len(), registers[0], registers[5], registers[6]), (16, 3, 31, 0));
    }

    #[test]
    fn bytes_behind_the_sketch_are_kept() {
        let read = parse(b"mc", &[&[0, 0, 0, 0], SPARSE].concat());
        assert_eq!((read.cardinality.len(), read.left_over.as_slice()), (0, SPARSE));
    }

    #[test]
    fn a_sketch_cut_at_every_length_is_a_problem_and_no_error() {
        for cut in 1..SPARSE.len() {
            let length = u8::try_from(cut).unwrap();
            let read = parse(b"mc", &[&[0, 0, 0, length], &SPARSE[..cut]].concat());
            assert!(read.sketch.is_none() && read.problem.is_some(), "{cut}");
        }
    }
}
