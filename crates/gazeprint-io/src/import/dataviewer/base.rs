//! Whether the fixation report counts areas as the interest-area report or the map of characters
//! does.

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
pub(super) struct AreaFixation {
    pub(super) place: RowPlace,
    pub(super) fixation: RawFixation,
    pub(super) area: Option<i64>,
    pub(super) label: Option<String>,
    /// Its number in the reading.
    pub(super) index: Option<f64>,
    /// Which reading it is of those that the report has as one, from 1.
    pub(super) part: u64,
}

/// Counts how well each shift fits, while rows wait.
pub(super) struct Base<T> {
    decided: Option<usize>,
    asked: u32,
    waiting: Vec<T>,
    inside: [u64; 3],
    outside: [u64; 3],
}

impl<T> Default for Base<T> {
    fn default() -> Self {
        Self { decided: None, asked: 0, waiting: Vec::new(), inside: [0; 3], outside: [0; 3] }
    }
}

impl<T> Base<T> {
    /// Whether the shift is known.
    pub(super) fn is_decided(&self) -> bool {
        self.decided.is_some()
    }

    /// The number that an area has elsewhere.
    pub(super) fn elsewhere(&self, area: i64) -> Option<i64> {
        area.checked_sub(SHIFTS[self.decided?])
    }

    /// What holds for the number that an area would have elsewhere, for each shift.
    pub(super) fn try_all(area: i64, mut fits: impl FnMut(i64) -> bool) -> [bool; 3] {
        SHIFTS.map(|shift| area.checked_sub(shift).is_some_and(&mut fits))
    }

    /// Takes a row before the shift is known, and whether it fits each shift; `true` when there are
    /// enough.
    pub(super) fn wait(&mut self, row: T, fits: Option<[bool; 3]>) -> bool {
        if let Some(fits) = fits {
            self.asked += 1;
            for (at, fits) in fits.into_iter().enumerate() {
                self.count(at, fits);
            }
        }
        self.waiting.push(row);
        self.asked >= ENOUGH || self.waiting.len() >= MOST_WAITING
    }

    /// Decides for the shift that most rows fit, and gives back those that waited.
    pub(super) fn decide(&mut self) -> Vec<T> {
        let score = |at: usize| self.inside[at] as i64 - self.outside[at] as i64;
        // Of equals the first counts, which is no shift.
        let best = (0..SHIFTS.len()).rev().max_by_key(|&at| score(at)).unwrap_or(0);
        self.decided = Some(best);
        std::mem::take(&mut self.waiting)
    }

    /// Counts whether a row fits the shift that was decided on.
    pub(super) fn see(&mut self, fits: bool) {
        if let Some(shift) = self.decided {
            self.count(shift, fits);
        }
    }

    fn count(&mut self, shift: usize, fits: bool) {
        self.inside[shift] += u64::from(fits);
        self.outside[shift] += u64::from(!fits);
    }

    /// Whether any row fits what was decided.
    fn is_sound(&self) -> bool {
        self.decided.is_some_and(|shift| self.inside[shift] > 0)
    }

    /// Notes what was decided against which table, and how many fixations are as they should be.
    /// `false` where there was nothing to decide by.
    pub(super) fn note(&self, table: &str, fitting: &str, sink: &mut dyn Sink) -> bool {
        let Some(decided) = self.decided.filter(|_| self.asked > 0) else { return false };
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
            "areas have {relation} in {table}; fixations {fitting}: {}",
            shares.join(", "),
        ));
        true
    }
}

impl Base<AreaFixation> {
    /// Whether a fixation is in its area, for each shift.
    pub(super) fn fits(seen: &AreaFixation, layout: Option<&Layout>) -> Option<[bool; 3]> {
        let layout = layout?;
        Some(Self::try_all(seen.area?, |area| {
            layout.word_of(area).is_some_and(|(_, word)| seen.is_in(word))
        }))
    }

    /// The number of the word that a fixation is on, in the report of areas.
    pub(super) fn word(
        &mut self,
        seen: &AreaFixation,
        layout: &Layout,
        is_counted: bool,
    ) -> Option<u32> {
        let word = layout.word_of(self.elsewhere(seen.area?)?);
        if !is_counted {
            self.see(word.is_some_and(|(_, word)| seen.is_in(word)));
        }
        word.filter(|_| self.is_sound()).map(|(number, _)| number)
    }
}

impl AsMut<Self> for AreaFixation {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl AreaFixation {
    /// Whether a fixation is in the area of a word.
    fn is_in(&self, word: &Word) -> bool {
        match self.fixation.position {
            Position::Pixels { x, y } => {
                (word.left - SLACK..=word.right + SLACK).contains(&x)
                    && (word.top - SLACK..=word.bottom + SLACK).contains(&y)
            }
            _ => self
                .label
                .as_deref()
                .is_some_and(|label| Some(label.trim()) == word.label.as_deref()),
        }
    }
}
