//! The page.
fn main() {
    triescope_web::start();
}
