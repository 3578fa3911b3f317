//! One reader's densities: how they fit, and whether they are calibrated.

use gazeprint::saccade::DensityId;
use gazeprint_eval::portrait::{DensityFit, DensityTransform, ReaderCalibration, ReaderDensities};

use super::style::REFERENCE;
use super::{
    Axis, Cell, Drawing, Figure, Grid, KeyEntry, Mark, Panel, Sample, Series, Stroke, Width,
    palette,
};
use crate::csv::{Csv, Value, rounded};

/// The places of the densities: a column a type of saccade, amplitudes above durations. Durations
/// after refixations are one density; the place beside it is free for the key.
const PLACES: [[Option<DensityId>; 6]; 2] = [
    [
        Some(DensityId::Alpha0),
        Some(DensityId::Alpha1),
        Some(DensityId::Alpha1Bar),
        Some(DensityId::Alpha2),
        Some(DensityId::Alpha3),
        Some(DensityId::Alpha4),
    ],
    [
        Some(DensityId::Delta0),
        Some(DensityId::Delta1),
        None,
        Some(DensityId::Delta2),
        Some(DensityId::Delta3),
        Some(DensityId::Delta4),
    ],
];

pub(super) const GAMMA: Stroke = Stroke::new(palette::VERMILION, 0.9).dashed(&[3.0, 1.4]);
pub(super) const MEAN: Stroke = Stroke::new(palette::BLUE, 1.0);
const BAND: f64 = 0.22;
/// Height of the calibration panels over the farthest curve or band: words stand above.
const ROOM: f64 = 1.4;
/// Fewer observations than this do not decide how far the axes of calibration reach.
const FEW: usize = 5;
/// Bands wider than this may leave the axis.
const WIDEST_BAND: f64 = 0.3;
/// Share of what was observed, and of each curve's mass, that the horizontal axes show: a few stray
/// values would press everything else together.
const SHOWN: f64 = 0.98;

/// The distributions of one reader's amplitudes and durations by type of saccade: histogram, gamma
/// fit, and the mean of the semiparametric posterior with a band that holds 90 % of it.
pub fn reader_densities(data: &ReaderDensities) -> Drawing {
    let title = format!("Amplitudes and durations of reader {}, by type of saccade", data.reader);
    let mut figure = Figure::new(Width::Full, title);
    let key = [
        (Sample::Area(palette::PALE, 1.0), "observed"),
        (Sample::Line(GAMMA), "gamma fit"),
        (Sample::Band(MEAN, BAND), "semiparametric"),
    ];
    let mut key: Vec<KeyEntry> = key
        .into_iter()
        .map(|(sample, label)| KeyEntry {
            sample,
            label: label.into(),
            note: String::new(),
            is_method: false,
        })
        .collect();
    key[2].note = "90 % band".into();
    let find = |id| data.densities.iter().find(|d| d.density == id);
    let duration_end = data
        .densities
        .iter()
        .filter(|d| d.density.is_duration())
        .map(right_end)
        .fold(0.0, f64::max);
    let cells: Vec<Cell> = PLACES
        .iter()
        .flatten()
        .map(|place| match place {
            Some(id) => find(*id).map_or(Cell::Empty, |fit| fit_panel(fit, duration_end).into()),
            None => Cell::Key(key.clone()),
        })
        .collect();
    let grid = Grid { columns: 6, aspect: 1.0, shared_y: false, gap: 6.0, key: Vec::new() };
    figure.grid(&grid, &cells);
    figure.finish(fit_table(data)).of(format!("Reader {}", data.reader))
}

fn fit_panel(fit: &DensityFit, duration_end: f64) -> Panel {
    let durations = fit.density.is_duration();
    // Percent per character and per 10 ms: numbers of two digits.
    let (title, share, factor) = if durations {
        ("fixation duration (ms)", "% per 10 ms", 1000.0)
    } else {
        ("amplitude (characters)", "% per character", 100.0)
    };
    let end = if durations { duration_end } else { right_end(fit) };
    let top = fit
        .histogram
        .heights
        .iter()
        .chain(&fit.mean)
        .chain(&fit.high)
        .chain(&fit.gamma)
        .copied()
        .filter(|v| v.is_finite())
        .fold(0.0, f64::max);
    // A density that rises without bound at zero would flatten everything else.
    let highest = fit.histogram.heights.iter().copied().fold(0.0, f64::max);
    let top = if highest > 0.0 { top.min(1.8 * highest) } else { top };
    let x = Axis::linear(title, (0.0, end));
    let y = Axis::linear(share, (0.0, 1.15 * top * factor));
    let mut panel = Panel::new(name(fit.density), x, y);
    let unit = if durations { "ms" } else { "character" };
    let density = format!("density (per {unit})");
    let bars = fit.histogram.edges.windows(2).zip(&fit.histogram.heights);
    let middle = |(edge, &height): (&[f64], &f64)| {
        let at = ((edge[0] + edge[1]) / 2.0, height * factor);
        (at, [edge[0], edge[1], height].map(rounded).to_vec())
    };
    let label = |what: &str| format!("{}, {what}", name(fit.density));
    panel.mark(Mark::Series(Series {
        label: label("observed"),
        names: vec![format!("{title} from"), "to".to_owned(), density.clone()],
        points: bars.map(middle).collect(),
        marks: vec![Mark::Bars {
            edges: fit.histogram.edges.clone(),
            heights: fit.histogram.heights.iter().map(|h| h * factor).collect(),
            color: palette::PALE,
            opacity: 1.0,
            outline: None,
        }],
        ..Series::default()
    }));
    let scaled = |values: &[f64]| -> Vec<(f64, f64)> {
        fit.x.iter().zip(values).map(|(&x, v)| (x, v * factor)).collect()
    };
    let band = fit.x.iter().zip(&fit.low).zip(&fit.high);
    let numbers = fit.x.iter().zip(&fit.mean).zip(&fit.low).zip(&fit.high);
    let point = |(((&x, &mean), &low), &high): (((&f64, &f64), &f64), &f64)| {
        ((x, mean * factor), [x, mean, low, high].map(rounded).to_vec())
    };
    panel.mark(Mark::Series(Series {
        label: label("semiparametric"),
        names: [title, &density, "90 % band from", "to"].map(str::to_owned).to_vec(),
        points: numbers.map(point).collect(),
        marks: vec![
            Mark::Band {
                points: band.map(|((&x, low), high)| (x, low * factor, high * factor)).collect(),
                color: MEAN.color,
                opacity: BAND,
            },
            Mark::Line { points: scaled(&fit.mean), stroke: MEAN, label: None },
        ],
        ..Series::default()
    }));
    let point =
        |(&x, &value): (&f64, &f64)| ((x, value * factor), [x, value].map(rounded).to_vec());
    panel.mark(Mark::Series(Series {
        label: label("gamma fit"),
        names: [title, &density].map(str::to_owned).to_vec(),
        points: fit.x.iter().zip(&fit.gamma).map(point).collect(),
        marks: vec![Mark::Line { points: scaled(&fit.gamma), stroke: GAMMA, label: None }],
        ..Series::default()
    }));
    panel.corner_note(format!("n = {}", fit.observations));
    panel
}

/// Where an axis ends: beyond it there is next to nothing observed or expected.
pub(super) fn right_end(fit: &DensityFit) -> f64 {
    let widths = fit.histogram.edges.windows(2).map(|e| e[1] - e[0]);
    let bars = fit.histogram.edges.iter().skip(1).zip(&fit.histogram.heights).zip(widths);
    let seen = quantile(bars.map(|((&x, &h), w)| (x, h * w)));
    let steps = fit.x.windows(2).map(|e| e[1] - e[0]);
    let curve = fit.x.iter().skip(1).zip(fit.mean.iter().skip(1)).zip(steps);
    let expected = quantile(curve.map(|((&x, &f), w)| (x, f * w)));
    seen.max(expected)
}

/// The place below which [`SHOWN`] of the mass is.
fn quantile(parts: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let total: f64 = parts.clone().map(|p| p.1).sum();
    let mut sum = 0.0;
    for (x, mass) in parts {
        sum += mass;
        if sum >= SHOWN * total {
            return x;
        }
    }
    0.0
}

fn fit_table(data: &ReaderDensities) -> Csv {
    let columns = ["reader", "density", "part", "x", "x_end", "value", "low", "high"];
    let mut table = Csv::new(&columns);
    for fit in &data.densities {
        let names = [Value::Word(&data.reader), Value::Word(fit.density.name())];
        for (edge, &height) in fit.histogram.edges.windows(2).zip(&fit.histogram.heights) {
            let place = [Value::Rounded(edge[0]), Value::Rounded(edge[1]), Value::Rounded(height)];
            row(&mut table, names, "histogram", place, [Value::None; 2]);
        }
        for (&x, &value) in fit.x.iter().zip(&fit.gamma) {
            let place = [Value::Rounded(x), Value::None, Value::Rounded(value)];
            row(&mut table, names, "gamma", place, [Value::None; 2]);
        }
        for (i, (&x, &value)) in fit.x.iter().zip(&fit.mean).enumerate() {
            let place = [Value::Rounded(x), Value::None, Value::Rounded(value)];
            let at = |values: &[f64]| values.get(i).map_or(Value::None, |&v| Value::Rounded(v));
            row(&mut table, names, "posterior", place, [at(&fit.low), at(&fit.high)]);
        }
    }
    table
}

fn row(
    table: &mut Csv,
    [reader, density]: [Value<'_>; 2],
    part: &str,
    [x, x_end, value]: [Value<'_>; 3],
    [low, high]: [Value<'_>; 2],
) {
    table.row(&[reader, density, Value::Word(part), x, x_end, value, low, high]);
}

/// Whether one reader's densities are calibrated: the share of observations below each quantile of
/// the density, less the expected share. The band holds the whole curve of a right density with
/// probability 95 % (Kolmogorov and Smirnov; on the observations it was fitted to, with more, and on
/// others with less, since a fit is never quite right).
pub fn reader_calibration(data: &ReaderCalibration) -> Drawing {
    let title = format!("Calibration of the densities of reader {}", data.reader);
    let mut figure = Figure::new(Width::Full, title);
    let find = |id| data.densities.iter().find(|d| d.density == id);
    let farthest = farthest(data);
    let key = vec![
        KeyEntry {
            sample: Sample::Line(MEAN),
            label: "observed".into(),
            note: "less expected".into(),
            is_method: false,
        },
        KeyEntry {
            sample: Sample::Area(palette::PALE, 1.0),
            label: "95 % band".into(),
            note: String::new(),
            is_method: false,
        },
    ];
    let cells: Vec<Cell> = PLACES
        .iter()
        .flatten()
        .map(|place| match place {
            Some(id) => find(*id).map_or(Cell::Empty, |d| excess_panel(d, farthest).into()),
            None => Cell::Key(key.clone()),
        })
        .collect();
    let grid = Grid { columns: 6, aspect: 1.0, shared_y: true, gap: 7.0, key: Vec::new() };
    figure.grid(&grid, &cells);
    if data.densities.iter().any(|d| reach(d) > ROOM * farthest) {
        let words = format!("Curves that leave the axis have fewer than {FEW} observations.");
        figure.footnote(&words);
    }
    let mut table = Csv::new(&["reader", "density", "n", "quantile", "observed", "band95"]);
    for d in &data.densities {
        for (quantile, excess) in excess(d) {
            table.row(&[
                Value::Word(&data.reader),
                Value::Word(d.density.name()),
                Value::Count(d.values.len()),
                Value::Rounded(quantile),
                Value::Rounded(quantile + excess),
                Value::Rounded(band(d.values.len())),
            ]);
        }
    }
    figure.finish(table).of(format!("Reader {}", data.reader))
}

/// What the axes must hold: every curve of more than a few observations, and bands up to a width
/// beyond which they say nothing.
fn farthest(data: &ReaderCalibration) -> f64 {
    data.densities
        .iter()
        .filter(|d| d.values.len() >= FEW)
        .flat_map(|d| [reach(d), band(d.values.len()).min(WIDEST_BAND)])
        .fold(0.05, f64::max)
}

/// How far a curve is from 0 at most.
fn reach(data: &DensityTransform) -> f64 {
    excess(data).iter().map(|p| p.1.abs()).fold(0.0, f64::max)
}

fn excess_panel(data: &DensityTransform, farthest: f64) -> Panel {
    let x = Axis::linear("expected share below (%)", (0.0, 1.0)).percent().ticks([0.0, 0.5, 1.0]);
    let y = Axis::linear("observed − expected (% points)", (-ROOM * farthest, ROOM * farthest))
        .percent();
    let mut panel = Panel::new(name(data.density), x, y);
    let half = band(data.values.len());
    let points = vec![(0.0, -half, half), (1.0, -half, half)];
    panel.mark(Mark::Band { points, color: palette::PALE, opacity: 1.0 });
    panel.mark(Mark::Segment { from: (0.0, 0.0), to: (1.0, 0.0), stroke: REFERENCE });
    let points = excess(data);
    panel.mark(Mark::Series(Series {
        label: name(data.density).to_owned(),
        names: ["expected share below (%)", "observed share below (%)"].map(str::to_owned).to_vec(),
        points: points.iter().map(|&(x, y)| ((x, y), [x, x + y].map(rounded).to_vec())).collect(),
        marks: vec![Mark::Line { points, stroke: MEAN, label: None }],
        ..Series::default()
    }));
    panel.corner_note(format!("n = {}", data.values.len()));
    panel
}

/// Half the width of the band around the distribution of `n` uniform values that holds all of it
/// with probability 95 %: Stephens' form of Kolmogorov's limit, good from five values on.
fn band(n: usize) -> f64 {
    let root = (n.max(1) as f64).sqrt();
    1.358 / (root + 0.12 + 0.11 / root)
}

/// The empirical distribution less the uniform one, before and after each of its steps.
fn excess(data: &DensityTransform) -> Vec<(f64, f64)> {
    let mut values: Vec<f64> =
        data.values.iter().copied().filter(|v| v.is_finite()).map(|v| v.clamp(0.0, 1.0)).collect();
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    if values.is_empty() {
        return Vec::new();
    }
    let mut points = vec![(0.0, 0.0)];
    for (i, &v) in values.iter().enumerate() {
        points.push((v, i as f64 / n - v));
        points.push((v, (i + 1) as f64 / n - v));
    }
    points.push((1.0, 0.0));
    points
}

/// The paper's symbol with plain words.
fn name(density: DensityId) -> &'static str {
    match density {
        DensityId::Alpha0 => "α₀ line start",
        DensityId::Alpha1 => "α₁ refixation →",
        DensityId::Alpha1Bar => "ᾱ₁ refixation ←",
        DensityId::Alpha2 => "α₂ next word",
        DensityId::Alpha3 => "α₃ forward skip",
        DensityId::Alpha4 => "α₄ regression",
        DensityId::Delta0 => "δ₀ line start",
        DensityId::Delta1 => "δ₁ refixation",
        DensityId::Delta2 => "δ₂ next word",
        DensityId::Delta3 => "δ₃ forward skip",
        DensityId::Delta4 => "δ₄ regression",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_density_has_one_place() {
        let mut places: Vec<DensityId> = PLACES.iter().flatten().copied().flatten().collect();
        places.sort();
        assert_eq!(places, DensityId::ALL);
    }

    #[test]
    fn the_band_is_kolmogorovs() {
        // Two-sided 5 % points of exact tables.
        for (n, exact) in [(5, 0.563), (20, 0.294), (100, 0.1340)] {
            assert!((band(n) - exact).abs() < 0.02 * exact + 0.002, "{n}: {}", band(n));
        }
    }

    #[test]
    fn no_curve_of_many_observations_leaves_the_axis() {
        let one = |values: Vec<f64>| ReaderCalibration {
            reader: "a".into(),
            densities: vec![DensityTransform { density: DensityId::Delta0, values }],
        };
        assert!(farthest(&one(vec![0.01; 8])) > 0.98);
        assert!(!reader_calibration(&one(vec![0.01; 8])).svg.contains("leave the axis"));
        assert_eq!(farthest(&one(vec![0.01; 2])), 0.05);
        assert!(reader_calibration(&one(vec![0.01; 2])).svg.contains("leave the axis"));
    }

    #[test]
    fn excess_of_known_values() {
        let data =
            DensityTransform { density: DensityId::Delta0, values: vec![0.75, 0.25, f64::NAN] };
        let want =
            [(0.0, 0.0), (0.25, -0.25), (0.25, 0.25), (0.75, -0.25), (0.75, 0.25), (1.0, 0.0)];
        assert_eq!(excess(&data), want);
    }
}
