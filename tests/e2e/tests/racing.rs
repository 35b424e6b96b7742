//! The lookup: what it costs, stepping through it by pointer and keyboard, links that restore it, and keys of all sorts.

use anyhow::{Result, ensure};
use triescope_e2e::keys::Key;
use triescope_e2e::page::Page;
use triescope_e2e::run::Suite;
use triescope_e2e::suite;

/// Its tests.
pub fn suite() -> Suite {
    suite!("racing":
        a_present_key_costs_what_the_reader_reads, steps_go_forward_and_back, a_link_restores_the_exact_step,
        keys_are_looked_up_as_they_are_typed, a_key_that_does_not_fit_is_explained, an_absent_key_ends_at_a_leaf_or_a_dead_end,
        the_filter_stops_both, a_row_of_a_wide_partition_is_found, the_readers_are_told_apart, a_warm_cache_costs_less,
        going_back_returns_to_the_last_key, the_keyboard_alone_is_enough, the_theme_can_be_switched_and_stays,
        nothing_moves_when_the_system_asks_for_stillness, the_steps_can_be_copied)
}

const SCYLLA: &str = "#/s/p20k/lookup?key=17021&reader=scylla&cache=cold";

async fn a_present_key_costs_what_the_reader_reads(page: &mut Page) -> Result<()> {
    page.open_race(SCYLLA).await?;
    page.row_is("Page fetches", &["2", "5"]).await?;
    page.row_is("Bytes fetched", &["6,717 B", "20,480 B"]).await?;
    let legacy = page.steps("Legacy").await?;
    ensure!(legacy.iter().any(|line| line.text.contains("1,867")), "{legacy:#?}");
    page.wait_for_text("92,505").await
}

async fn steps_go_forward_and_back(page: &mut Page) -> Result<()> {
    page.open_race(SCYLLA).await?;
    let (last, all) = page.wait_for("the position", async || page.position().await).await?;
    ensure!(last == all, "a lookup opens at its last step, not at {last} of {all}");
    page.click("button", "First step").await?;
    let (first, _) = page
        .wait_for("an early step", async || Ok(page.position().await?.filter(|(at, _)| *at < 2)))
        .await?;
    page.click("button", "Step").await?;
    page.at_step(first + 1).await?;
    page.click("button", "Step").await?;
    page.at_step(first + 2).await?;
    page.click("button", "Step back").await?;
    page.at_step(first + 1).await?;
    page.click("button", "Last step").await?;
    page.at_step(all).await?;
    page.click("button", "First step").await?;
    page.at_step(first).await?;
    page.click("button", "Play").await?;
    page.at_step(all).await
}

async fn a_link_restores_the_exact_step(page: &mut Page) -> Result<()> {
    page.open_race(SCYLLA).await?;
    page.press(Key::Home).await?;
    for _ in 0..7 {
        page.press(Key::Right).await?;
    }
    page.address_has("t=").await?;
    // The address is written at most four times a second.
    let step = page
        .wait_for("the step after seven presses", async || {
            Ok(page.position().await?.filter(|(at, _)| *at >= 7))
        })
        .await?;
    let before = (
        Some(step),
        page.said().await?,
        current(page, "Trie").await?,
        current(page, "Legacy").await?,
    );
    let link = page
        .wait_for("an address that no longer changes", async || {
            let before = page.fragment().await?;
            tokio::time::sleep(std::time::Duration::from_millis(400)).await;
            Ok((before == page.fragment().await?).then_some(before))
        })
        .await?;
    page.open_race(&link).await?;
    let after = (
        page.position().await?,
        page.said().await?,
        current(page, "Trie").await?,
        current(page, "Legacy").await?,
    );
    ensure!(after == before, "{after:?} instead of {before:?}");
    ensure!(page.fragment().await? == link, "the address became {}", page.fragment().await?);
    Ok(())
}

async fn current(page: &Page, lane: &str) -> Result<Option<usize>> {
    Ok(page.steps(lane).await?.iter().position(|line| line.current))
}

async fn keys_are_looked_up_as_they_are_typed(page: &mut Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=0").await?;
    page.look_up("17021").await?;
    page.address_has("key=17021").await?;
    page.wait_for_text("92,505").await?;
    // The same key as bytes.
    page.look_up("0x0000427d").await?;
    page.address_has("key=0x0000427d").await?;
    page.wait_for_text("92,505").await?;
    page.open_race("#/s/composite_pk/lookup?key=(-18,%20'name-170')").await?;
    page.look_up("-18:'name-170'").await?;
    page.address_has("key=-18:").await?;
    page.race_is_there().await
}

async fn a_key_that_does_not_fit_is_explained(page: &mut Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=17021").await?;
    page.look_up("17x21").await?;
    page.wait_for_text("17x21").await?;
    page.wait_for_text("2147483647").await.or(page.wait_for_text("2,147,483,647").await)?;
    let key_box = page.key_box().await?;
    ensure!(key_box.state("invalid") == "true", "the box does not say that it is wrong");
    Ok(())
}

async fn an_absent_key_ends_at_a_leaf_or_a_dead_end(page: &mut Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=17021").await?;
    page.click("button", "absent").await?;
    page.address_has("key=22300").await?;
    page.address_has("filter=off").await?;
    page.wait_for_text("hash byte").await?;
    page.click("button", "dead end").await?;
    page.address_has("key=20000").await?;
    page.wait_for_text("no child for 0xe1, between 0xda and 0xe2").await?;
    page.row_is("Page fetches", &["2", "1"]).await
}

async fn the_filter_stops_both(page: &mut Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=20000&cache=cold").await?;
    page.row_is("Page fetches", &["0", "0"]).await?;
    page.wait_for_text("Filter.db").await
}

async fn a_row_of_a_wide_partition_is_found(page: &mut Page) -> Result<()> {
    page.open_race("#/s/wide_int/lookup?key=1&ck=4228").await?;
    page.wait_for_text("Rows.db").await?;
    let row = page
        .find_like("combobox", "Clustering key")
        .await
        .or(page.find_like("textbox", "Clustering key").await)?;
    ensure!(row.value == "4228", "the box has {:?}", row.value);
    let trie = page.steps("Trie").await?;
    ensure!(trie.iter().any(|line| line.text.to_lowercase().contains("block")), "{trie:#?}");
    Ok(())
}

async fn the_readers_are_told_apart(page: &mut Page) -> Result<()> {
    page.open_race(SCYLLA).await?;
    page.row_is("Page fetches", &["2", "5"]).await?;
    page.wait_for_text("11 samples").await?;
    page.wait_for_text("the file’s own has 157").await?;
    page.click("radio", "Cassandra").await?;
    page.address_has("reader=cassandra").await?;
    page.row_is("Page fetches", &["2", "1"]).await
}

async fn a_warm_cache_costs_less(page: &mut Page) -> Result<()> {
    page.open_race(SCYLLA).await?;
    page.click("radio", "warm").await?;
    page.address_has("cache=65536").await?;
    page.look_up("17022").await?;
    page.look_up("17021").await?;
    page.address_has("warm=").await?;
    page.wait_for("fewer fetches than cold", async || {
        let cells = page.row("Page fetches").await?;
        Ok((cells.first().map(String::as_str) < Some("2")).then_some(()))
    })
    .await
}

async fn going_back_returns_to_the_last_key(page: &mut Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=17021").await?;
    page.look_up("42").await?;
    page.address_has("key=42").await?;
    page.race_is_there().await?;
    page.press(Key::Escape).await?;
    // Steps are no places of their own.
    page.press(Key::Home).await?;
    page.press(Key::Right).await?;
    page.session.client.back().await?;
    page.address_has("key=17021").await?;
    page.wait_for_text("92,505").await
}

async fn the_keyboard_alone_is_enough(page: &mut Page) -> Result<()> {
    page.open("").await?;
    page.find_like("link", "p20k").await?;
    tab_to(page, "p20k").await?;
    page.press(Key::Enter).await?;
    page.address_has("#/s/p20k/overview").await?;
    page.wait_for_text("162,365 B").await?;
    page.press(Key::Char('2')).await?;
    page.address_has("#/s/p20k/lookup").await?;
    page.press(Key::Char('/')).await?;
    page.wait_for("the focus in the key box", async || {
        Ok(page.focused().await?.filter(|node| node.role == "combobox").map(drop))
    })
    .await?;
    page.press(Key::SelectAll).await?;
    page.type_text("17021").await?;
    page.press(Key::Enter).await?;
    page.address_has("key=17021").await?;
    page.race_is_there().await?;
    page.press(Key::Escape).await?;
    let (_, all) = page.wait_for("the position", async || page.position().await).await?;
    page.press(Key::Home).await?;
    let (first, _) = page
        .wait_for("an early step", async || Ok(page.position().await?.filter(|(at, _)| *at < 2)))
        .await?;
    page.press(Key::Right).await?;
    page.at_step(first + 1).await?;
    page.press(Key::Left).await?;
    page.at_step(first).await?;
    page.press(Key::End).await?;
    page.at_step(all).await?;
    page.press(Key::Char(',')).await?;
    page.wait_for("the last fetch", async || {
        Ok(page.position().await?.filter(|(at, _)| *at < all))
    })
    .await?;
    page.press(Key::Char('.')).await?;
    page.press(Key::Char(' ')).await?;
    page.at_step(all).await?;
    page.press(Key::Char('3')).await?;
    page.press(Key::Char('?')).await?;
    page.find_like("dialog", "eys").await?;
    page.press(Key::Escape).await?;
    page.wait_for("no help", async || Ok(page.all("dialog").await?.is_empty().then_some(())))
        .await?;
    page.press(Key::Char('1')).await?;
    page.address_has("#/s/p20k/overview").await
}

/// Presses Tab until the focus is on something whose name begins with a text.
async fn tab_to(page: &Page, name: &str) -> Result<()> {
    let mut seen = Vec::new();
    for _ in 0..40 {
        page.press(Key::Tab).await?;
        let focused = page.focused().await?;
        if focused.as_ref().is_some_and(|node| node.name.starts_with(name)) {
            return Ok(());
        }
        seen.extend(focused.map(|node| node.name));
    }
    anyhow::bail!("Tab never came to {name:?}, only to {seen:?}")
}

async fn the_theme_can_be_switched_and_stays(page: &mut Page) -> Result<()> {
    page.open_race(SCYLLA).await?;
    let light = page.ground().await?;
    page.theme("dark").await?;
    let dark = page
        .wait_for("a dark ground", async || {
            Ok(Some(page.ground().await?).filter(|ground| *ground != light))
        })
        .await?;
    // The page's own choice goes before the system's.
    let chosen = page
        .wait_for("the light theme in a dark system", async || {
            page.press(Key::Char('t')).await?;
            Ok(Some(page.ground().await?).filter(|ground| *ground == light))
        })
        .await?;
    page.open_race(SCYLLA).await?;
    ensure!(page.ground().await? == chosen && chosen != dark, "the theme did not stay");
    Ok(())
}

async fn nothing_moves_when_the_system_asks_for_stillness(page: &mut Page) -> Result<()> {
    page.media(&[("prefers-reduced-motion", "reduce"), ("prefers-color-scheme", "light")]).await?;
    page.open_race(SCYLLA).await?;
    page.press(Key::Home).await?;
    page.press(Key::Char(' ')).await?;
    let moving = page
        .js("const moving = new Set();
            for (let frame = 0; frame < 30; frame++) {
                await new Promise(requestAnimationFrame);
                for (const one of document.getAnimations()) if (one.effect.getComputedTiming().duration > 1) moving.add(one.transitionProperty || one.animationName);
            }
            return [...moving];")
        .await?;
    ensure!(moving == serde_json::json!([]), "these move: {moving}");
    Ok(())
}

async fn the_steps_can_be_copied(page: &mut Page) -> Result<()> {
    let grant =
        serde_json::json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    page.session.cdp("Browser.grantPermissions", grant).await?;
    page.open_race(SCYLLA).await?;
    page.click("button", "copy text of the steps of both lanes").await?;
    let text =
        page.wait_for("the steps on the clipboard", async || copied(page, "92,505").await).await?;
    ensure!(text.lines().count() > 20, "{text}");
    page.click("button", "JSON of the steps of both lanes, to copy").await?;
    let json = page.wait_for("the steps as JSON", async || copied(page, "{").await).await?;
    let parsed: serde_json::Value = serde_json::from_str(&json)?;
    ensure!(parsed.to_string().contains("92505"), "{parsed}");
    Ok(())
}

async fn copied(page: &Page, part: &str) -> Result<Option<String>> {
    let text = page.js("return await navigator.clipboard.readText()").await?;
    Ok(text.as_str().filter(|text| text.contains(part)).map(str::to_owned))
}
