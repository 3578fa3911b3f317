//! Thresholds and calibration from the training texts of a split (section 8 of the model).
//!
//! A method hands over its readers and, beside them, readers learned from either half of the
//! training texts. Probes of the other half are compared at several lengths. A *true* claim is
//! compared with the reader learned without the probe. A *false* claim is compared with the reader as
//! enrolled, from all training texts: the probe is another's, and had no part in it but through what
//! is learned from all readers together. Readers learned from half as much are less distinct, and a threshold from them would let more impostors pass than
//! was asked for. What comes out are scores of true and of false claims that no test text had a part
//! in. A test probe is judged by the claims of *other readers*: readers are dealt into groups, and
//! each group has thresholds and a calibration from claims that neither come from it nor name one of
//! it.

use gazeprint::method::{Fitted, Fold, Training};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::Reading;
use gazeprint::score::{Scorer, cohort_ratios};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::judge::{Judge, Lesson, Thresholds, thinned};
use crate::measures::{Claims, ImpostorClaim};
use crate::sentences::Sentences;

/// False match rates that thresholds are fixed for, descending.
pub const RATES: [f64; 3] = [1e-2, 1e-3, 1e-4];
/// Lengths at which scores are learned, in sentences; all of a half come last.
const LENGTHS: [Option<usize>; 5] = [Some(1), Some(3), Some(5), Some(10), None];
/// Lengths closer than this factor are one: what lies between them is noise.
const SAME_LENGTH: f64 = 1.3;
/// Groups of readers that are left out in turn.
const GROUPS: usize = 5;
/// False claims of one length that are kept for thresholds, about: one in ten thousand of them is
/// fifty.
const MOST_CLAIMS: usize = 1 << 19;

/// A threshold that was learned, over all readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedThreshold {
    /// The false match rate.
    pub rate: f64,
    /// Sentences a probe; `None` for all of half of the training texts.
    pub sentences: Option<usize>,
    /// Geometric mean of the number of fixations of the probes.
    pub fixations: f64,
    /// The ratio to the cohort at and above which a claim is accepted.
    pub threshold: f64,
}

/// What the training texts say about scores.
pub(crate) struct Calibration {
    groups: Vec<Judge>,
    /// Over all readers: what a deployment would use.
    pub(crate) thresholds: Vec<LearnedThreshold>,
}

/// Probes of one length.
pub(crate) struct Length {
    /// Sentences a probe; `None` for all of a half.
    sentences: Option<usize>,
    /// Mean log number of fixations.
    pub(crate) mean: f64,
    pub(crate) probes: Vec<ComparedProbe>,
}

/// A probe that was held out, compared with all readers.
pub(crate) struct ComparedProbe {
    pub(crate) reader: usize,
    pub(crate) log_fixations: f64,
    /// Scores; that of the probe's reader is of the reader learned without it.
    pub(crate) scores: Vec<f64>,
    cohort: Vec<f64>,
    population: Vec<f64>,
}

impl Calibration {
    /// Learns from the folds of a fit; nothing where they do not carry it.
    pub(crate) fn learn(
        fitted: &Fitted,
        training: &Training<'_>,
        seed: u64,
        split: usize,
    ) -> Option<Self> {
        let lengths = compared(fitted.scorer.as_ref(), &fitted.folds, training, seed, split);
        if lengths.is_empty() {
            return None;
        }
        let groups = GROUPS.min(training.readers());
        let judges = (0..groups)
            .into_par_iter()
            .map(|group| {
                let lesson = |length: &Length| length.lesson(|reader| reader % groups != group);
                Judge::learn(&RATES, lengths.iter().map(lesson).collect())
            })
            .collect();
        let claims: Vec<_> =
            lengths.iter().map(|length| (length.mean, length.impostor_claims(|_| true))).collect();
        let by_rate =
            Thresholds::learn(&RATES, claims.iter().map(|(length, c)| (*length, c.as_slice())));
        let thresholds = lengths.iter().flat_map(|length| {
            let fixations = length.mean.exp();
            let known = RATES.into_iter().zip(by_rate.rising(fixations));
            known.filter(|(_, threshold)| threshold.is_finite()).map(move |(rate, threshold)| {
                LearnedThreshold { rate, sentences: length.sentences, fixations, threshold }
            })
        });
        Some(Self { thresholds: thresholds.collect(), groups: judges })
    }

    /// The judge of the probes of a reader, whose claims had no part in it.
    pub(crate) fn judge(&self, reader: usize) -> &Judge {
        &self.groups[reader % self.groups.len()]
    }

    /// False claims behind the thresholds for probes of this mean log length, in the group that
    /// has fewest.
    pub(crate) fn comparisons(&self, length: f64) -> usize {
        self.groups.iter().map(|judge| judge.behind(length).false_claims).min().unwrap_or(0)
    }
}

/// Probes of what the folds held out, compared at several lengths with readers as they are enrolled.
pub(crate) fn compared(
    enrolled: &dyn Scorer,
    folds: &[Fold],
    training: &Training<'_>,
    seed: u64,
    split: usize,
) -> Vec<Length> {
    let mut probes: [Vec<ComparedProbe>; LENGTHS.len()] = Default::default();
    let most = MOST_CLAIMS / folds.len().max(1) / training.readers();
    let readings: Vec<&Reading> = training.readings().iter().map(|(_, r)| *r).collect();
    let held_out = folds.iter().flat_map(|fold| fold.held_out.iter().copied());
    let enrolled = Sentences::encode(enrolled, held_out, &readings);
    for (number, fold) in folds.iter().enumerate() {
        let index = stream::CALIBRATION + ((split as u64) << 25) + ((number as u64) << 24);
        let held_out = HeldOut::of(fold, &enrolled, training, &readings);
        for (probes, m) in probes.iter_mut().zip(LENGTHS) {
            let mut cut = held_out.cut(Stream { seed, index }, m);
            // In no order of readers, so that thinning leaves some of every group.
            cut.shuffle(&mut Stream { seed, index }.chain(1));
            probes.extend(held_out.compare(thinned(cut, most.max(256))));
        }
    }
    let lengths = LENGTHS.into_iter().zip(probes).filter_map(|(m, p)| Length::new(m, p));
    distinct(lengths.collect())
}

/// Lengths that differ, each from enough readers: of those that are alike, the one with most
/// probes; none that less than half as many readers reached as the best.
fn distinct(mut lengths: Vec<Length>) -> Vec<Length> {
    let most = lengths.iter().map(Length::readers).max().unwrap_or(0);
    lengths.retain(|length| 2 * length.readers() >= most);
    lengths.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    let mut kept: Vec<Length> = Vec::new();
    for length in lengths {
        match kept.last_mut() {
            Some(last) if length.mean - last.mean < SAME_LENGTH.ln() => {
                if length.probes.len() > last.probes.len() {
                    *last = length;
                }
            }
            _ => kept.push(length),
        }
    }
    kept
}

/// The readings that one fold held out, of readers that it has learned.
struct HeldOut<'a> {
    /// Compared with readers learned without them.
    alone: Sentences<'a>,
    /// Compared with readers as they are enrolled.
    enrolled: &'a Sentences<'a>,
    by_reader: Vec<Vec<usize>>,
}

impl<'a> HeldOut<'a> {
    fn of(
        fold: &'a Fold,
        enrolled: &'a Sentences<'a>,
        training: &Training<'_>,
        readings: &[&Reading],
    ) -> Self {
        let reader = |i: usize| training.readings()[i].0;
        let held_out = fold.held_out.iter().copied().filter(|&i| fold.learned[reader(i)]);
        let mut by_reader = vec![Vec::new(); training.readers()];
        held_out.clone().for_each(|i| by_reader[reader(i)].push(i));
        let alone = Sentences::encode(fold.scorer.as_ref(), held_out, readings);
        Self { alone, enrolled, by_reader }
    }

    /// Disjoint probes of `m` readings, or of all, with their readers.
    fn cut(&self, stream: Stream, m: Option<usize>) -> Vec<(usize, Vec<usize>)> {
        let readers = self.by_reader.iter().enumerate();
        readers
            .filter(|(_, held_out)| held_out.len() >= m.unwrap_or(1))
            .flat_map(|(reader, held_out)| {
                let mut order = held_out.clone();
                let index = stream.index + reader as u64;
                order.shuffle(&mut Stream { index, ..stream }.chain(0));
                let probes = order.chunks_exact(m.unwrap_or(order.len()));
                probes.map(|probe| (reader, probe.to_vec())).collect::<Vec<_>>()
            })
            .collect()
    }

    fn compare(&self, probes: Vec<(usize, Vec<usize>)>) -> Vec<ComparedProbe> {
        probes
            .into_par_iter()
            .map(|(reader, probe)| {
                let (alone, mut enrolled) = (self.alone.score(&probe), self.enrolled.score(&probe));
                let genuine = alone.population_ratios()[reader];
                // Nobody is held against themselves, learned from the very probe.
                enrolled.readers[reader] = alone.readers[reader];
                enrolled.population = self.enrolled.population(&probe, &enrolled.readers);
                let mut population = enrolled.population_ratios();
                population[reader] = genuine;
                ComparedProbe {
                    reader,
                    log_fixations: (self.alone.fixations(&probe) as f64).ln(),
                    cohort: cohort_ratios(&enrolled.readers),
                    scores: enrolled.readers,
                    population,
                }
            })
            .collect()
    }
}

#[cfg(test)]
impl Length {
    /// Probes of known readers with known numbers of fixations and scores.
    pub(crate) fn known(probes: impl IntoIterator<Item = (usize, usize, Vec<f64>)>) -> Self {
        let probe = |(reader, fixations, scores): (usize, usize, Vec<f64>)| ComparedProbe {
            reader,
            log_fixations: (fixations as f64).ln(),
            cohort: cohort_ratios(&scores),
            population: scores.clone(),
            scores,
        };
        Self::new(None, probes.into_iter().map(probe).collect()).expect("some probes")
    }
}

impl Length {
    fn new(sentences: Option<usize>, probes: Vec<ComparedProbe>) -> Option<Self> {
        let sum: f64 = probes.iter().map(|p| p.log_fixations).sum();
        let mean = sum / probes.len() as f64;
        mean.is_finite().then_some(Self { sentences, mean, probes })
    }

    /// Readers with probes of this length.
    pub(crate) fn readers(&self) -> usize {
        let mut readers: Vec<usize> = self.probes.iter().map(|p| p.reader).collect();
        readers.sort_unstable();
        readers.dedup();
        readers.len()
    }

    /// What the claims among some of the readers teach: thresholds by ratios to the cohort,
    /// calibration by those to the population.
    fn lesson(&self, keep: impl Fn(usize) -> bool + Copy) -> Lesson {
        let (impostor, claims) = (self.impostor_claims(keep), self.claims(keep));
        Lesson { length: self.mean, impostor, claims }
    }

    /// The claims among some of the readers, by their ratios to the population.
    fn claims(&self, keep: impl Fn(usize) -> bool) -> Claims {
        let mut claims = Claims::default();
        for probe in self.probes.iter().filter(|p| keep(p.reader)) {
            let ratios = probe.population.iter().enumerate();
            for (reader, &ratio) in ratios.filter(|(r, ratio)| keep(*r) && !ratio.is_nan()) {
                claims.add(ratio, reader == probe.reader);
            }
        }
        claims
    }

    /// The false claims among some of the readers, by their ratios to the cohort.
    fn impostor_claims(&self, keep: impl Fn(usize) -> bool) -> Vec<ImpostorClaim> {
        let mut claims = Vec::new();
        for probe in self.probes.iter().filter(|p| keep(p.reader)) {
            let fixations = probe.log_fixations.exp();
            let others = probe.cohort.iter().enumerate().filter(|(r, _)| *r != probe.reader);
            let kept = others.filter(|(r, score)| keep(*r) && !score.is_nan());
            claims.extend(kept.map(|(_, &score)| ImpostorClaim { fixations, score }));
        }
        claims
    }
}
