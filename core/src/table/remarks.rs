//! Remarks on an SSTable that answer what people ask of its name and its metadata, a sentence each. They are no faults.

use super::{IndexKind, Part, TableFacts, Version};
use crate::error::Error;
use crate::keys::Partitioner;
use crate::meta::{Compression, Compressor};
use std::borrow::Cow;

/// Which format the version letters stand for, and what they are mistaken for.
pub fn format(version: Version) -> Cow<'static, str> {
    Cow::Borrowed(match version.as_str() {
        "nb" => {
            "nb is the legacy index; Cassandra 5.0 writes it too, as long as it stays compatible with 4.0."
        }
        "oa" => "oa is the legacy index with the metadata of Cassandra 5.0.",
        "da" => "da is the trie index of Cassandra 5.0.",
        "ms" | "mt" => {
            "ms and mt are ScyllaDB's trie index: Partitions.db and Rows.db, although the names say big."
        }
        "bb" => "bb is the trie index of DataStax Enterprise, with older metadata.",
        "me" => "me is the legacy index, whichever database wrote it.",
        letters => {
            let index = match version.index() {
                Some(IndexKind::Trie) => "trie",
                Some(IndexKind::Legacy) => "legacy",
                None => return super::words::refused(version).into(),
            };
            return format!("{letters} is the {index} index of {}.", version.release()).into();
        }
    })
}

/// What all remarks on a table are, in the order of this file.
pub fn of_table(facts: &TableFacts, compression: Option<&Compression>) -> Vec<String> {
    let mut remarks = vec![format(facts.version).into_owned()];
    if let Some(Partitioner::Unknown(class)) = &facts.partitioner {
        remarks.push(unknown_partitioner(class));
    }
    remarks.extend(compression.and_then(dictionary));
    remarks.extend(compression.and_then(unknown_compressor));
    if facts.version.index() == Some(IndexKind::Trie)
        && facts.components.iter().any(|it| it.part == Some(Part::Index) && it.bytes.is_some())
    {
        remarks.push("Index.db is among the files of a version with a trie index.".to_owned());
    }
    remarks
}

/// Why keys of an unknown partitioner are not placed.
pub fn unknown_partitioner(class: &str) -> String {
    format!(
        "The partitioner {class} is not known: keys are shown as bytes, tokens and order are not checked."
    )
}

/// The dictionary among the options of CompressionInfo.db.
pub fn dictionary(info: &Compression) -> Option<String> {
    match info.dictionary() {
        Ok(blob) => blob.map(|blob| {
            format!("A dictionary of {} bytes is embedded in CompressionInfo.db.", blob.len())
        }),
        Err(Error::Damage(error)) => {
            Some(format!("The embedded dictionary cannot be read: {error}."))
        }
        Err(Error::Miss(_)) => None,
    }
}

/// What an unknown compressor keeps from being read.
pub fn unknown_compressor(info: &Compression) -> Option<String> {
    match &info.compressor {
        Compressor::Unknown(class) => Some(format!(
            "Data.db cannot be decompressed: {class}. The index does not depend on it."
        )),
        _ => None,
    }
}
