//! What Trunk calls when the page is built and before it becomes `dist/`: the workshop gets a name that changes with what
//! is in it, the policy gets the hash of the start script, and the samples are copied. So plain `trunk build --release`
//! gives the same `dist/` as `cargo xtask build`.

use crate::{root, samples, squeeze};
use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The word in the policy of `index.html` that stands for the hashes.
const PLACEHOLDER: &str = "START_HASH";
/// The word in `index.html` that stands for the name of the workshop's glue.
const WORKSHOP: &str = "WORKSHOP_GLUE";
/// The word in `index.html` that stands for the name of the boards' style sheet.
const BOARDS: &str = "BOARDS_STYLE";

/// `cargo xtask hook`
pub fn command(_args: &[String]) -> Result<()> {
    let staging = env::var_os("TRUNK_STAGING_DIR")
        .context("this is for Trunk, which names its folder in TRUNK_STAGING_DIR")?;
    let staging = PathBuf::from(staging);
    squeeze_page(&staging)?;
    let page = staging.join("index.html");
    let html = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    let html = with_name(&html, WORKSHOP, &name_workshop(&staging)?)?;
    let html = with_name(&html, BOARDS, &boards_style(&root(), &staging)?)?;
    let html = with_one_style(&html, &staging)?;
    fs::write(&page, with_hashes(&html)?)?;
    samples::copy(&root(), &staging.join("samples"))
}

/// Squeezes the page's own module and glue, whose names are in the page already and change with what is in them.
fn squeeze_page(staging: &Path) -> Result<()> {
    let name = |entry: std::io::Result<fs::DirEntry>| Some(entry.ok()?.file_name());
    let names: Vec<_> = fs::read_dir(staging)?.filter_map(name).collect();
    let find = |end: &str| {
        let is = |name: &str| name.starts_with("app-") && name.ends_with(end);
        let mut found = names.iter().filter_map(|name| name.to_str()).filter(|name| is(name));
        let first = found.next().with_context(|| format!("expected app-…{end}, found none"))?;
        ensure!(found.next().is_none(), "expected one app-…{end}, found several");
        Ok(staging.join(first))
    };
    squeeze_files(&find(".js")?, &find("_bg.wasm")?)
}

fn squeeze_files(glue: &Path, wasm: &Path) -> Result<()> {
    let text = fs::read_to_string(glue).with_context(|| glue.display().to_string())?;
    let module = fs::read(wasm).with_context(|| wasm.display().to_string())?;
    let (text, module) = squeeze::squeeze(&text, &module)?;
    fs::write(glue, text)?;
    Ok(fs::write(wasm, module)?)
}

/// Names the files of the workshop after what is in them, and gives the name of its glue. Trunk puts hashes into the names
/// of the page's own files only, and a cache would hand out an old workshop to a new page.
fn name_workshop(staging: &Path) -> Result<String> {
    let (wasm, glue) = (staging.join("workshop_bg.wasm"), staging.join("workshop.js"));
    squeeze_files(&glue, &wasm)?;
    let named = name_after(&fs::read(&wasm).with_context(|| wasm.display().to_string())?);
    let wasm_name = format!("workshop-{named}_bg.wasm");
    fs::rename(&wasm, staging.join(&wasm_name))?;
    let text = fs::read_to_string(&glue).with_context(|| glue.display().to_string())?;
    ensure!(
        text.contains("workshop_bg.wasm"),
        "workshop.js: expected the name workshop_bg.wasm, which it loads, found none"
    );
    let text = text.replace("workshop_bg.wasm", &wasm_name);
    let glue_name = format!("workshop-{}.js", name_after(text.as_bytes()));
    fs::write(staging.join(&glue_name), text)?;
    fs::remove_file(&glue)?;
    Ok(glue_name)
}

/// 16 hex digits that change with the bytes.
fn name_after(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Puts the name of a file into the page, in the place of a word.
fn with_name(html: &str, word: &str, name: &str) -> Result<String> {
    ensure!(
        html.matches(word).count() == 1,
        "index.html: expected `{word}` once, found it {} times",
        html.matches(word).count()
    );
    Ok(html.replace(word, name))
}

/// Writes the style sheet of the views that the workshop makes, which is loaded with the first of them; gives its name.
fn boards_style(root: &Path, staging: &Path) -> Result<String> {
    let folder = root.join("static/css/boards");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let mut style = String::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        style.push_str(&without_comments(&text));
    }
    let name = format!("boards-{}.css", name_after(style.as_bytes()));
    fs::write(staging.join(&name), style)?;
    Ok(name)
}

/// A style sheet without comments, indentation and empty lines.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, from)) = rest.split_once("/*") {
        out.push_str(before);
        rest = from.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.lines().map(str::trim).filter(|line| !line.is_empty()).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    )
}

/// Puts all style sheets into one, which compresses to two thirds of what they do one by one.
fn with_one_style(html: &str, staging: &Path) -> Result<String> {
    let (mut out, mut rest, mut style) = (String::new(), html, String::new());
    let mut place = None;
    while let Some((before, from_tag)) = rest.split_once("<link") {
        let (tag, after) = from_tag.split_once('>').context("index.html: a link has no end")?;
        out.push_str(before);
        rest = after;
        let words: Vec<&str> = tag.split_ascii_whitespace().collect();
        let is_style = words.iter().any(|word| word.contains("stylesheet"));
        let href = words.iter().find_map(|word| word.strip_prefix("href="));
        let Some(href) = href.filter(|_| is_style) else {
            out.push_str(&format!("<link{tag}>"));
            continue;
        };
        let file = staging.join(href.trim_matches('"').trim_start_matches("./"));
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        style.push_str(&text);
        fs::remove_file(&file)?;
        place = place.or(Some(out.len()));
    }
    out.push_str(rest);
    let place = place.context("index.html: expected a style sheet, found none")?;
    let name = format!("style-{}.css", name_after(style.as_bytes()));
    fs::write(staging.join(&name), style)?;
    out.insert_str(place, &format!("<link rel=\"stylesheet\" href=\"./{name}\">"));
    Ok(out)
}

/// Puts the hash of every script without a source into the policy.
fn with_hashes(html: &str) -> Result<String> {
    ensure!(
        html.matches(PLACEHOLDER).count() == 1,
        "index.html: expected `{PLACEHOLDER}` once, in its policy, found it {} times",
        html.matches(PLACEHOLDER).count()
    );
    ensure!(
        !html.contains("<style"),
        "index.html: the policy allows no inline style sheet, found one"
    );
    let hashes: Vec<String> = inline_scripts(html)?
        .into_iter()
        .map(|script| format!("'sha256-{}'", base64(&Sha256::digest(script.as_bytes()))))
        .collect();
    ensure!(
        !hashes.is_empty(),
        "index.html: expected Trunk's start script, found no script without a source"
    );
    Ok(html.replace(PLACEHOLDER, &hashes.join(" ")))
}

/// The text of every script that has no `src`.
fn inline_scripts(html: &str) -> Result<Vec<&str>> {
    let mut scripts = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find("<script") {
        let (_, from_tag) = rest.split_at(start);
        let Some((tag, body)) = from_tag.split_once('>') else {
            bail!("index.html: a script tag has no end")
        };
        let Some((text, after)) = body.split_once("</script>") else {
            bail!("index.html: a script has no end")
        };
        let has_source = tag.split_ascii_whitespace().any(|word| word.starts_with("src="));
        if !has_source {
            scripts.push(text);
        }
        rest = after;
    }
    Ok(scripts)
}

/// Base64 with padding, as policies want it.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        let coded = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(coded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn the_policy_gets_the_hash_of_each_inline_script_and_of_no_other() {
        let html = "<meta content=\"script-src 'self' START_HASH\"><script src=a.js></script><script type=module>alert(1)</script>";
        // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
        let hash = "bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=";
        assert_eq!(
            with_hashes(html).unwrap(),
            html.replace("START_HASH", &format!("'sha256-{hash}'"))
        );
    }

    #[test]
    fn a_style_sheet_keeps_its_rules() {
        let text = "/* a\n b */\n.a { x: 1; } /* c */\n\n  .b {\n    y: 2;\n  }\n/* open";
        assert_eq!(without_comments(text), ".a { x: 1; }\n.b {\ny: 2;\n}\n");
    }

    #[test]
    fn a_page_the_policy_would_break_is_refused() {
        let cases = [
            ("<script>1</script>", "expected `START_HASH` once"),
            ("START_HASH", "found no script"),
            ("START_HASH<style>a{}</style><script>1</script>", "inline style"),
            ("START_HASH<script>1", "has no end"),
        ];
        for (html, expected) in cases {
            let error = with_hashes(html).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
