//! Readings as attackers present them.

use gazeprint::corpus::{Chars, Fixation, Millis, Text};
use gazeprint::gallery::Gallery;
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

impl Making<'_> {
    /// What is presented in place of readings, given with their targets; by place in the corpus.
    /// `None` where the gallery cannot make it.
    pub(super) fn readings(
        &self,
        gallery: &dyn Gallery,
        source: Source,
        of: &[(usize, usize)],
    ) -> Option<Vec<Option<Reading>>> {
        let made: Option<Vec<Option<Reading>>> =
            of.par_iter().map(|&(target, i)| self.reading(gallery, source, target, i)).collect();
        let mut all = vec![None; self.divided.readings.len()];
        for (&(_, i), made) in of.iter().zip(made?) {
            all[i] = made;
        }
        Some(all)
    }

    /// One of them; the inner `None` stands for the reading itself.
    fn reading(
        &self,
        gallery: &dyn Gallery,
        source: Source,
        target: usize,
        index: usize,
    ) -> Option<Option<Reading>> {
        let like = &self.divided.readings[index];
        let text = &self.divided.corpus.texts()[like.text];
        let limits = self.divided.plan.limits;
        let stream = self.stream(source, index);
        let fixations = match source {
            Source::Recorded => return Some(None),
            Source::Altered => altered(like, text, stream),
            Source::Target => gallery.forge(Some(target), text, limits, stream)?,
            Source::Population => gallery.forge(None, text, limits, stream)?,
        };
        Some(like.with_fixations(text, &fixations, limits))
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
                onset: None,
                gap,
            });
        }
    }
    fixations
}
