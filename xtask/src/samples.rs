//! The samples of the gallery: `static/samples/manifest.toml` says which tables of `testdata/cassandra` are copied
//! beside the page, and `samples/index.json` tells the page what is there.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// Copies the listed tables from the repository to `to`, and writes the index of them.
///
/// The index: `{"samples": [{"name", "teaches", "keys": [{"name", "key", "row"?}], "sets": [{"format", "files":
/// [{"name", "bytes", "path"}]}]}]}`; `path` is relative to the index.
pub fn copy(repository: &Path, to: &Path) -> Result<()> {
    let listed = repository.join("static/samples/manifest.toml");
    let text = fs::read_to_string(&listed).with_context(|| listed.display().to_string())?;
    let manifest: toml::Table = text.parse().with_context(|| listed.display().to_string())?;
    let formats = texts(manifest.get("formats"), "formats")?;
    let samples = manifest
        .get("sample")
        .and_then(toml::Value::as_array)
        .context("manifest.toml lists no sample")?;
    let mut index = Vec::new();
    for sample in samples {
        let name = text_of(sample, "table")?;
        let sets: Vec<Value> = formats
            .iter()
            .map(|format| {
                copy_set(repository, to, name, format)
                    .with_context(|| format!("sample {name} {format}"))
            })
            .collect::<Result<_>>()?;
        index.push(json!({
            "name": name,
            "teaches": text_of(sample, "teaches")?,
            "keys": keys_of(sample).with_context(|| format!("sample {name}"))?,
            "sets": sets,
        }));
    }
    fs::write(to.join("index.json"), serde_json::to_string(&json!({ "samples": index }))?)?;
    Ok(())
}

/// Copies the components of one SSTable: what stands beside them (expected answers, schema) is for tests.
fn copy_set(repository: &Path, to: &Path, table: &str, format: &str) -> Result<Value> {
    let from = repository.join("testdata/cassandra").join(table).join(format);
    let target = to.join(table).join(format);
    fs::create_dir_all(&target)?;
    let mut names = Vec::new();
    for entry in fs::read_dir(&from).with_context(|| from.display().to_string())? {
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
        let bytes = fs::copy(from.join(&name), target.join(&name))?;
        files.push(
            json!({ "name": name, "bytes": bytes, "path": format!("{table}/{format}/{name}") }),
        );
    }
    Ok(json!({ "format": format, "files": files }))
}

fn keys_of(sample: &toml::Value) -> Result<Vec<Value>> {
    let keys = sample.get("keys").and_then(toml::Value::as_array).context("no keys")?;
    keys.iter()
        .map(|key| {
            let mut entry = Map::new();
            entry.insert("name".to_owned(), text_of(key, "name")?.into());
            entry.insert("key".to_owned(), text_of(key, "key")?.into());
            if key.get("row").is_some() {
                entry.insert("row".to_owned(), text_of(key, "row")?.into());
            }
            Ok(Value::Object(entry))
        })
        .collect()
}

fn text_of<'a>(table: &'a toml::Value, field: &str) -> Result<&'a str> {
    let value = table.get(field).and_then(toml::Value::as_str);
    value.with_context(|| format!("manifest.toml: expected a text `{field}` in {table}"))
}

fn texts(value: Option<&toml::Value>, field: &str) -> Result<Vec<String>> {
    let list = value
        .and_then(toml::Value::as_array)
        .with_context(|| format!("manifest.toml: no `{field}`"))?;
    list.iter()
        .map(|v| {
            Ok(v.as_str()
                .with_context(|| format!("`{field}`: expected texts, found {v}"))?
                .to_owned())
        })
        .collect()
}
