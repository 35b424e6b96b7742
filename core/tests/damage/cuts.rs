//! Each index file cut at each length, and with bytes more than it should have.

use crate::{INDEX, Subject, read_everything};

fn cut_at_each_length(subject: &Subject) -> usize {
    let mut cuts = 0;
    for part in INDEX {
        let Some(whole) = subject.files.bytes.get(&part) else { continue };
        for len in 0..whole.len() {
            read_everything(subject, &subject.files.with(part, &whole[..len]));
            cuts += 1;
        }
        for more in [&[0][..], &[0xff; 30], &[0; 5000]] {
            read_everything(subject, &subject.files.with(part, &[whole, more].concat()));
        }
    }
    cuts
}

#[test]
fn each_index_file_may_end_anywhere() {
    let mut cuts = 0;
    for (table, version) in [
        ("two_partitions", "da"),
        ("ten_partitions", "da"),
        ("ck_boolean", "da"),
        ("ck_varint", "da"),
        ("wide_static", "da"),
        ("lsm_two", "da"),
        ("ten_partitions", "nb"),
        ("ck_boolean", "oa"),
        ("ck_decimal_desc", "nb"),
        ("ck_text", "oa"),
        ("wide_static", "oa"),
        ("lsm_two", "nb"),
    ] {
        cuts += cut_at_each_length(&Subject::new(table, version));
    }
    println!("{cuts} cuts");
    assert!(cuts > 5_000, "{cuts} cuts");
}
