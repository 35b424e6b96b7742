//! The packing: stepping through a writer, jumps, both writers, keys of one's own, links that restore what they show.

use anyhow::{Result, ensure};
use triescope_e2e::keys::Key;
use triescope_e2e::page::Page;
use triescope_e2e::run::Suite;
use triescope_e2e::suite;

/// Its tests.
pub fn suite() -> Suite {
    suite!("packing":
        a_file_is_packed_as_it_is, steps_and_pages_go_forward_and_back, a_jump_leads_to_page_byte_and_padding,
        the_first_difference_of_both_writers_is_a_link, a_row_trie_can_be_packed, keys_are_packed_as_they_are_typed,
        a_link_holds_two_thousand_bytes_of_keys, going_back_returns_to_the_last_writer, the_keyboard_is_enough_for_the_packing,
        the_decisions_can_be_copied, files_of_a_legacy_index_alone_are_packed_as_a_trie)
}

const STEP: &str = "#/s/p20k/packing?writer=cassandra&step=51";

async fn a_file_is_packed_as_it_is(page: &mut Page) -> Result<()> {
    page.open(STEP).await?;
    page.wait_for_text("Page 7 has 650 B left. Of 211 waiting subtrees 172 fit").await?;
    page.wait_for_text("no difference").await?;
    page.row_is("Subtrees written", &["46 of 256"]).await?;
    page.row_is("Waiting in memory", &["124,389 B"]).await?;
    ensure!(page.fragment().await? == STEP, "the address became {}", page.fragment().await?);
    let said = page.said().await?;
    ensure!(said.contains("goes in"), "{said}");
    // Every picture has its twin, with the same numbers.
    page.js("document.querySelectorAll('.pk details').forEach((one) => one.open = true)").await?;
    page.row_is("a7", &["649", "this step"]).await
}

async fn steps_and_pages_go_forward_and_back(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/packing").await?;
    let (at, of) = board(page).await?;
    ensure!(at == of && of > 200, "it opens at its last step, not at {at} of {of}");
    page.wait_for_text("The root comes last").await?;
    page.click("button", "First step").await?;
    page.at_step(1).await?;
    page.click("button", "Step").await?;
    page.at_step(2).await?;
    page.address_has("step=2").await?;
    page.click("button", "Next page").await?;
    page.wait_for_text("Page 1 is empty").await?;
    page.press(Key::Char(']')).await?;
    page.wait_for_text("Page 2 is empty").await?;
    page.press(Key::Char(',')).await?;
    page.wait_for_text("Page 1 is empty").await?;
    page.click("button", "Last step").await?;
    page.at_step(of).await?;
    page.click("button", "First step").await?;
    page.at_step(1).await?;
    page.click("button", "4×").await?;
    page.click("button", "Play").await?;
    page.wait_for("it to play on", async || {
        Ok(page.position().await?.filter(|(at, _)| *at > 5).map(drop))
    })
    .await?;
    page.click("button", "Pause").await
}

/// The step that is shown and the number of steps, once there is a board.
async fn board(page: &Page) -> Result<(u32, u32)> {
    page.wait_for("a board", async || Ok(page.position().await?.filter(|(_, of)| *of > 0))).await
}

async fn a_jump_leads_to_page_byte_and_padding(page: &mut Page) -> Result<()> {
    page.open(STEP).await?;
    page.wait_for_text("650 B left").await?;
    for (typed, words) in [
        ("page 30", "Page 30 is empty"),
        ("@32118", "the greatest, a7 with 649 B"),
        ("padding 7", "zeros fill the page"),
        ("step 3", "goes in"),
    ] {
        page.fill("textbox", "Go to", typed).await?;
        page.press(Key::Enter).await?;
        page.wait_for_text(words).await?;
    }
    page.at_step(3).await?;
    page.fill("textbox", "Go to", "page 99").await?;
    page.press(Key::Enter).await?;
    page.wait_for_text("This trie has no page 99: expected 0 to 39.").await?;
    page.at_step(3).await
}

async fn the_first_difference_of_both_writers_is_a_link(page: &mut Page) -> Result<()> {
    page.open("#/packing?make=prefix&n=2000&writer=both&step=1").await?;
    let link = page.find_like("link", "Go there").await?;
    let at: u32 = link.name.chars().filter(char::is_ascii_digit).collect::<String>().parse()?;
    page.click_node(&link).await?;
    page.at_step(at).await?;
    page.address_has(&format!("step={at}")).await?;
    page.find("heading", "Cassandra").await.or(page.find_like("heading", "Cassandra").await)?;
    page.find_like("heading", "ScyllaDB").await?;
    Ok(())
}

async fn a_row_trie_can_be_packed(page: &mut Page) -> Result<()> {
    page.open("#/s/wide_int/packing").await?;
    page.wait_for_text("How the writer packed Partitions.db").await?;
    page.click("link", "Rows.db").await?;
    page.wait_for_text("How the writer packed Rows.db").await?;
    page.address_has("rows=").await?;
    page.wait_for_text("no difference").await
}

async fn keys_are_packed_as_they_are_typed(page: &mut Page) -> Result<()> {
    page.open("").await?;
    page.click("link", "Type keys of your own").await?;
    page.address_has("#/packing?keys=").await?;
    page.wait_for_text("Key 1 is the first").await?;
    page.fill("textbox", "Keys, one a line", "pear").await?;
    page.wait_for_text("The root comes last").await?;
    page.row_is("Keys", &["1"]).await?;
    page.press(Key::Enter).await?;
    page.type_text("plum").await?;
    page.row_is("Keys", &["2"]).await?;
    // The caret stays in the box while boards come and go.
    let focused = page.focused().await?.map(|node| node.name);
    ensure!(focused.as_deref() == Some("Keys, one a line"), "the focus is on {focused:?}");
    page.press(Key::Enter).await?;
    page.type_text("pear").await?;
    page.wait_for_text("1 line repeats another one").await?;
    page.row_is("Keys", &["2"]).await?;
    put(page, "").await?;
    page.wait_for_text("No key yet").await?;
    page.click("link", "UUIDs").await?;
    page.address_has("make=uuids").await?;
    page.row_is("Keys", &["1,000"]).await
}

async fn a_link_holds_two_thousand_bytes_of_keys(page: &mut Page) -> Result<()> {
    let keys: Vec<String> = (0..200).map(|n| format!("key-{n:05}")).collect();
    let text = keys.join("\n");
    page.open("#/packing").await?;
    page.find("textbox", "Keys, one a line").await?;
    put(page, &text).await?;
    page.row_is("Keys", &["200"]).await?;
    let link = page.fragment().await?;
    ensure!(link.contains("key-00199"), "{link}");
    page.open(&link).await?;
    page.row_is("Keys", &["200"]).await?;
    let shown = page.js("return document.querySelector('#keys').value").await?;
    ensure!(shown == text.as_str(), "the box has {shown}");
    put(page, &format!("{text}\none more key")).await?;
    page.wait_for_text("A link holds 2,000 B of keys").await?;
    page.row_is("Keys", &["201"]).await?;
    let link = page.fragment().await?;
    ensure!(!link.contains("keys="), "{link}");
    Ok(())
}

/// Puts a text into the box for keys at once, as pasting does.
async fn put(page: &Page, text: &str) -> Result<()> {
    let source = format!(
        "const box = document.querySelector('#keys');
        box.value = {text:?};
        box.dispatchEvent(new InputEvent('input', {{ bubbles: true }}))"
    );
    page.js(&source).await.map(drop)
}

async fn going_back_returns_to_the_last_writer(page: &mut Page) -> Result<()> {
    page.open(STEP).await?;
    page.wait_for_text("650 B left").await?;
    page.press(Key::Right).await?;
    page.at_step(52).await?;
    page.click("link", "ScyllaDB, chains").await?;
    page.address_has("writer=scylla").await?;
    page.wait_for_text("as ScyllaDB would pack them").await?;
    page.at_step(52).await?;
    // Steps are no places of their own.
    page.press(Key::Right).await?;
    page.at_step(53).await?;
    page.session.client.back().await?;
    page.address_has("writer=cassandra").await?;
    page.wait_for_text("no difference").await?;
    page.at_step(52).await
}

async fn the_keyboard_is_enough_for_the_packing(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/overview").await?;
    page.wait_for_text("162,365 B").await?;
    page.press(Key::Char('5')).await?;
    page.address_has("/packing").await?;
    let (_, of) = board(page).await?;
    page.press(Key::Home).await?;
    page.at_step(1).await?;
    page.press(Key::Right).await?;
    page.at_step(2).await?;
    page.press(Key::Char('.')).await?;
    page.wait_for_text("Page 1 is empty").await?;
    page.press(Key::Char('g')).await?;
    page.wait_for("the focus in the box", async || {
        Ok(page.focused().await?.filter(|node| node.name == "Go to").map(drop))
    })
    .await?;
    page.type_text("page 7").await?;
    page.press(Key::Enter).await?;
    page.wait_for_text("Page 7 is empty").await?;
    page.press(Key::Escape).await?;
    page.focus("link", "Both").await?;
    page.press(Key::Enter).await?;
    page.address_has("writer=both").await?;
    page.press(Key::End).await?;
    page.at_step(of).await?;
    page.press(Key::Char('?')).await?;
    page.wait_for_text("go to a page, position or step").await
}

async fn the_decisions_can_be_copied(page: &mut Page) -> Result<()> {
    let grant =
        serde_json::json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    page.session.cdp("Browser.grantPermissions", grant).await?;
    page.open(STEP).await?;
    page.wait_for_text("650 B left").await?;
    page.click("button", "copy text").await?;
    let text = page
        .wait_for("the decisions on the clipboard", async || {
            let text = page.js("return await navigator.clipboard.readText()").await?;
            Ok(text.as_str().filter(|text| text.contains("a7 with 649 B")).map(str::to_owned))
        })
        .await?;
    ensure!(text.lines().count() > 290, "{text:.200}");
    Ok(())
}

async fn files_of_a_legacy_index_alone_are_packed_as_a_trie(page: &mut Page) -> Result<()> {
    let scratch = triescope_e2e::files::Scratch::new("ten_partitions")?.set("ten_partitions/oa")?;
    page.open("").await?;
    page.find_like("link", "token_edges").await?;
    page.drop_files(&scratch.files()?).await?;
    page.address_has("/overview").await?;
    page.press(Key::Char('5')).await?;
    page.wait_for_text("The trie that would be built from Index.db").await
}
