//! What several do to one gallery at once, and what a large one costs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::corpus::{Corpus, Fixation, Scanpath, Text};
use gazeprint::method::Unwatched;
use gazeprint::search::COMPONENTS;
use gazeprint::simulate::SimulationParams;
use gazeprint_recognition::{
    EnrollOptions, Error, FoundingOptions, KeepRows, Location, Recognizer, RowsMissing,
    VerifyOptions, Warning,
};
use gazeprint_store::{
    Cursor, Enrolment, Gallery, GalleryError, Kind, Learned, RowsKept, Vault, Whose,
};

fn simulated(readers: usize) -> Corpus {
    let people = SimulationParams { readers, texts: 24, coverage: 1.0, ..Default::default() };
    people.build().unwrap().run()
}

/// The same fixations, of whose texts no word is known.
fn without_words(corpus: &Corpus) -> Corpus {
    let texts = corpus.texts().iter().map(|text| Text::without_words(text.id())).collect();
    let seen = |fixation: &Fixation| {
        let x = fixation.x.map_or(0.0, |x| x.0 as f32);
        let place = Some([0.3 * x, 2.0 * fixation.line.unwrap_or(0) as f32]);
        Fixation { line: None, x: None, place, ..*fixation }
    };
    let path = |path: &Scanpath| Scanpath {
        fixations: path.fixations.iter().map(seen).collect(),
        ..path.clone()
    };
    let paths = corpus.scanpaths().iter().map(path).collect();
    Corpus::new(corpus.name(), corpus.readers().to_vec(), texts, paths).unwrap()
}

/// A gallery of all readers of a corpus.
fn enrolled(folder: &tempfile::TempDir, corpus: &Corpus) -> (Recognizer, Location) {
    let at = Location::File(folder.path().join("own.gallery"));
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, corpus, &enroll, &Unwatched).unwrap();
    desk.enroll(corpus, &enroll, &Unwatched).unwrap();
    (desk, at)
}

fn is_conflict<T>(result: Result<T, GalleryError>) -> bool {
    matches!(result, Err(GalleryError::Conflict { .. }))
}

/// Somebody reads a reader, who is then erased and enrolled anew: what was learned of them came back.
#[test]
fn what_was_erased_came_back_by_whoever_had_read_it_before() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = simulated(7);
    let (desk, at) = enrolled(&folder, &corpus);
    desk.calibrate(KeepRows::Always, &Unwatched).unwrap();
    let name = corpus.readers()[2].as_str();
    // All that takes long is done by now, from what was read.
    let mut other = Gallery::open(&at, None).unwrap();
    let (recordings, version) = other.recordings(name).unwrap().unwrap();
    let (population, community, era) = other.stored_learning().unwrap().decoded().unwrap();
    let loaded = other.stored_readers(Whose::All).unwrap().decoded().unwrap();
    let making = other.row_making().unwrap().unwrap();
    let number = other.begin_rows(&making.space).unwrap().number;
    let (without, _) = other.without_rows(number, Cursor::default(), 100).unwrap();
    assert_eq!(without.len(), 7);

    desk.remove(name, &Unwatched).unwrap();
    desk.enroll(&corpus.of_readers(&[2]), &EnrollOptions::default(), &Unwatched).unwrap();
    let (_, now) = other.recordings(name).unwrap().unwrap();
    assert_ne!(now, version);

    let enrolment = Enrolment {
        id: name.to_owned(),
        recordings,
        fixations: 1000,
        likeness: loaded.likenesses[2].clone(),
        row: None,
    };
    assert!(is_conflict(other.enroll(enrolment, (Some(version), era), false)));
    let generation = loaded.generation;
    let readers = loaded.readers.into_iter().zip(loaded.likenesses).collect();
    assert!(is_conflict(other.relearn(population.as_ref(), &community, generation, readers, None)));
    let mut vault = Vault::open(&at, None).unwrap();
    let mut row = || vault.read(|snapshot| snapshot.get(Kind::Row, name)).unwrap();
    let before = row();
    let rows: Vec<_> = without.into_iter().map(|it| (it, [0.0; COMPONENTS])).collect();
    other.add_rows(number, &rows).unwrap();
    assert_eq!(row(), before);
}

/// Records that cannot be read, of readers beyond those who are there: whoever looks at all meets an error.
fn crowd(at: &Location, readers: usize) {
    let crowd = |change: &mut gazeprint_store::Change<'_>| {
        (0..readers).try_for_each(|number| {
            let name = format!("crowd {number}");
            change.put(Kind::Template, &name, b"")?;
            change.put(Kind::Entry, &name, b"")
        })
    };
    Vault::open(at, None).unwrap().write(crowd).unwrap();
}

fn nearest(result: Result<impl Sized, Error>) -> Option<String> {
    match result.err().unwrap() {
        Error::Gallery(GalleryError::UnknownReader { nearest, .. }) => nearest,
        error => panic!("{error}"),
    }
}

#[test]
fn a_name_that_nobody_has_made_a_large_gallery_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = simulated(6);
    let (desk, at) = enrolled(&folder, &corpus);
    let name = corpus.readers()[2].as_str();
    let alike = format!("{name}x");
    let probe = corpus.of_readers(&[2]);
    let verified = |name: &str| desk.verify(&probe, name, &VerifyOptions::default());
    assert_eq!(nearest(desk.show(&alike)).as_deref(), Some(name));
    assert_eq!(nearest(verified(&alike)).as_deref(), Some(name));
    assert_eq!(nearest(verified(&"x".repeat(10_000_000))), None);
    crowd(&at, 1_000);
    assert_eq!(nearest(desk.show(&alike)), None);
    assert_eq!(nearest(verified(&alike)), None);
    assert_eq!(nearest(desk.remove(&alike, &Unwatched)), None);
}

#[test]
fn readers_without_rows_were_all_read_with_each_enrolment() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = simulated(8);
    let (desk, at) = enrolled(&folder, &corpus.of_readers(&[0, 1, 2, 3, 4, 5]));
    let mut gallery = Gallery::open(&at, None).unwrap();
    let rules = gallery.stored_readers(Whose::Nobody).unwrap().decoded().unwrap().rules;
    crowd(&at, 5_000);
    let generation = gallery.generation().unwrap();
    assert!(gallery.set_rules(Learned::Anew(rules.as_ref()), generation).unwrap());
    let more = |reader| {
        let newcomer = corpus.of_readers(&[reader]);
        desk.enroll(&newcomer, &EnrollOptions::default(), &Unwatched)
    };
    // Their rows are to be made, once.
    assert!(more(6).is_err());
    gallery.give_up_rows().unwrap();
    let standing = more(7).unwrap().standing.unwrap();
    assert_eq!(standing.warnings, [Warning::NoRows { why: RowsMissing::Indistinct }]);
    desk.remove(&corpus.readers()[7], &Unwatched).unwrap().standing.unwrap();
    // Until there are half as many more.
    crowd(&at, 7_600);
    assert_eq!(gallery.rows_kept().unwrap(), RowsKept::Missing);
}

#[test]
fn a_gallery_without_words_keeps_in_mind_that_it_has_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (desk, at) = enrolled(&folder, &without_words(&simulated(8)));
    let mut gallery = Gallery::open(&at, None).unwrap();
    assert_eq!(gallery.rows_kept().unwrap(), RowsKept::Missing);
    let refused = desk.calibrate(KeepRows::Always, &Unwatched);
    assert!(matches!(refused, Err(Error::NoRows { why: RowsMissing::Indistinct, .. })));
    assert_eq!(gallery.rows_kept().unwrap(), RowsKept::Impossible);
}

#[test]
fn recordings_of_somebody_else_are_told_from_more_of_the_same_reader() {
    let folder = tempfile::tempdir().unwrap();
    let people = SimulationParams {
        readers: 7,
        texts: 60,
        individuality: 1.5,
        ..SimulationParams::default()
    };
    let corpus = SimulationParams { coverage: 1.0, ..people }.build().unwrap().run();
    // Each reader's first half is enrolled; the second comes later, under the name of `named`.
    let part = |corpus: &Corpus, is_first: bool, named: usize| {
        let paths = corpus.scanpaths().iter().filter(|path| (path.text < 30) == is_first).cloned();
        let mut readers = corpus.readers().to_vec();
        if readers.len() == 1 {
            readers = vec![format!("r{named:03}")];
        }
        Corpus::new("part", readers, corpus.texts().to_vec(), paths.collect()).unwrap()
    };
    let (desk, _) = enrolled(&folder, &part(&corpus, true, 0));
    assert!(corpus.readers().contains(&"r003".to_owned()), "{:?}", corpus.readers());
    let only_same = EnrollOptions { only_same: true, ..EnrollOptions::default() };
    let place = |name: &str| corpus.readers().iter().position(|known| known == name).unwrap();
    let add = |from: &str, named: usize, options: &EnrollOptions| {
        let more = part(&corpus.of_readers(&[place(from)]), false, named);
        desk.enroll(&more, options, &Unwatched)
    };
    let before = desk.list().unwrap();
    let refused = add("r004", 3, &only_same);
    assert!(matches!(refused, Err(Error::OtherReader { .. })), "{refused:?}");
    assert_eq!(desk.list().unwrap(), before);
    add("r003", 3, &only_same).unwrap();
    // Whoever knows better may say so.
    add("r005", 2, &EnrollOptions::default()).unwrap();
}
