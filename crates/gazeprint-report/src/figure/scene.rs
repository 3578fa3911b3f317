//! What is on a figure, in points (1/72 inch) from the upper left corner: shapes and text.
//!
//! Everything is already where it belongs and cut to its panel, so that the writers of SVG and of
//! PNG need no layout and no clipping.

use super::font::Face;
use super::style::{Color, Stroke};

/// Points in a millimetre.
pub(super) const MM: f64 = 72.0 / 25.4;

/// Distances that are not seen, points: half a dot of print.
const THINNEST: f64 = 0.12;

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

/// A shape or a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Path { steps: Vec<Step>, fill: Option<Fill>, stroke: Option<Stroke> },
    Circle { center: Point, radius: f64, fill: Option<Fill>, stroke: Option<Stroke> },
    Text(Text),
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

/// Without places that no one can tell from the one before: curves of thousands of thresholds.
fn thinned(points: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for (i, &point) in points.iter().enumerate() {
        let near = kept.last().is_some_and(|last| {
            (point.0 - last.0).abs() < THINNEST && (point.1 - last.1).abs() < THINNEST
        });
        if !near || i + 1 == points.len() {
            kept.push(point);
        }
    }
    kept
}

fn trace(points: &[Point]) -> Vec<Step> {
    let mut steps = Vec::with_capacity(points.len() + 1);
    steps.push(Step::Move(points[0]));
    steps.extend(points[1..].iter().map(|&p| Step::Line(p)));
    steps
}
