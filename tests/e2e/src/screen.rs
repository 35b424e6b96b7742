//! What the screens of this page show, in the words that a test needs: lists, rows of tables, the step, the address.

use crate::page::{Node, Page};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// A line of a list of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its words.
    pub text: String,
    /// Whether it is the step that is shown.
    pub current: bool,
}

impl Page {
    /// Opens the page at a fragment and waits until a lookup stands there with its answer.
    pub async fn open_race(&self, fragment: &str) -> Result<()> {
        self.open(fragment).await?;
        self.race_is_there().await
    }

    /// Waits until a lookup stands there with steps in a lane.
    pub async fn race_is_there(&self) -> Result<()> {
        self.wait_for("steps of a lookup", async || {
            let steps = self.steps("Trie").await?.len() + self.steps("Legacy").await?.len();
            Ok((steps > 0 && self.position().await?.is_some()).then_some(()))
        })
        .await
    }

    /// The list of steps of a lane, `Trie` or `Legacy`; empty while there is none.
    pub async fn steps(&self, lane: &str) -> Result<Vec<Line>> {
        let source = format!(
            "const lists = [...document.querySelectorAll('section, [role=region]')];
            const list = lists.find((one) => (one.getAttribute('aria-label') || '').startsWith('{lane}') && one.querySelector('li'));
            return [...(list?.querySelectorAll('li') || [])].map((li) => [li.innerText.replace(/\\s+/g, ' ').trim(), li.getAttribute('aria-current') === 'step']);"
        );
        let lines = self.js(&source).await?;
        let line = |pair: &Value| Line {
            text: pair[0].as_str().unwrap_or_default().to_owned(),
            current: pair[1] == true,
        };
        Ok(lines.as_array().map(|lines| lines.iter().map(line).collect()).unwrap_or_default())
    }

    /// The step that is shown and the number of steps, as the transport says it: `Step 12 of 29`.
    pub async fn position(&self) -> Result<Option<(u32, u32)>> {
        // The accessibility tree gives the slider's number; the words are what a screen reader speaks.
        let said = self.js("return document.querySelector('input[aria-label=Step]')?.getAttribute('aria-valuetext') || ''").await?;
        Ok(step_in(said.as_str().unwrap_or_default()))
    }

    /// Waits for a step.
    pub async fn at_step(&self, step: u32) -> Result<()> {
        self.wait_for(&format!("step {step}"), async || {
            Ok(self.position().await?.filter(|(at, _)| *at == step).map(drop))
        })
        .await
    }

    /// The cells of the first table row whose head begins with a text.
    pub async fn row(&self, head: &str) -> Result<Vec<String>> {
        let source = format!(
            "const row = [...document.querySelectorAll('tr')].find((tr) => tr.cells[0]?.innerText.trim().startsWith({head:?}));
            return [...(row?.cells || [])].slice(1).map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim());"
        );
        let cells = self.js(&source).await?;
        let cells: Vec<String> = cells
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        ensure!(!cells.is_empty(), "there is no table row that begins with {head:?}");
        Ok(cells)
    }

    /// Waits until a table row has these cells.
    pub async fn row_is(&self, head: &str, cells: &[&str]) -> Result<()> {
        let what = format!("{head:?} with {cells:?}");
        self.wait_for(&what, async || {
            let found = self.row(head).await?;
            ensure!(found == cells, "found {found:?}");
            Ok(Some(()))
        })
        .await
    }

    /// Waits until the address has a part.
    pub async fn address_has(&self, part: &str) -> Result<()> {
        self.wait_for(&format!("{part:?} in the address"), async || {
            let fragment = self.fragment().await?;
            ensure!(fragment.contains(part), "the address is {fragment}");
            Ok(Some(()))
        })
        .await
    }

    /// What is said to a screen reader now.
    pub async fn said(&self) -> Result<String> {
        let said = self.js("return [...document.querySelectorAll('[role=status], [aria-live=polite]')].map((one) => one.textContent.trim()).join(' ')").await?;
        Ok(said.as_str().unwrap_or_default().to_owned())
    }

    /// The key box.
    pub async fn key_box(&self) -> Result<Node> {
        self.find_like("combobox", "Partition key").await
    }

    /// Types a key into the key box and looks it up.
    pub async fn look_up(&self, key: &str) -> Result<()> {
        let key_box = self.key_box().await?;
        self.fill("combobox", &key_box.name, key).await?;
        self.press(crate::keys::Key::Enter).await
    }

    /// The colour of the ground, as the browser computes it: tells the themes apart.
    pub async fn ground(&self) -> Result<String> {
        let ground = self.js("return getComputedStyle(document.body).backgroundColor").await?;
        Ok(ground.as_str().context("no ground")?.to_owned())
    }
}

/// The numbers in the first `step 12 of 29` of a text, whatever its case.
fn step_in(text: &str) -> Option<(u32, u32)> {
    let lower = text.to_lowercase();
    lower.match_indices("step ").find_map(|(at, word)| {
        let mut words = lower.get(at + word.len()..)?.split_whitespace();
        let step = words.next()?.parse().ok()?;
        let of = words.next()? == "of";
        let all = words.next()?.trim_end_matches([',', '.']).parse().ok()?;
        of.then_some((step, all))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_is_found_in_a_text() {
        assert_eq!(step_in("Trie\nStep 12 of 29, fetch"), Some((12, 29)));
        assert_eq!(step_in("one step back\nstep 3 of 3"), Some((3, 3)));
        assert_eq!(step_in("No steps"), None);
    }
}
