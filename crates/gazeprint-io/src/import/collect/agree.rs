//! Whether lines and words that tables in characters state are those of the texts.
//!
//! Tables count lines from 1 or from 0, and 0 may also stand for none. Which it is, the lines of the words
//! tell: with the right start, fixations are on lines that there are, and on the words that the table says.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{RawText, Recording};
use crate::import::recording::{Area, Position, Sink as _};
use crate::import::setting::Phrase;

/// Columns of a table whose fixations are in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::import) struct Stated {
    pub(in crate::import) line: Option<String>,
    pub(in crate::import) word: Option<String>,
}

/// Fixations that are looked at, of all.
const MOST: usize = 50_000;

/// Fewest fixations with a word that say anything, and the least share of them on theirs.
const FEWEST: usize = 30;
const ON_WORD: f64 = 0.9;

/// One of this many fixations without a line may still be, where all others have one.
const ONE_OF: usize = 50;

/// Where a word is: its line, its number among the words of that line, and its characters.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: i64,
    at: i64,
    start: f64,
    end: f64,
}

/// The words of a text.
#[derive(Debug, Default)]
struct Page {
    words: HashMap<i64, Place>,
    lines: BTreeMap<i64, Vec<Place>>,
}

impl Page {
    fn of(text: &RawText) -> Self {
        let mut page = Self::default();
        for (_, word) in &text.words {
            let Area::Chars { start, end } = word.area else { continue };
            let (start, end) = (f64::from(start), f64::from(end));
            let place = Place { line: i64::from(word.line.unwrap_or(1)), at: 0, start, end };
            page.words.insert(i64::from(word.index), place);
            page.lines.entry(place.line).or_default().push(place);
        }
        for line in page.lines.values_mut() {
            line.sort_by(|a, b| a.start.total_cmp(&b.start));
            line.iter_mut().zip(1..).for_each(|(place, at)| place.at = at);
        }
        page
    }
}

/// A fixation with a line, and perhaps a word.
#[derive(Debug, Clone, Copy)]
struct Look<'p> {
    page: &'p Page,
    x: f64,
    line: i64,
    word: Option<i64>,
}

/// How a column numbers words: what is to be added, and whether each line begins anew.
type Numbering = (i64, bool);

const NUMBERINGS: [Numbering; 5] = [(0, false), (1, false), (-1, false), (0, true), (1, true)];

impl Look<'_> {
    fn is_on_line(&self, shift: i64) -> bool {
        self.page.lines.contains_key(&(self.line + shift))
    }

    /// Whether it is beside all words of its line.
    fn is_beyond(&self, shift: i64) -> bool {
        let line = self.page.lines.get(&(self.line + shift));
        let ends = line.and_then(|words| Some((words.first()?, words.last()?)));
        ends.is_some_and(|(first, last)| !(first.start - 1.0..last.end + 1.0).contains(&self.x))
    }

    /// Whether it is on the word that is stated, or on the blank before it.
    fn is_on_word(&self, shift: i64, (add, by_line): Numbering, moved: f64) -> bool {
        let (line, x) = (self.line + shift, self.x + moved);
        let Some(word) = self.word.map(|word| word + add) else { return false };
        let place = match by_line {
            false => self.page.words.get(&word).filter(|place| place.line == line),
            true => {
                let words = self.page.lines.get(&line);
                words.and_then(|words| words.get(usize::try_from(word - 1).ok()?))
            }
        };
        place.is_some_and(|place| (place.start - 1.0..place.end).contains(&x))
    }
}

/// How many fixations are on the words that are stated, by the numbering for which most are.
fn on_words(looks: &[Look<'_>], shift: i64, moved: f64) -> (usize, Numbering) {
    let count = |numbering: Numbering| {
        looks.iter().filter(|look| look.is_on_word(shift, numbering, moved)).count()
    };
    // Of equals, the first.
    let all = NUMBERINGS.iter().rev().map(|&numbering| (count(numbering), numbering));
    all.max_by_key(|(count, _)| *count).unwrap_or_default()
}

/// What is to be added to lines.
fn shift_of(looks: &[Look<'_>]) -> i64 {
    let stated: Vec<Look<'_>> = looks.iter().filter(|look| look.word.is_some()).copied().collect();
    let [as_told, others @ ..] = [0, 1, -1].map(|shift| (on_words(&stated, shift, 0.0).0, shift));
    let best = others
        .into_iter()
        .max()
        .filter(|(count, _)| stated.len() >= FEWEST && 2 * count > stated.len());
    if let Some((_, shift)) = best.filter(|(count, _)| *count > as_told.0 + as_told.0 / 4) {
        return shift;
    }
    if 2 * as_told.0 > stated.len() {
        return 0;
    }
    let without = |shift| looks.iter().filter(|look| !look.is_on_line(shift)).count();
    let beyond = |shift| looks.iter().filter(|look| look.is_beyond(shift)).count();
    let as_told = without(0);
    let fits = |&shift: &i64| {
        ONE_OF * without(shift) <= as_told && beyond(shift) <= beyond(0) + looks.len() / ONE_OF
    };
    [1, -1].into_iter().filter(|_| as_told > 0).find(fits).unwrap_or(0)
}

impl Recording {
    /// Holds what tables state against the words, and moves lines that count from another start.
    pub(super) fn hold_against_words(&mut self) {
        let Some(columns) = self.stated.values().next().cloned() else { return };
        let pages: HashMap<Arc<str>, Page> =
            self.texts.iter().map(|text| (Arc::clone(&text.name), Page::of(text))).collect();
        let has_lines = columns.line.is_some();
        let looks: Vec<Look<'_>> = self
            .readings
            .iter()
            .filter(|reading| self.stated.contains_key(&reading.place.file))
            .flat_map(|reading| &reading.fixations)
            .filter_map(|fixation| {
                let Position::Chars { x, line } = fixation.position else { return None };
                let (page, line) = (pages.get(&fixation.text)?, i64::from(line));
                Some(Look { page, x, line, word: fixation.word.map(i64::from) })
            })
            .collect();
        let looks: Vec<Look<'_>> = looks.iter().step_by(1 + looks.len() / MOST).copied().collect();
        let shift = if has_lines { shift_of(&looks) } else { 0 };
        let (mut notes, mut warnings) = (Vec::new(), Vec::new());
        if let Some(line) = columns.line.as_ref().filter(|_| !looks.is_empty()) {
            notes.extend(about_lines(&looks, shift, line));
        }
        if let Some(word) = &columns.word {
            about_words(&looks, shift, word, &mut notes, &mut warnings);
        }
        self.move_lines(shift);
        notes.into_iter().for_each(|note| self.note(note));
        warnings.into_iter().for_each(|warning| self.warn(warning));
    }

    fn move_lines(&mut self, shift: i64) {
        let stated = &self.stated;
        let readings = self.readings.iter_mut();
        let readings = readings.filter(|reading| stated.contains_key(&reading.place.file));
        for fixation in readings.flat_map(|reading| &mut reading.fixations) {
            if let Position::Chars { line, .. } = &mut fixation.position {
                // The conversion fails for numbers that are no lines.
                *line = u32::try_from(i64::from(*line) + shift).unwrap_or(*line);
            }
        }
    }
}

fn about_lines(looks: &[Look<'_>], shift: i64, column: &str) -> Option<String> {
    let on = |shift| looks.iter().filter(|look| look.is_on_line(shift)).count();
    let (all, on_none) = (looks.len(), looks.iter().filter(|look| look.line == 0).count());
    let has_first = looks.iter().any(|look| look.page.lines.contains_key(&0));
    let sign = if shift > 0 { "more" } else { "less" };
    match shift {
        0 if on_none > 0 && !has_first => Some(format!(
            "{column} 0 is on no line: {on_none} of {all} fixations are there, since {} of the others are \
             on lines that their texts have",
            on(0)
        )),
        0 => None,
        _ => Some(format!(
            "{column} counts from another line than the words: with 1 {sign}, {} of {all} fixations are on \
             lines of their texts, and as it is {}",
            on(shift),
            on(0)
        )),
    }
}

fn about_words(
    looks: &[Look<'_>],
    shift: i64,
    column: &str,
    notes: &mut Vec<String>,
    warnings: &mut Vec<Phrase>,
) {
    let stated = looks.iter().filter(|look| look.word.is_some() && look.is_on_line(shift));
    let stated: Vec<Look<'_>> = stated.copied().collect();
    let all = stated.len();
    if all == 0 {
        return;
    }
    let (on, (add, by_line)) = on_words(&stated, shift, 0.0);
    let counted = match (by_line, add) {
        (true, _) => ", which counts words of each line",
        (false, 0) => "",
        (false, _) => ", which counts from another word",
    };
    notes.push(format!(
        "{on} of {all} fixations are on the word that {column} says{counted}, or on the blank before it"
    ));
    if all < FEWEST || on as f64 >= ON_WORD * all as f64 {
        return;
    }
    let moved = [-1.0, 1.0].map(|moved| (on_words(&stated, shift, moved).0, moved));
    let better = moved.into_iter().filter(|(count, _)| *count as f64 >= ON_WORD * all as f64);
    let hint = match better.max_by_key(|(count, _)| *count) {
        Some((count, moved)) => format!(
            "with x one character {} it would be {count}: do x and char_start count from the same place?",
            if moved < 0.0 { "less" } else { "more" }
        ),
        None => "do x, lines and words count from the same place?".to_owned(),
    };
    warnings.push(
        format!(
            "{} of {all} fixations are on another word by their characters than {column} says: {hint}",
            all - on
        )
        .into(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::recording::RawWord;

    /// Lines of three words, `length` characters each, from `first` on.
    fn page(first: u32, lines: u32) -> Page {
        let words = (0..3 * lines).map(|n| {
            let (line, at) = (first + n / 3, 6 * (n % 3));
            let area = Area::Chars { start: at, end: at + 5 };
            let place = crate::import::RowPlace { file: 0, row: u64::from(n) + 2 };
            let text = "t".into();
            (place, RawWord { text, line: Some(line), index: n + 1, label: None, area })
        });
        Page::of(&RawText { name: "t".into(), words: words.collect(), indices: HashMap::new() })
    }

    fn looks(page: &Page, lines: impl Iterator<Item = i64>) -> Vec<Look<'_>> {
        lines
            .zip(0..)
            .map(|(line, i)| Look { page, x: f64::from(i % 17), line, word: None })
            .collect()
    }

    #[test]
    fn lines_from_0_are_known_by_those_that_there_are() {
        let (from_1, from_0) = (page(1, 5), page(0, 5));
        assert_eq!(shift_of(&looks(&from_1, (0..100).map(|i| i % 5))), 1);
        assert_eq!(shift_of(&looks(&from_1, (0..100).map(|i| 1 + i % 5))), 0);
        // Off the text.
        assert_eq!(shift_of(&looks(&from_1, (0..100).map(|i| i % 6))), 0);
        assert_eq!(shift_of(&looks(&from_0, (0..100).map(|i| i % 5))), 0);
        assert_eq!(shift_of(&looks(&from_0, (0..100).map(|i| 1 + i % 5))), -1);
    }

    #[test]
    fn words_say_where_lines_begin() {
        let page = page(1, 5);
        let look = |i: i64| {
            let (line, at) = (i % 4, i % 3);
            let word = Some(1 + 3 * line + at);
            Look { page: &page, x: 6.0 * at as f64 + 1.0, line, word }
        };
        let looks: Vec<Look<'_>> = (0..60).map(look).collect();
        assert_eq!(shift_of(&looks), 1);
        let (mut notes, mut warnings) = (Vec::new(), Vec::new());
        about_words(&looks, 1, "word", &mut notes, &mut warnings);
        assert!(warnings.is_empty() && notes[0].starts_with("60 of 60"), "{notes:?}");
        about_words(&looks, 0, "word", &mut notes, &mut warnings);
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn words_of_each_line_may_be_counted_and_from_0() {
        let page = page(1, 5);
        for (add, by_line) in NUMBERINGS {
            let look = |i: i64| {
                let (line, at) = (i % 5, i % 3);
                let word = if by_line { 1 + at } else { 1 + 3 * line + at };
                Look { page: &page, x: 6.0 * at as f64, line: line + 1, word: Some(word - add) }
            };
            let looks: Vec<Look<'_>> = (0..60).map(look).collect();
            assert_eq!(on_words(&looks, 0, 0.0), (60, (add, by_line)));
        }
    }
}
