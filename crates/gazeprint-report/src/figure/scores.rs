//! Scores of genuine readers and of impostors.

use gazeprint_eval::portrait::Histogram;

use super::data::MethodScores;
use super::{
    Anchor, Axis, Cell, Color, Drawing, Figure, Grid, Mark, Panel, Series, Stroke, Width, palette,
};
use crate::csv::{Csv, Value};

/// Height of a panel over its highest bar, for the words above.
const ROOM: f64 = 1.25;
const BINS: usize = 48;
/// What claims are, from back to front.
const KINDS: [&str; 2] = ["impostor", "genuine"];
const SHARE: &str = "comparisons (% per bin)";
const OPACITY: f64 = 0.35;
const GENUINE: Color = palette::BLUE;
const IMPOSTOR: Color = palette::ORANGE;

/// Distributions of the scores of genuine readers and of impostors, one panel a method.
pub fn score_distributions(methods: &[MethodScores]) -> Drawing {
    let one = methods.len() <= 1;
    let width = if one { Width::Column } else { Width::Full };
    let mut figure = Figure::new(width, "Scores of genuine readers and of impostors");
    let columns = match methods.len() {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let grid = Grid { columns, aspect: 0.62, shared_y: false, gap: 10.0, key: Vec::new() };
    let mut table = Csv::new(&["method", "kind", "n", "from", "to", "share"]);
    let mut cells: Vec<Cell> = Vec::new();
    for scores in methods {
        let range = range(scores);
        let kinds = [(KINDS[0], &scores.impostor, IMPOSTOR), (KINDS[1], &scores.genuine, GENUINE)];
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
        let mut panel = panel(scores, range, &bars);
        if cells.is_empty() {
            name(&mut panel, &bars);
        }
        cells.push(panel.into());
    }
    figure.grid(&grid, &cells);
    figure.finish(table)
}

fn panel(scores: &MethodScores, range: (f64, f64), bars: &[(Histogram, Color); 2]) -> Panel {
    let heights = || bars.iter().flat_map(|b| &b.0.heights).copied();
    let top = heights().fold(0.0, f64::max).max(1e-3);
    let x = Axis::linear(&scores.score, range);
    let y = Axis::linear(SHARE, (0.0, ROOM * top)).percent();
    let mut panel = Panel::new(&scores.method, x, y);
    let names = [&format!("{} from", scores.score), "to", SHARE].map(str::to_owned);
    for (kind, (bars, color)) in KINDS.into_iter().zip(bars) {
        let sides = bars.edges.windows(2).zip(&bars.heights);
        let points = sides.map(|(edge, &share)| {
            (((edge[0] + edge[1]) / 2.0, share), vec![edge[0], edge[1], share])
        });
        panel.mark(Mark::Series(Series {
            method: Some(scores.method.clone()),
            label: kind.to_owned(),
            names: names.to_vec(),
            points: points.collect(),
            marks: vec![Mark::Bars {
                edges: bars.edges.clone(),
                heights: bars.heights.clone(),
                color: *color,
                opacity: OPACITY,
                outline: Some(Stroke::new(*color, 0.7)),
            }],
        }));
    }
    panel
}

/// Says in the first panel what its colours are.
fn name(panel: &mut Panel, [impostor, genuine]: &[(Histogram, Color); 2]) {
    let peak = |bars: &Histogram| {
        let middles = bars.edges.windows(2).map(|e| (e[0] + e[1]) / 2.0);
        middles
            .zip(bars.heights.iter().copied())
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0.0, 0.0))
    };
    let peaks = (peak(&impostor.0), peak(&genuine.0));
    // Peaks that are close get their words to either side.
    let apart = panel.x.place(peaks.1.0) - panel.x.place(peaks.0.0) > 0.35;
    let anchors =
        if apart { (Anchor::Middle, Anchor::Middle) } else { (Anchor::End, Anchor::Start) };
    let above = 0.05 * panel.y.range.1;
    for (text, (x, height), color, anchor) in
        [(KINDS[0], peaks.0, impostor.1, anchors.0), (KINDS[1], peaks.1, genuine.1, anchors.1)]
    {
        let at = (x, height + above);
        panel.mark(Mark::Note { at, text: text.into(), color, anchor });
    }
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
