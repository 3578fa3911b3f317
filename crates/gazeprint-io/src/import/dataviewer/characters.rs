//! Areas that are single characters, and the map that says which of them are a word.
//!
//! Such reports have no positions in pixels, but the area of each fixation and its box. A fixation is
//! then at a character of a word, whatever the line. Lines are found when all fixations have been
//! read, from the boxes that were looked at: the font is monospaced, so that the place of a character
//! on its line says how many characters are before it, and thus which word its line starts with.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;
use std::sync::Arc;

use super::ReportOptions;
use super::fixations::list;
use crate::import::aliases::{ColumnRole, DATA_VIEWER, Mapping, beside};
use crate::import::error::{At, ImportError};
use crate::import::layout::areas::centres;
use crate::import::recording::{Area, RawFixation, RawWord, Reason, RowPlace, Sink};
use crate::import::report::Shape;
use crate::import::values::{Name, SharedNames, character_count, characters, name};
use crate::table::Rows;

/// A word without areas and without characters.
pub const NO_CHARACTERS: Reason = Reason::new("word_without_characters");

/// A map from areas of characters to words, for all texts.
#[derive(Debug, Default)]
pub struct CharacterMap {
    texts: HashMap<Arc<str>, Text>,
    /// Texts in the order of the map.
    order: Vec<Arc<str>>,
    last: Option<(Arc<str>, Arc<str>, i64)>,
    tally: Tally,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Tally {
    fixations: u64,
    nearest: u64,
    nowhere: u64,
    several: u64,
}

#[derive(Debug, Default)]
struct Text {
    words: Vec<Word>,
    /// The word and the character in it, of each area.
    places: HashMap<i64, (u32, u32)>,
    /// Letters that the map leaves out, by the number that is free for them.
    left_out: HashMap<i64, (u32, u32)>,
    /// The last number of the word before.
    end: Option<i64>,
    /// The boxes that were looked at: left, right, top and bottom.
    boxes: HashMap<i64, [f64; 4]>,
    /// Whether there were fixations in it, be they in no box.
    is_read: bool,
}

#[derive(Debug)]
struct Word {
    label: String,
    characters: u32,
    row: u64,
}

impl CharacterMap {
    /// Reads a map: a row for each word, with its text, the word, and a list of its areas.
    ///
    /// # Errors
    /// If the map cannot be read, columns are missing, or it has no word.
    pub fn read(
        input: &mut dyn BufRead,
        file: usize,
        options: &ReportOptions<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(Self, Shape), ImportError> {
        let mut rows = Rows::open(input, "a row of column names, then one row for each word")?;
        let (header, row) = (&rows.header, rows.header_row);
        let (roles, choices) = (
            [ColumnRole::Text, ColumnRole::Label, ColumnRole::Characters],
            beside(header, options.choices),
        );
        let mapping = Mapping::find_preferring(header, row, &roles, &choices, DATA_VIEWER)?;
        mapping.require(header, row, &roles)?;
        sink.note(rows.decision.clone());
        let (mut map, mut names, mut read) = (Self::default(), SharedNames::default(), 0);
        let mut text = Name::of(&mapping, ColumnRole::Text);
        let [label, characters] = [ColumnRole::Label, ColumnRole::Characters]
            .map(|role| mapping.index(role).unwrap_or(usize::MAX));
        let width = rows.header.len();
        while let Some(row) = rows.next()? {
            read += 1;
            let place = RowPlace { file, row: row.number };
            if row.len() != width {
                sink.dropped(place, Reason::RAGGED, row.line());
                continue;
            }
            let Some(text) = name(&mut text, row, &mut names) else {
                sink.dropped(place, Reason::NO_TEXT, row.line());
                continue;
            };
            let areas = list(row.cell(characters));
            if let Err(reason) = map.add(text, row.cell(label), &areas, row.number) {
                sink.dropped(place, reason, row.line());
            }
        }
        if map.order.is_empty() {
            let at = At::row(rows.last_row());
            return Err(ImportError::Empty { at, expected: "words with the areas of characters" });
        }
        map.fill(sink);
        rows.note_quotes(sink);
        Ok((map, Shape { rows: read, mapping, ..Shape::default() }))
    }

    fn add(&mut self, name: Arc<str>, label: &str, areas: &[i64], row: u64) -> Result<(), Reason> {
        let text = self.texts.entry(Arc::clone(&name)).or_insert_with(|| {
            self.order.push(name);
            Text::default()
        });
        if areas.iter().any(|area| text.places.contains_key(area)) {
            return Err(Reason::CONTRADICTING_WORD);
        }
        let number = u32::try_from(text.words.len() + 1).map_err(|_| Reason::MISPLACED_WORD)?;
        let letters = usize::try_from(character_count(label)).unwrap_or(usize::MAX);
        let characters = letters.max(areas.len());
        if characters == 0 {
            return Err(NO_CHARACTERS);
        }
        text.number(number, characters, areas);
        let characters = u32::try_from(characters).unwrap_or(u32::MAX);
        text.words.push(Word { label: label.to_owned(), characters, row });
        Ok(())
    }

    /// Gives letters that the map leaves out the numbers that no word has.
    fn fill(&mut self, sink: &mut dyn Sink) {
        let mut filled = 0_u64;
        for text in self.texts.values_mut() {
            for (area, place) in std::mem::take(&mut text.left_out) {
                if let Entry::Vacant(free) = text.places.entry(area) {
                    free.insert(place);
                    filled += 1;
                }
            }
        }
        if filled > 0 {
            sink.note(format!(
                "{filled} letters of words are not in the map; they have the numbers that it leaves \
                 free between its words and letters"
            ));
        }
    }

    /// The character of an area with its accents, where words have as many areas as characters.
    pub(super) fn character(&self, text: &str, area: i64) -> Option<String> {
        let text = self.texts.get(text)?;
        let &(word, at) = text.places.get(&area)?;
        let word = text.words.get((word as usize).checked_sub(1)?)?;
        let letters = characters(&word.label).filter(|(place, _)| *place == at);
        let letters: String = letters.map(|(_, letter)| letter).collect();
        Some(letters).filter(|_| character_count(&word.label) == word.characters)
    }

    /// Remembers the box of an area.
    pub(super) fn saw(&mut self, text: &str, area: i64, shape: [f64; 4]) {
        let text = self.texts.get_mut(text).filter(|text| text.places.contains_key(&area));
        if let Some(text) = text {
            text.boxes.entry(area).or_insert(shape);
        }
    }

    /// The word and the character in it that a fixation is on. Areas that the map does not know
    /// belong to other screens of the trial. Of several, the one nearest to the last fixation counts.
    pub(super) fn find(
        &mut self,
        fixation: &RawFixation,
        areas: &[i64],
        nearest: Option<i64>,
    ) -> Option<(u32, u32)> {
        self.tally.fixations += 1;
        let text = self.texts.get_mut(&fixation.text)?;
        text.is_read = true;
        let last = self
            .last
            .as_ref()
            .filter(|(reader, text, _)| *reader == fixation.reader && *text == fixation.text);
        let last = last.map_or(0, |(.., area)| *area);
        let known = areas.iter().copied().filter(|area| text.places.contains_key(area));
        let count = known.clone().count();
        self.tally.several += u64::from(count > 1);
        let mut area = known.min_by_key(|area| area.abs_diff(last));
        if area.is_none() {
            area = nearest.filter(|area| text.places.contains_key(area));
            self.tally.nearest += u64::from(area.is_some());
            self.tally.nowhere += u64::from(area.is_none());
        }
        let area = area?;
        self.last = Some((Arc::clone(&fixation.reader), Arc::clone(&fixation.text), area));
        text.places.get(&area).copied()
    }

    /// Notes where fixations were put, and starts to count anew.
    pub(super) fn note(&mut self, sink: &mut dyn Sink) {
        let Tally { fixations, nearest, nowhere, several } = std::mem::take(&mut self.tally);
        sink.note(format!(
            "areas are characters: {fixations} fixations, each taken to be in the middle of its \
             character; {nearest} in no area and put on the nearest, {nowhere} in none and without \
             position, {several} in several areas of the text"
        ));
    }

    /// Finds the lines, and hands the words over.
    ///
    /// # Errors
    /// If no lines can be found, and those of the sink.
    pub(super) fn finish(self, file: usize, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let seen = || self.order.iter().map(|name| (name, &self.texts[name]));
        let read: Vec<_> = seen().filter(|(_, text)| text.is_read).collect();
        let unread = self.order.len() - read.len();
        if read.is_empty() {
            sink.note("no text of the map was read: its words are left out".into());
            return Ok(());
        }
        let grid = Grid::of(read.iter().map(|(_, text)| *text)).ok_or_else(|| no_grid(&read))?;
        let starts: Vec<_> = read.iter().map(|(_, text)| grid.starts(text)).collect();
        let widths = read.iter().zip(&starts).map(|((_, text), starts)| text.width(starts));
        let width = widths.max().unwrap_or(u32::MAX);
        let (mut guessed, mut inexact) = (0, 0);
        for ((name, text), starts) in read.iter().zip(&starts) {
            inexact += starts.inexact;
            guessed += text.words(name, starts, width, file, sink)?;
        }
        sink.note(format!(
            "pixels per character: {:.3}, lines start at {:.1} px, and hold up to {width} characters; \
             lines of {} texts found from the characters looked at, {inexact} of them not at a word's \
             start, {guessed} guessed from the width; {unread} texts of the map were not read",
            grid.pitch,
            grid.origin,
            read.len(),
        ));
        Ok(())
    }
}

/// The error about characters whose place on the screen is not known.
fn no_grid(read: &[(&Arc<str>, &Text)]) -> ImportError {
    let row = read.iter().find_map(|(_, text)| text.words.first()).map_or(1, |word| word.row);
    let (found, remedy) = if read.iter().all(|(_, text)| text.boxes.is_empty()) {
        (
            "fixations on characters of the map, but no box of any",
            "add the column CURRENT_FIX_INTEREST_AREA_DATA to the fixation report",
        )
    } else {
        (
            "boxes of first and last characters of words only, which have parts of blanks with them",
            "import more fixations at once",
        )
    };
    let expected = "boxes of characters inside words, such as [STATIC, RECTANGLE, 275.0, 110.0, \
                    290.0, 204.0], which tell the lines";
    ImportError::value(At::row(row), found, expected, remedy)
}

impl Text {
    /// Says which letter of a word each area is. Areas are numbered along the text, and a map may leave
    /// letters out: where the word has more letters than areas, numbers tell which are missing.
    fn number(&mut self, word: u32, characters: usize, areas: &[i64]) {
        let letters = i64::try_from(characters).unwrap_or(i64::MAX);
        let (first, last) = match areas {
            [] => (self.end.map_or(1, |end| end.saturating_add(1)), None),
            [first, .., last] => (*first, Some(*last)),
            [only] => (*only, Some(*only)),
        };
        let spare = last.map_or(0, |last| letters.saturating_sub(last.saturating_sub(first)) - 1);
        let rises = areas.windows(2).all(|pair| pair[0] < pair[1]);
        if spare < 0 || !rises {
            self.places.extend(areas.iter().zip(0..).map(|(&area, at)| (area, (word, at))));
            self.end = areas.iter().copied().max();
            return;
        }
        // Numbers that are free before the word are of its first letters.
        let free = self.end.map_or(0, |end| first.saturating_sub(end).saturating_sub(1));
        let start = first.saturating_sub(free.clamp(0, spare));
        for at in 0..u32::try_from(characters).unwrap_or(u32::MAX) {
            let area = start.saturating_add(i64::from(at));
            let is_given = areas.binary_search(&area).is_ok();
            let places = if is_given { &mut self.places } else { &mut self.left_out };
            places.insert(area, (word, at));
        }
        self.end = Some(start.saturating_add(letters - 1));
    }

    /// How wide the widest line is whose start and end are known, in characters.
    fn width(&self, starts: &Starts) -> u32 {
        let known = starts.words.windows(2).map(|pair| &self.words[pair[0]..pair[1]]);
        known.map(|line| length(line).saturating_sub(1)).max().unwrap_or(0)
    }

    /// Hands the words over, and gives the number of lines that had to be guessed.
    fn words(
        &self,
        name: &Arc<str>,
        starts: &Starts,
        width: u32,
        file: usize,
        sink: &mut dyn Sink,
    ) -> Result<u32, ImportError> {
        let (mut line, mut column, mut guessed) = (1, 0_u32, 0);
        for (at, word) in self.words.iter().enumerate() {
            let is_start = starts.words.binary_search(&at).is_ok();
            let is_full = width > 0 && column.saturating_add(word.characters) > width;
            if at > 0 && (is_start || (is_full && column > 0)) {
                line += 1;
                column = 0;
                guessed += u32::from(!is_start);
            }
            let end = column.saturating_add(word.characters);
            let raw = RawWord {
                text: Arc::clone(name),
                line: Some(line),
                index: u32::try_from(at + 1).unwrap_or(u32::MAX),
                label: Some(word.label.clone()),
                area: Area::Chars { start: column, end },
            };
            sink.word(RowPlace { file, row: word.row }, raw)?;
            column = end.saturating_add(1);
        }
        Ok(guessed)
    }
}

/// Characters of words with a blank after each.
fn length(words: &[Word]) -> u32 {
    words.iter().fold(0, |sum, word| sum.saturating_add(word.characters).saturating_add(1))
}

/// The words that lines start with, rising, where they are known.
struct Starts {
    words: Vec<usize>,
    inexact: u32,
}

/// Where characters stand on the screen.
struct Grid {
    pitch: f64,
    origin: f64,
}

impl Grid {
    /// The width of a character is the mean width of those inside words: the first and the last have
    /// half a blank with them. Lines start where the first word of texts must have been.
    fn of<'t>(texts: impl Iterator<Item = &'t Text> + Clone) -> Option<Self> {
        let boxes = texts.clone().flat_map(|text| {
            text.boxes.iter().map(move |(area, shape)| (text.places[area], text, shape))
        });
        let inner = boxes.filter(|((word, at), text, _)| {
            *at > 0 && at + 1 < text.words[*word as usize - 1].characters
        });
        let mut widths: Vec<f64> = inner.map(|(_, _, shape)| shape[1] - shape[0]).collect();
        widths.sort_by(f64::total_cmp);
        let pitch = widths.iter().sum::<f64>() / widths.len() as f64;
        if !(pitch.is_finite() && pitch > 0.0) {
            return None;
        }
        let bare = Self { pitch, origin: 0.0 };
        let mut origins: Vec<f64> = texts.filter_map(|text| bare.origin(text)).collect();
        origins.sort_by(f64::total_cmp);
        origins.get(origins.len() / 2).map(|&origin| Self { pitch, origin })
    }

    /// Where the first line of a text starts, by the first of its characters that was looked at.
    fn origin(&self, text: &Text) -> Option<f64> {
        let (area, (word, at)) = text
            .boxes
            .keys()
            .map(|area| (area, text.places[area]))
            .min_by_key(|(_, place)| *place)?;
        let before = length(&text.words[..word as usize - 1]).saturating_add(at);
        Some(self.left(text, *area)? - f64::from(before) * self.pitch)
    }

    /// The left edge of a character without the half blank that its area may have.
    fn left(&self, text: &Text, area: i64) -> Option<f64> {
        let &(word, at) = text.places.get(&area)?;
        let [left, right, ..] = *text.boxes.get(&area)?;
        let characters = text.words.get(word as usize - 1)?.characters;
        Some(match (at, characters) {
            (0, 1) => f64::midpoint(left, right) - self.pitch / 2.0,
            (0, _) => right - self.pitch,
            _ => left,
        })
    }

    /// The words that lines start with. The first character looked at on a line tells how many are
    /// before it.
    fn starts(&self, text: &Text) -> Starts {
        let extents = text.boxes.values().map(|shape| (shape[2], shape[3]));
        let (_, lines) = centres(extents);
        let mut firsts: Vec<Option<((u32, u32), i64)>> = vec![None; lines.len()];
        for (&area, shape) in &text.boxes {
            let middle = f64::midpoint(shape[2], shape[3]);
            let away = |line: &usize| (lines[*line] - middle).abs();
            let line = (0..lines.len()).min_by(|a, b| away(a).total_cmp(&away(b)));
            let first = line.and_then(|line| firsts.get_mut(line));
            let place = (text.places[&area], area);
            if let Some(first) = first {
                *first = Some(first.map_or(place, |known| known.min(place)));
            }
        }
        let mut starts = Starts { words: vec![0], inexact: 0 };
        for (((word, at), area), line) in firsts.into_iter().flatten().zip(0..) {
            let Some(left) = self.left(text, area) else { continue };
            let column = ((left - self.origin) / self.pitch).round() - f64::from(at);
            let (start, is_exact) = walk_back(&text.words, word as usize - 1, column);
            // The first line looked at may be the first of the text.
            if starts.words.last().is_some_and(|last| start > *last) {
                starts.words.push(start);
                starts.inexact += u32::from(!is_exact);
            } else if line > 0 {
                starts.inexact += 1;
            }
        }
        starts
    }
}

/// The word that the line starts with, where a word stands at this column, and whether one does.
fn walk_back(words: &[Word], word: usize, column: f64) -> (usize, bool) {
    let (mut start, mut left) = (word, column);
    while start > 0 && left > 0.0 {
        let step = f64::from(words[start - 1].characters) + 1.0;
        // Half a word too far is further than half a word too near.
        if step - left > left {
            break;
        }
        left -= step;
        start -= 1;
    }
    (start, left.abs() < 0.5)
}
