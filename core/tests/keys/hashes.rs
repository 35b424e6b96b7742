//! Hashes of the format text (computed by both databases), where standard Murmur3 gives other values for some.

use triescope_core::keys::{Partitioner, Token, murmur3};

fn check(key: &[u8], h1: u64, h2: u64, token: i64) {
    let hash = murmur3(key);
    assert_eq!((hash.h1, hash.h2), (h1, h2), "{key:x?}");
    assert_eq!(Token::of_murmur3(key, hash), token, "{key:x?}");
    assert_eq!(Partitioner::Murmur3.token(key), Token::Murmur3(token));
}

#[test]
fn hashes_and_tokens_equal_those_of_the_databases() {
    check(&[0, 0, 0, 0], 0xcfa0f7ddd84c76bc, 0x589623161cf526f1, -3485513579396041028);
    check(&[0, 0, 0, 1], 0xc78499982ae4e0cf, 0x798c330cbcdfe0e6, -4069959284402364209);
    check(&[0, 0, 0, 2], 0xd2e9aeb38ba99790, 0x935b4ba3001365e1, -3248873570005575792);
    check(&[0xff; 4], 0x6545c20b95607a50, 0x335ed84fb1625689, 7297452126230313552);
    check(&[0, 0, 0, 128], 0x81f6570a90ba6fb9, 0xf90a31e8913e8710, -9081975895656599623);
    check(&4317i32.to_be_bytes(), 0x80004387a53a04cf, 0x0f723b56711d2a3c, -9223297786983086897);
    check(b"a", 0x85555565f6597889, 0xe6b53a48510e895a, -8839064797231613815);
    check(b"key1", 0x15d67461d2044fb3, 0xb5779866b4e3a989, 1573573083296714675);
    check("привет".as_bytes(), 0x694ca73b5bd5723f, 0xb0cb735e0e1d60fd, 7587623345598067263);
    check(&[0; 16], 0x4bbd1bf27da918d6, 0xb465a9eccd791cb6, 5457549051747178710);
    check(&[0xff; 16], 0xd8ce73d7a39a46e6, 0xd0ac179d2650b632, -2824192546314762522);
    let up = |from: u8, to: u8| (from..=to).collect::<Vec<_>>();
    check(&up(0x00, 0x10), 0x5c76f40f9fe7c20e, 0xc15f026b9edaa824, 6662781046685680142);
    check(&up(0xf1, 0xff), 0x73ddcc10a5c3a7c9, 0x680cff2b19c0ad5d, 8349053656087373769);
    check(&up(0xe0, 0xfe), 0x9ace1231d0aab016, 0x7be73d509f34ade5, -7291870741502709738);
    check(&1i64.to_be_bytes(), 0x5752fae69d1653da, 0x80d26b9fc2bbad56, 6292367497774912474);
    let composite = b"\0\x04\0\0\0\x01\0\0\x05hello\0\0\x01\x01\0";
    check(composite, 0x27232579c5bb2084, 0x66ebcfbfaa223448, 2820138996602708100);
    assert_eq!(Partitioner::Murmur3.token(&[]), Token::Murmur3(i64::MIN));
}
