//! Judges the colours: contrast of every pair of tokens that meet, and whether the kinds of nodes stay apart for people
//! who see colours differently.

use crate::page::Page;
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;

/// What everything stands on.
const GROUNDS: &[&str] = &["bg", "surface", "sunken"];
/// Colours of text: 4.5 on every ground.
const TEXTS: &[&str] = &["ink", "ink-2", "ink-3", "trie", "legacy", "bad", "warn", "good"];
/// Text on tinted grounds: 4.5.
const TINTED: &[(&str, &str)] = &[
    ("trie", "trie-soft"),
    ("legacy", "legacy-soft"),
    ("bad", "bad-soft"),
    ("warn", "warn-soft"),
    ("good", "good-soft"),
    ("ink", "payload-soft"),
    ("ink", "trie-soft"),
    ("ink", "legacy-soft"),
    ("ink-2", "trie-soft"),
    ("ink-2", "legacy-soft"),
    ("ink-on", "trie"),
    ("ink-on", "legacy"),
    ("ink-on", "bad"),
];
/// Colours of marks: 3 on every ground.
const MARKS: &[&str] = &[
    "f-leaf",
    "f-single",
    "f-sparse",
    "f-dense",
    "f-long",
    "payload",
    "meta",
    "line-2",
    "hatch",
    "page-edge",
    "focus",
];
/// Colours that must be told from each other.
const FAMILIES: &[&str] = &["f-leaf", "f-single", "f-sparse", "f-dense", "f-long"];
/// The two indexes: as well.
const INDEXES: &[&str] = &["trie", "legacy"];
/// Least distance in Oklab of colours that must be told apart.
const APART: f64 = 0.07;

/// How linear light changes for people with one kind of cone missing (Machado and others, 2009, full severity).
const SIGHTS: &[(&str, Matrix)] = &[
    ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "deuteranope",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "protanope",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "tritanope",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

type Matrix = [[f64; 3]; 3];
type Light = [f64; 3];

/// The colours in use, by token name, as linear light.
pub type Tokens = BTreeMap<String, Light>;

/// Reads the tokens as the page has them now.
pub async fn tokens(page: &Page) -> Result<Tokens> {
    let pairs = TINTED.iter().flat_map(|(text, ground)| [*text, *ground]);
    let names: Vec<&str> = GROUNDS.iter().chain(TEXTS).chain(MARKS).copied().chain(pairs).collect();
    let names = serde_json::to_string(&names)?;
    let source = format!(
        "const root = getComputedStyle(document.documentElement);
        return Object.fromEntries({names}.map((name) => [name, root.getPropertyValue('--' + name).trim()]));"
    );
    let read = page.js(&source).await?;
    let mut tokens = Tokens::new();
    for (name, value) in read.as_object().context("no tokens")? {
        let value = value.as_str().unwrap_or_default();
        tokens.insert(
            name.clone(),
            light(value).with_context(|| format!("--{name}: expected #rrggbb, found {value:?}"))?,
        );
    }
    Ok(tokens)
}

/// What is wrong with the colours.
pub fn faults(tokens: &Tokens) -> Vec<String> {
    let mut faults = Vec::new();
    let mut need =
        |text: &str, ground: &str, least: f64| match (tokens.get(text), tokens.get(ground)) {
            (Some(a), Some(b)) if ratio(*a, *b) >= least => {}
            (Some(a), Some(b)) => faults
                .push(format!("{text} on {ground}: expected {least}, found {:.2}", ratio(*a, *b))),
            _ => faults.push(format!("{text} on {ground}: there is no such token")),
        };
    for ground in GROUNDS {
        TEXTS.iter().for_each(|text| need(text, ground, 4.5));
        MARKS.iter().for_each(|mark| need(mark, ground, 3.0));
    }
    TINTED.iter().for_each(|(text, ground)| need(text, ground, 4.5));
    for (sight, matrix) in SIGHTS {
        for set in [FAMILIES, INDEXES] {
            for (at, a) in set.iter().enumerate() {
                for b in set.iter().skip(at + 1) {
                    let (Some(x), Some(y)) = (tokens.get(*a), tokens.get(*b)) else { continue };
                    let distance = distance(oklab(seen(matrix, *x)), oklab(seen(matrix, *y)));
                    if distance < APART {
                        faults.push(format!("{a} and {b} for {sight} eyes: expected {APART} apart, found {distance:.3}"));
                    }
                }
            }
        }
    }
    faults
}

/// `#rrggbb` or `#rgb` as linear light.
pub fn light(text: &str) -> Option<Light> {
    let hex = text.strip_prefix('#')?;
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let bytes: [u32; 3] = match digits.as_slice() {
        [r, g, b] => [r * 17, g * 17, b * 17],
        [r1, r2, g1, g2, b1, b2] => [r1 * 16 + r2, g1 * 16 + g2, b1 * 16 + b2],
        _ => return None,
    };
    Some(bytes.map(|byte| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    }))
}

/// Contrast of two colours as WCAG defines it, 1 to 21.
pub fn ratio(a: Light, b: Light) -> f64 {
    let luminance = |[r, g, b]: Light| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn seen(matrix: &Matrix, light: Light) -> Light {
    matrix.map(|row| {
        row.iter().zip(light).map(|(share, part)| share * part).sum::<f64>().clamp(0.0, 1.0)
    })
}

fn oklab([r, g, b]: Light) -> [f64; 3] {
    let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
    let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
    let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
    [
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    ]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_has_the_known_values() {
        let of = |a: &str, b: &str| ratio(light(a).unwrap(), light(b).unwrap());
        assert!((of("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        // The grey that is known as the lightest with 4.5 on white.
        assert!((of("#767676", "#fff") - 4.54).abs() < 0.01);
        assert!(light("blue").is_none() && light("#12345").is_none());
    }

    #[test]
    fn pale_text_and_families_of_one_colour_are_found() {
        let grey = light("#808080").unwrap();
        let mut tokens: Tokens = FAMILIES.iter().map(|name| ((*name).to_owned(), grey)).collect();
        tokens.insert("bg".to_owned(), light("#ffffff").unwrap());
        tokens.insert("ink".to_owned(), light("#999999").unwrap());
        let faults = faults(&tokens);
        assert!(faults.contains(&"ink on bg: expected 4.5, found 2.85".to_owned()), "{faults:?}");
        assert!(
            faults.iter().any(|fault| fault.starts_with("f-leaf and f-long for protanope eyes")),
            "{faults:?}"
        );
    }
}
