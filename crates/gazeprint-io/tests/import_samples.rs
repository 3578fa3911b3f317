//! Real files of other tools, where they are at hand: each comes in with one call, and loses no row.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use gazeprint::corpus::Corpus;
use gazeprint_io::import::{ColumnRole, ImportReport, Imported, Request, import};
use gazeprint_io::read_corpus;

use common::find;

/// Imports files of a folder of samples; nothing where it is not there.
fn run(folder: &str, inputs: &[&str], with: impl Fn(&Path, &mut Request)) -> Option<Done> {
    let folder = find(&format!("raw/{folder}"))?;
    let inputs = inputs.iter().map(|name| folder.join(name)).collect();
    let mut request = Request { inputs, ..Request::default() };
    with(&folder, &mut request);
    let open = |path: &Path| Ok(Box::new(File::open(path)?) as Box<dyn Read>);
    Some(import(&request, "sample", &open).unwrap())
}

type Done = (Imported, ImportReport);

fn corpus(imported: &Imported) -> &Corpus {
    match imported {
        Imported::Corpus(corpus) => corpus,
        Imported::Fixations(_) => panic!("there are no words"),
    }
}

fn column(report: &ImportReport, role: ColumnRole) -> &str {
    let mapping = &report.files.last().unwrap().mapping;
    mapping.get(role).map_or("", |mapped| mapped.column.as_str())
}

fn decided(report: &ImportReport, words: &str) -> bool {
    report.decisions.iter().any(|decision| decision.to_string().contains(words))
}

#[test]
fn onestop() {
    let words = |folder: &Path, request: &mut Request| request.words = Some(folder.join("ia.csv"));
    let Some((imported, report)) = run("dataviewer-onestop", &["fixations.csv"], words) else {
        return;
    };
    assert_eq!((report.files[0].rows, report.files[1].rows), (3922, 3209));
    assert_eq!((report.fixations_kept, report.dropped.len()), (3209, 0));
    assert_eq!(column(&report, ColumnRole::Text), "unique_paragraph_id");
    assert_eq!(column(&report, ColumnRole::Trial), "TRIAL_INDEX");
    assert!(decided(&report, "a number one higher than"));
    let on_line = |corpus: &Corpus| {
        let fixations = corpus.scanpaths().iter().flat_map(|path| &path.fixations);
        fixations.filter(|f| f.line.is_some_and(|line| line > 0)).count()
    };
    assert!(on_line(corpus(&imported)) > 2900);
}

#[test]
fn copco() {
    let map = |folder: &Path, request: &mut Request| {
        request.words = Some(folder.join("word2char_IA_mapping.csv"));
    };
    let inputs = ["FIX_report_P01.txt", "FIX_report_P02.txt"];
    let Some((imported, report)) = run("dataviewer-copco", &inputs, map) else { return };
    assert_eq!((report.fixations_kept, report.dropped.len()), (7998, 0));
    assert_eq!(column(&report, ColumnRole::Text), "speechid+paragraphid");
    assert!(decided(&report, "decimals follow a comma"));
    let fixations = corpus(&imported).scanpaths().iter().flat_map(|path| &path.fixations);
    assert!(fixations.filter(|f| f.x.is_some()).count() > 6500);
}

#[test]
fn subsets_and_recordings_without_words() {
    for (folder, file, fixations, rows) in [
        ("sbsat", "18sat_fixfinal.csv", 112, 112),
        ("eyelink-asc", "raccoons.asc", 1, 535),
        ("eyelink-asc", "monocular.asc", 2, 160),
    ] {
        let Some((imported, report)) = run(folder, &[file], |_, _| ()) else { return };
        assert_eq!((report.fixations_kept, report.rows_read), (fixations, rows), "{file}");
        assert!(report.dropped.is_empty() && !report.has_words, "{file}");
        assert!(matches!(imported, Imported::Fixations(_)), "{file}");
    }
}

/// The same recordings as in a corpus that others made of them: all fixations, to a thousandth of a
/// character.
#[test]
fn swift_is_the_corpus_made_of_it() {
    let items =
        |folder: &Path, request: &mut Request| request.text = Some(folder.join("items.txt"));
    let inputs = [1, 2, 3, 4, 5].map(|reader| format!("fixseqin_{reader}-1abcd.dat"));
    let inputs = inputs.each_ref().map(String::as_str);
    let Some((imported, report)) = run("swift", &inputs, items) else { return };
    let Some(seam) = find("seam") else { return };
    assert_eq!((report.fixations_kept, report.dropped.len()), (5803, 0));
    let number = |name: &str| -> u32 {
        let digits = name.split('-').next().unwrap_or_default();
        digits.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap()
    };
    let by_number = |corpus: &Corpus| -> HashMap<(u32, u32), Vec<(f64, f64)>> {
        let paths = corpus.scanpaths().iter().map(|path| {
            let reader = number(&corpus.readers()[path.reader]);
            let text = number(corpus.texts()[path.text].id());
            let known = path.fixations.iter().map(|f| (f.x.unwrap().0, f.duration.unwrap().0));
            ((reader, text), known.collect())
        });
        paths.collect()
    };
    let (ours, theirs) = (by_number(corpus(&imported)), by_number(&read_corpus(&seam).unwrap()));
    assert_eq!(ours.len(), 186);
    for (key, fixations) in &ours {
        assert_eq!(fixations.len(), theirs[key].len(), "{key:?}");
        for ((x, duration), (other_x, other)) in fixations.iter().zip(&theirs[key]) {
            assert!((x - other_x).abs() < 1e-3 && duration == other, "{key:?}: {x} {other_x}");
        }
    }
}
