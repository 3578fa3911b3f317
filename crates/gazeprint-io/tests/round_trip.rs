//! What is exported comes back identical through an import.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use gazeprint::corpus::Corpus;
use gazeprint::simulate::SimulationParams;
use gazeprint_io::import::{Imported, Request, import};
use gazeprint_io::{read_corpus, write_corpus, write_frames};

fn simulated(lines: usize, sessions: usize) -> Corpus {
    let built_in = SimulationParams::built_in();
    let parameters = SimulationParams { readers: 3, texts: 6, lines, sessions, ..built_in };
    parameters.build().unwrap().run()
}

fn open(path: &Path) -> std::io::Result<Box<dyn Read>> {
    Ok(Box::new(File::open(path)?))
}

fn imported(folder: &Path, files: [&str; 3], name: &str) -> Corpus {
    let [fixations, words, trials] = files.map(|file| folder.join(file));
    let request = Request {
        inputs: vec![fixations],
        words: Some(words),
        trials: Some(trials).filter(|file| file.is_file()),
        ..Request::default()
    };
    let (imported, report) = import(&request, name, &open).unwrap();
    assert_eq!(report.dropped, []);
    match imported {
        Imported::Corpus(corpus) => corpus,
        Imported::Fixations(_) => panic!("no words"),
    }
}

#[test]
fn tables_come_back() {
    for (lines, sessions) in [(1, 1), (3, 2)] {
        let corpus = simulated(lines, sessions);
        let folder = tempfile::tempdir().unwrap();
        write_corpus(&corpus, folder.path(), false).unwrap();
        let files = ["fixations.csv", "words.csv", "trials.csv"];
        assert!(imported(folder.path(), files, corpus.name()) == corpus, "{lines} lines");
    }
}

#[test]
fn frames_come_back() {
    for (lines, sessions) in [(1, 1), (3, 2)] {
        let corpus = simulated(lines, sessions);
        let folder = tempfile::tempdir().unwrap();
        write_frames(&corpus, folder.path(), false).unwrap();
        assert!(write_frames(&corpus, folder.path(), false).is_err());
        write_frames(&corpus, folder.path(), true).unwrap();
        // Orders are no part of frames; the tables of the corpus have them.
        write_corpus(&corpus, folder.path(), false).unwrap();
        let files = ["events.csv", "aois.csv", "trials.csv"];
        assert!(imported(folder.path(), files, corpus.name()) == corpus, "{lines} lines");
    }
}

/// A corpus without its name, which is that of the folder.
fn parts(corpus: &Corpus) -> impl PartialEq {
    (corpus.readers().to_vec(), corpus.texts().to_vec(), corpus.scanpaths().to_vec())
}

#[test]
fn real_corpora_come_back() {
    let Some(folder) = std::env::var_os("GAZEPRINT_CORPORA") else {
        println!("skipped: GAZEPRINT_CORPORA is not set");
        return;
    };
    let provo = Path::new(&folder).join("provo");
    let corpus = read_corpus(&provo).unwrap();
    let exported = tempfile::tempdir().unwrap();
    write_corpus(&corpus, exported.path(), false).unwrap();
    let files = ["fixations.csv", "words.csv", "trials.csv"];
    assert!(parts(&imported(exported.path(), files, "provo")) == parts(&corpus));
}
