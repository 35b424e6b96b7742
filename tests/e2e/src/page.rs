//! The page as a person meets it: things by role and name, pointer, keyboard, files; and waiting for what comes.

use crate::keys::Key;
use crate::session::Session;
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xtask::say::Stopwatch;

/// How long something may take to come before a test fails: generous, since machines under test are loaded.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The window of a laptop, in CSS pixels.
pub const WIDE: (u32, u32) = (1440, 900);
/// The window of a tablet.
pub const MIDDLE: (u32, u32) = (820, 1180);
/// The window of a phone.
pub const NARROW: (u32, u32) = (390, 844);

/// The page in a session.
pub struct Page {
    /// The session below.
    pub session: Session,
    url: String,
    scripts: Vec<String>,
    errors_expected: bool,
}

/// A node of the accessibility tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its role: `button`, `textbox`, `combobox`, `link`, …
    pub role: String,
    /// Its accessible name.
    pub name: String,
    /// What it says its value is, empty without one.
    pub value: String,
    properties: Value,
    backend: u64,
}

impl Node {
    /// A state such as `checked`, `pressed`, `disabled`, `expanded`, `focused`, as text; empty where it has none.
    pub fn state(&self, name: &str) -> String {
        let list = self.properties.as_array().map(Vec::as_slice).unwrap_or_default();
        let value = list.iter().find(|p| p["name"] == name).map(|p| &p["value"]["value"]);
        value
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .unwrap_or_default()
    }
}

impl Page {
    /// Nothing is opened yet.
    pub fn new(session: Session, url: String) -> Page {
        Page { session, url, scripts: Vec::new(), errors_expected: false }
    }

    /// Makes the browser as if it had just started: wide, light, nothing stored, nothing logged.
    pub async fn reset(&mut self) -> Result<()> {
        for script in std::mem::take(&mut self.scripts) {
            self.session
                .cdp("Page.removeScriptToEvaluateOnNewDocument", json!({ "identifier": script }))
                .await?;
        }
        self.errors_expected = false;
        self.session.client.goto("about:blank").await?;
        let origin = url::Url::parse(&self.url)?.origin().ascii_serialization();
        self.session
            .cdp("Storage.clearDataForOrigin", json!({ "origin": origin, "storageTypes": "all" }))
            .await?;
        self.size(WIDE).await?;
        self.theme("light").await?;
        self.session.take_log().await?;
        Ok(())
    }

    /// Opens the page at a fragment, as `#/s/p20k/lookup?key=17021`; empty for the start. Always a fresh load.
    pub async fn open(&self, fragment: &str) -> Result<()> {
        // Without this a change of the fragment alone would not load the page again.
        self.session.client.goto("about:blank").await?;
        self.session.client.goto(&format!("{}{fragment}", self.url)).await?;
        Ok(())
    }

    /// The address that is shown, after the page's own path: `#/s/p20k/overview`.
    pub async fn fragment(&self) -> Result<String> {
        let url = self.session.client.current_url().await?;
        Ok(url.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default())
    }

    /// Sets the size of the window in CSS pixels; below 720 it becomes a phone with a coarse pointer.
    pub async fn size(&self, (width, height): (u32, u32)) -> Result<()> {
        let phone = width < 720;
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.session.cdp("Emulation.setDeviceMetricsOverride", metrics).await?;
        self.session.cdp("Emulation.setTouchEmulationEnabled", json!({ "enabled": phone })).await?;
        Ok(())
    }

    /// The theme that the system asks for: `light` or `dark`.
    pub async fn theme(&self, theme: &str) -> Result<()> {
        self.media(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "no-preference")])
            .await
    }

    /// What the system asks for, by media feature.
    pub async fn media(&self, features: &[(&str, &str)]) -> Result<()> {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.session.cdp("Emulation.setEmulatedMedia", json!({ "features": features })).await?;
        Ok(())
    }

    /// Runs a script in every page that is opened from now on, before the page's own.
    pub async fn add_script(&mut self, source: &str) -> Result<()> {
        let added = self
            .session
            .cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }))
            .await?;
        self.scripts
            .push(added["identifier"].as_str().context("the script has no identifier")?.to_owned());
        Ok(())
    }

    /// Runs the body of a function in the page and gives what it returns; a promise is awaited.
    pub async fn js(&self, body: &str) -> Result<Value> {
        let expression = format!("(async () => {{ {body} }})()");
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let sent = self.session.cdp("Runtime.evaluate", params).await?;
        if let Some(thrown) = sent.get("exceptionDetails") {
            bail!(
                "script failed: {}",
                thrown["exception"]["description"].as_str().unwrap_or("without words")
            );
        }
        Ok(sent["result"]["value"].clone())
    }

    /// All the text that is shown.
    pub async fn text(&self) -> Result<String> {
        Ok(self.js("return document.body.innerText").await?.as_str().unwrap_or_default().to_owned())
    }

    /// Asks again until there is an answer; the failure names what never came.
    pub async fn wait_for<T>(
        &self,
        what: &str,
        ask: impl AsyncFn() -> Result<Option<T>>,
    ) -> Result<T> {
        self.wait_at_most(PATIENCE, what, ask).await
    }

    /// [`Page::wait_for`] with its own limit.
    pub async fn wait_at_most<T>(
        &self,
        patience: Duration,
        what: &str,
        ask: impl AsyncFn() -> Result<Option<T>>,
    ) -> Result<T> {
        let watch = Stopwatch::start();
        loop {
            let last = match ask().await {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => None,
                Err(error) => Some(error),
            };
            if watch.elapsed() > patience {
                let late = anyhow!("after {} s this has not come: {what}", patience.as_secs());
                return Err(last.map_or(late, |error| error.context(format!("waiting for {what}"))));
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Waits until the page shows a text.
    pub async fn wait_for_text(&self, text: &str) -> Result<()> {
        self.wait_for(&format!("the text {text:?}"), async || {
            Ok(self.text().await?.contains(text).then_some(()))
        })
        .await
    }

    /// Everything a screen reader meets, in reading order.
    pub async fn tree(&self) -> Result<Vec<Node>> {
        let tree = self.session.cdp("Accessibility.getFullAXTree", json!({})).await?;
        let nodes = tree["nodes"].as_array().context("no accessibility tree")?;
        Ok(nodes.iter().filter(|node| node["ignored"] != true).filter_map(node_of).collect())
    }

    /// The things of a role, now.
    pub async fn all(&self, role: &str) -> Result<Vec<Node>> {
        Ok(self.tree().await?.into_iter().filter(|node| node.role == role).collect())
    }

    /// Waits for the one thing of that role and name.
    pub async fn find(&self, role: &str, name: &str) -> Result<Node> {
        self.find_where(role, &format!("{name:?}"), |found| found == name).await
    }

    /// Waits for the first thing of that role whose name holds a text.
    pub async fn find_like(&self, role: &str, part: &str) -> Result<Node> {
        self.find_where(role, &format!("a name with {part:?}"), |found| found.contains(part)).await
    }

    async fn find_where(
        &self,
        role: &str,
        what: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Node> {
        let what = format!("{role} {what}");
        self.wait_for(&what, async || {
            Ok(self.all(role).await?.into_iter().find(|node| fits(&node.name)))
        })
        .await
    }

    /// Waits for the thing and clicks it with the pointer.
    pub async fn click(&self, role: &str, name: &str) -> Result<()> {
        let node = self.find(role, name).await?;
        self.click_node(&node).await.with_context(|| format!("click {role} {name:?}"))
    }

    /// Clicks the middle of a thing.
    pub async fn click_node(&self, node: &Node) -> Result<()> {
        let (x, y) = self.middle(node).await?;
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let held = if kind == "mouseMoved" { "none" } else { "left" };
            let event = json!({ "type": kind, "x": x, "y": y, "button": held, "clickCount": 1 });
            self.session.cdp("Input.dispatchMouseEvent", event).await?;
        }
        Ok(())
    }

    /// The middle of a thing in the window, scrolled to if need be.
    pub async fn middle(&self, node: &Node) -> Result<(f64, f64)> {
        let id = json!({ "backendNodeId": node.backend });
        self.session.cdp("DOM.scrollIntoViewIfNeeded", id.clone()).await?;
        let quads = self.session.cdp("DOM.getContentQuads", id).await?;
        let quad: Vec<f64> = quads["quads"][0]
            .as_array()
            .context("it is not shown")?
            .iter()
            .filter_map(Value::as_f64)
            .collect();
        ensure!(quad.len() == 8, "it has no corners");
        let mean = |offset: usize| quad.iter().skip(offset).step_by(2).sum::<f64>() / 4.0;
        Ok((mean(0), mean(1)))
    }

    /// Puts the keyboard focus on a thing.
    pub async fn focus(&self, role: &str, name: &str) -> Result<()> {
        let node = self.find(role, name).await?;
        self.session.cdp("DOM.focus", json!({ "backendNodeId": node.backend })).await?;
        Ok(())
    }

    /// The thing that has the keyboard focus.
    pub async fn focused(&self) -> Result<Option<Node>> {
        let focused: Vec<Node> =
            self.tree().await?.into_iter().filter(|node| node.state("focused") == "true").collect();
        Ok(focused.into_iter().rfind(|node| node.role != "RootWebArea"))
    }

    /// Presses and releases a key.
    pub async fn press(&self, key: Key) -> Result<()> {
        for event in key.events() {
            self.session.cdp("Input.dispatchKeyEvent", event).await?;
        }
        Ok(())
    }

    /// Types a text into what has the focus, key by key.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        for letter in text.chars() {
            self.press(Key::Char(letter)).await?;
        }
        Ok(())
    }

    /// Replaces what stands in a field.
    pub async fn fill(&self, role: &str, name: &str, text: &str) -> Result<()> {
        self.focus(role, name).await?;
        self.press(Key::SelectAll).await?;
        if text.is_empty() {
            return self.press(Key::Delete).await;
        }
        self.type_text(text).await
    }

    /// Drags files or folders from outside over the upper part of the window and drops them there.
    pub async fn drop_files(&self, files: &[PathBuf]) -> Result<()> {
        let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = json!({ "type": kind, "x": 190, "y": 300, "data": data });
            self.session.cdp("Input.dispatchDragEvent", event).await?;
        }
        Ok(())
    }

    /// Gives files, or a folder, to a file input. Inputs that a button stands for are hidden, so this one goes by
    /// its kind: `webkitdirectory` or not.
    pub async fn choose(&self, folder: bool, files: &[&Path]) -> Result<()> {
        let css = if folder {
            "input[type=file][webkitdirectory]"
        } else {
            "input[type=file]:not([webkitdirectory])"
        };
        let input = self.session.client.find(fantoccini::Locator::Css(css)).await?;
        let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        Ok(input.send_keys(&paths.join("\n")).await?)
    }

    /// From now on errors in the browser's log are what the test is about.
    pub fn expect_errors(&mut self) {
        self.errors_expected = true;
    }

    /// Fails when the browser has logged an error that nobody expected.
    pub async fn no_errors_logged(&self) -> Result<()> {
        let mut severe = self.session.take_log().await?;
        severe.retain(|entry| entry.level == "SEVERE");
        ensure!(
            severe.is_empty() || self.errors_expected,
            "errors in the browser's log: {severe:#?}"
        );
        Ok(())
    }

    /// A picture of the window as PNG.
    pub async fn picture(&self) -> Result<Vec<u8>> {
        Ok(self.session.client.screenshot().await?)
    }

    /// What a person needs to see why a test failed: a picture, and the log.
    pub async fn evidence(&self, name: &str) -> Result<String> {
        let log = self.session.take_log().await?;
        let folder = xtask::root().join("target/e2e");
        std::fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{}.png", name.replace("::", "-")));
        std::fs::write(&file, self.picture().await?)?;
        Ok(format!(
            "picture in {}; at {}; the log says {log:?}",
            file.display(),
            self.fragment().await?
        ))
    }
}

fn node_of(node: &Value) -> Option<Node> {
    let text = |field: &str| {
        let value = &node[field]["value"];
        value.as_str().map_or_else(
            || if value.is_null() { String::new() } else { value.to_string() },
            str::to_owned,
        )
    };
    let backend = node["backendDOMNodeId"].as_u64()?;
    Some(Node {
        role: text("role"),
        name: text("name"),
        value: text("value"),
        properties: node["properties"].clone(),
        backend,
    })
}
