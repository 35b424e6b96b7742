//! SVG paths and numbers of pixels as text, without the formatting of floating-point numbers that costs a page 20 KB.

use super::Rect;

/// A number of pixels, rounded to hundredths: `12`, `-0.5`, `7.25`.
pub fn px(value: f64) -> String {
    let hundredths = (value * 100.0).round() as i64;
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, part) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    match (part, part % 10) {
        (0, _) => format!("{sign}{whole}"),
        (_, 0) => format!("{sign}{whole}.{}", part / 10),
        _ => format!("{sign}{whole}.{part:02}"),
    }
}

/// Builds the `d` of an SVG path, in absolute coordinates.
#[derive(Clone, Debug, Default)]
pub struct Path(String);

impl Path {
    /// An empty path.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves to a point.
    pub fn to(self, x: f64, y: f64) -> Self {
        self.put('M', &[x, y])
    }

    /// A line to a point.
    pub fn line(self, x: f64, y: f64) -> Self {
        self.put('L', &[x, y])
    }

    /// A horizontal line.
    pub fn h(self, x: f64) -> Self {
        self.put('H', &[x])
    }

    /// A vertical line.
    pub fn v(self, y: f64) -> Self {
        self.put('V', &[y])
    }

    /// Back to where it began.
    pub fn close(mut self) -> Self {
        self.0.push('z');
        self
    }

    /// A rectangle.
    pub fn rect(self, rect: Rect) -> Self {
        self.to(rect.x, rect.y).h(rect.right()).v(rect.bottom()).h(rect.x).close()
    }

    /// Lines at 45° through a rectangle, `every` pixels apart.
    pub fn hatch(mut self, rect: Rect, every: f64) -> Self {
        let count = ((rect.w + rect.h) / every).ceil() as usize;
        for i in 0..count.min(4096) {
            // The line x + y = c, cut to the rectangle.
            let c = (i as f64 + 0.5) * every;
            let (left, right) = ((c - rect.h).max(0.0), c.min(rect.w));
            if right > left {
                let y = |x: f64| rect.y + c - x;
                self = self.to(rect.x + left, y(left)).line(rect.x + right, y(right));
            }
        }
        self
    }

    /// Whether nothing was drawn.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn put(mut self, command: char, numbers: &[f64]) -> Self {
        self.0.push(command);
        for (i, number) in numbers.iter().enumerate() {
            if i > 0 {
                self.0.push(' ');
            }
            self.0.push_str(&px(*number));
        }
        self
    }
}

impl From<Path> for String {
    fn from(path: Path) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_rounded_to_hundredths() {
        let numbers = [0.0, 12.0, -0.5, 7.254, 1.999, -3.05, 0.004];
        assert_eq!(numbers.map(px), ["0", "12", "-0.5", "7.25", "2", "-3.05", "0"]);
    }

    #[test]
    fn a_hatch_stays_inside_its_rectangle() {
        let text: String = Path::new().hatch(Rect::new(10.0, 20.0, 30.0, 8.0), 5.0).into();
        let numbers = text.split(['M', 'L']).filter(|part| !part.is_empty());
        let mut lines = 0;
        for point in numbers {
            let (x, y) = point.split_once(' ').unwrap();
            let (x, y) = (x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap());
            assert!((10.0..=40.0).contains(&x) && (20.0..=28.0).contains(&y), "{point}");
            lines += 1;
        }
        assert!(lines >= 12, "{text}");
    }
}
