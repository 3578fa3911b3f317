//! The figures from the outside: what they are made of, their numbers, their pixels.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeSet;

use gazeprint::saccade::DensityId;
use gazeprint_eval::portrait::*;
use gazeprint_report::figure::data::*;
use gazeprint_report::figure::{self, Drawing};

/// What stands in a figure, in order.
fn texts(drawing: &Drawing) -> Vec<String> {
    drawing
        .svg
        .lines()
        .filter(|line| line.starts_with("<text"))
        .filter_map(|line| Some(line.split_once('>')?.1.strip_suffix("</text>")?.to_owned()))
        .collect()
}

fn count(drawing: &Drawing, element: &str) -> usize {
    drawing.svg.matches(element).count()
}

/// Where a figure says numbers, and which.
fn points(drawing: &Drawing) -> Vec<([f64; 2], Vec<String>)> {
    let attributes = drawing.svg.split("data-points=\"").skip(1);
    let lists = attributes.map(|rest| rest.split_once('"').unwrap().0);
    lists
        .flat_map(|list| list.split(';'))
        .map(|point| {
            let mut cells = point.split('|').map(str::to_owned);
            let at = [(); 2].map(|()| cells.next().unwrap().parse().unwrap());
            (at, cells.collect())
        })
        .collect()
}

/// Rows of a table; none of the examples needs quotes.
fn rows(drawing: &Drawing) -> Vec<Vec<&str>> {
    drawing.csv.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn the_same_data_give_the_same_bytes() {
    let of_studies = || common::all().into_iter().map(|(id, drawing)| (id.name(), drawing));
    let all = || of_studies().chain(common::of_readers()).chain(common::of_the_paper());
    for ((name, a), (_, b)) in all().zip(all()) {
        assert_eq!(a.svg, b.svg, "{name}");
        assert_eq!(a.csv, b.csv, "{name}");
        assert_eq!(a.png(), b.png(), "{name}");
        assert_eq!(a.pdf(), b.pdf(), "{name}");
    }
}

#[test]
fn every_figure_says_its_numbers_where_they_are() {
    for (id, drawing) in common::all() {
        let name = id.name();
        let numbers = points(&drawing);
        assert!(numbers.len() > 15, "{name}: {}", numbers.len());
        let (_, rest) = drawing.svg.split_once("viewBox=\"0 0 ").unwrap();
        let size: Vec<f64> =
            rest.split_once('"').unwrap().0.split(' ').map(|v| v.parse().unwrap()).collect();
        for (at, values) in &numbers {
            assert!((0.0..size[0]).contains(&at[0]) && (0.0..size[1]).contains(&at[1]), "{name}");
            assert!(!values.is_empty(), "{name}");
        }
        // As many names as values, always.
        for group in drawing.svg.split("data-names=\"").skip(1) {
            let names = group.split_once('"').unwrap().0.split('|').count();
            let (_, rest) = group.split_once("data-points=\"").unwrap();
            let first = rest.split(['"', ';']).next().unwrap();
            assert_eq!(first.split('|').count(), names + 2, "{name}: {first}");
        }
    }
}

#[test]
fn a_file_of_its_own_has_its_fonts_and_follows_dark_screens() {
    for (id, drawing) in common::all() {
        let (name, file) = (id.name(), drawing.svg_file());
        assert!(file.contains("font-family:Inter;font-weight:400"), "{name}");
        let words = file.contains("font-family:'JetBrains Mono'");
        assert_eq!(words, name == "scanpath", "{name}");
        assert!(file.contains("(prefers-color-scheme:dark)"), "{name}");
        assert_eq!(file.matches("url(").count(), file.matches("url(data:font/").count(), "{name}");
    }
}

#[test]
fn a_pdf_is_one_page_of_the_size_of_the_figure() {
    for (id, drawing) in common::all() {
        let (name, file) = (id.name(), drawing.pdf());
        let text = String::from_utf8_lossy(&file);
        assert!(text.starts_with("%PDF-1.4\n") && text.ends_with("%%EOF\n"), "{name}");
        let width = if drawing.svg.contains("width=\"85mm\"") { "240.945" } else { "496.063" };
        assert!(text.contains(&format!("/MediaBox [0 0 {width} ")), "{name}");
        // Objects are where the table says.
        let at = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap();
        let table = &file[at.parse::<usize>().unwrap()..];
        let table = std::str::from_utf8(table).unwrap();
        let places = table.lines().skip(3).take_while(|line| line.ends_with(" 00000 n "));
        let mut objects = 0;
        for (number, place) in (1..).zip(places) {
            let place: usize = place[..10].parse().unwrap();
            assert!(file[place..].starts_with(format!("{number} 0 obj\n").as_bytes()), "{name}");
            objects = number;
        }
        assert_eq!(objects, 5, "{name}");
    }
}

#[test]
fn an_axis_that_does_not_begin_at_0_is_marked_and_said() {
    let curve = |mean| {
        let points = [1.0, 2.0].map(|x| CurvePoint { x, mean, se: f64::NAN });
        vec![MethodCurve { method: "population".into(), points: points.to_vec() }]
    };
    let high = figure::accuracy_over_seconds(&curve(0.83));
    assert!(texts(&high).iter().any(|t| t == "The vertical axis begins at 75 %, not at 0."));
    // The gap of the break is paper.
    assert_eq!(count(&high, "fill=\"#ffffff\""), 2);
    let low = figure::accuracy_over_seconds(&curve(0.3));
    assert!(!low.svg.contains("not at 0") && count(&low, "fill=\"#ffffff\"") == 1);
    // A single split has no standard error.
    assert!(rows(&high)[1..].iter().all(|row| row[4].is_empty()), "{}", high.csv);
}

#[test]
fn every_figure_of_errors_names_methods_without_any() {
    let point = |&(false_rejects, false_accepts): &(f64, f64)| {
        gazeprint_eval::measures::ErrorPoint { threshold: 0.0, false_rejects, false_accepts }
    };
    let curve = |method: &str, points: &[(f64, f64)]| ErrorCurve {
        method: method.into(),
        points: points.iter().map(point).collect(),
        eer: None,
    };
    let curves = vec![
        curve("fusion", &[(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)]),
        curve("landwehr", &[(0.0, 1.0), (0.1, 0.1), (1.0, 0.0)]),
    ];
    let part = ErrorCurvesAt { fraction: 0.4, curves: curves.clone() };
    for drawing in [
        figure::error_curves(&curves),
        figure::det_curves(&curves),
        figure::error_curves_by_fraction(&[part]),
    ] {
        let notes = texts(&drawing);
        let note = notes.iter().find(|t| t.contains("not drawn")).unwrap();
        assert!(note.contains("not drawn: fusion") && !note.contains("landwehr"), "{note}");
    }
}

#[test]
fn sizes_are_those_of_a_page() {
    for (id, drawing) in common::all() {
        let name = id.name();
        let column = ["errors", "det", "seconds"].contains(&name);
        let width = if column { "width=\"85mm\"" } else { "width=\"175mm\"" };
        assert!(drawing.svg.contains(width), "{name}");
        assert!(drawing.svg.len() < 200_000, "{name}: {}", drawing.svg.len());
        assert!(!drawing.svg.contains("NaN") && !drawing.svg.contains("inf"), "{name}");
        // Nothing that could clash with another figure of a page.
        assert!(!drawing.svg.contains(" id=") && !drawing.svg.contains("url("), "{name}");
    }
}

#[test]
fn pixels_decode_and_are_not_blank() {
    for (id, drawing) in common::all() {
        let name = id.name();
        let file = drawing.png();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let dims = reader.info().pixel_dims.unwrap();
        assert_eq!((dims.xppu, dims.unit), (11_811, png::Unit::Meter));
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let width = if drawing.svg.contains("width=\"85mm\"") { 1004 } else { 2067 };
        assert_eq!(info.width, width, "{name}");
        let ink = pixels.chunks(3).filter(|p| *p != [255, 255, 255]).count();
        let share = ink as f64 / (pixels.len() / 3) as f64;
        assert!((0.01..0.6).contains(&share), "{name}: {share}");
        let colors: BTreeSet<&[u8]> = pixels.chunks(3).collect();
        assert!(colors.len() > 50, "{name}: {}", colors.len());
        assert_eq!(&pixels[..3], [255, 255, 255], "{name}: the corner is paper");
    }
}

#[test]
fn tables_are_rectangular_and_numbers_are_numbers() {
    for (id, drawing) in common::all() {
        let name = id.name();
        let rows = rows(&drawing);
        assert!(rows.len() > 10, "{name}");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}");
        let numeric = ["x", "accuracy", "se", "false_reject", "false_accept", "share", "value"];
        for (column, title) in rows[0].iter().enumerate() {
            if numeric.contains(title) {
                let sound = rows[1..].iter().all(|row| row[column].parse::<f64>().is_ok());
                assert!(sound, "{name}: {title}");
            }
        }
    }
}

#[test]
fn densities_have_a_panel_each() {
    let drawing = figure::reader_densities(&common::densities());
    let texts = texts(&drawing);
    for title in ["α₀ line start", "ᾱ₁ refixation ←", "α₄ regression", "δ₁ refixation"]
    {
        assert!(texts.iter().any(|t| t == title), "{title}");
    }
    assert_eq!(texts.iter().filter(|t| t.starts_with("n = ")).count(), 11);
    for once in ["amplitude (characters)", "fixation duration (ms)", "gamma fit"] {
        assert_eq!(texts.iter().filter(|t| *t == once).count(), 1, "{once}");
    }
    let names: BTreeSet<&str> = rows(&drawing)[1..].iter().map(|row| row[1]).collect();
    assert_eq!(names, DensityId::ALL.map(DensityId::name).into());
}

#[test]
fn curves_are_labelled_at_their_ends() {
    let drawing = figure::accuracy_curves(&common::accuracy());
    let labels = texts(&drawing).into_iter().filter(|t| t == "population").count();
    assert_eq!(labels, 2);
    // One mark a point of every method, and its numbers.
    let numbers = points(&drawing);
    assert_eq!(numbers.len(), 7 * (10 + 9));
    let lines: Vec<&str> = drawing.csv.lines().skip(1).collect();
    for (_, values) in &numbers {
        assert!(lines.iter().any(|line| line.ends_with(&values.join(","))), "{values:?}");
    }
    assert_eq!(count(&drawing, "data-method=\"population\""), 4, "lines and labels, two panels");
    assert_eq!(rows(&drawing).len(), 1 + 7 * (10 + 9));
    assert_eq!(rows(&drawing)[0], ["panel", "method", "x", "accuracy", "se"]);
}

#[test]
fn the_axis_of_robustness_names_the_probes() {
    let axis = |sentences| {
        let drawing = figure::robustness(&RobustnessCurves { sentences, ..common::robustness() });
        assert_eq!(rows(&drawing).len(), 1 + 7 * (6 + 5));
        texts(&drawing).into_iter().find(|t| t.starts_with("accuracy (%), ")).unwrap()
    };
    assert_eq!(axis(Some(5)), "accuracy (%), 5 sentences a probe");
    assert_eq!(axis(Some(1)), "accuracy (%), 1 sentence a probe");
    assert_eq!(axis(None), "accuracy (%), all test sentences");
}

#[test]
fn names_have_a_line_a_rate_and_the_rate_that_was_asked_for() {
    let names = common::names();
    let drawing = figure::names_over_seconds(&names);
    let labels = texts(&drawing);
    for label in ["5 %", "1 %", "0.1 %"] {
        assert_eq!(labels.iter().filter(|t| *t == label).count(), 2, "{label}");
    }
    // One dot a point, also where nobody was seen.
    assert_eq!(count(&drawing, "<circle"), 2 * 3 * 8);
    assert_eq!(points(&drawing).len(), 2 * 3 * 8);
    // Of the method are bands, lines and labels.
    assert_eq!(count(&drawing, "data-method=\"fusion\""), 2 * 3 * 3);
    // A dotted line for each rate, among strangers alone.
    assert_eq!(count(&drawing, "stroke-dasharray=\"1.5 1.5\""), 3);
    assert_eq!(rows(&drawing).len(), 1 + 2 * 3 * 8);
    assert_eq!(rows(&drawing)[1][..4], ["readers", "fusion", "0.05", "2"]);
    assert!(labels.iter().any(|t| t == "(a) readers named right"), "{labels:?}");
    let two = [names[0].clone(), MethodNames { method: "population".into(), ..names[0].clone() }];
    let labels = texts(&figure::names_over_seconds(&two));
    assert!(labels.iter().any(|t| t == "(b) strangers named, population"), "{labels:?}");
}

#[test]
fn det_axes_have_the_usual_ticks() {
    let drawing = figure::det_curves(&common::errors(1.0));
    let texts = texts(&drawing);
    let ticks = ["0.1", "1", "5", "20", "50"];
    assert_eq!(texts[..5], ticks, "{texts:?}");
}

#[test]
fn a_scanpath_has_all_words_and_fixations() {
    let data = common::path();
    let drawing = figure::scanpath(&data);
    let texts = texts(&drawing);
    for word in ["The", "old", "harbour"] {
        assert!(texts.iter().any(|t| t == word), "{word}");
    }
    for order in 1..=data.fixations.len() {
        assert!(texts.contains(&order.to_string()), "{order}");
    }
    // Letters lie over circles.
    let svg = &drawing.svg;
    assert!(svg.find("<circle") < svg.find(">harbour<"));
    assert_eq!(points(&drawing)[1].1, ["2", "next word", "1", "11.2", "248"]);
    // Those of the key: the start of a line and two durations.
    assert_eq!(count(&drawing, "<circle"), data.fixations.len() + 3);
    assert_eq!(rows(&drawing)[1], ["r017", "p3", "1", "1", "5.4", "212", "initial"]);
}

#[test]
fn nothing_to_show_is_an_empty_figure() {
    let empty = [
        figure::reader_densities(&ReaderDensities { reader: "a".into(), densities: vec![] }),
        figure::accuracy_curves(&AccuracyCurves::default()),
        figure::error_curves(&[]),
        figure::error_curves_by_fraction(&[]),
        figure::det_curves(&[]),
        figure::accuracy_over_seconds(&[]),
        figure::names_over_seconds(&[]),
        figure::robustness(&RobustnessCurves::default()),
        figure::score_distributions(&[]),
        figure::reader_calibration(&ReaderCalibration { reader: "a".into(), densities: vec![] }),
        figure::scanpath(&ScanpathData {
            reader: "a".into(),
            text: "t".into(),
            lines: vec![],
            fixations: vec![],
        }),
    ];
    for drawing in empty {
        assert_eq!(drawing.csv.lines().count(), 1);
        assert!(!drawing.svg.contains("NaN"), "{}", drawing.svg);
        assert!(!drawing.png().is_empty());
    }
}

#[test]
fn strange_values_and_names_do_no_harm() {
    let name = "<b> & \"c\", d";
    let curve = MethodCurve {
        method: name.into(),
        points: [f64::NAN, f64::INFINITY, 0.5, -3.0]
            .map(|v| CurvePoint { x: v, mean: v, se: v })
            .to_vec(),
    };
    let points: Vec<PartPoint> = [f64::NAN, f64::INFINITY, 0.5, -3.0]
        .map(|v| PartPoint { x: v, part: v, low: v, high: v })
        .to_vec();
    let strange = NamedAtRate { rate: f64::NAN, readers: points.clone(), strangers: points };
    let names = MethodNames { method: name.into(), rates: vec![strange] };
    let scores = MethodScores {
        method: name.into(),
        genuine: vec![f64::NAN, f64::NEG_INFINITY, 2.0],
        impostor: vec![2.0, 2.0],
        score: "s".into(),
    };
    let fixation = |x, duration| PlacedFixation { line: 1, x, duration, kind: None };
    let drawings = [
        figure::accuracy_over_seconds(std::slice::from_ref(&curve)),
        figure::names_over_seconds(&[names]),
        figure::accuracy_curves(&AccuracyCurves {
            by_fraction: vec![curve.clone()],
            by_readers: vec![curve.clone()],
        }),
        figure::robustness(&RobustnessCurves {
            sentences: Some(usize::MAX),
            by_noise: vec![curve.clone()],
            by_duration: vec![curve],
        }),
        figure::score_distributions(&[scores]),
        figure::scanpath(&ScanpathData {
            reader: name.into(),
            text: "t".into(),
            lines: vec![TextLine { line: 1, words: vec![] }],
            fixations: vec![
                fixation(f64::NAN, 200.0),
                fixation(3.0, f64::NAN),
                fixation(5.0, -1.0),
            ],
        }),
    ];
    for drawing in drawings {
        assert!(!drawing.svg.contains("<b>"));
        assert!(!drawing.svg.contains("NaN") && !drawing.svg.contains("inf"), "{}", drawing.svg);
        assert!(drawing.csv.contains("\"<b> & \"\"c\"\", d\""), "{}", drawing.csv);
        assert!(!drawing.png().is_empty());
    }
}
