//! From the screen to the text: pixels become lines and characters.
//!
//! A [`Layout`] says where the words of a text stand, on the screen and in characters. It comes from
//! areas of interest ([`areas`]) or from a text shown in a monospaced font ([`monospaced`]).
//! [`ScreenToText`] then stands between a parser and its sink: fixations in pixels go in, fixations in
//! characters come out, with lines assigned by a method of [`lines`].

pub mod areas;
pub mod lines;
pub mod monospaced;
mod place;

use std::collections::HashMap;
use std::sync::Arc;

use super::ImportError;
use super::recording::{Area, RawWord, RowPlace, Sink};

pub use place::ScreenToText;

/// Where the words of a text stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    pub(crate) text: Arc<str>,
    pub(crate) lines: Vec<Line>,
    pub(crate) words: Vec<Word>,
    /// Pixels per character.
    pub(crate) pitch: f64,
    /// Whether the vertical position says anything: it does not where the height of the only line is
    /// not known.
    pub(crate) vertical: bool,
    /// The middles of lines.
    centres: Vec<f64>,
    /// The centre and the line of each word.
    points: Vec<(lines::Point, usize)>,
    /// Pixels from one line to the next.
    spacing: f64,
    /// The place of a word by the number of its area.
    by_area: HashMap<i64, usize>,
}

/// A line of a text on the screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Its middle, in pixels from the top.
    pub(crate) centre: f64,
    /// How high it is, in pixels.
    pub(crate) height: f64,
    /// Where its character 0 starts, in pixels from the left.
    pub(crate) origin: f64,
    /// Pixels and characters that belong together, both rising, where characters differ in width.
    pub(crate) knots: Vec<(f64, f64)>,
}

/// A word of a text on the screen and in characters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// The number that its area of interest has.
    pub(crate) area: i64,
    /// From 0.
    pub(crate) line: usize,
    pub(crate) label: Option<String>,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Its box on the screen.
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    pub(crate) row: u64,
}

impl Layout {
    /// A layout of lines from the top down, and of words in reading order.
    pub(crate) fn new(
        text: Arc<str>,
        lines: Vec<Line>,
        words: Vec<Word>,
        pitch: f64,
        vertical: bool,
    ) -> Self {
        let centres: Vec<f64> = lines.iter().map(|line| line.centre).collect();
        let point = |word: &Word| {
            let y = centres.get(word.line).copied().unwrap_or(f64::NAN);
            (lines::Point { x: f64::midpoint(word.left, word.right), y }, word.line)
        };
        let points = words.iter().map(point).collect();
        let spacing = lines::spacing(&centres)
            .or_else(|| lines.first().map(|line| line.height))
            .unwrap_or(f64::INFINITY);
        // Of words with the same number the first counts.
        let by_area = words.iter().enumerate().rev().map(|(at, word)| (word.area, at)).collect();
        Self { text, lines, words, pitch, vertical, centres, points, spacing, by_area }
    }

    /// The text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Hands the words over, in characters.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn words(&self, file: usize, sink: &mut dyn Sink) -> Result<(), ImportError> {
        for (index, word) in (1..).zip(&self.words) {
            let line = u32::try_from(word.line).unwrap_or(u32::MAX).saturating_add(1);
            let raw = RawWord {
                text: Arc::clone(&self.text),
                line: Some(line),
                index,
                label: word.label.clone(),
                area: Area::Chars { start: word.start, end: word.end },
            };
            sink.word(RowPlace { file, row: word.row }, raw)?;
        }
        Ok(())
    }

    /// The character at a horizontal position of a line.
    pub(crate) fn column(&self, line: usize, x: f64) -> f64 {
        let Some(line) = self.lines.get(line) else { return f64::NAN };
        let after = line.knots.partition_point(|&(pixel, _)| pixel <= x);
        match (after.checked_sub(1).map(|at| line.knots[at]), line.knots.get(after)) {
            (None, None) => (x - line.origin) / self.pitch,
            (Some((pixel, character)), None) | (None, Some(&(pixel, character))) => {
                character + (x - pixel) / self.pitch
            }
            (Some((left, from)), Some(&(right, to))) => {
                from + (x - left) / (right - left) * (to - from)
            }
        }
    }

    /// The characters that count as a word, as [`Line::word_at`](gazeprint::corpus::Line::word_at) has
    /// them: its own, and blanks before it.
    pub(crate) fn region(&self, word: usize) -> Option<(f64, f64)> {
        let this = self.words.get(word)?;
        let before = word.checked_sub(1).and_then(|before| self.words.get(before));
        let from = match before.filter(|before| before.line == this.line) {
            Some(before) => f64::from(before.end),
            None => f64::from(this.start) - 1.0,
        };
        Some((from, f64::from(this.end)))
    }

    /// The page as methods of [`lines`] see it. Its spacing is the median distance between lines, or
    /// the height of the only one.
    pub(crate) fn page(&self) -> lines::Page<'_> {
        let Self { centres, points, pitch, spacing, .. } = self;
        lines::Page { lines: centres, words: points, pitch: *pitch, spacing: *spacing }
    }

    /// The number of a word, from 1, by that of its area of interest.
    pub(crate) fn word_of(&self, area: i64) -> Option<(u32, &Word)> {
        // Areas are numbered along the text, as a rule.
        let first = self.words.first()?.area;
        let guess = area.checked_sub(first).and_then(|at| usize::try_from(at).ok());
        let is_it = |at: &usize| self.words.get(*at).is_some_and(|word| word.area == area);
        let at = guess.filter(is_it).or_else(|| self.by_area.get(&area).copied())?;
        Some((u32::try_from(at).ok()?.checked_add(1)?, &self.words[at]))
    }
}

/// The layouts of texts, by their names.
#[derive(Debug, Clone, Default)]
pub struct Layouts(HashMap<Arc<str>, Layout>);

impl Layouts {
    /// The layout of a text.
    pub fn get(&self, text: &str) -> Option<&Layout> {
        self.0.get(text)
    }
}

impl FromIterator<Layout> for Layouts {
    fn from_iter<I: IntoIterator<Item = Layout>>(layouts: I) -> Self {
        Self(layouts.into_iter().map(|layout| (Arc::clone(&layout.text), layout)).collect())
    }
}
