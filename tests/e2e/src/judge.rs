//! Judges a screen: no text under 12 px, no overlapping or cut label, no sideways scroll, no control without a name, no
//! target under 44 px for a finger.

use crate::page::Page;
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// Roles of what a person operates: each needs a name.
const CONTROLS: &[&str] = &[
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "listbox",
    "option",
    "slider",
    "spinbutton",
    "checkbox",
    "radio",
    "radiogroup",
    "switch",
    "tab",
    "menuitem",
    "treeitem",
    "toolbar",
    "img",
    "image",
];

/// What is wrong with the screen that is shown in a window of that width.
pub async fn faults(page: &Page, width: u32) -> Result<Vec<String>> {
    let coarse = width < 720;
    let source = format!("const width = {width}, coarse = {coarse};\n{}", include_str!("judge.js"));
    let judged = page.js(&source).await?;
    let list = judged.as_array().context("the judge gives no list")?;
    let mut faults: Vec<String> =
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    // The accessibility tree follows the document with the frames: an old one would hide a fault.
    page.js("for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame)").await?;
    for node in page.tree().await? {
        if CONTROLS.contains(&node.role.as_str()) && node.name.trim().is_empty() {
            faults.push(format!("no name: a {}", node.role));
        }
    }
    Ok(faults)
}

/// Fails where a screen has faults.
pub async fn accept(page: &Page, screen: &str, width: u32) -> Result<()> {
    let faults = faults(page, width).await?;
    ensure!(faults.is_empty(), "{screen} at {width}:\n  {}", faults.join("\n  "));
    Ok(())
}
