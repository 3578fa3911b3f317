//! Strangers in a study: people who are not enrolled, and had no part in what readers were learned from.
//!
//! The readers of a split are halved at random. One half is learned from its training texts, with the
//! rules that a gallery of these readers would have; the other half are strangers. Probes of the test
//! texts of both are judged: how often a reader is named, rightly or wrongly, or said to be likely; how often
//! a stranger is taken for somebody; how often a stranger's claim to be somebody is accepted, and how often
//! that of the reader is not.

use std::sync::Arc;

use gazeprint::decision::{Answer, LearnedRules, Rules, ScoredReadings};
use gazeprint::method::{Common, FitError, Method, Monitor, Training};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::Reading;
use gazeprint::score::Tally;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::beginning::Beginning;
use crate::curves::SECONDS;
use crate::study::DividedCorpus;

/// Rates that strangers are judged at, descending.
pub const STRANGER_RATES: [f64; 4] = [0.05, 0.01, 0.001, 0.0001];
/// Probes of so many seconds that are taken of a reader at most: each has a reading that was cut off,
/// which must be looked at anew.
const TIMED_PROBES: usize = 4;

/// Strangers in one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitStrangers {
    /// Who is enrolled: places among the readers of the split, ascending.
    pub enrolled: Vec<usize>,
    /// Who is not.
    pub strangers: Vec<usize>,
    /// By size of the probes, then with all test sentences.
    pub by_size: Vec<SizeStrangers>,
    /// By seconds of reading, those of [`SECONDS`] that half of the enrolled and half of the strangers
    /// read.
    pub by_seconds: Vec<SecondsStrangers>,
}

/// Probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeStrangers {
    /// Sentences a probe; `None` for all of a reader.
    pub sentences: Option<usize>,
    /// What came of them.
    pub judged: JudgedProbes,
}

/// Probes of one length of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondsStrangers {
    /// Seconds spent in the fixations of a probe.
    pub seconds: f64,
    /// What came of them; who did not read that long has none.
    pub judged: JudgedProbes,
}

/// Probes of everybody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedProbes {
    /// By enrolled reader.
    pub genuine: Vec<GenuineTally>,
    /// By stranger.
    pub strangers: Vec<StrangerTally>,
}

impl JudgedProbes {
    /// Whether half of the enrolled and half of the strangers have a probe.
    fn are_of_half(&self) -> bool {
        let enrolled = self.genuine.iter().filter(|tally| tally.probes > 0).count();
        let strangers = self.strangers.iter().filter(|tally| tally.probes > 0).count();
        2 * enrolled >= self.genuine.len() && 2 * strangers >= self.strangers.len()
    }
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
    /// By enrolled reader: probes that were taken for them at [`STRANGER_RATES`].
    pub alarms: Vec<[usize; STRANGER_RATES.len()]>,
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
        common: &Arc<Common>,
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
        let training = training.sharing(common);
        let fitted = method.fit(&training, protocol.seed_of(number), monitor)?;
        let Some(LearnedRules { rules, .. }) = Rules::learn(&fitted, &training) else {
            return Ok(None);
        };
        let by_index: Vec<&Reading> = readings.iter().collect();
        let tested = split.test.iter().map(|&(_, i)| i);
        let scored = ScoredReadings::encode(&*fitted.scorer, tested, &by_index);
        let test = split.test_by_reader();
        let judge = Judge { scored: &scored, rules: &rules, enrolled: enrolled.len() };
        let whole = |probe: &[usize]| {
            let seconds = probe.iter().map(|&i| seconds(&readings[i])).sum();
            ProbeRead { tally: scored.tally(probe), seconds }
        };
        let sizes = plan.probe_sentences.iter().copied().map(Some).chain([None]);
        let by_size = sizes.map(|sentences| {
            let probes = |reader: usize| {
                let probes = match sentences {
                    Some(m) => protocol.probes(number, split.readers[reader], &test[reader], m),
                    None => vec![test[reader].clone()],
                };
                probes.iter().map(|probe| whole(probe)).collect()
            };
            SizeStrangers { sentences, judged: judge.everybody(&enrolled, &strangers, probes) }
        });
        let by_size = by_size.collect();
        let cut = |Beginning { whole, part }: Beginning<'_>| {
            let before: f64 = whole.iter().map(|&i| seconds(&readings[i])).sum();
            ProbeRead { tally: scored.tally_with(whole, &part), seconds: before + seconds(&part) }
        };
        let by_seconds = SECONDS.into_iter().map(|seconds| {
            let probes = |reader: usize| {
                let test = &test[reader];
                let order = protocol.probes(number, split.readers[reader], test, test.len());
                let order = order.first().map_or(&[][..], |order| order);
                Beginning::disjoint(order, readings, seconds, TIMED_PROBES).map(cut).collect()
            };
            SecondsStrangers { seconds, judged: judge.everybody(&enrolled, &strangers, probes) }
        });
        let by_seconds = by_seconds.filter(|timed| timed.judged.are_of_half()).collect();
        Ok(Some(Self { enrolled, strangers, by_size, by_seconds }))
    }
}

/// Seconds spent in the fixations of a reading.
fn seconds(reading: &Reading) -> f64 {
    reading.durations().sum::<f64>() / 1000.0
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

/// What a probe says, and the seconds that were spent in its fixations.
struct ProbeRead {
    tally: Tally,
    seconds: f64,
}

/// Judges probes by the rules of the enrolled half.
struct Judge<'a> {
    scored: &'a ScoredReadings<'a>,
    rules: &'a Rules,
    /// How many they are.
    enrolled: usize,
}

/// A probe, compared with everybody.
struct Compared {
    scores: Vec<f64>,
    strengths: Vec<f64>,
    fixations: usize,
}

impl Judge<'_> {
    /// The probes of everybody, given by place in the split.
    fn everybody(
        &self,
        enrolled: &[usize],
        strangers: &[usize],
        probes: impl Fn(usize) -> Vec<ProbeRead> + Sync,
    ) -> JudgedProbes {
        JudgedProbes {
            genuine: (0..enrolled.len())
                .into_par_iter()
                .map(|place| self.genuine(place, &probes(enrolled[place])))
                .collect(),
            strangers: strangers.par_iter().map(|&r| self.stranger(&probes(r))).collect(),
        }
    }

    fn compare(&self, tally: &Tally) -> Compared {
        let scores = self.scored.scorer().settle(tally);
        let strengths = self.rules.strengths(self.scored.scorer(), tally, &scores);
        Compared { scores, strengths, fixations: tally.fixations() }
    }

    /// The claims of an enrolled reader, given by place among them.
    fn genuine(&self, place: usize, probes: &[ProbeRead]) -> GenuineTally {
        let mut tally = GenuineTally { probes: probes.len(), ..GenuineTally::default() };
        for probe in probes {
            let Compared { scores, strengths, fixations } = self.compare(&probe.tally);
            tally.seconds += probe.seconds;
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

    fn stranger(&self, probes: &[ProbeRead]) -> StrangerTally {
        let nothing = || vec![Default::default(); self.enrolled];
        let mut tally = StrangerTally {
            probes: probes.len(),
            alarms: nothing(),
            accepted: nothing(),
            ..StrangerTally::default()
        };
        for probe in probes {
            let Compared { scores, strengths, fixations } = self.compare(&probe.tally);
            for (i, rate) in STRANGER_RATES.into_iter().enumerate() {
                let (best, answer) = self.rules.answer(rate, &scores, &strengths, fixations);
                tally.alarms[best][i] += usize::from(answer == Answer::Named);
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
