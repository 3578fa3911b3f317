//! Traits of readers: one with its intervals, and two against each other.

use super::data::{ReaderValue, TraitAxis, TraitPair, TraitReaders};
use super::font::Face;
use super::style::{Marker, TEXT};
use super::{Axis, Drawing, Figure, Grid, Mark, Panel, Stroke, Width, palette};
use crate::csv::{Csv, Value};
use crate::number::{general, interval, plural};

/// Most readers whose names fit on a page.
const NAMED: usize = 90;
/// Height of a reader with a name, points.
const PITCH: f64 = 7.8;
/// Lowest and highest panel of readers, points.
const HEIGHTS: (f64, f64) = (60.0, 640.0);
/// Names are cut after so many characters.
const LONGEST: usize = 20;
/// Intervals are shown as far beyond the estimates as these are apart.
const BEYOND: f64 = 1.0;
/// An interval.
const BAR: Stroke = Stroke::new(palette::SKY, 0.9);
/// The same behind other readers.
const PALE_BAR: Stroke = Stroke::new(palette::PALE, 0.6);
/// The mean over readers.
const MEAN: Stroke = Stroke::new(palette::GREY, 0.6).dashed(&[2.6, 1.4]);

/// A trait of all readers, the highest on top, each with its interval.
pub fn readers_by_trait(data: &TraitReaders) -> Drawing {
    let mut readers: Vec<&ReaderValue> =
        data.readers.iter().filter(|r| r.value.is_finite()).collect();
    readers.sort_by(|a, b| a.value.total_cmp(&b.value).then_with(|| a.reader.cmp(&b.reader)));
    let mut figure = Figure::new(Width::Column, format!("Readers by {}", data.of.name));
    let (x, is_cut) = axis(&data.of, readers.iter().copied());
    let last = readers.len().max(1) as f64 + 0.5;
    let is_named = readers.len() <= NAMED;
    // Ranks without names begin at 0, as numbers do.
    let y = Axis::linear("", (if is_named { 0.5 } else { 0.0 }, last));
    let names: Vec<String> = readers.iter().map(|r| shortened(&r.reader)).collect();
    let y = match is_named {
        true => y.words(&names),
        false => Axis { title: "readers, in order".into(), ..y },
    };
    let widest = names.iter().map(|name| Face::Regular.width(name, TEXT)).fold(0.0, f64::max);
    let beside = if is_named { widest } else { 20.0 };
    let width = figure.scene.width - beside - 28.0;
    let height = (readers.len() as f64 * PITCH).clamp(HEIGHTS.0, HEIGHTS.1);
    let mut panel = Panel::new("", x, y);
    if let Some(mean) = mean(&readers) {
        panel.mark(Mark::Segment { from: (mean, 0.5), to: (mean, last), stroke: MEAN });
    }
    let places = || readers.iter().zip(1..).map(|(reader, rank)| (reader, f64::from(rank)));
    for (reader, rank) in places().filter(|(reader, _)| has_interval(reader)) {
        let (from, to) = ((reader.low, rank), (reader.high, rank));
        panel.mark(Mark::Segment { from, to, stroke: BAR });
    }
    let points = places().map(|(reader, rank)| (reader.value, rank, 0.0)).collect();
    let radius = (0.25 * height / last).clamp(0.5, 1.5);
    panel.mark(Mark::Points { points, color: palette::BLUE, radius, marker: Marker::DOT });
    let aspect = height / width.max(40.0);
    let grid = Grid { columns: 1, aspect, shared_y: false, gap: 0.0, key: Vec::new() };
    figure.grid(&grid, &[panel.into()]);
    for note in notes(data, &readers, is_cut) {
        figure.footnote(&note);
    }
    let mut table = Csv::new(&["rank", "reader", "trait", "unit", "estimate", "low", "high"]);
    for (rank, reader) in readers.iter().enumerate() {
        table.row(&[
            Value::Count(rank + 1),
            Value::Word(&reader.reader),
            Value::Word(&data.of.name),
            Value::Word(&data.of.unit),
            Value::Number(reader.value),
            Value::Number(reader.low),
            Value::Number(reader.high),
        ]);
    }
    figure.finish(table)
}

/// Two traits against each other, a dot a reader, with both intervals.
pub fn two_traits(data: &TraitPair) -> Drawing {
    let title = format!("Readers by {} and {}", data.x.name, data.y.name);
    let mut figure = Figure::new(Width::Column, title);
    let shown = || data.readers.iter().filter(|[x, y]| (x.value + y.value).is_finite());
    let (x, x_is_cut) = axis(&data.x, shown().map(|[x, _]| x));
    let (y, y_is_cut) = axis(&data.y, shown().map(|[_, y]| y));
    let mut panel = Panel::new("", x, y);
    for [x, y] in shown() {
        if has_interval(x) {
            let (from, to) = ((x.low, y.value), (x.high, y.value));
            panel.mark(Mark::Segment { from, to, stroke: PALE_BAR });
        }
        if has_interval(y) {
            let (from, to) = ((x.value, y.low), (x.value, y.high));
            panel.mark(Mark::Segment { from, to, stroke: PALE_BAR });
        }
    }
    let points = shown().map(|[x, y]| (x.value, y.value, 0.0)).collect();
    panel.mark(Mark::Points { points, color: palette::BLUE, radius: 1.5, marker: Marker::DOT });
    let grid = Grid { columns: 1, aspect: 0.9, shared_y: false, gap: 0.0, key: Vec::new() };
    figure.grid(&grid, &[panel.into()]);
    let readers = plural(shown().count(), "reader");
    figure.footnote(&match (data.correlation, data.ci95) {
        (Some(r), Some(ci95)) => {
            format!("{readers}; r = {r:.2} {}", interval(ci95, |end| format!("{end:.2}")))
        }
        (Some(r), None) => format!("{readers}; r = {r:.2}"),
        _ => readers,
    });
    if shown().flatten().any(has_interval) {
        figure.footnote(&format!("crosses: 95 % intervals{}", cut(x_is_cut || y_is_cut)));
    }
    let columns = ["reader", "x", "x_low", "x_high", "y", "y_low", "y_high"];
    let mut table = Csv::new(&columns);
    for [x, y] in shown() {
        let mut row = vec![Value::Word(&x.reader)];
        row.extend([x, y].into_iter().flat_map(|v| [v.value, v.low, v.high].map(Value::Number)));
        table.row(&row);
    }
    figure.finish(table)
}

/// An axis of a trait that has room for estimates and most of their intervals, and whether some are
/// cut.
fn axis<'r>(of: &TraitAxis, readers: impl Iterator<Item = &'r ReaderValue>) -> (Axis, bool) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for reader in readers {
        (low, high) = (low.min(reader.value), high.max(reader.value));
        // What is not a number is neither lower nor higher.
        (lowest, highest) = (lowest.min(reader.low), highest.max(reader.high));
    }
    let apart = if high > low { BEYOND * (high - low) } else { f64::INFINITY };
    let (left, right) = (lowest.max(low - apart).min(low), highest.min(high + apart).max(high));
    let (left, right) = if right > left { (left, right) } else { around(left, &of.unit) };
    let margin = 0.03 * (right - left);
    let range = (left - margin, right + margin);
    let is_cut = lowest < left || highest > right;
    let axis = match of.unit.strip_prefix("share") {
        Some(per) => Axis::linear(format!("{} (%{per})", of.name), range).percent(),
        None => Axis::linear(format!("{} ({})", of.name, of.unit), range),
    };
    (axis, is_cut)
}

/// Both ends of an axis that shows nothing but this value: of a part of one, at most from 0 to 1.
fn around(value: f64, unit: &str) -> (f64, f64) {
    let beside = if value == 0.0 { 1.0 } else { 0.5 * value.abs() };
    let (left, right) = (value - beside, value + beside);
    match unit {
        "share" if (0.0..=1.0).contains(&value) => (left.max(0.0), right.min(1.0)),
        _ => (left, right),
    }
}

fn has_interval(reader: &ReaderValue) -> bool {
    (reader.low + reader.high).is_finite()
}

/// What is said of intervals that go beyond an axis.
fn cut(is_cut: bool) -> &'static str {
    if is_cut { ", cut at the edge" } else { "" }
}

fn mean(readers: &[&ReaderValue]) -> Option<f64> {
    let sum: f64 = readers.iter().map(|r| r.value).sum();
    // That of one is no mean.
    (readers.len() > 1).then(|| sum / readers.len() as f64)
}

/// What stands below.
fn notes(data: &TraitReaders, readers: &[&ReaderValue], is_cut: bool) -> Vec<String> {
    let about = data.about.clone();
    let percent = data.of.unit.starts_with("share");
    let shown = |value: f64| general(if percent { 100.0 * value } else { value });
    let mean = mean(readers)
        .map_or_else(String::new, |mean| format!("; dashed: their mean, {}", shown(mean)));
    let mut lines = vec![about, plural(readers.len(), "reader") + &mean];
    if readers.iter().any(|reader| has_interval(reader)) {
        lines.push(format!("bars: 95 % intervals over texts{}", cut(is_cut)));
    }
    if let Some(value) = data.reliability {
        let ci95 = data.reliability_ci95.map(|ci95| interval(ci95, |end| format!("{end:.2}")));
        lines.push(format!("split-half reliability {value:.2} {}", ci95.unwrap_or_default()));
    }
    lines
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(name: &str, value: f64, half: f64) -> ReaderValue {
        ReaderValue { reader: name.into(), value, low: value - half, high: value + half }
    }

    fn drawn(unit: &str, readers: Vec<ReaderValue>) -> String {
        let of = TraitAxis { name: "a_trait".into(), unit: unit.into() };
        let about = "a trait".into();
        let data = TraitReaders { of, about, readers, reliability: None, reliability_ci95: None };
        readers_by_trait(&data).svg
    }

    #[test]
    fn the_axis_of_one_rate_went_up_to_180_percent() {
        for (value, ends) in [(0.8, (0.4, 1.0)), (0.2, (0.1, 0.3)), (0.0, (0.0, 1.0))] {
            let (left, right) = around(value, "share");
            assert!((left - ends.0).abs() < 1e-12 && (right - ends.1).abs() < 1e-12, "{value}");
        }
        assert_eq!(around(200.0, "ms"), (100.0, 300.0));
        assert_eq!(around(-2.0, "ms/letter"), (-3.0, -1.0));
        assert_eq!(around(-0.5, "share"), (-0.75, -0.25));
        let svg = drawn("share", vec![reader("anna", 0.8, f64::NAN)]);
        assert!(svg.contains(">40<") && svg.contains(">100<") && !svg.contains(">120<"), "{svg}");
    }

    #[test]
    fn figures_spoke_of_a_mean_and_of_bars_that_they_did_not_have() {
        let one = drawn("ms", vec![reader("anna", 200.0, f64::NAN)]);
        assert!(one.contains("1\u{a0}reader<"), "{one}");
        assert!(!one.contains("dashed") && !one.contains("bars"), "{one}");
        let two = drawn("ms", vec![reader("anna", 200.0, 10.0), reader("ben", 220.0, 10.0)]);
        assert!(two.contains("2\u{a0}readers; dashed: their mean, 210"), "{two}");
        assert!(two.contains("bars: 95 % intervals over texts<"), "{two}");
    }

    #[test]
    fn intervals_of_two_traits_were_cut_and_nothing_said_so() {
        let axis = |name: &str| TraitAxis { name: name.into(), unit: "ms".into() };
        let drawn = |half: f64| {
            let pairs = [(200.0, 7.0), (220.0, 9.0)]
                .map(|(x, y)| [reader("anna", x, half), reader("anna", y, 1.0)]);
            let readers = pairs.to_vec();
            let (x, y) = (axis("x"), axis("y"));
            two_traits(&TraitPair { x, y, readers, correlation: None, ci95: None }).svg
        };
        assert!(drawn(100.0).contains("crosses: 95 % intervals, cut at the edge"));
        assert!(drawn(5.0).contains("crosses: 95 % intervals<"));
    }
}
