//! Where texts have their names from, and whether these are no more than numbers of trials.

use std::collections::HashMap;

use super::Run;
use crate::import::aliases::{ColumnRole, is_trial_counter, may_count};
use crate::import::collect::TextNames;
use crate::import::format::Format;
use crate::import::messages::count_up;
use crate::import::recording::Sink;
use crate::import::report::Shape;
use crate::import::setting::{Phrase, phrase};

impl Run<'_> {
    /// Where texts have their names from, and whether these are no more than numbers of trials.
    pub(super) fn look_at_texts(&mut self, format: Format, shape: &Shape, file: usize) {
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
