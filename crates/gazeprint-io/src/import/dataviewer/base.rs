//! Whether the fixation report counts areas as the interest-area report does.

use crate::import::layout::{Layout, Word};
use crate::import::recording::{Position, RawFixation, RowPlace, Sink};

/// What is added to the number of an area in the fixation report. Counting from 0 in one report and
/// from 1 in the other gives 1 or -1.
const SHIFTS: [i64; 3] = [0, 1, -1];

/// This many fixations with an area decide.
const ENOUGH: u32 = 256;
/// No more rows than this wait for the decision.
const MOST_WAITING: usize = 4096;

/// An edge is part of both areas that share it, and reports round.
const SLACK: f64 = 1.0;

/// A fixation with the number of its area.
pub(super) struct Seen {
    pub(super) place: RowPlace,
    pub(super) fixation: RawFixation,
    pub(super) area: Option<i64>,
    pub(super) label: Option<String>,
}

/// Counts how well each shift fits.
#[derive(Default)]
pub(super) struct Base {
    decided: Option<usize>,
    asked: u32,
    waiting: Vec<Seen>,
    inside: [u64; 3],
    outside: [u64; 3],
}

impl Base {
    /// Whether the shift is known.
    pub(super) fn is_decided(&self) -> bool {
        self.decided.is_some()
    }

    /// Takes a fixation before the shift is known; `true` when there are enough.
    pub(super) fn wait(&mut self, seen: Seen, layout: Option<&Layout>) -> bool {
        if let (Some(layout), Some(area)) = (layout, seen.area) {
            self.asked += 1;
            for (at, shift) in SHIFTS.iter().enumerate() {
                let word = area.checked_sub(*shift).and_then(|area| layout.word_of(area));
                self.count(at, &seen, word.map(|(_, word)| word));
            }
        }
        self.waiting.push(seen);
        self.asked >= ENOUGH || self.waiting.len() >= MOST_WAITING
    }

    /// Decides for the shift with which most fixations are in their areas, and gives back those that
    /// waited.
    pub(super) fn decide(&mut self) -> Vec<Seen> {
        let score = |at: usize| self.inside[at] as i64 - self.outside[at] as i64;
        // Of equals the first counts, which is no shift.
        let best = (0..SHIFTS.len()).rev().max_by_key(|&at| score(at)).unwrap_or(0);
        self.decided = Some(best);
        std::mem::take(&mut self.waiting)
    }

    /// The number of the word that a fixation is on, in the report of areas.
    pub(super) fn word(&mut self, seen: &Seen, layout: &Layout, is_counted: bool) -> Option<u32> {
        let (area, shift) = (seen.area?, self.decided?);
        let word = layout.word_of(area.checked_sub(SHIFTS[shift])?);
        if !is_counted {
            self.count(shift, seen, word.map(|(_, word)| word));
        }
        word.filter(|_| self.inside[shift] > 0).map(|(number, _)| number)
    }

    /// Counts whether a fixation is in the area that it should be in.
    fn count(&mut self, shift: usize, seen: &Seen, word: Option<&Word>) {
        let is_within = word.is_some_and(|word| match seen.fixation.position {
            Position::Pixels { x, y } => {
                (word.left - SLACK..=word.right + SLACK).contains(&x)
                    && (word.top - SLACK..=word.bottom + SLACK).contains(&y)
            }
            _ => seen.label.is_some() && seen.label == word.label,
        });
        self.inside[shift] += u64::from(is_within);
        self.outside[shift] += u64::from(!is_within);
    }

    /// Notes what was decided, and why.
    pub(super) fn note(&self, sink: &mut dyn Sink) {
        let Some(decided) = self.decided.filter(|_| self.asked > 0) else { return };
        let relation = match SHIFTS[decided] {
            0 => "the same number as",
            1 => "a number one higher than",
            _ => "a number one lower than",
        };
        let shares = SHIFTS.iter().enumerate().map(|(at, shift)| {
            let total = self.inside[at] + self.outside[at];
            format!("{} of {total} for a difference of {shift}", self.inside[at])
        });
        let shares: Vec<_> = shares.collect();
        sink.note(format!(
            "areas have {relation} in the report of areas; fixations inside their area: {}",
            shares.join(", "),
        ));
    }
}
