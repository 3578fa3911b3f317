//! Readers as results: what each reader does, how sure that is, and whether it would come out again.
//!
//! | file | holds |
//! |---|---|
//! | `kind` | the traits, with their units and estimators |
//! | `observe` | from readings to the observations that traits are made of |
//! | `sums` | what observations come to |
//! | `interval` | a trait of one reader with its interval |
//! | `reliability` | split-half reliability, and across sessions |
//! | `draws` | draws of the posterior of readers |
//!
//! Traits are of what was observed: nothing is mixed in from other readers, and no model stands between.
//! Draws are of the model.

mod draws;
mod interval;
mod kind;
mod observe;
mod reliability;
mod sums;

use std::collections::{BTreeMap, BTreeSet};

use gazeprint::corpus::{Corpus, Limits};
use gazeprint::saccade::{Reading, readings};
use rayon::prelude::*;
use serde::Serialize;

use self::interval::{estimated, together};
use self::observe::Observed;
use self::reliability::{Pair, Resampling, UNKNOWN, divisions};
use self::sums::Sums;
use crate::protocol::session_order;

pub use self::draws::{CHAINS, DRAWS_A_CHAIN, PosteriorDraws, ReaderDraws};
pub(crate) use self::draws::{chains, log_likelihood};
pub use self::kind::Trait;
pub use self::reliability::{Correlation, FEWEST_READERS, HALVES};

/// A trait of a reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraitEstimate {
    /// The reader's place among those of the corpus.
    #[serde(skip)]
    pub place: usize,
    /// The reader's name.
    pub reader: String,
    /// Which trait.
    #[serde(rename = "trait")]
    pub what: Trait,
    /// In the unit of the trait; `None` where the observations do not tell.
    pub estimate: Option<f64>,
    /// 95 % interval; `None` where there is one text.
    pub ci95: Option<[f64; 2]>,
    /// How many observations it is made of.
    pub observations: usize,
    /// On how many texts; texts of one group count as one.
    pub texts: usize,
}

/// A trait over readers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraitSummary {
    /// Which trait.
    #[serde(rename = "trait")]
    pub what: Trait,
    /// Its unit.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Readers who show it.
    pub readers: usize,
    /// The mean of their estimates.
    pub mean: f64,
    /// The standard deviation of their estimates; `None` of one reader.
    pub sd: Option<f64>,
    /// Between halves of the texts, for recordings as long as these.
    pub split_half: Option<Correlation>,
    /// Between the first two sessions of readers.
    pub across_sessions: Option<Correlation>,
}

/// The readers of a corpus by their traits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReaderTraits {
    /// What the corpus is called.
    pub corpus: String,
    /// Readers with a fixation that counts.
    pub readers: usize,
    /// Texts that somebody read.
    pub texts: usize,
    /// Readings with a fixation that counts.
    pub readings: usize,
    /// Fixations that count.
    pub fixations: usize,
    /// Shortest and longest duration of a fixation that counts, ms.
    pub durations_ms: [f64; 2],
    /// The seed of divisions into halves and of draws of readers.
    pub seed: u64,
    /// The traits that somebody shows.
    pub traits: Vec<TraitSummary>,
    /// By reader, and by trait.
    pub estimates: Vec<TraitEstimate>,
}

impl ReaderTraits {
    /// The traits of all readers with a fixation that counts.
    pub fn of(corpus: &Corpus, limits: Limits, seed: u64) -> Self {
        let (mut readings, _) = readings(corpus, limits);
        // Of some, nothing but the kinematics of fixations off the text is known.
        readings.retain(|reading| reading.fixations() > 0);
        let mut by_reader: BTreeMap<usize, Vec<&Reading>> = BTreeMap::new();
        for reading in &readings {
            by_reader.entry(reading.reader).or_default().push(reading);
        }
        let divisions = divisions(corpus.texts().len(), seed);
        let by_reader: Vec<(usize, Vec<&Reading>)> = by_reader.into_iter().collect();
        let people: Vec<Person> = by_reader
            .par_iter()
            .map(|(reader, readings)| Person::of(corpus, *reader, readings, &divisions))
            .collect();
        let mut draws = Resampling::new(seed);
        let traits =
            Trait::ALL.into_iter().filter_map(|what| summary(what, &people, &mut draws)).collect();
        let mut found = Self {
            corpus: corpus.name().to_owned(),
            readers: people.len(),
            texts: readings.iter().map(|r| r.text).collect::<BTreeSet<_>>().len(),
            readings: readings.len(),
            fixations: readings.iter().map(Reading::fixations).sum(),
            durations_ms: limits.durations().map(|d| d.0),
            seed,
            traits,
            estimates: people.into_iter().flat_map(|person| person.estimates).collect(),
        };
        let known: BTreeSet<Trait> = found.traits.iter().map(|t| t.what).collect();
        found.estimates.retain(|estimate| known.contains(&estimate.what));
        found
    }

    /// What is said of a trait over readers, if somebody shows it.
    pub fn summary(&self, what: Trait) -> Option<&TraitSummary> {
        self.traits.iter().find(|summary| summary.what == what)
    }

    /// A trait of everybody who shows it.
    pub fn estimates_of(&self, what: Trait) -> impl Iterator<Item = (&TraitEstimate, f64)> {
        let mine = self.estimates.iter().filter(move |estimate| estimate.what == what);
        mine.filter_map(|estimate| Some((estimate, estimate.estimate?)))
    }

    /// Two traits of everybody who shows both.
    pub fn pairs_of(&self, [x, y]: [Trait; 2]) -> Vec<[&TraitEstimate; 2]> {
        let others: BTreeMap<usize, &TraitEstimate> =
            self.estimates_of(y).map(|(estimate, _)| (estimate.place, estimate)).collect();
        let both = |(first, _): (_, f64)| -> Option<[&TraitEstimate; 2]> {
            let first: &TraitEstimate = first;
            Some([first, others.get(&first.place)?])
        };
        self.estimates_of(x).filter_map(both).collect()
    }

    /// How far readers are from the mean of all, by place in the corpus, the nearest first: in standard
    /// deviations, root mean square over the traits that a reader shows.
    pub fn from_typical(&self) -> Vec<(usize, f64)> {
        let mut sums: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
        for summary in &self.traits {
            let Some(sd) = summary.sd.filter(|sd| *sd > 0.0) else { continue };
            for (estimate, value) in self.estimates_of(summary.what) {
                let (sum, count) = sums.entry(estimate.place).or_default();
                *sum += ((value - summary.mean) / sd).powi(2);
                *count += 1;
            }
        }
        let mut far: Vec<(usize, f64)> =
            sums.into_iter().map(|(place, (sum, n))| (place, (sum / n as f64).sqrt())).collect();
        far.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        far
    }

    /// The correlation of two traits over readers, with its interval.
    pub fn correlation(&self, traits: [Trait; 2]) -> Option<Correlation> {
        let values = |pair: [&TraitEstimate; 2]| pair.map(|e| e.estimate.unwrap_or(f64::NAN));
        let pairs: Vec<[f64; 2]> = self.pairs_of(traits).into_iter().map(values).collect();
        Resampling::new(self.seed).between(&pairs)
    }
}

/// One reader, as far as reliability needs one.
struct Person {
    estimates: Vec<TraitEstimate>,
    /// By trait, then division: the trait in either half.
    halves: Vec<Vec<Pair>>,
    /// By trait: the trait in the first two sessions, where both tell.
    sessions: Vec<Option<Pair>>,
}

impl Person {
    fn of(corpus: &Corpus, place: usize, readings: &[&Reading], divisions: &[Vec<u32>]) -> Self {
        let mut units: BTreeMap<usize, Observed> = BTreeMap::new();
        let mut sessions: BTreeMap<&str, Observed> = BTreeMap::new();
        for reading in readings {
            let mut seen = Observed::default();
            seen.see(corpus, reading);
            units.entry(reading.unit).or_default().add(&seen);
            let session = corpus.scanpaths()[reading.scanpath].session.as_str();
            sessions.entry(session).or_default().add(&seen);
        }
        let estimates = Trait::ALL.into_iter().map(|what| estimate(corpus, place, what, &units));
        let mut names: Vec<&str> = sessions.keys().copied().collect();
        names.sort_by(|a, b| session_order(a, b));
        let in_session = |what: Trait, name: &str| what.estimator().of(sessions[name].of(what));
        let in_sessions = |what| match names[..] {
            [first, second, ..] => in_session(what, first).zip(in_session(what, second)),
            _ => None,
        };
        Self {
            estimates: estimates.collect(),
            halves: halves(&units, divisions),
            sessions: Trait::ALL.map(|what| in_sessions(what).map(Pair::from)).to_vec(),
        }
    }
}

fn estimate(
    corpus: &Corpus,
    place: usize,
    what: Trait,
    units: &BTreeMap<usize, Observed>,
) -> TraitEstimate {
    let sums = units.values().map(|seen| *seen.of(what));
    let texts: Vec<Sums> = sums.filter(|sums| sums.count > 0).collect();
    let found = estimated(what.estimator(), &texts);
    TraitEstimate {
        place,
        reader: corpus.readers()[place].clone(),
        what,
        estimate: found.map(|found| found.value),
        ci95: found.and_then(|found| found.ci95),
        observations: together(&texts).count,
        texts: texts.len(),
    }
}

/// By trait, then division: the trait in either half of the texts.
fn halves(units: &BTreeMap<usize, Observed>, divisions: &[Vec<u32>]) -> Vec<Vec<Pair>> {
    let mut found = vec![Vec::new(); Trait::COUNT];
    for places in divisions {
        let mut own: Vec<(u32, &Observed)> =
            units.iter().map(|(&unit, seen)| (places[unit], seen)).collect();
        own.sort_unstable_by_key(|(place, _)| *place);
        let mut halves = [Observed::default(), Observed::default()];
        own.iter().enumerate().for_each(|(rank, (_, seen))| halves[rank % 2].add(seen));
        for (values, what) in found.iter_mut().zip(Trait::ALL) {
            let [first, second] = &halves;
            let of = |half: &Observed| what.estimator().of(half.of(what));
            values.push(of(first).zip(of(second)).map_or(UNKNOWN, Pair::from));
        }
    }
    found
}

fn summary(what: Trait, people: &[Person], draws: &mut Resampling) -> Option<TraitSummary> {
    let place = what as usize;
    let values: Vec<f64> = people.iter().filter_map(|p| p.estimates[place].estimate).collect();
    let mut sums = Sums::default();
    values.iter().for_each(|&value| sums.add(&Sums::one(0.0, value)));
    let mean = sums.mean()?;
    let shown = people.iter().filter(|person| person.estimates[place].estimate.is_some());
    let halves: Vec<&[Pair]> = shown.map(|person| person.halves[place].as_slice()).collect();
    let sessions: Vec<Pair> = people.iter().filter_map(|person| person.sessions[place]).collect();
    Some(TraitSummary {
        what,
        unit: what.unit(),
        about: what.words(),
        readers: values.len(),
        mean,
        sd: sums.spread(),
        split_half: draws.between_halves(&halves),
        across_sessions: draws.between(&sessions),
    })
}
