//! Where things are drawn: pure functions from data and a width to marks, in CSS pixels. No browser.
