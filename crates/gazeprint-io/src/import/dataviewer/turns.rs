//! Which readings a report has as one, and whether its rows are in order.

use std::collections::HashMap;

use super::base::AreaFixation;
use crate::import::aliases::{ColumnRole, Mapping};
use crate::import::order::{Numbering, Returns, warn_of_numbers_twice};
use crate::import::recording::{Eye, RawFixation, ReadingKey, Sink};
use crate::import::setting::Phrase;
use crate::import::values::number;
use crate::table::Row;

/// Looks whether fixations come in the order of their numbers.
#[derive(Default)]
pub(super) struct InTurn {
    column: Option<usize>,
    last: Option<(f64, RawFixation)>,
    back: u64,
    first_row: u64,
    has_onsets: bool,
    has_trial: bool,
    returns: Returns,
    restarted: u64,
    /// Readings in which an index is of several fixations.
    twice: u64,
}

impl InTurn {
    pub(super) fn new(mapping: &Mapping) -> Self {
        Self {
            column: mapping.index(ColumnRole::Index),
            has_onsets: mapping.get(ColumnRole::Onset).is_some(),
            has_trial: mapping.get(ColumnRole::Trial).is_some(),
            ..Self::default()
        }
    }

    /// Takes the number of a fixation. Where there is none, nothing tells which reading it is of but that
    /// another text was between.
    pub(super) fn see(&mut self, row: Row<'_>, seen: &mut AreaFixation) {
        seen.index = self.column.and_then(|column| number(row.cell(column), true));
        self.look_back(row, &seen.fixation, seen.index);
        if self.column.is_none() && !self.has_onsets && !self.has_trial {
            seen.part = self.returns.part(&seen.fixation);
        }
    }

    /// Tells readings apart that the report has as one, each eye by itself.
    pub(super) fn tell_apart<T: AsMut<AreaFixation>>(&mut self, all: &mut [T]) {
        self.restarted = self.returns.further();
        if self.column.is_none() {
            return;
        }
        let mut readings: HashMap<(ReadingKey, Option<Eye>), Vec<&mut AreaFixation>> =
            HashMap::new();
        for seen in all.iter_mut().map(AsMut::as_mut).filter(|seen| seen.index.is_some()) {
            let reading = readings.entry((seen.fixation.key(), seen.fixation.eye)).or_default();
            reading.push(seen);
        }
        for mut reading in readings.into_values() {
            // A row that is there twice is no other reading.
            let is_other =
                |a: &AreaFixation, b: &AreaFixation| a.index != b.index || a.fixation != b.fixation;
            let numbers: Vec<f64> = reading
                .chunk_by(|a, b| !is_other(a, b))
                .filter_map(|alike| alike.first()?.index)
                .collect();
            match Numbering::of(&numbers) {
                Numbering::Once => continue,
                Numbering::Twice => {
                    self.twice += 1;
                    continue;
                }
                Numbering::Again => {}
            }
            for at in 1..reading.len() {
                let (before, rest) = reading.split_at_mut(at);
                let (before, seen) = (&before[at - 1], &mut rest[0]);
                let starts = seen.index <= before.index && is_other(before, seen);
                seen.part = before.part + u64::from(starts);
                self.restarted += u64::from(starts);
            }
        }
    }

    fn look_back(&mut self, row: Row<'_>, fixation: &RawFixation, index: Option<f64>) {
        let Some(index) = index else { return };
        match &mut self.last {
            Some((last, of)) if of.is_of_same_reading(fixation) => {
                if index < *last {
                    self.back += 1;
                    self.first_row = if self.first_row == 0 { row.number } else { self.first_row };
                }
                *last = index;
            }
            _ => self.last = Some((index, fixation.clone())),
        }
    }

    pub(super) fn note<S: Sink + ?Sized>(&self, trials: &[Phrase], sink: &mut S) {
        warn_of_numbers_twice(self.twice, trials, sink);
        if self.restarted > 0 {
            let how = match self.column {
                Some(_) => "indices start again",
                None => "texts come again after others, without trial, index or onset",
            };
            sink.note(format!(
                "{} readings of texts that were read before, in the same trial: {how}; each is a \
                 trial of its own",
                self.restarted
            ));
        }
        // Onsets put fixations in order, where there are any.
        if self.back > 0 && !self.has_onsets {
            sink.note(format!(
                "{} rows have a lower index than the row before in their trial, first row {}: the \
                 order of the rows was kept; sort the report where it is not that of reading",
                self.back, self.first_row
            ));
        }
    }
}
