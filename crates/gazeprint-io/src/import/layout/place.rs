//! Stands between a parser and its sink, and turns pixels into characters.

use super::lines::{self, Method, Point};
use super::{Layout, Layouts};
use crate::import::ImportError;
use crate::import::order::{Onsets, Readings, WaitingFixation};
use crate::import::recording::{Eye, Position, RawFixation, RawWord, Reason, RowPlace, Sink};
use crate::import::setting::Phrase;

/// How far from a line a fixation may be and still be on it, in line spacings. Methods that expect
/// drift look further.
const REACH: f64 = 1.0;
const REACH_WITH_DRIFT: f64 = 1.5;

/// Turns fixations in pixels into fixations in characters, reading by reading, each eye by itself. What
/// is not in pixels, or on a text without layout, goes on as it is. Call [`finish`](Self::finish) at
/// the end of the file: until then fixations are held, since rows of several readings may take turns.
pub struct ScreenToText<'s> {
    sink: &'s mut dyn Sink,
    layouts: &'s Layouts,
    method: Method,
    reach: f64,
    readings: Readings,
    tally: Tally,
}

#[derive(Default)]
struct Tally {
    fixations: usize,
    trials: usize,
    changed: usize,
    none: usize,
    offsets: f64,
    fell_back: usize,
    /// Fixations of which the recording says the word, and those among them on the line of that word.
    stated: usize,
    agreed: usize,
    /// Of these, those that are on that word, and those that are on it or on the blank behind it.
    on_word: usize,
    beside: usize,
}

/// Fewest fixations on the line of their word that say whether characters are right, and their least share
/// on it.
const FEWEST_ON_LINE: usize = 30;
const ON_WORD: f64 = 0.9;

impl<'s> ScreenToText<'s> {
    /// Assigns lines by `method`, to texts with these layouts.
    pub fn new(layouts: &'s Layouts, method: Method, sink: &'s mut dyn Sink) -> Self {
        let reach = if method == Method::Attach { REACH } else { REACH_WITH_DRIFT };
        let (readings, tally) = (Readings::default(), Tally::default());
        Self { sink, layouts, method, reach, readings, tally }
    }

    /// Hands everything over, and notes how lines were assigned.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(mut self) -> Result<(), ImportError> {
        self.place()?;
        let Tally { fixations, trials, changed, none, offsets, fell_back, stated, agreed, .. } =
            self.tally;
        if fixations == 0 {
            return Ok(());
        }
        let Tally { on_word, beside, .. } = self.tally;
        let on = fixations - none;
        let mut note = format!(
            "lines by {}: {fixations} fixations in {trials} readings, {changed} on another line than \
             the nearest, {none} on no line (further than {} line spacings), mean vertical offset \
             {:.1} px",
            self.method,
            self.reach,
            if on > 0 { offsets / on as f64 } else { 0.0 },
        );
        if stated > 0 {
            note.push_str(&format!(
                "; the recording names the word of {stated}, and {agreed} are on its line, {on_word} of \
                 them on the word or the blank before it, {} on the blank behind it",
                beside - on_word
            ));
        }
        if fell_back > 0 {
            note.push_str(&format!(
                "; {fell_back} readings have too many fixations or no words for {}, and the nearest \
                 line was taken",
                self.method
            ));
        }
        self.sink.note(note);
        if agreed >= FEWEST_ON_LINE && (beside as f64) < ON_WORD * agreed as f64 {
            self.sink.warn(
                format!(
                    "{} of {agreed} fixations are on another word by their characters than the recording \
                     says, on the same line: do areas and fixations belong together, and do widths of areas \
                     follow their labels?",
                    agreed - beside
                )
                .into(),
            );
        }
        Ok(())
    }

    /// Assigns lines, and hands all fixations over.
    fn place(&mut self) -> Result<(), ImportError> {
        let mut onsets = Onsets::default();
        for mut reading in self.readings.end() {
            // Eyes have rows each at the same times; they are told apart later.
            if reading.iter().all(|held| held.fixation.eye == reading[0].fixation.eye) {
                onsets.sort(&mut reading, |held| held.fixation.onset_ms, |held| &mut held.fixation);
            }
            let layout = reading.first().and_then(|first| self.layouts.get(&first.fixation.text));
            if let Some(layout) = layout {
                let is_same =
                    |a: &WaitingFixation, b: &WaitingFixation| a.fixation.trial == b.fixation.trial;
                for reading in reading.chunk_by_mut(is_same) {
                    self.tally.place(reading, layout, self.method, self.reach);
                }
            }
            for WaitingFixation { place, fixation, .. } in reading {
                self.sink.fixation(place, fixation)?;
            }
        }
        onsets.note(self.sink);
        Ok(())
    }
}

impl Sink for ScreenToText<'_> {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        self.readings.take(None, place, fixation);
        Ok(())
    }

    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError> {
        self.sink.word(place, word)
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        self.sink.dropped(place, reason, example);
    }

    fn note(&mut self, note: String) {
        self.sink.note(note);
    }

    fn warn(&mut self, warning: Phrase) {
        self.sink.warn(warning);
    }
}

impl Tally {
    /// Turns the pixels of a reading into characters.
    fn place(
        &mut self,
        reading: &mut [WaitingFixation],
        layout: &Layout,
        method: Method,
        reach: f64,
    ) {
        let before = self.fixations;
        for eye in [None, Some(Eye::Left), Some(Eye::Right)] {
            let fixations = reading.iter_mut().map(|held| &mut held.fixation);
            let seen: Vec<&mut RawFixation> =
                fixations.filter(|f| f.eye == eye && point(f).is_some()).collect();
            if !seen.is_empty() {
                self.place_eye(seen, layout, method, reach);
            }
        }
        self.trials += usize::from(self.fixations > before);
    }

    fn place_eye(
        &mut self,
        seen: Vec<&mut RawFixation>,
        layout: &Layout,
        method: Method,
        reach: f64,
    ) {
        let points: Vec<Point> = seen.iter().filter_map(|fixation| point(fixation)).collect();
        let assigned = if layout.vertical {
            lines::assign(method, &points, &layout.page(), reach)
        } else {
            lines::Assigned { lines: vec![Some(0); points.len()], ..Default::default() }
        };
        self.fixations += points.len();
        self.changed += assigned.changed;
        self.offsets += assigned.offsets;
        self.fell_back += usize::from(assigned.fell_back);
        for ((fixation, at), line) in seen.into_iter().zip(points).zip(assigned.lines) {
            self.none += usize::from(line.is_none());
            if let Some(word) = fixation.word.and_then(|word| (word as usize).checked_sub(1)) {
                self.compare(layout, word, at, line);
            }
            fixation.position = characters(layout, at, line);
        }
    }

    /// Looks whether a fixation is on the word that the recording says, which counts from 0.
    fn compare(&mut self, layout: &Layout, word: usize, at: Point, line: Option<usize>) {
        let Some(stated) = layout.words.get(word) else { return };
        self.stated += 1;
        if line != Some(stated.line) {
            return;
        }
        self.agreed += 1;
        let Some((from, to)) = layout.region(word) else { return };
        let x = layout.column(stated.line, at.x);
        self.on_word += usize::from((from..to).contains(&x));
        self.beside += usize::from((from..=to + 1.0).contains(&x));
    }
}

/// A finite point of the screen, where a fixation has one.
fn point(fixation: &RawFixation) -> Option<Point> {
    match fixation.position {
        Position::Pixels { x, y } if x.is_finite() && y.is_finite() => Some(Point { x, y }),
        _ => None,
    }
}

fn characters(layout: &Layout, at: Point, line: Option<usize>) -> Position {
    match line {
        Some(line) => {
            let number = u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1);
            Position::Chars { x: layout.column(line, at.x), line: number }
        }
        None => Position::Chars { x: layout.column(0, at.x), line: 0 },
    }
}

#[cfg(test)]
mod tests;
