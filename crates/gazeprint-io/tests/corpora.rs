//! Real recordings, where they are at hand.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

use gazeprint_io::read_corpus;

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
    writeln!(io::stderr(), "SKIPPED {name}: {} is not there", folder.display()).unwrap();
    None
}

/// Checks the size of a corpus, and that words are where its own column `word_index` has them.
fn check(name: &str, readers: usize, fixations: usize, most_disagreements: f64) {
    let Some(folder) = find(name) else { return };
    let start = std::time::Instant::now();
    let corpus = read_corpus(&folder).unwrap();
    println!("{name}: read in {:.3} s", start.elapsed().as_secs_f64());
    assert_eq!(corpus.name(), name);
    assert_eq!(corpus.readers().len(), readers);
    assert_eq!(corpus.fixation_count(), fixations);

    // By way of another parser: these files have no quoted cells.
    let content = std::fs::read_to_string(folder.join("fixations.csv")).unwrap();
    let mut expected: HashMap<(&str, &str), Vec<Option<u32>>> = HashMap::new();
    for row in content.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let word = cells[6].parse::<f64>().ok().map(|w| w as u32);
        expected.entry((cells[0], cells[1])).or_default().push(word);
    }
    let mut kinds: HashMap<&str, usize> = HashMap::new();
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
            let kind = match (ours, theirs) {
                (a, b) if a == b => continue,
                (Some(_), None) => "on text here, off text there",
                (None, Some(_)) => "off text here, on text there",
                _ => "another word",
            };
            let count = kinds.entry(kind).or_default();
            *count += 1;
            if *count <= 5 {
                println!("{key:?} {fixation:?}: {ours:?} here, {theirs:?} there");
            }
        }
    }
    println!("{name}: disagreements {kinds:?}");
    let share = kinds.values().sum::<usize>() as f64 / fixations as f64;
    assert!(share <= most_disagreements, "{share} of all words disagree");
}

#[test]
fn seam() {
    check("seam", 55, 57_203, 0.001);
}

#[test]
fn provo() {
    check("provo", 84, 225_176, 0.001);
}

#[test]
fn bournemouth() {
    check("bournemouth", 166, 290_374, 0.001);
}
