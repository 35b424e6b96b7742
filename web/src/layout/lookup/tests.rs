//! What must hold for every picture of the lookup, at every width.

use super::*;
use crate::layout::{Scene, Shape};
use triescope_core::race::Race;

const WIDTHS: [f64; 8] = [320.0, 358.0, 500.0, 600.0, 720.0, 772.0, 1008.0, 1500.0];

fn races() -> Vec<(&'static str, Race)> {
    vec![
        ("present", sample::present()),
        ("dead end", sample::dead_end()),
        ("hash differs", sample::other_hash()),
        ("filter", sample::filtered()),
        ("30 nodes", sample::long_chain(30)),
        ("9000 nodes", sample::long_chain(9000)),
    ]
}

fn scenes(race: &Race, width: f64) -> [(&'static str, Scene); 3] {
    let mut files = Files::of(race, None, None, width);
    files.partitions = files.partitions.max(162_365);
    files.index = 198_898;
    files.scale = width / 198_898.0;
    [
        ("trie", trie(race, &files, width)),
        ("legacy", legacy(race, &files, width)),
        ("strips", phone_strips(race, &files, width)),
    ]
}

#[test]
fn no_label_overlaps_or_is_cut_at_any_width() {
    for (name, race) in races() {
        for width in WIDTHS {
            for (lane, scene) in scenes(&race, width) {
                assert_eq!(scene.faults(), Vec::<String>::new(), "{name}, {lane}, {width} px");
            }
        }
    }
}

#[test]
fn marks_stay_inside_the_picture() {
    for (name, race) in races() {
        for width in WIDTHS {
            for (lane, scene) in scenes(&race, width) {
                for mark in &scene.marks {
                    let Shape::Rect { rect, .. } = &mark.shape else { continue };
                    let inside = rect.x >= -0.6
                        && rect.right() <= width + 0.6
                        && rect.y >= -0.6
                        && rect.bottom() <= scene.height + 0.6;
                    assert!(inside, "{name}, {lane}, {width} px: {mark:?}");
                }
            }
        }
    }
}
