//! No picture of the packing has a fault, at any width, from nothing to 256 subtrees.

use super::*;
use crate::layout::{Mark, Scene, Shape};

const WIDTHS: [f64; 7] = [358.0, 390.0, 480.0, 620.0, 772.0, 1000.0, 1400.0];

fn accept(what: &str, width: f64, scene: &Scene) {
    assert_eq!(scene.faults(), Vec::<String>::new(), "{what} at {width}");
    for mark in &scene.marks {
        if let Shape::Rect { rect, .. } = &mark.shape {
            let inside = rect.x >= -1.0 && rect.right() <= scene.width + 1.0 && rect.w >= 0.0;
            let high = rect.y >= -1.0 && rect.bottom() <= scene.height + 1.0 && rect.h >= 0.0;
            assert!(inside && high, "{what} at {width}: {rect:?} in {}", scene.width);
        }
    }
}

fn text(mark: &Mark) -> Option<&str> {
    match &mark.shape {
        Shape::Text { text, .. } => Some(text),
        _ => None,
    }
}

fn heap(count: usize, now: Option<usize>, left: u64) -> Heap {
    let bar = |i: usize| {
        let size = 860 - 380 * i as u64 / count.max(1) as u64;
        let state = match i {
            i if Some(i) == now => State::Now,
            i if i % 5 == 4 => State::Written,
            _ if size <= left => State::Fits,
            _ => State::TooLarge,
        };
        Bar { edge: format!("{i:02x}"), size, state, step: Some(i as u64 + 1) }
    };
    let now = "the greatest that fits".to_owned();
    Heap { bars: (0..count).map(bar).collect(), left: Some((7, left)), now }
}

#[test]
fn subtrees_have_no_faults() {
    for width in WIDTHS {
        for count in [0_usize, 1, 2, 7, 30, 100, 256] {
            for now in [None, Some(0), Some(count / 2), Some(count.saturating_sub(1))] {
                for left in [0, 1, 650, 860, 4096] {
                    let scene = subtrees(&heap(count, now, left), width, 220.0);
                    accept(&format!("{count} subtrees, {now:?}, {left} left"), width, &scene);
                }
            }
        }
        accept("subtrees of no page", width, &subtrees(&Heap::default(), width, 180.0));
    }
}

#[test]
fn a_bar_is_as_high_as_its_bytes_and_leads_to_its_step() {
    let scene = subtrees(&heap(256, Some(80), 650), 1000.0, 248.0);
    let bars: Vec<_> = scene
        .marks
        .iter()
        .filter_map(|mark| match (&mark.shape, mark.hit) {
            (Shape::Rect { rect, .. }, Some(hit)) => Some((hit, *rect)),
            _ => None,
        })
        .collect();
    assert_eq!(bars.len(), 256);
    let high = |i: usize| bars[i].1.h;
    assert!((high(0) / high(255) - 860.0 / 482.0).abs() < 0.01);
    assert_eq!((bars[0].0, bars[255].0), (0, 255));
    let texts: Vec<_> = scene.marks.iter().filter_map(text).collect();
    assert!(texts.contains(&"space left in page 7: 650 B"), "{texts:?}");
    assert!(texts.iter().any(|text| text.ends_with("the greatest that fits")), "{texts:?}");
}

#[test]
fn the_page_has_no_faults_and_true_scale() {
    let piece = |i: u64, size: u64, is_pad: bool| Piece {
        name: format!("{i:02x}"),
        at: i * size,
        size,
        is_now: i == 5,
        is_pad,
        step: Some(i),
    };
    for width in WIDTHS {
        for (count, size) in [(0, 1), (1, 4096), (5, 689), (6, 682), (64, 64), (1024, 4)] {
            let mut pieces: Vec<_> = (0..count).map(|i| piece(i, size, false)).collect();
            if let Some(last) = pieces.last_mut() {
                last.is_pad = true;
            }
            let rest = "1 B left, no waiting subtree is that small: zeros".to_owned();
            accept("page", width, &page(&Filling { page: 1_234_567, pieces, rest }, width));
        }
    }
    let one = vec![piece(0, 2048, false)];
    let scene = page(&Filling { page: 7, pieces: one, rest: String::new() }, 1001.0);
    let wide = scene.marks.iter().find_map(|mark| match &mark.shape {
        Shape::Rect { rect, .. } if mark.class == "seg-t" => Some(rect.w),
        _ => None,
    });
    assert!((wide.unwrap() - 499.0).abs() < 0.01, "{wide:?}");
}

#[test]
fn the_file_has_no_faults() {
    for width in WIDTHS {
        for of in [1, 4095, 4097, 162_365, 2_001_223, 44_000_000_000] {
            for bytes in [0, of / 5, of - 1, of] {
                let file_so_far = FileSoFar {
                    bytes,
                    of,
                    page: bytes.saturating_sub(1) / 4096,
                    begun: vec![1],
                    end: "the root comes last, in page 39".into(),
                };
                accept(&format!("{bytes} of {of}"), width, &file(&file_so_far, width));
            }
        }
    }
}

#[test]
fn the_stack_has_no_faults() {
    for width in [290.0, 358.0, 380.0, 600.0] {
        for depth in [0, 1, 2, 5, 6, 300] {
            for kids in [0, 1, 3, 256] {
                let level = |i: usize| Level {
                    edge: if i.is_multiple_of(2) { format!("{i:02x}") } else { "61".repeat(300) },
                    kids: (0..kids).map(|k| Kid { edge: format!("{k:02x}"), size: 612 }).collect(),
                    below: (i % 3 == 1).then_some(156_825),
                    own: (i + 1 == depth).then_some(771),
                    is_now: i + 1 == depth,
                };
                let levels: Vec<_> = (0..depth).map(level).collect();
                accept(&format!("{depth} deep, {kids}"), width, &stack(&levels, width));
            }
        }
    }
}
