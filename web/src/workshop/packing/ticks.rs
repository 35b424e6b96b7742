//! The scrub line of a packing: a tick a step while they stay apart, a taller one where a page begins.

use crate::layout::Path;

/// Units of the line, which the page stretches to the width that it has.
const UNITS: f64 = 1000.0;
/// Ticks closer than so many pixels run together.
const APART: f64 = 2.5;

/// Paths of the steps and of the beginnings of pages, in a view of this width. Steps are spread evenly; each tick stands in
/// the middle of its own.
pub fn ticks(steps: u64, begun: &[u64], width: u32) -> (String, String) {
    // What the buttons beside the line leave of the width.
    let line = f64::from(if width < 720 { width } else { width.saturating_sub(600).max(200) });
    let least = APART * UNITS / line.max(1.0);
    let wide = UNITS / steps.max(1) as f64;
    let x = |step: u64| (step as f64 - 0.5) * wide;
    let tick = |path: Path, step: u64, top: f64, bottom: f64| path.to(x(step), top).v(bottom);
    let all = (1..=steps).take_while(|_| wide >= least);
    let all = all.fold(Path::new(), |path, step| tick(path, step, 16.0, 26.0));
    let mut last = -least;
    let begun = begun.iter().filter(|step| {
        // Two of them stay two.
        let apart = x(**step) - last >= least;
        last = if apart { x(**step) } else { last };
        apart
    });
    let begun = begun.fold(Path::new(), |path, step| tick(path, *step, 10.0, 32.0));
    (all.into(), begun.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_steps_are_no_million_ticks() {
        let count = |path: &str| path.matches('M').count();
        let (all, begun) = ticks(292, &[1, 8, 15], 1440);
        assert_eq!((count(&all), count(&begun)), (292, 3));
        assert_eq!(count(&ticks(292, &[1, 8, 15], 390).0), 0);
        let every: Vec<u64> = (1..=1_000_000).step_by(10).collect();
        let (all, begun) = ticks(1_000_000, &every, 1440);
        assert!(all.is_empty() && (200..=400).contains(&count(&begun)), "{}", count(&begun));
        assert_eq!(ticks(0, &[], 390), (String::new(), String::new()));
    }
}
