//! One chunk of a compressed Data.db: its checksum, and its bytes back (`docs/format/data.md`).
//!
//! The buffer has the size that CompressionInfo.db promises, never the one that the chunk claims.

use crate::error::{Error, ReadError};
use crate::limits;
use crate::meta::{Compression, Compressor, StoredChunk};
use crate::pos::{FilePos, mem};
use crate::table::Part;
use std::borrow::Cow;

/// Turns a stored chunk back into its bytes. `stored` is the chunk without its checksum, `checksum` the one behind it, if it is to
/// be compared: that of the stored bytes. Positions in errors are those of the file.
pub(super) fn decompress(
    info: &Compression,
    chunk: StoredChunk,
    stored: &[u8],
    checksum: Option<u32>,
) -> Result<Vec<u8>, Error> {
    if let Some(checksum) = checksum
        && let computed = info.checksum.of(stored)
        && computed != checksum
    {
        let at = FilePos(chunk.at.0.saturating_add(chunk.stored_bytes));
        let expected = format!("{computed:08x}, that of the chunk's bytes");
        return Err(damage(chunk, at, "checksum", expected, format!("{checksum:08x}")));
    }
    let wanted = mem(chunk.bytes).unwrap_or(usize::MAX);
    // A chunk that compression would not have made smaller than this is stored as it is, padded up to it if need be.
    let is_raw = info.max_compressed_length.is_some_and(|max| chunk.stored_bytes >= u64::from(max));
    let bytes = if is_raw || info.compressor == Compressor::Noop {
        stored
            .get(..wanted)
            .map(<[u8]>::to_vec)
            .ok_or_else(|| format!("{} bytes, not compressed", stored.len()).into())
    } else {
        unpack(info, stored, wanted)?
    };
    bytes.map_err(|found| {
        damage(chunk, chunk.at, "contents", format!("{wanted} bytes of {}", info.compressor), found)
    })
}

fn damage(
    chunk: StoredChunk,
    at: FilePos,
    what: &str,
    expected: String,
    found: impl Into<Cow<'static, str>>,
) -> Error {
    let field = format!("{what} of stored chunk {}", chunk.chunk);
    ReadError::unexpected(Part::Data, at, field, expected, found).into()
}

/// What was found instead of the bytes that should be there.
type Unpacked = Result<Vec<u8>, Cow<'static, str>>;

fn unpack(info: &Compression, stored: &[u8], wanted: usize) -> Result<Unpacked, Error> {
    let mut bytes = vec![0; wanted];
    let written = match &info.compressor {
        Compressor::Lz4 => lz4(stored, &mut bytes, &[]),
        Compressor::Lz4WithDictionary => {
            lz4(stored, &mut bytes, &info.dictionary()?.unwrap_or_default())
        }
        Compressor::Snappy => snappy(stored, &mut bytes),
        Compressor::Deflate => deflate(stored, &mut bytes),
        Compressor::Zstd => zstd(stored, &mut bytes, None),
        Compressor::ZstdWithDictionary => zstd(stored, &mut bytes, info.dictionary()?),
        Compressor::Noop | Compressor::Unknown(_) => Err("another compressor".into()),
    };
    Ok(match written {
        Ok(written) if written == wanted => Ok(bytes),
        Ok(written) => Err(format!("{written} bytes").into()),
        Err(found) => Err(found),
    })
}

type Written = Result<usize, Cow<'static, str>>;

/// A length, little-endian unlike all else in these files, and an LZ4 block.
fn lz4(stored: &[u8], bytes: &mut [u8], dictionary: &[u8]) -> Written {
    let Some((length, block)) = stored.split_first_chunk::<4>() else {
        return Err("a chunk too short for its length".into());
    };
    let claimed = u32::from_le_bytes(*length);
    if usize::try_from(claimed) != Ok(bytes.len()) {
        return Err(format!("a chunk that says it has {claimed} bytes").into());
    }
    lz4_flex::block::decompress_into_with_dict(block, bytes, dictionary)
        .map_err(|error| error.to_string().into())
}

fn snappy(stored: &[u8], bytes: &mut [u8]) -> Written {
    let claimed = snap::raw::decompress_len(stored).map_err(|error| error.to_string())?;
    if claimed != bytes.len() {
        return Err(format!("a chunk that says it has {claimed} bytes").into());
    }
    snap::raw::Decoder::new().decompress(stored, bytes).map_err(|error| error.to_string().into())
}

fn deflate(stored: &[u8], bytes: &mut [u8]) -> Written {
    miniz_oxide::inflate::decompress_slice_iter_to_slice(bytes, [stored].into_iter(), true, false)
        .map_err(|status| format!("a stream that ends with {status:?}").into())
}

fn zstd(stored: &[u8], bytes: &mut [u8], dictionary: Option<Vec<u8>>) -> Written {
    use ruzstd::decoding::{Dictionary, FrameDecoder};
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(limits::ZSTD_WINDOW_BYTES);
    if let Some(dictionary) = dictionary {
        let dictionary = Dictionary::decode_dict(&dictionary).map_err(|error| error.to_string())?;
        decoder.add_dict(dictionary).map_err(|error| error.to_string())?;
    }
    decoder.decode_all(stored, bytes).map_err(|error| error.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pos::{DataPos, len64};

    fn info(compressor: Compressor, max: Option<u32>) -> Compression {
        Compression {
            compressor,
            options: Vec::new(),
            chunk_length: 64,
            max_compressed_length: max,
            data_length: 64,
            chunks: 1,
            offsets_at: FilePos(0),
            checksum: crate::table::ChunkChecksum::Crc32,
        }
    }

    fn run(info: &Compression, stored: &[u8]) -> Result<Vec<u8>, String> {
        let chunk = StoredChunk {
            chunk: 0,
            at: FilePos(100),
            stored_bytes: len64(stored.len()),
            start: DataPos(0),
            bytes: 64,
        };
        decompress(info, chunk, stored, Some(crate::meta::crc32(stored)))
            .map_err(|error| error.to_string())
    }

    fn text() -> Vec<u8> {
        b"page after page after page after page after page after page"
            .iter()
            .copied()
            .chain(0..5)
            .collect()
    }

    fn stored(compressor: &Compressor, text: &[u8]) -> Vec<u8> {
        match compressor {
            Compressor::Lz4 => lz4_flex::block::compress_prepend_size(text),
            Compressor::Lz4WithDictionary => {
                lz4_flex::block::compress_prepend_size_with_dict(text, b"page after page")
            }
            Compressor::Snappy => snap::raw::Encoder::new().compress_vec(text).unwrap(),
            Compressor::Deflate => miniz_oxide::deflate::compress_to_vec_zlib(text, 6),
            Compressor::Zstd => {
                ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
            }
            _ => text.to_vec(),
        }
    }

    #[test]
    fn every_compressor_gives_the_bytes_back() {
        for compressor in [
            Compressor::Lz4,
            Compressor::Lz4WithDictionary,
            Compressor::Snappy,
            Compressor::Deflate,
            Compressor::Zstd,
            Compressor::Noop,
        ] {
            let mut info = info(compressor.clone(), Some(i32::MAX.unsigned_abs()));
            info.options = vec![(".dictionary.00000000".into(), b"page after page".to_vec())];
            assert_eq!(run(&info, &stored(&compressor, &text())), Ok(text()), "{compressor}");
        }
    }

    #[test]
    fn a_chunk_that_claims_another_length_is_reported_and_nothing_is_allocated_for_it() {
        let info = info(Compressor::Lz4, None);
        let mut huge = stored(&Compressor::Lz4, &text());
        huge[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(
            run(&info, &huge).unwrap_err(),
            "Data.db, offset 100 (page 0 + 100), contents of stored chunk 0: expected 64 bytes of LZ4Compressor, found a chunk that says it has 4294967295 bytes"
        );
    }

    #[test]
    fn too_many_or_too_few_bytes_are_reported() {
        for compressor in
            [Compressor::Lz4, Compressor::Snappy, Compressor::Deflate, Compressor::Zstd]
        {
            let info = info(compressor.clone(), None);
            for text in [[text(), text()].concat(), text()[..63].to_vec(), Vec::new()] {
                let said = run(&info, &stored(&compressor, &text)).unwrap_err();
                assert!(said.contains("contents of stored chunk 0: expected 64 bytes"), "{said}");
            }
        }
    }

    #[test]
    fn damaged_chunks_with_a_right_checksum_are_reported() {
        for compressor in
            [Compressor::Lz4, Compressor::Snappy, Compressor::Deflate, Compressor::Zstd]
        {
            let (info, good) = (info(compressor.clone(), None), stored(&compressor, &text()));
            for cut in 1..good.len() {
                assert!(run(&info, &good[..cut]).is_err(), "{compressor} {cut}");
            }
            // Whether other bytes come out or an error does, nothing else may happen.
            for at in 0..good.len() {
                for bit in 0..8 {
                    let mut bad = good.clone();
                    bad[at] ^= 1 << bit;
                    let _ = run(&info, &bad);
                }
            }
        }
    }

    #[test]
    fn f33_the_checksum_behind_the_chunk_is_verified() {
        let info = info(Compressor::Noop, None);
        let chunk = StoredChunk {
            chunk: 3,
            at: FilePos(8192),
            stored_bytes: 64,
            start: DataPos(0),
            bytes: 64,
        };
        let error = decompress(&info, chunk, &text(), Some(1)).unwrap_err().to_string();
        let crc = crate::meta::crc32(&text());
        assert_eq!(
            error,
            format!(
                "Data.db, offset 8256 (page 2 + 64), checksum of stored chunk 3: expected {crc:08x}, that of the chunk's bytes, found 00000001"
            )
        );
    }

    #[test]
    fn a_chunk_of_at_least_the_greatest_compressed_length_is_stored_raw_and_may_be_padded() {
        let info = info(Compressor::Lz4, Some(60));
        assert_eq!(run(&info, &text()), Ok(text()));
        let padded: Vec<u8> = text().into_iter().chain([0; 6]).collect();
        assert_eq!(run(&info, &padded), Ok(text()));
        assert!(run(&info, &text()[..62]).is_err());
    }

    #[test]
    fn an_unknown_compressor_is_named() {
        let said = run(&info(Compressor::Unknown("Brotli".into()), None), &text()).unwrap_err();
        assert!(said.contains("64 bytes of Brotli, found another compressor"), "{said}");
    }
}
