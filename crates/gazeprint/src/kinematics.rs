//! How the eye moved: the saccade that led to a fixation, and the fixation itself.
//!
//! Trackers of any make report such values, and some of them cannot be: a blink looks like a saccade
//! of 2000 deg/s, and pixels taken for degrees like one across the room. [`Kinematics::believed`]
//! keeps what an eye can do and counts the rest by [`Doubt`].

use crate::kinds::{By, kinds};

/// Smallest and largest amplitude of a saccade, deg: below is noise of trackers, above the eye turns no
/// further.
const AMPLITUDE: [f32; 2] = [0.05, 60.0];
/// Shortest and longest duration of a saccade, ms.
const DURATION: [f32; 2] = [4.0, 250.0];
/// Lowest and highest peak velocity, deg/s. Saccades saturate at 500 to 1000 deg/s.
const PEAK_VELOCITY: [f32; 2] = [5.0, 1500.0];
/// No peak is below the mean of the same saccade; filters and rounding may lower it so far.
const LEAST_PEAK: f32 = 0.9;
/// Largest standard deviation of the gaze in a fixation, deg.
const DISPERSION: f32 = 5.0;
/// Fastest drift in a fixation, deg/s.
const DRIFT: f32 = 50.0;

/// Kinematics of the saccade that led to a fixation, and of the fixation. What is not known is `None`.
///
/// Rightwards and downwards are positive, as on screens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Kinematics {
    /// Horizontal part of the saccade, deg.
    pub dx: Option<f32>,
    /// Vertical part of the saccade, deg.
    pub dy: Option<f32>,
    /// Duration of the saccade, ms.
    pub duration: Option<f32>,
    /// Highest velocity in the saccade, deg/s.
    pub peak_velocity: Option<f32>,
    /// Where in the saccade that was: from 0, its start, to 1, its end.
    pub skew: Option<f32>,
    /// Standard deviation of the horizontal gaze in the fixation, deg.
    pub sd_x: Option<f32>,
    /// The same of the vertical gaze.
    pub sd_y: Option<f32>,
    /// Horizontal drift in the fixation, deg/s.
    pub drift_x: Option<f32>,
    /// Vertical drift in the fixation, deg/s.
    pub drift_y: Option<f32>,
}

/// A fixation as its kinematics tell of it, on words or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Duration of the fixation, ms.
    pub duration: f64,
    /// What can be believed of its kinematics. After a loss of signal, nothing is known of the saccade.
    pub kinematics: Kinematics,
}

kinds! {
    /// Why a value is not believed.
    pub enum Doubt {
        /// Not a finite number.
        NotFinite,
        /// No eye makes such a saccade: too small or too large. The other values of it go with it.
        Amplitude,
        /// Too short or too long a saccade.
        Duration,
        /// Too slow or too fast a saccade.
        PeakVelocity,
        /// A peak below the mean velocity of the same saccade.
        BelowMean,
        /// A peak before the start of the saccade or after its end.
        Skew,
        /// A gaze that rests nowhere, or a negative standard deviation.
        Dispersion,
        /// Too fast for a drift.
        Drift,
    }
}

impl Doubt {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFinite => "not_finite",
            Self::Amplitude => "amplitude",
            Self::Duration => "saccade_duration",
            Self::PeakVelocity => "peak_velocity",
            Self::BelowMean => "peak_below_mean",
            Self::Skew => "skew",
            Self::Dispersion => "dispersion",
            Self::Drift => "drift",
        }
    }
}

/// How many values were not believed, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubts(By<Doubt, usize, { Doubt::COUNT }>);

impl Default for Doubts {
    fn default() -> Self {
        Self(By::of(|_| 0))
    }
}

impl Doubts {
    /// How many for one reason.
    pub fn of(&self, doubt: Doubt) -> usize {
        self.0[doubt]
    }

    /// How many in all.
    pub fn total(&self) -> usize {
        self.0.values().iter().sum()
    }

    /// Blanks a value where there is one, and counts it.
    fn blank(&mut self, value: &mut Option<f32>, doubt: Doubt) {
        self.0[doubt] += usize::from(value.take().is_some());
    }

    /// Blanks a value that does not pass.
    fn test(&mut self, value: &mut Option<f32>, doubt: Doubt, passes: impl Fn(f32) -> bool) {
        if value.is_some_and(|v| !passes(v)) {
            self.blank(value, doubt);
        }
    }
}

impl std::ops::AddAssign for Doubts {
    fn add_assign(&mut self, other: Self) {
        for (a, b) in self.0.values_mut().iter_mut().zip(other.0.values()) {
            *a += b;
        }
    }
}

fn is_within([low, high]: [f32; 2], value: f32) -> bool {
    (low..=high).contains(&value)
}

impl From<[Option<f32>; 9]> for Kinematics {
    /// Of the values of its fields, in their order.
    fn from(values: [Option<f32>; 9]) -> Self {
        let [dx, dy, duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y] = values;
        Self { dx, dy, duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y }
    }
}

impl Kinematics {
    /// How far the saccade went, deg; `None` unless both parts are known.
    pub fn amplitude(&self) -> Option<f32> {
        Some(self.dx?.hypot(self.dy?))
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.values().iter().all(Option::is_none)
    }

    /// The same, knowing nothing of the saccade.
    pub fn without_saccade(self) -> Self {
        let Self { sd_x, sd_y, drift_x, drift_y, .. } = self;
        Self { sd_x, sd_y, drift_x, drift_y, ..Self::default() }
    }

    /// Its values, in the order of its fields.
    pub fn values(&self) -> [Option<f32>; 9] {
        let Self { dx, dy, duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y } = *self;
        [dx, dy, duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y]
    }

    /// The same, to be changed: first those of the saccade, then those of the fixation.
    fn values_mut(&mut self) -> [&mut Option<f32>; 9] {
        let Self { dx, dy, duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y } = self;
        [dx, dy, duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y]
    }

    /// What of it can be believed, and how much cannot, by reason.
    pub fn believed(mut self) -> (Self, Doubts) {
        let mut doubts = Doubts::default();
        for value in self.values_mut() {
            doubts.test(value, Doubt::NotFinite, f32::is_finite);
        }
        self.doubt_saccade(&mut doubts);
        for sd in [&mut self.sd_x, &mut self.sd_y] {
            doubts.test(sd, Doubt::Dispersion, |sd| is_within([0.0, DISPERSION], sd));
        }
        for drift in [&mut self.drift_x, &mut self.drift_y] {
            doubts.test(drift, Doubt::Drift, |drift| drift.abs() < DRIFT);
        }
        (self, doubts)
    }

    fn doubt_saccade(&mut self, doubts: &mut Doubts) {
        let parts = [self.dx, self.dy];
        let is_far = parts.iter().flatten().any(|part| part.abs() > AMPLITUDE[1]);
        if is_far || self.amplitude().is_some_and(|a| !is_within(AMPLITUDE, a)) {
            let [saccade @ .., _, _, _, _] = self.values_mut();
            saccade.into_iter().for_each(|value| doubts.blank(value, Doubt::Amplitude));
        }
        doubts.test(&mut self.duration, Doubt::Duration, |d| is_within(DURATION, d));
        let is_possible = |v| is_within(PEAK_VELOCITY, v);
        doubts.test(&mut self.peak_velocity, Doubt::PeakVelocity, is_possible);
        if let Some((amplitude, duration)) = self.amplitude().zip(self.duration) {
            let mean = 1000.0 * amplitude / duration;
            let is_peak = |v| v >= LEAST_PEAK * mean;
            doubts.test(&mut self.peak_velocity, Doubt::BelowMean, is_peak);
        }
        doubts.test(&mut self.skew, Doubt::Skew, |skew| is_within([0.0, 1.0], skew));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading_saccade() -> Kinematics {
        Kinematics {
            dx: Some(2.4),
            dy: Some(0.1),
            duration: Some(28.0),
            peak_velocity: Some(160.0),
            skew: Some(0.45),
            sd_x: Some(0.08),
            sd_y: Some(0.11),
            drift_x: Some(-0.4),
            drift_y: Some(1.2),
        }
    }

    #[test]
    fn what_an_eye_can_do_is_believed() {
        let kinematics = reading_saccade();
        assert_eq!(kinematics.believed(), (kinematics, Doubts::default()));
        assert_eq!(Kinematics::default().believed(), Default::default());
    }

    #[test]
    fn each_doubt_blanks_what_it_is_about() {
        let told = reading_saccade();
        let some = Some;
        let none = Kinematics::default();
        let cases = [
            (Kinematics { sd_x: some(f32::NAN), ..told }, Doubt::NotFinite, 1),
            (Kinematics { dx: some(f32::INFINITY), ..told }, Doubt::NotFinite, 1),
            (Kinematics { dx: some(0.01), dy: some(0.01), ..told }, Doubt::Amplitude, 5),
            (Kinematics { dx: some(-180.0), ..none }, Doubt::Amplitude, 1),
            (Kinematics { duration: some(900.0), ..told }, Doubt::Duration, 1),
            (Kinematics { duration: some(-20.0), ..told }, Doubt::Duration, 1),
            (Kinematics { peak_velocity: some(4000.0), ..told }, Doubt::PeakVelocity, 1),
            (Kinematics { peak_velocity: some(50.0), ..told }, Doubt::BelowMean, 1),
            (Kinematics { skew: some(1.5), ..told }, Doubt::Skew, 1),
            (Kinematics { sd_y: some(-0.1), ..told }, Doubt::Dispersion, 1),
            (Kinematics { drift_x: some(80.0), ..told }, Doubt::Drift, 1),
        ];
        for (kinematics, doubt, count) in cases {
            let (believed, doubts) = kinematics.believed();
            assert_eq!((doubts.of(doubt), doubts.total()), (count, count), "{kinematics:?}");
            assert_ne!(believed, kinematics);
            assert_eq!(believed.believed(), (believed, Doubts::default()), "to be believed twice");
        }
    }

    #[test]
    fn a_fixation_stays_where_the_saccade_is_not_known() {
        let told = reading_saccade();
        let fixation = told.without_saccade();
        assert_eq!(fixation.amplitude(), None);
        assert_eq!((fixation.sd_x, fixation.drift_y), (told.sd_x, told.drift_y));
        assert!(!fixation.is_empty() && fixation.peak_velocity.is_none());
    }
}
