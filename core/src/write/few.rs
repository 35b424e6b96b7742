//! Appending few bytes, which takes a way of its own in wasm.

/// Most bytes that are appended in small steps.
const FEW: usize = 64;

/// Appends bytes of which there are mostly few. Natively that is one copy. In wasm a copy whose length the compiler does
/// not know is one instruction, for which browsers leave the compiled code: five of them took as long as all else that is
/// done for a key.
#[inline]
pub(crate) fn append_few(out: &mut Vec<u8>, bytes: &[u8]) {
    if !cfg!(target_family = "wasm") || bytes.len() > FEW {
        out.extend_from_slice(bytes);
        return;
    }
    append_in_steps(out, bytes);
}

#[inline]
fn append_in_steps(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len());
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        out.extend_from_slice(word);
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for half in halves {
        out.extend_from_slice(half);
    }
    for byte in rest {
        out.push(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_append_what_one_copy_appends() {
        let bytes: Vec<u8> = (0..100).collect();
        for length in 0..bytes.len() {
            let mut out = vec![7; 3];
            append_in_steps(&mut out, &bytes[..length]);
            assert_eq!(out, [&[7; 3], &bytes[..length]].concat());
        }
    }
}
