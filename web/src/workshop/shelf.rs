//! Where built files are put: in pieces, as they are written, so that no buffer ever has to be as large as a file.

use crate::worker::frames::Handle;
use triescope_core::write::Sink;

/// A file that is being written.
pub trait Shelf: Sink + Default {
    /// The file, whole; the error says why there is none.
    ///
    /// # Errors
    /// A sentence without its full stop.
    fn file(self) -> Result<Handle, String>;
}

/// Outside a browser a file is its bytes.
#[cfg(not(target_arch = "wasm32"))]
impl Shelf for Vec<u8> {
    fn file(self) -> Result<Handle, String> {
        Ok(Handle(self))
    }
}

#[cfg(target_arch = "wasm32")]
pub use browser::BlobShelf;

#[cfg(target_arch = "wasm32")]
mod browser {
    use super::{Handle, Shelf, Sink};
    use js_sys::{Array, Uint8Array};
    use web_sys::Blob;

    /// Bytes that wait before they become a piece.
    const PIECE_BYTES: usize = 1 << 20;

    /// A file in the browser: pieces that lie outside of the memory of this module, where the browser puts them on disk
    /// when they are many.
    #[derive(Debug, Default)]
    pub struct BlobShelf {
        waiting: Vec<u8>,
        pieces: Array,
        failed: Option<String>,
    }

    impl BlobShelf {
        fn put_away(&mut self) {
            let parts = Array::of1(&Uint8Array::from(self.waiting.as_slice()));
            match Blob::new_with_u8_array_sequence(&parts) {
                Ok(blob) => drop(self.pieces.push(&blob)),
                Err(error) => self.failed = Some(format!("the browser has no room: {error:?}")),
            }
            self.waiting.clear();
        }
    }

    impl Sink for BlobShelf {
        fn put(&mut self, bytes: &[u8]) {
            self.waiting.extend_from_slice(bytes);
            if self.waiting.len() >= PIECE_BYTES {
                self.put_away();
            }
        }
    }

    impl Shelf for BlobShelf {
        fn file(mut self) -> Result<Handle, String> {
            self.put_away();
            if let Some(why) = self.failed {
                return Err(why);
            }
            Blob::new_with_blob_sequence(&self.pieces)
                .map(Handle)
                .map_err(|error| format!("the browser has no room: {error:?}"))
        }
    }
}
