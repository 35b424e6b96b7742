//! Files of megabytes that say much in few bytes: what is made of them in memory has limits of its own.

use triescope_core::error::ReadError;
use triescope_core::meta::{Compression, ScyllaMetadata, Statistics};
use triescope_core::table::Version;

fn version(letters: &str) -> Version {
    Version::new(letters.as_bytes()).unwrap()
}

#[track_caller]
fn says(error: &ReadError, text: &str) {
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn millions_of_columns_in_statistics_db_are_refused() {
    // One component, the serialization header, at 12; then three bases, a key type without a name, and a number of columns
    // that the zeros behind it would give.
    let mut bytes = vec![0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 12, 0, 0, 0, 0];
    bytes.extend([0xf0, 0, 0x40, 0, 0]);
    bytes.resize(5 << 20, 0);
    let read = Statistics::parse(version("mc"), &bytes).unwrap();
    assert!(read.header.is_none());
    says(&read.problems[0], "clustering column count: expected at most 65536, found 4194304");
}

#[test]
fn millions_of_options_in_compression_info_db_are_refused() {
    let mut bytes = vec![0, 0, 0, 0x0c, 0, 0];
    bytes.resize(4 << 20, 0);
    let error = Compression::read(version("oa"), &bytes.as_slice()).unwrap_err();
    assert!(error.to_string().contains("option count: expected at most 4096"), "{error}");
}

#[test]
fn millions_of_records_in_scylla_db_are_refused() {
    let mut bytes = vec![0, 4, 0, 0];
    bytes.resize(3 << 20, 0);
    let error = ScyllaMetadata::parse(&bytes).unwrap_err();
    assert!(error.to_string().contains("number of records: expected at most 64"), "{error}");
}
