//! How a corpus is divided.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::HashSet;

use gazeprint::corpus::{Corpus, Limits, Text};
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::protocol::{Protocol, ProtocolError};
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
        let protocol = Protocol { splits: 3, seed, train_fraction };
        for split in protocol.splits(&corpus, &readings).unwrap() {
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
    let protocol = Protocol { splits: 5, ..Default::default() };
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
    assert_eq!(refused, ProtocolError::TooFewReaders(1));
}
