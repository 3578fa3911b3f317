//! A panel: two axes and the marks between them.

use super::clip;
use super::font::{Face, HALF_CAP};
use super::label::spread;
use super::scale::Axis;
use super::scene::{Anchor, Fill, Point, Rect, Scene};
use super::style::{AXIS, Color, Stroke, TEXT, palette};

/// Length of a tick, points.
const TICK: f64 = 2.5;
/// From the end of a line to its label, points.
const LABEL_GAP: f64 = 8.0;

/// What can be drawn; values are in the units of the axes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    /// A line, with a label at its end.
    Line {
        /// Its corners, from left to right.
        points: Vec<(f64, f64)>,
        /// Its look.
        stroke: Stroke,
        /// The words at its right end.
        label: Option<String>,
    },
    /// An area between two curves: x, low, high.
    Band {
        /// Its corners, from left to right.
        points: Vec<(f64, f64, f64)>,
        /// Its colour.
        color: Color,
        /// How much of it is seen, 0 to 1.
        opacity: f64,
    },
    /// A histogram: one edge more than heights.
    Bars {
        /// Where bars begin and end.
        edges: Vec<f64>,
        /// How high they are.
        heights: Vec<f64>,
        /// Their colour.
        color: Color,
        /// How much of the filling is seen, 0 to 1.
        opacity: f64,
        /// A line around all of them.
        outline: Option<Stroke>,
    },
    /// Dots with bars of plus and minus an error: x, y, error.
    Points {
        /// The dots; an error of 0 has no bar.
        points: Vec<(f64, f64, f64)>,
        /// Their colour.
        color: Color,
        /// Their radius, points.
        radius: f64,
    },
    /// A straight line that is no data.
    Segment {
        /// One end.
        from: (f64, f64),
        /// The other.
        to: (f64, f64),
        /// Its look.
        stroke: Stroke,
    },
    /// Words.
    Note {
        /// Where; the text is centred on it in height.
        at: (f64, f64),
        /// What.
        text: String,
        /// Its colour.
        color: Color,
        /// Which end of it is there.
        anchor: Anchor,
    },
}

/// Two axes and what is between.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Panel {
    /// Above the panel; empty for none.
    pub(super) title: String,
    /// The horizontal axis.
    pub(super) x: Axis,
    /// The vertical axis.
    pub(super) y: Axis,
    /// From back to front.
    pub(super) marks: Vec<Mark>,
}

impl Panel {
    /// An empty panel.
    pub(super) fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, marks: Vec::new() }
    }

    /// Adds a mark.
    pub(super) fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// Words in the upper right corner.
    pub(super) fn corner_note(&mut self, text: impl Into<String>) {
        let at = (self.x.range.1, self.y.range.1);
        let (text, color) = (text.into(), palette::GREY);
        self.mark(Mark::Note { at, text, color, anchor: Anchor::End });
    }

    /// Room that the labels at line ends need.
    pub(super) fn label_width(&self) -> f64 {
        self.labels()
            .map(|(_, _, text)| LABEL_GAP + Face::Regular.width(text, TEXT))
            .fold(0.0, f64::max)
    }

    fn labels(&self) -> impl Iterator<Item = (&[(f64, f64)], &Stroke, &str)> {
        self.marks.iter().filter_map(|mark| match mark {
            Mark::Line { points, stroke, label: Some(label) } => {
                Some((points.as_slice(), stroke, label.as_str()))
            }
            _ => None,
        })
    }

    /// Ticks of the vertical axis for a panel of this height.
    pub(super) fn y_ticks(&self, height: f64) -> Vec<(f64, String)> {
        self.y.labelled_ticks((height / 14.0).clamp(3.0, 6.0) as usize)
    }

    /// Ticks of the horizontal axis for a panel of this width, without labels that would touch.
    pub(super) fn x_ticks(&self, width: f64) -> Vec<(f64, String)> {
        let touch = |a: &(f64, String), b: &(f64, String)| {
            let end = |(value, text): &(f64, String), side: f64| {
                let half = Face::Regular.width(text, TEXT) / 2.0 + 2.5;
                self.x.place(*value) * width + side * half
            };
            end(a, 1.0) > end(b, -1.0)
        };
        let mut ticks = Vec::new();
        for most in (2..=6).rev() {
            ticks = self.x.labelled_ticks(most);
            if !ticks.windows(2).any(|pair| touch(&pair[0], &pair[1])) {
                return ticks;
            }
        }
        // Places that were asked for are not fewer for fewer ticks.
        let mut apart: Vec<(f64, String)> = Vec::new();
        for tick in ticks {
            if !apart.last().is_some_and(|last| touch(last, &tick)) {
                apart.push(tick);
            }
        }
        apart
    }

    /// How far tick labels stand out at the left and the right end of the horizontal axis.
    pub(super) fn overhang(&self, width: f64) -> (f64, f64) {
        self.x_ticks(width).iter().fold((0.0, 0.0), |(left, right): (f64, f64), (value, text)| {
            let half = Face::Regular.width(text, TEXT) / 2.0;
            let at = self.x.place(*value) * width;
            (left.max(half - at), right.max(at + half - width))
        })
    }

    /// Draws everything; tick labels of the vertical axis only where asked.
    pub(super) fn draw(&self, scene: &mut Scene, area: &Rect, y_labels: bool) {
        for mark in &self.marks {
            self.draw_mark(scene, area, mark);
        }
        self.draw_axes(scene, area, y_labels);
        self.draw_labels(scene, area);
    }

    fn at(&self, area: &Rect, (x, y): (f64, f64)) -> Point {
        (area.left + self.x.place(x) * area.width(), area.bottom - self.y.place(y) * area.height())
    }

    fn draw_mark(&self, scene: &mut Scene, area: &Rect, mark: &Mark) {
        let at = |p| self.at(area, p);
        match mark {
            Mark::Line { points, stroke, .. } => {
                let places: Vec<Point> = points.iter().map(|&p| at(p)).collect();
                for run in clip::line(&places, area) {
                    scene.polyline(&run, *stroke);
                }
            }
            Mark::Band { points, color, opacity } => {
                let sound = || points.iter().filter(|p| (p.0 + p.1 + p.2).is_finite());
                let there = sound().map(|p| at((p.0, p.2)));
                let back = sound().rev().map(|p| at((p.0, p.1)));
                let outline: Vec<Point> = there.chain(back).collect();
                let fill = Fill { color: *color, opacity: *opacity };
                scene.polygon(&clip::polygon(&outline, area), fill);
            }
            Mark::Bars { edges, heights, color, opacity, outline } => {
                let floor = self.y.range.0;
                let mut shape = Vec::with_capacity(2 * edges.len());
                for (pair, &height) in edges.windows(2).zip(heights) {
                    shape.extend([at((pair[0], height)), at((pair[1], height))]);
                }
                let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else { return };
                shape.insert(0, at((first, floor)));
                shape.push(at((last, floor)));
                let fill = Fill { color: *color, opacity: *opacity };
                scene.polygon(&clip::polygon(&shape, area), fill);
                for run in outline.iter().flat_map(|_| clip::line(&shape, area)) {
                    scene.polyline(&run, outline.unwrap_or(AXIS));
                }
            }
            Mark::Points { points, color, radius } => {
                for &(x, y, error) in points {
                    let ends = (at((x, y - error)), at((x, y + error)));
                    if error > 0.0
                        && let Some((from, to)) = clip::segment(ends.0, ends.1, area)
                    {
                        scene.polyline(&[from, to], Stroke::new(*color, 0.6));
                    }
                }
                for &(x, y, _) in points {
                    dot(scene, at((x, y)), *radius, Fill::solid(*color), area);
                }
            }
            Mark::Segment { from, to, stroke } => {
                if let Some((from, to)) = clip::segment(at(*from), at(*to), area) {
                    scene.polyline(&[from, to], *stroke);
                }
            }
            Mark::Note { at: place, text, color, anchor } => {
                let (x, y) = at(*place);
                let half = TEXT * HALF_CAP;
                // Inside, whatever the place.
                let y = (y + half).clamp(area.top + 2.0 * half, area.bottom - 1.5);
                let width = Face::Regular.width(text, TEXT);
                let (before, after) = match anchor {
                    Anchor::Start => (0.0, width),
                    Anchor::Middle => (width / 2.0, width / 2.0),
                    Anchor::End => (width, 0.0),
                };
                let x = x.min(area.right - after).max(area.left + before + 2.0);
                scene.text((x, y), text, TEXT, color.for_text(), *anchor).halo = true;
            }
        }
    }

    fn draw_axes(&self, scene: &mut Scene, area: &Rect, y_labels: bool) {
        let corner = [(area.left, area.top), (area.left, area.bottom), (area.right, area.bottom)];
        scene.polyline(&corner, AXIS);
        for (value, text) in self.x_ticks(area.width()) {
            let x = area.left + self.x.place(value) * area.width();
            scene.polyline(&[(x, area.bottom), (x, area.bottom + TICK)], AXIS);
            let y = area.bottom + TICK + 1.0 + TEXT;
            scene.text((x, y), text, TEXT, palette::INK, Anchor::Middle);
        }
        for (value, text) in self.y_ticks(area.height()) {
            let y = area.bottom - self.y.place(value) * area.height();
            scene.polyline(&[(area.left - TICK, y), (area.left, y)], AXIS);
            if y_labels {
                let at = (area.left - TICK - 1.5, y + TEXT * HALF_CAP);
                scene.text(at, text, TEXT, palette::INK, Anchor::End);
            }
        }
        let minor = TICK * 0.55;
        for value in self.x.minor_ticks() {
            let x = area.left + self.x.place(value) * area.width();
            scene.polyline(&[(x, area.bottom), (x, area.bottom + minor)], AXIS);
        }
        for value in self.y.minor_ticks() {
            let y = area.bottom - self.y.place(value) * area.height();
            scene.polyline(&[(area.left - minor, y), (area.left, y)], AXIS);
        }
    }

    /// Labels to the right, pushed apart, each led to by its line.
    fn draw_labels(&self, scene: &mut Scene, area: &Rect) {
        let ends: Vec<(Point, &Stroke, &str)> = self
            .labels()
            .filter_map(|(points, stroke, text)| {
                let last = points.iter().rev().find(|p| p.0.is_finite() && p.1.is_finite())?;
                let (x, y) = self.at(area, *last);
                Some(((x.min(area.right), y.clamp(area.top, area.bottom)), stroke, text))
            })
            .collect();
        let wanted: Vec<f64> = ends.iter().map(|e| e.0.1).collect();
        let room = (area.top - 2.0, area.bottom + 2.0);
        let places = spread(&wanted, TEXT * 1.18, room);
        for ((end, stroke, text), y) in ends.iter().zip(places) {
            let start = end.0.max(area.right - 1.0) + 2.0;
            let lead = [(start, end.1), (area.right + LABEL_GAP - 1.5, y)];
            scene.polyline(&lead, Stroke::new(stroke.color, 0.4));
            let at = (area.right + LABEL_GAP, y + TEXT * HALF_CAP);
            scene.text(at, *text, TEXT, stroke.color.for_text(), Anchor::Start);
        }
    }
}

/// A circle whose centre is inside.
fn dot(scene: &mut Scene, center: Point, radius: f64, fill: Fill, area: &Rect) {
    let inside = clip::segment(center, center, area).is_some();
    if inside && radius > 0.0 {
        scene.circle(center, radius, Some(fill), None);
    }
}
