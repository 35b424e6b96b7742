//! One module for page and worker: the library decides which of the two it is.
fn main() {
    triescope_web::start();
}
