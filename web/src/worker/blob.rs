//! Files of the browser, read synchronously: that exists in workers only, and keeps the readers free of waiting.

use super::windows::File;
use wasm_bindgen::JsCast as _;
use web_sys::{Blob, DomException, FileReaderSync};

/// A file, a part of which is read at a time.
#[derive(Clone, Debug)]
pub struct BlobFile {
    blob: Blob,
    bytes: u64,
}

impl BlobFile {
    /// The file behind a handle.
    pub fn new(blob: Blob) -> Self {
        let bytes = size(&blob);
        Self { blob, bytes }
    }
}

/// Length of a blob in bytes.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the browser gives a whole number below 2^53 as a float"
)]
pub fn size(blob: &Blob) -> u64 {
    blob.size() as u64
}

impl File for BlobFile {
    fn len(&self) -> u64 {
        self.bytes
    }

    #[expect(clippy::cast_precision_loss, reason = "no file reaches 2^53 bytes")]
    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
        let slice = self
            .blob
            .slice_with_f64_and_f64(from as f64, to as f64)
            .map_err(|error| why(&error))?;
        let reader = FileReaderSync::new().map_err(|error| why(&error))?;
        let buffer = reader.read_as_array_buffer(&slice).map_err(|error| why(&error))?;
        Ok(js_sys::Uint8Array::new(&buffer).to_vec())
    }
}

fn why(error: &wasm_bindgen::JsValue) -> String {
    match error.dyn_ref::<DomException>().map(|error| (error.name(), error.message())) {
        Some((name, _)) if name == "NotReadableError" => "the file changed".to_owned(),
        Some((name, _)) if name == "NotFoundError" => "the file vanished".to_owned(),
        Some((name, message)) => format!("{name}, {message}"),
        None => format!("{error:?}"),
    }
}
