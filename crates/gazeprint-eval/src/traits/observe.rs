//! From readings to the observations that traits are made of.

use gazeprint::corpus::{Corpus, Fixation, Millis};
use gazeprint::kinematics::{Kinematics, Motion};
use gazeprint::saccade::{Event, Reading, SaccadeType};

use super::kind::Trait;
use super::sums::Sums;

const MS_PER_MINUTE: f64 = 60_000.0;

/// Observations by trait.
#[derive(Debug, Clone)]
pub(super) struct Observed(Box<[Sums; Trait::COUNT]>);

impl Default for Observed {
    fn default() -> Self {
        Self(Box::new([Sums::default(); Trait::COUNT]))
    }
}

impl Observed {
    pub(super) fn of(&self, what: Trait) -> &Sums {
        &self.0[what as usize]
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(sums, other)| sums.add(other));
    }

    /// Notes a value.
    fn value(&mut self, what: Trait, value: f64) {
        self.pair(what, 0.0, value);
    }

    /// Notes a value for a trait and its spread.
    fn values(&mut self, [mean, spread]: [Trait; 2], value: f64) {
        self.value(mean, value);
        self.value(spread, value);
    }

    fn pair(&mut self, what: Trait, x: f64, y: f64) {
        self.0[what as usize].add(&Sums::one(x, y));
    }

    /// Notes whether something was so.
    fn is(&mut self, what: Trait, x: f64, so: bool) {
        self.pair(what, x, f64::from(u8::from(so)));
    }

    /// Notes what one reading shows.
    pub(super) fn see(&mut self, corpus: &Corpus, reading: &Reading) {
        for duration in reading.durations() {
            self.values([Trait::FixationDuration, Trait::FixationDurationSd], duration);
        }
        for (before, event) in reading.with_previous() {
            match before.zip(event.kind) {
                Some((before, kind)) => self.saccade(reading, before, event, kind),
                None => self.line_start(event),
            }
            self.situation(event);
        }
        for (place, event) in reading.events.iter().enumerate().filter(|(_, e)| e.situation.new) {
            self.new_word(event, &reading.events[place + 1..]);
        }
        self.passed(corpus, reading);
        reading.motions.iter().for_each(|motion| self.motion(motion));
    }

    fn line_start(&mut self, event: &Event) {
        self.values([Trait::LineStart, Trait::LineStartSd], event.x);
        self.values([Trait::InitialDuration, Trait::InitialDurationSd], event.duration);
    }

    /// A saccade on a line with the fixation that it leads to.
    fn saccade(&mut self, reading: &Reading, before: &Event, event: &Event, kind: SaccadeType) {
        use SaccadeType::{ForwardSkip, NextWord, Refixation, Regression};
        let rates = [
            (Refixation, Trait::RefixationRate),
            (NextWord, Trait::NextWordRate),
            (ForwardSkip, Trait::ForwardSkipRate),
            (Regression, Trait::RegressionRate),
        ];
        rates.into_iter().for_each(|(of, rate)| self.is(rate, 0.0, kind == of));
        let (amplitude, duration) = match kind {
            Refixation => (
                [Trait::RefixationAmplitude, Trait::RefixationAmplitudeSd],
                [Trait::RefixationDuration, Trait::RefixationDurationSd],
            ),
            NextWord => (
                [Trait::NextWordAmplitude, Trait::NextWordAmplitudeSd],
                [Trait::NextWordDuration, Trait::NextWordDurationSd],
            ),
            ForwardSkip => (
                [Trait::ForwardSkipAmplitude, Trait::ForwardSkipAmplitudeSd],
                [Trait::ForwardSkipDuration, Trait::ForwardSkipDurationSd],
            ),
            Regression => (
                [Trait::RegressionAmplitude, Trait::RegressionAmplitudeSd],
                [Trait::RegressionDuration, Trait::RegressionDurationSd],
            ),
        };
        self.values(amplitude, event.amplitude.value);
        self.values(duration, event.duration);
        if let Some(step) = event.step().filter(|&step| step > 0.0) {
            self.values([Trait::ForwardAmplitude, Trait::ForwardAmplitudeSd], step);
        }
        let was_last = before.situation.around[1] == 0;
        self.is(Trait::RegressionLineEnd, f64::from(u8::from(was_last)), kind == Regression);
        if matches!(kind, NextWord | ForwardSkip) {
            if let Some(length) = before.situation.lengths[1] {
                self.is(Trait::SkipByLength, length, kind == ForwardSkip);
            }
            if event.situation.new {
                self.landing(reading, before, event);
            }
        }
    }

    /// Where a saccade landed in a word that is further on than any before.
    fn landing(&mut self, reading: &Reading, before: &Event, event: &Event) {
        let bounds = &reading.bounds[event.line];
        let (left, right) = (bounds[event.word], bounds[event.word + 1]);
        let middle = 0.5 * (left + right);
        self.values([Trait::LaunchDistance, Trait::LaunchDistanceSd], left - before.x);
        self.values([Trait::Landing, Trait::LandingSd], event.situation.landing);
        self.pair(Trait::LandingByLaunch, before.x - middle, event.x - middle);
    }

    /// What a fixation's duration depends on.
    fn situation(&mut self, event: &Event) {
        let Event { duration, situation, .. } = event;
        let is = |so: bool| f64::from(u8::from(so));
        self.pair(Trait::DurationNewWord, is(situation.new), *duration);
        self.pair(Trait::DurationLineEnd, is(situation.around[1] == 0), *duration);
        self.pair(Trait::DurationByPlace, situation.place, *duration);
    }

    /// A word that is further on than any before, with all that follows the first fixation on it: its gaze
    /// is of the fixations that count, whatever came between them that does not.
    fn new_word(&mut self, first: &Event, after: &[Event]) {
        let stays = |event: &&Event| event.kind == Some(SaccadeType::Refixation);
        let gaze: f64 = after.iter().take_while(stays).map(|event| event.duration).sum();
        let gaze = first.duration + gaze;
        let refixated = after.first().is_some_and(|next| stays(&next));
        let from_middle = 2.0 * (first.situation.landing - 0.5).abs();
        self.value(Trait::FirstFixationDuration, first.duration);
        if !refixated {
            self.value(Trait::SingleFixationDuration, first.duration);
        }
        self.is(Trait::RefixationProbability, 0.0, refixated);
        self.values([Trait::GazeDuration, Trait::GazeDurationSd], gaze);
        self.pair(Trait::DurationByLanding, from_middle, first.duration);
        self.is(Trait::RefixationByLanding, from_middle, refixated);
        if let Some(length) = first.situation.lengths[0] {
            self.pair(Trait::DurationByLength, length, first.duration);
            self.pair(Trait::GazeByLength, length, gaze);
            self.is(Trait::RefixationByLength, length, refixated);
        }
    }

    /// Words up to the furthest one: which were fixated in passing, and how long they took.
    fn passed(&mut self, corpus: &Corpus, reading: &Reading) {
        let mut first_words = vec![0];
        first_words.extend(reading.bounds.iter().scan(0, |words, line| {
            *words += line.len() - 1;
            Some(*words)
        }));
        let numbers = reading.events.iter().map(|event| first_words[event.line] + event.word + 1);
        let Some(passed) = numbers.max() else { return };
        // Each event on a word further on than any before is the first fixation of a word in passing.
        let fixated_in_passing = reading.events.iter().filter(|event| event.situation.new).count();
        for word in 0..passed {
            self.is(Trait::SkippingProbability, 0.0, word >= fixated_in_passing);
        }
        let words = passed as f64;
        let fixated: f64 = reading.durations().sum();
        self.pair(Trait::WordsPerMinute, fixated / MS_PER_MINUTE, words);
        self.pair(Trait::FixationsPerWord, words, reading.events.len() as f64);
        let fixations = &corpus.scanpaths()[reading.scanpath].fixations;
        // A clock that starts anew within a reading tells nothing.
        if let Some(elapsed) = elapsed(fixations).filter(|&elapsed| elapsed >= fixated) {
            self.pair(Trait::WordsPerMinuteElapsed, elapsed / MS_PER_MINUTE, words);
        }
    }

    fn motion(&mut self, Motion { kinematics, .. }: &Motion) {
        let Kinematics { duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y, .. } =
            *kinematics;
        let amplitude = kinematics.amplitude();
        if let Some(amplitude) = amplitude {
            let both = [Trait::SaccadeAmplitude, Trait::SaccadeAmplitudeSd];
            self.values(both, f64::from(amplitude));
        }
        let both = |x: Option<f32>, y: Option<f32>| Some((x?.powi(2) + y?.powi(2)).sqrt());
        let values = [
            (Trait::SaccadeDuration, duration),
            (Trait::PeakVelocity, peak_velocity),
            (Trait::SaccadeSkew, skew),
            (Trait::Dispersion, both(sd_x, sd_y)),
            (Trait::DriftSpeed, both(drift_x, drift_y)),
        ];
        for (what, value) in values {
            value.into_iter().for_each(|value| self.value(what, f64::from(value)));
        }
        if let Some((amplitude, velocity)) = amplitude.zip(peak_velocity) {
            let (x, y) = (f64::from(amplitude).ln(), f64::from(velocity).ln());
            self.pair(Trait::MainSequenceVelocity, x, y);
            self.pair(Trait::MainSequenceSlope, x, y);
        }
    }
}

/// From the start of the first fixation to the end of the last one, ms, where both are known.
fn elapsed(fixations: &[Fixation]) -> Option<f64> {
    let Millis(start) = fixations.first()?.onset?;
    let last = fixations.last()?;
    let (Millis(onset), Millis(duration)) = (last.onset?, last.duration?);
    Some(onset + duration - start).filter(|elapsed| elapsed.is_finite() && *elapsed > 0.0)
}
