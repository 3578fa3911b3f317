//! Accuracy over how much was read, over how many readers there are, and over how well was recorded.

use super::data::{AccuracyCurves, MethodCurve, RobustnessCurves};
use super::{Axis, Cell, Drawing, Figure, Grid, Mark, Panel, Series, Width, method_look};
use crate::csv::{Csv, Value};

const ACCURACY: &str = "readers identified (%)";

/// A panel, as the figure and as its table name it.
struct Part<'a> {
    title: &'static str,
    name: &'static str,
    x: Axis,
    curves: &'a [MethodCurve],
}

/// Accuracy of all methods over the fraction of test sentences and over the number of readers, with
/// bars of plus and minus a standard error.
pub fn accuracy_curves(data: &AccuracyCurves) -> Drawing {
    let most = ends(&data.by_readers).1;
    let parts = [
        Part {
            title: "(a) by amount of text",
            name: "fraction",
            x: Axis::linear("test sentences read (%)", (0.0, 1.0)).percent(),
            curves: &data.by_fraction,
        },
        Part {
            title: "(b) by number of readers",
            name: "readers",
            x: Axis::linear("number of readers", (0.0, most)),
            curves: &data.by_readers,
        },
    ];
    let words =
        "Readers identified over the fraction of test sentences and over the number of readers";
    side_by_side(words, ACCURACY, parts)
}

/// Accuracy of all methods over noise added to positions and over the shortest duration kept, with
/// bars of plus and minus a standard error.
pub fn robustness(data: &RobustnessCurves) -> Drawing {
    let probe = match data.sentences {
        None => "all test sentences".to_owned(),
        Some(1) => "1 sentence a probe".to_owned(),
        Some(sentences) => format!("{sentences} sentences a probe"),
    };
    let parts = [
        Part {
            title: "(a) by noise on positions",
            name: "position_noise",
            x: levels("noise added, s.d. (characters)", &data.by_noise, 1.0),
            curves: &data.by_noise,
        },
        Part {
            title: "(b) by shortest duration kept",
            name: "min_duration",
            x: levels("shortest duration kept (ms)", &data.by_duration, 50.0),
            curves: &data.by_duration,
        },
    ];
    let words = "Accuracy over noise on positions and over the shortest duration kept";
    side_by_side(words, &format!("accuracy (%), {probe}"), parts)
}

/// Accuracy of all methods over seconds of reading, with bars of plus and minus a standard error.
pub fn accuracy_over_seconds(curves: &[MethodCurve]) -> Drawing {
    let figure = Figure::new(Width::Column, "Readers identified over seconds of reading");
    let title = "seconds of reading observed";
    let (low, high) = ends(curves);
    // From a decade on, an even axis would hold the early seconds, which matter, in a corner.
    let x = if low > 0.0 && high / low >= 10.0 {
        Axis::log10(title, (low * 0.9, high)).ticks(apart(curves))
    } else {
        Axis::linear(title, (0.0, high))
    };
    let grid = Grid { columns: 1, aspect: 0.95, shared_y: false, gap: 0.0, key: Vec::new() };
    draw(figure, &grid, ACCURACY, &[Part { title: "", name: "seconds", x, curves }])
}

/// The times that were tried, less those whose labels would touch the one after: the last is where
/// the axis ends and has a label.
fn apart(curves: &[MethodCurve]) -> Vec<f64> {
    let mut times = places(curves);
    let mut kept: Vec<f64> = times.pop().into_iter().collect();
    for time in times.into_iter().rev() {
        if kept.last().is_some_and(|next| next / time >= 1.4) {
            kept.push(time);
        }
    }
    kept.reverse();
    kept
}

/// Every place of any curve once, in order.
fn places(curves: &[MethodCurve]) -> Vec<f64> {
    let mut places: Vec<f64> =
        curves.iter().flat_map(|c| &c.points).map(|p| p.x).filter(|x| x.is_finite()).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// An axis with ticks at the levels that were tried; those that are multiples of `step`, since all
/// would crowd.
fn levels(title: &str, curves: &[MethodCurve], step: f64) -> Axis {
    let axis = Axis::linear(title, (0.0, ends(curves).1));
    let mut ticks = places(curves);
    ticks.retain(|x| x % step == 0.0);
    if ticks.len() < 2 { axis } else { axis.ticks(ticks) }
}

/// Two panels with the same range of accuracies.
fn side_by_side(words: &str, y: &str, parts: [Part<'_>; 2]) -> Drawing {
    let grid = Grid { columns: 2, aspect: 0.78, shared_y: false, gap: 12.0, key: Vec::new() };
    draw(Figure::new(Width::Full, words), &grid, y, &parts)
}

fn draw(mut figure: Figure, grid: &Grid, y: &str, parts: &[Part<'_>]) -> Drawing {
    let floor = parts.iter().map(|part| floor(part.curves)).fold(1.0, f64::min);
    let y = Axis::linear(y, (floor, 1.0)).percent();
    let cells: Vec<Cell> = parts.iter().map(|part| panel(part, &y).into()).collect();
    figure.grid(grid, &cells);
    if y.is_cut() {
        figure.footnote(&format!("The vertical axis begins at {:.0} %, not at 0.", 100.0 * floor));
    }
    let mut table = Csv::new(&["panel", "method", "x", "accuracy", "se"]);
    parts.iter().for_each(|part| rows(&mut table, part));
    figure.finish(table)
}

fn panel(part: &Part<'_>, y: &Axis) -> Panel {
    let mut panel = Panel::new(part.title, part.x.clone(), y.clone());
    let names = [part.x.title.as_str(), ACCURACY, "standard error (%)"].map(str::to_owned);
    // The first methods of a list are the ones of interest: they lie on top.
    for (index, curve) in part.curves.iter().enumerate().rev() {
        let look = method_look(&curve.method, index);
        let line = curve.points.iter().map(|p| (p.x, p.mean)).collect();
        let places = curve.points.iter().map(|p| (p.x, p.mean, p.se)).collect();
        let (stroke, marker, color) = (look.stroke, look.marker, look.stroke.color);
        panel.mark(Mark::Series(Series {
            method: Some(curve.method.clone()),
            names: names.to_vec(),
            points: curve.points.iter().map(|p| ((p.x, p.mean), vec![p.x, p.mean, p.se])).collect(),
            marks: vec![
                Mark::Line { points: line, stroke, label: Some(curve.method.clone()) },
                Mark::Points { points: places, color, radius: 1.3, marker },
            ],
            ..Series::default()
        }));
    }
    panel
}

/// Where the axis starts: at 0, or closer where all is above half; lines need no zero to be read.
fn floor(curves: &[MethodCurve]) -> f64 {
    let means = curves.iter().flat_map(|c| &c.points).map(|p| p.mean).filter(|m| m.is_finite());
    let lowest = means.reduce(f64::min).unwrap_or(0.0);
    if lowest < 0.5 { 0.0 } else { ((lowest * 20.0).floor() - 1.0).clamp(0.0, 18.0) / 20.0 }
}

/// The first and the last place of all curves.
fn ends(curves: &[MethodCurve]) -> (f64, f64) {
    curves
        .iter()
        .flat_map(|c| &c.points)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.x), high.max(p.x)))
}

fn rows(table: &mut Csv, part: &Part<'_>) {
    for curve in part.curves {
        for p in &curve.points {
            table.row(&[
                Value::Word(part.name),
                Value::Word(&curve.method),
                Value::Number(p.x),
                Value::Number(p.mean),
                Value::Number(p.se),
            ]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::CurvePoint;
    use super::*;

    #[test]
    fn axes_start_at_zero_unless_all_is_high() {
        let curve = |mean| {
            let points = vec![CurvePoint { x: 1.0, mean, se: 0.0 }];
            [MethodCurve { method: "population".into(), points }]
        };
        assert_eq!(floor(&curve(0.49)), 0.0);
        assert_eq!(floor(&curve(0.83)), 0.75);
        assert_eq!(floor(&curve(1.0)), 0.9);
        assert_eq!(floor(&[]), 0.0);
    }

    #[test]
    fn the_last_time_has_a_label() {
        let points =
            [2.0, 5.0, 10.0, 20.0, 50.0, 60.0].map(|x| CurvePoint { x, mean: 0.5, se: 0.0 });
        let curve = MethodCurve { method: "population".into(), points: points.to_vec() };
        assert_eq!(apart(&[curve]), [2.0, 5.0, 10.0, 20.0, 60.0]);
    }
}
