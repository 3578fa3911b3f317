//! A reader's path over a text.

use gazeprint::saccade::SaccadeType;
use gazeprint_eval::portrait::{PlacedFixation, ScanpathData};

use super::font::{Face, HALF_CAP};
use super::label::spread;
use super::scene::{Anchor, Fill, Group, MM, Point, Pointed, Scene, Step};
use super::style::{Color, Stroke, TEXT, palette};
use super::{Drawing, Figure, Width};
use crate::csv::{Csv, Value, number};

/// Space at the edges, points.
const MARGIN: f64 = 12.0;
/// Width of a character of the monospaced font, in its size.
const ADVANCE: f64 = 0.6;
/// Largest size of the words, points.
const LARGEST: f64 = 10.5;
/// Area of a circle for a millisecond, in squares of the width of a character.
const AREA_PER_MS: f64 = 0.0075;
/// Half the height of letters, in widths of a character.
const LETTERS: f64 = 0.95;
/// Size of numbers, points.
const ORDER: f64 = 5.0;
/// How much of a circle is seen beside its rim.
const PALE: f64 = 0.16;
/// Between passes.
const SWEEP: Stroke = Stroke::new(palette::GREY, 0.6).dashed(&[1.5, 1.5]);
/// Durations in the scale, ms.
const SCALE: [f64; 2] = [100.0, 400.0];

/// A reader's path over a text: words at their character positions, fixations as circles whose area
/// is their duration, numbered below in the order of reading, saccades as arcs coloured by type -
/// forward above the line, backward below, and return sweeps as thin straight lines.
pub fn scanpath(data: &ScanpathData) -> Drawing {
    let title = format!("Path of reader {} over text {}", data.reader, data.text);
    let mut figure = Figure::new(Width::Full, title);
    let layout = Layout::of(data, figure.scene.width, figure.top);
    saccades(&mut figure.scene, data, &layout);
    let scene = &mut figure.scene;
    // Behind the letters, which stay readable.
    scene.group(numbers(data, &layout), |scene| fixations(scene, data, &layout));
    words(scene, data, &layout);
    orders(scene, data, &layout);
    figure.top = key(&mut figure.scene, data, &layout);
    figure.finish(table(data)).of(format!("Reader {}, text {}", data.reader, data.text))
}

/// Where lines and characters are.
struct Layout {
    /// Width of a character, points.
    cell: f64,
    /// Where character 0 begins.
    left: f64,
    /// Line numbers with the heights of their middles.
    lines: Vec<(i32, f64)>,
    /// Highest arc, points.
    arc: f64,
    /// From the middle of a line to the baseline of numbers below, points.
    order: f64,
    bottom: f64,
}

impl Layout {
    fn of(data: &ScanpathData, width: f64, top: f64) -> Self {
        let words = || data.lines.iter().flat_map(|l| &l.words);
        let xs = || data.fixations.iter().map(|f| f.x).filter(|x| x.is_finite());
        let first = xs().fold(0.0_f64, f64::min);
        let first = words().map(|w| f64::from(w.start)).fold(first, f64::min);
        let last = xs().fold(1.0_f64, f64::max);
        let last = words().map(|w| f64::from(w.end)).fold(last, f64::max);
        let cell = ((width - 2.0 * MARGIN) / (last - first)).min(LARGEST * ADVANCE);
        let left = (width - cell * (last - first)) / 2.0 - first * cell;
        let widest = longest(data).min(40.0) * cell;
        let arc = (0.22 * widest).clamp(10.0, 26.0);
        let largest = data.fixations.iter().map(|f| radius(f.duration, cell)).fold(0.0, f64::max);
        // Numbers stand below letters and circles, and arcs backward begin below them.
        let order = (cell * LETTERS).max(largest) + ORDER;
        let half = (cell * LETTERS + arc).max(largest + 2.0);
        let pitch = half + order + 1.5 + arc + 4.0;
        let middle = |row: usize| top + half + row as f64 * pitch;
        let lines = data.lines.iter().enumerate().map(|(i, l)| (l.line, middle(i))).collect();
        let bottom = top + data.lines.len() as f64 * pitch;
        Self { cell, left, lines, arc, order, bottom }
    }

    fn x(&self, character: f64) -> f64 {
        self.left + character * self.cell
    }

    fn place(&self, fixation: &PlacedFixation) -> Option<Point> {
        let middle = self.lines.iter().find(|l| l.0 == fixation.line)?.1;
        fixation.x.is_finite().then(|| (self.x(fixation.x), middle))
    }

    fn radius(&self, duration: f64) -> f64 {
        radius(duration, self.cell)
    }
}

fn radius(duration: f64, cell: f64) -> f64 {
    let area = AREA_PER_MS * duration.max(0.0) * cell * cell;
    if area.is_finite() { (area / std::f64::consts::PI).sqrt() } else { 0.0 }
}

/// The longest move within a line, characters.
fn longest(data: &ScanpathData) -> f64 {
    data.fixations
        .windows(2)
        .filter(|pair| pair[0].line == pair[1].line)
        .map(|pair| (pair[1].x - pair[0].x).abs())
        .filter(|move_| move_.is_finite())
        .fold(0.0, f64::max)
}

fn words(scene: &mut Scene, data: &ScanpathData, layout: &Layout) {
    let size = layout.cell / ADVANCE;
    for (line, (_, middle)) in data.lines.iter().zip(&layout.lines) {
        for word in &line.words {
            let at = (layout.x(f64::from(word.start)), middle + size * HALF_CAP);
            let text = scene.text(at, &word.form, size, palette::INK, Anchor::Start);
            text.face = Face::Mono;
            text.cell = Some(layout.cell);
        }
    }
}

fn saccades(scene: &mut Scene, data: &ScanpathData, layout: &Layout) {
    let highest = longest(data).clamp(1.0, 40.0);
    for pair in data.fixations.windows(2) {
        let (Some(from), Some(to)) = (layout.place(&pair[0]), layout.place(&pair[1])) else {
            continue;
        };
        let Some(kind) = pair[1].kind else {
            scene.polyline(&[from, to], SWEEP);
            continue;
        };
        let forward = to.0 >= from.0;
        let side = if forward { -1.0 } else { 1.0 };
        // From the edge of letters and numbers, so that these stay free.
        let edge = if forward { -LETTERS * layout.cell } else { layout.order + 1.5 };
        let (from, to) = ((from.0, from.1 + edge), (to.0, to.1 + edge));
        let length = ((to.0 - from.0).abs() / layout.cell / highest).min(1.0);
        // A quadratic curve rises to half the height of its control point.
        let rise = 2.0 * side * layout.arc * length.sqrt();
        let control = ((from.0 + to.0) / 2.0, from.1 + rise);
        let stroke = Stroke::new(color(Some(kind)), 1.0);
        scene.path(vec![Step::Move(from), Step::Quad(control, to)], None, Some(stroke));
    }
}

fn fixations(scene: &mut Scene, data: &ScanpathData, layout: &Layout) {
    for fixation in &data.fixations {
        if let Some(center) = layout.place(fixation) {
            let color = color(fixation.kind);
            let (fill, rim) = (Fill { color, opacity: PALE }, Stroke::new(color, 0.8));
            scene.circle(center, layout.radius(fixation.duration), Some(fill), Some(rim));
        }
    }
}

/// What the table has of each fixation.
fn numbers(data: &ScanpathData, layout: &Layout) -> Group {
    let point = |(index, fixation): (usize, &PlacedFixation)| {
        let words = [
            (index + 1).to_string(),
            words_of(fixation.kind).to_owned(),
            fixation.line.to_string(),
            number(fixation.x),
            number(fixation.duration),
        ];
        Some(Pointed { at: layout.place(fixation)?, values: words.to_vec() })
    };
    Group {
        label: format!("Reader {}", data.reader),
        names: ["fixation", "saccade", "line", "character", "duration (ms)"]
            .map(str::to_owned)
            .to_vec(),
        points: data.fixations.iter().enumerate().filter_map(point).collect(),
        ..Group::default()
    }
}

/// The numbers of fixations, moved apart where they would touch.
fn orders(scene: &mut Scene, data: &ScanpathData, layout: &Layout) {
    let room = (2.0, scene.width - 2.0);
    for &(line, middle) in &layout.lines {
        let on_line = data.fixations.iter().enumerate().filter(|(_, f)| f.line == line);
        let placed: Vec<(usize, &PlacedFixation, f64)> = on_line
            .filter_map(|(index, fixation)| Some((index + 1, fixation, layout.place(fixation)?.0)))
            .collect();
        let wanted: Vec<f64> = placed.iter().map(|p| p.2).collect();
        let widest = placed.last().map_or(String::new(), |p| p.0.to_string());
        let gap = Face::Regular.width(&widest, ORDER) + 1.5;
        for ((order, fixation, _), x) in placed.iter().zip(spread(&wanted, gap, room)) {
            let ink = color(fixation.kind).for_text();
            let at = (x, middle + layout.order);
            scene.text(at, order.to_string(), ORDER, ink, Anchor::Middle).halo = true;
        }
    }
}

fn color(kind: Option<SaccadeType>) -> Color {
    match kind {
        None => palette::GREY,
        Some(SaccadeType::Refixation) => palette::ORANGE,
        Some(SaccadeType::NextWord) => palette::BLUE,
        Some(SaccadeType::ForwardSkip) => palette::GREEN,
        Some(SaccadeType::Regression) => palette::VERMILION,
    }
}

fn words_of(kind: Option<SaccadeType>) -> &'static str {
    match kind {
        None => "line start",
        Some(SaccadeType::Refixation) => "refixation",
        Some(SaccadeType::NextWord) => "next word",
        Some(SaccadeType::ForwardSkip) => "forward skip",
        Some(SaccadeType::Regression) => "regression",
    }
}

/// One line: the types on the left, durations on the right. Gives where the figure ends.
fn key(scene: &mut Scene, data: &ScanpathData, layout: &Layout) -> f64 {
    let radii = SCALE.map(|d| layout.radius(d));
    let half = radii[1].max(TEXT / 2.0);
    let y = layout.bottom + 4.0 + half;
    let baseline = y + TEXT * HALF_CAP;
    let mut x = MARGIN;
    let kinds = [None].into_iter().chain(SaccadeType::ALL.map(Some));
    for kind in kinds.filter(|&kind| data.fixations.iter().any(|f| f.kind == kind)) {
        let ink = color(kind);
        let fill = Fill { color: ink, opacity: PALE };
        if kind.is_some() {
            let back = matches!(kind, Some(SaccadeType::Regression));
            let side = if back { 1.0 } else { -1.0 };
            let (from, to) = ((x, y - side * 2.0), (x + 12.0, y - side * 2.0));
            let steps = vec![Step::Move(from), Step::Quad((x + 6.0, y + side * 9.0), to)];
            scene.path(steps, None, Some(Stroke::new(ink, 1.0)));
            x += 15.0;
        } else {
            scene.circle((x + 3.0, y), 3.0, Some(fill), Some(Stroke::new(ink, 0.6)));
            x += 9.0;
        }
        let text = words_of(kind);
        scene.text((x, baseline), text, TEXT, ink.for_text(), Anchor::Start);
        x += Face::Regular.width(text, TEXT) + 9.0;
    }
    if data.fixations.iter().skip(1).any(|f| f.kind.is_none()) {
        scene.polyline(&[(x, y), (x + 12.0, y)], SWEEP);
        let ink = palette::GREY;
        scene.text((x + 15.0, baseline), "return sweep", TEXT, ink, Anchor::Start);
    }
    let mut right = scene.width - MARGIN;
    for (duration, radius) in SCALE.into_iter().zip(radii).rev() {
        let text = format!("{duration:.0} ms");
        scene.text((right, baseline), &text, TEXT, palette::INK, Anchor::End);
        right -= Face::Regular.width(&text, TEXT) + 3.0 + radius;
        let fill = Fill { color: palette::GREY, opacity: PALE };
        scene.circle((right, y), radius, Some(fill), Some(Stroke::new(palette::GREY, 0.6)));
        right -= radius + 7.0;
    }
    y + half + 1.0 * MM
}

fn table(data: &ScanpathData) -> Csv {
    let columns = ["reader", "text", "order", "line", "x_char", "duration_ms", "saccade"];
    let mut table = Csv::new(&columns);
    for (index, fixation) in data.fixations.iter().enumerate() {
        table.row(&[
            Value::Word(&data.reader),
            Value::Word(&data.text),
            Value::Count(index + 1),
            Value::Number(f64::from(fixation.line)),
            Value::Number(fixation.x),
            Value::Number(fixation.duration),
            Value::Word(fixation.kind.map_or("initial", SaccadeType::name)),
        ]);
    }
    table
}
