//! How a corpus is divided.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{HashMap, HashSet};

use gazeprint::assignment::{Assignment, Role};
use gazeprint::corpus::{Corpus, Limits, Scanpath, Text};
use gazeprint::method::Occasion;
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::protocol::{Division, Protocol, ProtocolError, Split, draw_readers};
use gazeprint_eval::study::{DividedCorpus, Plan};
use proptest::prelude::*;

/// A simulated corpus whose texts are grouped by threes where `grouped`.
fn corpus(texts: usize, grouped: bool) -> (Corpus, Vec<Reading>) {
    let params = SimulationParams { readers: 4, texts, ..Default::default() };
    let simulated = params.build().unwrap().run();
    let texts: Vec<Text> = simulated
        .texts()
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let mut text = text.clone();
            text.group = grouped.then(|| format!("g{}", i / 3));
            text
        })
        .collect();
    let readers = simulated.readers().to_vec();
    let corpus = Corpus::new("c", readers, texts, simulated.scanpaths().to_vec()).unwrap();
    let readings = readings(&corpus, Limits::default()).0;
    (corpus, readings)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_text_is_on_one_side_for_all_readers(
        texts in 6usize..30,
        seed in any::<u64>(),
        train_fraction in 0.05f64..0.95,
        grouped in any::<bool>(),
    ) {
        let (corpus, readings) = corpus(texts, grouped);
        let protocol = Protocol { division: Division::Random { splits: 3, train_fraction }, seed };
        // A reader does not read every text, and few texts train where the fraction is small.
        let splits = match protocol.splits(&corpus, &readings) {
            Err(ProtocolError::TooFewReaders { .. }) => return Err(TestCaseError::reject("few")),
            splits => splits.unwrap(),
        };
        for split in splits {
            let unit = |i: usize| {
                let text = readings[i].text;
                if grouped { text / 3 } else { text }
            };
            let train: HashSet<usize> = split.train.iter().map(|&(_, i)| unit(i)).collect();
            let test: HashSet<usize> = split.test.iter().map(|&(_, i)| unit(i)).collect();
            prop_assert!(train.is_disjoint(&test));
            prop_assert_eq!(split.readers.len() + split.excluded.len(), 4);
            for &(place, i) in split.train.iter().chain(&split.test) {
                prop_assert_eq!(split.readers[place], readings[i].reader);
            }
            let used = split.train.len() + split.test.len();
            let taking_part = readings.iter().filter(|r| split.readers.contains(&r.reader)).count();
            prop_assert_eq!(used, taking_part);
        }
    }

    #[test]
    fn probes_are_disjoint_and_complete_but_for_a_remainder(
        count in 1usize..40,
        m in 1usize..12,
        seed in any::<u64>(),
    ) {
        let test: Vec<usize> = (100..100 + count).collect();
        let probes = Protocol { seed, ..Default::default() }.probes(2, 7, &test, m);
        let size = m.min(count);
        prop_assert_eq!(probes.len(), count / size);
        let all: HashSet<usize> = probes.iter().flatten().copied().collect();
        prop_assert_eq!(all.len(), probes.len() * size);
        prop_assert!(probes.iter().all(|p| p.len() == size));
        prop_assert!(all.iter().all(|i| test.contains(i)));
    }
}

#[test]
fn half_of_the_texts_train() {
    let (corpus, readings) = corpus(20, false);
    let division = Division::Random { splits: 5, train_fraction: 0.5 };
    let protocol = Protocol { division, ..Default::default() };
    let splits = protocol.splits(&corpus, &readings).unwrap();
    let sides: HashSet<Vec<usize>> = splits
        .iter()
        .map(|split| {
            let texts: HashSet<usize> =
                split.train.iter().map(|&(_, i)| readings[i].text).collect();
            assert_eq!(texts.len(), 10);
            let mut texts: Vec<usize> = texts.into_iter().collect();
            texts.sort_unstable();
            texts
        })
        .collect();
    assert_eq!(sides.len(), 5, "splits differ");
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let (corpus, readings) = corpus(3, true);
    let refused = Protocol::default().splits(&corpus, &readings).unwrap_err();
    assert_eq!(refused, ProtocolError::TooFewTexts { texts: 3, units: 1 });
    let (corpus, readings) = self::corpus(3, false);
    let one: Vec<Reading> = readings.into_iter().filter(|r| r.reader == 0).collect();
    let refused = Protocol::default().splits(&corpus, &one).unwrap_err();
    assert_eq!(refused, ProtocolError::TooFewReaders { split: 1, readers: 1 });
}

/// The splits of a corpus that is divided in some way.
fn divided(division: Division, corpus: &Corpus) -> Result<Vec<Split>, ProtocolError> {
    let readings = readings(corpus, Limits::default()).0;
    Protocol { division, seed: 1 }.splits(corpus, &readings)
}

fn in_sessions(sessions: usize) -> Corpus {
    let params = SimulationParams { readers: 5, texts: 30, sessions, ..Default::default() };
    params.build().unwrap().run()
}

#[test]
fn what_was_read_first_trains() {
    let corpus = in_sessions(2);
    let division = Division::Temporal { train_fraction: 0.5 };
    let readings = readings(&corpus, Limits::default()).0;
    let splits = divided(division, &corpus).unwrap();
    assert_eq!(splits.len(), 1);
    let path = |i: usize| &corpus.scanpaths()[readings[i].scanpath];
    let mut last: HashMap<(usize, &str), f64> = HashMap::new();
    let mut counts: HashMap<(usize, &str), [usize; 2]> = HashMap::new();
    for &(reader, i) in &splits[0].train {
        let key = (reader, path(i).session.as_str());
        let order = path(i).order.unwrap();
        last.entry(key).and_modify(|o| *o = o.max(order)).or_insert(order);
        counts.entry(key).or_default()[0] += 1;
    }
    for &(reader, i) in &splits[0].test {
        let key = (reader, path(i).session.as_str());
        assert!(path(i).order.unwrap() > last[&key]);
        counts.entry(key).or_default()[1] += 1;
    }
    for [train, test] in counts.values() {
        assert!(train.abs_diff(*test) <= 1, "{train} {test}");
    }
}

#[test]
fn without_an_order_nothing_was_read_first() {
    let simulated = in_sessions(1);
    let scanpaths = simulated.scanpaths().iter().cloned();
    let scanpaths = scanpaths.map(|path| Scanpath { order: None, ..path }).collect();
    let (readers, texts) = (simulated.readers().to_vec(), simulated.texts().to_vec());
    let corpus = Corpus::new("c", readers, texts, scanpaths).unwrap();
    let error = divided(Division::Temporal { train_fraction: 0.3 }, &corpus).unwrap_err();
    assert!(matches!(error, ProtocolError::NoOrder { .. }), "{error}");
    assert!(error.to_string().contains("`trial_order` in trials.csv"), "{error}");
}

#[test]
fn every_session_is_held_against_every_later_one() {
    let corpus = in_sessions(3);
    let readings = readings(&corpus, Limits::default()).0;
    let splits = divided(Division::Session { train: 1 }, &corpus).unwrap();
    let names: Vec<&str> = splits.iter().map(|s| s.name.as_deref().unwrap()).collect();
    assert_eq!(
        names,
        [
            "session 1 trains, session 2 tests",
            "session 1 trains, session 3 tests",
            "session 2 trains, session 3 tests"
        ]
    );
    let sessions = |side: &[(usize, usize)]| -> HashSet<&str> {
        side.iter()
            .map(|&(_, i)| corpus.scanpaths()[readings[i].scanpath].session.as_str())
            .collect()
    };
    assert_eq!(sessions(&splits[1].train), HashSet::from(["1"]));
    assert_eq!(sessions(&splits[1].test), HashSet::from(["3"]));
    let splits = divided(Division::Session { train: 2 }, &corpus).unwrap();
    assert_eq!(splits.len(), 1);
    assert_eq!(splits[0].name.as_deref(), Some("sessions 1 + 2 train, session 3 tests"));
    assert_eq!(sessions(&splits[0].train), HashSet::from(["1", "2"]));
    assert_eq!(splits[0].occasion(&readings), Occasion::Another);
    let refused = divided(Division::Session { train: 3 }, &corpus).unwrap_err();
    assert_eq!(refused, ProtocolError::TooFewSessions { train: 3, there: 3 });
    let mixed = divided(Division::Random { splits: 1, train_fraction: 0.5 }, &corpus).unwrap();
    assert_eq!(mixed[0].occasion(&readings), Occasion::Same);
    let refused = divided(Division::Session { train: 1 }, &in_sessions(1)).unwrap_err();
    assert_eq!(refused, ProtocolError::NoSessions(Some("1".to_owned())));
    assert!(refused.to_string().contains("all are of session \"1\""), "{refused}");
}

#[test]
fn splits_can_be_given_and_come_back() {
    let corpus = in_sessions(2);
    let readings = readings(&corpus, Limits::default()).0;
    let random = Division::Random { splits: 3, train_fraction: 0.5 };
    let splits = divided(random, &corpus).unwrap();
    let mut rows = Vec::new();
    for (number, split) in splits.iter().enumerate() {
        for (side, role) in [(&split.train, Role::Train), (&split.test, Role::Test)] {
            rows.extend(side.iter().map(|&(_, i)| {
                let path = &corpus.scanpaths()[readings[i].scanpath];
                Assignment {
                    split: number as u32 + 1,
                    reader: corpus.readers()[path.reader].clone(),
                    text: corpus.texts()[path.text].id().to_owned(),
                    session: Some(path.session.clone()),
                    trial: None,
                    role,
                }
            }));
        }
    }
    let mut back = divided(Division::Given(rows.clone()), &corpus).unwrap();
    assert_eq!(back[2].name.take().as_deref(), Some("split 3 of the file"));
    back.iter_mut().for_each(|split| split.name = None);
    assert_eq!(back, splits);
    let check = |rows: &[Assignment]| {
        Protocol { division: Division::Given(rows.to_vec()), seed: 1 }.check(&corpus).unwrap_err()
    };
    rows[0].reader = "nobody".to_owned();
    assert_eq!(check(&rows), ProtocolError::UnknownReader("nobody".to_owned()));
    rows.truncate(2);
    rows[0] = Assignment { text: "nothing".to_owned(), ..rows[1].clone() };
    assert_eq!(check(&rows), ProtocolError::UnknownText("nothing".to_owned()));
    // Nothing tests.
    rows[1].split = 7;
    let refused = divided(Division::Given(rows[1..].to_vec()), &corpus).unwrap_err();
    assert_eq!(refused, ProtocolError::TooFewGiven { split: 7, readers: 0, train: 1, test: 0 });
    assert_eq!(divided(Division::Given(Vec::new()), &corpus), Err(ProtocolError::NoSplits));
}

/// Rows of every reading: the texts of even numbers train.
fn every_other_text(corpus: &Corpus) -> Vec<Assignment> {
    let row = |path: &Scanpath| Assignment {
        split: 3,
        reader: corpus.readers()[path.reader].clone(),
        text: corpus.texts()[path.text].id().to_owned(),
        session: None,
        trial: None,
        role: if path.text.is_multiple_of(2) { Role::Train } else { Role::Test },
    };
    corpus.scanpaths().iter().map(row).collect()
}

#[test]
fn given_splits_work_with_some_of_the_readers() {
    let corpus = in_sessions(1);
    let division = Division::Given(every_other_text(&corpus));
    let plan = Plan {
        protocol: Protocol { division: division.clone(), seed: 1 },
        readers: Some(3),
        probe_sentences: vec![1],
        attacks: false,
        watch: None,
        strangers: false,
        limits: Limits::default(),
    };
    let divided = DividedCorpus::new(corpus, plan).unwrap();
    assert_eq!(divided.splits[0].readers.len(), 3);
    assert!(division.unmatched(&divided.corpus, &divided.readings).is_empty());
}

#[test]
fn rows_that_match_no_reading_are_told() {
    let corpus = in_sessions(1);
    let readings = readings(&corpus, Limits::default()).0;
    let mut rows = every_other_text(&corpus);
    rows[4].session = Some("9".to_owned());
    let lost = rows[4].clone();
    assert_eq!(Division::Given(rows).unmatched(&corpus, &readings), [&lost]);
}

/// As strings, "10" came before "2", and what was read there decided.
#[test]
fn sessions_are_ordered_as_numbers() {
    let simulated = in_sessions(1);
    let paths = simulated.scanpaths().iter().enumerate();
    let session = |name: &str, sign: f64| -> Vec<Scanpath> {
        let place = |(i, path): (usize, &Scanpath)| Scanpath {
            session: name.to_owned(),
            order: Some(sign * i as f64),
            ..path.clone()
        };
        paths.clone().map(place).collect()
    };
    let corpus = |paths: Vec<Scanpath>| {
        let (readers, texts) = (simulated.readers().to_vec(), simulated.texts().to_vec());
        Corpus::new("c", readers, texts, paths).unwrap()
    };
    let alone = corpus(session("2", 1.0));
    let both = corpus([session("2", 1.0), session("10", -1.0)].concat());
    let temporal = Division::Temporal { train_fraction: 0.5 };
    let train = |corpus: &Corpus| -> HashSet<(usize, usize)> {
        let read = readings(corpus, Limits::default()).0;
        let split = divided(temporal.clone(), corpus).unwrap().remove(0);
        split.train.iter().map(|&(reader, i)| (reader, read[i].text)).collect()
    };
    assert_eq!(train(&both), train(&alone));
    let sessions = divided(Division::Session { train: 1 }, &both).unwrap();
    assert_eq!(sessions[0].name.as_deref(), Some("session 2 trains, session 10 tests"));
}

#[test]
fn readers_are_drawn_with_all_they_read() {
    let corpus = in_sessions(1);
    let drawn = draw_readers(&corpus, 3, 1).unwrap();
    assert_eq!(drawn.readers().len(), 3);
    assert_eq!(drawn.texts(), corpus.texts());
    for (place, name) in drawn.readers().iter().enumerate() {
        let whole = corpus.readers().iter().position(|r| r == name).unwrap();
        let of = |corpus: &Corpus, reader: usize| -> Vec<usize> {
            let paths = corpus.scanpaths().iter().filter(|s| s.reader == reader);
            paths.map(|s| s.fixations.len()).collect()
        };
        assert_eq!(of(&drawn, place), of(&corpus, whole));
    }
    assert_ne!(draw_readers(&corpus, 3, 2).unwrap().readers(), drawn.readers());
    assert_eq!(draw_readers(&corpus, 5, 1).unwrap(), corpus);
    let refused = draw_readers(&corpus, 6, 1).unwrap_err();
    assert_eq!(refused, ProtocolError::TooManyReaders { asked: 6, there: 5 });
    assert_eq!(draw_readers(&corpus, 1, 1), Err(ProtocolError::TooFewDrawn(1)));
}
