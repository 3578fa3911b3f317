//! Real recordings, where they are at hand.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

use gazeprint_io::read_corpus_with_notes;

/// The folder of a corpus that is not part of the project: under `GAZEPRINT_CORPORA`, or else
/// under `../shared/corpora` beside the workspace.
fn find(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora");
    let root = std::env::var_os("GAZEPRINT_CORPORA").unwrap_or_else(|| beside.into());
    let folder = PathBuf::from(root).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    // Past the test harness, which hides what passing tests print.
    let mut stderr = io::stderr();
    writeln!(stderr, "SKIPPED {name}: {} is not there", folder.display()).unwrap();
    None
}

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
