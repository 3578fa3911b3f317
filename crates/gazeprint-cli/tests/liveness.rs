//! People pass, and what is drawn from their template does not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::corpus::{Corpus, Limits, Scanpath};
use gazeprint::method::{self, LearnedReaders, Method, Training, Unwatched};
use gazeprint::random::Stream;
use gazeprint::saccade::{Reading, readings};
use gazeprint_io::BuiltIn;
use gazeprint_recognition::{
    EnrollOptions, ErrorKind, FoundingOptions, IdentifyOptions, Location, Recognizer, ReplayPolicy,
    Verdict, VerifyOptions, WatchOptions, WatchedFixation,
};

const READERS: usize = 12;
/// Texts that are enrolled; the others ask.
const ENROLLED: usize = 40;
/// Texts of a probe.
const ASKED: usize = 10;

/// Real people: simulated ones draw every fixation afresh, as forgeries do.
fn people() -> Corpus {
    let all = BuiltIn::Provo.corpus();
    part(&all, |path| path.reader < READERS).of_readers(&(0..READERS).collect::<Vec<_>>())
}

fn part(corpus: &Corpus, wanted: impl Fn(&Scanpath) -> bool) -> Corpus {
    let paths = corpus.scanpaths().iter().filter(|path| wanted(path)).cloned().collect();
    Corpus::new("part", corpus.readers().to_vec(), corpus.texts().to_vec(), paths).unwrap()
}

/// What can be learned of readers, to be run forward.
fn learned(known: &Corpus) -> Box<dyn LearnedReaders> {
    let (read, _) = readings(known, Limits::default());
    let numbered: Vec<(usize, &Reading)> = read.iter().map(|r| (r.reader, r)).collect();
    let training = Training::new(READERS, numbered).unwrap();
    let population = method::population(method::DayShares::default());
    population.fit(&training, 1, &Unwatched).unwrap().scorer
}

/// The same texts as a probe, drawn from what was learned of its reader.
fn forged(learned: &dyn LearnedReaders, probe: &Corpus, reader: usize) -> Corpus {
    let forger = learned.forger().unwrap();
    let mut paths = probe.scanpaths().to_vec();
    for path in &mut paths {
        let stream = Stream { seed: 5, index: path.text as u64 };
        let text = &probe.texts()[path.text];
        path.fixations = forger.forge(Some(reader), text, Limits::default(), stream).unwrap();
    }
    Corpus::new("forged", probe.readers().to_vec(), probe.texts().to_vec(), paths).unwrap()
}

fn desk(folder: &std::path::Path, corpus: &Corpus) -> Recognizer {
    let at = Location::File(folder.join("own.gallery"));
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, corpus, &enroll, &Unwatched).unwrap();
    desk.enroll(corpus, &enroll, &Unwatched).unwrap();
    desk
}

#[test]
fn people_are_alive_and_their_templates_run_forward_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let people = people();
    let known = part(&people, |path| path.text < ENROLLED);
    let desk = desk(folder.path(), &known);
    let replays = ReplayPolicy { forget: true, ..Default::default() };
    let verify = VerifyOptions { fmr: Some(0.05), liveness: true, replays, ..Default::default() };
    let identify =
        IdentifyOptions { fpir: Some(0.2), liveness: true, replays, ..Default::default() };
    let learned = learned(&known);
    let [mut alive, mut lifeless] = [0, 0];
    for reader in 0..READERS {
        let name = &people.readers()[reader];
        let asked = ENROLLED..ENROLLED + ASKED;
        let own = part(&people, |path| path.reader == reader && asked.contains(&path.text));
        let drawn = forged(&*learned, &own, reader);
        let [own, drawn] = [own, drawn].map(|probe| {
            let claim = desk.verify(&probe.of_readers(&[reader]), name, &verify).unwrap();
            let who = desk.identify(&probe.of_readers(&[reader]), &identify).unwrap();
            let [claim_life, who_life] = [claim.liveness, who.liveness].map(Option::unwrap);
            // Whoever is not alive is neither accepted nor known, whatever speaks for them.
            assert!(claim_life.alive || claim.decision == Verdict::Rejected);
            assert!(who_life.alive || who.decision == "unknown" && who.likely.is_none());
            claim_life.alive
        });
        alive += usize::from(own);
        lifeless += usize::from(!drawn);
    }
    // Ten texts without their words, judged by what twelve readers show: most forgeries are told.
    assert!(alive >= READERS - 1 && lifeless > READERS / 2, "{alive} {lifeless} of {READERS}");
}

#[test]
fn a_watch_refuses_what_is_drawn_until_somebody_reads_again() {
    let folder = tempfile::tempdir().unwrap();
    let people = people();
    let known = part(&people, |path| path.text < ENROLLED);
    let desk = desk(folder.path(), &known);
    let reader = 3;
    let own = part(&people, |path| path.reader == reader && path.text >= ENROLLED);
    let drawn = forged(&*learned(&known), &own, reader);
    let options = WatchOptions { liveness: true, ..Default::default() };
    let watched = |probe: &Corpus| {
        let mut watch = desk.watch(&people.readers()[reader], people.texts(), &options).unwrap();
        for path in probe.scanpaths() {
            for fixation in &path.fixations {
                let fixation = WatchedFixation {
                    text: probe.texts()[path.text].id().to_owned(),
                    line: fixation.line,
                    x_char: fixation.x.map(|x| x.0),
                    duration_ms: fixation.duration.map(|duration| duration.0),
                    ..Default::default()
                };
                watch.fixation(&fixation).unwrap();
            }
        }
        watch.end().unwrap();
        watch.liveness().unwrap()
    };
    let [own, drawn] = [&own, &drawn].map(watched);
    assert!(own.alive && own.score > drawn.score && !drawn.alive, "{own:?} {drawn:?}");
}

#[test]
fn too_little_to_learn_it_from_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let people = people();
    let few = part(&people, |path| path.reader < 3 && path.text < 30);
    let desk = desk(folder.path(), &few);
    let probe = part(&people, |path| path.reader == 0 && path.text >= ENROLLED).of_readers(&[0]);
    let name = &people.readers()[0];
    let asked = VerifyOptions { liveness: true, ..Default::default() };
    let refused = desk.verify(&probe, name, &asked).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported, "{refused}");
    let unasked = desk.verify(&probe, name, &VerifyOptions::default()).unwrap();
    assert!(unasked.liveness.is_none());
}
