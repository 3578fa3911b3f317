//! Attacks on verification, and what countermeasures are worth.
//!
//! | attack | what is presented, with the claim to be the target |
//! |---|---|
//! | `genuine` | the target's test texts, read by the target: no attack, for comparison |
//! | `insider` | test texts read by another enrolled reader, who does nothing to deceive |
//! | `stranger` | the same if that reader were not enrolled |
//! | `replay` | training texts of the target, as they were recorded |
//! | `altered_replay` | the same with a little noise, and with a tenth of the fixations left out |
//! | `stretched_replay` | the same with durations that are 4 % longer |
//! | `shifted_replay` | the same, .6 characters further right |
//! | `shuffled_replay` | pieces of seven fixations of all of these, put together in any order |
//! | `disguised_replay` | all that at once |
//! | `forgery` | the target's test texts, read by the target's template |
//! | `outsider_forgery` | every second of them, read by a template that was learned from the others and a population of other people |
//! | `population_forgery` | the same texts, read by a template of nobody in particular |
//!
//! All are judged as a gallery judges claims, by [`Rules`] that are learned from the training texts as a
//! gallery learns them, without and with two countermeasures: replay detection
//! ([`gazeprint::replay`]) against the training readings of all readers, and a liveness score. What
//! presents no fixation that counts is a claim, and is refused.

mod alter;
mod learned;
mod make;
mod outsider;

use gazeprint::decision::{Rules, ScoredReadings, Threshold};
pub use gazeprint::liveness::{REFUSED, STATISTICS};
use gazeprint::liveness::{Statistics, Words};
use gazeprint::method::{Fitted, LearnedReaders};
use gazeprint::replay::{KnownReadings, Sketch};
use gazeprint::saccade::Reading;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use self::alter::{Alteration, LOSS, NOISE_SD, SHIFT, SHUFFLED, STRETCH};
use self::learned::Learned;
use self::make::{Making, Source, Substitute};
use self::outsider::Outsider;
use crate::measures::Claims;
use crate::protocol::{Protocol, Split};
use crate::study::DividedCorpus;
use crate::thresholds::RATES;

/// Of [`RATES`], those at which attacks are judged: the first.
pub const JUDGED: usize = 2;

/// Rates of genuine probes refused by countermeasures (BPCER) at which attacks that pass them are counted.
pub const BPCERS: [f64; 2] = [0.01, 0.05];

/// What is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attack {
    /// None: the target.
    Genuine,
    /// Another reader of the gallery.
    Insider,
    /// Another reader, not in the gallery.
    Stranger,
    /// A recording of the target.
    Replay,
    /// The same, altered.
    Altered(Alteration),
    /// Drawn from the target's template.
    Forgery,
    /// Drawn from a template of the target that somebody else learned, from other recordings and people.
    OutsiderForgery,
    /// Drawn from a template of nobody.
    PopulationForgery,
}

impl Attack {
    /// All, in the order of tables.
    pub const ALL: [Self; 12] = [
        Self::Genuine,
        Self::Insider,
        Self::Stranger,
        Self::Replay,
        Self::Altered(Alteration::Noise),
        Self::Altered(Alteration::Stretch),
        Self::Altered(Alteration::Shift),
        Self::Altered(Alteration::Shuffle),
        Self::Altered(Alteration::Disguise),
        Self::Forgery,
        Self::OutsiderForgery,
        Self::PopulationForgery,
    ];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Genuine => "genuine",
            Self::Insider => "insider",
            Self::Stranger => "stranger",
            Self::Replay => "replay",
            Self::Altered(Alteration::Noise) => "altered_replay",
            Self::Altered(Alteration::Stretch) => "stretched_replay",
            Self::Altered(Alteration::Shift) => "shifted_replay",
            Self::Altered(Alteration::Shuffle) => "shuffled_replay",
            Self::Altered(Alteration::Disguise) => "disguised_replay",
            Self::Forgery => "forgery",
            Self::OutsiderForgery => "outsider_forgery",
            Self::PopulationForgery => "population_forgery",
        }
    }
}

/// The claims of one kind that were made in one reader's name or, by impostors, with that reader's
/// probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttackTally {
    /// Claims.
    pub claims: usize,
    /// Those accepted, at the first of [`RATES`].
    pub accepted: [usize; JUDGED],
    /// Those accepted that no countermeasure objects to.
    pub guarded: [usize; JUDGED],
    /// Claims with a reading that was known before; not counted for impostors.
    pub replayed: usize,
    /// Claims that no person seems to have made; not counted for impostors.
    pub lifeless: usize,
    /// Claims that countermeasures take for genuine, at [`BPCERS`]; not counted for impostors.
    pub missed: [usize; BPCERS.len()],
}

/// Attacks with probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeAttacks {
    /// Sentences a probe; `None` for all of a reader.
    pub sentences: Option<usize>,
    /// By attack that could be made, by reader of the split.
    pub tallies: Vec<(Attack, Vec<AttackTally>)>,
    /// How well liveness tells genuine probes from forgeries: area and equal error rate.
    pub liveness: Option<[f64; 2]>,
}

/// Attacks on a method in one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitAttacks {
    /// By size of the probes, then with all test sentences.
    pub by_size: Vec<SizeAttacks>,
    /// Weights of [`STATISTICS`] for a person; none where templates cannot be run forward.
    pub weights: Option<Vec<f64>>,
}

/// What a split has that attacks are made from and judged with.
pub(crate) struct Target<'a> {
    pub(crate) divided: &'a DividedCorpus,
    pub(crate) number: usize,
    pub(crate) fitted: &'a Fitted,
    pub(crate) rules: &'a Rules,
    /// The test readings.
    pub(crate) sentences: &'a ScoredReadings<'a>,
}

/// Readings presented in the names of their targets.
struct Presented<'a> {
    attack: Attack,
    sentences: ScoredReadings<'a>,
    /// By target: readings that probes are cut from.
    by_reader: Vec<Vec<usize>>,
    checked: Checked<'a>,
}

/// What countermeasures say of readings, each held against its target; by place in the corpus.
struct Checked<'a> {
    known: &'a KnownReadings,
    sketches: Vec<Sketch>,
    replayed: Vec<bool>,
    statistics: Vec<Option<Statistics>>,
}

impl SplitAttacks {
    /// Attacks all readers of a split.
    pub(crate) fn of(target: &Target<'_>) -> Self {
        let Target { divided, number, fitted, .. } = *target;
        let split = &divided.splits[number];
        let scorer = fitted.scorer.as_ref();
        let sketches: Vec<Sketch> =
            split.train.par_iter().map(|&(_, i)| Sketch::of(&divided.readings[i])).collect();
        let known = KnownReadings::new(&sketches);
        let (test, train) = (split.test_by_reader(), by_reader(split, &split.train));
        let making = Making { divided, number };
        let readings: Vec<&Reading> = divided.readings.iter().collect();
        let words = Words::of(divided.corpus.texts());
        let learned = Learned::of(target, &making, &words);
        let check = |of: &[(usize, usize)], readings: &[&Reading]| {
            Checked::of(scorer, &known, learned.as_ref(), of, readings)
        };
        let genuine = check(&split.test, &readings);
        let sizes = sizes(&divided.plan.probe_sentences);
        let judged = Judged { target, learned: learned.as_ref() };
        let (mut by_size, people): (Vec<SizeAttacks>, Vec<Vec<f64>>) = sizes
            .par_iter()
            .enumerate()
            .map(|(size, &sentences)| judged.impostors(size, sentences, &test, &genuine))
            .unzip();
        let mut forgeries = vec![Vec::new(); by_size.len()];
        let mut add = |presented: Option<Presented<'_>>| {
            let Some(presented) = presented else { return };
            for (size, attacks) in by_size.iter_mut().enumerate() {
                let bars = bars(&people[size]);
                let (tallies, lives) = judged.presented(size, attacks.sentences, &presented, bars);
                attacks.tallies.push((presented.attack, tallies));
                if presented.attack == Attack::Forgery {
                    forgeries[size] = lives;
                }
            }
        };
        let present =
            |attack, made: Option<Vec<Substitute>>, of: &[_], by_reader: &[Vec<usize>]| {
                let made = made?;
                let mut readings = readings.clone();
                let mut of = of.iter().copied().zip(&made).collect::<Vec<_>>();
                of.retain(|(_, made)| !matches!(made, Substitute::Nothing));
                for ((_, i), made) in &of {
                    if let Substitute::Other(other) = made {
                        readings[*i] = other;
                    }
                }
                let of: Vec<(usize, usize)> = of.into_iter().map(|(of, _)| of).collect();
                let indices = of.iter().map(|(_, i)| *i);
                Some(Presented {
                    attack,
                    sentences: ScoredReadings::encode(scorer, indices, &readings),
                    by_reader: by_reader.to_vec(),
                    checked: check(&of, &readings),
                })
            };
        let make = |source: Source, of: &[_]| making.readings(scorer, source, of);
        let recorded = make(Source::Recorded, &split.train);
        add(present(Attack::Replay, recorded, &split.train, &train));
        for alteration in Alteration::ALL {
            let altered = make(Source::Altered(alteration), &split.train);
            add(present(Attack::Altered(alteration), altered, &split.train, &train));
        }
        add(present(Attack::Forgery, make(Source::Target, &split.test), &split.test, &test));
        // Templates that cannot be run forward are not forged from other recordings either.
        if let Some(outsider) = scorer.forger().and_then(|_| Outsider::learn(&making)) {
            let (forged, of) = (outsider.readings(&making), outsider.targets());
            add(present(Attack::OutsiderForgery, forged, &of, &outsider.by_reader));
        }
        let nobodys = make(Source::Population, &split.test);
        add(present(Attack::PopulationForgery, nobodys, &split.test, &test));
        for (attacks, sides) in by_size.iter_mut().zip(people.into_iter().zip(forgeries)) {
            let claims = Claims { genuine: sides.0, impostor: sides.1 };
            let told = learned.is_some();
            attacks.liveness = told.then(|| [claims.area(), claims.equal_error_rate()]);
        }
        let weights = learned.as_ref().map(|learned| learned.liveness.weights().to_vec());
        Self { by_size, weights }
    }
}

/// Sizes of probes; all of a reader come last.
fn sizes(sentences: &[usize]) -> Vec<Option<usize>> {
    sentences.iter().copied().map(Some).chain([None]).collect()
}

/// Readings by reader of the split.
fn by_reader(split: &Split, readings: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut by_reader = vec![Vec::new(); split.readers.len()];
    readings.iter().for_each(|&(reader, i)| by_reader[reader].push(i));
    by_reader
}

/// Probes of some readings of a reader.
fn cut(
    protocol: &Protocol,
    number: usize,
    reader: usize,
    readings: &[usize],
    sentences: Option<usize>,
) -> Vec<Vec<usize>> {
    match sentences {
        _ if readings.is_empty() => Vec::new(),
        Some(m) => protocol.probes(number, reader, readings, m),
        None => vec![readings.to_vec()],
    }
}

impl<'a> Checked<'a> {
    fn of(
        scorer: &dyn LearnedReaders,
        known: &'a KnownReadings,
        learned: Option<&Learned<'_>>,
        of: &[(usize, usize)],
        readings: &[&Reading],
    ) -> Self {
        let found: Vec<(Sketch, bool, Option<Statistics>)> = of
            .par_iter()
            .map(|&(reader, i)| {
                let sketch = Sketch::of(readings[i]);
                let replayed = known.replayed(&sketch).is_some();
                (sketch, replayed, learned.and_then(|l| l.look(scorer, reader, readings[i])))
            })
            .collect();
        let mut all = Self {
            known,
            sketches: vec![Sketch::default(); readings.len()],
            replayed: vec![false; readings.len()],
            statistics: vec![None; readings.len()],
        };
        for (&(_, i), (sketch, replayed, statistics)) in of.iter().zip(found) {
            all.sketches[i] = sketch;
            all.replayed[i] = replayed;
            all.statistics[i] = statistics;
        }
        all
    }

    /// Whether a reading of a probe was there before, or a piece of all of them in a row.
    fn replayed(&self, probe: &[usize]) -> bool {
        let in_pieces = || {
            let row: Vec<Sketch> = probe.iter().map(|&i| self.sketches[i].clone()).collect();
            self.known.replayed_pieces(&row).next().is_some()
        };
        probe.iter().any(|&i| self.replayed[i]) || in_pieces()
    }
}

/// Judges claims.
struct Judged<'a> {
    target: &'a Target<'a>,
    /// None where templates cannot be run forward.
    learned: Option<&'a Learned<'a>>,
}

impl Judged<'_> {
    fn probes(&self, reader: usize, readings: &[usize], m: Option<usize>) -> Vec<Vec<usize>> {
        let Target { divided, number, .. } = *self.target;
        let place = divided.splits[number].readers[reader];
        cut(&divided.plan.protocol, number, place, readings, m)
    }

    /// How alive a probe is.
    fn life(&self, probe: &[usize], checked: &Checked<'_>) -> Option<f64> {
        Some(
            self.learned?
                .liveness
                .score(probe.iter().filter_map(|&i| checked.statistics[i].as_ref())),
        )
    }

    fn is_lifeless(&self, size: usize, life: Option<f64>) -> bool {
        let threshold = self.learned.and_then(|learned| learned.thresholds[size]);
        life.zip(threshold).is_some_and(|(life, threshold)| life < threshold)
    }

    /// The thresholds for a probe of so many fixations, at each rate.
    fn thresholds(&self, fixations: usize) -> [Threshold; JUDGED] {
        judged_rates().map(|rate| self.target.rules.for_claim(rate, fixations))
    }

    /// Claims in the names of targets; by target, and how alive the probes are.
    fn presented(
        &self,
        size: usize,
        sentences: Option<usize>,
        presented: &Presented<'_>,
        bars: [f64; BPCERS.len()],
    ) -> (Vec<AttackTally>, Vec<f64>) {
        let judged: Vec<(AttackTally, Vec<f64>)> = presented
            .by_reader
            .par_iter()
            .enumerate()
            .map(|(reader, readings)| {
                let (mut tally, mut lives) = (AttackTally::default(), Vec::new());
                for probe in self.probes(reader, readings, sentences) {
                    let read = presented.sentences.tally(&probe);
                    let fixations = read.fixations();
                    if fixations == 0 {
                        tally.claims += 1;
                        continue;
                    }
                    let scorer = presented.sentences.scorer();
                    let scores = scorer.settle(&read);
                    let strength = self.target.rules.strengths(scorer, &read, &scores)[reader];
                    let accepted = self.thresholds(fixations).map(|t| t.is_reached(strength));
                    let life = self.life(&probe, &presented.checked);
                    let [replayed, lifeless] = self.objections(size, &probe, &presented.checked);
                    tally.add(accepted, [replayed, lifeless]);
                    for (missed, bar) in tally.missed.iter_mut().zip(bars) {
                        *missed += usize::from(!replayed && life.is_none_or(|life| life >= bar));
                    }
                    lives.extend(life);
                }
                (tally, lives)
            })
            .collect();
        let (tallies, lives): (Vec<_>, Vec<_>) = judged.into_iter().unzip();
        (tallies, lives.concat())
    }

    /// What countermeasures say of a probe in its target's name: replayed, lifeless.
    fn objections(&self, size: usize, probe: &[usize], checked: &Checked<'_>) -> [bool; 2] {
        [checked.replayed(probe), self.is_lifeless(size, self.life(probe, checked))]
    }

    /// Genuine claims, those of impostors with the same probes, and how alive these are.
    fn impostors(
        &self,
        size: usize,
        sentences: Option<usize>,
        test: &[Vec<usize>],
        genuine: &Checked<'_>,
    ) -> (SizeAttacks, Vec<f64>) {
        let judged: Vec<([AttackTally; 3], Vec<f64>)> = test
            .par_iter()
            .enumerate()
            .map(|(reader, readings)| {
                let (mut tallies, mut lives) = ([AttackTally::default(); 3], Vec::new());
                for probe in self.probes(reader, readings, sentences) {
                    self.impostor(size, reader, &probe, genuine, &mut tallies);
                    lives.extend(self.life(&probe, genuine));
                }
                (tallies, lives)
            })
            .collect();
        let (tallies, lives): (Vec<_>, Vec<_>) = judged.into_iter().unzip();
        let of = |i: usize| (Attack::ALL[i], tallies.iter().map(|t| t[i]).collect());
        let attacks = SizeAttacks { sentences, tallies: vec![of(0), of(1), of(2)], liveness: None };
        (attacks, lives.concat())
    }

    /// A probe with the claim to be its reader, and with that to be any other.
    fn impostor(
        &self,
        size: usize,
        reader: usize,
        probe: &[usize],
        genuine: &Checked<'_>,
        [own, insider, stranger]: &mut [AttackTally; 3],
    ) {
        let Target { sentences, rules, .. } = *self.target;
        let read = sentences.tally(probe);
        let scores = sentences.scorer().settle(&read);
        let thresholds = self.thresholds(read.fixations());
        let strengths = rules.strengths(sentences.scorer(), &read, &scores);
        let accepted = |ratio: f64| thresholds.map(|t| t.is_reached(ratio));
        let [replayed, lifeless] = self.objections(size, probe, genuine);
        own.add(accepted(strengths[reader]), [replayed, lifeless]);
        let others = (0..scores.len()).filter(|r| *r != reader);
        let without = rules.strengths_without(&strengths, &scores, reader);
        for (claimed, as_stranger) in others.zip(without) {
            for (tally, ratio) in
                [(&mut *insider, strengths[claimed]), (&mut *stranger, as_stranger)]
            {
                let accepted = accepted(ratio);
                // Few are accepted: only these are looked at as the template of the claim has it.
                let lifeless = accepted[0] && self.is_lifeless_as(size, claimed, probe);
                tally.claims += 1;
                for (i, accepted) in accepted.into_iter().enumerate() {
                    tally.accepted[i] += usize::from(accepted);
                    tally.guarded[i] += usize::from(accepted && !replayed && !lifeless);
                }
            }
        }
    }

    /// Whether a test probe seems lifeless, held against another reader.
    fn is_lifeless_as(&self, size: usize, claimed: usize, probe: &[usize]) -> bool {
        let Target { divided, fitted, .. } = *self.target;
        let scorer = fitted.scorer.as_ref();
        let life = self.learned.map(|learned| {
            let held = probe.iter().map(|&i| learned.look(scorer, claimed, &divided.readings[i]));
            learned.liveness.score(&held.collect::<Option<Vec<Statistics>>>().unwrap_or_default())
        });
        self.is_lifeless(size, life)
    }
}

impl AttackTally {
    fn add(&mut self, accepted: [bool; JUDGED], [replayed, lifeless]: [bool; 2]) {
        self.claims += 1;
        self.replayed += usize::from(replayed);
        self.lifeless += usize::from(lifeless);
        for (i, accepted) in accepted.into_iter().enumerate() {
            self.accepted[i] += usize::from(accepted);
            self.guarded[i] += usize::from(accepted && !replayed && !lifeless);
        }
    }
}

/// How alive a probe must be, so that [`BPCERS`] of the genuine ones are refused, no more.
fn bars(genuine: &[f64]) -> [f64; BPCERS.len()] {
    let mut sorted = genuine.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |rate: f64| sorted.get((rate * sorted.len() as f64) as usize).copied();
    BPCERS.map(|rate| at(rate).unwrap_or(f64::NEG_INFINITY))
}

/// The rates at which attacks are judged.
pub fn judged_rates() -> [f64; JUDGED] {
    std::array::from_fn(|i| RATES[i])
}
