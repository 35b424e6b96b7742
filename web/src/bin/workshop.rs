//! The workshop: what is not needed to open files and look keys up, as a module of its own that a worker loads when it is
//! first asked for something.
fn main() {
    triescope_web::start_workshop();
}
