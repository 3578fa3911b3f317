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
    let grid = Grid { columns: 2, aspect: 0.78, shared_y: false, gap: 12.0, key: Vec::new() };
    figure.grid(
        &grid,
        &[
            panel("a  by amount of text", fraction, &data.by_fraction).into(),
            panel("b  by number of readers", readers, &data.by_readers).into(),
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
    figure.grid(&grid, &[Cell::from(panel("", axis, curves))]);
    let mut table = Table::new(&["panel", "method", "x", "accuracy", "se"]);
    rows(&mut table, "seconds", curves);
    figure.finish(table)
}

fn panel(title: &str, x: Axis, curves: &[MethodCurve]) -> Panel {
    let y = Axis::linear(ACCURACY, (0.0, 1.0)).percent();
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
