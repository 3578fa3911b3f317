//! One reader's amplitudes by type of saccade, as the paper draws them.

use gazeprint::saccade::DensityId;
use gazeprint_eval::portrait::{DensityFit, ReaderDensities};

use super::densities::{GAMMA, MEAN, right_end};
use super::{Axis, Cell, Drawing, Figure, Grid, KeyEntry, Mark, Panel, Sample, Width, palette};
use crate::csv::{Csv, Value};

/// A panel for each type of saccade: its name, and its densities with the side of zero that their
/// amplitudes are on. Refixations go both ways.
const PANELS: [(&str, &[(DensityId, f64)]); 4] = [
    ("refixation", &[(DensityId::Alpha1Bar, -1.0), (DensityId::Alpha1, 1.0)]),
    ("next word", &[(DensityId::Alpha2, 1.0)]),
    ("forward skip", &[(DensityId::Alpha3, 1.0)]),
    ("regression", &[(DensityId::Alpha4, -1.0)]),
];

/// The distributions of one reader's amplitudes, a panel for each type of saccade: histogram, gamma
/// fit, and mean of the semiparametric posterior. Backward amplitudes are negative.
pub fn reader_amplitudes(data: &ReaderDensities) -> Drawing {
    let title = format!("Amplitudes of reader {}, by type of saccade", data.reader);
    let mut figure = Figure::new(Width::Full, title);
    let key = [
        (Sample::Area(palette::PALE, 1.0), "observed"),
        (Sample::Line(GAMMA), "gamma fit"),
        (Sample::Line(MEAN), "semiparametric"),
    ];
    let key = key.map(|(sample, label)| KeyEntry {
        sample,
        label: label.into(),
        note: String::new(),
        is_method: false,
    });
    let mut table = Csv::new(&["reader", "type", "part", "x", "x_end", "value"]);
    let cells: Vec<Cell> = PANELS
        .iter()
        .map(|(kind, sides)| {
            let sides = sides_of(data, sides);
            for side in &sides {
                side.rows(&mut table, [&data.reader, kind]);
            }
            if sides.is_empty() { Cell::Empty } else { panel(kind, &sides).into() }
        })
        .collect();
    let grid = Grid { columns: 2, aspect: 0.6, shared_y: false, gap: 12.0, key: key.to_vec() };
    figure.grid(&grid, &cells);
    figure.finish(table).of(format!("Reader {}", data.reader))
}

/// The amplitudes of a panel on one side of zero.
struct Side<'a> {
    fit: &'a DensityFit,
    sign: f64,
    /// Its part of the observations of the panel.
    share: f64,
}

fn sides_of<'a>(data: &'a ReaderDensities, sides: &[(DensityId, f64)]) -> Vec<Side<'a>> {
    let find = |id: DensityId| data.densities.iter().find(|fit| fit.density == id);
    let found: Vec<_> = sides.iter().filter_map(|&(id, sign)| Some((find(id)?, sign))).collect();
    let total: usize = found.iter().map(|(fit, _)| fit.observations).sum();
    let share = |fit: &DensityFit| fit.observations as f64 / total.max(1) as f64;
    found.into_iter().map(|(fit, sign)| Side { fit, sign, share: share(fit) }).collect()
}

impl Side<'_> {
    /// A curve, from left to right.
    fn curve(&self, values: &[f64]) -> Vec<(f64, f64)> {
        let places = self.fit.x.iter().zip(values);
        let mut points: Vec<(f64, f64)> =
            places.map(|(&x, &value)| (self.sign * x, self.share * value)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    /// The bars, from left to right: where each begins and ends, and its height.
    fn bars(&self) -> Vec<[f64; 3]> {
        let histogram = &self.fit.histogram;
        let edges = histogram.edges.windows(2).zip(&histogram.heights);
        let mut bars: Vec<[f64; 3]> = edges
            .map(|(edge, &height)| {
                let ends = [self.sign * edge[0], self.sign * edge[1]];
                [ends[0].min(ends[1]), ends[0].max(ends[1]), self.share * height]
            })
            .collect();
        bars.sort_by(|a, b| a[0].total_cmp(&b[0]));
        bars
    }

    /// What is plotted, as rows of the table.
    fn rows(&self, table: &mut Csv, names: [&str; 2]) {
        let [reader, kind] = names.map(Value::Word);
        for bar in self.bars() {
            let [x, x_end, value] = bar.map(Value::Number);
            table.row(&[reader, kind, Value::Word("histogram"), x, x_end, value]);
        }
        for (part, values) in [("gamma", &self.fit.gamma), ("posterior", &self.fit.mean)] {
            for (x, value) in self.curve(values) {
                let [x, value] = [x, value].map(Value::Number);
                table.row(&[reader, kind, Value::Word(part), x, Value::None, value]);
            }
        }
    }
}

fn panel(kind: &str, sides: &[Side<'_>]) -> Panel {
    let end = |sign: f64| {
        let ends = sides.iter().filter(|side| side.sign == sign).map(|side| right_end(side.fit));
        sign * ends.fold(0.0, f64::max)
    };
    let highest = |values: fn(&DensityFit) -> &[f64]| {
        let of_side = |side: &Side<'_>| {
            let finite = values(side.fit).iter().copied().filter(|v| v.is_finite());
            side.share * finite.fold(0.0, f64::max)
        };
        sides.iter().map(of_side).fold(0.0, f64::max)
    };
    let bars = highest(|fit| &fit.histogram.heights);
    let curves = highest(|fit| &fit.mean).max(highest(|fit| &fit.gamma));
    // A density that rises without bound at zero would flatten everything else.
    let top = if bars > 0.0 { bars.max(curves).min(1.8 * bars) } else { curves };
    let x = Axis::linear("amplitude (characters)", (end(-1.0), end(1.0)));
    let y = Axis::linear("% per character", (0.0, 115.0 * top));
    let mut panel = Panel::new(kind, x, y);
    let percent = |(x, value): (f64, f64)| (x, 100.0 * value);
    for side in sides {
        let bars = side.bars();
        let last = bars.last().map(|bar| bar[1]);
        panel.mark(Mark::Bars {
            edges: bars.iter().map(|bar| bar[0]).chain(last).collect(),
            heights: bars.iter().map(|bar| 100.0 * bar[2]).collect(),
            color: palette::PALE,
            opacity: 1.0,
            outline: None,
        });
        for (values, stroke) in [(&side.fit.mean, MEAN), (&side.fit.gamma, GAMMA)] {
            let points = side.curve(values).into_iter().map(percent).collect();
            panel.mark(Mark::Line { points, stroke, label: None });
        }
    }
    let observations: usize = sides.iter().map(|side| side.fit.observations).sum();
    panel.corner_note(format!("n = {observations}"));
    panel
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;

    /// The area under bars or a curve of the table.
    fn area(csv: &str, kind: &str, part: &str) -> f64 {
        let rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let of_part: Vec<[f64; 3]> = rows
            .filter(|row| row[1] == kind && row[2] == part)
            .map(|row| [3, 4, 5].map(|i| row[i].parse().unwrap_or(f64::NAN)))
            .collect();
        match part {
            "histogram" => of_part.iter().map(|[x, end, value]| (end - x) * value).sum(),
            _ => of_part.windows(2).map(|w| (w[1][0] - w[0][0]) * (w[0][2] + w[1][2]) / 2.0).sum(),
        }
    }

    #[test]
    fn both_sides_of_refixations_hold_what_was_observed() {
        let drawing = reader_amplitudes(&examples::densities());
        for (kind, _) in PANELS {
            // A few observations lie beyond the made-up histograms, and a little mass beyond the grid.
            let bars = area(&drawing.csv, kind, "histogram");
            assert!((0.95..=1.0 + 1e-9).contains(&bars), "{kind}: {bars}");
            for part in ["gamma", "posterior"] {
                let curve = area(&drawing.csv, kind, part);
                assert!((0.93..=1.03).contains(&curve), "{kind}, {part}: {curve}");
            }
        }
        let places = |kind: &str| -> Vec<f64> {
            let rows = drawing.csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
            rows.filter(|row| row[1] == kind).map(|row| row[3].parse().unwrap()).collect()
        };
        assert!(places("refixation").iter().any(|x| *x < -1.0));
        assert!(places("refixation").iter().any(|x| *x > 1.0));
        assert!(places("regression").iter().all(|x| *x <= 0.0));
        assert!(places("forward skip").iter().all(|x| *x >= 0.0));
    }

    #[test]
    fn a_type_that_was_not_seen_has_no_panel() {
        let mut data = examples::densities();
        data.densities.retain(|fit| fit.density != DensityId::Alpha4);
        let drawing = reader_amplitudes(&data);
        assert!(!drawing.svg.contains(">regression<") && drawing.svg.contains(">refixation<"));
        data.densities.clear();
        assert_eq!(reader_amplitudes(&data).csv.lines().count(), 1);
    }
}
