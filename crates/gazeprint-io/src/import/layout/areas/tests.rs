use super::*;
use crate::import::recording::Area;
use crate::import::testing::Collected;

/// Areas of words that stand one blank apart, each with half of the blanks beside it.
fn page(lines: &[&str], pitch: f64, left: f64) -> Vec<WordArea> {
    let mut areas = Vec::new();
    for (line, top) in lines.iter().zip((0..).map(|line| 100.0 + 80.0 * f64::from(line))) {
        let indent = line.len() - line.trim_start().len();
        let mut column = indent as f64;
        for word in line.split_whitespace() {
            let characters = word.chars().count() as f64;
            areas.push(WordArea {
                id: areas.len() as i64,
                label: Some(word.to_owned()),
                left: (left + (column - 0.5) * pitch).round(),
                right: (left + (column + characters + 0.5) * pitch).round(),
                top,
                bottom: top + 78.0,
                row: areas.len() as u64 + 2,
            });
            column += characters + 1.0;
        }
    }
    areas
}

fn layouts(pages: Vec<(&str, Vec<WordArea>)>) -> (Vec<Layout>, Collected) {
    let mut areas = Areas::default();
    for (text, page) in pages {
        areas.page(&text.into(), page);
    }
    let mut found = Collected::default();
    let layouts = areas.layouts(None, &mut found).unwrap();
    for layout in &layouts {
        layout.words(0, &mut found).unwrap();
    }
    (layouts, found)
}

#[test]
fn lines_and_characters_come_back_from_pixels() {
    let (layouts, found) =
        layouts(vec![("t", page(&["The old dog", "  sleeps under a", "tree."], 14.3, 200.0))]);
    let words: Vec<_> = found.words.iter().map(|word| (word.line, word.index, word.area)).collect();
    let at = |start, end| Area::Chars { start, end };
    let expected = [
        (Some(1), 1, at(0, 3)),
        (Some(1), 2, at(4, 7)),
        (Some(1), 3, at(8, 11)),
        (Some(2), 4, at(2, 8)),
        (Some(2), 5, at(9, 14)),
        (Some(2), 6, at(15, 16)),
        (Some(3), 7, at(0, 5)),
    ];
    assert_eq!(words, expected);
    assert!((layouts[0].column(0, 200.0 + 4.5 * 14.3) - 4.5).abs() < 0.1);
    assert!((layouts[0].column(1, 200.0 + 4.5 * 14.3) - 4.5).abs() < 0.1);
    assert!(found.notes[0].contains("residual"), "{}", found.notes[0]);
    assert!((layouts[0].page().spacing - 80.0).abs() < 1e-9);
}

#[test]
fn a_fit_gives_pixels_per_character_and_padding() {
    let fit = Fit::of([(1.0, 38.0), (2.0, 57.0), (5.0, 114.0)].into_iter()).unwrap();
    assert!((fit.slope - 19.0).abs() < 1e-9 && (fit.intercept - 19.0).abs() < 1e-9);
    assert!(fit.residual < 1e-9);
    assert_eq!(Fit::of([(3.0, 30.0), (3.0, 30.0)].into_iter()).unwrap().slope, 10.0);
    assert_eq!(Fit::of([(3.0, 30.0), (5.0, 10.0)].into_iter()), None);
    assert_eq!(Fit::of(std::iter::empty()), None);
}

#[test]
fn another_layout_of_a_text_is_a_text_of_its_own() {
    let mut areas = Areas::default();
    let text: Arc<str> = "t".into();
    let mut shifted = page(&["one two", "three"], 10.0, 50.0);
    shifted[0].top += 1.0;
    let pages = [
        areas.page(&text, page(&["one two", "three"], 10.0, 50.0)),
        areas.page(&text, shifted),
        areas.page(&text, page(&["one", "two three"], 10.0, 50.0)),
        areas.page(&text, page(&["one two", "three"], 10.0, 50.0)),
    ];
    let names = areas.names();
    assert_eq!(pages.map(|page| &*names[page]), ["t", "t", "t~2", "t"]);
    assert!(areas.several().contains(&text));
}

#[test]
fn a_text_in_a_larger_font_has_a_fit_of_its_own() {
    let usual = "it was a long and winding road to nowhere";
    let pages = vec![("a", page(&[usual; 4], 10.0, 50.0)), ("b", page(&[usual], 20.0, 50.0))];
    let (layouts, found) = layouts(pages);
    assert!((layouts[1].pitch - 20.0).abs() < 0.1, "{}", layouts[1].pitch);
    assert_eq!(layouts[1].words[2].start, 7);
    assert!(found.notes.iter().any(|note| note.contains("fonts differ in size")));
    assert!(!found.notes.iter().any(|note| note.contains("proportional")));
}

#[test]
fn in_a_proportional_font_positions_are_interpolated() {
    let widths = [("ill", 12.0), ("WWW", 60.0), ("lily", 15.0), ("MMM", 58.0), ("a", 10.0)];
    let mut left = 100.0;
    let areas = (0..).zip(widths).map(|(id, (label, width))| {
        let label = Some(label.to_owned());
        let area =
            WordArea { id, label, left, right: left + width, top: 0.0, bottom: 40.0, row: 2 };
        left += width + 6.0;
        area
    });
    let (layouts, found) = layouts(vec![("t", areas.collect())]);
    let layout = &layouts[0];
    assert!(found.notes[1].contains("proportional"));
    assert_eq!(layout.words.iter().map(|w| w.start).collect::<Vec<_>>(), [0, 4, 8, 13, 17]);
    let middle = f64::midpoint(layout.words[1].left, layout.words[1].right);
    assert!((layout.column(0, middle) - 5.5).abs() < 0.5);
}

#[test]
fn areas_without_labels_need_a_pitch() {
    let mut bare = page(&["one three"], 10.0, 50.0);
    bare.iter_mut().for_each(|area| area.label = None);
    let mut areas = Areas::default();
    areas.page(&"t".into(), bare.clone());
    let error = areas.layouts(None, &mut Collected::default()).unwrap_err();
    assert_eq!(error.at().unwrap().row, 2);
    let mut areas = Areas::default();
    areas.page(&"t".into(), bare);
    let layouts = areas.layouts(Some(10.0), &mut Collected::default()).unwrap();
    assert_eq!(layouts[0].words.len(), 2);
}

#[test]
fn pixels_per_character_that_are_given_leave_the_padding_to_be_fitted() {
    // Widths of 4 pixels per character and a padding of 20, of which the given 6 explain the mean.
    let pairs = [(2.0, 28.0), (4.0, 36.0), (6.0, 44.0)];
    let fit = Fit::given(6.0, pairs.into_iter());
    assert_eq!((fit.slope, fit.intercept, fit.areas), (6.0, 12.0, 3));
    assert!((fit.residual - (32.0_f64 / 3.0).sqrt()).abs() < 1e-9, "{}", fit.residual);
    assert!(fit.is_proportional());
    assert!(!Fit::given(4.0, pairs.into_iter()).is_proportional());
    // A font width somewhat off must not move the words by the other fit's padding.
    let mut areas = Areas::default();
    areas.page(&"t".into(), page(&["one three seventeen"], 10.0, 50.0));
    let mut found = Collected::default();
    let layouts = areas.layouts(Some(9.5), &mut found).unwrap();
    assert!(found.notes[0].contains("padding 12.8"), "{}", found.notes[0]);
    assert!((layouts[0].column(0, 50.0) + 0.15).abs() < 0.01);
}

#[test]
fn words_are_found_by_the_numbers_of_their_areas() {
    // Every other number is free, and the first word is not the first area.
    let mut shuffled = page(&["one two three four"], 10.0, 50.0);
    for (area, id) in shuffled.iter_mut().zip([7, 1, 9, 3]) {
        area.id = id;
    }
    let (layouts, _) = layouts(vec![("t", shuffled)]);
    let numbers = [7, 1, 9, 3, 8, i64::MIN, i64::MAX].map(|id| layouts[0].word_of(id).map(|w| w.0));
    assert_eq!(numbers, [Some(1), Some(2), Some(3), Some(4), None, None, None]);
}

#[test]
fn edges_may_differ_by_rounding_wherever_they_are() {
    for offset in [0.0, 0.5, 1.0, 1.5, -3.0] {
        for away in [-2.0, -1.0, 0.0, 1.0, 2.0, 2.5] {
            let mut areas = Areas::default();
            let mut first = page(&["one two", "three"], 10.0, 50.0);
            first.iter_mut().for_each(|area| area.left += offset);
            let mut other = first.clone();
            other.iter_mut().for_each(|area| area.left += away);
            other.reverse();
            areas.page(&"t".into(), first);
            assert_eq!(areas.page(&"t".into(), other), usize::from(away > 2.0), "{offset} {away}");
        }
    }
}
