//! How messages cross between page and worker: structured values, large numbers as BigInt, bytes as byte arrays, files
//! as they are.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// A message as a JavaScript value.
pub fn encode<T: Serialize>(message: &T) -> Result<JsValue, String> {
    let serializer =
        serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    message.serialize(&serializer).map_err(|error| error.to_string())
}

/// A message from a JavaScript value.
pub fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}
