//! Twins: one format alone races against an index that is built in the tab; row blocks of another size; a sample that is
//! made; and what is said where nothing can be built.

use anyhow::{Result, ensure};
use std::time::Duration;
use triescope_e2e::files::Scratch;
use triescope_e2e::keys::Key;
use triescope_e2e::other::WORKERS;
use triescope_e2e::page::Page;
use triescope_e2e::run::Suite;
use triescope_e2e::suite;

/// Its tests.
pub fn suite() -> Suite {
    suite!("twins":
        a_trie_alone_races_against_its_twin, a_legacy_index_alone_races_against_its_twin, a_link_keeps_the_steps_of_both_lanes,
        workers_are_started_when_they_are_needed_and_from_here, a_workshop_that_dies_is_replaced,
        row_blocks_of_another_size_cost_other_pages, the_block_size_is_chosen_by_keyboard,
        a_made_sample_fetches_the_pages_of_the_public_trace, making_a_sample_can_be_stopped, building_a_twin_can_be_stopped,
        without_data_there_is_a_sentence_and_the_rest_goes_on, damage_in_data_is_a_sentence_and_the_rest_goes_on,
        what_is_too_large_is_refused_with_the_estimate, what_takes_long_is_asked_first)
}

/// A million rows take a while on a slow machine.
const LONG: Duration = Duration::from_secs(180);

/// Opens files and goes to the lookup of a key.
async fn look_up_in(page: &Page, scratch: &Scratch, query: &str) -> Result<()> {
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.address_has("/overview").await?;
    go_to(page, query).await
}

async fn go_to(page: &Page, query: &str) -> Result<()> {
    let address = page.fragment().await?;
    let (path, _) = address.split_once("/overview").unwrap_or((address.as_str(), ""));
    page.js(&format!("location.hash = {:?}", format!("{path}/lookup?{query}"))).await?;
    page.race_is_there().await
}

/// The pages of a file that a lane fetched, in order.
async fn fetched(page: &Page, lane: &str, file: &str) -> Result<Vec<u64>> {
    let digits = |text: &str| -> Option<u64> {
        let number: String =
            text.chars().filter(|c| *c != ',').take_while(char::is_ascii_digit).collect();
        number.parse().ok()
    };
    let steps = page.steps(lane).await?;
    let fetches = steps.iter().filter(|step| step.text.contains(&format!("Fetch {file} page ")));
    Ok(fetches.filter_map(|step| digits(step.text.split_once(" page ")?.1)).collect())
}

/// Chooses a block size, by the value of its option; the keyboard has a test of its own.
async fn choose(page: &Page, bytes: &str) -> Result<()> {
    page.find("combobox", "Block size").await?;
    page.js(&format!(
        "const select = document.querySelector('select[aria-label=\"Block size\"]'); select.value = '{bytes}'; \
         select.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ))
    .await
    .map(drop)
}

async fn a_trie_alone_races_against_its_twin(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("alone")?.set("p20k/da")?;
    look_up_in(page, &scratch, "key=17021&reader=cassandra").await?;
    page.wait_for_text("from Partitions.db and Rows.db, with keys from Data.db.").await?;
    // As with the real `oa` files of these rows.
    page.row_is("Page fetches", &["2", "1"]).await?;
    page.wait_for_text("92,505").await?;
    let address = page.fragment().await?;
    ensure!(address.starts_with("#/l/da-1-bti.162365.") && !address.contains('+'), "{address}");
    page.press(Key::Char('1')).await?;
    page.wait_for_text("Legacy, twin").await?;
    page.wait_for_text("The legacy index is a twin, oa-1-big, built in").await?;
    page.row_is("Page fetches, cold, mean", &["1.99", "1.17"]).await
}

async fn a_legacy_index_alone_races_against_its_twin(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("legacy")?.set("p20k/oa")?;
    look_up_in(page, &scratch, "key=17021&reader=scylla").await?;
    page.wait_for_text("from Index.db alone.").await?;
    page.row_is("Page fetches", &["2", "5"]).await?;
    page.row_is("Bytes fetched", &["6,717 B", "20,480 B"]).await
}

async fn a_link_keeps_the_steps_of_both_lanes(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("steps")?.set("p20k/da")?;
    look_up_in(page, &scratch, "key=17021&reader=cassandra&t=4&l=3").await?;
    page.wait_for_text("Twin, built in").await?;
    page.wait_for("both lanes", async || {
        let cells = page.row("Page fetches").await?;
        Ok(cells.iter().all(|cell| cell.chars().any(|c| c.is_ascii_digit())).then_some(()))
    })
    .await?;
    page.address_has("t=4&l=3").await
}

async fn workers_are_started_when_they_are_needed_and_from_here(page: &mut Page) -> Result<()> {
    let loaded = "return performance.getEntriesByType('resource').filter(one => one.name.includes('/workshop')).length";
    page.add_script(WORKERS).await?;
    page.open("").await?;
    page.find_like("link", "p20k").await?;
    let workers = "return workers.all.length";
    ensure!(page.js(workers).await? == 0, "the start page needs no worker");
    ensure!(page.js(loaded).await? == 0, "the start page loads nothing of them");
    page.open_race("#/s/p20k/lookup?key=17021").await?;
    ensure!(page.js(workers).await? == 1, "a pair needs no workshop");
    let scratch = Scratch::new("needed")?.set("p20k/da")?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("The legacy index is a twin").await?;
    ensure!(page.js(workers).await? == 2, "{}", page.js(workers).await?);
    let others = "return performance.getEntriesByType('resource').map(one => one.name).filter(name => !name.startsWith(location.origin) && !name.startsWith('blob:' + location.origin))";
    let others = page.js(others).await?;
    ensure!(others.as_array().is_some_and(Vec::is_empty), "{others}");
    Ok(())
}

async fn a_workshop_that_dies_is_replaced(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("died")?.set("wide_int/da")?.set("wide_int/oa")?;
    page.add_script(WORKERS).await?;
    look_up_in(page, &scratch, "key=1&ck=4228&block=1024").await?;
    page.wait_for_text("formed again of 1024 bytes").await?;
    let before = page.js("return workers.all.length").await?.as_u64().unwrap_or(0);
    page.js("workers.fail()").await?;
    choose(page, "4096").await?;
    page.wait_for_text("formed again of 4096 bytes").await?;
    let after = page.js("return workers.all.length").await?.as_u64().unwrap_or(0);
    ensure!(after > before, "expected another worker than the {before} before, found {after}");
    Ok(())
}

async fn row_blocks_of_another_size_cost_other_pages(page: &mut Page) -> Result<()> {
    page.open_race("#/s/wide_int/lookup?key=1&ck=4228&cache=cold").await?;
    let own = page.row("Bytes fetched").await?;
    choose(page, "65536").await?;
    page.address_has("block=65536").await?;
    page.wait_for_text("formed again of 65536 bytes").await?;
    page.wait_for("another cost", async || {
        Ok((page.row("Bytes fetched").await? != own).then_some(()))
    })
    .await?;
    choose(page, "1024").await?;
    page.address_has("block=1024").await?;
    page.wait_for_text("formed again of 1024 bytes").await?;
    page.js("history.back()").await?;
    page.address_has("block=65536").await?;
    page.wait_for_text("formed again of 65536 bytes").await?;
    page.js("history.back()").await?;
    no_block(page).await?;
    page.wait_for(
        "their cost",
        async || Ok((page.row("Bytes fetched").await? == own).then_some(())),
    )
    .await
}

async fn no_block(page: &Page) -> Result<()> {
    page.wait_for("the blocks of the files", async || {
        Ok((!page.fragment().await?.contains("block=")).then_some(()))
    })
    .await
}

async fn the_block_size_is_chosen_by_keyboard(page: &mut Page) -> Result<()> {
    page.open_race("#/s/wide_int/lookup?key=1&ck=4228&cache=cold").await?;
    page.focus("combobox", "Block size").await?;
    page.press(Key::Down).await?;
    page.address_has("block=1024").await?;
    page.wait_for_text("formed again of 1024 bytes").await?;
    page.press(Key::Up).await?;
    no_block(page).await
}

async fn a_made_sample_fetches_the_pages_of_the_public_trace(page: &mut Page) -> Result<()> {
    page.open("#/s/wide-1m/lookup?key=0&ck=654386&block=1024").await?;
    page.wait_at_most(LONG, "formed again of 1024 bytes", async || {
        Ok(page.text().await?.contains("formed again of 1024 bytes").then_some(()))
    })
    .await?;
    page.wait_for("the pages of the trace at 1 KiB", async || {
        Ok((fetched(page, "Trie", "Rows.db").await? == [488, 486, 285]).then_some(()))
    })
    .await?;
    // The public trace of 64 KiB is of another row.
    choose(page, "65536").await?;
    page.wait_at_most(LONG, "the pages of this row at 64 KiB", async || {
        Ok((fetched(page, "Trie", "Rows.db").await? == [14, 9]).then_some(()))
    })
    .await?;
    choose(page, "").await?;
    no_block(page).await?;
    // One row below each child of the root.
    let mut seconds = Vec::new();
    for child in 0..16 {
        let row = child * 65_536 + 10_000;
        page.js(&format!("location.hash = '#/s/wide-1m/lookup?key=0&ck={row}'")).await?;
        let end = format!("Row at Data.db {}", number(row * 318 + 18));
        page.wait_for_text(&end).await?;
        let pages = fetched(page, "Trie", "Rows.db").await?;
        ensure!(pages.len() <= 2 && pages.first() == Some(&14), "row {row} fetches {pages:?}");
        seconds.extend(pages.get(1).copied());
    }
    ensure!(seconds.contains(&2), "no row fetches pages 14 and 2, only {seconds:?}");
    Ok(())
}

async fn making_a_sample_can_be_stopped(page: &mut Page) -> Result<()> {
    page.open("").await?;
    let sample = page.find_like("link", "wide-1m ").await?;
    page.click_node(&sample).await?;
    page.wait_for_text("making wide-1m, rows and row blocks: ").await?;
    page.click("button", "Stop").await?;
    page.wait_for_text("Making wide-1m was stopped before it was done.").await?;
    ensure!(
        page.fragment().await?.len() < 3,
        "expected the start, found {}",
        page.fragment().await?
    );
    page.find("button", "Choose folder").await.map(drop)
}

async fn building_a_twin_can_be_stopped(page: &mut Page) -> Result<()> {
    page.open("#/s/wide-1m/lookup?key=0&ck=654386").await?;
    page.wait_at_most(LONG, "the race", async || Ok(page.row("Page fetches").await.ok().map(drop)))
        .await?;
    choose(page, "1024").await?;
    page.click("button", "Stop").await?;
    page.wait_for_text("Building this index was stopped before it was done.").await?;
    choose(page, "").await?;
    page.race_is_there().await
}

async fn without_data_there_is_a_sentence_and_the_rest_goes_on(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("nodata")?.set("p20k/da")?.remove("da-1-bti-Data.db")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("1 SSTable recognised").await?;
    let open = page.find_like("button", "Open").await?;
    page.click_node(&open).await?;
    page.address_has("/overview").await?;
    let why = "The legacy index of this table cannot be built: a trie holds prefixes of keys only, so Data.db is needed for them, but it is not here.";
    page.wait_for_text(why).await?;
    go_to(page, "key=17021").await?;
    page.wait_for_text(why).await?;
    ensure!(page.steps("Trie").await?.len() > 3, "the other lane runs all the same");
    Ok(())
}

async fn damage_in_data_is_a_sentence_and_the_rest_goes_on(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("baddata")?
        .set("p20k/da")?
        .damage("da-1-bti-Data.db", |bytes| bytes[30_000..30_100].fill(0xff))?;
    look_up_in(page, &scratch, "key=17021").await?;
    page.wait_for_text("The legacy index of this table cannot be built: Data.db, offset").await?;
    ensure!(page.steps("Trie").await?.len() > 3, "the other lane runs all the same");
    Ok(())
}

async fn what_is_too_large_is_refused_with_the_estimate(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("large")?.set("p20k/oa")?;
    std::fs::remove_file(scratch.file("oa-1-big-Statistics.db"))?;
    // Nothing is written: the file system keeps a hole.
    std::fs::OpenOptions::new()
        .write(true)
        .open(scratch.file("oa-1-big-Index.db"))?
        .set_len(5 << 30)?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    let open = page.find_like("button", "Open").await?;
    page.click_node(&open).await?;
    page.address_has("/overview").await?;
    page.wait_for_text("The trie index of this table cannot be built: it would take about").await?;
    page.wait_for_text("and this page has room for 536,870,912 B").await
}

async fn what_takes_long_is_asked_first(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("long")?.set("p20k/da")?;
    std::fs::OpenOptions::new()
        .write(true)
        .open(scratch.file("da-1-bti-Data.db"))?
        .set_len(3 << 30)?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.address_has("/overview").await?;
    page.wait_for_text("Building the legacy index of this table reads 3,221,").await?;
    page.click("button", "Build it").await?;
    // It goes on, up to where these files do not fit together.
    page.wait_for_text("The legacy index of this table cannot be built: CompressionInfo.db, offset")
        .await
}

/// `47,700,018`.
fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
