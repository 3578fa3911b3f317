//! Fixations of a reading in the order of their numbers.

use std::collections::HashMap;

use super::dialect::Row;
use super::error::ImportError;
use super::recording::{RawFixation, ReadingKey, RowPlace, Sink};
use super::values::number;

/// Holds fixations until the file ends, and hands them over by reading, in order: rows of several
/// readings may take turns.
pub(crate) struct InOrder {
    /// The column of their numbers; without one they go on as they come.
    column: Option<usize>,
    readings: Vec<Vec<(f64, RowPlace, RawFixation)>>,
    places: HashMap<ReadingKey, usize>,
    last: Option<usize>,
}

impl InOrder {
    pub(crate) fn new(column: Option<usize>) -> Self {
        Self { column, readings: Vec::new(), places: HashMap::new(), last: None }
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
        let reading = self.reading(&fixation);
        let reading = &mut self.readings[reading];
        // Without a number, a fixation stays behind the one before it.
        let index = number(row.cell(column), true)
            .unwrap_or_else(|| reading.last().map_or(f64::NEG_INFINITY, |(index, ..)| *index));
        reading.push((index, place, fixation));
        Ok(())
    }

    fn reading(&mut self, fixation: &RawFixation) -> usize {
        let is_same = |at: &usize| {
            self.readings[*at].last().is_some_and(|(.., last)| last.is_of_same_reading(fixation))
        };
        let at = self.last.filter(is_same).unwrap_or_else(|| {
            *self.places.entry(fixation.key()).or_insert_with(|| {
                self.readings.push(Vec::new());
                self.readings.len() - 1
            })
        });
        self.last = Some(at);
        at
    }

    /// Hands everything over, and notes how many readings were sorted.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut sorted = 0_u64;
        for mut reading in std::mem::take(&mut self.readings) {
            if !reading.is_sorted_by_key(|(index, ..)| *index) {
                sorted += 1;
                reading.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
            for (_, place, fixation) in reading {
                sink.fixation(place, fixation)?;
            }
        }
        if sorted > 0 {
            sink.note(format!(
                "rows of {sorted} readings were put in order by their index or onset"
            ));
        }
        Ok(())
    }
}
