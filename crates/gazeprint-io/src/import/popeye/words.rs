//! Words, gathered from fixations on them or from their letters.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::NOT_A_LETTER;
use crate::import::aliases::{ColumnRole, Mapping};
use crate::import::error::ImportError;
use crate::import::recording::{Area, RawWord, Reason, RowPlace, Sink};
use crate::import::values::{character_count, whole};
use crate::table::Row;

/// Words of texts, and where they stand.
#[derive(Debug, Default)]
pub struct GatheredWords {
    texts: Vec<(Arc<str>, BTreeMap<u32, Word>)>,
    places: HashMap<Arc<str>, usize>,
    contradictions: u64,
}

#[derive(Debug)]
struct Word {
    line: u32,
    start: u32,
    end: u32,
    label: Option<String>,
    place: RowPlace,
}

impl GatheredWords {
    fn text(&mut self, text: &Arc<str>) -> &mut BTreeMap<u32, Word> {
        let place = *self.places.entry(Arc::clone(text)).or_insert_with(|| {
            self.texts.push((Arc::clone(text), BTreeMap::new()));
            self.texts.len() - 1
        });
        &mut self.texts[place].1
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Takes a word that a fixation is on; the first that was said of it counts.
    pub(super) fn saw(
        &mut self,
        text: &Arc<str>,
        number: u32,
        line: u32,
        start: u32,
        label: &str,
        place: RowPlace,
    ) {
        let words = self.text(text);
        if let Some(known) = words.get(&number) {
            let is_same =
                known.line == line && known.start == start && known.label.as_deref() == Some(label);
            self.contradictions += u64::from(!is_same);
            return;
        }
        let end = start.saturating_add(character_count(label));
        words.insert(number, Word { line, start, end, label: Some(label.to_owned()), place });
    }

    /// Takes a letter of a word. Blanks are letters of the word after them, but not part of it.
    pub(super) fn letter(
        &mut self,
        text: &Arc<str>,
        row: Row<'_>,
        mapping: &Mapping,
        place: RowPlace,
    ) -> Result<(), Reason> {
        let cell = |role| mapping.index(role).map(|column| row.cell(column));
        let positive = |role| cell(role).and_then(whole).filter(|n| *n > 0).ok_or(NOT_A_LETTER);
        let is_blank = match (cell(ColumnRole::Character), cell(ColumnRole::Landing)) {
            (Some(character), _) => character.is_empty(),
            (None, landing) => landing == Some("0"),
        };
        let (line, letter) = (positive(ColumnRole::Line)?, positive(ColumnRole::Letter)?);
        let number = positive(ColumnRole::Word)?;
        if is_blank {
            return Ok(());
        }
        let label = cell(ColumnRole::Label).filter(|label| !label.is_empty());
        let words = self.text(text);
        match words.get_mut(&number) {
            Some(word) if word.line != line => return Err(Reason::CONTRADICTING_WORD),
            Some(word) => {
                word.start = word.start.min(letter - 1);
                word.end = word.end.max(letter);
            }
            None => {
                let (start, label) = (letter - 1, label.map(str::to_owned));
                words.insert(number, Word { line, start, end: letter, label, place });
            }
        }
        Ok(())
    }

    /// Hands over the words that fixations were on, when all reports have been read, and notes that
    /// others are not known.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        if self.is_empty() {
            return Ok(());
        }
        let known: usize = self.texts.iter().map(|(_, words)| words.len()).sum();
        let highest = self.texts.iter().filter_map(|(_, words)| words.keys().next_back());
        let all: u64 = highest.map(|&number| u64::from(number)).sum();
        sink.note(format!(
            "words are gathered from fixations on them: {known} words of {} texts; at least {} more \
             were looked at by nobody, and are not known, so that skips over them are not seen: give \
             popEye's table of letters (stimmat) as the words to have them",
            self.texts.len(),
            all.saturating_sub(known as u64),
        ));
        if self.contradictions > 0 {
            sink.note(format!(
                "{} fixations say otherwise where their word stands than the first on it, which \
                 counts",
                self.contradictions
            ));
        }
        self.hand_over(sink)
    }

    /// Hands all words over. Words that overlap are cut where the next begins, or dropped.
    pub(super) fn hand_over(self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut cut = 0_u64;
        for (text, words) in self.texts {
            let mut words: Vec<(u32, Word)> = words.into_iter().collect();
            words.sort_by_key(|(number, word)| (word.line, word.start, *number));
            let mut placed: Vec<(u32, Word)> = Vec::with_capacity(words.len());
            for (number, word) in words {
                let before = placed.last_mut().map(|(_, before)| before);
                match before.filter(|before| before.line == word.line && before.end > word.start) {
                    Some(before) if before.start == word.start => {
                        let example = format!("word {number} of text {text} is where another is");
                        sink.dropped(word.place, Reason::MISPLACED_WORD, &example);
                        continue;
                    }
                    Some(before) => {
                        before.end = word.start;
                        cut += 1;
                    }
                    None => {}
                }
                placed.push((number, word));
            }
            placed.sort_by_key(|(number, _)| *number);
            for (index, Word { line, start, end, label, place }) in placed {
                let (text, area) = (Arc::clone(&text), Area::Chars { start, end });
                sink.word(place, RawWord { text, line: Some(line), index, label, area })?;
            }
        }
        if cut > 0 {
            sink.note(format!("{cut} words were cut where the next begins"));
        }
        Ok(())
    }
}
