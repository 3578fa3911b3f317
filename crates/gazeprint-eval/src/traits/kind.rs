//! The traits: what each is of, how it is estimated, and what it is called.

use serde::{Serialize, Serializer};

use super::sums::Sums;
use crate::summary::AT_DEG;

/// Fewest saccades that a main sequence is fitted to, as in [`summary`](crate::summary).
const FEWEST_OF_A_LINE: usize = 20;

/// How a trait follows from its observations, each an `x` and a `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Estimator {
    /// The part of them whose `y` is one.
    Rate,
    /// The mean of `y`.
    Mean,
    /// The standard deviation of `y`.
    Spread,
    /// The sum of `y` over the sum of `x`.
    Ratio,
    /// How much `y` grows with `x`, by least squares.
    Slope,
    /// The same of logarithms, where there are enough of them.
    Power,
    /// What `y` is where `x` is [`AT_DEG`], by least squares over logarithms.
    Level,
}

impl Estimator {
    /// The trait of these observations; `None` where they do not tell.
    pub(super) fn of(self, sums: &Sums) -> Option<f64> {
        let line = || (sums.count >= FEWEST_OF_A_LINE).then(|| sums.slope()).flatten();
        let value = match self {
            Self::Rate | Self::Mean => sums.mean(),
            Self::Spread => sums.spread(),
            Self::Ratio => sums.ratio(),
            Self::Slope => sums.slope(),
            Self::Power => line(),
            Self::Level => line().and_then(|slope| Some(sums.at(slope, AT_DEG.ln())?.exp())),
        };
        value.filter(|value| value.is_finite())
    }

    /// Whether it is above zero by its nature, so that its interval is one of logarithms.
    pub(super) fn is_positive(self) -> bool {
        matches!(self, Self::Spread | Self::Ratio | Self::Level)
    }
}

/// Defines the traits: name in files, unit, estimator, and what it is in words.
macro_rules! traits {
    ($($kind:ident $name:literal $unit:literal $estimator:ident $words:literal,)+) => {
        /// Something in which readers differ.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Trait {
            $(#[doc = $words] $kind,)+
        }

        impl Trait {
            /// All traits, in the order of every table.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$kind,)+];
            /// How many there are.
            pub const COUNT: usize = [$(Self::$kind,)+].len();

            /// The name used in files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            /// What it is measured in; `share` is a part of one.
            pub fn unit(self) -> &'static str {
                match self { $(Self::$kind => $unit,)+ }
            }

            /// What it is, in words.
            pub fn words(self) -> &'static str {
                match self { $(Self::$kind => $words,)+ }
            }

            pub(super) fn estimator(self) -> Estimator {
                match self { $(Self::$kind => Estimator::$estimator,)+ }
            }
        }
    };
}

traits! {
    RefixationRate "refixation_rate" "share" Rate "refixations among saccades",
    NextWordRate "next_word_rate" "share" Rate "saccades to the next word among saccades",
    ForwardSkipRate "forward_skip_rate" "share" Rate "forward skips among saccades",
    RegressionRate "regression_rate" "share" Rate "regressions among saccades",
    SkippingProbability "skipping_probability" "share" Rate "words passed before they were fixated, among words passed",
    RefixationProbability "refixation_probability" "share" Rate "new words refixated before they are left, among new words",

    RefixationAmplitude "refixation_amplitude" "characters" Mean "length of refixations",
    RefixationAmplitudeSd "refixation_amplitude_sd" "characters" Spread "spread of the length of refixations",
    NextWordAmplitude "next_word_amplitude" "characters" Mean "length of saccades to the next word",
    NextWordAmplitudeSd "next_word_amplitude_sd" "characters" Spread "spread of the length of saccades to the next word",
    ForwardSkipAmplitude "forward_skip_amplitude" "characters" Mean "length of forward skips",
    ForwardSkipAmplitudeSd "forward_skip_amplitude_sd" "characters" Spread "spread of the length of forward skips",
    RegressionAmplitude "regression_amplitude" "characters" Mean "length of regressions",
    RegressionAmplitudeSd "regression_amplitude_sd" "characters" Spread "spread of the length of regressions",
    ForwardAmplitude "forward_amplitude" "characters" Mean "length of all saccades to the right",
    ForwardAmplitudeSd "forward_amplitude_sd" "characters" Spread "spread of the length of all saccades to the right",

    FixationDuration "fixation_duration" "ms" Mean "duration of fixations",
    FixationDurationSd "fixation_duration_sd" "ms" Spread "spread of the duration of fixations",
    InitialDuration "initial_duration" "ms" Mean "duration of the first fixation of a pass",
    InitialDurationSd "initial_duration_sd" "ms" Spread "spread of the duration of the first fixation of a pass",
    RefixationDuration "refixation_duration" "ms" Mean "duration of fixations after refixations",
    RefixationDurationSd "refixation_duration_sd" "ms" Spread "spread of the duration of fixations after refixations",
    NextWordDuration "next_word_duration" "ms" Mean "duration of fixations after saccades to the next word",
    NextWordDurationSd "next_word_duration_sd" "ms" Spread "spread of the duration of fixations after saccades to the next word",
    ForwardSkipDuration "forward_skip_duration" "ms" Mean "duration of fixations after forward skips",
    ForwardSkipDurationSd "forward_skip_duration_sd" "ms" Spread "spread of the duration of fixations after forward skips",
    RegressionDuration "regression_duration" "ms" Mean "duration of fixations after regressions",
    RegressionDurationSd "regression_duration_sd" "ms" Spread "spread of the duration of fixations after regressions",
    FirstFixationDuration "first_fixation_duration" "ms" Mean "duration of the first fixation on a new word",
    SingleFixationDuration "single_fixation_duration" "ms" Mean "duration of the only fixation on a new word before it is left",
    GazeDuration "gaze_duration" "ms" Mean "gaze on a word before it is left for the first time",
    GazeDurationSd "gaze_duration_sd" "ms" Spread "spread of the gaze on words",

    LineStart "line_start" "characters" Mean "place of the first fixation of a pass",
    LineStartSd "line_start_sd" "characters" Spread "spread of the place of the first fixation of a pass",
    LaunchDistance "launch_distance" "characters" Mean "from the fixation before to the left end of a new word",
    LaunchDistanceSd "launch_distance_sd" "characters" Spread "spread of the distance to the left end of a new word",
    Landing "landing" "share" Mean "landing place in a new word, from its left end (0) to its right (1)",
    LandingSd "landing_sd" "share" Spread "spread of the landing place in a new word",
    LandingByLaunch "landing_by_launch" "characters/character" Slope "how far landings go with the launch, both from the middle of the word",

    DurationByLength "duration_by_length" "ms/letter" Slope "first fixation on a new word, by a letter of the word",
    GazeByLength "gaze_by_length" "ms/letter" Slope "gaze on a word, by a letter of the word",
    RefixationByLength "refixation_by_length" "share/letter" Slope "refixations of a new word, by a letter of the word",
    SkipByLength "skip_by_length" "share/letter" Slope "skips of the next word, by a letter of that word",

    DurationNewWord "duration_new_word" "ms" Slope "fixations further on than any before, against all others",
    DurationLineEnd "duration_line_end" "ms" Slope "fixations on the last word of a line, against all others",
    DurationByPlace "duration_by_place" "ms/text" Slope "fixations at the end of a text, against those at its beginning",
    DurationByLanding "duration_by_landing" "ms" Slope "first fixation on a new word, at either end of it against its middle",
    RefixationByLanding "refixation_by_landing" "share" Slope "refixations of a new word, landed at either end of it against its middle",
    RegressionLineEnd "regression_line_end" "share" Slope "regressions from the last word of a line, against those from others",

    WordsPerMinute "words_per_minute" "words/min" Ratio "words passed in a minute of fixations",
    WordsPerMinuteElapsed "words_per_minute_elapsed" "words/min" Ratio "words passed in a minute by the clock",
    FixationsPerWord "fixations_per_word" "fixations/word" Ratio "fixations by a word passed",

    SaccadeAmplitude "saccade_amplitude" "deg" Mean "amplitude of saccades, as measured",
    SaccadeAmplitudeSd "saccade_amplitude_sd" "deg" Spread "spread of the amplitude of saccades, as measured",
    SaccadeDuration "saccade_duration" "ms" Mean "duration of saccades",
    PeakVelocity "peak_velocity" "deg/s" Mean "peak velocity of saccades",
    MainSequenceVelocity "main_sequence_velocity" "deg/s" Level "peak velocity at 2.5 deg",
    MainSequenceSlope "main_sequence_slope" "log/log" Power "growth of peak velocities with amplitudes, in logarithms",
    SaccadeSkew "saccade_skew" "share" Mean "where in a saccade its peak velocity is",
    Dispersion "dispersion" "deg" Mean "standard deviation of the gaze in fixations",
    DriftSpeed "drift_speed" "deg/s" Mean "drift in fixations",
}

impl Trait {
    /// The trait of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl Serialize for Trait {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
