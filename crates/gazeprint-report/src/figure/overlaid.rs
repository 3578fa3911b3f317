//! Errors for parts of the test sentences in one panel, told apart by dashes, as the paper draws them.

use super::data::ErrorCurvesAt;
use super::errors::{ACCEPTS, REJECTS, log_axes, note_by_part, ordered, stairs};
use super::{
    Cell, Drawing, Figure, Grid, KeyEntry, Mark, Panel, Sample, Series, Stroke, Width,
    method_stroke, palette,
};
use crate::csv::{Csv, Value};

/// Lines of the parts, from the largest part on.
const LINES: [(&[f64], &str); 4] = [
    (&[], "solid"),
    (&[5.0, 1.6], "dashed"),
    (&[4.5, 1.3, 0.9, 1.3], "dash-dotted"),
    (&[0.9, 1.3], "dotted"),
];

/// False accepts over false rejects on logarithmic axes: a colour for each method, and a line for each
/// part of the test sentences. The largest part is solid, smaller ones dashed, dash-dotted and dotted;
/// there are four parts at most.
pub fn error_curves_overlaid(parts: &[ErrorCurvesAt]) -> Drawing {
    let mut figure = Figure::new(
        Width::Full,
        "Impostors accepted over genuine readers rejected, by the fraction of test sentences",
    );
    let mut parts: Vec<&ErrorCurvesAt> = parts.iter().collect();
    parts.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    parts.truncate(LINES.len());
    let axes = log_axes(parts.iter().flat_map(|part| &part.curves));
    let mut panel = Panel::new("", axes.0.clone(), axes.1.clone());
    let mut table = Csv::new(&["fraction", "method", "false_reject", "false_accept"]);
    for (part, (dash, _)) in parts.iter().zip(LINES) {
        for (index, curve) in part.curves.iter().enumerate() {
            let points = ordered(curve);
            for &(reject, accept) in &points {
                let [reject, accept] = [reject, accept].map(Value::Number);
                let fraction = Value::Number(part.fraction);
                table.row(&[fraction, Value::Word(&curve.method), reject, accept]);
            }
            let stroke = method_stroke(&curve.method, index).dashed(dash);
            panel.mark(Mark::Series(Series {
                method: Some(curve.method.clone()),
                names: [REJECTS, ACCEPTS].map(str::to_owned).to_vec(),
                points: points.iter().map(|&(x, y)| ((x, y), vec![x, y])).collect(),
                marks: vec![Mark::Line { points: stairs(&points), stroke, label: None }],
                ..Series::default()
            }));
        }
    }
    let grid = Grid { columns: 1, aspect: 0.75, shared_y: false, gap: 0.0, key: key(&parts) };
    figure.grid(&grid, &[Cell::from(panel)]);
    note_by_part(&mut figure, parts.iter().copied(), &axes);
    figure.finish(table)
}

/// Methods by their colours, then parts by their lines.
fn key(parts: &[&ErrorCurvesAt]) -> Vec<KeyEntry> {
    let entry = |stroke: Stroke, label: String, note: &str, is_method: bool| KeyEntry {
        sample: Sample::Line(stroke),
        label,
        note: note.to_owned(),
        is_method,
    };
    let curves = parts.first().map_or(&[][..], |part| &part.curves);
    let methods = curves.iter().enumerate().map(|(index, curve)| {
        entry(method_stroke(&curve.method, index).dashed(&[]), curve.method.clone(), "", true)
    });
    let lines = parts.iter().zip(LINES).map(|(part, (dash, name))| {
        let percent = format!("{:.0} % of the sentences", 100.0 * part.fraction);
        entry(Stroke::new(palette::INK, 1.0).dashed(dash), percent, name, false)
    });
    methods.chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::super::scene::Item;
    use super::*;

    #[test]
    fn parts_are_told_apart_by_dashes() {
        let parts: Vec<ErrorCurvesAt> = examples::errors_by_fraction()
            .into_iter()
            .map(|part| ErrorCurvesAt { curves: part.curves[1..3].to_vec(), ..part })
            .collect();
        let drawing = error_curves_overlaid(&parts);
        for (dash, _) in LINES {
            for color in ["semiparametric", "landwehr"].map(|m| method_stroke(m, 0).color) {
                let drawn = drawing.scene.items.iter().any(|item| {
                    matches!(item, Item::Path { stroke: Some(s), steps, .. }
                        if s.dash == dash && s.color == color && steps.len() > 3)
                });
                assert!(drawn, "{dash:?}, {color:?}");
            }
        }
        for words in ["40 % of the sentences", "dotted", "100 % of the sentences", "solid"] {
            assert!(drawing.svg.contains(&format!(">{words}<")), "{words}");
        }
        let rows = drawing.csv.lines().skip(1).map(|row| row.split(',').next().unwrap());
        let mut fractions: Vec<&str> = rows.collect();
        fractions.dedup();
        assert_eq!(fractions, ["1", "0.8", "0.6", "0.4"]);
    }
}
