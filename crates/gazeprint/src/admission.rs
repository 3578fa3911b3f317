//! Admission: the score by which somebody is taken for a reader, and what strangers reach of it.
//!
//! A claim has several grounds: what types, landings and durations say for the reader against imagined
//! ones, and what the network says against anybody. Each over-states itself in its own way, so that their
//! sum ranks readers well and says little about strangers. The score is a logistic regression over the
//! grounds, learned from people who were strangers to galleries of others, on corpora whose network had
//! never met them; so are its thresholds, by rate, length of the probe and number of readers. They cannot
//! be learned from a gallery: who is enrolled had a part in what the gallery learned, and is no stranger
//! to it. But recordings differ, and where the readers of a gallery resemble each other more than those
//! of other galleries did, so do strangers to it. Thresholds therefore lean on them, by as much as was
//! found to be true of other corpora.

use std::collections::{BTreeMap, BTreeSet};

use faer::linalg::solvers::Solve as _;
use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

/// Fewest readers of a gallery that anything can be learned from about strangers: of two or three who are
/// compared with each other, nothing much is known.
pub const FEWEST_READERS: usize = 5;
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
const RANGE: [f64; 2] = [8.0, 512.0];
/// Lengths that thresholds are known at, in fixations, and numbers of readers.
const LENGTHS: [f64; 7] = [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
const READERS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The first of these that thresholds lean on.
const LEANING: usize = 3;
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
/// Rates of claims at which it is looked at how much readers resemble each other: those that few show.
const LEANED: [f64; 4] = [0.2, 0.1, 0.05, 0.02];
/// Readers of a typical gallery that what is typical counts for, beside those of a gallery.
const TYPICAL_READERS: f64 = 5.0;
/// Fewest probes about a length that count there.
const FEWEST_PROBES: f64 = 3.0;
/// Fewest galleries by which it is found how far thresholds lean.
const FEWEST_ROUNDS: usize = 4;

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
    /// Of a single claim, in galleries that these lean on. Earlier versions have those of one reader.
    claims: Option<Thresholds>,
    leaning: Option<Leaning>,
}

/// How thresholds lean on what the readers of a gallery reach as each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Leaning {
    /// By how much.
    share: f64,
    /// What readers of the typical gallery reach as each other, by length and rate.
    typical: [[f64; LEANED.len()]; LENGTHS.len()],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLeaning {
    share: f64,
    typical: Vec<[f64; LEANED.len()]>,
}

/// By how much the thresholds of a gallery lean on its readers, by length: finite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "[f64; LENGTHS.len()]")]
pub struct Lean([f64; LENGTHS.len()]);

impl TryFrom<[f64; LENGTHS.len()]> for Lean {
    type Error = &'static str;

    fn try_from(lean: [f64; LENGTHS.len()]) -> Result<Self, Self::Error> {
        lean.iter().all(|by| by.is_finite()).then_some(Self(lean)).ok_or("found no number")
    }
}

impl Lean {
    /// By how much, for a probe of so many fixations.
    pub fn at(&self, fixations: f64) -> f64 {
        interpolated(&LENGTHS.map(length), &self.0, length(fixations.max(1.0)))
    }
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

/// A probe of a reader who is enrolled.
#[derive(Debug, Clone)]
pub struct Insider {
    /// Fixations.
    pub fixations: usize,
    /// The claims to be each of the other readers.
    pub claims: Vec<Claim>,
}

/// Some people of a corpus who were enrolled, and met again among strangers.
#[derive(Debug, Clone)]
pub struct Round {
    /// Probes of them and of strangers.
    pub trials: Vec<Trial>,
    /// Probes of what they were enrolled with.
    pub insiders: Vec<Insider>,
}

impl Round {
    /// Readers who were enrolled.
    fn readers(&self) -> usize {
        self.trials.iter().map(|trial| trial.claims.len()).max().unwrap_or(0)
    }

    fn strangers(&self) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(|trial| trial.own.is_none())
    }
}

/// What an [`Admission`] is stored as.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredAdmission {
    coefficients: Vec<f64>,
    strangers: usize,
    pairs: usize,
    thresholds: Vec<Vec<Vec<f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claims: Option<Vec<Vec<f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leaning: Option<StoredLeaning>,
}

/// What is known by length. Earlier versions knew longer probes, too.
fn by_length<T>(mut stored: Vec<T>) -> Result<[T; LENGTHS.len()], &'static str> {
    stored.truncate(LENGTHS.len());
    stored.try_into().map_err(|_| "expected 7 lengths")
}

impl From<Admission> for StoredAdmission {
    fn from(admission: Admission) -> Self {
        let Admission { coefficients, strangers, pairs, thresholds, claims, leaning } = admission;
        let lengths = |table: Thresholds| table.map(Vec::from).into();
        let (thresholds, claims) =
            (thresholds.into_iter().map(lengths).collect(), claims.map(lengths));
        let leaning = leaning
            .map(|Leaning { share, typical }| StoredLeaning { share, typical: typical.into() });
        Self { coefficients: coefficients.into(), strangers, pairs, thresholds, claims, leaning }
    }
}

impl TryFrom<StoredAdmission> for Admission {
    type Error = &'static str;

    fn try_from(stored: StoredAdmission) -> Result<Self, Self::Error> {
        let StoredAdmission { coefficients, strangers, pairs, thresholds, claims, leaning } =
            stored;
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
            by_length(lengths.into_iter().map(rates).collect::<Result<Vec<_>, _>>()?)
        };
        let thresholds: Vec<_> =
            thresholds.into_iter().map(lengths).collect::<Result<_, Self::Error>>()?;
        if thresholds.is_empty() || thresholds.len() > READERS.len() {
            return Err("expected thresholds for 1 to 7 numbers of readers");
        }
        let claims = claims.map(lengths).transpose()?;
        let leaning = leaning.map(|StoredLeaning { share, typical }| {
            let typical = by_length(typical)?;
            let are_numbers = typical.as_flattened().iter().all(|t| t.is_finite());
            ((0.0..=1.0).contains(&share) && are_numbers)
                .then_some(Leaning { share, typical })
                .ok_or("found no number, or a share that is not between 0 and 1")
        });
        let leaning = leaning.transpose()?;
        Ok(Self { coefficients, strangers, pairs, thresholds, claims, leaning })
    }
}

/// The length of a probe.
fn length(fixations: f64) -> f64 {
    (fixations.clamp(RANGE[0], RANGE[1]) / UNIT).ln()
}

/// What a table has for a rate of the grid, given by place, and a probe of so many fixations.
fn among_lengths(table: &Thresholds, place: usize, fixations: f64) -> f64 {
    let lengths = LENGTHS.map(length);
    interpolated(&lengths, &table.map(|row| row[place]), length(fixations.max(1.0)))
}

/// The threshold of a rate, given those of the grid by place, which are asked for in order. Never lower for a lower
/// rate.
fn at_rate(rate: f64, mut learned: impl FnMut(usize) -> f64) -> f64 {
    let mut highest = f64::NEG_INFINITY;
    let rising: [f64; GRID.len()] = std::array::from_fn(|place| {
        highest = highest.max(learned(place));
        highest
    });
    let next = GRID.partition_point(|r| *r > rate).clamp(1, GRID.len() - 1);
    let [high, low] = [GRID[next - 1], GRID[next]];
    let part = ((high / rate).ln() / (high / low).ln()).clamp(0.0, 1.0);
    rising[next - 1] + part * (rising[next] - rising[next - 1])
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

/// What coefficients count, but for the constant. Of a long probe it is what so much of it says as counts: people
/// differ from themselves, so that ever more reading does not make ever more of it. The network knows that, and
/// says no more of long probes by itself.
fn counted(claim: &Claim, fixations: usize) -> [f64; COEFFICIENTS] {
    let length = length(fixations as f64);
    let counts = claim.times((RANGE[1] / fixations.max(1) as f64).min(1.0));
    let [types, landings, durations, _] = counts.grounds;
    let claim =
        Claim { grounds: [types, landings, durations, claim.grounds[GROUNDS - 1]], ..counts };
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

    /// The score that a part `rate` of strangers reaches with the best of so many readers. Smooth in all three, but for a
    /// step where thresholds begin to lean on the readers, and never lower for a lower rate; with more readers than were
    /// ever seen it goes on rising with the logarithm of their number.
    pub fn threshold(&self, rate: f64, fixations: f64, readers: usize) -> f64 {
        // Between readers who are too few to lean on and those who are not, there is no way.
        let readers = if leans(readers) { readers.max(READERS[LEANING]) } else { readers.max(1) };
        let known = &READERS[..self.thresholds.len()];
        let places = &known.iter().map(|n| (*n as f64).ln()).collect::<Vec<_>>();
        let last = known.len() - 1;
        let beyond = ((readers as f64).ln() - places[last]).max(0.0);
        // The slope of several steps, so that an odd one does not decide; where there are thresholds that lean, of these.
        let before = last.saturating_sub(3).max(if last > LEANING { LEANING } else { 0 });
        let mut steepest = 0.0;
        at_rate(rate, |place| {
            let among = |table| among_lengths(table, place, fixations);
            let known: Vec<f64> = self.thresholds.iter().map(among).collect();
            if before < last {
                // The rarer an error, the fewer showed how it goes on.
                let slope = (known[last] - known[before]) / (places[last] - places[before]);
                steepest = f64::max(steepest, slope);
            }
            interpolated(places, &known, (readers as f64).ln()) + steepest * beyond
        })
    }

    /// The score that a part `rate` of strangers reaches with a reader whom they claim to be, in a gallery of so
    /// many.
    pub fn claim_threshold(&self, rate: f64, fixations: f64, readers: usize) -> f64 {
        let claims = self.claims.as_ref().filter(|_| leans(readers));
        let table = claims.unwrap_or(&self.thresholds[0]);
        at_rate(rate, |place| among_lengths(table, place, fixations))
    }

    /// By how much thresholds lean, given what the readers of a gallery reach as each other with what they were
    /// enrolled with: scores of the false claims of each probe, with its fixations.
    pub fn lean<'a>(
        &self,
        readers: usize,
        insiders: impl Iterator<Item = (f64, &'a [f64])>,
    ) -> Lean {
        Lean(self.more(insiders).0.map(|more| believed(readers) * more))
    }

    /// By how much they would, were all of it believed.
    fn more<'a>(&self, insiders: impl Iterator<Item = (f64, &'a [f64])>) -> Lean {
        let Some(Leaning { share, typical }) = &self.leaning else { return Lean::default() };
        let insiders = insiders.map(|(n, scores)| (1.0, f64::min(n, RANGE[1]), scores));
        let more = filled(more_than(typical, &reached_by_length(insiders)));
        more.map_or_else(Lean::default, |more| Lean(more.map(|more| share * more)))
    }

    /// Learns from corpora. The rates are those of corpora that had no part: each is left out once, and what
    /// strangers of one that is a standard deviation worse than the typical reach more often than was asked for
    /// is asked of all. Corpora whose people cannot be told apart at all have no part in it. None with too
    /// little to learn from.
    pub fn learn(corpora: &[Vec<Round>]) -> Option<Self> {
        let mut all: Vec<&[Round]> = corpora.iter().map(Vec::as_slice).collect();
        let first = Self::fit(&all)?;
        all.retain(|rounds| first.tells_apart(rounds));
        let admission = Self::fit(&all)?;
        let excess: Vec<Vec<Option<f64>>> = (0..all.len())
            .filter_map(|left_out| {
                let mut others = all.clone();
                let own = others.remove(left_out);
                Some(Self::fit(&others)?.excess(own))
            })
            .collect();
        let rates = |number: usize| {
            let known = excess.iter().filter_map(|excess| excess.get(number).copied().flatten());
            let known: Vec<f64> = known.collect();
            let n = known.len() as f64;
            let mean = known.iter().sum::<f64>() / n;
            let spread = (known.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / n).sqrt();
            let held_back = mean + spread;
            GRID.map(|rate| rate / if held_back > 0.0 { held_back.exp() } else { 1.0 })
        };
        admission.with_tables(&all, rates)
    }

    /// Whether true claims of a corpus pass where its own strangers hardly do, in the longest probes.
    fn tells_apart(&self, rounds: &[Round]) -> bool {
        let trials = || rounds.iter().flat_map(|round| &round.trials);
        let longest = trials().map(|trial| trial.texts).max();
        let (mut genuine, mut strangers) = (Vec::new(), Vec::new());
        for trial in trials().filter(|trial| Some(trial.texts) == longest) {
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
    /// hurdle; none where it has not as many readers.
    fn excess(&self, rounds: &[Round]) -> Vec<Option<f64>> {
        let scored = self.scored(rounds);
        let total: f64 = scored.iter().map(|one| one.weight).sum();
        let of = |hurdle: Hurdle| {
            let readers = hurdle.readers();
            if scored.iter().any(|one| one.scores.len() < readers) {
                return None;
            }
            let log = |rate: f64| {
                let mut reached = 0.0;
                for one in &scored {
                    let threshold = match hurdle {
                        Hurdle::BestOf(readers) => self.threshold(rate, one.fixations, readers),
                        Hurdle::Claim => {
                            self.claim_threshold(rate, one.fixations, one.scores.len())
                        }
                    };
                    let threshold = threshold + hurdle.lean(one);
                    best_of(&one.scores, readers, |score, part| {
                        reached += if score >= threshold { one.weight * part } else { 0.0 };
                    });
                }
                // Where next to nothing was seen, it may have been chance.
                (reached / total / rate).max(0.25).ln()
            };
            Some(RATED.map(log).iter().sum::<f64>() / RATED.len() as f64)
        };
        HURDLES.map(of).into()
    }

    fn fit(corpora: &[&[Round]]) -> Option<Self> {
        let coefficients = regression(corpora)?;
        let mut admission = Self {
            coefficients,
            strangers: 0,
            pairs: 0,
            thresholds: Vec::new(),
            claims: None,
            leaning: None,
        };
        for rounds in corpora {
            admission.strangers += people(rounds, |trial| trial.own.is_none()).len();
            // Who is a stranger to somebody in one round may be met by them in the next: a pair counts once.
            let met = |round: &Round| {
                let strangers: BTreeSet<usize> = round.strangers().map(|t| t.person).collect();
                let all: BTreeSet<usize> = round.trials.iter().map(|t| t.person).collect();
                (strangers.len() * round.readers()).min(all.len() * all.len().saturating_sub(1) / 2)
            };
            admission.pairs += rounds.iter().map(met).max().unwrap_or(0);
        }
        admission.leaning = admission.learned_leaning(corpora);
        admission.with_tables(corpora, |_| GRID)
    }

    /// How thresholds lean: by how much what strangers reach goes with what readers reach as each other, over
    /// galleries. None with too few of these.
    fn learned_leaning(&self, corpora: &[&[Round]]) -> Option<Leaning> {
        let rounds: Vec<&Round> = corpora.iter().copied().flatten().collect();
        let inside: Vec<Vec<Compared>> = rounds.iter().map(|round| self.insiders(round)).collect();
        let strangers = |round: &&Round| -> Vec<Compared> {
            round.strangers().map(|it| self.compared(it.fixations, &it.claims)).collect()
        };
        let outside: Vec<Vec<Compared>> = rounds.iter().map(strangers).collect();
        // Galleries count by their readers, however many probes there are of each.
        let typical = |all: &[Vec<Compared>]| {
            let weighed = rounds.iter().zip(all).flat_map(|(round, probes)| {
                let weight = round.readers() as f64 / probes.len() as f64;
                probes.iter().map(move |one| (weight, one.fixations, &*one.scores))
            });
            filled(reached_by_length(weighed))
        };
        let [inside_typical, outside_typical] = [typical(&inside)?, typical(&outside)?];
        let more = |typical, probes: &[Compared]| {
            let probes = probes.iter().map(|one| (1.0, one.fixations, &*one.scores));
            more_than(typical, &reached_by_length(probes))
        };
        // By gallery and length. What is typical differs from itself by nought, so that a line needs no offset.
        let mut known: Vec<[f64; 2]> = Vec::new();
        for (round, (inside, outside)) in rounds.iter().zip(inside.iter().zip(&outside)) {
            let believed = believed(round.readers());
            let own = more(&inside_typical, inside).map(|more| Some(believed * more?));
            let strangers = more(&outside_typical, outside);
            known.extend(own.into_iter().zip(strangers).filter_map(|(a, b)| Some([a?, b?])));
        }
        let moment = |side: usize| known.iter().map(|pair| pair[0] * pair[side]).sum::<f64>();
        let share = (moment(1) / moment(0).max(1e-9)).clamp(0.0, 1.0);
        (rounds.len() >= FEWEST_ROUNDS).then_some(Leaning { share, typical: inside_typical })
    }

    fn compared(&self, fixations: usize, claims: &[Claim]) -> Compared {
        let scores = claims.iter().map(|claim| self.score(claim, fixations)).collect();
        Compared { fixations: (fixations as f64).min(RANGE[1]), scores }
    }

    fn insiders(&self, round: &Round) -> Vec<Compared> {
        round.insiders.iter().map(|it| self.compared(it.fixations, &it.claims)).collect()
    }

    /// The same with thresholds for rates, given by hurdle, for as many readers as enough of the corpora have.
    fn with_tables(
        self,
        corpora: &[&[Round]],
        rates: impl Fn(usize) -> [f64; GRID.len()],
    ) -> Option<Self> {
        let most_of = |rounds: &&[Round]| rounds.iter().map(Round::readers).max().unwrap_or(0);
        let mut sizes: Vec<usize> = corpora.iter().map(most_of).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let most = sizes[FEWEST_CORPORA.min(sizes.len()) - 1];
        let scored: Vec<Scored> = corpora.iter().flat_map(|rounds| self.scored(rounds)).collect();
        let mut thresholds: Vec<Thresholds> = Vec::new();
        for (number, hurdle) in HURDLES.into_iter().enumerate() {
            let readers = hurdle.readers();
            if hurdle != Hurdle::Claim && readers > most {
                continue;
            }
            let lengths = reached_by_strangers(&scored, hurdle, &rates(number));
            if hurdle == Hurdle::Claim {
                return Some(Self { thresholds, claims: filled(lengths), ..self });
            }
            // Where no length is known, fewer readers are taken.
            let before = thresholds.last().copied();
            let mut table = filled(lengths).or(before)?;
            // More readers are no lower hurdle, where thresholds are of one kind.
            let before = before.filter(|_| number != LEANING);
            for (row, before) in table.iter_mut().zip(before.iter().flatten()) {
                row.iter_mut().zip(before).for_each(|(t, fewer)| *t = t.max(*fewer));
            }
            thresholds.push(table);
        }
        Some(Self { thresholds, ..self })
    }

    /// The scores of strangers.
    fn scored(&self, rounds: &[Round]) -> Vec<Scored> {
        let mut counts = BTreeMap::<(usize, usize), usize>::new();
        let strangers = rounds.iter().flat_map(Round::strangers);
        strangers.for_each(|t| *counts.entry((t.person, t.texts)).or_default() += 1);
        let total = counts.len() as f64;
        let mut scored = Vec::new();
        for round in rounds {
            let insiders = self.insiders(round);
            let insiders = insiders.iter().map(|one| (one.fixations, &*one.scores));
            let (more, believed) = (self.more(insiders), believed(round.readers()));
            scored.extend(round.strangers().map(|trial| {
                let Compared { fixations, mut scores } =
                    self.compared(trial.fixations, &trial.claims);
                scores.sort_by(|a, b| b.total_cmp(a));
                let weight = 1.0 / counts[&(trial.person, trial.texts)] as f64;
                Scored {
                    scores,
                    fixations,
                    more: more.at(fixations),
                    believed,
                    weight,
                    share: weight / total,
                }
            }));
        }
        scored
    }
}

/// The probe of a stranger.
struct Scored {
    /// Descending.
    scores: Vec<f64>,
    fixations: f64,
    /// By how much thresholds would lean on the readers, were all of it believed.
    more: f64,
    /// How far it is believed of all of them.
    believed: f64,
    /// Each person and size counts alike.
    weight: f64,
    /// Each corpus counts alike: from one to the next is as far, however many people it has.
    share: f64,
}

/// What strangers have to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hurdle {
    /// That of the best of so many readers.
    BestOf(usize),
    /// That of one of the readers of a gallery, whom they claim to be.
    Claim,
}

/// All of them, in the order of [`READERS`].
const HURDLES: [Hurdle; READERS.len() + 1] = {
    let mut hurdles = [Hurdle::Claim; READERS.len() + 1];
    let mut number = 0;
    while number < READERS.len() {
        hurdles[number] = Hurdle::BestOf(READERS[number]);
        number += 1;
    }
    hurdles
};

impl Hurdle {
    /// With how many readers strangers are compared at once.
    fn readers(self) -> usize {
        match self {
            Self::BestOf(readers) => readers,
            Self::Claim => 1,
        }
    }

    /// By how much the threshold of a probe leans on those whom it was compared with.
    fn lean(self, one: &Scored) -> f64 {
        one.more
            * match self {
                Self::BestOf(readers) => believed(readers),
                Self::Claim => one.believed,
            }
    }
}

/// The claims of a probe, as scores.
struct Compared {
    fixations: f64,
    scores: Vec<f64>,
}

/// What parts of claims reach, by length; none where probes are too few.
type Reached = [Option<[f64; LEANED.len()]>; LENGTHS.len()];

/// Whether thresholds of so many readers lean on these.
fn leans(readers: usize) -> bool {
    readers >= FEWEST_READERS
}

/// How far the readers of a gallery are believed, against what is typical.
fn believed(readers: usize) -> f64 {
    if leans(readers) { readers as f64 / (readers as f64 + TYPICAL_READERS) } else { 0.0 }
}

/// How much of a length a probe of so many fixations is.
fn nearness(fixations: f64, length: f64) -> f64 {
    (1.0 - (fixations.ln() - length.ln()).abs() / std::f64::consts::LN_2).max(0.0)
}

/// What parts of claims reach, given by probes with their weights, fixations and scores.
fn reached_by_length<'a>(probes: impl Iterator<Item = (f64, f64, &'a [f64])>) -> Reached {
    let mut reached: [Vec<(f64, f64)>; LENGTHS.len()] = Default::default();
    let mut count = [0.0; LENGTHS.len()];
    for (weight, fixations, scores) in probes {
        for (i, length) in LENGTHS.into_iter().enumerate() {
            let near = nearness(fixations, length);
            if near > 0.0 {
                count[i] += near;
                let weight = near * weight / scores.len() as f64;
                reached[i].extend(scores.iter().map(|score| (*score, weight)));
            }
        }
    }
    let mut lengths = reached.into_iter().zip(count);
    std::array::from_fn(|_| {
        let (reached, count) = lengths.next()?;
        (count >= FEWEST_PROBES).then(|| quantiles(reached, &LEANED))
    })
}

/// By how much more is reached than is typical, by length.
fn more_than(
    typical: &[[f64; LEANED.len()]; LENGTHS.len()],
    reached: &Reached,
) -> [Option<f64>; LENGTHS.len()] {
    std::array::from_fn(|i| {
        let own = reached[i].as_ref()?.iter().zip(&typical[i]);
        let more = own.map(|(own, typical)| own - typical).sum::<f64>() / LEANED.len() as f64;
        more.is_finite().then_some(more)
    })
}

/// Where a length is not known, the next shorter is taken, then the next longer one.
fn filled<T: Copy>(mut lengths: [Option<T>; LENGTHS.len()]) -> Option<[T; LENGTHS.len()]> {
    for i in 1..lengths.len() {
        lengths[i] = lengths[i].or(lengths[i - 1]);
    }
    for i in (0..lengths.len() - 1).rev() {
        lengths[i] = lengths[i].or(lengths[i + 1]);
    }
    let first = lengths[0]?;
    Some(lengths.map(|length| length.unwrap_or(first)))
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
fn people(rounds: &[Round], which: impl Fn(&&Trial) -> bool) -> BTreeSet<usize> {
    let trials = rounds.iter().flat_map(|round| &round.trials);
    trials.filter(which).map(|trial| trial.person).collect()
}

/// The scores that parts of strangers reach, by length: with the best of so many readers as a hurdle has, drawn at
/// random from those that they were compared with. None where strangers are too few.
fn reached_by_strangers(
    scored: &[Scored],
    hurdle: Hurdle,
    rates: &[f64; GRID.len()],
) -> [Option<[f64; GRID.len()]>; LENGTHS.len()] {
    let readers = hurdle.readers();
    LENGTHS.map(|centre| {
        let mut reached: Vec<(f64, f64)> = Vec::new();
        let mut strangers = 0.0;
        for one in scored.iter().filter(|one| one.scores.len() >= readers) {
            let near = nearness(one.fixations, centre);
            if near > 0.0 {
                strangers += one.weight * near;
                let lean = hurdle.lean(one);
                best_of(&one.scores, readers, |score, part| {
                    reached.push((score - lean, part * one.share * near));
                });
            }
        }
        (strangers >= FEWEST_STRANGERS).then(|| quantiles(reached, rates))
    })
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
fn quantiles<const N: usize>(mut reached: Vec<(f64, f64)>, rates: &[f64; N]) -> [f64; N] {
    reached.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total: f64 = reached.iter().map(|(_, weight)| weight).sum();
    let mut row = [0.0; N];
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
fn regression(corpora: &[&[Round]]) -> Option<[f64; COEFFICIENTS]> {
    let mut rows: Vec<([f64; COEFFICIENTS], f64, f64)> = Vec::new();
    for rounds in corpora {
        let (mut genuine, mut strangers) = (Vec::new(), Vec::new());
        let trials = rounds.iter().flat_map(|round| &round.trials);
        for (number, trial) in trials.enumerate() {
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

    /// Trials of a corpus in which the first ground tells people apart, and the others are noise. Strangers
    /// reach so much more by the first ground, and readers as each other a little less.
    fn alike(number: u64, people: usize, gain: f64, more: f64) -> Vec<Round> {
        let mut random = Stream { seed: 3, index: number }.chain(0);
        let (mut trials, mut insiders) = (Vec::new(), Vec::new());
        for person in 0..people {
            let own = (person < people / 2).then_some(person);
            for size in 0..6 {
                let fixations = 10 * (1 << size) + random.random_range(0..5);
                let n = f64::from(fixations).sqrt();
                let mut noise = || -> f64 { StandardNormal.sample(&mut random) };
                let claims: Vec<Claim> = (0..people / 2)
                    .map(|reader| {
                        let is_own = f64::from(u8::from(own == Some(reader)));
                        let first = gain * n * n * (2.0 * is_own - 1.0) + n * (noise() + more);
                        let grounds = [first, noise(), noise(), noise()];
                        Claim { grounds, ..Claim::default() }
                    })
                    .collect();
                let best = (0..claims.len())
                    .max_by(|&a, &b| claims[a].grounds[0].total_cmp(&claims[b].grounds[0]));
                let (best, fixations) = (best.unwrap(), fixations as usize);
                if let Some(own) = own {
                    let mut claims = claims.clone();
                    claims.remove(own);
                    claims.iter_mut().for_each(|claim| claim.grounds[0] -= 0.3 * n);
                    insiders.push(Insider { fixations, claims });
                }
                trials.push(Trial { person, texts: size, fixations, claims, best, own });
            }
        }
        vec![Round { trials, insiders }]
    }

    fn corpus(number: u64, people: usize, gain: f64) -> Vec<Round> {
        alike(number, people, gain, 0.0)
    }

    fn learned() -> Admission {
        let corpora: Vec<Vec<Round>> = (0..4).map(|i| corpus(i, 160, 0.15)).collect();
        Admission::learn(&corpora).unwrap()
    }

    /// How often the best of 32 reaches the threshold of a rate.
    fn strangers_reach(admission: &Admission, round: &Round, rate: f64, lean: Lean) -> f64 {
        let mut strangers = [0.0, 0.0];
        for trial in round.strangers() {
            let scores = trial.claims.iter().map(|c| admission.score(c, trial.fixations));
            let best = scores.take(32).fold(f64::NEG_INFINITY, f64::max);
            let fixations = trial.fixations as f64;
            let threshold = lean.at(fixations) + admission.threshold(rate, fixations, 32);
            strangers[0] += f64::from(u8::from(best >= threshold));
            strangers[1] += 1.0;
        }
        strangers[0] / strangers[1]
    }

    #[test]
    fn strangers_of_another_corpus_reach_what_they_may() {
        let admission = learned();
        let strange = &corpus(9, 600, 0.15)[0];
        for (rate, bounds) in [(0.2, 0.1..0.3), (0.05, 0.02..0.09), (0.01, 0.002..0.025)] {
            let found = strangers_reach(&admission, strange, rate, Lean::default());
            assert!(bounds.contains(&found), "{rate}: {found}");
        }
    }

    #[test]
    fn thresholds_lean_on_readers_who_resemble_each_other() {
        let corpora: Vec<Vec<Round>> =
            (0..8).map(|i| alike(i, 160, 0.15, 0.25 * i as f64 - 1.0)).collect();
        let admission = Admission::learn(&corpora).unwrap();
        let share = admission.leaning.unwrap().share;
        assert!(share > 0.5, "{share}");
        for more in [-0.6, 0.0, 0.6] {
            let strange = &alike(9, 600, 0.15, more)[0];
            let insiders = admission.insiders(strange);
            let insiders = || insiders.iter().map(|one| (one.fixations, &*one.scores));
            let lean = admission.lean(strange.readers(), insiders());
            let [with, without] =
                [lean, Lean::default()].map(|by| strangers_reach(&admission, strange, 0.05, by));
            // Rates are those of corpora worse than most.
            assert!((0.01..0.1).contains(&with), "{more}: {with}, without {without}");
            assert!(more == 0.0 || (with - 0.05).abs() < (without - 0.05).abs(), "{more}");
            // Few readers are believed less, and nobody says nothing.
            assert!(admission.lean(3, insiders()).at(60.0).abs() <= lean.at(60.0).abs());
            assert_eq!(admission.lean(0, std::iter::empty()), Lean::default());
        }
    }

    #[test]
    fn genuine_claims_score_more_than_those_of_strangers() {
        let admission = learned();
        let mut right = [0, 0];
        for trial in corpus(9, 100, 0.15)[0].trials.iter().filter(|trial| trial.own.is_some()) {
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
    fn where_thresholds_do_not_rise_with_readers_that_were_seen_they_still_do_beyond() {
        let mut admission = learned();
        // So rare that chance decided: the same for all.
        for table in &mut admission.thresholds {
            table.iter_mut().for_each(|row| row[GRID.len() - 1] = 50.0);
        }
        let at = |readers| admission.threshold(1e-4, 60.0, readers);
        assert!(at(10_000) > at(100) && at(1_000_000) > at(10_000), "{} {}", at(100), at(10_000));
    }

    #[test]
    fn claims_are_refused_as_often_as_asked_in_galleries_of_few_and_of_many() {
        let corpora: Vec<Vec<Round>> =
            (0..8).map(|i| alike(i, 160, 0.15, 0.25 * i as f64 - 1.0)).collect();
        let admission = Admission::learn(&corpora).unwrap();
        for more in [-0.6, 0.0, 0.6] {
            let strange = &alike(9, 600, 0.15, more)[0];
            let insiders = admission.insiders(strange);
            let readers = strange.readers();
            let lean = admission.lean(readers, insiders.iter().map(|i| (i.fixations, &*i.scores)));
            let mut reached = [0, 0];
            for trial in strange.strangers() {
                let fixations = trial.fixations as f64;
                let threshold =
                    lean.at(fixations) + admission.claim_threshold(0.05, fixations, readers);
                let claims = trial.claims.iter().map(|c| admission.score(c, trial.fixations));
                reached[0] += claims.filter(|score| *score >= threshold).count();
                reached[1] += trial.claims.len();
            }
            let part = reached[0] as f64 / reached[1] as f64;
            assert!((0.01..0.09).contains(&part), "{more}: {part}");
        }
        // Where nothing leans, thresholds are of all such galleries, which differ: they are higher.
        let [one, of_many] = [1, 100].map(|n| admission.claim_threshold(0.01, 60.0, n));
        assert!(one > of_many, "{one} {of_many}");
        assert_eq!(one, admission.threshold(0.01, 60.0, 1));
    }

    #[test]
    fn a_pair_of_people_counts_once() {
        let two_ways = || {
            let [mut first] = <[Round; 1]>::try_from(corpus(1, 40, 0.15)).unwrap();
            let mut second = first.clone();
            // Who was enrolled is a stranger now.
            second.trials.iter_mut().for_each(|trial| trial.person = (trial.person + 20) % 40);
            first.insiders.truncate(60);
            vec![first, second]
        };
        let corpora: Vec<Vec<Round>> = (0..3).map(|_| two_ways()).collect();
        assert_eq!(Admission::learn(&corpora).unwrap().support(), [3 * 40, 3 * 20 * 20]);
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
        before.as_object_mut().unwrap().remove("leaning");
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
