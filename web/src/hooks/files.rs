//! Files from the browser: what was picked, what was dropped (folders walked through), what a sample is made of.

use crate::model::SampleEntry;
use crate::worker::frames::{Handle, OpenFile};
use js_sys::{Array, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{
    Blob, DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemEntry,
    FileSystemFileEntry, Response,
};

/// Most files that are taken from one drop: a data directory by mistake should not fill the memory.
const MOST_FILES: usize = 20_000;

/// The files of an input, with their paths where a folder was picked.
pub fn picked(list: &FileList) -> Vec<OpenFile> {
    (0..list.length()).filter_map(|at| list.get(at)).map(|file| open(&file, "")).collect()
}

/// What was dropped. Entries must be taken while the event lasts; walking through folders comes after it.
pub fn dropped(data: &DataTransfer) -> Dropped {
    let items = data.items();
    let entry = |at| items.get(at)?.webkit_get_as_entry().ok().flatten();
    let entries: Vec<FileSystemEntry> = (0..items.length()).filter_map(entry).collect();
    let files = data.files().map(|list| picked(&list)).unwrap_or_default();
    Dropped { entries, files }
}

/// Files and folders of one drop.
pub struct Dropped {
    entries: Vec<FileSystemEntry>,
    files: Vec<OpenFile>,
}

impl Dropped {
    /// All files, those of folders and their folders too. A drop without entries has only its plain files.
    pub async fn files(self) -> Result<Vec<OpenFile>, String> {
        if self.entries.is_empty() {
            return Ok(self.files);
        }
        let mut waiting: Vec<FileSystemEntry> = self.entries;
        waiting.reverse();
        let mut out = Vec::new();
        while let Some(entry) = waiting.pop() {
            let path = entry.full_path();
            let path = path.strip_prefix('/').unwrap_or(&path);
            if entry.is_file() {
                let file = file_of(entry.unchecked_ref()).await.map_err(|_| {
                    format!("“{path}” could not be read: it vanished or is not allowed.")
                })?;
                out.push(open(&file, path));
            } else {
                let inside = children(entry.unchecked_ref()).await.map_err(|_| {
                    format!("The folder “{path}” could not be read: it vanished or is not allowed.")
                })?;
                waiting.extend(inside.into_iter().rev());
            }
            if out.len() > MOST_FILES {
                return Err(format!(
                    "Expected a folder of SSTables, found more than {MOST_FILES} files in it."
                ));
            }
        }
        Ok(out)
    }
}

fn open(file: &File, path: &str) -> OpenFile {
    let inside = js_sys::Reflect::get(file, &JsValue::from_str("webkitRelativePath"));
    let inside = inside.ok().and_then(|path| path.as_string()).filter(|path| !path.is_empty());
    let path =
        if path.is_empty() { inside.unwrap_or_else(|| file.name()) } else { path.to_owned() };
    let blob: &Blob = file;
    OpenFile { path, handle: Handle(blob.clone()) }
}

async fn file_of(entry: &FileSystemFileEntry) -> Result<File, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        entry.file_with_callback_and_callback(&resolve, &reject);
    });
    JsFuture::from(promise).await?.dyn_into()
}

/// All entries of a folder: a reader hands out a hundred at a time, and none at the end.
async fn children(folder: &FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = folder.create_reader();
    let mut out = Vec::new();
    loop {
        let promise = Promise::new(&mut |resolve, reject| {
            let _ = reader.read_entries_with_callback_and_callback(&resolve, &reject);
        });
        let batch: Array = JsFuture::from(promise).await?.dyn_into()?;
        if batch.length() == 0 || out.len() > MOST_FILES {
            return Ok(out);
        }
        out.extend(batch.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}

/// The list of samples.
pub async fn sample_index() -> Result<Vec<SampleEntry>, String> {
    let what = "samples/index.json";
    let response = fetch(what).await?;
    let json = response.json().map_err(|error| format!("{what}: {error:?}"))?;
    let json = JsFuture::from(json).await.map_err(|_| format!("{what} is no JSON"))?;
    let index: crate::state::samples::Index = crate::worker::codec::structured(json)
        .map_err(|error| format!("{what} is not understood: {error}"))?;
    Ok(index.into_entries())
}

/// The files of a sample, fetched from where the page lies, all at once.
pub async fn sample(entry: &SampleEntry) -> Result<Vec<OpenFile>, String> {
    let (mut paths, promises) = (Vec::new(), Array::new());
    for table in [&entry.trie, &entry.legacy] {
        for file in &table.files {
            let path = format!("{}/{}", table.folder, file.name);
            let address = format!("samples/{path}");
            promises.push(&future_to_promise(async move {
                blob(&address).await.map(JsValue::from).map_err(|why| JsValue::from_str(&why))
            }));
            paths.push(path);
        }
    }
    let blobs = JsFuture::from(Promise::all(&promises))
        .await
        .map_err(|why| why.as_string().unwrap_or_default())?;
    let blobs = Array::from(&blobs);
    let file =
        |(path, blob): (String, JsValue)| OpenFile { path, handle: Handle(blob.unchecked_into()) };
    Ok(paths.into_iter().zip(blobs.iter()).map(file).collect())
}

async fn blob(address: &str) -> Result<Blob, String> {
    let broken = |_| format!("{address} could not be fetched: the connection broke off");
    let blob = fetch(address).await?.blob().map_err(broken)?;
    JsFuture::from(blob).await.and_then(JsCast::dyn_into).map_err(broken)
}

async fn fetch(address: &str) -> Result<Response, String> {
    let window = web_sys::window().ok_or("there is no window")?;
    let response = JsFuture::from(window.fetch_with_str(address)).await;
    let response: Response = response
        .and_then(JsCast::dyn_into)
        .map_err(|_| format!("{address} could not be fetched: the server does not answer"))?;
    if response.ok() {
        Ok(response)
    } else {
        Err(format!("{address} could not be fetched: the server answers {}", response.status()))
    }
}
