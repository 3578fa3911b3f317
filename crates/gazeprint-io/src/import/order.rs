//! Fixations by reading, and in order.

use std::collections::HashMap;
use std::sync::Arc;

use super::aliases::{ColumnRole, Mapping};
use super::error::ImportError;
use super::recording::{Eye, RawFixation, ReadingKey, Reason, RowPlace, Sink};
use super::setting::{Phrase, phrase};
use super::values::number;
use crate::table::Row;

/// Holds fixations by reading until a file ends: rows of several readings may take turns.
#[derive(Default)]
pub(crate) struct Readings {
    held: Vec<Vec<WaitingFixation>>,
    places: HashMap<ReadingKey, usize>,
    last: Option<usize>,
}

/// A fixation that waits for the end of its file.
pub(crate) struct WaitingFixation {
    /// Its number in the reading, or that of the one before; only those of one kind are compared.
    index: f64,
    /// Whether the number is its own.
    has_index: bool,
    pub(crate) place: RowPlace,
    pub(crate) fixation: RawFixation,
}

impl Readings {
    /// Takes the next fixation. Without a number, it stays behind the one before it. Where that is the
    /// same one, told again, it takes its place: gives `false`.
    pub(crate) fn take(
        &mut self,
        index: Option<f64>,
        place: RowPlace,
        fixation: RawFixation,
    ) -> bool {
        let reading = self.reading(&fixation);
        let reading = &mut self.held[reading];
        if let Some(before) = reading.last_mut()
            && index == Some(before.index)
            && is_same(&before.fixation, &fixation)
        {
            let gap = before.fixation.gap || fixation.gap;
            before.fixation = RawFixation { gap, ..fixation };
            return false;
        }
        let before = || reading.last().map_or(f64::NEG_INFINITY, |held| held.index);
        let has_index = index.is_some();
        let index = index.unwrap_or_else(before);
        reading.push(WaitingFixation { index, has_index, place, fixation });
        true
    }

    fn reading(&mut self, fixation: &RawFixation) -> usize {
        let is_same = |at: &usize| {
            self.held[*at].last().is_some_and(|held| held.fixation.is_of_same_reading(fixation))
        };
        let at = self.last.filter(is_same).unwrap_or_else(|| {
            *self.places.entry(fixation.key()).or_insert_with(|| {
                self.held.push(Vec::new());
                self.held.len() - 1
            })
        });
        self.last = Some(at);
        at
    }

    /// The readings, in the order in which they first occur.
    pub(crate) fn end(&mut self) -> Vec<Vec<WaitingFixation>> {
        std::mem::take(self).held
    }
}

/// Whether two rows of one number are of one fixation. Trackers tell it for each sample in it, and those
/// that do so while it lasts know in the last row how long it was.
fn is_same(before: &RawFixation, now: &RawFixation) -> bool {
    before.eye == now.eye
        && match (before.onset_ms, now.onset_ms) {
            (Some(before), Some(now)) => before == now,
            _ => (before.position, before.duration_ms) == (now.position, now.duration_ms),
        }
}

/// Readings with fewer rows than this are none, on average.
const FEWEST_ROWS: u64 = 4;

/// A row about the same fixation as the row before it.
const SAME_FIXATION: Reason = Reason::aside("same_fixation");

/// Tells readings of one text apart where nothing does but that another text was between.
#[derive(Default)]
pub(crate) struct Returns {
    /// What each reader read last.
    last: HashMap<Arc<str>, ReadingKey>,
    /// How often it was come to.
    parts: HashMap<ReadingKey, u64>,
}

impl Returns {
    /// Whether the reader looked at something else before.
    pub(crate) fn comes_from_elsewhere(&mut self, fixation: &RawFixation) -> bool {
        let key = fixation.key();
        match self.last.get_mut(&fixation.reader) {
            Some(last) => std::mem::replace(last, key.clone()) != key,
            None => self.last.insert(Arc::clone(&fixation.reader), key).is_some(),
        }
    }

    /// Which reading of its text a fixation is of, from 1.
    pub(crate) fn part(&mut self, fixation: &RawFixation) -> u64 {
        let is_new = self.comes_from_elsewhere(fixation);
        let part = self.parts.entry(fixation.key()).or_default();
        *part += u64::from(is_new || *part == 0);
        *part
    }

    /// How many readings there are beyond the first of each text.
    pub(crate) fn further(&self) -> u64 {
        self.parts.values().map(|part| part - 1).sum()
    }

    fn all(&self) -> u64 {
        self.parts.values().sum()
    }
}

/// Hands fixations over in the order of their numbers.
pub(crate) struct InOrder {
    /// The column of their numbers; without one they go on as they come.
    column: Option<usize>,
    readings: Readings,
    /// Where there is nothing else that tells readings apart.
    returns: Option<Returns>,
    taken: u64,
}

impl InOrder {
    pub(crate) fn new(mapping: &Mapping) -> Self {
        let orders = [ColumnRole::Index, ColumnRole::Onset, ColumnRole::Trial];
        let has_order = orders.into_iter().any(|role| mapping.get(role).is_some());
        Self {
            column: mapping.index(ColumnRole::Index),
            readings: Readings::default(),
            returns: (!has_order).then(Returns::default),
            taken: 0,
        }
    }

    /// Takes the next fixation.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn take(
        &mut self,
        row: Row<'_>,
        place: RowPlace,
        mut fixation: RawFixation,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        self.taken += 1;
        if let Some(returns) = &mut self.returns {
            let part = returns.part(&fixation);
            name_part(&mut fixation, part);
        }
        let Some(column) = self.column else { return sink.fixation(place, fixation) };
        if !self.readings.take(number(row.cell(column), true), place, fixation) {
            sink.dropped(place, SAME_FIXATION, row.line());
        }
        Ok(())
    }

    /// Hands everything over, and notes how many readings were sorted. `trials` are choices that would
    /// tell fixations of one number in a reading apart.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn finish(
        &mut self,
        trials: &[Phrase],
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let (mut sorted, mut restarted, mut twice) = (0_u64, 0_u64, 0_u64);
        for mut reading in self.readings.end() {
            match EYES.map(|eye| numbering_of(&reading, eye)).into_iter().max() {
                Some(Numbering::Again) => {
                    restarted += 1;
                    let starts = |a: &WaitingFixation, b: &WaitingFixation| {
                        b.has_index && b.index <= a.index
                    };
                    tell_apart(&mut reading, |held| &mut held.fixation, starts);
                }
                numbering => {
                    twice += u64::from(numbering == Some(Numbering::Twice));
                    let is_sorted = reading.is_sorted_by(|a, b| a.index <= b.index);
                    sorted += u64::from(!is_sorted);
                    reading.sort_by(|a, b| a.index.total_cmp(&b.index));
                }
            }
            for WaitingFixation { place, fixation, .. } in reading {
                sink.fixation(place, fixation)?;
            }
        }
        warn_of_numbers_twice(twice, trials, sink);
        if let Some(returns) = self.returns.take().filter(|returns| returns.further() > 0) {
            sink.note(format!(
                "{} readings of texts that were read before: these come again after others, without trial, \
                 index or onset; each is a trial of its own",
                returns.further()
            ));
            if self.taken < FEWEST_ROWS * returns.all() {
                sink.warn(phrase![
                    "rows of different texts take turns, and no column says in which order they were \
                     looked at: if there is one, choose it, as in ",
                    Phrase::choice("index", "COLUMN"),
                    " or ",
                    Phrase::choice("onset", "COLUMN")
                ]);
            }
        }
        if sorted > 0 {
            sink.note(format!("rows of {sorted} readings were put in order by index"));
        }
        if restarted > 0 {
            sink.note(format!(
                "indices start again within {restarted} readings of a text: each start is another \
                 reading, and a trial of its own"
            ));
        }
        Ok(())
    }
}

/// Eyes that rows are of.
const EYES: [Option<Eye>; 3] = [None, Some(Eye::Left), Some(Eye::Right)];

/// What the numbers of fixations say about a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Numbering {
    /// Each is there once.
    Once,
    /// They start again, so that there are several readings, one after the other.
    Again,
    /// Some are there twice, and not since numbers start again.
    Twice,
}

impl Numbering {
    /// Numbers start again where they fall, and there are as many rising runs of them as readings must be:
    /// as many as the most frequent number has fixations.
    pub(crate) fn of(numbers: &[f64]) -> Self {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for number in numbers {
            *counts.entry(number.to_bits()).or_default() += 1;
        }
        let readings = counts.into_values().max().unwrap_or(0);
        match numbers.chunk_by(|a, b| a < b).count() {
            _ if readings <= 1 => Self::Once,
            runs if runs == readings && !numbers.is_sorted() => Self::Again,
            _ => Self::Twice,
        }
    }
}

fn numbering_of(reading: &[WaitingFixation], eye: Option<Eye>) -> Numbering {
    let counted = reading.iter().filter(|held| held.has_index && held.fixation.eye == eye);
    Numbering::of(&counted.map(|held| held.index).collect::<Vec<_>>())
}

/// Warns of readings that lie between each other in the order of their numbers.
pub(crate) fn warn_of_numbers_twice<S: Sink + ?Sized>(
    readings: u64,
    trials: &[Phrase],
    sink: &mut S,
) {
    if readings == 0 {
        return;
    }
    let advice = trials.iter().cloned().reduce(|all, next| all.and(" or ").and(next));
    sink.warn(
        phrase![format!(
            "{readings} readings of a text have different fixations of one index, as several readings have \
             that were sorted by it: name what tells them apart with "
        )]
        .and(advice.unwrap_or_else(|| Phrase::choice("trial", "COLUMN"))),
    );
}

/// Whether numbers begin anew: they are not in order, but in runs that each begin at the start, or
/// nearly.
fn starts_again(numbers: &[f64]) -> bool {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let soon = least + 0.1 * (most - least);
    let is_start = |run: &[f64]| run.len() > 1 && run[0] <= soon;
    !numbers.is_sorted() && numbers.chunk_by(|a, b| a <= b).all(is_start)
}

/// Gives each reading within a reading a trial of its own: another one begins where `is_start` says
/// so of two fixations of one eye.
fn tell_apart<T>(
    items: &mut [T],
    fixation: impl Fn(&mut T) -> &mut RawFixation,
    starts: impl Fn(&T, &T) -> bool,
) {
    for eye in EYES {
        let mut last: Option<usize> = None;
        let mut part = 1;
        for at in 0..items.len() {
            if fixation(&mut items[at]).eye != eye {
                continue;
            }
            part += u64::from(last.is_some_and(|last| starts(&items[last], &items[at])));
            last = Some(at);
            name_part(fixation(&mut items[at]), part);
        }
    }
}

/// Names the trial of a reading that is one of several, from 1, of what the recording has as one.
pub(crate) fn name_part(fixation: &mut RawFixation, part: u64) {
    if part > 1 {
        fixation.trial = Some(match &fixation.trial {
            Some(trial) => format!("{trial}-{part}").into(),
            None => part.to_string().into(),
        });
    }
}

/// How many readings had onsets out of order.
#[derive(Default)]
pub(crate) struct Onsets {
    sorted: u64,
    restarted: u64,
}

impl Onsets {
    /// Puts the fixations of a reading in order of their onsets. Where the clock starts again, several
    /// readings became one: each gets a trial of its own.
    pub(crate) fn sort<T>(
        &mut self,
        reading: &mut [T],
        onset: impl Fn(&T) -> Option<f64>,
        fixation: impl Fn(&mut T) -> &mut RawFixation,
    ) {
        let onsets: Option<Vec<f64>> = reading.iter().map(&onset).collect();
        let Some(onsets) = onsets.filter(|onsets| !onsets.is_sorted()) else { return };
        let key = |item: &T| onset(item).unwrap_or(f64::NEG_INFINITY);
        if starts_again(&onsets) {
            self.restarted += 1;
            tell_apart(reading, fixation, |a, b| key(b) < key(a));
            return;
        }
        self.sorted += 1;
        reading.sort_by(|a, b| key(a).total_cmp(&key(b)));
    }

    pub(crate) fn note(&self, sink: &mut dyn Sink) {
        if self.sorted > 0 {
            sink.note(format!("rows of {} readings were put in order by onset", self.sorted));
        }
        if self.restarted > 0 {
            sink.note(format!(
                "onsets start again within {} readings of a text: each start is another reading, and a \
                 trial of its own",
                self.restarted
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_readings_in_a_row_start_again_and_those_of_sorted_ones_are_there_twice() {
        let of = |numbers: &[u32]| {
            Numbering::of(&numbers.iter().copied().map(f64::from).collect::<Vec<_>>())
        };
        for once in [&[][..], &[1, 2, 3], &[3, 1, 2], &[4, 5, 1, 2]] {
            assert_eq!(of(once), Numbering::Once, "{once:?}");
        }
        for again in [&[1, 2, 3, 1, 2][..], &[1, 2, 3, 2, 3, 4], &[1, 2, 1, 2, 3, 1]] {
            assert_eq!(of(again), Numbering::Again, "{again:?}");
        }
        for twice in [&[1, 1, 2, 2][..], &[1, 1, 2, 2, 3], &[1, 2, 3, 3, 4]] {
            assert_eq!(of(twice), Numbering::Twice, "{twice:?}");
        }
    }

    #[test]
    fn onsets_are_sorted_unless_the_clock_starts_again() {
        let at = |onset_ms| RawFixation { onset_ms, ..RawFixation::default() };
        let sorted = |onsets: &[f64]| -> (Vec<f64>, u64, u64) {
            let mut reading: Vec<RawFixation> =
                onsets.iter().map(|&onset| at(Some(onset))).collect();
            let mut count = Onsets::default();
            count.sort(&mut reading, |fixation| fixation.onset_ms, |fixation| fixation);
            let onsets = reading.iter().filter_map(|fixation| fixation.onset_ms).collect();
            let parts = reading.iter().filter(|fixation| fixation.trial.is_some()).count();
            assert_eq!(parts > 0, count.restarted > 0);
            (onsets, count.sorted, count.restarted)
        };
        assert_eq!(sorted(&[1.0, 2.0]), (vec![1.0, 2.0], 0, 0));
        assert_eq!(sorted(&[900.0, 100.0, 500.0]), (vec![100.0, 500.0, 900.0], 1, 0));
        assert_eq!(sorted(&[3.0, 2.0, 1.0]), (vec![1.0, 2.0, 3.0], 1, 0));
        let again = [0.0, 300.0, 900.0, 10.0, 280.0];
        assert_eq!(sorted(&again), (again.to_vec(), 0, 1));
        let unsorted = [at(Some(2.0)), at(None), at(Some(1.0))];
        let mut reading = unsorted.clone();
        Onsets::default().sort(&mut reading, |fixation| fixation.onset_ms, |fixation| fixation);
        assert_eq!(reading, unsorted);
    }
}
