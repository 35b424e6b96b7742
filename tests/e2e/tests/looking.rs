//! How it looks: the judges and the audit of accessibility on every screen, wide and narrow, light and dark.

use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeMap;
use triescope_e2e::audit;
use triescope_e2e::contrast;
use triescope_e2e::judge;
use triescope_e2e::page::{MIDDLE, NARROW, Page, WIDE};
use triescope_e2e::run::Suite;
use triescope_e2e::screens::{SCREENS, Screen};
use triescope_e2e::suite;

/// Its tests.
pub fn suite() -> Suite {
    suite!("looking":
        every_screen_is_well_made_on_a_laptop, every_screen_is_well_made_on_a_phone, every_screen_is_well_made_on_a_tablet,
        every_pair_of_colours_has_contrast, the_judge_finds_what_is_badly_made, the_audit_finds_what_is_badly_made)
}

async fn judged(page: &Page, size: (u32, u32)) -> Result<()> {
    page.size(size).await?;
    // One fault is mostly on many screens: each is told once, with the screens that have it.
    let mut faults: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Screen { name, show } in SCREENS {
        for theme in ["light", "dark"] {
            page.theme(theme).await?;
            show(page).await.with_context(|| format!("{name} {theme}"))?;
            let found = judge::faults(page, size.0).await?;
            for fault in found.into_iter().chain(audit::faults(page).await?) {
                faults.entry(fault).or_default().push(format!("{name} {theme}"));
            }
        }
    }
    let told: Vec<String> = faults
        .iter()
        .map(|(fault, screens)| format!("{fault}\n      {}", screens.join(", ")))
        .collect();
    ensure!(told.is_empty(), "at {} by {}:\n  {}", size.0, size.1, told.join("\n  "));
    Ok(())
}

async fn every_screen_is_well_made_on_a_laptop(page: &mut Page) -> Result<()> {
    judged(page, WIDE).await
}

async fn every_screen_is_well_made_on_a_phone(page: &mut Page) -> Result<()> {
    judged(page, NARROW).await
}

async fn every_screen_is_well_made_on_a_tablet(page: &mut Page) -> Result<()> {
    judged(page, MIDDLE).await
}

async fn every_pair_of_colours_has_contrast(page: &mut Page) -> Result<()> {
    for theme in ["light", "dark"] {
        page.theme(theme).await?;
        page.open("").await?;
        let faults = contrast::faults(&contrast::tokens(page).await?);
        ensure!(faults.is_empty(), "{theme}:\n  {}", faults.join("\n  "));
    }
    // The page's own switch must give the same colours as the system's.
    page.theme("light").await?;
    page.open("").await?;
    page.js("document.documentElement.dataset.theme = 'dark'").await?;
    let faults = contrast::faults(&contrast::tokens(page).await?);
    ensure!(faults.is_empty(), "dark by choice:\n  {}", faults.join("\n  "));
    Ok(())
}

/// The control: a page with every fault gets every complaint, so the tests above can fail.
async fn the_judge_finds_what_is_badly_made(page: &mut Page) -> Result<()> {
    page.size(NARROW).await?;
    page.open("").await?;
    // Else the page could be drawn over what stands here.
    page.find("button", "Choose folder").await?;
    page.js(
        "document.body.innerHTML = `
            <p style='font-size: 11px'>small</p>
            <p style='position: absolute; top: 200px; left: 9px; margin: 0'>under</p><p style='position: absolute; top: 204px; left: 9px; margin: 0'>over</p>
            <div style='width: 40px; overflow: hidden; white-space: nowrap'>a label that is too long</div>
            <svg width='50' height='20' style='position: absolute; top: 400px'><text x='10' y='15' font-size='12'>a label in a picture</text></svg>
            <button style='position: absolute; top: 300px; width: 60px; height: 60px'></button>
            <button style='position: absolute; top: 500px; width: 20px; height: 60px'>x</button>
            <div style='position: absolute; top: 600px; width: 500px'>wide</div>`",
    )
    .await?;
    let expected = [
        "text of 11 px: \"small\"",
        "overlap: \"under\" and \"over\"",
        "cut by DIV: \"a label that is too long\"",
        "cut by its picture: \"a label in a picture\"",
        "no name: a button",
        "target of 20 by 60 px: \"x\"",
        "sideways scroll: 50",
    ];
    // The browser brings its accessibility tree up to date in its own time.
    page.wait_for("every complaint", async || {
        let faults = judge::faults(page, NARROW.0).await?;
        for fault in expected {
            ensure!(
                faults.iter().any(|found| found.starts_with(fault)),
                "{fault} is not among {faults:#?}"
            );
        }
        Ok(Some(()))
    })
    .await
}

/// The control of the audit.
async fn the_audit_finds_what_is_badly_made(page: &mut Page) -> Result<()> {
    page.open("").await?;
    page.find("button", "Choose folder").await?;
    page.js("document.body.innerHTML = `
            <main><button></button><p style='color: #aaa; background: #fff'>pale</p>
            <ul role='listbox'><li>no option</li></ul></main>`")
        .await?;
    let faults = audit::faults(page).await?;
    for rule in ["button-name", "color-contrast"] {
        ensure!(faults.iter().any(|it| it.starts_with(rule)), "{rule} is not among {faults:#?}");
    }
    Ok(())
}
