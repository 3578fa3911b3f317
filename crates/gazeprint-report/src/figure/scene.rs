//! What is on a figure, in points (1/72 inch) from the upper left corner: shapes and text.
//!
//! Everything is already where it belongs and cut to its panel, so that the writers of SVG, PDF and
//! PNG need no layout and no clipping.

use super::font::Face;
use super::style::{Color, Marker, Shape, Stroke, palette};

/// Points in a millimetre.
pub(super) const MM: f64 = 72.0 / 25.4;

/// Distances that are not seen, points: half a dot of print.
const THINNEST: f64 = 0.12;

/// Places that are nearer to a straight line than this are not told from it, points.
const STRAIGHT: f64 = 0.04;

/// Places that one straight line stands for at most.
const LONGEST: usize = 64;

/// A place, in points.
pub(super) type Point = (f64, f64);

/// A rectangle, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }
    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// A step of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    Move(Point),
    Line(Point),
    Quad(Point, Point),
    Cubic(Point, Point, Point),
    Close,
}

/// A colour and how much of it is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fill {
    pub(super) color: Color,
    pub(super) opacity: f64,
}

impl Fill {
    pub(super) fn solid(color: Color) -> Self {
        Self { color, opacity: 1.0 }
    }
}

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One line of text; `at` is on the baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    pub(super) at: Point,
    pub(super) text: String,
    pub(super) size: f64,
    pub(super) face: Face,
    pub(super) color: Color,
    pub(super) anchor: Anchor,
    /// Read from below to above.
    pub(super) upright: bool,
    /// A white rim that keeps it readable over lines.
    pub(super) halo: bool,
    /// Every character in a cell of this width.
    pub(super) cell: Option<f64>,
}

/// A place with the numbers that it stands for, as the table of the figure has them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pointed {
    pub(super) at: Point,
    pub(super) values: Vec<String>,
}

/// Shapes that belong together, with what a page shows of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Group {
    /// The method that they are of, where they are of one.
    pub(super) method: Option<String>,
    /// What they are, where a method does not say it.
    pub(super) label: String,
    /// What the values of points are.
    pub(super) names: Vec<String>,
    /// Where a page says numbers.
    pub(super) points: Vec<Pointed>,
}

/// A shape or a text, or where a group of them begins and ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Path { steps: Vec<Step>, fill: Option<Fill>, stroke: Option<Stroke> },
    Circle { center: Point, radius: f64, fill: Option<Fill>, stroke: Option<Stroke> },
    Text(Text),
    Open(Group),
    Close,
}

/// Everything on a figure, from back to front.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: String,
    pub(super) items: Vec<Item>,
}

impl Scene {
    pub(super) fn new(width: f64) -> Self {
        Self { width, height: 0.0, title: String::new(), items: Vec::new() }
    }

    /// A line through places.
    pub(super) fn polyline(&mut self, points: &[Point], stroke: Stroke) {
        if points.len() < 2 {
            return;
        }
        self.path(trace(&thinned(points)), None, Some(stroke));
    }

    /// A filled area without an outline.
    pub(super) fn polygon(&mut self, points: &[Point], fill: Fill) {
        if points.len() < 3 {
            return;
        }
        let mut steps = trace(&thinned(points));
        steps.push(Step::Close);
        self.path(steps, Some(fill), None);
    }

    pub(super) fn path(&mut self, steps: Vec<Step>, fill: Option<Fill>, stroke: Option<Stroke>) {
        self.items.push(Item::Path { steps, fill, stroke });
    }

    pub(super) fn circle(
        &mut self,
        center: Point,
        radius: f64,
        fill: Option<Fill>,
        stroke: Option<Stroke>,
    ) {
        self.items.push(Item::Circle { center, radius, fill, stroke });
    }

    /// A mark of a place, about as large as a circle of that radius.
    pub(super) fn marker(&mut self, (x, y): Point, radius: f64, color: Color, marker: Marker) {
        let stroke = (!marker.full).then(|| Stroke::new(color, 0.5 * radius));
        let fill = Fill::solid(if marker.full { color } else { palette::WHITE });
        let corners: &[Point] = match marker.shape {
            Shape::Circle => return self.circle((x, y), radius, Some(fill), stroke),
            Shape::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Shape::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
            Shape::Up => &[(0.0, -1.3), (1.2, 0.8), (-1.2, 0.8)],
            Shape::Down => &[(0.0, 1.3), (1.2, -0.8), (-1.2, -0.8)],
        };
        let corners: Vec<Point> =
            corners.iter().map(|(right, down)| (x + right * radius, y + down * radius)).collect();
        let mut steps = trace(&corners);
        steps.push(Step::Close);
        self.path(steps, Some(fill), stroke);
    }

    /// What `draw` adds belongs together.
    pub(super) fn group(&mut self, group: Group, draw: impl FnOnce(&mut Self)) {
        self.items.push(Item::Open(group));
        draw(self);
        self.items.push(Item::Close);
    }

    /// Plain text, to be changed where it is special.
    pub(super) fn text(
        &mut self,
        at: Point,
        text: impl Into<String>,
        size: f64,
        color: Color,
        anchor: Anchor,
    ) -> &mut Text {
        self.items.push(Item::Text(Text {
            at,
            text: text.into(),
            size,
            face: Face::Regular,
            color,
            anchor,
            upright: false,
            halo: false,
            cell: None,
        }));
        match self.items.last_mut() {
            Some(Item::Text(text)) => text,
            _ => unreachable!("a text was just put there"),
        }
    }
}

/// Without places that no one can tell from the one before, or from a straight line between others:
/// curves of thousands of thresholds, or on fine grids.
fn thinned(points: &[Point]) -> Vec<Point> {
    let mut apart: Vec<Point> = Vec::with_capacity(points.len());
    for (i, &point) in points.iter().enumerate() {
        let near = apart.last().is_some_and(|last| {
            (point.0 - last.0).abs() < THINNEST && (point.1 - last.1).abs() < THINNEST
        });
        if !near || i + 1 == points.len() {
            apart.push(point);
        }
    }
    let mut kept = vec![apart[0]];
    let mut from = 0;
    for to in 2..apart.len() {
        let is_straight = |p: &Point| distance(*p, apart[from], apart[to]) < STRAIGHT;
        if to - from > LONGEST || !apart[from + 1..to].iter().all(is_straight) {
            from = to - 1;
            kept.push(apart[from]);
        }
    }
    kept.extend(apart[1..].last());
    kept
}

/// How far a place is from the straight line between two.
fn distance(p: Point, from: Point, to: Point) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (px, py) = (p.0 - from.0, p.1 - from.1);
    let along = ((px * dx + py * dy) / (dx * dx + dy * dy).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (px - along * dx).hypot(py - along * dy)
}

fn trace(points: &[Point]) -> Vec<Step> {
    let mut steps = Vec::with_capacity(points.len() + 1);
    steps.push(Step::Move(points[0]));
    steps.extend(points[1..].iter().map(|&p| Step::Line(p)));
    steps
}

/// A circle as curves, for writers that know no circles.
pub(super) fn round((x, y): Point, radius: f64) -> Vec<Step> {
    // The distance of control points at which a cubic curve is nearest to a quarter of a circle.
    let k = 0.552_284_75 * radius;
    let r = radius;
    vec![
        Step::Move((x + r, y)),
        Step::Cubic((x + r, y + k), (x + k, y + r), (x, y + r)),
        Step::Cubic((x - k, y + r), (x - r, y + k), (x - r, y)),
        Step::Cubic((x - r, y - k), (x - k, y - r), (x, y - r)),
        Step::Cubic((x + k, y - r), (x + r, y - k), (x + r, y)),
        Step::Close,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_corners_and_lose_what_is_straight() {
        let corner = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 2.0), (4.0, 2.0), (4.0, 0.0)];
        assert_eq!(thinned(&corner), [(0.0, 0.0), (2.0, 2.0), (4.0, 2.0), (4.0, 0.0)]);
        assert_eq!(thinned(&corner[..2]), corner[..2]);
        // There and back is no straight line.
        let spike = [(0.0, 0.0), (5.0, 0.0), (1.0, 0.0)];
        assert_eq!(thinned(&spike), spike);
        let arc: Vec<Point> =
            (0..500).map(|i| f64::from(i) / 500.0).map(|t| (70.0 * t, 40.0 * t * t)).collect();
        let few = thinned(&arc);
        assert!(few.len() < 60, "{}", few.len());
        for p in arc {
            let nearest = few.windows(2).map(|pair| distance(p, pair[0], pair[1]));
            assert!(nearest.fold(f64::INFINITY, f64::min) < 0.06);
        }
    }
}
