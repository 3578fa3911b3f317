//! A template run forward: readings drawn as the model says that its reader reads.
//!
//! Every draw is from what scores are made of: the next move from the probabilities of what is
//! possible, the landing from the masses of the places within reach, the duration from the density
//! of what context leaves, times what context makes of it. Lines are read from first to last; whoever
//! leaves one goes on to the next, and the last one ends the reading.
//!
//! Whoever forges has limits where the model has none: fixations must be on the line, and durations must
//! count.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::lanes::{Common, Lanes};
use crate::corpus::{Chars, Fixation, Landing, Limits, Line, Millis, Text};
use crate::density::Tabulated;
use crate::glance::features::{self, DURATION_FEATURES};
use crate::glance::{Aim, AimKind, ByMove, ByStay, Choice, Move, Spot, Stay, StayKind, Ways};
use crate::kernels::{self, Pack};
use crate::saccade::{DensityId, Event, Follower};
use crate::template::{Layout, MU};

/// Fixations after which a reading ends, for each word of the text and in any case: nobody reads
/// that long, but coefficients read from a file may never leave.
const MOST_PER_WORD: usize = 8;
const MOST: usize = 32;
/// Steps in which a place on a word is drawn.
const STEPS: usize = 64;

/// A reader's template, or that of nobody in particular, to be run forward.
pub(super) struct Impersonator<'a> {
    common: &'a Common,
    lanes: &'a Lanes,
    /// The reader's place among them.
    lane: usize,
    /// First places on a line.
    first: Tabulated<'a>,
    /// Of what context leaves of durations, by kind.
    durations: ByStay<Tabulated<'a>>,
}

impl<'a> Impersonator<'a> {
    /// A reader's lane, with the row that holds first places.
    pub(super) fn new(
        common: &'a Common,
        lanes: &'a Lanes,
        lane: usize,
        layout: &'a Layout,
        row: &[f64],
    ) -> Option<Self> {
        let (_, grid) = layout.densities().find(|(id, _)| *id == DensityId::Alpha0)?;
        // Of the densities, this is the only one in the row.
        let log_f = row.get(MU + 2..)?.get(..grid.nodes().len())?.to_vec();
        let duration = |kind| Tabulated::new(&common.grids[kind], lanes.table(kind, lane).to_vec());
        let durations = ByStay::of(duration);
        Some(Self { common, lanes, lane, first: Tabulated::new(grid, log_f), durations })
    }

    /// Reads a text.
    pub(super) fn read(&self, text: &Text, limits: Limits, rng: &mut ChaCha8Rng) -> Vec<Fixation> {
        let words: usize = text.lines().iter().map(|line| line.words().len()).sum();
        let most = MOST_PER_WORD * words + MOST;
        let mut fixations = Vec::new();
        let mut follower = Follower::new(text, limits);
        for (number, line) in text.lines().iter().enumerate() {
            let mut visited = vec![false; line.words().len()];
            let mut previous: Option<Event> = None;
            let (mut word, mut x) = self.first_place(line, rng);
            loop {
                // What a duration depends on, and where the eye is, does not depend on the duration.
                let mut event = follower.land(number, Landing { word, x, duration: 0.0 });
                event.duration = self.duration(previous.as_ref(), &event, limits, rng);
                fixations.push(Fixation {
                    line: Some(line.number()),
                    x: Some(Chars(x)),
                    duration: Some(Millis(event.duration)),
                    ..Default::default()
                });
                if fixations.len() >= most {
                    return fixations;
                }
                visited[word] = true;
                let Some(kind) = self.next_aim(&event, rng) else { break };
                let Some(landing) = self.landing(line, &visited, &event, kind, rng) else {
                    break;
                };
                (word, x) = landing;
                previous = Some(event);
            }
        }
        fixations
    }

    /// The first word on a line, and the place.
    fn first_place(&self, line: &Line, rng: &mut ChaCha8Rng) -> (usize, f64) {
        let bounds = line.bounds();
        let (left, right) = (bounds[0], bounds[bounds.len() - 1]);
        let x = left + self.first.quantile(0.0, right - left, rng.random());
        let x = x.clamp(left, right.next_down());
        (line.word_at(x).unwrap_or(0), x)
    }

    fn duration(
        &self,
        previous: Option<&Event>,
        event: &Event,
        limits: Limits,
        rng: &mut ChaCha8Rng,
    ) -> f64 {
        let factor = self.factor(&features::of_duration(previous, event));
        let [least, most] = limits.durations().map(|limit| limit.0);
        let kind = StayKind::of(event.kind);
        let residual =
            self.durations[kind].quantile(least / factor, most / factor, rng.random::<f64>());
        (residual * factor).clamp(least, most)
    }

    /// What context makes of a duration.
    fn factor(&self, features: &[f64; DURATION_FEATURES]) -> f64 {
        let centred = self.common.centred(features);
        kernels::vectorised(|| self.lanes.shift(&centred)).0[self.lane].exp()
    }

    /// What context leaves of a duration.
    pub(super) fn residual(&self, stay: &Stay) -> f64 {
        stay.duration / self.factor(&stay.features)
    }

    /// The density of that, by kind.
    pub(super) fn duration_density(&self, kind: StayKind) -> &Tabulated<'a> {
        &self.durations[kind]
    }

    /// Logs of the masses of places where a saccade may end, not normalised.
    pub(super) fn log_masses(&self, aim: &Aim, spots: &[Spot]) -> Vec<f64> {
        let shape = |word| kernels::vectorised(|| self.lanes.shape(aim.kind, word));
        let shapes: Vec<[Pack; 3]> = aim.words.iter().map(shape).collect();
        let log_mass = |spot: &Spot| {
            let (shape, placed) = (&shapes[spot.word], self.common.placed(aim.kind, spot));
            kernels::vectorised(|| self.lanes.log_mass(aim.kind, shape, &placed)).0[self.lane]
        };
        spots.iter().map(log_mass).collect()
    }

    /// How the next saccade is aimed; none to leave the line.
    fn next_aim(&self, event: &Event, rng: &mut ChaCha8Rng) -> Option<AimKind> {
        let p = self.moves_of(&Choice::new(event, Move::Leave));
        Move::ALL[drawn(p.values(), rng)].aim()
    }

    /// Probabilities of what may come next.
    pub(super) fn moves_of(&self, choice: &Choice) -> ByMove<f64> {
        let free = kernels::vectorised(|| self.lanes.predictors(&choice.features));
        let free = free.map(|of_type| of_type.0[self.lane]);
        choice.probabilities(&free).0
    }

    /// Where a saccade ends: first the word, by the masses that scores are normalised with, then the
    /// place on it.
    fn landing(
        &self,
        line: &Line,
        visited: &[bool],
        from: &Event,
        kind: AimKind,
        rng: &mut ChaCha8Rng,
    ) -> Option<(usize, f64)> {
        let ways = Ways::new(line.bounds(), from, kind);
        let aim = ways.aim(visited);
        let masses = relative(&self.log_masses(&aim, &aim.spots));
        let mut words = vec![0.0; aim.words.len()];
        aim.spots.iter().zip(masses).for_each(|(spot, mass)| words[spot.word] += mass);
        let end = drawn(&words, rng);
        let &(word, low, high) = ways.ends.get(end)?;
        let step = (high - low) / STEPS as f64;
        let middle = |i: usize| low + (i as f64 + 0.5) * step;
        let spots: Vec<Spot> = (0..STEPS).map(|i| ways.spot(end, middle(i), 0.0)).collect();
        let masses = relative(&self.log_masses(&aim, &spots));
        let x = low + (drawn(&masses, rng) as f64 + rng.random::<f64>()) * step;
        let (left, right) = line.region(word);
        Some((word, x.clamp(left, right.next_down())))
    }
}

/// Values relative to the largest, from their logarithms.
fn relative(logs: &[f64]) -> Vec<f64> {
    let peak = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.iter().map(|log| (log - peak).exp()).collect()
}

/// An index, drawn in proportion to its weight.
fn drawn(weights: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let total: f64 = weights.iter().sum();
    let mut rest = rng.random::<f64>() * total;
    for (i, weight) in weights.iter().enumerate() {
        if rest < *weight {
            return i;
        }
        rest -= weight;
    }
    // What rounding leaves goes to the last that is possible.
    weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glance::Glance;
    use crate::inference::{Engine, Laplace};
    use crate::method::{DayShares, Population, PopulationScorer, SharedDensity, Unwatched};
    use crate::random::Stream;
    use crate::saccade::{Reading, events, readings};
    use crate::simulate::SimulationParams;

    const ANY: [Millis; 2] = [Millis(0.0), Millis(1e5)];

    /// Three readers of texts of two lines.
    fn scorer() -> (PopulationScorer, Vec<Text>, Reading) {
        let params = SimulationParams { readers: 3, texts: 30, lines: 2, ..Default::default() };
        let corpus = params.build().unwrap().run();
        let (readings, _) = readings(&corpus, Limits::default());
        let all: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(3, &all, &DayShares::default(), &Unwatched).unwrap();
        let of = |reader: usize| {
            let own: Vec<&Reading> = readings.iter().filter(|r| r.reader == reader).collect();
            let stream = |d: &SharedDensity| Stream { seed: 1, index: d.id as u64 };
            population.enroll(&Engine::Laplace(Laplace::default()), &own, stream)
        };
        let readers: Vec<_> = (0..3).map(of).collect();
        let scorer = population.scorer(&readers, &of(usize::MAX));
        (scorer, corpus.texts().to_vec(), readings[0].clone())
    }

    /// A sum of terms with mean zero must not lie further from it than chance has it.
    fn assert_centred(name: &str, terms: &[f64]) {
        let n = terms.len() as f64;
        let mean = terms.iter().sum::<f64>() / n;
        let variance = terms.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / n;
        let z = mean / (variance / n).sqrt();
        assert!(n > 500.0 && z.abs() < 4.0, "{name}: {mean} over {n}, {z} standard errors");
    }

    #[test]
    fn forgeries_are_what_the_template_expects() {
        let (scorer, texts, like) = scorer();
        let limits = Limits::new(ANY[0], ANY[1]).unwrap();
        for reader in [Some(0), Some(2), None] {
            let forger = scorer.impersonator(reader).unwrap();
            let mut moves: ByMove<Vec<f64>> = ByMove::of(|_| Vec::new());
            let (mut next, mut landing, mut overshoot) = (Vec::new(), Vec::new(), Vec::new());
            let (mut skip, mut refixation) = (Vec::new(), Vec::new());
            let (mut duration, mut squared, mut lagged) = (Vec::new(), Vec::new(), Vec::new());
            for (i, text) in texts.iter().cycle().take(150).enumerate() {
                let mut rng = Stream { seed: 3, index: i as u64 }.chain(0);
                let fixations = forger.read(text, limits, &mut rng);
                let (events, drops) = events(text, &fixations, limits);
                assert_eq!((events.len(), drops.total()), (fixations.len(), 0));
                let bounds = text.lines().iter().map(|l| l.bounds().to_vec()).collect();
                let reading = Reading { events, bounds, ..like.clone() };
                let mut before = None;
                for glance in Glance::all(&reading) {
                    let choice = glance.choice.unwrap();
                    let p = forger.moves_of(&choice);
                    for kind in Move::ALL {
                        moves[kind].push(f64::from(choice.chosen == kind) - p[kind]);
                    }
                    let surprise = forger.surprise(&glance);
                    next.extend(surprise.next);
                    skip.extend(surprise.skip);
                    refixation.extend(surprise.refixation);
                    landing.extend(surprise.landing);
                    overshoot.extend(surprise.overshoot);
                    duration.push(surprise.duration);
                    squared.push(surprise.duration.powi(2) - 1.0);
                    lagged.extend(before.map(|before: f64| before * surprise.duration));
                    before = Some(surprise.duration);
                }
            }
            for (kind, terms) in moves.iter() {
                assert_centred(kind.name(), terms);
            }
            for (name, terms) in [
                ("next", next),
                ("skip", skip),
                ("refixation", refixation),
                ("landing", landing),
                ("overshoot", overshoot),
                ("duration", duration),
                ("duration squared", squared),
                ("durations in a row", lagged),
            ] {
                assert_centred(name, &terms);
            }
        }
    }

    #[test]
    fn forgeries_end_and_stay_within_limits() {
        let (mut scorer, texts, _) = scorer();
        let limits = Limits::new(Millis(180.0), Millis(190.0)).unwrap();
        let stream = Stream { seed: 1, index: 7 };
        let forge = |scorer: &PopulationScorer, text: &Text| {
            crate::method::Forger::forge(scorer, Some(1), text, limits, stream).unwrap()
        };
        let one = forge(&scorer, &texts[0]);
        assert_eq!(one, forge(&scorer, &texts[0]));
        let within = |f: &Fixation| f.duration.is_some_and(|d| (180.0..=190.0).contains(&d.0));
        assert!(one.iter().all(within));
        // Whoever would never leave a line is stopped.
        scorer.readers.iter_mut().for_each(Lanes::never_leave);
        let words: usize = texts[0].lines().iter().map(|l| l.words().len()).sum();
        assert_eq!(forge(&scorer, &texts[0]).len(), MOST_PER_WORD * words + MOST);
        let nobody = crate::method::Forger::forge(&scorer, Some(3), &texts[0], limits, stream);
        assert!(nobody.is_none());
    }
}
