//! Scores of genuine readers and of impostors.

use super::data::{Histogram, MethodScores, ScoreDistributions};
use super::style::REFERENCE;
use super::{
    Axis, Cell, Color, Drawing, Figure, Grid, KeyEntry, Mark, Panel, Sample, Stroke, Table, Value,
    Width, palette,
};

const BINS: usize = 48;
const OPACITY: f64 = 0.35;
const GENUINE: Color = palette::BLUE;
const IMPOSTOR: Color = palette::ORANGE;

/// Distributions of the scores of genuine readers and of impostors, one panel a method; the thin
/// line is the threshold of the decision.
pub fn score_distributions(data: &ScoreDistributions) -> Drawing {
    let one = data.methods.len() <= 1;
    let width = if one { Width::Column } else { Width::Full };
    let mut figure = Figure::new(width, "Scores of genuine readers and of impostors");
    let columns = match data.methods.len() {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let key = ["genuine", "impostor"].into_iter().zip([GENUINE, IMPOSTOR]);
    let mut key: Vec<KeyEntry> = key
        .map(|(label, color)| KeyEntry {
            sample: Sample::Area(color, OPACITY),
            label: label.into(),
            note: String::new(),
        })
        .collect();
    if data.methods.iter().any(|m| m.threshold.is_some()) {
        let sample = Sample::Line(REFERENCE);
        key.push(KeyEntry { sample, label: "threshold".into(), note: String::new() });
    }
    let grid = Grid { columns, aspect: 0.62, shared_y: false, gap: 10.0, key };
    let mut table = Table::new(&["method", "kind", "n", "from", "to", "share"]);
    let mut cells: Vec<Cell> = Vec::new();
    for scores in &data.methods {
        let range = range(scores);
        let kinds =
            [("impostor", &scores.impostor, IMPOSTOR), ("genuine", &scores.genuine, GENUINE)];
        let bars = kinds.map(|(kind, values, color)| {
            let mut bars = Histogram::of(values, BINS, range);
            // Shares of a bin, not of a unit of score: the units of methods differ.
            let width = (range.1 - range.0) / BINS as f64;
            bars.heights.iter_mut().for_each(|h| *h *= width);
            for (edge, &share) in bars.edges.windows(2).zip(&bars.heights) {
                table.row(&[
                    Value::Word(&scores.method),
                    Value::Word(kind),
                    Value::Count(values.len()),
                    Value::Number(edge[0]),
                    Value::Number(edge[1]),
                    Value::Number(share),
                ]);
            }
            (bars, color)
        });
        cells.push(panel(data, scores, range, bars).into());
    }
    figure.grid(&grid, &cells);
    figure.finish(table)
}

fn panel(
    data: &ScoreDistributions,
    scores: &MethodScores,
    range: (f64, f64),
    bars: [(Histogram, Color); 2],
) -> Panel {
    let heights = || bars.iter().flat_map(|b| &b.0.heights).copied();
    let top = heights().fold(0.0, f64::max).max(1e-3);
    let x = Axis::linear(&data.score, range);
    let y = Axis::linear("comparisons (% per bin)", (0.0, 1.12 * top)).percent();
    let mut panel = Panel::new(&scores.method, x, y);
    for (bars, color) in bars {
        panel.mark(Mark::Bars {
            edges: bars.edges,
            heights: bars.heights,
            color,
            opacity: OPACITY,
            outline: Some(Stroke::new(color, 0.7)),
        });
    }
    if let Some(threshold) = scores.threshold {
        let (from, to) = ((threshold, 0.0), (threshold, 1.12 * top));
        panel.mark(Mark::Segment { from, to, stroke: REFERENCE });
    }
    panel
}

/// From the lowest to the highest score but for one in 500 of either kind at each end: single
/// scores far out would leave no room for the rest.
fn range(scores: &MethodScores) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for values in [&scores.genuine, &scores.impostor] {
        let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let cut = values.len() / 500;
        if let (Some(&first), Some(&last)) =
            (values.get(cut), values.get(values.len().saturating_sub(cut + 1)))
        {
            low = low.min(first);
            high = high.max(last);
        }
    }
    match (low, high) {
        (low, high) if low < high => (low, high),
        (low, _) if low.is_finite() => (low - 0.5, low + 0.5),
        _ => (0.0, 1.0),
    }
}
