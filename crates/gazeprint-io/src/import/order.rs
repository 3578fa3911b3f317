//! Fixations of a reading in the order of their numbers.

use super::dialect::Row;
use super::error::ImportError;
use super::recording::{RawFixation, RowPlace, Sink};
use super::values::{is_same_reading, number};

/// Holds the fixations of the reading at hand, and hands them over in order when it ends.
pub(crate) struct InOrder {
    /// The column of their numbers; without one they go on as they come.
    column: Option<usize>,
    reading: Vec<(f64, RowPlace, RawFixation)>,
    sorted: u64,
}

impl InOrder {
    pub(crate) fn new(column: Option<usize>) -> Self {
        Self { column, reading: Vec::new(), sorted: 0 }
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
        // Without a number, a fixation stays behind the one before it.
        let index = match number(row.cell(column), true) {
            Some(index) => index,
            None => self.reading.last().map_or(0.0, |(index, ..)| *index),
        };
        if self.reading.last().is_some_and(|(.., last)| !is_same_reading(last, &fixation)) {
            self.flush(sink)?;
        }
        self.reading.push((index, place, fixation));
        Ok(())
    }

    fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        if !self.reading.is_sorted_by_key(|(index, ..)| *index) {
            self.sorted += 1;
            self.reading.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        for (_, place, fixation) in self.reading.drain(..) {
            sink.fixation(place, fixation)?;
        }
        Ok(())
    }

    /// Hands the last reading over, and notes how many were sorted.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        self.flush(sink)?;
        if self.sorted > 0 {
            sink.note(format!("rows of {} readings were put in order by index", self.sorted));
        }
        Ok(())
    }
}
