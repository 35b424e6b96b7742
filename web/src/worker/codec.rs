//! How messages cross between page and worker: as compact bytes, with the files of the browser beside them as they are.
//!
//! Structured values would need code for every field name of every message: measured, the bytes make the page's first
//! load a tenth smaller.

use super::protocol::{Message, OpenFile};
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

/// A message as a JavaScript value.
pub fn encode<M: Message>(message: &M) -> Result<JsValue, String> {
    let bytes = postcard::to_allocvec(message).map_err(|error| error.to_string())?;
    let envelope = Envelope { message: bytes, files: message.files().to_vec() };
    serde_wasm_bindgen::to_value(&envelope).map_err(|error| error.to_string())
}

/// A message from a JavaScript value.
pub fn decode<M: Message>(value: JsValue) -> Result<M, String> {
    let envelope: Envelope = structured(value)?;
    let mut message: M =
        postcard::from_bytes(&envelope.message).map_err(|error| error.to_string())?;
    message.put_files(envelope.files);
    Ok(message)
}

/// Something of a JavaScript value, field by field: for what others have written as JSON.
pub fn structured<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}
