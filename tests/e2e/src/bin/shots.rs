//! Pictures of every screen: `shots FOLDER [FILTER]`. Names are those of the design board: `03-lookup-dark.png` is a
//! laptop's window, `-820` a tablet's, `-phone` a phone's.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::PathBuf;
use triescope_e2e::driver::Driver;
use triescope_e2e::page::{MIDDLE, NARROW, Page, WIDE};
use triescope_e2e::screens::{SCREENS, Screen};
use triescope_e2e::session::Session;
use triescope_e2e::site::Site;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().context("expected the folder for the pictures")?);
    let filter = args.next().unwrap_or_default();
    fs::create_dir_all(&folder)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(take(&folder, &filter))
}

async fn take(folder: &std::path::Path, filter: &str) -> Result<()> {
    let driver = Driver::start()?;
    let site = Site::start()?;
    let mut page = Page::new(Session::open(&driver).await?, site.url());
    page.reset().await?;
    let windows = [
        ("", WIDE, &["light", "dark"][..]),
        ("-820", MIDDLE, &["light"]),
        ("-phone", NARROW, &["light", "dark"]),
    ];
    for Screen { name, show } in SCREENS.iter().filter(|screen| screen.name.contains(filter)) {
        for (suffix, size, themes) in windows {
            page.size(size).await?;
            for theme in themes {
                page.theme(theme).await?;
                let file = folder.join(format!("{name}{suffix}-{theme}.png"));
                match show(&page).await {
                    Ok(()) => println!("    {}", file.display()),
                    // What stands there instead is worth a look as well.
                    Err(error) => println!("    {}: not as expected: {error:#}", file.display()),
                }
                fs::write(&file, page.picture().await?)?;
            }
        }
    }
    Ok(())
}
