//! Where written bytes go.

/// Takes the bytes of a file from its start to its end.
pub trait Sink {
    /// The next bytes. A sink that can fail keeps its first error and tells it at its own end.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl<T: Sink + ?Sized> Sink for &mut T {
    fn put(&mut self, bytes: &[u8]) {
        (**self).put(bytes);
    }
}
