//! False accepts over false rejects.

use super::data::{ErrorCurve, ErrorCurvesAt};
use super::style::REFERENCE;
use super::{
    Axis, Cell, Drawing, Figure, Grid, KeyEntry, Mark, Panel, Sample, Scale, Series, Width,
    method_stroke,
};
use crate::csv::{Csv, Value};

pub(super) const ACCEPTS: &str = "impostors accepted (%)";
pub(super) const REJECTS: &str = "genuine readers rejected (%)";
/// What is said of methods that are not drawn.
const WITHOUT_ERROR: &str = "Without any error at some threshold, and not drawn";
/// Ticks of normal-deviate axes.
const DEVIATES: [f64; 10] = [1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99];

/// False accepts over false rejects of all methods, on logarithmic axes: what matters is near zero.
pub fn error_curves(curves: &[ErrorCurve]) -> Drawing {
    let mut figure = Figure::new(Width::Column, "Impostors accepted over genuine readers rejected");
    let axes = log_axes(curves.iter());
    let key = key(curves, true);
    let grid = Grid { columns: 1, aspect: 1.0, shared_y: false, gap: 0.0, key };
    figure.grid(&grid, &[Cell::from(panel("", &axes, curves))]);
    note(&mut figure, curves, &axes);
    let mut table = Csv::new(&["method", "false_reject", "false_accept"]);
    for curve in curves {
        for (reject, accept) in ordered(curve) {
            let rates = [Value::Number(reject), Value::Number(accept)];
            table.row(&[Value::Word(&curve.method), rates[0], rates[1]]);
        }
    }
    figure.finish(table)
}

/// False accepts over false rejects, one panel for each part of the test sentences.
pub fn error_curves_by_fraction(parts: &[ErrorCurvesAt]) -> Drawing {
    let mut figure = Figure::new(
        Width::Full,
        "Impostors accepted over genuine readers rejected, by the fraction of test sentences",
    );
    let axes = log_axes(parts.iter().flat_map(|p| &p.curves));
    let key = parts.last().map(|p| key(&p.curves, false)).unwrap_or_default();
    let columns = parts.len().clamp(1, 4);
    let grid = Grid { columns, aspect: 1.15, shared_y: true, gap: 9.0, key };
    let cells: Vec<Cell> = parts
        .iter()
        .map(|part| {
            let title = format!("{:.0} % of the sentences", 100.0 * part.fraction);
            panel(&title, &axes, &part.curves).into()
        })
        .collect();
    figure.grid(&grid, &cells);
    note_by_part(&mut figure, parts.iter(), &axes);
    let mut table = Csv::new(&["fraction", "method", "false_reject", "false_accept"]);
    for part in parts {
        for curve in &part.curves {
            for (reject, accept) in ordered(curve) {
                let fraction = Value::Number(part.fraction);
                let rates = [Value::Number(reject), Value::Number(accept)];
                table.row(&[fraction, Value::Word(&curve.method), rates[0], rates[1]]);
            }
        }
    }
    figure.finish(table)
}

/// Detection error trade-off: both errors on normal-deviate axes, where normally distributed scores
/// give straight lines. The thin line is where the errors are equal.
pub fn det_curves(curves: &[ErrorCurve]) -> Drawing {
    let mut figure = Figure::new(Width::Column, "Detection error trade-off of all methods");
    let axes = deviate_axes(curves);
    let mut panel = panel("", &axes, curves);
    let low = axes.0.range.0.max(axes.1.range.0);
    let high = axes.0.range.1.min(axes.1.range.1);
    panel.marks.insert(0, Mark::Segment { from: (low, low), to: (high, high), stroke: REFERENCE });
    let grid = Grid { columns: 1, aspect: 1.0, shared_y: false, gap: 0.0, key: key(curves, true) };
    figure.grid(&grid, &[Cell::from(panel)]);
    note(&mut figure, curves, &axes);
    let columns = ["method", "false_reject", "false_accept", "deviate_reject", "deviate_accept"];
    let mut table = Csv::new(&columns);
    for curve in curves {
        for (reject, accept) in ordered(curve) {
            let deviate = |rate: f64| {
                // Rates of 0 and 1 have none.
                let inside = rate > 0.0 && rate < 1.0;
                if inside { Value::Number(Scale::Probit.forward(rate)) } else { Value::None }
            };
            table.row(&[
                Value::Word(&curve.method),
                Value::Number(reject),
                Value::Number(accept),
                deviate(reject),
                deviate(accept),
            ]);
        }
    }
    figure.finish(table)
}

fn panel(title: &str, (x, y): &(Axis, Axis), curves: &[ErrorCurve]) -> Panel {
    let mut panel = Panel::new(title, x.clone(), y.clone());
    // The first methods of a list are the ones of interest: they lie on top.
    for (index, curve) in curves.iter().enumerate().rev() {
        let stroke = method_stroke(&curve.method, index);
        let points = ordered(curve);
        panel.mark(Mark::Series(Series {
            method: Some(curve.method.clone()),
            names: [REJECTS, ACCEPTS].map(str::to_owned).to_vec(),
            points: points.iter().map(|&(x, y)| ((x, y), vec![x, y])).collect(),
            marks: vec![Mark::Line { points: stairs(&points), stroke, label: None }],
            ..Series::default()
        }));
    }
    panel
}

/// From few false rejects to many, every place once.
pub(super) fn ordered(curve: &ErrorCurve) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = curve
        .points
        .iter()
        .map(|p| (p.false_rejects, p.false_accepts))
        .filter(|p| p.0.is_finite() && p.1.is_finite())
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    points.dedup();
    points
}

/// Steps where a rate is 0, which these axes do not have: the rate stays until it changes. A
/// straight line from there would start at an arbitrary place.
pub(super) fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut line = Vec::with_capacity(points.len());
    for (i, &point) in points.iter().enumerate() {
        if i > 0 {
            let before = points[i - 1];
            if before.0 <= 0.0 || point.1 <= 0.0 {
                line.push((point.0, before.1));
            }
        }
        line.push(point);
    }
    line
}

/// A little more than all rates above 0, up to 100 %.
pub(super) fn log_axes<'a>(curves: impl Iterator<Item = &'a ErrorCurve> + Clone) -> (Axis, Axis) {
    let reject = lowest(curves.clone(), |p| p.0);
    let accept = lowest(curves, |p| p.1);
    (Axis::log10(REJECTS, (reject, 1.0)).percent(), Axis::log10(ACCEPTS, (accept, 1.0)).percent())
}

/// A little less than the smallest rate above 0: what the number of claims can resolve.
fn lowest<'a>(curves: impl Iterator<Item = &'a ErrorCurve>, rate: fn(&(f64, f64)) -> f64) -> f64 {
    let rates = curves.flat_map(ordered).map(|p| rate(&p)).filter(|&r| r > 0.0);
    (0.7 * rates.fold(0.1_f64, f64::min)).max(1e-7)
}

/// From what the claims can resolve up to all that curves show, at least half. Rates of 0 and 1 have
/// no deviate.
fn deviate_axes(curves: &[ErrorCurve]) -> (Axis, Axis) {
    let (mut reject, mut accept) = (0.5_f64, 0.5_f64);
    for curve in curves {
        let line = stairs(&ordered(curve));
        for (x, y) in line.into_iter().filter(|(x, y)| *x > 0.0 && *y > 0.0) {
            reject = reject.max(x);
            accept = accept.max(y);
        }
    }
    let axis = |title, low: f64, most: f64| {
        let high = (1.0 - 0.8 * (1.0 - most)).min(0.995);
        Axis::probit(title, (low.max(0.8e-5), high)).ticks(DEVIATES)
    };
    (
        axis(REJECTS, lowest(curves.iter(), |p| p.0), reject),
        axis(ACCEPTS, lowest(curves.iter(), |p| p.1), accept),
    )
}

fn key(curves: &[ErrorCurve], with_rates: bool) -> Vec<KeyEntry> {
    curves
        .iter()
        .enumerate()
        .map(|(index, curve)| KeyEntry {
            sample: Sample::Line(method_stroke(&curve.method, index)),
            label: curve.method.clone(),
            note: match curve.eer {
                Some(rate) if with_rates => format!("equal error {} %", percent(rate)),
                _ => String::new(),
            },
            is_method: true,
        })
        .collect()
}

/// Two digits that count.
fn percent(rate: f64) -> String {
    let percent = 100.0 * rate;
    match percent {
        p if p >= 10.0 => format!("{p:.0}"),
        p if p >= 1.0 => format!("{p:.1}"),
        p if p >= 0.01 => format!("{p:.2}"),
        p if p > 0.0 => "< 0.01".into(),
        _ => "0".into(),
    }
}

/// Methods that have no curve on the axes, because some threshold confuses no one.
fn perfect<'a>(curves: &'a [ErrorCurve], axes: &(Axis, Axis)) -> Vec<&'a str> {
    let seen = |p: &(f64, f64)| p.0 >= axes.0.range.0 || p.1 >= axes.1.range.0;
    curves
        .iter()
        .filter(|c| !c.points.is_empty())
        .filter(|c| !ordered(c).iter().any(|p| p.0 > 0.0 && p.1 > 0.0 && seen(p)))
        .filter(|c| ordered(c).contains(&(0.0, 0.0)))
        .map(|c| c.method.as_str())
        .collect()
}

/// Says which these are.
fn note(figure: &mut Figure, curves: &[ErrorCurve], axes: &(Axis, Axis)) {
    let perfect = perfect(curves, axes);
    if !perfect.is_empty() {
        figure.footnote(&format!("{WITHOUT_ERROR}: {}", perfect.join(", ")));
    }
}

/// The same for parts of the test sentences: each method once, with its parts.
pub(super) fn note_by_part<'a>(
    figure: &mut Figure,
    parts: impl Iterator<Item = &'a ErrorCurvesAt>,
    axes: &(Axis, Axis),
) {
    let mut shares: Vec<(&str, Vec<String>)> = Vec::new();
    for part in parts {
        for method in perfect(&part.curves, axes) {
            let share = format!("{:.0} %", 100.0 * part.fraction);
            match shares.iter_mut().find(|(name, _)| *name == method) {
                Some((_, shares)) => shares.push(share),
                None => shares.push((method, vec![share])),
            }
        }
    }
    if !shares.is_empty() {
        let named = |(method, shares): (&str, Vec<String>)| {
            format!("{method} ({} of the sentences)", shares.join(", "))
        };
        let methods: Vec<String> = shares.into_iter().map(named).collect();
        figure.footnote(&format!("{WITHOUT_ERROR}: {}", methods.join("; ")));
    }
}

#[cfg(test)]
mod tests {
    use gazeprint_eval::measures::ErrorPoint;

    use super::*;

    fn curve(points: &[(f64, f64)]) -> ErrorCurve {
        let points = points
            .iter()
            .map(|&(false_rejects, false_accepts)| ErrorPoint {
                threshold: 0.0,
                false_rejects,
                false_accepts,
            })
            .collect();
        ErrorCurve { method: "population".into(), points, eer: Some(0.004) }
    }

    #[test]
    fn zero_rates_are_steps() {
        let points = ordered(&curve(&[(0.2, 0.0), (0.1, 0.05), (0.0, 0.3), (0.1, 0.05)]));
        assert_eq!(points, [(0.0, 0.3), (0.1, 0.05), (0.2, 0.0)]);
        let line = stairs(&points);
        assert_eq!(line, [(0.0, 0.3), (0.1, 0.3), (0.1, 0.05), (0.2, 0.05), (0.2, 0.0)]);
    }

    #[test]
    fn a_method_without_errors_is_named() {
        let drawing = error_curves(&[curve(&[(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)])]);
        assert!(
            drawing.svg.contains("Without any error at some threshold, and not drawn: population")
        );
        let drawing = det_curves(&[curve(&[(0.0, 1.0), (0.01, 0.02), (1.0, 0.0)])]);
        assert!(!drawing.svg.contains("Without any error"));
    }

    #[test]
    fn deviates_end_where_claims_do() {
        let small = [curve(&[(0.0, 0.9), (0.05, 0.7), (0.3, 0.02), (0.8, 0.0)])];
        let (x, y) = deviate_axes(&small);
        assert!(x.range.0 > 0.03 && x.range.0 < 0.05 && x.range.1 > 0.8, "{:?}", x.range);
        // The step from no rejects on is at 90 % accepted.
        assert!(y.range.0 > 0.01 && y.range.0 < 0.02 && y.range.1 > 0.9, "{:?}", y.range);
    }

    #[test]
    fn rates_in_words() {
        let words = [0.123, 0.0456, 0.00012, 0.00001, 0.0].map(percent);
        assert_eq!(words, ["12", "4.6", "0.01", "< 0.01", "0"]);
    }
}
