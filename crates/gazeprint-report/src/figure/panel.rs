//! A panel: two axes and the marks between them.

use super::clip;
use super::font::{Face, HALF_CAP};
use super::label::spread;
use super::scale::Axis;
use super::scene::{Anchor, Fill, Group, Point, Pointed, Rect, Scene};
use super::style::{AXIS, Color, Marker, Stroke, TEXT, palette};
use crate::csv::number;

/// Length of a tick, points.
const TICK: f64 = 2.5;
/// Places that are closer cannot be pointed at one by one, points.
const APART: f64 = 2.5;
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
    /// Places with bars of plus and minus an error: x, y, error.
    Points {
        /// The places; an error that is none, or 0, has no bar.
        points: Vec<(f64, f64, f64)>,
        /// Their colour.
        color: Color,
        /// Half their size, points.
        radius: f64,
        /// Their shape.
        marker: Marker,
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
    /// Marks of one thing, with the numbers behind them.
    Series(Series),
}

/// Marks of one thing, with the numbers behind them for those who point at it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Series {
    /// The method, where it is of one.
    pub(super) method: Option<String>,
    /// What it is, where a method does not say it.
    pub(super) label: String,
    /// What values are.
    pub(super) names: Vec<String>,
    /// Places in the units of the axes, with values as the table of the figure has them.
    pub(super) points: Vec<((f64, f64), Vec<f64>)>,
    /// From back to front.
    pub(super) marks: Vec<Mark>,
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
            .map(|label| LABEL_GAP + Face::Regular.width(label.text, TEXT))
            .fold(0.0, f64::max)
    }

    fn labels(&self) -> impl Iterator<Item = Label<'_>> {
        let of_series = self.marks.iter().flat_map(|mark| match mark {
            Mark::Series(series) => {
                series.marks.iter().map(|mark| (series.method.as_deref(), mark)).collect()
            }
            mark => vec![(None, mark)],
        });
        of_series.filter_map(|(method, mark)| match mark {
            Mark::Line { points, stroke, label: Some(text) } => {
                Some(Label { points, stroke, text, method })
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
        self.draw_breaks(scene, area);
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
            Mark::Series(series) => {
                scene.group(self.group(area, series), |scene| {
                    series.marks.iter().for_each(|mark| self.draw_mark(scene, area, mark));
                });
            }
            Mark::Points { points, color, radius, marker } => {
                for &(x, y, error) in points {
                    let ends = (at((x, y - error)), at((x, y + error)));
                    if error > 0.0
                        && let Some((from, to)) = clip::segment(ends.0, ends.1, area)
                    {
                        scene.polyline(&[from, to], Stroke::new(*color, 0.6));
                    }
                }
                for &(x, y, _) in points {
                    place(scene, at((x, y)), *radius, *color, *marker, area);
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

    /// Two strokes across an axis that does not begin at 0.
    fn draw_breaks(&self, scene: &mut Scene, area: &Rect) {
        let mut cut = |(x, y): Point, (along_x, along_y): Point| {
            let corner = |along: f64, across: f64| {
                // Slanted, across the axis.
                let (across_x, across_y) = (along_y - 0.4 * along_x, along_x - 0.4 * along_y);
                (x + along * along_x + across * across_x, y + along * along_y + across * across_y)
            };
            let gap = [corner(0.0, -2.6), corner(0.0, 2.6), corner(2.2, 2.6), corner(2.2, -2.6)];
            scene.polygon(&gap, Fill::solid(palette::WHITE));
            for along in [0.0, 2.2] {
                scene.polyline(&[corner(along, -2.6), corner(along, 2.6)], AXIS);
            }
        };
        if self.x.is_cut() {
            cut((area.left + 4.0, area.bottom), (1.0, 0.0));
        }
        if self.y.is_cut() {
            cut((area.left, area.bottom - 4.0), (0.0, -1.0));
        }
    }

    /// What a page is told of a series: points that are seen, those apart that can be told apart.
    fn group(&self, area: &Rect, series: &Series) -> Group {
        let mut points: Vec<Pointed> = Vec::new();
        for (place, values) in &series.points {
            let at = self.at(area, *place);
            let near = points.last().is_some_and(|last: &Pointed| {
                (at.0 - last.at.0).abs().max((at.1 - last.at.1).abs()) < APART
            });
            if !near && clip::segment(at, at, area).is_some() {
                points.push(Pointed { at, values: values.iter().map(|&v| number(v)).collect() });
            }
        }
        let (method, label) = (series.method.clone(), series.label.clone());
        Group { method, label, names: series.names.clone(), points }
    }

    /// Labels to the right, pushed apart, each led to by its line.
    fn draw_labels(&self, scene: &mut Scene, area: &Rect) {
        let ends: Vec<(Point, Label<'_>)> = self
            .labels()
            .filter_map(|label| {
                let last =
                    label.points.iter().rev().find(|p| p.0.is_finite() && p.1.is_finite())?;
                let (x, y) = self.at(area, *last);
                Some(((x.min(area.right), y.clamp(area.top, area.bottom)), label))
            })
            .collect();
        let wanted: Vec<f64> = ends.iter().map(|e| e.0.1).collect();
        let room = (area.top - 2.0, area.bottom + 2.0);
        let places = spread(&wanted, TEXT * 1.18, room);
        for ((end, label), y) in ends.iter().zip(places) {
            let color = label.stroke.color;
            let start = end.0.max(area.right - 1.0) + 2.0;
            let lead = [(start, end.1), (area.right + LABEL_GAP - 1.5, y)];
            let at = (area.right + LABEL_GAP, y + TEXT * HALF_CAP);
            scene.group(label.group(), |scene| {
                scene.polyline(&lead, Stroke::new(color, 0.4));
                scene.text(at, label.text, TEXT, color.for_text(), Anchor::Start);
            });
        }
    }
}

/// The words at the end of a line.
struct Label<'a> {
    points: &'a [(f64, f64)],
    stroke: &'a Stroke,
    text: &'a str,
    method: Option<&'a str>,
}

impl Label<'_> {
    fn group(&self) -> Group {
        Group { method: self.method.map(str::to_owned), ..Group::default() }
    }
}

/// A mark whose middle is inside.
fn place(scene: &mut Scene, center: Point, radius: f64, color: Color, marker: Marker, area: &Rect) {
    let inside = clip::segment(center, center, area).is_some();
    if inside && radius > 0.0 {
        scene.marker(center, radius, color, marker);
    }
}
