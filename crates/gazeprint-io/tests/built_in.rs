//! Corpora that ship with the program, and how they are packed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use gazeprint::corpus::{Chars, Corpus, Fixation, Limits, Line, Millis, Scanpath, Text, Word};
use gazeprint::decision::increments;
use gazeprint::method::{Method, People, Training, Unwatched, fusion};
use gazeprint::saccade::{Reading, readings};
use gazeprint::score::Tally;
use gazeprint_io::{
    BuiltIn, PackedError, pack_corpus, read_corpus, reading_digests, unpack_corpus,
};

use common::find;

/// The same without the forms of words.
fn without_words(corpus: &Corpus) -> Corpus {
    let bare = |word: &Word| Word { form: None, ..word.clone() };
    let line =
        |line: &Line| Line::new(line.number(), line.words().iter().map(bare).collect()).unwrap();
    let text = |text: &Text| {
        let lines = text.lines().iter().map(line).collect();
        let mut bare = Text::new(text.id(), lines).unwrap();
        bare.group = text.group.clone();
        bare
    };
    let texts = corpus.texts().iter().map(text).collect();
    let (readers, paths) = (corpus.readers().to_vec(), corpus.scanpaths().to_vec());
    Corpus::new(corpus.name(), readers, texts, paths).unwrap()
}

/// Two texts of one and two lines, one of them read twice.
fn small() -> Corpus {
    let word = |index, start, end| Word { index, form: None, start, end };
    let first = Line::new(1, vec![word(1, 0, 3), word(2, 4, 6), word(3, 7, 14)]).unwrap();
    let second = Line::new(-2, vec![word(9, -4, 300)]).unwrap();
    let mut texts = vec![
        Text::new("s1", vec![first.clone()]).unwrap(),
        Text::new("s2 é", vec![first, second]).unwrap(),
    ];
    texts[1].group = Some("both".to_owned());
    let fixation = |line, x, duration| Fixation {
        line: Some(line),
        x: Some(Chars(x)),
        duration: Some(Millis(duration)),
        ..Fixation::default()
    };
    let path = |reader, text, trial: &str, order, fixations| Scanpath {
        reader,
        text,
        session: "1".to_owned(),
        trial: trial.to_owned(),
        order,
        fixations,
    };
    let paths = vec![
        path(1, 1, "1", Some(3.0), vec![fixation(1, 1.4, 212.0), fixation(-2, -99.999, 80.0)]),
        path(0, 0, "1", None, vec![]),
        path(1, 1, "again", Some(0.0), vec![fixation(0, 181.438, 0.0)]),
    ];
    Corpus::new("small", vec!["anna".into(), "ben".into()], texts, paths).unwrap()
}

#[test]
fn what_is_packed_comes_back_to_the_bit() {
    let corpus = small();
    let packed = pack_corpus(&corpus).unwrap();
    assert_eq!(unpack_corpus("small", &packed).unwrap(), corpus);
    let empty = Corpus::new("empty", Vec::new(), Vec::new(), Vec::new()).unwrap();
    assert_eq!(unpack_corpus("empty", &pack_corpus(&empty).unwrap()).unwrap(), empty);
}

#[test]
fn what_would_be_lost_is_refused() {
    let refused = |change: &dyn Fn(&mut Scanpath)| {
        let corpus = small();
        let mut paths = corpus.scanpaths().to_vec();
        change(&mut paths[0]);
        let (readers, texts) = (corpus.readers().to_vec(), corpus.texts().to_vec());
        let corpus = Corpus::new("small", readers, texts, paths).unwrap();
        pack_corpus(&corpus).unwrap_err().to_string()
    };
    let second = "fixation 2 of the reading of text \"s2 é\" by reader \"ben\"";
    let changes: [&dyn Fn(&mut Fixation); 9] = [
        &|f| f.x = Some(Chars(1.0004)),
        &|f| f.x = Some(Chars(f64::NAN)),
        &|f| f.x = Some(Chars(1e300)),
        &|f| f.x = None,
        &|f| f.line = None,
        &|f| f.duration = Some(Millis(212.5)),
        &|f| f.duration = Some(Millis(-1.0)),
        &|f| f.gap = true,
        &|f| f.onset = Some(Millis(0.0)),
    ];
    for change in changes {
        let told = refused(&|path| change(&mut path.fixations[1]));
        assert!(told.contains(second), "{told}");
    }
    let pages = vec![Text::without_words("page")];
    let pages = Corpus::new("pages", Vec::new(), pages, Vec::new()).unwrap();
    assert!(pack_corpus(&pages).unwrap_err().to_string().contains("text \"page\""));
    let told = refused(&|path| path.order = Some(1.5));
    assert!(told.contains("the reading of text \"s2 é\" by reader \"ben\""), "{told}");
}

/// Whatever the bytes are, they are a corpus or an error.
#[test]
fn damage_is_an_error() {
    let packed = pack_corpus(&small()).unwrap();
    assert_eq!(unpack_corpus("x", b"reader,text\n"), Err(PackedError::Foreign));
    for length in 0..packed.len() {
        assert!(unpack_corpus("x", &packed[..length]).is_err(), "{length}");
    }
    let begin = packed.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let mut inside = Vec::new();
    ZlibDecoder::new(&packed[begin..]).read_to_end(&mut inside).unwrap();
    let repacked = |inside: &[u8]| {
        let mut packed = ZlibEncoder::new(packed[..begin].to_vec(), Compression::fast());
        packed.write_all(inside).unwrap();
        unpack_corpus("x", &packed.finish().unwrap())
    };
    assert_eq!(repacked(&inside).unwrap().scanpaths(), small().scanpaths());
    for place in 0..inside.len() {
        assert!(repacked(&inside[..place]).is_err(), "cut at {place}");
        for byte in [0, 1, 2, 0x7f, 0x80, 0xff] {
            let mut changed = inside.clone();
            changed[place] = byte;
            // Most changes make other numbers, which may be a corpus.
            _ = repacked(&changed);
        }
    }
    let more = [&inside[..], &[0]].concat();
    assert!(repacked(&more).unwrap_err().to_string().contains("more in it than fixations"));
}

#[test]
fn provo_ships_without_its_words() {
    let corpus = BuiltIn::Provo.corpus();
    assert_eq!(corpus.name(), "provo");
    assert_eq!((corpus.readers().len(), corpus.texts().len()), (84, 55));
    assert_eq!((corpus.scanpaths().len(), corpus.fixation_count()), (84 * 55, 225_176));
    let lines = || corpus.texts().iter().flat_map(Text::lines);
    let words = || lines().flat_map(Line::words);
    assert_eq!(words().count(), 2745);
    assert!(words().all(|word| word.form.is_none()), "places of words alone");
    assert!(corpus.scanpaths().iter().all(|path| path.order.is_some()));
    assert_eq!(without_words(&corpus), corpus);
    let (_, drops) = readings(&corpus, Limits::default());
    assert!(drops.total() < 225_176 / 20, "{drops:?}");

    let origin = BuiltIn::Provo.origin().unwrap();
    let beside = |name: &str| {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/provo/");
        std::fs::read_to_string(format!("{file}{name}")).unwrap()
    };
    assert!(
        beside("LICENSE").contains("Creative Commons Attribution 4.0 International Public License")
    );
    let about = beside("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [origin.citation, origin.url, origin.licence, origin.licence_url, origin.changes] {
        assert!(about.contains(part), "README.md beside provo.packed does not say: {part}");
    }
}

/// Of the folder that it was packed from, words alone are missing.
#[test]
fn provo_is_as_it_was_recorded() {
    let Some(folder) = find("provo") else { return };
    let recorded = read_corpus(&folder).unwrap();
    assert_eq!(BuiltIn::Provo.corpus(), without_words(&recorded));
    assert_eq!(without_words(&recorded).texts().len(), recorded.texts().len());
}

/// Figures on provo would flatter if anything that ships knew its readers.
#[test]
fn nothing_that_ships_was_learned_from_provo() {
    let corpus = BuiltIn::Provo.corpus();
    let people = People::shipped();
    assert!(!people.digests().is_empty());
    let digests: Vec<[u8; 8]> = reading_digests(&corpus).collect();
    assert!(digests.len() > 4_500, "nearly every reading can be known again: {}", digests.len());
    assert_eq!(digests.iter().filter(|digest| people.have_read(digest)).count(), 0);
    assert!(people.origin().corpora.iter().all(|(name, _)| name != "provo"));
}

#[test]
fn built_in_corpora_have_names() {
    for corpus in BuiltIn::ALL {
        assert_eq!(BuiltIn::named(corpus.name()), Some(corpus));
    }
    assert_eq!(BuiltIn::named("provó"), None);
    assert_eq!(BuiltIn::Simulated.corpus().name(), "simulated");
    assert_eq!(BuiltIn::Simulated.origin(), None);
}

/// A watch added up what the network made of twelve fixations each, which is not what it makes of a reading: real readers
/// were rejected.
#[test]
fn what_is_watched_comes_to_what_is_compared() {
    const READERS: usize = 10;
    let (all, _) = readings(&BuiltIn::Provo.corpus(), Limits::default());
    let (known, asked): (Vec<&Reading>, Vec<&Reading>) =
        all.iter().filter(|r| r.reader < READERS).partition(|r| r.text % 2 == 0);
    let known = known.into_iter().map(|reading| (reading.reader, reading)).collect();
    let training = Training::new(READERS, known).unwrap();
    let method = fusion(People::shipped().clone());
    let scorer = method.fit(&training, 1, &Unwatched).unwrap().scorer;
    let network = |tally: &Tally| -> Vec<f64> {
        scorer.claims(tally).unwrap().iter().map(|claim| claim.grounds[3]).collect()
    };
    let mut compared = 0;
    // Parts are looked at when they have so many fixations; readings of others end between.
    for reading in
        asked.into_iter().filter(|r| [32, 40, 48, 56, 64, 80, 96].contains(&r.fixations()))
    {
        let mut watched = Tally::default();
        for step in increments(&*scorer, reading) {
            watched.add_step(1.0, &step);
        }
        let whole = scorer.tally(&scorer.probe(reading));
        for (watched, whole) in network(&watched).iter().zip(network(&whole)) {
            assert!((watched - whole).abs() < 1e-3 * (1.0 + whole.abs()), "{watched} {whole}");
        }
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}
