//! The workers, as a module of its own that is loaded when something is first opened: one looks keys up, the workshop builds
//! indexes and makes boards.
fn main() {
    triescope_web::start_worker();
}
