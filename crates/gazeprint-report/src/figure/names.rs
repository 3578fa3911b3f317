//! Readers and strangers who are named, over seconds of reading.

use super::data::{MethodNames, NamedAtRate, PartPoint};
use super::style::Marker;
use super::{
    Axis, Cell, Color, Drawing, Figure, Grid, Mark, Panel, Series, Stroke, Width, palette,
};
use crate::csv::{Csv, Value};

/// Dashes of the line that a rate should not exceed.
const ASKED: &[f64] = &[1.5, 1.5];
/// How much of an interval is seen.
const BAND: f64 = 0.16;
/// The lowest part of strangers that is told from none.
const LEAST: f64 = 2e-4;

/// Readers who are given their names and strangers who are given anybody's, over seconds of reading:
/// one row of panels a method, one line a rate, with bands of 95 % intervals.
pub fn names_over_seconds(methods: &[MethodNames]) -> Drawing {
    let words = "Readers and strangers who are named, over seconds of reading";
    let mut figure = Figure::new(Width::Full, words);
    let all = || methods.iter().flat_map(|m| &m.rates);
    let x = seconds(all());
    let most = all().flat_map(|at| &at.strangers).map(|p| p.high).filter(|high| high.is_finite());
    // A decade above what was asked for shows how far lines are from it.
    let most = most.fold(0.1, f64::max).min(1.0);
    let axes = [Axis::linear(TITLE, (0.0, 1.0)), Axis::log10(TITLE, (LEAST, most))];
    let [readers, strangers] = axes.map(Axis::percent);
    let mut cells: Vec<Cell> = Vec::new();
    for method in methods {
        let title = |part: &str| match methods {
            [_] => part.to_owned(),
            _ => format!("{part}, {}", method.method),
        };
        // A rate that is none has no line; the table has it as it is.
        let rates = method.rates.iter().filter(|at| at.rate > 0.0 && at.rate < 1.0);
        let rates: Vec<&NamedAtRate> = rates.collect();
        let mut panel = Panel::new(title("(a) readers named right"), x.clone(), readers.clone());
        bands(&mut panel, &method.method, &rates, |at| &at.readers);
        cells.push(panel.into());
        let title = title("(b) strangers named");
        let mut panel = Panel::new(title, x.clone(), strangers.clone());
        for (index, at) in rates.iter().enumerate() {
            let stroke = Stroke::new(stroke(index).color, 0.6).dashed(ASKED);
            let [from, to] = [x.range.0, x.range.1].map(|x| (x, at.rate));
            panel.mark(Mark::Segment { from, to, stroke });
        }
        bands(&mut panel, &method.method, &rates, |at| &at.strangers);
        cells.push(panel.into());
    }
    let grid = Grid { columns: 2, aspect: 0.7, shared_y: false, gap: 12.0, key: Vec::new() };
    figure.grid(&grid, &cells);
    figure.finish(numbers(methods))
}

const TITLE: &str = "probes named (%)";
const SECONDS: &str = "seconds of reading observed";

/// Intervals behind, lines with a dot a point before them.
fn bands(
    panel: &mut Panel,
    method: &str,
    rates: &[&NamedAtRate],
    part: fn(&NamedAtRate) -> &Vec<PartPoint>,
) {
    // What a logarithmic axis has no place for lies on its lower edge.
    let floor = panel.y.range.0;
    let on = |value: f64| value.max(floor);
    for (index, at) in rates.iter().enumerate() {
        let points = part(at).iter().map(|p| (p.x, on(p.low), on(p.high))).collect();
        let band = Mark::Band { points, color: stroke(index).color, opacity: BAND };
        let method = Some(method.to_owned());
        panel.mark(Mark::Series(Series { method, marks: vec![band], ..Series::default() }));
    }
    for (index, at) in rates.iter().enumerate() {
        let points: Vec<(f64, f64)> = part(at).iter().map(|p| (p.x, on(p.part))).collect();
        let dots = points.iter().map(|&(x, y)| (x, y, 0.0)).collect();
        let (stroke, label) = (stroke(index), format!("{} %", 100.0 * at.rate));
        let values = |p: &PartPoint| ((p.x, on(p.part)), vec![p.x, p.part, p.low, p.high]);
        panel.mark(Mark::Series(Series {
            method: Some(method.to_owned()),
            label: format!("{label} of strangers may be named"),
            names: [SECONDS, TITLE, "95 % interval from (%)", "to (%)"].map(str::to_owned).to_vec(),
            points: part(at).iter().map(values).collect(),
            marks: vec![
                Mark::Line { points, stroke, label: Some(label) },
                Mark::Points {
                    points: dots,
                    color: stroke.color,
                    radius: 1.1,
                    marker: Marker::DOT,
                },
            ],
        }));
    }
}

/// The line of a rate, told apart by dashes as well as by colour.
fn stroke(index: usize) -> Stroke {
    const LINES: [(Color, &[f64]); 4] = [
        (palette::VERMILION, &[5.0, 1.6]),
        (palette::BLUE, &[]),
        (palette::GREEN, &[2.6, 1.4]),
        (palette::PURPLE, &[0.9, 1.3]),
    ];
    let (color, dash) = LINES[index % LINES.len()];
    Stroke::new(color, 1.2).dashed(dash)
}

/// The times that were tried, evenly by their logarithm.
fn seconds<'a>(rates: impl Iterator<Item = &'a NamedAtRate>) -> Axis {
    let points = rates.flat_map(|at| at.readers.iter().chain(&at.strangers)).map(|p| p.x);
    let mut times: Vec<f64> = points.filter(|x| x.is_finite() && *x > 0.0).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let ends = times.first().copied().zip(times.last().copied());
    let (low, high) = ends.unwrap_or((1.0, 10.0));
    Axis::log10(SECONDS, (low * 0.9, high)).ticks(times)
}

fn numbers(methods: &[MethodNames]) -> Csv {
    let mut table = Csv::new(&["panel", "method", "rate", "x", "part", "low", "high"]);
    for method in methods {
        for at in &method.rates {
            for (panel, points) in [("readers", &at.readers), ("strangers", &at.strangers)] {
                for p in points {
                    table.row(&[
                        Value::Word(panel),
                        Value::Word(&method.method),
                        Value::Number(at.rate),
                        Value::Number(p.x),
                        Value::Number(p.part),
                        Value::Number(p.low),
                        Value::Number(p.high),
                    ]);
                }
            }
        }
    }
    table
}
