//! Every screen that is built, by name: the judges and the pictures go through this list.

use crate::files::Scratch;
use crate::keys::Key;
use crate::page::Page;
use crate::run::Running;
use anyhow::Result;

/// A screen and the way to it.
pub struct Screen {
    /// As on the design board: `03-lookup-absent`.
    pub name: &'static str,
    /// Shows it, complete.
    pub show: for<'a> fn(&'a Page) -> Running<'a>,
}

macro_rules! screens {
    ($($name:literal: $show:ident),+ $(,)?) => {
        &[$(Screen { name: $name, show: |page| Box::pin($show(page)) }),+]
    };
}

/// All screens.
pub const SCREENS: &[Screen] = screens![
    "01-start": start,
    "01-start-recognised": recognised,
    "01-start-stranger": stranger,
    "01-start-damaged": damaged,
    "01-start-help": help,
    "02-overview": overview,
    "02-overview-one": overview_of_one,
    "02-overview-wide": overview_wide,
    "02-overview-which": overview_which,
    "03-lookup": lookup,
    "03-lookup-first": lookup_first,
    "03-lookup-absent": lookup_absent,
    "03-lookup-deadend": lookup_dead_end,
    "03-lookup-filtered": lookup_filtered,
    "03-lookup-row": lookup_row,
    "03-lookup-deep": lookup_deep,
    "03-lookup-one": lookup_of_one,
    "03-lookup-one-refused": lookup_without_data,
    "03-lookup-blocks": lookup_blocks,
    "03-lookup-wrong": lookup_wrong,
    "03-lookup-unconfirmed": lookup_unconfirmed,
    "03-lookup-damaged": lookup_damaged,
    "03-lookup-composite": lookup_composite,
    "03-lookup-longck": lookup_of_long_rows,
    "03-lookup-options": lookup_options,
    "03-lookup-suggestions": lookup_suggestions,
    "04-page": one_page,
    "04-page-index": page_of_index,
    "04-page-damaged": page_damaged,
    "04-map": map_of_pages,
    "04-legacy": legacy_index,
    "04-legacy-wide": legacy_index_wide,
    "04-rows": rows_of_partition,
    "05-trie": trie,
    "05-trie-icicle": trie_icicle,
    "05-rowtrie": row_trie,
    "06-packing": packing,
    "06-packing-last": packing_last,
    "06-packing-every": packing_every,
    "06-packing-both": packing_both,
    "06-packing-rows": packing_rows,
    "06-packing-typed": packing_typed,
    "06-packing-wrong": packing_wrong,
    "08-findings": findings,
    "08-findings-none": findings_of_none,
    "16-box": the_one_box,
];

async fn start(page: &Page) -> Result<()> {
    page.open("").await?;
    page.find_like("link", "token_edges").await?;
    Ok(())
}

async fn recognised(page: &Page) -> Result<()> {
    let scratch = Scratch::new("p20k")?.set("p20k/da")?.remove("da-1-bti-CompressionInfo.db")?;
    start(page).await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("1 SSTable recognised").await
}

async fn stranger(page: &Page) -> Result<()> {
    let scratch = Scratch::new("notes")?.write("notes.txt", b"hello")?;
    start(page).await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("notes.txt").await
}

async fn overview(page: &Page) -> Result<()> {
    means(page, "#/s/p20k/overview").await
}

async fn overview_wide(page: &Page) -> Result<()> {
    means(page, "#/s/wide_deep/overview").await
}

/// The overview is complete when its means are.
async fn means(page: &Page, address: &str) -> Result<()> {
    page.open(address).await?;
    page.wait_for("means over all keys", async || {
        let text = page.text().await?;
        Ok((text.contains("keys")
            && page.all("button").await?.iter().all(|button| button.name != "Stop"))
        .then_some(()))
    })
    .await
}

async fn overview_of_one(page: &Page) -> Result<()> {
    let scratch = Scratch::new("ten_partitions")?.set("ten_partitions/oa")?;
    start(page).await?;
    page.drop_files(&scratch.files()?).await?;
    page.address_has("/overview").await?;
    page.wait_for_text("is a twin").await
}

async fn lookup(page: &Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=17021&reader=scylla&cache=cold").await
}

async fn lookup_first(page: &Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=17021&reader=scylla&cache=cold&t=3&l=4").await
}

async fn lookup_absent(page: &Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=22300&reader=scylla&cache=cold&filter=off").await
}

async fn lookup_dead_end(page: &Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=20000&reader=scylla&cache=cold&filter=off").await
}

async fn lookup_filtered(page: &Page) -> Result<()> {
    page.open_race("#/s/p20k/lookup?key=20000&cache=cold").await
}

async fn lookup_row(page: &Page) -> Result<()> {
    page.open_race("#/s/wide_int/lookup?key=1&ck=4228").await
}

async fn lookup_deep(page: &Page) -> Result<()> {
    page.open_race("#/s/wide_deep/lookup?key=7&ck=309812").await
}

async fn lookup_of_one(page: &Page) -> Result<()> {
    overview_of_one(page).await?;
    let address = page.fragment().await?.replace("/overview", "/lookup?key=5&cache=cold");
    page.js(&format!("location.hash = {address:?}")).await?;
    page.race_is_there().await
}

async fn lookup_without_data(page: &Page) -> Result<()> {
    let scratch = Scratch::new("nodata")?.set("p20k/da")?.remove("da-1-bti-Data.db")?;
    start(page).await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("1 SSTable recognised").await?;
    let open = page.find_like("button", "Open").await?;
    page.click_node(&open).await?;
    page.wait_for_text("Data.db is needed").await?;
    let address = page.fragment().await?.replace("/overview", "/lookup?key=17021&cache=cold");
    page.js(&format!("location.hash = {address:?}")).await?;
    page.race_is_there().await
}

async fn lookup_blocks(page: &Page) -> Result<()> {
    page.open_race("#/s/wide_int/lookup?key=1&ck=4228&block=65536").await?;
    page.wait_for_text("formed again of 65536 bytes").await
}

async fn lookup_wrong(page: &Page) -> Result<()> {
    lookup(page).await?;
    page.look_up("17x21").await?;
    page.wait_for_text("17x21").await
}

async fn damaged(page: &Page) -> Result<()> {
    let scratch = Scratch::new("damaged")?
        .set("p20k/da")?
        .damage("da-1-bti-Partitions.db", |bytes| bytes.truncate(100_000))?;
    start(page).await?;
    page.drop_files(&scratch.files()?).await?;
    page.wait_for_text("1 SSTable recognised").await
}

async fn help(page: &Page) -> Result<()> {
    start(page).await?;
    page.press(Key::Char('?')).await?;
    page.find_like("dialog", "eys").await?;
    Ok(())
}

async fn overview_which(page: &Page) -> Result<()> {
    overview(page).await?;
    let which = page.find_like("button", "p20k").await?;
    page.click_node(&which).await?;
    page.find("navigation", "Open something else").await?;
    Ok(())
}

async fn lookup_unconfirmed(page: &Page) -> Result<()> {
    page.open_race("#/s/p100k_text/lookup?key=%27user%3A053406%27&cache=cold").await?;
    page.wait_for_text("ot confirmed").await
}

/// A page of the trie on the way to this key is overwritten.
async fn lookup_damaged(page: &Page) -> Result<()> {
    let scratch = Scratch::new("overwritten")?
        .set("p20k/da")?
        .set("p20k/oa")?
        .damage("da-1-bti-Partitions.db", |bytes| bytes[30 * 4096..31 * 4096].fill(0xff))?;
    start(page).await?;
    page.drop_files(&scratch.files()?).await?;
    page.address_has("/overview").await?;
    let address = page.fragment().await?.replace("/overview", "/lookup?key=17021&cache=cold");
    page.js(&format!("location.hash = {address:?}")).await?;
    page.race_is_there().await
}

async fn lookup_composite(page: &Page) -> Result<()> {
    page.open_race("#/s/composite_pk/lookup?key=(-18,%20'name-170')").await
}

async fn lookup_of_long_rows(page: &Page) -> Result<()> {
    page.open_race("#/s/wide_longck/lookup?key=1&ck='common'").await
}

async fn lookup_options(page: &Page) -> Result<()> {
    lookup(page).await?;
    // Wide windows show them always.
    let shown =
        page.all("button").await?.into_iter().find(|button| button.name.starts_with("Options"));
    match shown {
        Some(button) => page.click_node(&button).await,
        None => Ok(()),
    }
}

async fn lookup_suggestions(page: &Page) -> Result<()> {
    lookup(page).await?;
    let key_box = page.key_box().await?;
    page.fill("combobox", &key_box.name, "1").await?;
    page.wait_for("suggestions", async || Ok((page.all("option").await?.len() > 1).then_some(())))
        .await
}

async fn packing(page: &Page) -> Result<()> {
    page.open("#/s/p20k/packing?writer=cassandra&step=51").await?;
    page.wait_for_text("650 B left").await
}

async fn packing_last(page: &Page) -> Result<()> {
    page.open("#/s/p100k_text/packing").await?;
    page.wait_for_text("The root comes last").await
}

async fn packing_every(page: &Page) -> Result<()> {
    page.open("#/s/p20k/packing?steps=all&step=9000").await?;
    page.wait_for_text("complete").await
}

async fn packing_both(page: &Page) -> Result<()> {
    page.open("#/packing?make=prefix&n=2000&writer=both&step=12").await?;
    page.wait_for_text("ScyllaDB").await?;
    page.wait_for_text("Finished subtrees").await
}

async fn packing_rows(page: &Page) -> Result<()> {
    page.open("#/s/wide_deep/packing?rows=").await?;
    page.wait_for_text("no difference").await
}

async fn packing_typed(page: &Page) -> Result<()> {
    page.open("#/packing?keys=car%0Acard%0Acare%0Acart%0Acat%0Adog%0Adot&steps=all&step=12")
        .await?;
    page.wait_for_text("Finished subtrees").await
}

async fn packing_wrong(page: &Page) -> Result<()> {
    page.open("#/packing").await?;
    page.wait_for_text("No key yet").await
}

async fn one_page(page: &Page) -> Result<()> {
    page.open("#/s/p20k/page?byte=124476").await?;
    page.wait_for_text("SPARSE_12 at 124,446").await
}

async fn page_of_index(page: &Page) -> Result<()> {
    page.open("#/s/wide_int/page?part=Index").await?;
    page.wait_for_text("Page 0 of 9").await?;
    page.wait_for_text("In this page").await
}

async fn page_damaged(page: &Page) -> Result<()> {
    page.open("#/s/wide_int-flipped/page?part=Rows").await?;
    page.wait_for_text("In this page").await
}

async fn map_of_pages(page: &Page) -> Result<()> {
    page.open("#/s/p100k_text/page?as=map&part=Partitions").await?;
    page.wait_for_text("Least filled first").await?;
    page.wait_for_text("1,322 B").await
}

async fn legacy_index(page: &Page) -> Result<()> {
    page.open("#/s/p20k/page?as=legacy&sample=48&entry=23").await?;
    page.wait_for_text("entry 23 is key 17021").await
}

async fn legacy_index_wide(page: &Page) -> Result<()> {
    page.open("#/s/wide_int/page?key=1&ck=1234&as=legacy").await?;
    page.wait_for_text("is looked for in block 311").await
}

async fn rows_of_partition(page: &Page) -> Result<()> {
    page.open("#/s/range_tombstones/page?key=1&as=rows").await?;
    page.find_like("heading", "Partition").await?;
    Ok(())
}

async fn trie(page: &Page) -> Result<()> {
    page.open("#/s/p20k/trie?key=17021").await?;
    page.wait_for_text("22,710").await
}

async fn trie_icicle(page: &Page) -> Result<()> {
    page.open("#/s/p20k/trie?key=17021&pic=icicle").await?;
    page.wait_for_text("22,710").await
}

async fn row_trie(page: &Page) -> Result<()> {
    page.open("#/s/wide_deep/trie?key=7&ck=50000&part=Rows").await?;
    page.wait_for_text("As a tree").await
}

async fn findings(page: &Page) -> Result<()> {
    page.open("#/s/p20k-flipped/findings").await?;
    page.wait_for_text("expected").await
}

async fn findings_of_none(page: &Page) -> Result<()> {
    page.open("#/s/ten_partitions/findings").await?;
    page.wait_for_text("Findings").await
}

async fn the_one_box(page: &Page) -> Result<()> {
    one_page(page).await?;
    page.press(Key::Char('/')).await?;
    page.wait_for("the focus in the box", async || {
        Ok(page.focused().await?.filter(|node| node.role == "combobox").map(drop))
    })
    .await?;
    page.type_text("30").await?;
    page.find_like("option", "page 30 of").await?;
    Ok(())
}
