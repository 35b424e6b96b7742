//! Finding one's way: the one box, and what is selected in every view.

use anyhow::{Context as _, Result, ensure};
use triescope_e2e::keys::Key;
use triescope_e2e::page::Page;
use triescope_e2e::run::Suite;
use triescope_e2e::suite;

/// Its tests.
pub fn suite() -> Suite {
    suite!("exploring":
        the_box_says_what_it_understood_and_leads_there, the_box_says_what_is_wrong, the_box_goes_on_enter_before_it_has_answered,
        what_is_selected_in_one_view_is_selected_in_all, a_page_is_read_by_keyboard, a_finding_leads_to_its_byte_and_a_repair_is_tried,
        the_map_leads_to_a_page_and_the_page_to_its_neighbours, every_view_stays_with_damage, values_are_copied)
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

async fn what_is_selected_in_one_view_is_selected_in_all(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/page?byte=124476").await?;
    page.wait_for_text("SPARSE_12 at 124,446").await?;
    page.address_has("node=124446").await?;
    page.press(Key::Char('4')).await?;
    page.address_has("/trie?").await?;
    page.wait_for_text("SPARSE_12, 65 children").await?;
    page.address_has("404f").await?;
    page.press(Key::Char('3')).await?;
    page.address_has("/page?").await?;
    page.wait_for_text("SPARSE_12 at 124,446").await?;
    // A lookup keeps it too.
    page.press(Key::Char('2')).await?;
    page.race_is_there().await?;
    page.press(Key::Escape).await?;
    page.press(Key::Char('3')).await?;
    page.wait_for_text("SPARSE_12 at 124,446").await
}

async fn a_page_is_read_by_keyboard(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/page?part=Partitions&page=30&node=124446").await?;
    page.wait_for_text("SPARSE_12 at 124,446").await?;
    page.press(Key::Right).await?;
    page.address_has("byte=124447").await?;
    page.press(Key::Char('p')).await?;
    page.address_has("page=39").await?;
    page.wait_for_text("DENSE_24 at").await?;
    page.session.client.back().await?;
    page.address_has("page=30").await?;
    page.wait_for_text("at 124,446").await?;
    page.press(Key::Char(']')).await?;
    page.wait_for_text("Page 31").await?;
    page.press(Key::Char('x')).await?;
    page.wait_for_text("at 0x1f3bf").await?;
    page.press(Key::Char('m')).await?;
    page.address_has("as=map").await?;
    // The help tells what the view itself has told.
    page.press(Key::Char('?')).await?;
    page.wait_for_text("In this view").await
}

async fn a_finding_leads_to_its_byte_and_a_repair_is_tried(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k-flipped/findings").await?;
    page.wait_for_text("expected").await?;
    page.click("link", "Search for the bit").await?;
    page.wait_for_text("One flipped bit explains it").await?;
    page.wait_for_text("32,067").await?;
    page.click("link", "Try it in memory").await?;
    page.address_has("try=").await?;
    page.wait_for_text("changed in memory").await?;
    page.click("link", "Back to the file").await?;
    page.wait_for_text("Try it in memory").await?;
    page.click("link", "Open page 7").await?;
    page.address_has("/page?").await?;
    page.address_has("part=Partitions").await
}

async fn the_map_leads_to_a_page_and_the_page_to_its_neighbours(page: &mut Page) -> Result<()> {
    page.open("#/s/p100k_text/page?as=map&part=Partitions&page=254").await?;
    page.wait_for_text("1,322 B").await?;
    page.press(Key::Left).await?;
    page.address_has("page=253").await?;
    page.press(Key::Enter).await?;
    page.wait_for_text("Page 253").await?;
    page.click("link", "Page after").await?;
    page.wait_for_text("Page 254").await?;
    page.click("link", "Why it ends here").await?;
    page.address_has("/packing?").await?;
    page.wait_for_text("page 254").await
}

async fn every_view_stays_with_damage(page: &mut Page) -> Result<()> {
    for sample in [
        "p20k-flipped",
        "wide_int-flipped",
        "p1000-entry",
        "p1000-sample",
        "p5k_uuid-chunk",
        "p5k_uuid-cut",
    ] {
        for view in
            ["page", "page?as=map", "page?as=legacy", "page?as=rows", "trie", "findings", "packing"]
        {
            page.open(&format!("#/s/{sample}/{view}")).await?;
            let said = page.wait_for("something to see", async || {
                let shown = page.js("return document.querySelector('.pk > .keyrow, .pk > .nolook')?.textContent ?? ''").await?;
                Ok(shown.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned))
            });
            said.await.with_context(|| format!("{sample} {view}"))?;
        }
    }
    Ok(())
}

async fn values_are_copied(page: &mut Page) -> Result<()> {
    page.open("#/s/p20k/page?part=Partitions&page=30&node=124446").await?;
    page.wait_for_text("SPARSE_12 at 124,446").await?;
    page.click("button", "Copy offset").await?;
    page.wait_for_text("Value copied").await
}
