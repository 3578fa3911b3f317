//! Stands between a parser and its sink, and turns pixels into characters.

use super::lines::{self, Method, Point};
use super::{Layout, Layouts};
use crate::import::ImportError;
use crate::import::recording::{Position, RawFixation, RawWord, Reason, RowPlace, Sink};

/// How far from a line a fixation may be and still be on it, in line spacings. Methods that expect
/// drift look further.
const REACH: f64 = 1.0;
const REACH_WITH_DRIFT: f64 = 1.5;

/// No trial has more fixations; what does is assigned in parts, so that memory stays bounded.
const MOST_FIXATIONS: usize = 10_000;

/// Turns fixations in pixels into fixations in characters, trial by trial. What is not in pixels, or
/// on a text without layout, goes on as it is. Call [`finish`](Self::finish) at the end.
pub struct ScreenToText<'s> {
    sink: &'s mut dyn Sink,
    layouts: &'s Layouts,
    method: Method,
    reach: f64,
    trial: Vec<(RowPlace, RawFixation)>,
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
}

impl<'s> ScreenToText<'s> {
    /// Assigns lines by `method`, to texts with these layouts.
    pub fn new(layouts: &'s Layouts, method: Method, sink: &'s mut dyn Sink) -> Self {
        let reach = if method == Method::Attach { REACH } else { REACH_WITH_DRIFT };
        let (trial, tally) = (Vec::new(), Tally::default());
        Self { sink, layouts, method, reach, trial, tally }
    }

    /// Hands the last trial over, and notes how lines were assigned.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(mut self) -> Result<(), ImportError> {
        self.flush()?;
        let Tally { fixations, trials, changed, none, offsets, fell_back, stated, agreed } =
            self.tally;
        if fixations == 0 {
            return Ok(());
        }
        let on = fixations - none;
        let mut note = format!(
            "lines by {}: {fixations} fixations in {trials} trials, {changed} on another line than \
             the nearest, {none} on no line (further than {} line spacings), mean vertical offset \
             {:.1} px",
            self.method,
            self.reach,
            if on > 0 { offsets / on as f64 } else { 0.0 },
        );
        if stated > 0 {
            note.push_str(&format!(
                "; the recording names the word of {stated}, and {agreed} are on its line"
            ));
        }
        if fell_back > 0 {
            note.push_str(&format!(
                "; {fell_back} trials have too many fixations or no words for {}, and the nearest \
                 line was taken",
                self.method
            ));
        }
        self.sink.note(note);
        Ok(())
    }

    /// Assigns the lines of the trial that has been read, and hands it over.
    fn flush(&mut self) -> Result<(), ImportError> {
        let mut trial = std::mem::take(&mut self.trial);
        let layout = trial.first().and_then(|(_, first)| self.layouts.get(&first.text));
        if let Some(layout) = layout {
            self.tally.place(&mut trial, layout, self.method, self.reach);
        }
        for (place, fixation) in trial.drain(..) {
            self.sink.fixation(place, fixation)?;
        }
        self.trial = trial;
        Ok(())
    }
}

impl Sink for ScreenToText<'_> {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        let same = self.trial.last().is_none_or(|(_, last)| {
            last.reader == fixation.reader
                && last.text == fixation.text
                && last.trial == fixation.trial
                && last.session == fixation.session
                && last.eye == fixation.eye
        });
        if !same || self.trial.len() >= MOST_FIXATIONS {
            self.flush()?;
        }
        self.trial.push((place, fixation));
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
}

impl Tally {
    /// Turns the pixels of a trial into characters.
    fn place(
        &mut self,
        trial: &mut [(RowPlace, RawFixation)],
        layout: &Layout,
        method: Method,
        reach: f64,
    ) {
        let points: Vec<Point> = trial.iter().filter_map(|(_, fixation)| point(fixation)).collect();
        let assigned = if layout.vertical {
            lines::assign(method, &points, &layout.page(), reach)
        } else {
            lines::Assigned { lines: vec![Some(0); points.len()], ..Default::default() }
        };
        self.trials += usize::from(!points.is_empty());
        self.fixations += points.len();
        self.changed += assigned.changed;
        self.offsets += assigned.offsets;
        self.fell_back += usize::from(assigned.fell_back);
        let seen = trial.iter_mut().map(|(_, fixation)| fixation).filter(|f| point(f).is_some());
        for ((fixation, at), line) in seen.zip(points).zip(assigned.lines) {
            self.none += usize::from(line.is_none());
            let stated =
                fixation.word.and_then(|word| layout.words.get((word as usize).checked_sub(1)?));
            if let Some(word) = stated {
                self.stated += 1;
                self.agreed += usize::from(line == Some(word.line));
            }
            fixation.position = characters(layout, at, line);
        }
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
