//! Keys that a table might hold: seeded variations of one that it does, to find absent ones that walk far.

use super::SplitMix64;
use crate::cql::CqlType;
use crate::keys::KeySchema;

/// A key like `like`, which is one of the table, but with other values. Most are absent; the caller checks.
///
/// Numbers stay within a few times the magnitude of what is there and text keeps its form, so that the key reads like
/// one of the table's own.
pub fn vary(schema: &KeySchema, like: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let varied = schema.unpack(like).and_then(|values| {
        let values: Vec<Vec<u8>> = schema
            .columns()
            .iter()
            .zip(values)
            .map(|(cql, value)| vary_value(cql, value, random))
            .collect();
        let parts: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        schema.pack(&parts)
    });
    varied.unwrap_or_else(|| random.bytes(like.len().max(1)))
}

fn vary_value(cql: &CqlType, like: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    match cql.unfrozen() {
        CqlType::Boolean => vec![u8::from(random.below(2) == 1)],
        CqlType::Tinyint
        | CqlType::Smallint
        | CqlType::Int
        | CqlType::Bigint
        | CqlType::Varint
        | CqlType::Timestamp
        | CqlType::OldTimestamp
        | CqlType::Date
        | CqlType::Time => vary_number(like, random),
        CqlType::Float | CqlType::Double => vary_tail(like, random),
        CqlType::Uuid | CqlType::LexicalUuid => uuid(4, random),
        CqlType::Timeuuid => uuid(1, random),
        CqlType::Ascii | CqlType::Text => vary_text(like, random),
        CqlType::Inet => random.bytes(if like.len() == 16 { 16 } else { 4 }),
        CqlType::Blob => random.bytes(like.len().clamp(1, 16)),
        // Values with a structure stay as they are: other bytes would hardly be a value of their type.
        _ => like.to_vec(),
    }
}

/// Another number of the same width: its significant bytes are drawn anew, and one bit more.
fn vary_number(like: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let zeros = like.iter().take_while(|byte| matches!(byte, 0 | 0xff)).count();
    // The first significant byte may grow by one bit, never into the sign of the whole number.
    let mut value = like.to_vec();
    for (i, byte) in value.iter_mut().enumerate().skip(zeros.min(like.len().saturating_sub(2))) {
        let [low, ..] = random.draw().to_le_bytes();
        *byte = if i == 0 { low & 0x7f } else { low };
    }
    value
}

/// The last half of the bytes drawn anew: a number of the same sign and size.
fn vary_tail(like: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let (head, tail) = like.split_at(like.len() / 2);
    [head, &random.bytes(tail.len())].concat()
}

/// Digits become other digits; text without any gets some.
fn vary_text(like: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut text = like.to_vec();
    let mut digits = false;
    for byte in text.iter_mut().filter(|byte| byte.is_ascii_digit()) {
        digits = true;
        let [digit, ..] = random.below(10).to_le_bytes();
        *byte = b'0' + digit;
    }
    if digits {
        // One digit more makes it absent where all numbers of that length are there.
        text.push(b'0' + random.below(10).to_le_bytes()[0]);
    } else {
        text.extend_from_slice(format!("-{}", random.below(100_000)).as_bytes());
    }
    text
}

fn uuid(version: u8, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = random.bytes(16);
    if let Some(byte) = bytes.get_mut(6) {
        *byte = *byte & 0x0f | version << 4;
    }
    if let Some(byte) = bytes.get_mut(8) {
        *byte = *byte & 0x3f | 0x80;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Partitioner;

    /// A varied key can be typed: its text parses back to it.
    fn check(class: &str, like: &[u8]) {
        let schema = KeySchema::from_class(class);
        let mut random = SplitMix64::new(3);
        for _ in 0..50 {
            let key = vary(&schema, like, &mut random);
            let text = schema.to_text(&key);
            let parsed = schema.parse(&Partitioner::Murmur3, &text);
            assert_eq!(parsed, Ok(crate::keys::KeyInput::Key(key)), "{class}: {text}");
        }
    }

    #[test]
    fn varied_keys_can_be_typed() {
        check("Int32Type", &[0, 0, 0x42, 0x7d]);
        check("LongType", &[0xff; 8]);
        check("UTF8Type", b"user:000017");
        check("UTF8Type", b"hello");
        check("UUIDType", &[7; 16]);
        check("TimeUUIDType", &[7; 16]);
        check("BytesType", &[1, 2, 3, 4]);
        check("InetAddressType", &[127, 0, 0, 1]);
        check("CompositeType(Int32Type,UTF8Type)", &[0, 4, 0, 0, 0, 7, 0, 0, 2, b'a', b'b', 0]);
    }
}
