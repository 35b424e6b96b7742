//! Opening: samples, dropped and chosen files and folders, and what is not an SSTable.

use anyhow::{Result, ensure};
use triescope_e2e::files::{Scratch, components};
use triescope_e2e::keys::Key as Press;
use triescope_e2e::page::Page;
use triescope_e2e::run::Suite;
use triescope_e2e::suite;
use xtask::samples::{Key, Sample, manifest};

/// Its tests.
pub fn suite() -> Suite {
    suite!("opening":
        loads_below_a_deep_path, the_gallery_offers_every_sample, a_sample_opens_from_the_gallery, every_sample_opens,
        dropped_files_open, a_dropped_folder_opens, a_folder_of_more_than_100_files_opens, chosen_files_open, a_chosen_folder_opens,
        several_tables_become_several_sstables, a_missing_component_is_named_with_its_cost, a_text_file_is_no_sstable,
        an_empty_file_is_no_sstable, a_truncated_index_is_reported_and_the_rest_stays, a_footer_that_points_outside_is_reported,
        two_generations_under_one_name_are_told_apart, a_link_to_local_files_names_them_and_goes_on_when_they_are_dropped)
}

async fn loads_below_a_deep_path(page: &mut Page) -> Result<()> {
    page.open("").await?;
    page.find_like("heading", "finds a key").await?;
    let title = page.session.client.title().await?;
    ensure!(title.contains("Triescope"), "the title is {title:?}");
    page.wait_for_text("Nothing leaves this tab.").await
}

async fn the_gallery_offers_every_sample(page: &mut Page) -> Result<()> {
    page.open("").await?;
    page.find_like("link", "token_edges").await?;
    let links = page.all("link").await?;
    for Sample { name, .. } in manifest(&xtask::root())?.samples {
        ensure!(links.iter().any(|link| link.name.starts_with(&name)), "no link to {name}");
    }
    Ok(())
}

async fn a_sample_opens_from_the_gallery(page: &mut Page) -> Result<()> {
    page.open("").await?;
    let link = page.find_like("link", "p20k").await?;
    page.click_node(&link).await?;
    page.address_has("#/s/p20k/overview").await?;
    page.wait_for_text("162,365 B").await
}

async fn every_sample_opens(page: &mut Page) -> Result<()> {
    for Sample { name, keys, .. } in manifest(&xtask::root())?.samples {
        for Key { name: what, key, row } in keys {
            let row = row.map(|row| format!("&ck={row}")).unwrap_or_default();
            let address = format!("#/s/{name}/lookup?key={key}{row}").replace(' ', "%20");
            page.open_race(&address).await?;
            let trie = page.steps("Trie").await?;
            let end = trie.last().map(|line| line.text.to_lowercase()).unwrap_or_default();
            let expected = what == "present" || what == "row";
            ensure!(
                end.contains("absent") != expected,
                "{address}, which is {what}, ends with {end:?}"
            );
        }
    }
    Ok(())
}

/// Opens what was recognised: files that lack something wait for a word.
async fn open_recognised(page: &Page) -> Result<()> {
    page.wait_for_text("1 SSTable recognised").await?;
    let open = page.find_like("button", "Open").await?;
    page.click_node(&open).await?;
    page.address_has("/overview").await
}

async fn dropped_files_open(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("ten")?.set("ten_partitions/da")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.address_has("#/l/da-1-bti.").await?;
    page.press(Press::Char('2')).await?;
    page.look_up("5").await?;
    page.race_is_there().await
}

async fn a_dropped_folder_opens(page: &mut Page) -> Result<()> {
    let scratch =
        Scratch::new("fx-p20k")?.set_into("p20k/da", "trie")?.set_into("p20k/oa", "legacy")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&[scratch.folder()]).await?;
    page.address_has("+oa-1-big.").await?;
    page.wait_for_text("162,365 B").await?;
    page.wait_for_text("198,898 B").await
}

async fn a_folder_of_more_than_100_files_opens(page: &mut Page) -> Result<()> {
    let mut scratch = Scratch::new("many")?.set("ten_partitions/da")?;
    for number in 0..120 {
        scratch = scratch.write(&format!("note-{number}.log"), b"nothing")?;
    }
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&[scratch.folder()]).await?;
    // Browsers hand out the entries of a folder a hundred at a time.
    page.wait_for_text("120 files belong to no SSTable").await?;
    open_recognised(page).await
}

async fn chosen_files_open(page: &mut Page) -> Result<()> {
    page.open("").await?;
    page.find("button", "Choose files").await?;
    let files = components("wide_int/oa")?;
    page.choose(false, &files.iter().map(|file| file.as_path()).collect::<Vec<_>>()).await?;
    page.address_has("#/l/oa-1-big.").await
}

async fn a_chosen_folder_opens(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("chosen")?.set_into("p1000/da", "da")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.choose(true, &[&scratch.folder()]).await?;
    page.address_has("#/l/da-1-bti.").await
}

async fn several_tables_become_several_sstables(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("data")?
        .set_into("p1000/da", "p1000")?
        .set_into("token_edges/oa", "token_edges")?
        .set_into("wide_int/da", "wide_int")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&[scratch.folder()]).await?;
    page.wait_for_text("3 SSTables recognised").await
}

async fn a_missing_component_is_named_with_its_cost(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("half")?.set("p20k/da")?.remove("da-1-bti-CompressionInfo.db")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("Without CompressionInfo.db, Data.db cannot be decompressed").await?;
    open_recognised(page).await?;
    page.press(Press::Char('2')).await?;
    page.look_up("17021").await?;
    page.race_is_there().await?;
    page.wait_for_text("not confirmed").await
}

async fn a_text_file_is_no_sstable(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("text")?.write("notes.txt", b"hello")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("notes.txt").await?;
    // Which name was expected.
    page.wait_for_text("Partitions.db").await
}

async fn an_empty_file_is_no_sstable(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("empty")?.write("da-1-bti-Partitions.db", b"")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("da-1-bti").await?;
    page.wait_for_text("Partitions.db").await?;
    reported(page, &["footer", "24", "0"]).await
}

async fn a_truncated_index_is_reported_and_the_rest_stays(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("cut")?
        .set("p20k/da")?
        .set("p20k/oa")?
        .damage("da-1-bti-Partitions.db", |bytes| bytes.truncate(100_000))?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    reported(page, &["Partitions.db", "expected", "found"]).await?;
    // The legacy index of the same rows stays usable.
    page.wait_for_text("oa-1-big").await?;
    let open = page.find_like("button", "oa-1-big").await?;
    page.click_node(&open).await?;
    page.address_has("/overview").await?;
    page.press(Press::Char('2')).await?;
    page.look_up("17021").await?;
    page.race_is_there().await
}

async fn a_footer_that_points_outside_is_reported(page: &mut Page) -> Result<()> {
    let scratch = Scratch::new("outside")?.set("ten_partitions/da")?.damage(
        "da-1-bti-Partitions.db",
        |bytes| {
            let root = bytes.len() - 8;
            bytes[root..].copy_from_slice(&0x23a1_u64.to_be_bytes());
        },
    )?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    reported(page, &["Partitions.db", "root position", "expected", "found"]).await
}

async fn two_generations_under_one_name_are_told_apart(page: &mut Page) -> Result<()> {
    let scratch =
        Scratch::new("twice")?.set_into("ten_partitions/da", "one")?.set_into("p1000/da", "two")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&[scratch.folder()]).await?;
    page.wait_for_text("2 SSTables recognised").await?;
    page.wait_for_text("one").await?;
    page.wait_for_text("two").await
}

async fn a_link_to_local_files_names_them_and_goes_on_when_they_are_dropped(
    page: &mut Page,
) -> Result<()> {
    let scratch = Scratch::new("linked")?.set("ten_partitions/da")?;
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.drop_files(&scratch.files()?).await?;
    page.address_has("/overview").await?;
    page.press(Press::Char('2')).await?;
    page.look_up("5").await?;
    page.race_is_there().await?;
    page.wait_for_text("Twin, built in").await?;
    page.press(Press::Escape).await?;
    page.press(Press::Home).await?;
    page.press(Press::Right).await?;
    // Both lanes begin with the filter.
    page.address_has("t=1&l=1").await?;
    let link = page.fragment().await?;
    page.open(&link).await?;
    page.wait_for_text("da-1-bti").await?;
    page.drop_files(&scratch.files()?).await?;
    page.race_is_there().await?;
    let back = page.fragment().await?;
    ensure!(back == link, "the link was {link}, the address is {back}");
    Ok(())
}

/// Waits until the page says what is wrong.
async fn reported(page: &Page, words: &[&str]) -> Result<()> {
    page.wait_for(&format!("a report with {words:?}"), async || {
        let text = page.text().await?;
        Ok(words.iter().all(|word| text.contains(word)).then_some(()))
    })
    .await
}
