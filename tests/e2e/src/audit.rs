//! An audit of accessibility by axe-core, which lies in `tests/e2e/axe` as it was published, with its licences.

use crate::page::Page;
use anyhow::{Context as _, Result};
use serde_json::Value;

const AXE: &str = include_str!("../axe/axe.min.js");

/// What is seriously wrong with what is shown: the rule, what it says, and where.
pub async fn faults(page: &Page) -> Result<Vec<String>> {
    if page.js("return typeof window.axe").await? != "object" {
        page.js(AXE).await?;
    }
    let found = page
        .js("const { violations } = await axe.run(document, { resultTypes: ['violations'] });
             return violations.filter(it => ['serious', 'critical'].includes(it.impact)).flatMap(it =>
                 it.nodes.slice(0, 3).map(node => `${it.id}: ${it.help}: ${node.html.slice(0, 160)}`));")
        .await?;
    let list = found.as_array().context("the audit gives no list")?;
    Ok(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}
