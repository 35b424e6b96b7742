//! One browser session: the WebDriver client, DevTools commands, and an end that a panic cannot prevent.

use crate::driver::Driver;
use anyhow::{Context as _, Result};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

/// A session; dropping it closes the browser, also while a panic unwinds.
pub struct Session {
    /// The WebDriver client.
    pub client: Client,
    id: String,
    port: u16,
}

impl Session {
    /// Opens a browser with a fresh profile.
    pub async fn open(driver: &Driver) -> Result<Session> {
        let options = json!({
            "binary": driver.browser.chrome,
            // Root and containers have no sandbox, and the only page that is opened is ours.
            "args": [
                "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
            ],
        });
        let mut wanted = serde_json::Map::new();
        wanted.insert("goog:chromeOptions".to_owned(), options);
        wanted.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&format!("http://127.0.0.1:{}", driver.port))
            .await
            .context("the browser does not start")?;
        let id = client.session_id().await?.context("the browser has no session")?;
        Ok(Session { client, id, port: driver.port })
    }

    /// Runs one DevTools command.
    pub async fn cdp(&self, command: &str, params: Value) -> Result<Value> {
        let body = json!({ "cmd": command, "params": params });
        let sent = self.client.issue_cmd(Vendor { path: "goog/cdp/execute", body }).await;
        sent.with_context(|| format!("{command} {params:.200}"))
    }

    /// Takes what the page and its workers have written to the console since the last call.
    pub async fn take_log(&self) -> Result<Vec<LogEntry>> {
        let sent = self
            .client
            .issue_cmd(Vendor { path: "se/log", body: json!({ "type": "browser" }) })
            .await?;
        let entries = sent.as_array().cloned().unwrap_or_default();
        let text = |entry: &Value, field: &str| {
            entry.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Ok(entries
            .iter()
            .map(|entry| LogEntry { level: text(entry, "level"), message: text(entry, "message") })
            .collect())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // No runtime is needed for this, so it works in a panic as well; a browser that is gone already is fine.
        let _ = delete(self.port, &format!("/session/{}", self.id));
    }
}

/// One line of the browser's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// `SEVERE`, `WARNING`, `INFO`, …
    pub level: String,
    /// Source, line and text.
    pub message: String,
}

/// A command that is not in the WebDriver standard: a POST below the session.
#[derive(Debug)]
struct Vendor {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Vendor {
    fn endpoint(
        &self,
        base_url: &url::Url,
        session_id: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base_url.join(&format!("session/{}/{}", session_id.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _request_url: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

fn delete(port: u16, path: &str) -> Result<()> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(
        format!("DELETE {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            .as_bytes(),
    )?;
    // The answer comes when the browser has ended.
    stream.read_to_end(&mut Vec::new())?;
    Ok(())
}
