//! The library, the command and a study do the same.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gazeprint::corpus::{Corpus, Limits, Scanpath};
use gazeprint::decision::Rules;
use gazeprint::method::{Method, People, Unwatched, fusion};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::study::{DividedCorpus, Forgetful, Plan, Study};
use gazeprint_io::read_corpus;
use gazeprint_recognition::{
    EnrollOptions, FoundingOptions, IdentifyOptions, KeepRows, Location, Recognizer, ReplayPolicy,
    Shard, VerifyOptions,
};
use gazeprint_store::{Gallery, Whose};
use serde_json::Value;

use self::common::{gazeprint, succeeded};

const THREADS: usize = 4;

/// What some readers read, by whether the text is one of the first thirty.
fn people(enrolled: bool) -> Corpus {
    let people =
        SimulationParams { readers: 12, texts: 40, individuality: 1.5, ..Default::default() };
    let corpus = people.build().unwrap().run();
    let wanted = |path: &&Scanpath| (path.text < 30) == enrolled;
    let paths = corpus.scanpaths().iter().filter(wanted).cloned().collect();
    Corpus::new("people", corpus.readers().to_vec(), corpus.texts().to_vec(), paths).unwrap()
}

/// What one of them read later.
fn probe(reader: usize) -> Corpus {
    people(false).of_readers(&[reader])
}

fn made(folder: &Path, name: &str, corpus: &Corpus) -> Recognizer {
    let at = Location::File(folder.join(name));
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    Recognizer::open_or_create(&at, None, &founding, corpus, &enroll, &Unwatched).unwrap().0
}

/// What a gallery answers to all, to the last digit.
fn answers(desk: &Recognizer) -> Vec<String> {
    let replays = ReplayPolicy { forget: true, ..Default::default() };
    let identify = IdentifyOptions { fpir: Some(0.2), top: 12, replays, ..Default::default() };
    let verify = VerifyOptions { fmr: Some(0.05), replays, ..VerifyOptions::default() };
    let answer = |reader: usize| {
        let probe = probe(reader);
        let who = desk.identify(&probe, &identify).unwrap();
        let claim = desk.verify(&probe, "r003", &verify).unwrap();
        serde_json::to_string(&(who, claim)).unwrap()
    };
    (0..12).map(answer).collect()
}

#[test]
fn the_library_the_command_and_four_threads_at_once_make_the_same_gallery() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = people(true);

    let alone = made(folder.path(), "alone.gallery", &corpus);
    alone.enroll(&corpus, &EnrollOptions::default(), &Unwatched).unwrap();
    let expected = answers(&alone);

    gazeprint_io::write_corpus(&corpus, &folder.path().join("people"), false).unwrap();
    let written = folder.path().join("people").to_str().unwrap().to_owned();
    assert_eq!(
        read_corpus(Path::new(&written)).unwrap().scanpaths().len(),
        corpus.scanpaths().len()
    );
    let gallery = folder.path().join("command.gallery");
    let gallery = gallery.to_str().unwrap();
    succeeded(&gazeprint(&["enroll", &written, "--gallery", gallery]));
    let by_command = Recognizer::open(&Location::File(gallery.into()), None).unwrap();
    assert_eq!(answers(&by_command), expected);

    // Each thread enrols a part; two others ask all the while.
    let shared = made(folder.path(), "shared.gallery", &corpus);
    let five = corpus.of_readers(&[0, 1, 2, 3, 4]);
    shared.enroll(&five, &EnrollOptions::default(), &Unwatched).unwrap();
    let done = AtomicBool::new(false);
    let asked: usize = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..2)
            .map(|reader| {
                let (desk, done) = (shared.clone(), &done);
                scope.spawn(move || {
                    let replays = ReplayPolicy { forget: true, ..Default::default() };
                    let options = IdentifyOptions { replays, ..Default::default() };
                    let mut asked = 0;
                    while !done.load(Ordering::Relaxed) {
                        let who = desk.identify(&probe(reader), &options).unwrap();
                        assert!(who.ranking.len() == 5 && who.ranking[0].score.is_finite());
                        asked += 1;
                    }
                    asked
                })
            })
            .collect();
        let enrolling: Vec<_> = (1..=THREADS)
            .map(|number| {
                let (desk, corpus) = (shared.clone(), &corpus);
                let shard = Some(Shard { number, of: THREADS });
                let options = EnrollOptions { shard, ..Default::default() };
                scope.spawn(move || desk.enroll(corpus, &options, &Unwatched).unwrap())
            })
            .collect();
        enrolling.into_iter().for_each(|thread| _ = thread.join().unwrap());
        done.store(true, Ordering::Relaxed);
        asking.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(asked > 0);
    shared.calibrate(KeepRows::OfMany, &Unwatched).unwrap();
    assert_eq!(shared.list().unwrap().len(), 12);
    // The population was learned from all of them, by whomever the gallery was made for.
    assert_eq!(answers(&shared), expected);
}

/// The rules that a gallery keeps.
fn stored_rules(at: &Location) -> Rules {
    let stored = Gallery::open(at, None).unwrap().stored_readers(Whose::All).unwrap();
    stored.decoded().unwrap().rules.unwrap().rules
}

/// What a study decides by is what a gallery of the same readings decides by, but for where searches begin: a gallery
/// has none that went before.
#[test]
fn the_rules_of_a_study_are_those_of_a_gallery() {
    let people =
        SimulationParams { readers: 21, texts: 80, sessions: 2, drift: 0.3, ..Default::default() };
    let corpus = people.build().unwrap().run();
    let first = |path: &&Scanpath| path.session == corpus.scanpaths()[0].session;
    let mut paths: Vec<Scanpath> = corpus.scanpaths().iter().filter(first).cloned().collect();
    // Sums are the same to the last bit in one order: that in which galleries keep recordings.
    paths.sort_by_key(|path| (path.reader, path.text));
    let texts = corpus.texts().to_vec();
    let enrolled = Corpus::new("first", corpus.readers().to_vec(), texts, paths).unwrap();

    let plan = Plan {
        protocol: Protocol { division: Division::Session { train: 1 }, seed: 7 },
        readers: None,
        probe_sentences: vec![5],
        limits: Limits::default(),
        attacks: false,
        watch: None,
        strangers: false,
    };
    let divided = DividedCorpus::new(corpus, plan).unwrap();
    let methods: Vec<Box<dyn Method>> = vec![Box::new(fusion(Arc::clone(People::shipped())))];
    let study = Study::run(&divided, &methods, &Unwatched, &Forgetful).unwrap();
    let of_study = study.methods[0].splits[0].rules.as_ref().unwrap();

    let folder = tempfile::tempdir().unwrap();
    let desk = made(folder.path(), "first.gallery", &enrolled);
    desk.enroll(&enrolled, &EnrollOptions::default(), &Unwatched).unwrap();
    let of_gallery = stored_rules(desk.location());
    // What other people showed belongs to them, and is not stored.
    let admission = People::shipped().admissions().another.clone();
    assert_eq!(*of_study, of_study.clone().with_admission(admission));
    let [of_study, of_gallery] =
        [of_study, &of_gallery].map(|rules| serde_json::to_value(rules).unwrap());
    assert_close(&of_study, &of_gallery);
}

/// The same but for numbers, which are within a millionth.
fn assert_close(a: &Value, b: &Value) {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let [a, b] = [a, b].map(|number| number.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{a} {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| assert_close(a, b));
        }
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()));
            a.values().zip(b.values()).for_each(|(a, b)| assert_close(a, b));
        }
        (a, b) => assert_eq!(a, b),
    }
}
