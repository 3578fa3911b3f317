//! Accuracy over how much was read and over how many readers there are.

use super::data::{AccuracyCurves, MethodCurve};
use super::{Axis, Cell, Drawing, Figure, Grid, Mark, Panel, Table, Value, Width, method_stroke};

const ACCURACY: &str = "readers identified (%)";

/// Accuracy of all methods over the fraction of test sentences and over the number of readers, with
/// bars of plus and minus a standard error.
pub fn accuracy_curves(data: &AccuracyCurves) -> Drawing {
    let mut figure = Figure::new(
        Width::Full,
        "Readers identified over the fraction of test sentences and over the number of readers",
    );
    let fraction = Axis::linear("test sentences read (%)", (0.0, 1.0)).percent();
    let most = ends(&data.by_readers).1;
    let readers = Axis::linear("number of readers", (0.0, most));
    let floor = floor(&data.by_fraction).min(floor(&data.by_readers));
    let grid = Grid { columns: 2, aspect: 0.78, shared_y: false, gap: 12.0, key: Vec::new() };
    figure.grid(
        &grid,
        &[
            panel("(a) by amount of text", fraction, floor, &data.by_fraction).into(),
            panel("(b) by number of readers", readers, floor, &data.by_readers).into(),
        ],
    );
    let mut table = Table::new(&["panel", "method", "x", "accuracy", "se"]);
    rows(&mut table, "fraction", &data.by_fraction);
    rows(&mut table, "readers", &data.by_readers);
    figure.finish(table)
}

/// Accuracy of all methods over seconds of reading, with bars of plus and minus a standard error.
pub fn accuracy_over_seconds(curves: &[MethodCurve]) -> Drawing {
    let mut figure = Figure::new(Width::Column, "Readers identified over seconds of reading");
    let title = "seconds of reading observed";
    let (low, high) = ends(curves);
    // From a decade on, an even axis would hold the early seconds, which matter, in a corner.
    let axis = if low > 0.0 && high / low >= 10.0 {
        Axis::log10(title, (low * 0.9, high))
    } else {
        Axis::linear(title, (0.0, high))
    };
    let grid = Grid { columns: 1, aspect: 0.95, shared_y: false, gap: 0.0, key: Vec::new() };
    figure.grid(&grid, &[Cell::from(panel("", axis, floor(curves), curves))]);
    let mut table = Table::new(&["panel", "method", "x", "accuracy", "se"]);
    rows(&mut table, "seconds", curves);
    figure.finish(table)
}

fn panel(title: &str, x: Axis, floor: f64, curves: &[MethodCurve]) -> Panel {
    let y = Axis::linear(ACCURACY, (floor, 1.0)).percent();
    let mut panel = Panel::new(title, x, y);
    for (index, curve) in curves.iter().enumerate() {
        let stroke = method_stroke(&curve.method, index);
        let points = curve.points.iter().map(|p| (p.x, p.mean)).collect();
        panel.mark(Mark::Line { points, stroke, label: Some(curve.method.clone()) });
        let points = curve.points.iter().map(|p| (p.x, p.mean, p.se)).collect();
        panel.mark(Mark::Points { points, color: stroke.color, radius: 1.1 });
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

fn rows(table: &mut Table, panel: &str, curves: &[MethodCurve]) {
    for curve in curves {
        for p in &curve.points {
            table.row(&[
                Value::Word(panel),
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
}
