//! Fixations by reading, and in order.

use std::collections::HashMap;

use super::error::ImportError;
use super::recording::{RawFixation, ReadingKey, RowPlace, Sink};
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
    /// Its number in the reading; only those of one kind are compared.
    index: f64,
    pub(crate) place: RowPlace,
    pub(crate) fixation: RawFixation,
}

impl Readings {
    /// Takes the next fixation. Without a number, it stays behind the one before it.
    pub(crate) fn take(&mut self, index: Option<f64>, place: RowPlace, fixation: RawFixation) {
        let reading = self.reading(&fixation);
        let reading = &mut self.held[reading];
        let before = || reading.last().map_or(f64::NEG_INFINITY, |held| held.index);
        let index = index.unwrap_or_else(before);
        reading.push(WaitingFixation { index, place, fixation });
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

/// Hands fixations over in the order of their numbers.
pub(crate) struct InOrder {
    /// The column of their numbers; without one they go on as they come.
    column: Option<usize>,
    readings: Readings,
}

impl InOrder {
    pub(crate) fn new(column: Option<usize>) -> Self {
        Self { column, readings: Readings::default() }
    }

    /// Takes the next fixation.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn take(
        &mut self,
        row: Row<'_>,
        place: RowPlace,
        fixation: RawFixation,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let Some(column) = self.column else { return sink.fixation(place, fixation) };
        self.readings.take(number(row.cell(column), true), place, fixation);
        Ok(())
    }

    /// Hands everything over, and notes how many readings were sorted.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let (mut sorted, mut restarted) = (0_u64, 0_u64);
        for mut reading in self.readings.end() {
            let indices: Vec<f64> = reading.iter().map(|held| held.index).collect();
            if starts_again(&indices) {
                restarted += 1;
            } else if !indices.is_sorted() {
                sorted += 1;
                reading.sort_by(|a, b| a.index.total_cmp(&b.index));
            }
            for WaitingFixation { place, fixation, .. } in reading {
                sink.fixation(place, fixation)?;
            }
        }
        if sorted > 0 {
            sink.note(format!("rows of {sorted} readings were put in order by index"));
        }
        if restarted > 0 {
            sink.note(format!(
                "indices start again within {restarted} readings, by another eye or another reading: \
                 if a text was read several times, tell the readings apart by a column for the trial"
            ));
        }
        Ok(())
    }
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

/// How many readings had onsets out of order.
#[derive(Default)]
pub(crate) struct Onsets {
    sorted: u64,
    restarted: u64,
}

impl Onsets {
    /// Puts the fixations of a reading in order of their onsets. Where the clock starts again, several
    /// readings became one, and they are left as they are.
    pub(crate) fn sort<T>(&mut self, reading: &mut [T], onset: impl Fn(&T) -> Option<f64>) {
        let onsets: Option<Vec<f64>> = reading.iter().map(&onset).collect();
        let Some(onsets) = onsets.filter(|onsets| !onsets.is_sorted()) else { return };
        if starts_again(&onsets) {
            self.restarted += 1;
            return;
        }
        self.sorted += 1;
        let key = |item: &T| onset(item).unwrap_or(f64::NEG_INFINITY);
        reading.sort_by(|a, b| key(a).total_cmp(&key(b)));
    }

    pub(crate) fn note(&self, sink: &mut dyn Sink) {
        if self.sorted > 0 {
            sink.note(format!("rows of {} readings were put in order by onset", self.sorted));
        }
        if self.restarted > 0 {
            sink.note(format!(
                "onsets start again within {} readings: if a text was read several times, tell the \
                 readings apart by a column for the trial or the session",
                self.restarted
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn onsets_are_sorted_unless_the_clock_starts_again() {
        let sorted = |onsets: &[f64]| {
            let mut reading: Vec<f64> = onsets.to_vec();
            let mut count = Onsets::default();
            count.sort(&mut reading, |onset| Some(*onset));
            (reading, count.sorted, count.restarted)
        };
        assert_eq!(sorted(&[1.0, 2.0]), (vec![1.0, 2.0], 0, 0));
        assert_eq!(sorted(&[900.0, 100.0, 500.0]), (vec![100.0, 500.0, 900.0], 1, 0));
        assert_eq!(sorted(&[3.0, 2.0, 1.0]), (vec![1.0, 2.0, 3.0], 1, 0));
        let again = [0.0, 300.0, 900.0, 10.0, 280.0];
        assert_eq!(sorted(&again), (again.to_vec(), 0, 1));
        let mut reading = [Some(2.0), None, Some(1.0)];
        Onsets::default().sort(&mut reading, |onset| *onset);
        assert_eq!(reading, [Some(2.0), None, Some(1.0)]);
    }
}
