//! Thresholds and calibration from the training texts of a split (section 6 of the model).
//!
//! A method hands over readers learned from either half of the training texts. Probes of the other
//! half are compared with them, at several lengths; what comes out are scores of true and of false
//! claims that no test text had a part in. A test probe is judged by what was learned from *other
//! readers* alone: readers are dealt into groups, and each group has thresholds and a calibration
//! from claims that neither come from it nor name one of it.

use gazeprint::gallery::cohort_ratios;
use gazeprint::method::{Fitted, Fold, Training};
use gazeprint::saccade::Reading;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::measures::{ByLength, Claims, ThresholdByLength, threshold_at};
use crate::protocol::Protocol;
use crate::sentences::{Scores, Sentences};

/// False match rates that thresholds are fixed for.
pub const RATES: [f64; 3] = [1e-2, 1e-3, 1e-4];
/// Lengths at which scores are learned, in sentences; all of a half come last.
const LENGTHS: [Option<usize>; 5] = [Some(1), Some(3), Some(5), Some(10), None];
/// Groups of readers that are left out in turn.
const GROUPS: usize = 5;
/// False claims of one length that are kept for thresholds, about: one in ten thousand of them is
/// fifty.
const MOST_CLAIMS: usize = 1 << 19;
/// False claims of one length that a calibration is fitted to: it has two parameters.
const MOST_CALIBRATED: usize = 1 << 14;

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
    /// The fewest false claims that a threshold was fixed on.
    pub(crate) comparisons: usize,
}

/// Judges probes of any length.
#[derive(Debug, Clone)]
pub(crate) struct Judge {
    thresholds: [Option<ThresholdByLength>; RATES.len()],
    ratios: Option<ByLength>,
}

/// Probes of one length, compared with all readers.
struct Length {
    /// Sentences a probe; `None` for all of a half.
    sentences: Option<usize>,
    /// Mean log number of fixations.
    mean: f64,
    probes: Vec<ComparedProbe>,
}

struct ComparedProbe {
    reader: usize,
    log_fixations: f64,
    cohort: Vec<f64>,
    population: Vec<f64>,
}

impl Calibration {
    /// Learns from the folds of a fit; nothing where it has none.
    pub(crate) fn learn(
        fitted: &Fitted,
        training: &Training<'_>,
        protocol: &Protocol,
        split: usize,
    ) -> Option<Self> {
        let mut probes: [Vec<ComparedProbe>; LENGTHS.len()] = Default::default();
        let most = MOST_CLAIMS / fitted.folds.len().max(1) / training.readers();
        for fold in &fitted.folds {
            let held_out = HeldOut::of(fold, training);
            for (probes, m) in probes.iter_mut().zip(LENGTHS) {
                let cut = thinned(held_out.cut(protocol, split, m), most.max(training.readers()));
                probes.extend(held_out.compare(cut));
            }
        }
        let lengths: Vec<Length> = LENGTHS
            .into_iter()
            .zip(probes)
            .filter(|(_, probes)| !probes.is_empty())
            .map(|(sentences, probes)| {
                let sum: f64 = probes.iter().map(|p| p.log_fixations).sum();
                Length { sentences, mean: sum / probes.len() as f64, probes }
            })
            .collect();
        if lengths.is_empty() {
            return None;
        }
        let readers = training.readers();
        let groups = GROUPS.min(readers);
        let judges: Vec<(Judge, usize)> = (0..groups)
            .into_par_iter()
            .map(|group| judge(&lengths, |reader| reader % groups != group))
            .collect();
        let comparisons = judges.iter().map(|(_, n)| *n).min().unwrap_or(0);
        let thresholds = lengths.iter().flat_map(|length| {
            let impostor = length.claims(|_| true, |p| &p.cohort).impostor;
            RATES.into_iter().filter_map(move |rate| {
                Some(LearnedThreshold {
                    rate,
                    sentences: length.sentences,
                    fixations: length.mean.exp(),
                    threshold: threshold_at(&impostor, rate)?,
                })
            })
        });
        Some(Self {
            thresholds: thresholds.collect(),
            groups: judges.into_iter().map(|(judge, _)| judge).collect(),
            comparisons,
        })
    }

    /// The judge of the probes of a reader, who had no part in it.
    pub(crate) fn judge(&self, reader: usize) -> &Judge {
        &self.groups[reader % self.groups.len()]
    }
}

/// What the claims among some of the readers say, and how many false ones at the length that has
/// fewest.
fn judge(lengths: &[Length], keep: impl Fn(usize) -> bool + Copy) -> (Judge, usize) {
    let cohort: Vec<(f64, Vec<f64>)> =
        lengths.iter().map(|l| (l.mean, l.claims(keep, |p| &p.cohort).impostor)).collect();
    let population: Vec<(f64, Claims)> = lengths
        .iter()
        .map(|l| {
            let mut claims = l.claims(keep, |p| &p.population);
            claims.impostor = thinned(claims.impostor, MOST_CALIBRATED);
            (l.mean, claims)
        })
        .collect();
    let thresholds = RATES.map(|rate| {
        ThresholdByLength::fit(cohort.iter().map(|(l, impostor)| (*l, impostor.as_slice())), rate)
    });
    let ratios = ByLength::fit(population.iter().map(|(l, claims)| (*l, claims)));
    let fewest = cohort.iter().map(|(_, impostor)| impostor.len()).min().unwrap_or(0);
    (Judge { thresholds, ratios }, fewest)
}

/// The readings that one fold held out.
struct HeldOut<'a> {
    sentences: Sentences<'a>,
    by_reader: Vec<Vec<usize>>,
}

impl<'a> HeldOut<'a> {
    fn of(fold: &'a Fold, training: &Training<'_>) -> Self {
        let readings: Vec<&Reading> = training.readings().iter().map(|(_, r)| *r).collect();
        let held_out = fold.held_out.iter().copied();
        let mut by_reader = vec![Vec::new(); training.readers()];
        held_out.clone().for_each(|i| by_reader[training.readings()[i].0].push(i));
        Self { sentences: Sentences::encode(fold.gallery.as_ref(), held_out, &readings), by_reader }
    }

    /// Probes of `m` readings, or of all, with their readers.
    fn cut(&self, protocol: &Protocol, split: usize, m: Option<usize>) -> Vec<(usize, Vec<usize>)> {
        let readers = self.by_reader.iter().enumerate();
        readers
            .filter(|(_, held_out)| held_out.len() >= m.unwrap_or(1))
            .flat_map(|(reader, held_out)| {
                let size = m.unwrap_or(held_out.len());
                let probes = protocol.probes(split, reader, held_out, size);
                probes.into_iter().map(move |probe| (reader, probe))
            })
            .collect()
    }

    fn compare(&self, probes: Vec<(usize, Vec<usize>)>) -> Vec<ComparedProbe> {
        probes
            .into_par_iter()
            .map(|(reader, probe)| {
                let scores = self.sentences.score(&probe);
                ComparedProbe {
                    reader,
                    log_fixations: (self.sentences.fixations(&probe) as f64).ln(),
                    cohort: cohort_ratios(&scores.readers),
                    population: scores.population_ratios(),
                }
            })
            .collect()
    }
}

impl Length {
    /// The claims among some of the readers.
    fn claims(
        &self,
        keep: impl Fn(usize) -> bool,
        ratios: impl Fn(&ComparedProbe) -> &Vec<f64>,
    ) -> Claims {
        let mut claims = Claims::default();
        for probe in self.probes.iter().filter(|p| keep(p.reader)) {
            for (reader, &ratio) in ratios(probe).iter().enumerate().filter(|(r, _)| keep(*r)) {
                claims.add(ratio, reader == probe.reader);
            }
        }
        claims
    }
}

impl Judge {
    /// The thresholds for a probe of so many fixations, by [`RATES`]; infinite where there is none.
    pub(crate) fn thresholds(&self, fixations: usize) -> [f64; RATES.len()] {
        let at = |t: &Option<ThresholdByLength>| {
            t.as_ref().map_or(f64::INFINITY, |t| t.at(fixations as f64))
        };
        std::array::from_fn(|i| at(&self.thresholds[i]))
    }

    /// The calibrated log-likelihood ratio of every reader to the population.
    pub(crate) fn ratios(&self, scores: &Scores, fixations: usize) -> Option<Vec<f64>> {
        let affine = self.ratios.as_ref()?.at(fixations as f64);
        Some(scores.population_ratios().into_iter().map(|ratio| affine.apply(ratio)).collect())
    }
}

/// At most `most` of many items, evenly chosen.
fn thinned<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let n = items.len();
    if n <= most {
        return items;
    }
    let chosen = |i: usize| i * most / n != (i + 1) * most / n;
    items.into_iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, item)| item).collect()
}
