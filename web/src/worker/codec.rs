//! How messages cross between page and worker: as compact bytes, with the files of the browser beside them as they are.
//!
//! Structured values would need code for every field name of every message: measured, the bytes make the page's first
//! load a tenth smaller.

use super::frames::{Carries, OpenFile, Parcel};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

/// What is posted.
#[derive(Serialize, Deserialize)]
struct Envelope {
    #[serde(with = "serde_bytes")]
    message: Vec<u8>,
    files: Vec<OpenFile>,
}

/// Packs a request or a reply.
pub fn pack<T: Carries>(value: &T) -> Result<Parcel, String> {
    Ok(Parcel { bytes: bytes(value)?, files: value.files().to_vec() })
}

/// Unpacks a request or a reply.
pub fn unpack<T: Carries>(parcel: Parcel) -> Result<T, String> {
    let mut value: T = value(&parcel.bytes)?;
    value.put_files(parcel.files);
    Ok(value)
}

/// A frame as a JavaScript value, with the files of what is in it.
pub fn encode<F: Serialize>(frame: &F, files: Vec<OpenFile>) -> Result<JsValue, String> {
    let envelope = Envelope { message: bytes(frame)?, files };
    serde_wasm_bindgen::to_value(&envelope).map_err(|error| error.to_string())
}

/// A frame from a JavaScript value, and the files that came with it.
pub fn decode<F: DeserializeOwned>(envelope: JsValue) -> Result<(F, Vec<OpenFile>), String> {
    let envelope: Envelope = structured(envelope)?;
    Ok((value(&envelope.message)?, envelope.files))
}

/// Something of a JavaScript value, field by field: for what others have written as JSON.
pub fn structured<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}

fn bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(value).map_err(|error| error.to_string())
}

fn value<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|error| error.to_string())
}
