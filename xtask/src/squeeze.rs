//! Makes what a first visit loads smaller without changing what it does: the glue without comments and indentation, and
//! short names for what the module imports from it, and the module without sections for debuggers.
//!
//! wasm-bindgen names each import after what it is and a hash of 16 digits, once in the module and once in the glue. No
//! compressor gets rid of those digits: together they are a hundredth of the first load.

use anyhow::{Context as _, Result, bail, ensure};

/// A section that no program needs: names for those who debug it.
const CUSTOM: u8 = 0;
/// The section of a module that lists its imports.
const IMPORTS: u8 = 2;
/// Magic and version.
const HEAD_BYTES: usize = 8;

/// Glue and module, squeezed.
pub fn squeeze(glue: &str, module: &[u8]) -> Result<(String, Vec<u8>)> {
    let (module, names) = short_imports(module)?;
    let mut glue = plain(glue)?;
    for (number, name) in names.iter().enumerate() {
        let key = format!("\n{name}:");
        ensure!(
            glue.matches(&key).count() == 1,
            "the glue: expected the import {name} once, found it {} times",
            glue.matches(&key).count()
        );
        glue = glue.replace(&key, &format!("\n{}:", short(number)));
    }
    Ok((glue, module))
}

/// `i0`, `i1`, …
fn short(number: usize) -> String {
    format!("i{number}")
}

/// The glue without comments that fill lines, blank lines and indentation.
fn plain(glue: &str) -> Result<String> {
    let mut out = String::new();
    let mut in_comment = false;
    for line in glue.lines() {
        // Inside of a template that goes over several lines, indentation would be text.
        ensure!(
            line.matches('`').count() % 2 == 0,
            "the glue: expected templates of one line, found `{line}`"
        );
        let line = line.trim();
        if in_comment || line.starts_with("/*") {
            in_comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    ensure!(!in_comment, "the glue: a comment has no end");
    Ok(out)
}

/// The module with short names for its imports and without custom sections, and the names that the imports had.
fn short_imports(module: &[u8]) -> Result<(Vec<u8>, Vec<String>)> {
    let (mut out, mut names) = (Vec::new(), Vec::new());
    let (head, mut rest) = module.split_at_checked(HEAD_BYTES).context("the module has no head")?;
    ensure!(head.starts_with(b"\0asm"), "the module: expected its magic, found {head:?}");
    out.extend_from_slice(head);
    while let Some((id, after)) = rest.split_first() {
        let mut at = after;
        let length = number(&mut at)?;
        let body = take(&mut at, length)?;
        rest = at;
        if *id == CUSTOM {
            continue;
        }
        let body = match *id {
            IMPORTS => renamed(body, &mut names)?,
            _ => body.to_vec(),
        };
        out.push(*id);
        put_number(&mut out, body.len());
        out.extend_from_slice(&body);
    }
    Ok((out, names))
}

/// The import section with short names.
fn renamed(mut body: &[u8], names: &mut Vec<String>) -> Result<Vec<u8>> {
    let count = number(&mut body)?;
    let mut out = Vec::new();
    put_number(&mut out, count);
    for _ in 0..count {
        let from = text(&mut body)?;
        put_text(&mut out, from);
        let name = text(&mut body)?;
        put_text(&mut out, &short(names.len()));
        names.push(name.to_owned());
        let what = body;
        match take(&mut body, 1)? {
            // A function has its type.
            [0] => drop(number(&mut body)?),
            other => bail!("the module: expected functions as imports, found kind {other:?}"),
        }
        out.extend_from_slice(&what[..what.len() - body.len()]);
    }
    ensure!(body.is_empty(), "the module: expected {count} imports, found more");
    Ok(out)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count).context("the module ends too early")?;
    *bytes = rest;
    Ok(taken)
}

fn text<'a>(bytes: &mut &'a [u8]) -> Result<&'a str> {
    let length = number(bytes)?;
    std::str::from_utf8(take(bytes, length)?).context("the module: a name is no text")
}

/// A number of 7 bits a byte, the lowest first.
fn number(bytes: &mut &[u8]) -> Result<usize> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *take(bytes, 1)?.first().context("the module ends too early")?;
        ensure!(shift < 32, "the module: a number has too many bytes");
        value |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
        shift += 7;
    }
}

fn put_number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module that imports two functions, with a section of its own before and after them.
    fn module(first: &str, second: &str) -> Vec<u8> {
        let mut imports = vec![2];
        for (name, kind) in [(first, 7), (second, 200)] {
            put_text(&mut imports, "./app_bg.js");
            put_text(&mut imports, name);
            imports.push(0); // a function
            put_number(&mut imports, kind);
        }
        let mut out = b"\0asm\x01\0\0\0".to_vec();
        out.extend([1, 2, 9, 9]); // the types
        out.push(IMPORTS);
        put_number(&mut out, imports.len());
        out.extend(imports);
        out.extend([10, 1, 5]); // the code
        out
    }

    #[test]
    fn imports_have_short_names_on_both_sides_and_the_rest_is_as_it_was() {
        let (long, other) = (format!("__wbg_{}_1f", "x".repeat(140)), "__wbg_b_2f");
        let glue = format!(
            "/**\n * Says.\n */\nconst import0 = {{\n    // one\n    {long}: function() {{\n        return `a  b`;\n    }},\n\n    {other}: function() {{}},\n}};\n"
        );
        let (glue, squeezed) = squeeze(&glue, &module(&long, other)).unwrap();
        let expected =
            "const import0 = {\ni0: function() {\nreturn `a  b`;\n},\ni1: function() {},\n};\n";
        assert_eq!(glue, expected);
        assert_eq!(squeezed, module("i0", "i1"));
        let mut named = module("a", "b");
        named.extend([0, 5, 4, b'n', b'a', b'm', b'e']);
        assert_eq!(squeeze("{\na: 1\nb: 2\n", &named).unwrap().1, module("i0", "i1"));
    }

    #[test]
    fn what_is_not_as_expected_is_refused_and_not_broken() {
        let said = |glue: &str, module: &[u8]| squeeze(glue, module).unwrap_err().to_string();
        let ab = module("a", "b");
        assert!(said("a: 1", &ab).contains("expected the import a once"));
        assert!(said("`\n  text`", &ab).contains("templates of one line"));
        assert!(said("/* never", &ab).contains("has no end"));
        assert!(said("", &ab[..20]).contains("too early"));
        assert!(said("", b"PK").contains("no head"));
        assert!(said("", b"PKPKPKPK").contains("magic"));
    }
}
