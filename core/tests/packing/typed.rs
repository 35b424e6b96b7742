//! Keys that are typed or generated.

use crate::frames::replayed;
use std::rc::Rc;
use triescope_core::limits;
use triescope_core::replay::{Checkpoints, Generated, TypedError, TypedKeys, Writer};

#[test]
fn lines_become_keys_in_order_each_once() {
    let keys = TypedKeys::parse("cart\n  car \n\ncat\ncar\nцар\n").unwrap();
    assert_eq!(keys.keys().collect::<Vec<_>>(), ["car", "cart", "cat", "цар"]);
    assert_eq!((keys.count(), keys.twice()), (4, 1));
    assert_eq!(TypedKeys::parse(&keys.text()).unwrap().text(), keys.text());
    let mut prefixes = Vec::new();
    keys.entries().unwrap().for_each(|key, _| prefixes.push(key.to_vec()));
    // The end of `car` tells it from `cart`.
    assert_eq!(prefixes, [&b"car\0"[..], b"cart", b"cat", &"ц".as_bytes()[..1]]);
}

#[test]
fn what_is_not_taken_is_said_in_a_sentence() {
    let said = |text: &str| TypedKeys::parse(text).unwrap_err().to_string();
    assert_eq!(said(" \n\n"), "no key yet: type one a line");
    let long = format!("a\n{}", "x".repeat(65_536));
    assert_eq!(said(&long), "line 2 has 65536 bytes: a key has at most 65535");
    let large = "y".repeat(limits::TYPED_BYTES as usize + 1);
    assert_eq!(said(&large), "keys of 4194305 bytes in all: at most 4194304 are taken");
    let many = TypedKeys::generate(Generated::Counters, 100_001, 0).unwrap_err();
    assert_eq!(many, TypedError::TooMany { keys: 100_001 });
    assert_eq!(many.to_string(), "100001 keys: at most 100000 are taken");
    let lines: String = (0..=limits::TYPED_KEYS).map(|n| format!("{n}\n")).collect();
    assert_eq!(said(&lines), "100001 keys: at most 100000 are taken");
}

#[test]
fn keys_are_generated_and_packed_by_both_writers() {
    for what in Generated::ALL {
        for count in [1, 2, 3000] {
            let keys = TypedKeys::generate(what, count, 5).unwrap();
            assert_eq!(keys, TypedKeys::generate(what, count, 5).unwrap());
            assert_eq!(keys.count(), count, "{}", what.name());
            let entries = Rc::new(keys.entries().unwrap());
            for writer in Writer::BOTH {
                let replay = replayed(&entries, writer, Checkpoints::default());
                let totals = replay.totals();
                assert_eq!(totals.entries, count);
                let last = replay.frame(totals.steps - 1).unwrap();
                assert_eq!(last.waiting_bytes, 0);
                assert_eq!(last.file.at, totals.end.0);
            }
        }
    }
    let uuids = TypedKeys::generate(Generated::Uuids, 100, 1).unwrap();
    assert!(uuids.keys().all(|key| key.len() == 36 && key.as_bytes()[14] == b'4'));
    assert!(uuids.keys().all(|key| "89ab".contains(key.chars().nth(19).unwrap())));
}
