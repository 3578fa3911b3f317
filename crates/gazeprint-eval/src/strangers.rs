//! Strangers in a study: people who are not enrolled, and had no part in what readers were learned from.
//!
//! The readers of a split are halved at random. One half is learned from its training texts, with the
//! rules that a gallery of these readers would have; the other half are strangers. Probes of the test
//! texts of both are judged: how often a reader is named, rightly or wrongly, or said to be likely; how often
//! a stranger is taken for somebody; how often a stranger's claim to be somebody is accepted, and how often
//! that of the reader is not.

use gazeprint::decision::{Answer, LearnedRules, Rules, ScoredReadings};
use gazeprint::method::{FitError, Method, Monitor, Training};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::Reading;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::study::DividedCorpus;

/// Rates that strangers are judged at, descending.
pub const STRANGER_RATES: [f64; 4] = [0.05, 0.01, 0.001, 0.0001];

/// Strangers in one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitStrangers {
    /// Who is enrolled: places among the readers of the split, ascending.
    pub enrolled: Vec<usize>,
    /// Who is not.
    pub strangers: Vec<usize>,
    /// By size of the probes, then with all test sentences.
    pub by_size: Vec<SizeStrangers>,
}

/// Probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeStrangers {
    /// Sentences a probe; `None` for all of a reader.
    pub sentences: Option<usize>,
    /// By enrolled reader.
    pub genuine: Vec<GenuineTally>,
    /// By stranger.
    pub strangers: Vec<StrangerTally>,
}

/// The probes of an enrolled reader, each with the claim to be themselves.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct GenuineTally {
    /// Probes: as many claims.
    pub probes: usize,
    /// Seconds spent in fixations, all probes together.
    pub seconds: f64,
    /// Claims rejected at [`STRANGER_RATES`].
    pub rejected: [usize; STRANGER_RATES.len()],
    /// Probes that were given the right name at [`STRANGER_RATES`].
    pub named: [usize; STRANGER_RATES.len()],
    /// Probes that were given another's name.
    pub misnamed: [usize; STRANGER_RATES.len()],
    /// Probes that were said to be likely theirs.
    pub likely: [usize; STRANGER_RATES.len()],
    /// Probes that were said to be likely another's.
    pub likely_wrong: [usize; STRANGER_RATES.len()],
}

/// The probes of a stranger, each with the claim to be any of the enrolled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StrangerTally {
    /// Probes: as many claims to be each of the enrolled.
    pub probes: usize,
    /// Probes that were taken for somebody at [`STRANGER_RATES`].
    pub alarms: [usize; STRANGER_RATES.len()],
    /// Probes that were said to be likely somebody's.
    pub likely: [usize; STRANGER_RATES.len()],
    /// By enrolled reader: claims that were accepted.
    pub accepted: Vec<[usize; STRANGER_RATES.len()]>,
}

impl SplitStrangers {
    /// Learns one half of the readers of a split, and judges all. Nothing where there are too few
    /// readers, or too little was read, to learn rules from.
    pub(crate) fn of(
        divided: &DividedCorpus,
        number: usize,
        method: &dyn Method,
        monitor: &dyn Monitor,
    ) -> Result<Option<Self>, FitError> {
        let DividedCorpus { plan, readings, splits, .. } = divided;
        let (protocol, split) = (&plan.protocol, &splits[number]);
        let [enrolled, strangers] = halves(split.readers.len(), protocol.seed, number);
        let place = |reader: usize| enrolled.binary_search(&reader).ok();
        let train = split.train.iter();
        let train: Vec<(usize, &Reading)> =
            train.filter_map(|&(reader, i)| Some((place(reader)?, &readings[i]))).collect();
        if train.is_empty() {
            return Ok(None);
        }
        let training =
            Training::new(enrolled.len(), train)?.for_probes_of(split.occasion(readings));
        let fitted = method.fit(&training, protocol.seed_of(number), monitor)?;
        let Some(LearnedRules { rules, .. }) = Rules::learn(&fitted, &training) else {
            return Ok(None);
        };
        let by_index: Vec<&Reading> = readings.iter().collect();
        let tested = split.test.iter().map(|&(_, i)| i);
        let scored = ScoredReadings::encode(&*fitted.scorer, tested, &by_index);
        let test = split.test_by_reader();
        let seconds = |probe: &[usize]| -> f64 {
            probe.iter().flat_map(|&i| readings[i].durations()).sum::<f64>() / 1000.0
        };
        let judged = Judged { scored: &scored, rules: &rules, seconds: &seconds };
        let sizes = plan.probe_sentences.iter().copied().map(Some).chain([None]);
        let by_size = sizes.map(|sentences| {
            let probes = |reader: usize| match sentences {
                Some(m) => protocol.probes(number, split.readers[reader], &test[reader], m),
                None => vec![test[reader].clone()],
            };
            SizeStrangers {
                sentences,
                genuine: (0..enrolled.len())
                    .into_par_iter()
                    .map(|place| judged.genuine(place, &probes(enrolled[place])))
                    .collect(),
                strangers: strangers.par_iter().map(|&r| judged.stranger(&probes(r))).collect(),
            }
        });
        let by_size = by_size.collect();
        Ok(Some(Self { enrolled, strangers, by_size }))
    }
}

/// Readers by place, halved at random; either half ascending.
fn halves(readers: usize, seed: u64, split: usize) -> [Vec<usize>; 2] {
    let mut order: Vec<usize> = (0..readers).collect();
    let stream = Stream { seed, index: stream::STRANGERS + split as u64 };
    order.shuffle(&mut stream.chain(0));
    let mut strangers = order.split_off(readers.div_ceil(2));
    order.sort_unstable();
    strangers.sort_unstable();
    [order, strangers]
}

/// Judges probes by the rules of the enrolled half.
struct Judged<'a> {
    scored: &'a ScoredReadings<'a>,
    rules: &'a Rules,
    /// Seconds spent in the fixations of a probe.
    seconds: &'a (dyn Fn(&[usize]) -> f64 + Sync),
}

/// A probe, compared with everybody.
struct Compared {
    scores: Vec<f64>,
    strengths: Vec<f64>,
    fixations: usize,
}

impl Judged<'_> {
    fn compare(&self, probe: &[usize]) -> Compared {
        let tally = self.scored.tally(probe);
        let scores = self.scored.scorer().settle(&tally);
        let strengths = self.rules.strengths(self.scored.scorer(), &tally, &scores);
        Compared { scores, strengths, fixations: tally.fixations() }
    }

    /// The claims of an enrolled reader, given by place among them.
    fn genuine(&self, place: usize, probes: &[Vec<usize>]) -> GenuineTally {
        let mut tally = GenuineTally { probes: probes.len(), ..GenuineTally::default() };
        for probe in probes {
            let Compared { scores, strengths, fixations } = self.compare(probe);
            tally.seconds += (self.seconds)(probe);
            for (i, rate) in STRANGER_RATES.into_iter().enumerate() {
                let threshold = self.rules.for_claim(rate, fixations);
                tally.rejected[i] += usize::from(!threshold.is_reached(strengths[place]));
                let (best, answer) = self.rules.answer(rate, &scores, &strengths, fixations);
                match (answer, best == place) {
                    (Answer::Named, true) => tally.named[i] += 1,
                    (Answer::Named, false) => tally.misnamed[i] += 1,
                    (Answer::Likely, true) => tally.likely[i] += 1,
                    (Answer::Likely, false) => tally.likely_wrong[i] += 1,
                    (Answer::Unknown, _) => {}
                }
            }
        }
        tally
    }

    fn stranger(&self, probes: &[Vec<usize>]) -> StrangerTally {
        let mut tally = StrangerTally { probes: probes.len(), ..StrangerTally::default() };
        for probe in probes {
            let Compared { scores, strengths, fixations } = self.compare(probe);
            tally.accepted.resize(scores.len(), Default::default());
            for (i, rate) in STRANGER_RATES.into_iter().enumerate() {
                let (_, answer) = self.rules.answer(rate, &scores, &strengths, fixations);
                tally.alarms[i] += usize::from(answer == Answer::Named);
                tally.likely[i] += usize::from(answer == Answer::Likely);
                let claim = self.rules.for_claim(rate, fixations);
                for (accepted, ratio) in tally.accepted.iter_mut().zip(&strengths) {
                    accepted[i] += usize::from(claim.is_reached(*ratio));
                }
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_of_everybody_and_differ_between_splits() {
        let [enrolled, strangers] = halves(9, 1, 0);
        assert_eq!((enrolled.len(), strangers.len()), (5, 4));
        let mut all = [enrolled.clone(), strangers].concat();
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        assert_ne!(halves(9, 1, 1)[0], enrolled);
        assert_eq!(halves(9, 1, 0)[0], enrolled);
    }
}
