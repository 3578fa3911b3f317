//! From the kinematics of fixations to motions.

use crate::corpus::{DropReason, Fixation, Limits};
use crate::kinematics::{Doubts, Kinematics, Motion};

/// Follows the kinematics of a scanpath from fixation to fixation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Track {
    /// Where the fixation before was on the page.
    before: Option<[f32; 2]>,
}

impl Track {
    /// What can be believed of the next fixation. Where the saccade was not measured, it leads from
    /// place to place.
    pub(crate) fn see(&mut self, fixation: &Fixation) -> (Kinematics, Doubts) {
        let place = fixation.known_place();
        let before = std::mem::replace(&mut self.before, place);
        if fixation.gap {
            return fixation.kinematics.without_saccade().believed();
        }
        let (believed, doubts) = fixation.kinematics.believed();
        let is_measured = fixation.kinematics.dx.is_some() || fixation.kinematics.dy.is_some();
        let moved = before.zip(place).filter(|_| !is_measured).map(|(from, to)| Kinematics {
            dx: Some(to[0] - from[0]),
            dy: Some(to[1] - from[1]),
            ..believed
        });
        // Two fixations at one place, or far apart, have no saccade between them that could be told.
        let moved = moved.filter(|moved| moved.believed().0 == *moved);
        (moved.unwrap_or(believed), doubts)
    }
}

/// A fixation as a motion, if there is one to tell of: its duration counts, and something is known of
/// how the eye moved.
pub(super) fn motion(
    fixation: &Fixation,
    kinematics: Kinematics,
    limits: Limits,
) -> Option<Motion> {
    let duration = fixation.lasted(limits).ok()?;
    (!kinematics.is_empty()).then_some(Motion { duration, kinematics })
}

/// A fixation on a page without words, where any place or motion will do; or why it does not count.
pub(super) fn on_unknown_page(
    fixation: &Fixation,
    kinematics: Kinematics,
    limits: Limits,
) -> Result<Motion, DropReason> {
    if kinematics.is_empty() && fixation.known_place().is_none() {
        return Err(DropReason::MissingPosition);
    }
    Ok(Motion { duration: fixation.lasted(limits)?, kinematics })
}

/// What was not believed of the kinematics of a scanpath.
pub fn doubts(fixations: &[Fixation]) -> Doubts {
    let mut track = Track::default();
    let mut doubts = Doubts::default();
    fixations.iter().for_each(|fixation| doubts += track.see(fixation).1);
    doubts
}
