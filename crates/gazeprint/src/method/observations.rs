//! Training readings, sorted by reader and density.

use super::Training;
use crate::saccade::{ByType, DensityId, Event, Observation, Reading, SaccadeType};
use crate::template::ReaderModel;

/// What each reader showed of each density, and of the saccade types.
#[derive(Debug, Clone)]
pub struct Observations {
    readers: usize,
    /// By density, then reader.
    samples: Vec<Vec<Observation>>,
    /// By reader: how often each type occurred.
    pub types: Vec<ByType<usize>>,
    /// By reader: refixations forward and backward.
    pub refixations: Vec<[usize; 2]>,
    max_width: usize,
}

impl Observations {
    /// Those of all training readings.
    pub fn of(training: &Training<'_>) -> Self {
        let readings = training.readings().iter().copied();
        Self::collect(training.readers(), readings, |_, _, event| event.duration)
    }

    /// Those of one density and one reader, of whom nothing else is known.
    pub fn of_one(id: DensityId, observations: Vec<Observation>) -> Self {
        let mut all = Self::collect(1, std::iter::empty(), |_, _, event| event.duration);
        all.samples[id as usize] = observations;
        all
    }

    /// Those of the training readings that are marked.
    pub(super) fn marked(training: &Training<'_>, marks: &[bool]) -> Self {
        let readings = training.readings().iter().zip(marks);
        let readings = readings.filter(|(_, marked)| **marked).map(|(reading, _)| *reading);
        Self::collect(training.readers(), readings, |_, _, event| event.duration)
    }

    /// Those of some readings, each with its reader, with durations as `duration` gives them: it
    /// is asked with the reader, the fixation before in the pass, and the fixation.
    pub(super) fn collect<'a>(
        readers: usize,
        readings: impl Iterator<Item = (usize, &'a Reading)>,
        duration: impl Fn(usize, Option<&Event>, &Event) -> f64,
    ) -> Self {
        let mut all = Self {
            readers,
            samples: vec![Vec::new(); DensityId::ALL.len() * readers],
            types: vec![ByType::of(|_| 0); readers],
            refixations: vec![[0; 2]; readers],
            max_width: 1,
        };
        for (reader, reading) in readings {
            for (previous, event) in reading.with_previous() {
                all.push(event.density, reader, event.amplitude);
                let duration = Observation::free(duration(reader, previous, event));
                all.push(event.duration_density(), reader, duration);
                if let Some(kind) = event.kind {
                    all.types[reader][kind] += 1;
                }
                match event.density {
                    DensityId::Alpha1 => all.refixations[reader][0] += 1,
                    DensityId::Alpha1Bar => all.refixations[reader][1] += 1,
                    DensityId::Alpha2 => {
                        let width = (event.amplitude.upper - event.amplitude.lower).round();
                        all.max_width = all.max_width.max(width as usize);
                    }
                    _ => {}
                }
            }
        }
        all
    }

    fn push(&mut self, id: DensityId, reader: usize, observation: Observation) {
        self.samples[id as usize * self.readers + reader].push(observation);
    }

    /// Number of readers.
    pub fn readers(&self) -> usize {
        self.readers
    }

    /// What one reader showed of one density.
    pub fn of_reader(&self, id: DensityId, reader: usize) -> &[Observation] {
        &self.samples[id as usize * self.readers + reader]
    }

    /// What all readers showed of one density.
    pub fn pooled(&self, id: DensityId) -> impl Iterator<Item = &Observation> {
        let start = id as usize * self.readers;
        self.samples[start..start + self.readers].iter().flatten()
    }

    /// Width of the widest word that a saccade to the next word was aimed at, in characters.
    pub fn max_width(&self) -> usize {
        self.max_width
    }

    /// The model of some readers taken as one: posterior means of pi and mu under flat priors, with
    /// densities that are given.
    pub(super) fn model(
        &self,
        readers: std::ops::Range<usize>,
        log_densities: Vec<Vec<f64>>,
    ) -> ReaderModel {
        let mut types: ByType<usize> = ByType::of(|_| 0);
        let mut refixations = [0; 2];
        for reader in readers {
            SaccadeType::ALL.iter().for_each(|kind| types[*kind] += self.types[reader][*kind]);
            refixations.iter_mut().zip(self.refixations[reader]).for_each(|(t, n)| *t += n);
        }
        let total = types.values().iter().sum::<usize>() as f64;
        let [forward, backward] = refixations.map(|n| n as f64);
        ReaderModel {
            pi: types.map(|n| (n as f64 + 1.0) / (total + SaccadeType::COUNT as f64)),
            mu: (forward + 1.0) / (forward + backward + 2.0),
            log_densities,
        }
    }
}
