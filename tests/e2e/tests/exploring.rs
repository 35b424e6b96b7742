//! Finding one's way: the one box, and what is selected in every view.

use anyhow::{Result, ensure};
use triescope_e2e::keys::Key;
use triescope_e2e::page::Page;
use triescope_e2e::run::Suite;
use triescope_e2e::suite;

/// Its tests.
pub fn suite() -> Suite {
    suite!("exploring":
        the_box_says_what_it_understood_and_leads_there, the_box_says_what_is_wrong, the_box_goes_on_enter_before_it_has_answered)
}

async fn open_box(page: &Page, text: &str) -> Result<()> {
    page.press(Key::Char('/')).await?;
    page.wait_for("the focus in the box", async || {
        Ok(page.focused().await?.filter(|node| node.role == "combobox").map(drop))
    })
    .await?;
    page.type_text(text).await
}

async fn the_box_says_what_it_understood_and_leads_there(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/overview").await?;
    page.wait_for_text("162,365 B").await?;
    for (text, words, to) in [
        ("17021", "look up key 17021", "/lookup?key=17021"),
        ("page 30", "page 30 of Partitions.db", "part=Partitions&page=30"),
        ("data:92505", "the partition that holds Data.db 92,505, key 17021", "key=17021"),
        ("hex:404f", "40 4f at ", "part=Partitions&"),
        (">trie", "go to Trie", "/trie"),
    ] {
        open_box(page, text).await?;
        page.find_like("option", words).await?;
        page.press(Key::Enter).await?;
        page.address_has(to).await?;
    }
    // The other meanings are a choice.
    open_box(page, "30").await?;
    page.find_like("option", "page 30 of").await?;
    for _ in 0..3 {
        page.press(Key::Down).await?;
    }
    page.press(Key::Enter).await?;
    page.address_has("page=30").await
}

async fn the_box_says_what_is_wrong(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/overview").await?;
    page.wait_for_text("162,365 B").await?;
    let before = page.fragment().await?;
    open_box(page, "page 4000").await?;
    page.wait_for_text("has pages 0 to 39").await?;
    page.press(Key::Enter).await?;
    ensure!(page.fragment().await? == before, "it went somewhere");
    page.press(Key::Escape).await?;
    page.wait_for("the box to close", async || {
        let open = page.js("return !!document.querySelector('dialog[open]')").await?;
        Ok((open == false).then_some(()))
    })
    .await
}

async fn the_box_goes_on_enter_before_it_has_answered(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/overview").await?;
    page.wait_for_text("162,365 B").await?;
    open_box(page, "@124446").await?;
    page.press(Key::Enter).await?;
    page.address_has("124446").await
}
