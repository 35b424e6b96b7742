//! A small HTTP server for this machine alone: static files for `serve` and the browser tests, and what else a test answers.

use anyhow::{Context as _, Result};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Longest request line or header line that is read, in bytes.
const MAX_LINE: u64 = 16 * 1024;
/// Most header lines that are read.
const MAX_HEADERS: usize = 100;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `HEAD`, `POST`, …
    pub method: String,
    /// Decoded path without the query, beginning with `/`.
    pub path: String,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status, as `200 OK`.
    pub status: &'static str,
    /// Headers beside the length.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// An answer of one line of text.
    pub fn text(status: &'static str, text: &str) -> Response {
        let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
        Response { status, headers, body: text.as_bytes().to_vec() }
    }
}

/// A running server; dropping it stops it.
pub struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Listens on the loopback address; port 0 takes a free one. Each connection gets a thread and one answer.
    pub fn start(
        port: u16,
        answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("port {port} cannot be used; `--port` names another"))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, answer) = (Arc::clone(&stop), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let answer = Arc::clone(&answer);
                // A browser that hangs up early is no concern of ours.
                thread::spawn(move || converse(&stream, answer.as_ref()).ok());
            }
        });
        Ok(Server { address, stop })
    }

    /// Where it listens, as `http://127.0.0.1:8080`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers with the files of a folder, which stand below `mount` (as `/` or `/a/deep/path/`).
pub fn files(
    folder: PathBuf,
    mount: &str,
) -> impl Fn(&Request) -> Response + Send + Sync + 'static {
    let mount = mount.to_owned();
    move |request| {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Response::text("405 Method Not Allowed", "only GET and HEAD");
        }
        let inside = request.path.strip_prefix(&mount).and_then(|path| locate(&folder, path));
        let Some(file) = inside else { return Response::text("404 Not Found", "not here") };
        match std::fs::read(&file) {
            Ok(body) => {
                let headers = vec![
                    ("Content-Type", content_type(&file).to_owned()),
                    // What was built a minute ago must not come from a cache.
                    ("Cache-Control", "no-cache".to_owned()),
                ];
                Response { status: "200 OK", headers, body }
            }
            Err(_) => Response::text("404 Not Found", "not here"),
        }
    }
}

/// The file of a request path; `None` where the path tries to leave the folder.
fn locate(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut file = folder.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part == ".." || part == "." || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    if file.is_dir() {
        file.push("index.html");
    }
    Some(file)
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|ext| ext.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn converse(
    stream: &TcpStream,
    answer: &(dyn Fn(&Request) -> Response + Send + Sync),
) -> Result<()> {
    // A connection that a browser opens in advance and never uses must not keep a thread for ever.
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut reader = BufReader::new(stream);
    let Some(request) = read_request(&mut reader)? else { return Ok(()) };
    let response = answer(&request);
    let mut head = format!(
        "HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n",
        response.status,
        response.body.len()
    );
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut out = stream;
    out.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        out.write_all(&response.body)?;
    }
    Ok(out.flush()?)
}

/// Reads the head of a request; a body is left unread, nobody here needs one.
fn read_request(reader: &mut impl BufReadBytes) -> Result<Option<Request>> {
    let first = reader.bounded_line()?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    for _ in 0..MAX_HEADERS {
        if reader.bounded_line()?.is_empty() {
            break;
        }
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    Ok(Some(Request { method: method.to_owned(), path: decode(path) }))
}

/// Reading lines of bounded length.
trait BufReadBytes {
    /// The next line without its end; empty at the end of the stream.
    fn bounded_line(&mut self) -> Result<String>;
}

impl<R: std::io::Read> BufReadBytes for BufReader<R> {
    fn bounded_line(&mut self) -> Result<String> {
        let mut line = Vec::new();
        self.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}

/// Undoes percent encoding; what is no encoding stays as it is.
fn decode(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) if byte == b'%' => {
                out.push(value);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(server: &Server, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_are_served_below_their_mount_with_their_type() {
        let server = Server::start(0, files(crate::root().join("xtask"), "/a/b/")).unwrap();
        let found = ask(&server, "GET /a/b/src/lib%2Ers?x=1 HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(found.starts_with("HTTP/1.1 200 OK\r\n"), "{found}");
        assert!(found.contains("pub fn root()"));
        let head = ask(&server, "HEAD /a/b/Cargo.toml HTTP/1.1\r\n\r\n");
        assert!(
            head.contains("Content-Type: application/octet-stream") && head.ends_with("\r\n\r\n"),
            "{head}"
        );
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let server = Server::start(0, files(crate::root().join("xtask"), "/")).unwrap();
        for path in ["/../Cargo.toml", "/src/%2e%2e/%2e%2e/Cargo.toml", "/none", "/src\\..\\.."] {
            let answer = ask(&server, &format!("GET {path} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        }
        assert!(ask(&server, "POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    }

    #[test]
    fn the_types_that_browsers_insist_on_are_right() {
        let kinds = ["a.js", "a.wasm", "a.css", "index.json", "index.html"]
            .map(|name| content_type(Path::new(name)));
        let expected = [
            "text/javascript; charset=utf-8",
            "application/wasm",
            "text/css; charset=utf-8",
            "application/json",
            "text/html; charset=utf-8",
        ];
        assert_eq!(kinds, expected);
    }
}
