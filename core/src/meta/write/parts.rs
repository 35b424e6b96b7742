//! The container of Statistics.db and its three smaller components.

use crate::meta::header::{EPOCH_MICROS, EPOCH_SECONDS};
use crate::meta::{Column, Compaction, SerializationHeader, Validation, crc32};
use crate::pos::len64;
use crate::table::Version;
use crate::vint::uvint;
use crate::write::WriteError;

/// Count, table of contents and components, which lie in the order of their types; with checksums where the version has
/// them. `listed` is the order of the table of contents; types that it does not name follow.
pub(super) fn container(
    has_checksums: bool,
    listed: &[u32],
    bodies: &[(u32, Vec<u8>)],
) -> Result<Vec<u8>, WriteError> {
    let count = number("components", len64(bodies.len()))?;
    let mut file = count.to_be_bytes().to_vec();
    if has_checksums {
        file.extend(crc32(&count.to_be_bytes()).to_be_bytes());
    }
    let head = len64(file.len()) + 8 * len64(bodies.len()) + if has_checksums { 4 } else { 0 };
    let mut starts = Vec::with_capacity(bodies.len());
    let mut at = head;
    for (kind, body) in bodies {
        starts.push((*kind, number("component offset", at)?));
        at += len64(body.len()) + if has_checksums { 4 } else { 0 };
    }
    let unlisted = starts.iter().map(|(kind, _)| *kind).filter(|kind| !listed.contains(kind));
    let mut table = count.to_be_bytes().to_vec();
    for kind in listed.iter().copied().chain(unlisted) {
        let Some((_, start)) = starts.iter().find(|(other, _)| *other == kind) else { continue };
        for word in [kind, *start] {
            table.extend(word.to_be_bytes());
            file.extend(word.to_be_bytes());
        }
    }
    if has_checksums {
        // The checksum covers the count once more.
        file.extend(crc32(&table).to_be_bytes());
    }
    for (_, body) in bodies {
        file.extend_from_slice(body);
        if has_checksums {
            file.extend(crc32(body).to_be_bytes());
        }
    }
    Ok(file)
}

pub(super) fn validation(validation: &Validation) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    short_bytes("bytes of the partitioner", validation.partitioner.as_bytes(), &mut out)?;
    out.extend(validation.filter_chance.to_be_bytes());
    Ok(out)
}

pub(super) fn compaction(version: Version, from: &Compaction) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    if version.formats().statistics.has_ancestors {
        let ancestors = from.ancestors.as_deref().unwrap_or(&[]);
        out.extend(number("ancestors", len64(ancestors.len()))?.to_be_bytes());
        out.extend(ancestors.iter().flat_map(|ancestor| ancestor.to_be_bytes()));
    }
    out.extend(number("bytes of the sketch", len64(from.cardinality.len()))?.to_be_bytes());
    out.extend_from_slice(&from.cardinality);
    out.extend_from_slice(&from.left_over);
    Ok(out)
}

/// `stored` are the two bases of 32 bits as they were read, which are kept where they still say the same.
pub(super) fn header(header: &SerializationHeader, stored: [u64; 2]) -> Vec<u8> {
    let mut out = Vec::new();
    uvint(header.min_timestamp.wrapping_sub(EPOCH_MICROS).cast_unsigned(), &mut out);
    let local_time = header.min_local_deletion_time.wrapping_sub(EPOCH_SECONDS);
    for (difference, stored) in [local_time, header.min_ttl].into_iter().zip(stored) {
        let says_the_same = stored & 0xffff_ffff == u64::from(difference.cast_unsigned());
        // Differences of 32 bits are stored with their sign.
        let extended = i64::from(difference).cast_unsigned();
        uvint(if says_the_same { stored } else { extended }, &mut out);
    }
    vint_bytes(header.key_type.as_bytes(), &mut out);
    uvint(len64(header.clustering_types.len()), &mut out);
    for class in &header.clustering_types {
        vint_bytes(class.as_bytes(), &mut out);
    }
    for columns in [&header.static_columns, &header.regular_columns] {
        uvint(len64(columns.len()), &mut out);
        for Column { name, class } in columns {
            vint_bytes(name, &mut out);
            vint_bytes(class.as_bytes(), &mut out);
        }
    }
    out
}

pub(super) fn vint_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    uvint(len64(bytes.len()), out);
    out.extend_from_slice(bytes);
}

pub(super) fn short_bytes(
    field: &'static str,
    bytes: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    let expected = "at most 65535";
    let got = len64(bytes.len());
    let length = u16::try_from(got).map_err(|_| WriteError::Number { field, expected, got })?;
    out.extend(length.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

pub(super) fn number(field: &'static str, got: u64) -> Result<u32, WriteError> {
    u32::try_from(got).map_err(|_| WriteError::Number {
        field,
        expected: "at most 4294967295",
        got,
    })
}
