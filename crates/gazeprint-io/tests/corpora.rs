//! Real recordings, where they are at hand.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::collections::HashMap;

use gazeprint_io::import::asc::{self, AscOptions};
use gazeprint_io::import::{Position, RawFixation, Recording, Source};
use gazeprint_io::read_corpus_with_notes;

use common::find;

/// Checks the size of a corpus, and that words are where its own column `word_index` has them.
///
/// That column was made before positions were rounded to three decimals: a position just left of a
/// bound may have been rounded onto it. Nothing else may differ.
fn check(name: &str, readers: usize, readings: usize, fixations: usize) {
    let Some(folder) = find(name) else { return };
    let start = std::time::Instant::now();
    let (corpus, notes) = read_corpus_with_notes(&folder).unwrap();
    println!("{name}: read in {:.3} s", start.elapsed().as_secs_f64());
    assert_eq!(corpus.name(), name);
    assert_eq!(corpus.readers().len(), readers);
    assert_eq!(corpus.scanpaths().len(), readings);
    assert_eq!(corpus.fixation_count(), fixations);
    println!("{name}: {notes:?}");

    // By way of another parser: these files have no quoted cells.
    let content = std::fs::read_to_string(folder.join("fixations.csv")).unwrap();
    let mut expected: HashMap<(&str, &str), Vec<Option<u32>>> = HashMap::new();
    for row in content.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let word = cells[6].parse::<f64>().ok().map(|w| w as u32);
        expected.entry((cells[0], cells[1])).or_default().push(word);
    }
    let mut rounded = 0;
    for path in corpus.scanpaths() {
        let text = &corpus.texts()[path.text];
        let key = (corpus.readers()[path.reader].as_str(), text.id());
        let words = &expected[&key];
        assert_eq!(words.len(), path.fixations.len());
        for (fixation, &theirs) in path.fixations.iter().zip(words) {
            let place = fixation.line.and_then(|n| text.line_index(n)).zip(fixation.x);
            let ours = place.and_then(|(line, x)| {
                let line = &text.lines()[line];
                line.word_at(x.0).map(|w| line.words()[w].index)
            });
            if ours == theirs {
                continue;
            }
            let is_at_bound = place.is_some_and(|(_, x)| x.0.fract() == 0.0);
            assert!(is_at_bound, "{key:?} {fixation:?}: {ours:?} here, {theirs:?} there");
            rounded += 1;
        }
    }
    println!("{name}: {rounded} of {fixations} positions rounded onto the next word");
}

#[test]
fn seam() {
    check("seam", 55, 1_949, 57_203);
}

#[test]
fn provo() {
    check("provo", 84, 84 * 55, 225_176);
}

#[test]
fn bournemouth() {
    check("bournemouth", 166, 18_290, 290_374);
}

/// The fixations of an EyeLink recording, and what was noted.
fn recorded(name: &str, from_samples: bool) -> Option<(Vec<RawFixation>, Vec<String>)> {
    let path = find("raw/eyelink-asc")?.join(name);
    let mut options = AscOptions::new("r");
    options.gaze.from_samples = from_samples;
    let mut source = Source::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut recording = Recording::default();
    asc::read(&mut source, 0, &options, &mut recording).unwrap();
    let fixations = recording.readings.into_iter().flat_map(|reading| reading.fixations);
    let notes = recording.remarks.iter().map(ToString::to_string).collect();
    Some((fixations.collect(), notes))
}

#[test]
fn eyelink_monocular() {
    let Some((fixations, _)) = recorded("monocular.asc", false) else { return };
    let found: Vec<_> = fixations
        .iter()
        .map(|f| (&*f.text, f.trial.as_deref(), f.onset_ms, f.duration_ms, f.position))
        .collect();
    let at = |x, y| Position::Pixels { x, y };
    assert_eq!(
        found,
        [
            ("2", Some("1"), Some(2_154_563.0), Some(133.0), at(141.0, 132.2)),
            ("4", Some("13"), Some(2_339_246.0), Some(45.0), at(638.5, 531.8)),
        ]
    );
}

#[test]
fn eyelink_raccoons() {
    let Some((fixations, notes)) = recorded("raccoons.asc", false) else { return };
    let [fixation] = &fixations[..] else { panic!("{fixations:?}") };
    assert_eq!((fixation.onset_ms, fixation.duration_ms), (Some(147_953.0), Some(255.0)));
    assert_eq!(fixation.position, Position::Pixels { x: 1008.6, y: 1190.4 });
    assert!(notes.iter().any(|note| note == "1 blocks without END"), "{notes:?}");
    // Detection finds the same one.
    let Some((detected, _)) = recorded("raccoons.asc", true) else { return };
    let [detected] = &detected[..] else { panic!("{detected:?}") };
    let Position::Pixels { x, y } = detected.position else { panic!("{detected:?}") };
    assert!((x - 1008.6).abs() < 1.0 && (y - 1190.4).abs() < 1.0, "{x} {y}");
}
