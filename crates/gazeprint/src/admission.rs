//! Admission: the score by which somebody is taken for a reader, and what strangers reach of it.
//!
//! A claim has several grounds: what types, landings and durations say for the reader against imagined
//! ones, and what the network says against anybody. Each over-states itself in its own way, so that their
//! sum ranks readers well and says little about strangers. The score is a logistic regression over the
//! grounds, learned from people who were strangers to galleries of others, on corpora whose network had
//! never met them; so are its thresholds, by rate, length of the probe and number of readers. Nothing of
//! it is learned from a gallery: who is enrolled had a part in what the gallery learned, and is no
//! stranger to it.

use faer::linalg::solvers::Solve as _;
use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

/// Error rates that thresholds are learned for, descending. In between, they are interpolated in the
/// logarithm of the rate.
pub const GRID: [f64; 11] =
    [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];
/// Grounds of a claim: types, landings, durations, and what the network says.
pub const GROUNDS: usize = 4;
/// What a ground is for a reader or their own readings, each as it is and by length.
const FORMS: usize = 4 * GROUNDS;
/// Numbers of the regression: of the grounds, of length, of its square, and a constant.
const COEFFICIENTS: usize = FORMS + 3;
/// The same before it was looked at how a reader's own readings do.
const COEFFICIENTS_BEFORE: usize = 2 * GROUNDS + 3;
/// Fixations of a probe at which lengths are nought, and between which they count.
const UNIT: f64 = 50.0;
const RANGE: [f64; 2] = [8.0, 1024.0];
/// Lengths that thresholds are known at, in fixations, and numbers of readers.
const LENGTHS: [f64; 8] = [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
const READERS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// How firmly coefficients are held back to nought, in units of the spread of what they count.
const RIDGE: f64 = 1e-4;
const MOST_STEPS: usize = 50;
/// Claims of one side of a corpus that the regression is fitted to, at most.
const MOST_CLAIMS: usize = 5000;
/// Rates at which it is found how well others are kept on corpora that had no part: those that many show.
const RATED: [f64; 3] = [0.05, 0.02, 0.01];
/// Corpora that must have as many readers as a threshold is for.
const FEWEST_CORPORA: usize = 3;
/// Part of the true claims of a corpus that its own threshold of a rate of .01 lets pass, at least: where
/// people cannot be told apart, thresholds say nothing.
const LEAST_TOLD_APART: f64 = 0.25;
/// Fewest strangers about a length from whom a threshold is learned.
const FEWEST_STRANGERS: f64 = 20.0;

/// By length and rate.
type Thresholds = [[f64; GRID.len()]; LENGTHS.len()];

/// How somebody is taken for a reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredAdmission", into = "StoredAdmission")]
pub struct Admission {
    coefficients: [f64; COEFFICIENTS],
    strangers: usize,
    pairs: usize,
    /// By number of readers.
    thresholds: Vec<Thresholds>,
}

/// What speaks for a claim to be a reader.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Claim {
    /// What was read says for the reader, nats.
    pub grounds: [f64; GROUNDS],
    /// What as much of the reader's own readings would say. Nought where that is not asked: where readers
    /// are compared on their own population, all have about as much.
    pub usual: [f64; GROUNDS],
}

impl Claim {
    /// The same if it went on like this, with so much more of everything.
    pub fn times(&self, more: f64) -> Self {
        let times = |grounds: [f64; GROUNDS]| grounds.map(|ground| ground * more);
        Self { grounds: times(self.grounds), usual: times(self.usual) }
    }
}

/// A probe that was compared with enrolled readers.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Whose it is.
    pub person: usize,
    /// Texts that were asked for: probes of one person and size count for one.
    pub texts: usize,
    /// Fixations.
    pub fixations: usize,
    /// The claim to be each of the readers.
    pub claims: Vec<Claim>,
    /// The reader who scores best.
    pub best: usize,
    /// The reader whose probe it is; none of a stranger's.
    pub own: Option<usize>,
}

/// What an [`Admission`] is stored as.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredAdmission {
    coefficients: Vec<f64>,
    strangers: usize,
    pairs: usize,
    thresholds: Vec<Vec<Vec<f64>>>,
}

impl From<Admission> for StoredAdmission {
    fn from(admission: Admission) -> Self {
        let Admission { coefficients, strangers, pairs, thresholds } = admission;
        let lengths = |table: Thresholds| table.map(Vec::from).into();
        let thresholds = thresholds.into_iter().map(lengths).collect();
        Self { coefficients: coefficients.into(), strangers, pairs, thresholds }
    }
}

impl TryFrom<StoredAdmission> for Admission {
    type Error = &'static str;

    fn try_from(stored: StoredAdmission) -> Result<Self, Self::Error> {
        let StoredAdmission { coefficients, strangers, pairs, thresholds } = stored;
        let coefficients = match coefficients.as_slice() {
            // From before it was looked at how a reader's own readings do: that counts for nothing then.
            before if before.len() == COEFFICIENTS_BEFORE => {
                let (grounds, rest) = before.split_at(2 * GROUNDS);
                let mut padded = [0.0; COEFFICIENTS];
                padded[..grounds.len()].copy_from_slice(grounds);
                padded[FORMS..].copy_from_slice(rest);
                padded
            }
            now => now.try_into().map_err(|_| "expected 19 coefficients")?,
        };
        let rates = |rates: Vec<f64>| {
            let rates: [f64; GRID.len()] = rates.try_into().map_err(|_| "expected 11 rates")?;
            rates.iter().all(|t| t.is_finite()).then_some(rates).ok_or("found no number")
        };
        let lengths = |lengths: Vec<Vec<f64>>| {
            let lengths = lengths.into_iter().map(rates).collect::<Result<Vec<_>, _>>()?;
            <[_; LENGTHS.len()]>::try_from(lengths).map_err(|_| "expected 8 lengths")
        };
        let thresholds: Vec<_> =
            thresholds.into_iter().map(lengths).collect::<Result<_, Self::Error>>()?;
        if thresholds.is_empty() || thresholds.len() > READERS.len() {
            return Err("expected thresholds for 1 to 7 numbers of readers");
        }
        Ok(Self { coefficients, strangers, pairs, thresholds })
    }
}

/// The length of a probe.
fn length(fixations: f64) -> f64 {
    (fixations.clamp(RANGE[0], RANGE[1]) / UNIT).ln()
}

/// A value between those at rising places; that of the nearest beyond them.
fn interpolated(places: &[f64], values: &[f64], at: f64) -> f64 {
    let next = places.partition_point(|place| *place <= at);
    match (next.checked_sub(1), values.get(next)) {
        (None, _) => values[0],
        (Some(before), None) => values[before],
        (Some(before), Some(value)) => {
            let part = (at - places[before]) / (places[next] - places[before]);
            values[before] + part * (value - values[before])
        }
    }
}

/// What coefficients count, but for the constant.
fn counted(claim: &Claim, fixations: usize) -> [f64; COEFFICIENTS] {
    let length = length(fixations as f64);
    let mut counted = [1.0; COEFFICIENTS];
    for (forms, grounds) in counted.chunks_mut(2 * GROUNDS).zip([&claim.grounds, &claim.usual]) {
        for (i, ground) in grounds.iter().enumerate() {
            // Evidence grows with reading, and over-states itself the more there is of it.
            let root = ground.signum() * ground.abs().sqrt();
            let root = if root.is_finite() { root } else { 0.0 };
            forms[i] = root;
            forms[GROUNDS + i] = root * length;
        }
    }
    counted[FORMS] = length;
    counted[FORMS + 1] = length * length;
    counted
}

impl Admission {
    /// The score of a claim.
    pub fn score(&self, claim: &Claim, fixations: usize) -> f64 {
        let counted = counted(claim, fixations);
        counted.iter().zip(&self.coefficients).map(|(x, c)| x * c).sum()
    }

    /// People who were strangers, and pairs of strangers and readers, behind the thresholds.
    pub fn support(&self) -> [usize; 2] {
        [self.strangers, self.pairs]
    }

    /// The score that a part `rate` of strangers reaches with the best of so many readers; a claim is one of
    /// one. Smooth in all three, and never lower for a lower rate; with more readers than were ever seen it
    /// goes on rising with the logarithm of their number.
    pub fn threshold(&self, rate: f64, fixations: f64, readers: usize) -> f64 {
        let mut highest = f64::NEG_INFINITY;
        let rising: [f64; GRID.len()] = std::array::from_fn(|i| {
            highest = highest.max(self.learned(i, fixations, readers));
            highest
        });
        let next = GRID.partition_point(|r| *r > rate).clamp(1, GRID.len() - 1);
        let [high, low] = [GRID[next - 1], GRID[next]];
        let part = ((high / rate).ln() / (high / low).ln()).clamp(0.0, 1.0);
        rising[next - 1] + part * (rising[next] - rising[next - 1])
    }

    /// The same for a rate of the grid, given by place.
    fn learned(&self, rate: usize, fixations: f64, readers: usize) -> f64 {
        let lengths = LENGTHS.map(length);
        let at = length(fixations.max(1.0));
        let among = |table: &Thresholds| interpolated(&lengths, &table.map(|row| row[rate]), at);
        let known: Vec<f64> = self.thresholds.iter().map(among).collect();
        let log = &READERS.map(|n| (n as f64).ln())[..known.len()];
        let number = (readers.max(1) as f64).ln();
        let last = known.len() - 1;
        // The slope of several steps, so that an odd one does not decide.
        let before = last.saturating_sub(3);
        let beyond = (number - log[last]).max(0.0);
        let slope = if beyond > 0.0 && before < last {
            (known[last] - known[before]) / (log[last] - log[before])
        } else {
            0.0
        };
        interpolated(log, &known, number) + slope * beyond
    }

    /// Learns from corpora. The rates are those of corpora that had no part: each is left out once, and what
    /// strangers of the typical one (the geometric mean) reach more often than was asked for is asked of all.
    /// Corpora whose people cannot be told apart at all have no part in it. None with too little to learn from.
    pub fn learn(corpora: &[Vec<Trial>]) -> Option<Self> {
        let mut all: Vec<&[Trial]> = corpora.iter().map(Vec::as_slice).collect();
        let first = Self::fit(&all)?;
        all.retain(|trials| first.tells_apart(trials));
        let admission = Self::fit(&all)?;
        let excess: Vec<(Vec<f64>, f64)> = (0..all.len())
            .filter_map(|left_out| {
                let mut others = all.clone();
                let own = others.remove(left_out);
                let weight = people(own, |trial| trial.own.is_none()).len() as f64;
                Some((Self::fit(&others)?.excess(own), weight))
            })
            .collect();
        let rates = |number: usize| {
            let known = excess.iter().filter_map(|(logs, w)| Some((logs.get(number)?, w)));
            let known: Vec<(&f64, &f64)> = known.filter(|(log, _)| log.is_finite()).collect();
            let total: f64 = known.iter().map(|(_, weight)| *weight).sum();
            let mean = known.iter().map(|(log, weight)| *log * *weight).sum::<f64>() / total;
            GRID.map(|rate| rate / if mean > 0.0 { mean.exp() } else { 1.0 })
        };
        let thresholds = admission.table(&all, rates)?;
        Some(Self { thresholds, ..admission })
    }

    /// Whether true claims of a corpus pass where its own strangers hardly do, in the longest probes.
    fn tells_apart(&self, trials: &[Trial]) -> bool {
        let longest = trials.iter().map(|trial| trial.texts).max();
        let (mut genuine, mut strangers) = (Vec::new(), Vec::new());
        for trial in trials.iter().filter(|trial| Some(trial.texts) == longest) {
            let score = |claim: &Claim| self.score(claim, trial.fixations);
            match trial.own {
                Some(own) => genuine.push(score(&trial.claims[own])),
                None => strangers.extend(trial.claims.iter().map(|claim| (score(claim), 1.0))),
            }
        }
        let rate = GRID.iter().position(|rate| *rate <= 0.01).unwrap_or(0);
        let threshold = quantiles(strangers, &GRID)[rate];
        let passed = genuine.iter().filter(|score| **score >= threshold).count();
        passed as f64 >= LEAST_TOLD_APART * genuine.len() as f64
    }

    /// By how much more often strangers of a corpus reach thresholds than was asked for, as a logarithm, by
    /// number of readers; no number where it has not as many.
    fn excess(&self, trials: &[Trial]) -> Vec<f64> {
        let scored = self.scored(trials);
        let total: f64 = scored.iter().map(|one| one.weight).sum();
        let of = |readers: &usize| {
            if scored.iter().any(|one| one.scores.len() < *readers) {
                return f64::NAN;
            }
            let log = |rate: f64| {
                let mut reached = 0.0;
                for one in &scored {
                    let threshold = self.threshold(rate, one.fixations, *readers);
                    best_of(&one.scores, *readers, |score, part| {
                        reached += if score >= threshold { one.weight * part } else { 0.0 };
                    });
                }
                // Where next to nothing was seen, it may have been chance.
                (reached / total / rate).max(0.25).ln()
            };
            RATED.map(log).iter().sum::<f64>() / RATED.len() as f64
        };
        READERS.iter().map(of).collect()
    }

    fn fit(corpora: &[&[Trial]]) -> Option<Self> {
        let coefficients = regression(corpora)?;
        let mut admission = Self { coefficients, strangers: 0, pairs: 0, thresholds: Vec::new() };
        for trials in corpora {
            let strangers = people(trials, |trial| trial.own.is_none());
            let readers = trials.iter().map(|trial| trial.claims.len()).max().unwrap_or(0);
            admission.strangers += strangers.len();
            // Nobody counts twice, as who claims and as who is claimed to be.
            let all = people(trials, |_| true).len();
            admission.pairs += (strangers.len() * readers).min(all * all.saturating_sub(1) / 2);
        }
        admission.thresholds = admission.table(corpora, |_| GRID)?;
        Some(admission)
    }

    /// Thresholds for rates, given by number of readers, for as many as enough of the corpora have.
    fn table(
        &self,
        corpora: &[&[Trial]],
        rates: impl Fn(usize) -> [f64; GRID.len()],
    ) -> Option<Vec<Thresholds>> {
        let mut sizes: Vec<usize> = corpora
            .iter()
            .map(|trials| trials.iter().map(|trial| trial.claims.len()).max().unwrap_or(0))
            .collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let most = sizes[FEWEST_CORPORA.min(sizes.len()) - 1];
        let scored = corpora.iter().flat_map(|trials| self.scored(trials)).collect::<Vec<_>>();
        table(&scored, rates, most)
    }

    /// The scores of strangers.
    fn scored(&self, trials: &[Trial]) -> Vec<Scored> {
        let strangers = || trials.iter().filter(|trial| trial.own.is_none());
        let mut counts = std::collections::BTreeMap::<(usize, usize), usize>::new();
        strangers().for_each(|t| *counts.entry((t.person, t.texts)).or_default() += 1);
        strangers()
            .map(|trial| {
                let mut scores: Vec<f64> =
                    trial.claims.iter().map(|c| self.score(c, trial.fixations)).collect();
                scores.sort_by(|a, b| b.total_cmp(a));
                Scored {
                    scores,
                    fixations: trial.fixations as f64,
                    weight: 1.0 / counts[&(trial.person, trial.texts)] as f64,
                }
            })
            .collect()
    }
}

/// The probe of a stranger.
struct Scored {
    /// Descending.
    scores: Vec<f64>,
    fixations: f64,
    weight: f64,
}

/// At most `most` of many items, evenly chosen.
pub(crate) fn thinned<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let n = items.len();
    if n <= most {
        return items;
    }
    let chosen = |i: usize| i * most / n != (i + 1) * most / n;
    items.into_iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, item)| item).collect()
}

/// The people of some trials.
fn people(trials: &[Trial], which: impl Fn(&&Trial) -> bool) -> std::collections::BTreeSet<usize> {
    trials.iter().filter(which).map(|trial| trial.person).collect()
}

/// Thresholds for rates, by number of readers and length: of the best of so many readers, drawn at random
/// from those that a stranger was compared with, in probes of about that length.
fn table(
    scored: &[Scored],
    rates: impl Fn(usize) -> [f64; GRID.len()],
    most: usize,
) -> Option<Vec<Thresholds>> {
    let mut found: Vec<Thresholds> = Vec::new();
    let within = |(_, readers): &(usize, usize)| *readers <= most;
    for (number, readers) in READERS.into_iter().enumerate().filter(within) {
        let rates = rates(number);
        let lengths = LENGTHS.map(|centre| {
            let mut reached: Vec<(f64, f64)> = Vec::new();
            let mut strangers = 0.0;
            for one in scored.iter().filter(|one| one.scores.len() >= readers) {
                let apart = (one.fixations.ln() - centre.ln()).abs() / std::f64::consts::LN_2;
                let weight = one.weight * (1.0 - apart).max(0.0);
                if weight > 0.0 {
                    strangers += weight;
                    best_of(&one.scores, readers, |score, part| {
                        reached.push((score, part * weight))
                    });
                }
            }
            (strangers >= FEWEST_STRANGERS).then(|| quantiles(reached, &rates))
        });
        // Where a length is not known, the next shorter is used, then the next longer one, then fewer readers.
        let mut filled = lengths;
        for i in 1..filled.len() {
            filled[i] = filled[i].or(filled[i - 1]);
        }
        for i in (0..filled.len() - 1).rev() {
            filled[i] = filled[i].or(filled[i + 1]);
        }
        let before = found.last().copied();
        let mut table = [[0.0; GRID.len()]; LENGTHS.len()];
        for (i, (row, known)) in table.iter_mut().zip(filled).enumerate() {
            *row = known.or(before.map(|before| before[i]))?;
            // More readers are no lower hurdle.
            if let Some(before) = before {
                row.iter_mut().zip(before[i]).for_each(|(t, fewer)| *t = t.max(fewer));
            }
        }
        found.push(table);
    }
    Some(found)
}

/// The best of some readers drawn at random from all, with how likely each is to be the one.
fn best_of(scores: &[f64], readers: usize, mut each: impl FnMut(f64, f64)) {
    let all = scores.len();
    // That the first is among them; then that it is not, and the second is; and so on.
    let mut none_before = 1.0;
    for (place, score) in scores.iter().enumerate() {
        let left = (all - place) as f64;
        let part = none_before * readers as f64 / left;
        each(*score, part.min(none_before));
        none_before -= part;
        if none_before < 1e-7 {
            break;
        }
    }
}

/// The scores that parts of the whole weight reach, for falling parts.
fn quantiles(mut reached: Vec<(f64, f64)>, rates: &[f64; GRID.len()]) -> [f64; GRID.len()] {
    reached.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total: f64 = reached.iter().map(|(_, weight)| weight).sum();
    let mut row = [0.0; GRID.len()];
    for (t, rate) in row.iter_mut().zip(rates) {
        let mut sum = 0.0;
        let allowed = |(_, weight): &&(f64, f64)| {
            sum += *weight;
            sum > rate * total
        };
        *t = reached.iter().find(allowed).map_or(f64::MIN_POSITIVE, |(score, _)| score.next_up());
    }
    row
}

/// The coefficients under which true claims and those of strangers are told apart best: corpora and sides
/// count alike. Strangers claim to be the reader whom they resemble most, and anybody.
fn regression(corpora: &[&[Trial]]) -> Option<[f64; COEFFICIENTS]> {
    let mut rows: Vec<([f64; COEFFICIENTS], f64, f64)> = Vec::new();
    for trials in corpora {
        let (mut genuine, mut strangers) = (Vec::new(), Vec::new());
        for (number, trial) in trials.iter().enumerate() {
            let claim = |reader: usize| counted(&trial.claims[reader], trial.fixations);
            match trial.own {
                Some(own) => genuine.push(claim(own)),
                None => {
                    strangers.push(claim(trial.best));
                    strangers.push(claim((7919 * number) % trial.claims.len()));
                }
            }
        }
        for (claims, truth) in [(genuine, 1.0), (strangers, -1.0)] {
            let claims = thinned(claims, MOST_CLAIMS);
            let weight = 0.5 / (claims.len().max(1) * corpora.len()) as f64;
            rows.extend(claims.into_iter().map(|claim| (claim, truth, weight)));
        }
    }
    let has = |side: f64| rows.iter().any(|(_, truth, _)| *truth == side);
    if !has(1.0) || !has(-1.0) {
        return None;
    }
    let constant = COEFFICIENTS - 1;
    let mean: [f64; COEFFICIENTS] =
        std::array::from_fn(|i| rows.iter().map(|(x, _, w)| w * x[i]).sum());
    let spread: [f64; COEFFICIENTS] = std::array::from_fn(|i| {
        let variance = rows.iter().map(|(x, _, w)| w * (x[i] - mean[i]).powi(2)).sum::<f64>();
        variance.sqrt().max(1e-9)
    });
    let standard = |x: &[f64; COEFFICIENTS]| -> [f64; COEFFICIENTS] {
        std::array::from_fn(|i| if i == constant { 1.0 } else { (x[i] - mean[i]) / spread[i] })
    };
    rows.iter_mut().for_each(|(x, ..)| *x = standard(x));
    let cost = |at: &[f64; COEFFICIENTS]| -> f64 {
        let held: f64 = at[..constant].iter().map(|c| c * c).sum();
        let wrong = |x: &[f64; COEFFICIENTS], truth: f64| {
            let wrong = -truth * x.iter().zip(at).map(|(x, c)| x * c).sum::<f64>();
            wrong.max(0.0) + (-wrong.abs()).exp().ln_1p()
        };
        0.5 * RIDGE * held + rows.iter().map(|(x, truth, w)| w * wrong(x, *truth)).sum::<f64>()
    };
    let mut at = [0.0; COEFFICIENTS];
    let mut now = cost(&at);
    for _ in 0..MOST_STEPS {
        let mut slope = [0.0; COEFFICIENTS];
        let mut bend: Mat<f64> = Mat::zeros(COEFFICIENTS, COEFFICIENTS);
        for (x, truth, weight) in &rows {
            let said: f64 = x.iter().zip(&at).map(|(x, c)| x * c).sum();
            let p = 1.0 / (1.0 + (truth * said).exp());
            for i in 0..COEFFICIENTS {
                slope[i] -= weight * truth * p * x[i];
                for j in 0..=i {
                    bend[(i, j)] += weight * p * (1.0 - p) * x[i] * x[j];
                }
            }
        }
        for i in 0..constant {
            slope[i] += RIDGE * at[i];
            bend[(i, i)] += RIDGE;
        }
        bend[(constant, constant)] += 1e-12;
        let root = bend.llt(Side::Lower).ok()?;
        let step = root.solve(Mat::from_fn(COEFFICIENTS, 1, |i, _| slope[i]));
        // The cost is convex: a step that does not lower it is too long.
        let mut by = 1.0;
        let lower = (0..30).find_map(|_| {
            let there = std::array::from_fn(|i| at[i] - by * step[(i, 0)]);
            by *= 0.5;
            let value = cost(&there);
            (value < now).then_some((there, value))
        });
        let Some((there, value)) = lower else { break };
        let gained = now - value;
        (at, now) = (there, value);
        if gained < 1e-12 {
            break;
        }
    }
    let mut coefficients = [0.0; COEFFICIENTS];
    coefficients[constant] = at[constant];
    for i in 0..constant {
        coefficients[i] = at[i] / spread[i];
        coefficients[constant] -= at[i] * mean[i] / spread[i];
    }
    coefficients.iter().all(|c| c.is_finite()).then_some(coefficients)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::Stream;

    /// Trials of a corpus in which the first ground tells people apart, and the others are noise.
    fn corpus(number: u64, people: usize, gain: f64) -> Vec<Trial> {
        let mut random = Stream { seed: 3, index: number }.chain(0);
        let mut trials = Vec::new();
        for person in 0..people {
            let own = (person < people / 2).then_some(person);
            for size in 0..6 {
                let fixations = 10 * (1 << size) + random.random_range(0..5);
                let n = f64::from(fixations).sqrt();
                let mut noise = || -> f64 { StandardNormal.sample(&mut random) };
                let claims: Vec<Claim> = (0..people / 2)
                    .map(|reader| {
                        let is_own = f64::from(u8::from(own == Some(reader)));
                        let first = gain * n * n * (2.0 * is_own - 1.0) + n * noise();
                        let grounds = [first, noise(), noise(), noise()];
                        Claim { grounds, ..Claim::default() }
                    })
                    .collect();
                let best = (0..claims.len())
                    .max_by(|&a, &b| claims[a].grounds[0].total_cmp(&claims[b].grounds[0]));
                let (best, fixations) = (best.unwrap(), fixations as usize);
                trials.push(Trial { person, texts: size, fixations, claims, best, own });
            }
        }
        trials
    }

    fn learned() -> Admission {
        let corpora: Vec<Vec<Trial>> = (0..4).map(|i| corpus(i, 160, 0.15)).collect();
        Admission::learn(&corpora).unwrap()
    }

    #[test]
    fn strangers_of_another_corpus_reach_what_they_may() {
        let admission = learned();
        let strange = corpus(9, 600, 0.15);
        for (rate, bounds) in [(0.2, 0.1..0.3), (0.05, 0.02..0.09), (0.01, 0.002..0.025)] {
            let mut strangers = [0.0, 0.0];
            for trial in strange.iter().filter(|trial| trial.own.is_none()) {
                let scores = trial.claims.iter().map(|c| admission.score(c, trial.fixations));
                let best = scores.take(32).fold(f64::NEG_INFINITY, f64::max);
                let threshold = admission.threshold(rate, trial.fixations as f64, 32);
                strangers[0] += f64::from(u8::from(best >= threshold));
                strangers[1] += 1.0;
            }
            let found = strangers[0] / strangers[1];
            assert!(bounds.contains(&found), "{rate}: {found}");
        }
    }

    #[test]
    fn genuine_claims_score_more_than_those_of_strangers() {
        let admission = learned();
        let mut right = [0, 0];
        for trial in corpus(9, 100, 0.15).iter().filter(|trial| trial.own.is_some()) {
            let own = trial.own.unwrap();
            let [own, other] = [own, (own + 1) % trial.claims.len()].map(|r| &trial.claims[r]);
            let score = |claim| admission.score(claim, trial.fixations);
            right[0] += usize::from(score(own) > score(other));
            right[1] += usize::from(own.grounds[0] > other.grounds[0]);
        }
        // Nearly as often as by the one ground that tells them apart, which it has to find among noise.
        assert!(right[0] * 10 >= right[1] * 9, "{right:?}");
    }

    #[test]
    fn thresholds_rise_with_readers_and_with_rarer_errors_for_ever() {
        let admission = learned();
        for fixations in [1.0, 8.0, 37.0, 400.0, 5000.0] {
            let mut before = f64::NEG_INFINITY;
            for readers in [1, 2, 3, 10, 100, 10_000, 1_000_000, 1_000_000_000] {
                let threshold = admission.threshold(0.01, fixations, readers);
                assert!(threshold >= before, "{fixations} {readers}");
                assert!(admission.threshold(0.001, fixations, readers) >= threshold);
                before = threshold;
            }
            assert!(before > admission.threshold(0.01, fixations, 1_000_000), "{fixations}");
        }
    }

    #[test]
    fn the_best_of_some_is_that_of_a_random_draw() {
        let scores = [5.0, 3.0, 2.0, -1.0];
        let mut parts = Vec::new();
        best_of(&scores, 2, |score, part| parts.push((score, part)));
        // Of six pairs, three have the first, two the second but not the first, one the third.
        for ((score, part), (expected, of)) in
            parts.iter().zip([(5.0, 3.0), (3.0, 2.0), (2.0, 1.0)])
        {
            assert!(*score == expected && (part - of / 6.0).abs() < 1e-12, "{parts:?}");
        }
    }

    #[test]
    fn it_is_stored_and_checked() {
        let admission = learned();
        let json = serde_json::to_string(&admission).unwrap();
        assert_eq!(serde_json::from_str::<Admission>(&json).unwrap(), admission);
        let broken = json.replacen("\"coefficients\":[", "\"coefficients\":[1.0,", 1);
        assert!(serde_json::from_str::<Admission>(&broken).is_err());
        // Earlier ones know nothing of what is usual, and score as they did.
        let mut before: serde_json::Value = serde_json::from_str(&json).unwrap();
        let coefficients = before["coefficients"].as_array_mut().unwrap();
        coefficients.drain(2 * GROUNDS..FORMS);
        let before: Admission = serde_json::from_value(before).unwrap();
        let claim = Claim { grounds: [3.0, -1.0, 0.5, 9.0], ..Claim::default() };
        assert_eq!(before.score(&claim, 60), admission.score(&claim, 60));
        let unusual = Claim { usual: [5.0; GROUNDS], ..claim };
        assert_eq!(before.score(&unusual, 60), before.score(&claim, 60));
        assert!(Admission::learn(&[]).is_none());
    }
}
