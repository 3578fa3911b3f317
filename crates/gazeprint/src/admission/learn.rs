//! How admissions are learned from corpora.

use std::collections::{BTreeMap, BTreeSet};

use super::reached::{believed, filled, more_than, nearness, quantiles, reached_by_length};
use super::regression::regression;
use super::{
    Admission, Claim, GRID, LEANING, LENGTHS, Leaning, RANGE, READERS, Round, Thresholds, Trial,
};

/// Rates at which it is found how well others are kept on corpora that had no part: those that many show.
const RATED: [f64; 3] = [0.05, 0.02, 0.01];
/// Corpora that must have as many readers as a threshold is for.
const FEWEST_CORPORA: usize = 3;
/// Part of the true claims of a corpus that its own threshold of a rate of .01 lets pass, at least: where
/// people cannot be told apart, thresholds say nothing.
const LEAST_TOLD_APART: f64 = 0.25;
/// Fewest strangers about a length from whom a threshold is learned.
const FEWEST_STRANGERS: f64 = 20.0;
/// Fewest galleries by which it is found how far thresholds lean.
const FEWEST_ROUNDS: usize = 4;

impl Admission {
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

    pub(super) fn insiders(&self, round: &Round) -> Vec<Compared> {
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
pub(super) struct Compared {
    pub(super) fixations: f64,
    pub(super) scores: Vec<f64>,
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
pub(super) fn best_of(scores: &[f64], readers: usize, mut each: impl FnMut(f64, f64)) {
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
