//! Where the tests' pages come from: our `dist/` below a deep path, and a second origin that counts who calls.

use anyhow::{Result, ensure};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use xtask::http::{self, Response, Server};

/// Below this path: relative addresses are part of what is tested.
const MOUNT: &str = "/a/deep/path/";

/// The built page on a server.
pub struct Site {
    server: Server,
}

impl Site {
    /// Serves `dist/`.
    pub fn start() -> Result<Site> {
        let dist: PathBuf = xtask::root().join("dist");
        ensure!(
            dist.join("index.html").is_file(),
            "there is no page in dist/; `cargo xtask build` makes it"
        );
        Ok(Site { server: Server::start(0, http::files(dist, MOUNT))? })
    }

    /// The address of the page, with a trailing slash.
    pub fn url(&self) -> String {
        format!("{}{MOUNT}", self.server.origin())
    }
}

/// A second origin: it allows everybody everything, and counts requests.
pub struct Stranger {
    server: Server,
    requests: Arc<AtomicUsize>,
}

impl Stranger {
    /// Starts it.
    pub fn start() -> Result<Stranger> {
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        let server = Server::start(0, move |request| {
            counted.fetch_add(1, Ordering::SeqCst);
            let mut response = match request.path.as_str() {
                "/page" => Response::text("200 OK", "<!doctype html><title>stranger</title>"),
                _ => Response::text("200 OK", "export default 1"),
            };
            let kind = if request.path == "/page" { "text/html" } else { "text/javascript" };
            response.headers = vec![
                ("Content-Type", kind.to_owned()),
                ("Access-Control-Allow-Origin", "*".to_owned()),
            ];
            response
        })?;
        Ok(Stranger { server, requests })
    }

    /// Its origin, as `http://127.0.0.1:40001`.
    pub fn origin(&self) -> String {
        self.server.origin()
    }

    /// How many requests have come.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}
