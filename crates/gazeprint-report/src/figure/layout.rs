//! A figure: its size, panels in a grid, keys.

use super::font::{Face, HALF_CAP};
use super::panel::Panel;
use super::scene::{Anchor, Fill, Group, MM, Point, Rect, Scene};
use super::style::{Color, Look, Stroke, TEXT, TITLE, palette};
use super::{Drawing, svg};
use crate::csv::Csv;

/// Space at the edges, points.
const MARGIN: f64 = 3.0;
/// From the axis to the title of the vertical axis beyond the tick labels, points.
const TITLE_GAP: f64 = 4.0;
/// Height of tick labels and axis title below a panel, points.
const BELOW_TICKS: f64 = 11.0;
const BELOW_TITLE: f64 = 11.0;
/// Length of the sample in a key, points.
const SAMPLE: f64 = 20.0;

/// How wide a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// One column of a paper, 85 mm.
    Column,
    /// The whole page, 175 mm.
    Full,
}

impl Width {
    /// In millimetres.
    pub(super) fn mm(self) -> f64 {
        match self {
            Self::Column => 85.0,
            Self::Full => 175.0,
        }
    }
}

/// The sample of a line in a key.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sample {
    /// A line.
    Line(Stroke),
    /// A line within a band.
    Band(Stroke, f64),
    /// An area.
    Area(Color, f64),
}

/// A line of a key.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyEntry {
    /// What it looks like.
    pub(super) sample: Sample,
    /// What it is.
    pub(super) label: String,
    /// More of it, on a line of its own; empty for none.
    pub(super) note: String,
    /// Whether it is a method.
    pub(super) is_method: bool,
}

impl KeyEntry {
    fn width(&self) -> f64 {
        let text = |t: &str| Face::Regular.width(t, TEXT);
        SAMPLE + 4.0 + text(&self.label).max(text(&self.note))
    }

    fn lines(&self) -> f64 {
        if self.note.is_empty() { 1.0 } else { 2.0 }
    }

    /// Draws it to the right of a place.
    fn draw(&self, scene: &mut Scene, (left, y): Point) {
        let ends = [(left, y), (left + SAMPLE, y)];
        let area =
            [(left, y - 3.0), (left + SAMPLE, y - 3.0), (left + SAMPLE, y + 3.0), (left, y + 3.0)];
        let color = match self.sample {
            Sample::Line(stroke) => {
                scene.polyline(&ends, stroke);
                stroke.color
            }
            Sample::Band(stroke, opacity) => {
                scene.polygon(&area, Fill { color: stroke.color, opacity });
                scene.polyline(&ends, stroke);
                stroke.color
            }
            Sample::Area(color, opacity) => {
                scene.polygon(&area, Fill { color, opacity });
                palette::INK
            }
        };
        let x = left + SAMPLE + 4.0;
        let at = (x, y + TEXT * HALF_CAP);
        scene.text(at, &self.label, TEXT, color.for_text(), Anchor::Start);
        if !self.note.is_empty() {
            let at = (x, y + TEXT * HALF_CAP + TEXT * 1.15);
            scene.text(at, &self.note, TEXT, palette::GREY, Anchor::Start);
        }
    }
}

/// What a place of a grid holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    /// A panel.
    Panel(Box<Panel>),
    /// A key.
    Key(Vec<KeyEntry>),
    /// Nothing.
    Empty,
}

impl Cell {
    fn panel(&self) -> Option<&Panel> {
        match self {
            Self::Panel(panel) => Some(panel),
            Self::Key(_) | Self::Empty => None,
        }
    }
}

impl From<Panel> for Cell {
    fn from(panel: Panel) -> Self {
        Self::Panel(Box::new(panel))
    }
}

/// How panels are arranged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    /// Panels side by side.
    pub(super) columns: usize,
    /// Height of each over its width.
    pub(super) aspect: f64,
    /// Whether the panels of a row have one vertical axis: its numbers stand at the first only.
    pub(super) shared_y: bool,
    /// Between neighbours, points.
    pub(super) gap: f64,
    /// To the right of everything.
    pub(super) key: Vec<KeyEntry>,
}

/// A figure in the making.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) scene: Scene,
    /// Where the next part starts.
    pub(super) top: f64,
}

impl Figure {
    /// An empty one; `title` is for readers who cannot see it.
    pub(super) fn new(width: Width, title: impl Into<String>) -> Self {
        let mut scene = Scene::new(width.mm() * MM);
        scene.title = title.into();
        Self { scene, top: MARGIN }
    }

    /// Adds panels below what is there. Titles of axes that neighbours share stand once.
    pub(super) fn grid(&mut self, grid: &Grid, cells: &[Cell]) {
        let rows: Vec<&[Cell]> = cells.chunks(grid.columns.max(1)).collect();
        let plan = self.plan(grid, &rows);
        let first_top = self.top;
        let mut areas = Vec::new();
        for row in &rows {
            areas.push(self.row(grid, row, &plan));
        }
        self.axis_titles(&areas);
        if !grid.key.is_empty() {
            let top = first_top + title_height(rows.first().copied().unwrap_or_default());
            let bottom = self.key(&grid.key, self.scene.width - MARGIN - plan.key, top);
            self.top = self.top.max(bottom);
        }
    }

    /// Divides the width among panels and what stands beside them.
    fn plan(&self, grid: &Grid, rows: &[&[Cell]]) -> Plan {
        let columns = grid.columns.max(1);
        let key = grid.key.iter().map(KeyEntry::width).fold(0.0, f64::max);
        let key_gap = if key > 0.0 { 10.0 } else { 0.0 };
        let room = self.scene.width - 2.0 * MARGIN - key - key_gap;
        // Sizes follow from the widths of tick labels, and which ticks there are from the sizes,
        // but only just: a guess of them is enough.
        let guess = room / columns as f64 * 0.8;
        let column = |i: usize| rows.iter().filter_map(move |row| row.get(i)?.panel());
        let most = |i: usize, of: &dyn Fn(&Panel) -> f64| column(i).map(of).fold(0.0, f64::max);
        let mut margins: Vec<(f64, f64)> = Vec::new();
        for i in 0..columns {
            let mut left = most(i, &|p| left_margin(grid, p, i, guess * grid.aspect));
            if i > 0 {
                // Tick labels of neighbours must not touch.
                let standing_out = most(i - 1, &|p| p.overhang(guess).1);
                let needed = standing_out + most(i, &|p| p.overhang(guess).0) + 5.0;
                left = left.max(needed - grid.gap - margins[i - 1].1);
            }
            margins.push((left, most(i, &Panel::label_width)));
        }
        let last = margins[columns - 1].1 + key_gap;
        let edge = (most(columns - 1, &|p| p.overhang(guess).1) - last).max(0.0);
        let taken: f64 = margins.iter().map(|m| m.0 + m.1).sum();
        let gaps = grid.gap * (columns - 1) as f64;
        let width = ((room - edge - taken - gaps) / columns as f64).max(20.0);
        Plan { margins, width, height: width * grid.aspect, key }
    }

    fn row<'a>(&mut self, grid: &Grid, row: &'a [Cell], plan: &Plan) -> Vec<(Rect, &'a Panel)> {
        let top = self.top + title_height(row);
        let bottom = top + plan.height;
        let mut left = MARGIN;
        let mut areas = Vec::new();
        for (column, cell) in row.iter().enumerate() {
            let (before, after) = plan.margins[column];
            left += before;
            let area = Rect { left, top, right: left + plan.width, bottom };
            match cell {
                Cell::Panel(panel) => {
                    panel.draw(&mut self.scene, &area, column == 0 || !grid.shared_y);
                    let at = (left, top - 5.0);
                    let ink = palette::INK;
                    let title = self.scene.text(at, &panel.title, TITLE, ink, Anchor::Start);
                    title.face = Face::SemiBold;
                    areas.push((area, panel.as_ref()));
                }
                Cell::Key(entries) => {
                    self.key(entries, left - before + 2.0, top + 4.0);
                }
                Cell::Empty => {}
            }
            left += plan.width + after + grid.gap;
        }
        self.top = bottom + BELOW_TICKS + BELOW_TITLE + MARGIN;
        areas
    }

    /// Titles below and beside rows. Neighbours in a row with the same words below share them, and
    /// so do rows with the same words beside.
    fn axis_titles(&mut self, rows: &[Vec<(Rect, &Panel)>]) {
        for row in rows {
            for group in row.chunk_by(|a, b| a.1.x.title == b.1.x.title) {
                let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
                let middle = (first.0.left + last.0.right) / 2.0;
                let at = (middle, first.0.bottom + BELOW_TICKS + 9.5);
                self.scene.text(at, &first.1.x.title, TITLE, palette::INK, Anchor::Middle);
            }
        }
        let firsts: Vec<&(Rect, &Panel)> = rows.iter().filter_map(|row| row.first()).collect();
        for group in firsts.chunk_by(|a, b| a.1.y.title == b.1.y.title) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let at = (MARGIN + TITLE * 0.8, (first.0.top + last.0.bottom) / 2.0);
            let ink = palette::INK;
            self.scene.text(at, &first.1.y.title, TITLE, ink, Anchor::Middle).upright = true;
        }
    }

    /// A key, from its upper left corner; gives where it ends.
    fn key(&mut self, entries: &[KeyEntry], left: f64, top: f64) -> f64 {
        let mut y = top + TEXT * HALF_CAP;
        for entry in entries {
            let method = entry.is_method.then(|| entry.label.clone());
            self.scene.group(Group { method, ..Group::default() }, |scene| {
                entry.draw(scene, (left, y));
            });
            y += entry.lines() * TEXT * 1.15 + 3.0;
        }
        y - TEXT * HALF_CAP
    }

    /// Words below what is there, in as many lines as they need.
    pub(super) fn footnote(&mut self, words: &str) {
        let room = self.scene.width - 2.0 * MARGIN;
        let mut line = String::new();
        for word in words.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if !line.is_empty() && Face::Regular.width(&longer, TEXT) > room {
                self.line(&line);
                word.clone_into(&mut line);
            } else {
                line = longer;
            }
        }
        self.line(&line);
    }

    /// A line of words at the left edge.
    fn line(&mut self, words: &str) {
        let at = (MARGIN, self.top + TEXT);
        self.scene.text(at, words, TEXT, palette::GREY, Anchor::Start);
        self.top += TEXT * 1.5;
    }

    /// Ends the figure.
    pub(super) fn finish(mut self, numbers: Csv) -> Drawing {
        self.scene.height = self.top + MARGIN;
        Drawing::new(self.scene, numbers)
    }
}

/// A line with its mark, as a figure of its own that stands among words.
pub(super) fn sample(look: Look) -> String {
    let mut scene = Scene::new(SAMPLE + 6.0);
    scene.height = 8.0;
    scene.polyline(&[(0.0, 4.0), (SAMPLE + 6.0, 4.0)], look.stroke);
    scene.marker((0.5 * SAMPLE + 3.0, 4.0), 2.0, look.stroke.color, look.marker);
    svg::inline(&scene)
}

/// Where the panels of a grid stand.
struct Plan {
    /// Left and right of the panels of each column.
    margins: Vec<(f64, f64)>,
    width: f64,
    height: f64,
    /// Width of the key.
    key: f64,
}

fn left_margin(grid: &Grid, panel: &Panel, column: usize, height: f64) -> f64 {
    let numbers = if column == 0 || !grid.shared_y {
        let width = |t: &(f64, String)| Face::Regular.width(&t.1, TEXT);
        panel.y_ticks(height).iter().map(width).fold(0.0, f64::max) + 4.0
    } else {
        0.0
    };
    numbers + if column == 0 { TITLE + TITLE_GAP } else { 0.0 }
}

fn title_height(row: &[Cell]) -> f64 {
    let titled = row.iter().filter_map(Cell::panel).any(|p| !p.title.is_empty());
    if titled { TITLE + 8.0 } else { 5.0 }
}
