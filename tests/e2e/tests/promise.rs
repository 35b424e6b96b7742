//! "Nothing leaves this tab": neither the page nor its worker reaches another host.

use anyhow::{Result, ensure};
use serde_json::Value;
use std::time::Duration;
use triescope_e2e::other::WORKERS;
use triescope_e2e::page::Page;
use triescope_e2e::run::Suite;
use triescope_e2e::site::Stranger;
use triescope_e2e::suite;

/// Its tests.
pub fn suite() -> Suite {
    suite!("promise": the_page_reaches_no_other_host, the_worker_reaches_no_other_host, no_other_host_would_notice)
}

/// Ways to reach another host that page and worker share; `R` collects what became of each.
const WAYS: &str = "
    const R = {};
    const attempt = async (name, run) => { try { await run(); R[name] = 'reached'; } catch (error) { R[name] = 'refused'; } };
    const within = (promise) => Promise.race([promise, new Promise((_, no) => setTimeout(() => no(new Error('silence')), 3000))]);
    await attempt('fetch', () => fetch(HOST + '/fetch'));
    await attempt('no-cors', () => fetch(HOST + '/no-cors', { mode: 'no-cors' }));
    await attempt('import', () => import(HOST + '/import.js'));
    await attempt('socket', () => within(new Promise((yes, no) => {
        const socket = new WebSocket(HOST.replace('http', 'ws') + '/socket'); socket.onopen = yes; socket.onerror = no; })));
    await attempt('events', () => within(new Promise((yes, no) => {
        const source = new EventSource(HOST + '/events'); source.onopen = yes; source.onerror = () => { source.close(); no(); }; })));
";

/// Further ways that only a page has.
const PAGE_WAYS: &str = "
    const element = (name, tag, attributes) => attempt(name, () => within(new Promise((yes, no) => {
        const made = Object.assign(document.createElement(tag), attributes); made.onload = yes; made.onerror = no; document.head.append(made); })));
    await element('image', 'img', { src: HOST + '/image' });
    await element('script', 'script', { src: HOST + '/script.js' });
    await element('style', 'link', { rel: 'stylesheet', href: HOST + '/style.css' });
    navigator.sendBeacon(HOST + '/beacon', 'x');
    const form = Object.assign(document.createElement('form'), { action: HOST + '/form', method: 'post', target: '_blank' });
    document.body.append(form); form.submit();
    const frame = Object.assign(document.createElement('iframe'), { src: HOST + '/page' });
    document.body.append(frame);
";

async fn the_page_reaches_no_other_host(page: &mut Page) -> Result<()> {
    let stranger = Stranger::start()?;
    page.expect_errors();
    page.open("").await?;
    let tried = page
        .js(&format!("const HOST = {:?}; {WAYS} {PAGE_WAYS} return R;", stranger.origin()))
        .await?;
    all_refused(&tried, 8)?;
    // What gives no answer (beacon, form, frame) would have called by now.
    tokio::time::sleep(Duration::from_millis(300)).await;
    ensure!(stranger.requests() == 0, "another host got {} requests", stranger.requests());
    Ok(())
}

async fn the_worker_reaches_no_other_host(page: &mut Page) -> Result<()> {
    let stranger = Stranger::start()?;
    page.add_script(WORKERS).await?;
    page.expect_errors();
    page.open("").await?;
    let body = format!(
        "const HOST = {:?}; {WAYS} await attempt('importScripts', () => importScripts(HOST + '/classic.js')); return R;",
        stranger.origin()
    );
    let tried = page.js(&format!("return await workers.sibling({body:?});")).await?;
    all_refused(&tried, 6)?;
    ensure!(stranger.requests() == 0, "another host got {} requests", stranger.requests());
    Ok(())
}

/// The control: without our policy the same attempts do arrive, so the tests above can fail.
async fn no_other_host_would_notice(page: &mut Page) -> Result<()> {
    let (stranger, other) = (Stranger::start()?, Stranger::start()?);
    page.expect_errors();
    page.session.client.goto(&format!("{}/page", other.origin())).await?;
    let tried = page.js(&format!("const HOST = {:?}; {WAYS} return R;", stranger.origin())).await?;
    let reached = |name: &str| tried[name].as_str().is_some_and(|said| said == "reached");
    ensure!(reached("fetch") && reached("import"), "without a policy: {tried}");
    ensure!(
        stranger.requests() >= 4,
        "without a policy only {} requests came",
        stranger.requests()
    );
    Ok(())
}

fn all_refused(tried: &Value, expected: usize) -> Result<()> {
    let tried = tried.as_object().cloned().unwrap_or_default();
    ensure!(tried.len() == expected, "expected {expected} attempts, found {tried:?}");
    ensure!(tried.values().all(|said| said == "refused"), "{tried:?}");
    Ok(())
}
