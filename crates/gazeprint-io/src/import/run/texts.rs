//! Where texts have their names from, and whether these are no more than numbers of trials.

use std::collections::HashMap;

use super::Run;
use super::named::TextsOf;
use crate::import::aliases::{ColumnRole, is_trial_counter, may_count, names_recordings};
use crate::import::collect::TextNames;
use crate::import::format::Format;
use crate::import::messages::{MessageLog, count_up};
use crate::import::recording::Sink;
use crate::import::report::Shape;
use crate::import::setting::{Phrase, phrase};

impl Run<'_> {
    /// Where texts have their names from, and whether these are no more than numbers of trials.
    pub(super) fn look_at_texts(&mut self, format: Format, shape: &Shape, file: usize) {
        self.look_at_names(format, shape, file);
        let text = shape.mapping.get(ColumnRole::Text);
        self.recording.texts_named_by = match (format, text) {
            (_, Some(_)) => TextNames::Columns,
            (Format::Asc | Format::Bids, None) => TextNames::Messages,
            (_, None) => TextNames::Files,
        };
        let Some(text) = text.filter(|text| !text.is_chosen) else { return };
        let counts = if is_trial_counter(&text.column) {
            "counts trials"
        } else if may_count(&text.column) && self.texts_count_up(file) {
            "counts up for every reader, as trials do"
        } else {
            return;
        };
        self.recording.warn(phrase![
            format!(
                "texts are called as {} says, which {counts}: where readers saw texts in different \
                 orders, one number is several texts; name the column of the text with ",
                text.column
            ),
            Phrase::choice("text", "COLUMN"),
            ", or say that this is it with ",
            Phrase::choice("text", &text.column),
        ]);
    }

    /// Whether anything in a file names texts, and whether its readers are called as recordings are.
    fn look_at_names(&mut self, format: Format, shape: &Shape, file: usize) {
        let has = |role| shape.mapping.get(role).is_some();
        let (text, trial) = (has(ColumnRole::Text), has(ColumnRole::Trial));
        let named = shape.messages.as_ref().is_some_and(MessageLog::names_trials);
        let of_format = matches!(format, Format::Da1 | Format::Swift);
        let of_samples = format == Format::Samples && trial;
        let of_file = self.recording.readings.iter().filter(|of| of.place.file == file);
        let mut texts = of_file.filter_map(|reading| reading.fixations.first()).map(|f| &f.text);
        let first = texts.next();
        let several = texts.any(|text| Some(text) != first);
        if text || named || of_format || of_samples || several {
            self.texts_of = TextsOf::Rows;
        }
        let reader = shape.mapping.get(ColumnRole::Reader).filter(|reader| !reader.is_chosen);
        if let Some(reader) = reader.filter(|reader| names_recordings(&reader.column)) {
            self.labels.get_or_insert_with(|| reader.column.clone());
        }
    }

    /// Whether each reader of a file comes to texts in the order of the numbers that they are called.
    fn texts_count_up(&self, file: usize) -> bool {
        let mut texts: HashMap<&str, Vec<&str>> = HashMap::new();
        let readings = self.recording.readings.iter().filter(|reading| reading.place.file == file);
        for first in readings.filter_map(|reading| reading.fixations.first()) {
            texts.entry(&first.reader).or_default().push(&first.text);
        }
        let mut several = texts.values().filter(|texts| texts.len() > 1).peekable();
        several.peek().is_some() && several.all(|texts| count_up(texts))
    }
}
