//! What formats with eyes, messages and samples are told, the same for each.

use std::sync::Arc;

use super::detect::{Detector, Scale};
use super::recording::{Eye, Reason};
use super::trials::TrialPatterns;

/// A fixation of the eye that is not taken.
pub(super) const OTHER_EYE: Reason = Reason::aside("other_eye");

/// Which eye to take where both were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EyeChoice {
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// For each trial the one with more fixations. The eye of the trial before stays unless the
    /// other has a tenth more, so that a recording does not change eyes for a fixation or two. At
    /// first, and with equal numbers, it is the right one.
    #[default]
    Best,
}

impl EyeChoice {
    /// Reads `left`, `right` or `best`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "left" => Ok(Self::Left),
            "right" => Ok(Self::Right),
            "best" => Ok(Self::Best),
            _ => Err(format!("found {text:?}, expected left, right or best")),
        }
    }

    /// The eye to take, given fixations of each and the eye of the trial before.
    pub(crate) fn choose(self, left: usize, right: usize, last: Option<Eye>) -> Eye {
        let stays = |mine: usize, other: usize| match last {
            Some(_) => other < (mine + mine.div_ceil(10)).max(1),
            None => other <= mine,
        };
        match (self, last) {
            (Self::Left, _) => Eye::Left,
            (Self::Right, _) => Eye::Right,
            (Self::Best, Some(Eye::Left)) if stays(left, right) => Eye::Left,
            (Self::Best, Some(Eye::Left)) => Eye::Right,
            (Self::Best, _) if stays(right, left) => Eye::Right,
            (Self::Best, _) => Eye::Left,
        }
    }

    /// Whether an eye may be taken.
    pub(crate) fn allows(self, eye: Eye) -> bool {
        match self {
            Self::Left => eye == Eye::Left,
            Self::Right => eye == Eye::Right,
            Self::Best => true,
        }
    }
}

/// What to take from a recording, and how.
#[derive(Debug, Clone, Default)]
pub struct GazeOptions {
    /// Who reads, where the recording does not say.
    pub reader: Option<Arc<str>>,
    /// The session, where the recording does not say.
    pub session: Option<Arc<str>>,
    /// Which eye, where both were recorded.
    pub eye: EyeChoice,
    /// How messages name texts and trials.
    pub patterns: TrialPatterns,
    /// How fixations are found in samples.
    pub detector: Detector,
    /// How pixels and degrees relate, as [`super::detect::Screen::scale`] has it.
    pub scale: Option<Scale>,
    /// Width and height of the screen in pixels, for positions in parts of it.
    pub screen_px: Option<(f64, f64)>,
    /// Finds fixations in samples even where the recording has events.
    pub from_samples: bool,
    /// Degrees, and parts of the screen, count upwards. Pixels always count downwards.
    pub y_up: bool,
    /// Samples a second, where the recording counts them and does not time them.
    pub rate_hz: Option<f64>,
    /// The mark of validity that good samples or fixations have; found out where none is given.
    pub valid: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eyes_have_names() {
        assert_eq!(EyeChoice::parse("best"), Ok(EyeChoice::default()));
        assert!(EyeChoice::parse("left").is_ok_and(|eye| !eye.allows(Eye::Right)));
        assert!(EyeChoice::parse("both").unwrap_err().contains("left, right or best"));
    }
}
