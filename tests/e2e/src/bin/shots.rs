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

/// Pictures that the documents show: the screen, what is cut out of it, and the name below `docs/img`.
const DOCS: &[(&str, &str, &str)] = &[
    ("06-packing", ".pkboard", "packing-page-7"),
    ("06-packing-both", ".pkboard", "packing-both"),
];

async fn docs(page: &Page, folder: &std::path::Path, filter: &str) -> Result<()> {
    page.size(WIDE).await?;
    page.theme("light").await?;
    for (screen, selector, name) in DOCS.iter().filter(|(screen, ..)| screen.contains(filter)) {
        let screen = SCREENS.iter().find(|it| it.name == *screen).context("no such screen")?;
        (screen.show)(page).await?;
        let source = format!(
            "const box = document.querySelector('{selector}').getBoundingClientRect();
            return {{ x: box.x - 12, y: box.y - 12, width: box.width + 24, height: box.height + 24, scale: 0.8 }}"
        );
        let clip = page.js(&source).await?;
        let params =
            serde_json::json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        let shot = page.session.cdp("Page.captureScreenshot", params).await?;
        let file = folder.join("docs").join(format!("{name}.png"));
        fs::create_dir_all(folder.join("docs"))?;
        fs::write(&file, unbase64(shot["data"].as_str().unwrap_or_default()))?;
        println!("    {}", file.display());
    }
    Ok(())
}

/// The bytes behind base64.
fn unbase64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.bytes().filter_map(value).map(u32::from).collect();
    let group = |group: &[u32]| {
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
        let [_, bytes @ ..] = bits.to_be_bytes();
        bytes.into_iter().take(group.len() - 1).collect::<Vec<u8>>()
    };
    digits.chunks(4).flat_map(group).collect()
}

async fn take(folder: &std::path::Path, filter: &str) -> Result<()> {
    let driver = Driver::start()?;
    let site = Site::start()?;
    let mut page = Page::new(Session::open(&driver).await?, site.url());
    page.reset().await?;
    docs(&page, folder, filter).await?;
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
