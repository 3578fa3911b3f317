//! Saccades as the tracker found them.

use gazeprint::kinematics::Kinematics;

use super::super::detect::{LONGEST_INTERVAL_MS, Scale};
use super::super::recording::Sink;
use super::index;
use super::line::{Fixation, Saccade};

/// The last saccade of each eye, which leads to the next fixation.
#[derive(Debug, Default)]
pub(super) struct Saccades {
    last: [Option<Saccade>; 2],
    measured: u64,
    /// Values that samples are too slow to tell.
    too_slow: u64,
}

impl Saccades {
    pub(super) fn see(&mut self, saccade: Saccade) {
        self.last[index(saccade.eye)] = Some(saccade);
    }

    /// Nothing is known of what comes before the next fixations.
    pub(super) fn lose(&mut self) {
        self.last = [None; 2];
    }

    /// The kinematics of the saccade before a fixation, where there was one right before it. Samples are
    /// so many milliseconds apart, if that is known.
    pub(super) fn before(
        &mut self,
        fixation: &Fixation,
        interval: f64,
        scale: Option<Scale>,
    ) -> Kinematics {
        let Some(saccade) = self.last[index(fixation.eye)].take() else {
            return Kinematics::default();
        };
        // The fixation begins with the sample after the saccade.
        let pause = fixation.start - saccade.end;
        if !(0.0..=2.0 * interval.max(1.0)).contains(&pause) {
            return Kinematics::default();
        }
        self.measured += 1;
        let step = saccade.degrees(scale);
        let mut kinematics = Kinematics {
            dx: step.map(|(x, _)| x as f32),
            dy: step.map(|(_, y)| y as f32),
            duration: Some((saccade.end - saccade.start + interval) as f32),
            peak_velocity: saccade.peak_velocity.map(|peak| peak as f32),
            ..Kinematics::default()
        };
        if interval > LONGEST_INTERVAL_MS + 1e-6 {
            for value in [&mut kinematics.duration, &mut kinematics.peak_velocity] {
                self.too_slow += u64::from(value.take().is_some());
            }
        }
        kinematics
    }

    pub(super) fn note(&self, sink: &mut dyn Sink) {
        if self.measured > 0 {
            sink.note(format!(
                "kinematics of {} saccades are those of the tracker: amplitude, duration, peak velocity",
                self.measured
            ));
        }
        if self.too_slow > 0 {
            sink.note(format!(
                "{} durations and peak velocities of saccades are left out: samples at less than \
                 200 Hz do not tell them",
                self.too_slow
            ));
        }
    }
}

impl Saccade {
    /// How far it went, in degrees: as far as the tracker says, in the direction of its ends.
    fn degrees(&self, scale: Option<Scale>) -> Option<(f64, f64)> {
        let (from, to) = (self.from?, self.to?);
        let own = self.resolution.and_then(|(x, y)| Scale::pixels_per_degree(x, y).ok());
        let in_scale = own.or(scale).map(|scale| {
            let [from, to] = [from, to].map(|(x, y)| scale.degrees(x, y));
            (to.0 - from.0, to.1 - from.1)
        });
        let (x, y) = in_scale.unwrap_or((to.0 - from.0, to.1 - from.1));
        let length = x.hypot(y);
        match self.amplitude {
            Some(amplitude) if length > 0.0 => {
                Some((x / length * amplitude, y / length * amplitude))
            }
            _ => in_scale,
        }
    }
}
