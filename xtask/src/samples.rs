//! The samples of the gallery: `static/samples/manifest.toml` says which tables of `testdata/cassandra` are copied
//! beside the page, and `samples/index.json` tells the page what is there.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the manifest lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The samples, in the order of the gallery.
    pub samples: Vec<Sample>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its name.
    pub name: String,
    /// Its formats, in the order of the page's lanes.
    pub formats: Vec<String>,
    /// Who wrote it, where no database did.
    pub writer: Option<String>,
    /// Where its files come from.
    pub origin: Origin,
    /// What it teaches, one line.
    pub teaches: String,
    /// Keys worth trying.
    pub keys: Vec<Key>,
    /// What is changed in its files.
    pub damage: Vec<Damage>,
}

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The name of the file.
    pub file: String,
    /// What is done to it.
    pub what: Harm,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// A bit is flipped.
    Flip {
        /// The position of its byte.
        at: u32,
        /// The bit, 0 is the lowest.
        bit: u32,
    },
    /// The file ends after so many bytes.
    Keep(u32),
}

/// Where the files of a sample come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A folder of `testdata/cassandra`.
    Table(String),
    /// The rows of a folder of `testdata/cassandra`, written in another version by this project's own writers.
    Twin {
        /// The folder of the table.
        table: String,
        /// The format that it is written from.
        of: String,
    },
    /// The page makes it when it is picked: a partition of so many rows, in blocks of so many bytes.
    Made {
        /// Rows.
        rows: u32,
        /// Bytes of a row block.
        block_bytes: u32,
    },
}

/// A key worth trying, as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// `present`, `absent`, `dead end` or `row`.
    pub name: String,
    /// The partition key.
    pub key: String,
    /// A clustering key in that partition.
    pub row: Option<String>,
}

/// Reads the manifest.
pub fn manifest(repository: &Path) -> Result<Manifest> {
    let path = repository.join("static/samples/manifest.toml");
    let read = || -> Result<Manifest> {
        let table: toml::Table = fs::read_to_string(&path)?.parse()?;
        let formats = formats(&table)?;
        let samples = list(table.get("sample"), "sample")?.iter();
        Ok(Manifest {
            samples: samples.map(|entry| sample(entry, &formats)).collect::<Result<_>>()?,
        })
    };
    read().with_context(|| path.display().to_string())
}

/// Copies the listed tables from the repository to `to`, and writes the index of them.
///
/// The index: `{"samples": [{"name", "teaches", "writer", "made": {"rows", "block_bytes"}, "keys": [{"name", "key",
/// "row"}], "sets": [{"format", "files": [{"name", "bytes", "path"}]}]}]}`; `writer`, `made` and `row` may be null, `path`
/// is relative to the index. What is made has no files.
pub fn copy(repository: &Path, to: &Path) -> Result<()> {
    let Manifest { samples } = manifest(repository)?;
    let mut index = Vec::new();
    for Sample { name, formats, writer, origin, teaches, keys, damage } in samples {
        let keys: Vec<Value> = keys
            .iter()
            .map(|Key { name, key, row }| json!({ "name": name, "key": key, "row": row }))
            .collect();
        let sets = formats
            .iter()
            .map(|format| match &origin {
                Origin::Table(table) => {
                    let from = repository.join("testdata/cassandra").join(table).join(format);
                    copy_set(&from, to, (&name, format), &damage)
                        .with_context(|| format!("sample {name} {format}"))
                }
                Origin::Twin { table, of } => {
                    let from = write_twin(repository, (table, of), format);
                    from.and_then(|from| copy_set(&from, to, (&name, format), &damage))
                        .with_context(|| format!("sample {name} {format}"))
                }
                Origin::Made { .. } => Ok(json!({ "format": format, "files": [] })),
            })
            .collect::<Result<Vec<Value>>>()?;
        let made = match origin {
            Origin::Table(_) | Origin::Twin { .. } => Value::Null,
            Origin::Made { rows, block_bytes } => {
                json!({ "rows": rows, "block_bytes": block_bytes })
            }
        };
        index.push(json!({ "name": name, "teaches": teaches, "writer": writer, "made": made, "keys": keys, "sets": sets }));
    }
    fs::write(to.join("index.json"), json!({ "samples": index }).to_string())?;
    Ok(())
}

/// Writes the rows of a table in another version with `triescope twin`; gives the folder.
fn write_twin(repository: &Path, (table, of): (&str, &str), version: &str) -> Result<PathBuf> {
    let from = repository.join("testdata/cassandra").join(table).join(of);
    let to = repository.join("target/samples").join(table).join(version);
    if to.exists() {
        fs::remove_dir_all(&to)?;
    }
    // Crates were fetched before the build began.
    let run = ["run", "--quiet", "--offline", "--locked", "--package", "triescope", "--"];
    let twin = Command::new("cargo")
        .current_dir(repository)
        .args(run)
        .arg("twin")
        .arg(&from)
        .args(["--as", version, "--out"])
        .arg(&to)
        .output()
        .context("cargo cannot be run")?;
    ensure!(twin.status.success(), "{}", String::from_utf8_lossy(&twin.stderr));
    Ok(to)
}

/// Copies the components of one SSTable: what stands beside them (expected answers, schema) is for tests.
fn copy_set(
    from: &Path,
    to: &Path,
    (table, format): (&str, &str),
    damage: &[Damage],
) -> Result<Value> {
    let target = to.join(table).join(format);
    fs::create_dir_all(&target)?;
    let mut names = Vec::new();
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let name = entry?.file_name().into_string().ok().context("a file name that is no UTF-8")?;
        if name.starts_with(&format!("{format}-")) {
            names.push(name);
        }
    }
    ensure!(
        !names.is_empty(),
        "{}: expected components named {format}-…, found none",
        from.display()
    );
    names.sort();
    let mut files = Vec::new();
    for name in names {
        let mut bytes = fs::read(from.join(&name))?;
        for change in damage.iter().filter(|change| change.file == name) {
            harm(&mut bytes, change)?;
        }
        fs::write(target.join(&name), &bytes)?;
        let path = format!("{table}/{format}/{name}");
        files.push(json!({ "name": name, "bytes": bytes.len(), "path": path }));
    }
    Ok(json!({ "format": format, "files": files }))
}

/// Changes the bytes of a file.
fn harm(bytes: &mut Vec<u8>, damage: &Damage) -> Result<()> {
    let Damage { file, what } = damage;
    match *what {
        Harm::Flip { at, bit } => {
            let byte = usize::try_from(at).ok().and_then(|at| bytes.get_mut(at));
            let byte = byte.with_context(|| format!("{file} has no byte {at}"))?;
            ensure!(bit < 8, "{file}: a byte has no bit {bit}");
            *byte ^= 1 << bit;
        }
        Harm::Keep(keep) => {
            let keep = usize::try_from(keep)?;
            ensure!(keep < bytes.len(), "{file} has no more than {keep} bytes");
            bytes.truncate(keep);
        }
    }
    Ok(())
}

fn damage(table: &toml::Table) -> Result<Vec<Damage>> {
    let Some(list) = table.get("damage") else { return Ok(Vec::new()) };
    let list = list.as_array().context("expected a list `damage`")?;
    let one = |entry: &toml::Value| {
        let what = match entry.get("keep") {
            Some(_) => Harm::Keep(count(entry, "keep")?),
            None => Harm::Flip { at: count(entry, "at")?, bit: count(entry, "bit")? },
        };
        Ok(Damage { file: field(entry, "file")?, what })
    };
    list.iter().map(one).collect()
}

fn formats(table: &toml::Table) -> Result<Vec<String>> {
    list(table.get("formats"), "formats")?.iter().map(|format| text("formats", format)).collect()
}

fn sample(entry: &toml::Value, usual: &[String]) -> Result<Sample> {
    let table = entry.as_table().context("expected a table `sample`")?;
    let origin = match table.get("made") {
        None => match table.get("twin_of") {
            None => Origin::Table(field(entry, "table")?),
            Some(of) => Origin::Twin { table: field(entry, "table")?, of: text("twin_of", of)? },
        },
        Some(made) => {
            Origin::Made { rows: count(made, "rows")?, block_bytes: count(made, "block_bytes")? }
        }
    };
    let name = match (table.get("name"), &origin) {
        (Some(name), _) => text("name", name)?,
        (None, Origin::Table(table)) => table.clone(),
        (None, Origin::Made { .. } | Origin::Twin { .. }) => {
            anyhow::bail!("expected a `name` in {entry}")
        }
    };
    let keys = list(table.get("keys"), "keys")?.iter().map(|entry| {
        let row = entry.get("row").map(|row| text("row", row)).transpose()?;
        Ok(Key { name: field(entry, "name")?, key: field(entry, "key")?, row })
    });
    Ok(Sample {
        name,
        formats: if table.contains_key("formats") { formats(table)? } else { usual.to_vec() },
        writer: table.get("writer").map(|writer| text("writer", writer)).transpose()?,
        origin,
        teaches: field(entry, "teaches")?,
        keys: keys.collect::<Result<_>>()?,
        damage: damage(table)?,
    })
}

fn count(table: &toml::Value, name: &str) -> Result<u32> {
    let value = table.get(name).and_then(toml::Value::as_integer);
    value
        .and_then(|value| u32::try_from(value).ok())
        .with_context(|| format!("expected a number `{name}` in {table}"))
}

fn field(table: &toml::Value, name: &str) -> Result<String> {
    text(name, table.get(name).with_context(|| format!("expected a `{name}` in {table}"))?)
}

fn text(name: &str, value: &toml::Value) -> Result<String> {
    Ok(value
        .as_str()
        .with_context(|| format!("{name}: expected a text, found {value}"))?
        .to_owned())
}

fn list<'a>(value: Option<&'a toml::Value>, name: &str) -> Result<&'a [toml::Value]> {
    Ok(value
        .and_then(toml::Value::as_array)
        .with_context(|| format!("expected a list `{name}`"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_a_pair_with_a_key_and_no_answers() {
        let to = crate::root().join("target/xtask-samples");
        fs::create_dir_all(&to).unwrap();
        copy(&crate::root(), &to).unwrap();
        let index: Value =
            serde_json::from_slice(&fs::read(to.join("index.json")).unwrap()).unwrap();
        let samples = index["samples"].as_array().unwrap();
        assert_eq!(samples.len(), manifest(&crate::root()).unwrap().samples.len());
        for sample in samples {
            assert_eq!(sample["keys"][0]["name"], "present", "{sample}");
            let formats = [&sample["sets"][0]["format"], &sample["sets"][1]["format"]];
            let scylla = sample["writer"].is_string();
            assert!(if scylla { formats[1] == "me" } else { formats == ["da", "oa"] }, "{sample}");
            for set in sample["sets"].as_array().unwrap() {
                for file in set["files"].as_array().unwrap() {
                    let copied = fs::metadata(to.join(file["path"].as_str().unwrap())).unwrap();
                    assert_eq!(Some(copied.len()), file["bytes"].as_u64(), "{file}");
                }
            }
            assert!(!sample.to_string().contains("expected.json"));
        }
        let damaged: Vec<Sample> = manifest(&crate::root())
            .unwrap()
            .samples
            .into_iter()
            .filter(|sample| !sample.damage.is_empty())
            .collect();
        assert!(damaged.len() >= 4);
        for Sample { name, origin, teaches, damage, .. } in damaged {
            assert!(teaches.starts_with("Damaged: "), "{name}");
            let Origin::Table(table) = origin else { panic!("{name} is made") };
            for Damage { file, what } in damage {
                let format = &file[..2];
                let whole = crate::root().join("testdata/cassandra").join(&table).join(format);
                let (whole, harmed) = (
                    fs::read(whole.join(&file)).unwrap(),
                    fs::read(to.join(&name).join(format).join(&file)).unwrap(),
                );
                match what {
                    Harm::Keep(keep) => assert_eq!(harmed, whole[..keep as usize], "{name}"),
                    Harm::Flip { at, bit } => {
                        let differ: Vec<usize> =
                            (0..whole.len()).filter(|at| whole[*at] != harmed[*at]).collect();
                        assert_eq!(differ, [at as usize], "{name}");
                        assert_eq!(whole[at as usize] ^ harmed[at as usize], 1 << bit, "{name}");
                    }
                }
            }
        }
        fs::remove_dir_all(&to).unwrap();
    }
}
