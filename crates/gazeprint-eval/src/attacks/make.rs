//! Readings as attackers present them.

use gazeprint::method::LearnedReaders;
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::{Event, Reading};
use rayon::prelude::*;

use super::alter::Alteration;
use crate::study::DividedCorpus;

/// Where an attack comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The target's recording.
    Recorded,
    /// The same, altered.
    Altered(Alteration),
    /// The target's template.
    Target,
    /// The template of nobody in particular.
    Population,
    /// The target's template as somebody else learned it from other recordings.
    Outsider,
}

impl Source {
    /// Every source draws from streams of its own.
    fn number(self) -> u64 {
        match self {
            Self::Recorded => 0,
            Self::Altered(Alteration::Noise) => 1,
            Self::Target => 2,
            Self::Population => 3,
            Self::Altered(Alteration::Stretch) => 4,
            Self::Altered(Alteration::Shift) => 5,
            Self::Altered(Alteration::Shuffle) => 6,
            Self::Altered(Alteration::Disguise) => 7,
            Self::Outsider => 8,
        }
    }
}

/// Streams of targets come after those of readings.
const SHUFFLES: usize = 1 << 27;

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
        if let Source::Altered(alteration) = source {
            return Some(self.altered(alteration, of));
        }
        of.par_iter().map(|&(target, i)| self.reading(readers, source, target, i)).collect()
    }

    /// Recordings as players give them back.
    fn altered(&self, alteration: Alteration, of: &[(usize, usize)]) -> Vec<Substitute> {
        let mut events: Vec<Vec<Event>> =
            of.iter().map(|(_, i)| self.divided.readings[*i].events.clone()).collect();
        if alteration.shuffles() {
            for target in 0..self.divided.splits[self.number].readers.len() {
                let own: Vec<usize> = (0..of.len()).filter(|&k| of[k].0 == target).collect();
                let stream = self.stream(Source::Altered(alteration), SHUFFLES + target);
                Alteration::shuffle(&mut events, &own, stream);
            }
        }
        let made = of.par_iter().zip(&events).map(|(&(_, i), events)| {
            let like = &self.divided.readings[i];
            let text = &self.divided.corpus.texts()[like.text];
            let stream = self.stream(Source::Altered(alteration), i);
            let fixations = alteration.played(events, text, stream);
            Substitute::of(like.with_fixations(text, &fixations, self.divided.plan.limits))
        });
        made.collect()
    }

    pub(super) fn reading(
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
            Source::Recorded | Source::Altered(_) => return Some(Substitute::Itself),
            Source::Target | Source::Outsider => {
                readers.forger()?.forge(Some(target), text, limits, stream)?
            }
            Source::Population => readers.forger()?.forge(None, text, limits, stream)?,
        };
        Some(Substitute::of(like.with_fixations(text, &fixations, limits)))
    }

    fn stream(&self, source: Source, index: usize) -> Stream {
        let split = (self.number as u64) << 28;
        let index = stream::ATTACKS + (source.number() << 43) + split + index as u64;
        Stream { seed: self.divided.plan.protocol.seed, index }
    }
}

#[cfg(test)]
mod tests {
    use gazeprint::corpus::{Chars, Fixation, Limits, Millis, Text};
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
        for alteration in Alteration::ALL {
            let made = made(Source::Altered(alteration));
            assert!(made.iter().any(|made| matches!(made, Substitute::Other(_))));
        }
    }
}
