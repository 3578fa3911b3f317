//! Readings as attackers present them.

use gazeprint::corpus::{Chars, Fixation, Millis, Text};
use gazeprint::method::LearnedReaders;
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::Reading;
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use crate::study::DividedCorpus;

/// Noise on an altered replay: standard deviations in characters and in milliseconds.
pub const ALTERED_SD: [f64; 2] = [0.2, 2.0];
/// Part of its fixations that is left out.
pub const ALTERED_LOSS: f64 = 0.1;

/// Where an attack comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The target's recording.
    Recorded,
    /// The same, altered.
    Altered,
    /// The target's template.
    Target,
    /// The template of nobody in particular.
    Population,
}

/// Makes attacks in a split.
pub(super) struct Making<'a> {
    pub(super) divided: &'a DividedCorpus,
    pub(super) number: usize,
}

/// What is presented in place of a reading.
#[derive(Debug)]
pub(super) enum Substitute {
    /// The reading itself.
    Itself,
    /// Another.
    Other(Reading),
    /// Nothing: no fixation of what was made counts.
    Nothing,
}

impl Substitute {
    fn of(made: Option<Reading>) -> Self {
        made.map_or(Self::Nothing, Self::Other)
    }
}

impl Making<'_> {
    /// What is presented in place of readings, given with their targets, in their order. `None`
    /// where the gallery cannot make it.
    pub(super) fn readings(
        &self,
        readers: &dyn LearnedReaders,
        source: Source,
        of: &[(usize, usize)],
    ) -> Option<Vec<Substitute>> {
        of.par_iter().map(|&(target, i)| self.reading(readers, source, target, i)).collect()
    }

    fn reading(
        &self,
        readers: &dyn LearnedReaders,
        source: Source,
        target: usize,
        index: usize,
    ) -> Option<Substitute> {
        let like = &self.divided.readings[index];
        let text = &self.divided.corpus.texts()[like.text];
        let limits = self.divided.plan.limits;
        let stream = self.stream(source, index);
        let fixations = match source {
            Source::Recorded => return Some(Substitute::Itself),
            Source::Altered => altered(like, text, stream),
            Source::Target => readers.forger()?.forge(Some(target), text, limits, stream)?,
            Source::Population => readers.forger()?.forge(None, text, limits, stream)?,
        };
        Some(Substitute::of(like.with_fixations(text, &fixations, limits)))
    }

    fn stream(&self, source: Source, index: usize) -> Stream {
        let split = (self.number as u64) << 28;
        let index = stream::ATTACKS + ((source as u64) << 43) + split + index as u64;
        Stream { seed: self.divided.plan.protocol.seed, index }
    }
}

/// A recording as a careful player gives it back.
fn altered(reading: &Reading, text: &Text, stream: Stream) -> Vec<Fixation> {
    let mut rng = stream.chain(0);
    let mut before = None;
    let mut fixations = Vec::with_capacity(reading.events.len());
    for event in &reading.events {
        let left_out = rng.random::<f64>() < ALTERED_LOSS;
        let noise = ALTERED_SD.map(|sd| sd * rng.sample::<f64, _>(StandardNormal));
        // Signal was lost where a pass starts on the line of the one before.
        let gap = event.kind.is_none() && before == Some(event.line);
        before = Some(event.line);
        if !left_out {
            fixations.push(Fixation {
                line: text.lines().get(event.line).map(|line| line.number()),
                x: Some(Chars(event.x + noise[0])),
                duration: Some(Millis(event.duration + noise[1])),
                gap,
                ..Default::default()
            });
        }
    }
    fixations
}

#[cfg(test)]
mod tests {
    use gazeprint::corpus::Limits;
    use gazeprint::method::{Forger, Surprise};
    use gazeprint::score::{Scorer, Tally};
    use gazeprint::simulate::SimulationParams;
    use gazeprint::template::Probe;

    use super::*;
    use crate::protocol::{Division, Protocol};
    use crate::study::Plan;

    /// Forges fixations that do not count: all too short.
    struct Hasty;

    impl Scorer for Hasty {
        fn len(&self) -> usize {
            1
        }

        fn probe(&self, _: &Reading) -> Probe {
            Probe::merged([])
        }

        fn tally(&self, probe: &Probe) -> Tally {
            Tally::whole(probe)
        }

        fn settle(&self, _: &Tally) -> Vec<f64> {
            vec![0.0]
        }

        fn population(&self, _: &Probe, _: &[f64]) -> f64 {
            0.0
        }
    }

    impl LearnedReaders for Hasty {
        fn forger(&self) -> Option<&dyn Forger> {
            Some(self)
        }
    }

    impl Forger for Hasty {
        fn forge(&self, _: Option<usize>, _: &Text, _: Limits, _: Stream) -> Option<Vec<Fixation>> {
            let (x, duration) = (Some(Chars(3.0)), Some(Millis(1.0)));
            Some(vec![Fixation { line: Some(1), x, duration, ..Default::default() }; 4])
        }

        fn surprises(&self, _: usize, _: &Reading) -> Option<Vec<Surprise>> {
            None
        }
    }

    #[test]
    fn a_forgery_of_which_nothing_counts_is_nothing_and_not_the_reading() {
        let people = SimulationParams { readers: 5, texts: 12, ..Default::default() };
        let division = Division::Random { splits: 1, train_fraction: 0.5 };
        let plan = Plan {
            protocol: Protocol { division, seed: 1 },
            readers: None,
            probe_sentences: vec![1],
            limits: Limits::default(),
            attacks: true,
            watch: None,
            strangers: false,
        };
        let divided = DividedCorpus::new(people.build().unwrap().run(), plan).unwrap();
        let making = Making { divided: &divided, number: 0 };
        let made = |source| making.readings(&Hasty, source, &divided.splits[0].test).unwrap();
        assert!(made(Source::Target).iter().all(|made| matches!(made, Substitute::Nothing)));
        assert!(made(Source::Recorded).iter().all(|made| matches!(made, Substitute::Itself)));
        assert!(made(Source::Altered).iter().any(|made| matches!(made, Substitute::Other(_))));
    }
}
