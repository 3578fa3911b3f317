//! Probes of what the folds of a fit held out (section 8 of the model).
//!
//! A fit hands over its readers and, beside them, readers learned from either half of the training
//! texts. Probes of the other half are compared at several lengths. A *true* claim is compared with
//! the reader learned without the probe. A *false* claim is compared with the reader as enrolled, from
//! all training texts: the probe is another's, and had no part in it but through what is learned from
//! all readers together. Readers learned from half as much are less distinct, and a threshold from
//! them would let more impostors pass than was asked for. What comes out are scores of true and of
//! false claims that no test text had a part in.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::rules::claim_scores;
use crate::admission::{Admission, FEWEST_READERS, thinned};
use crate::method::{Fitted, Fold, Training};
use crate::random::{Stream, stream};
use crate::saccade::Reading;
use crate::score::ScoredReadings;
use crate::sight::Sight;

/// Lengths at which scores are learned, in sentences; all of a half come last.
const LENGTHS: [Option<usize>; 5] = [Some(1), Some(3), Some(5), Some(10), None];
/// Lengths closer than this factor are one: what lies between them is noise.
const SAME_LENGTH: f64 = 1.3;
/// False claims of one length that are kept for thresholds, about: one in ten thousand of them is
/// fifty.
const MOST_CLAIMS: usize = 1 << 19;

/// Seed of how held-out readings are cut into probes: rules depend on readings, not on when they are
/// learned.
const SEED: u64 = 1;

/// Probes that were held out, compared with all readers, by length.
#[derive(Debug, Clone)]
pub(super) struct HeldOutProbes {
    pub(super) readers: usize,
    /// By rising length.
    pub(super) lengths: Vec<ProbesOfLength>,
}

/// Held-out probes of one length.
#[derive(Debug, Clone)]
pub(super) struct ProbesOfLength {
    /// Texts a probe; `None` for all of a half.
    pub(super) texts: Option<usize>,
    /// Mean log number of fixations.
    pub(super) log_fixations: f64,
    pub(super) probes: Vec<ComparedProbe>,
}

/// A probe that was held out, compared with all readers.
#[derive(Debug, Clone)]
pub(super) struct ComparedProbe {
    pub(super) reader: usize,
    pub(super) log_fixations: f64,
    /// Scores; that of the probe's reader is of the reader learned without it.
    pub(super) scores: Vec<f64>,
    /// Scores of the claims to be each of the other readers, where other people decide.
    pub(super) claims: Vec<f64>,
}

impl HeldOutProbes {
    /// What the folds of a fit held out; `None` where there are too few readers to learn from, or too
    /// little was read.
    pub(super) fn of(fitted: &Fitted, training: &Training<'_>) -> Option<Self> {
        let readers = training.readers();
        if readers < FEWEST_READERS {
            return None;
        }
        let lengths = compared(fitted, training);
        (!lengths.is_empty()).then_some(Self { readers, lengths })
    }
}

/// Probes of what the folds held out, compared at several lengths with readers as they are enrolled.
fn compared(fitted: &Fitted, training: &Training<'_>) -> Vec<ProbesOfLength> {
    let Fitted { folds, admission, sights, .. } = fitted;
    let mut probes: [Vec<ComparedProbe>; LENGTHS.len()] = Default::default();
    let most = MOST_CLAIMS / folds.len().max(1) / training.readers();
    let readings: Vec<&Reading> = training.readings().iter().map(|(_, r)| *r).collect();
    let held_out = folds.iter().flat_map(|fold| fold.held_out.iter().copied());
    let scorer = fitted.scorer.as_ref();
    let enrolled = ScoredReadings::encode_by(scorer, held_out, &readings, |i| {
        let probe = scorer.probe_seen(readings[i], sights.get(i));
        (scorer.tally(&probe), probe.clamped())
    });
    for (number, fold) in folds.iter().enumerate() {
        let stream = Stream { seed: SEED, index: stream::CALIBRATION + ((number as u64) << 24) };
        let held_out = HeldOut::of(fold, &enrolled, training, (&readings, sights));
        for (probes, texts) in probes.iter_mut().zip(LENGTHS) {
            let mut cut = held_out.cut(stream, texts);
            // In no order of readers, so that thinning leaves some of each.
            cut.shuffle(&mut stream.chain(1));
            let cut = thinned(cut, most.max(256));
            probes.extend(held_out.compare(cut, admission.as_ref()));
        }
    }
    let lengths = LENGTHS.into_iter().zip(probes);
    distinct(lengths.filter_map(|(texts, p)| ProbesOfLength::new(texts, p)).collect())
}

/// Lengths that differ, each from enough readers: of those that are alike, the one with most
/// probes; none that less than half as many readers reached as the best.
fn distinct(mut lengths: Vec<ProbesOfLength>) -> Vec<ProbesOfLength> {
    let most = lengths.iter().map(ProbesOfLength::readers).max().unwrap_or(0);
    lengths.retain(|length| 2 * length.readers() >= most);
    lengths.sort_by(|a, b| a.log_fixations.total_cmp(&b.log_fixations));
    let mut kept: Vec<ProbesOfLength> = Vec::new();
    for length in lengths {
        match kept.last_mut() {
            Some(last) if length.log_fixations - last.log_fixations < SAME_LENGTH.ln() => {
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
    /// Compared with their reader, learned without them.
    alone: ScoredReadings<'a>,
    /// Compared with readers as they are enrolled.
    enrolled: &'a ScoredReadings<'a>,
    by_reader: Vec<Vec<usize>>,
}

impl<'a> HeldOut<'a> {
    fn of(
        fold: &'a Fold,
        enrolled: &'a ScoredReadings<'a>,
        training: &Training<'_>,
        (readings, sights): (&[&Reading], &[Sight]),
    ) -> Self {
        let reader = |i: usize| training.readings()[i].0;
        let held_out = fold.held_out.iter().copied().filter(|&i| fold.learned[reader(i)]);
        let mut by_reader = vec![Vec::new(); training.readers()];
        held_out.clone().for_each(|i| by_reader[reader(i)].push(i));
        let scorer = fold.scorer.as_ref();
        // Of nobody but the reader who was left without it.
        let alone = ScoredReadings::encode_by(scorer, held_out, readings, |i| {
            let probe = scorer.probe_seen(readings[i], sights.get(i));
            (scorer.tally_of(&probe, reader(i)), probe.clamped())
        });
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

    fn compare(
        &self,
        probes: Vec<(usize, Vec<usize>)>,
        admission: Option<&Admission>,
    ) -> Vec<ComparedProbe> {
        probes
            .into_par_iter()
            .map(|(reader, probe)| {
                let tally = self.enrolled.tally(&probe);
                let mut scores = self.enrolled.scorer().settle(&tally);
                let scorer = self.enrolled.scorer();
                let claims = admission.and_then(|by| claim_scores(by, scorer, &tally));
                let mut claims = claims.unwrap_or_default();
                if !claims.is_empty() {
                    claims.remove(reader);
                }
                // Nobody is held against themselves, learned from the very probe.
                scores[reader] = self.alone.score(&probe)[reader];
                let log_fixations = (self.alone.fixations(&probe) as f64).ln();
                ComparedProbe { reader, log_fixations, scores, claims }
            })
            .collect()
    }
}

impl ProbesOfLength {
    fn new(texts: Option<usize>, probes: Vec<ComparedProbe>) -> Option<Self> {
        let sum: f64 = probes.iter().map(|p| p.log_fixations).sum();
        let log_fixations = sum / probes.len() as f64;
        log_fixations.is_finite().then_some(Self { texts, log_fixations, probes })
    }

    /// Readers with probes of this length.
    fn readers(&self) -> usize {
        let mut readers: Vec<usize> = self.probes.iter().map(|p| p.reader).collect();
        readers.sort_unstable();
        readers.dedup();
        readers.len()
    }
}

#[cfg(test)]
impl HeldOutProbes {
    /// Probes of known readers with known numbers of fixations and scores, by length.
    pub(super) fn known(
        readers: usize,
        lengths: impl IntoIterator<Item = Vec<(usize, usize, Vec<f64>)>>,
    ) -> Self {
        let probe = |(reader, fixations, scores): (usize, usize, Vec<f64>)| ComparedProbe {
            reader,
            log_fixations: (fixations as f64).ln(),
            scores,
            claims: Vec::new(),
        };
        let length =
            |probes: Vec<_>| ProbesOfLength::new(None, probes.into_iter().map(probe).collect());
        Self { readers, lengths: lengths.into_iter().filter_map(length).collect() }
    }
}
