//! The interest-area report: where words stand on the screen.
//!
//! Areas may be those of single characters, as stimuli of pymovements have them: words are then what
//! characters of one number cover, or what is between blanks where words are not numbered.
//!
//! The report repeats the areas of a text for each reader. Pages of a text that are alike are kept
//! once. Readers may have seen a text in other lines than others: see [`Areas::page`].

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::io::BufRead;
use std::sync::Arc;

use super::super::setting::{Phrase, phrase};
use super::ReportOptions;
use crate::import::aliases::{ColumnRole, DATA_VIEWER, Mapping, beside};
use crate::import::error::{At, ImportError};
use crate::import::layout::areas::{Areas, WordArea};
use crate::import::layout::{Layout, Layouts};
use crate::import::recording::{Reason, RowPlace, Sink};
use crate::import::report::Shape;
use crate::import::values::{Name, SharedNames, integer, name, number_or_missing};
use crate::table::{Row, Rows};

/// An area without edges, or with its right edge to the left.
pub const NO_AREA: Reason = Reason::new("area_without_box");
/// An area of a trial that has one of that number already.
pub const REPEATED_AREA: Reason = Reason::new("repeated_area");
/// A fixation on a text that was shown in several layouts, of which none is known to be the one that
/// the reader saw.
pub const UNKNOWN_PAGE: Reason = Reason::new("unknown_page");

/// A trial of a reader: text, reader and trial.
type Trial = (Arc<str>, Option<Arc<str>>, Option<Arc<str>>);

/// Words on the screen, for each text as each reader saw it.
#[derive(Debug, Default)]
pub struct ScreenWords {
    pub(super) layouts: Layouts,
    pages: SeveralPages,
}

impl ScreenWords {
    /// The layouts of texts, for fixations in pixels from elsewhere: see
    /// [`ScreenToText`](crate::import::layout::ScreenToText).
    pub fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// The name of a text as a reader saw it in a trial.
    pub(super) fn page(
        &self,
        text: &Arc<str>,
        reader: &Arc<str>,
        trial: Option<&Arc<str>>,
    ) -> Result<Arc<str>, Reason> {
        match self.pages.get(text, reader, trial) {
            Some(page) => page.cloned().ok_or(UNKNOWN_PAGE),
            None => Ok(Arc::clone(text)),
        }
    }
}

/// Who saw which page, of texts that have several.
#[derive(Debug, Default)]
struct SeveralPages {
    /// Whether the report tells readers and trials apart.
    has_reader: bool,
    has_trial: bool,
    texts: HashSet<Arc<str>>,
    trials: HashMap<Trial, Arc<str>>,
    /// The page that a reader saw of a text, or none where there are several.
    readers: HashMap<[Arc<str>; 2], Option<Arc<str>>>,
}

impl SeveralPages {
    fn add(&mut self, trial: Trial, page: &Arc<str>) {
        self.texts.insert(Arc::clone(&trial.0));
        if let Some(reader) = &trial.1 {
            let reader = self.readers.entry([Arc::clone(&trial.0), Arc::clone(reader)]);
            let only = reader.or_insert_with(|| Some(Arc::clone(page)));
            if only.as_ref().is_some_and(|only| only != page) {
                *only = None;
            }
        }
        self.trials.insert(trial, Arc::clone(page));
    }

    /// The page of a trial: `None` where the text has one page only, and `Some(None)` where it has
    /// several, and which is not known.
    fn get(
        &self,
        text: &Arc<str>,
        reader: &Arc<str>,
        trial: Option<&Arc<str>>,
    ) -> Option<Option<&Arc<str>>> {
        self.texts.get(text)?;
        let reader = self.has_reader.then(|| Arc::clone(reader));
        let trial = trial.filter(|_| self.has_trial).cloned();
        let key = (Arc::clone(text), reader, trial);
        let page = self.trials.get(&key).or_else(|| {
            // Trials may have other names in other files; a reader with one page saw that.
            let (text, reader, _) = key;
            self.readers.get(&[text, reader?])?.as_ref()
        });
        Some(page)
    }
}

impl From<Vec<Layout>> for ScreenWords {
    /// Layouts that every reader saw alike.
    fn from(layouts: Vec<Layout>) -> Self {
        Self { layouts: layouts.into_iter().collect(), pages: SeveralPages::default() }
    }
}

const ROLES: [ColumnRole; 12] = [
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Trial,
    ColumnRole::Word,
    ColumnRole::Label,
    ColumnRole::Character,
    ColumnRole::Left,
    ColumnRole::Right,
    ColumnRole::Top,
    ColumnRole::Bottom,
    ColumnRole::Width,
    ColumnRole::Height,
];

/// Reads an interest-area report and hands its words over. `pitch` is the width of a character in
/// pixels, where it is known.
///
/// # Errors
/// If the report cannot be read, columns are missing, or there is no area.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &ReportOptions<'_>,
    pitch: Option<f64>,
    sink: &mut dyn Sink,
) -> Result<(ScreenWords, Shape), ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each area")?;
    let mapping = find(&rows, options)?;
    sink.note(rows.decision.clone());
    let columns = Columns::new(&mapping, rows.header.len());
    rows.note_commas(&columns.edges, sink)?;
    let (mut pages, mut names, mut read) = (Pages::default(), SharedNames::default(), 0);
    let [mut reader, mut text, mut trial] =
        [ColumnRole::Reader, ColumnRole::Text, ColumnRole::Trial]
            .map(|role| Name::of(&mapping, role));
    let columns_of_trials = (reader.is_some(), trial.is_some());
    let (mut counted, mut characters) = (Counted::default(), 0_u64);
    while let Some(row) = rows.next()? {
        read += 1;
        let place = RowPlace { file, row: row.number };
        let Some(text) = name(&mut text, row, &mut names) else {
            sink.dropped(place, Reason::NO_TEXT, row.line());
            continue;
        };
        let reader = name(&mut reader, row, &mut names);
        let trial = name(&mut trial, row, &mut names);
        let trial = (text, reader, trial);
        if columns.is_blank(row) {
            counted.end_word();
            sink.dropped(place, BLANK, row.line());
            continue;
        }
        match columns.area(row) {
            Ok(mut area) => {
                counted.number(&columns, &trial, &mut area);
                let spells = columns.label.is_none();
                if columns.character.is_some() && pages.extend(&trial, &area, spells) {
                    characters += 1;
                    continue;
                }
                characters += u64::from(columns.character.is_some());
                if let Some(taken) = pages.add(&trial, area.clone()) {
                    if columns_of_trials == (false, false) && !taken.is_at(&area) {
                        return Err(no_trials(&trial.0, &area));
                    }
                    sink.dropped(place, REPEATED_AREA, row.line());
                }
            }
            Err(reason) => sink.dropped(place, reason, row.line()),
        }
    }
    rows.note_quotes(sink);
    if characters > 0 {
        sink.note(format!("areas of {characters} characters are put together to words"));
    }
    let words = pages.finish(file, rows.last_row(), columns_of_trials, pitch, sink)?;
    Ok((words, Shape { rows: read, mapping, ..Shape::default() }))
}

/// The error about areas in several places, where nothing tells who saw them where.
fn no_trials(text: &str, area: &WordArea) -> ImportError {
    ImportError::value(
        At::row(area.row),
        format!("area {} of the text {text} in another place than before", area.id),
        "a column that tells readers or trials apart, since they saw texts in several layouts",
        phrase![
            "name it with ",
            Phrase::choice("reader", "COLUMN"),
            " or ",
            Phrase::choice("trial", "COLUMN")
        ],
    )
}

/// Right and lower edges may be widths and heights.
fn find(rows: &Rows<'_>, options: &ReportOptions<'_>) -> Result<Mapping, ImportError> {
    let (header, row) = (&rows.header, rows.header_row);
    let choices = beside(header, options.choices);
    let mut mapping = Mapping::find_preferring(header, row, &ROLES, &choices, DATA_VIEWER)?;
    let mut needed = vec![ColumnRole::Text, ColumnRole::Left, ColumnRole::Top];
    // Words may be counted by the blanks between characters.
    if mapping.get(ColumnRole::Character).is_none() {
        needed.insert(1, ColumnRole::Word);
    }
    for (edge, size) in
        [(ColumnRole::Right, ColumnRole::Width), (ColumnRole::Bottom, ColumnRole::Height)]
    {
        if mapping.get(edge).is_some() {
            mapping.0.retain(|mapped| mapped.role != size);
        } else if mapping.get(size).is_none() {
            needed.push(edge);
        }
    }
    mapping.require(header, row, &needed)?;
    Ok(mapping)
}

struct Columns {
    /// Cells that a row should have.
    width: usize,
    area: Option<usize>,
    label: Option<usize>,
    /// Of a table with an area for each character.
    character: Option<usize>,
    /// Left, right, top and bottom.
    edges: [Option<usize>; 4],
    /// Whether the right and the bottom edge are a width and a height.
    is_size: [bool; 2],
}

impl Columns {
    fn new(mapping: &Mapping, width: usize) -> Self {
        let index = |role| mapping.index(role);
        let [right, bottom] =
            [(ColumnRole::Right, ColumnRole::Width), (ColumnRole::Bottom, ColumnRole::Height)]
                .map(|(edge, size)| index(edge).or(index(size)));
        Self {
            width,
            area: index(ColumnRole::Word),
            label: index(ColumnRole::Label),
            character: index(ColumnRole::Character),
            edges: [index(ColumnRole::Left), right, index(ColumnRole::Top), bottom],
            is_size: [ColumnRole::Right, ColumnRole::Bottom]
                .map(|edge| mapping.get(edge).is_none()),
        }
    }

    /// Whether a row is about a blank between words.
    fn is_blank(&self, row: Row<'_>) -> bool {
        row.len() == self.width && self.character.is_some_and(|column| row.cell(column).is_empty())
    }

    fn area(&self, row: Row<'_>) -> Result<WordArea, Reason> {
        if row.len() != self.width {
            return Err(Reason::RAGGED);
        }
        let cell = |column: Option<usize>| column.map_or("", |column| row.cell(column));
        let id = match self.area {
            Some(column) => integer(row.cell(column)).ok_or(NO_AREA)?,
            None => 0,
        };
        let mut edges = [0.0; 4];
        for (edge, &column) in edges.iter_mut().zip(&self.edges) {
            *edge = number_or_missing(cell(column), true)?.ok_or(NO_AREA)?;
        }
        let [left, mut right, top, mut bottom] = edges;
        if self.is_size[0] {
            right += left;
        }
        if self.is_size[1] {
            bottom += top;
        }
        if left >= right || top > bottom {
            return Err(NO_AREA);
        }
        // A label may be a word that elsewhere stands for a missing value, such as "." or "null".
        // Blanks around it tell how wide it is.
        let label = match self.label {
            Some(column) => row.verbatim(column),
            None => cell(self.character),
        };
        let label = Some(label).filter(|label| !label.trim().is_empty()).map(str::to_owned);
        Ok(WordArea { id, label, left, right, top, bottom, row: row.number })
    }
}

/// The area of a blank between words.
const BLANK: Reason = Reason::aside("blank");

/// Counts words between blanks, and where a line ends, in tables of characters that do not number them.
#[derive(Default)]
struct Counted {
    trial: Option<Trial>,
    last: i64,
    /// The upper edge of the word at hand.
    top: Option<f64>,
}

impl Counted {
    fn end_word(&mut self) {
        self.top = None;
    }

    fn number(&mut self, columns: &Columns, trial: &Trial, area: &mut WordArea) {
        if columns.area.is_some() {
            return;
        }
        if self.trial.as_ref() != Some(trial) {
            *self = Self { trial: Some(trial.clone()), ..Self::default() };
        }
        if self.top != Some(area.top) {
            self.last += 1;
            self.top = Some(area.top);
        }
        area.id = self.last;
    }
}

/// Collects the areas of trials. As a rule a trial is over when another starts, and its page is then
/// kept once for all who saw it. A trial that goes on later is kept apart until the end.
#[derive(Default)]
struct Pages {
    areas: Areas,
    trials: Vec<(Trial, Collected)>,
    index: HashMap<Trial, usize>,
    current: Option<usize>,
}

enum Collected {
    /// Its areas may be complete; the number of their page.
    Page(usize),
    Open(Open),
}

#[derive(Default)]
struct Open {
    areas: Vec<WordArea>,
    ids: HashMap<i64, usize>,
    /// Whether it was taken to be complete before.
    is_scattered: bool,
}

impl Pages {
    /// Adds a character to the word that it is of, where that is on the same line, and to its label where
    /// that is spelt out; `false` where there is none yet.
    fn extend(&mut self, trial: &Trial, area: &WordArea, spells: bool) -> bool {
        let is_current = |at: &usize| self.trials[*at].0 == *trial;
        let Some(at) = self.current.filter(is_current) else { return false };
        let Collected::Open(open) = &mut self.trials[at].1 else { return false };
        let Some(&word) = open.ids.get(&area.id) else { return false };
        let word = &mut open.areas[word];
        if area.top >= word.bottom || area.bottom <= word.top {
            return false;
        }
        if let (true, Some(label), Some(character)) = (spells, &mut word.label, &area.label) {
            label.push_str(character);
        }
        word.left = word.left.min(area.left);
        word.right = word.right.max(area.right);
        word.top = word.top.min(area.top);
        word.bottom = word.bottom.max(area.bottom);
        true
    }

    /// Adds an area. If its number is taken, gives the area that has it.
    fn add(&mut self, trial: &Trial, area: WordArea) -> Option<&WordArea> {
        let is_current = |at: &usize| self.trials[*at].0 == *trial;
        let at = self.current.filter(is_current).unwrap_or_else(|| self.turn_to(trial));
        let Self { areas, trials, .. } = self;
        let collected = &mut trials[at].1;
        if let Collected::Page(page) = *collected {
            let areas = areas.take_back(page);
            let ids = areas.iter().enumerate().map(|(at, area)| (area.id, at)).collect();
            *collected = Collected::Open(Open { areas, ids, is_scattered: true });
        }
        let Collected::Open(open) = collected else { return None };
        match open.ids.entry(area.id) {
            Entry::Occupied(taken) => open.areas.get(*taken.get()),
            Entry::Vacant(free) => {
                free.insert(open.areas.len());
                open.areas.push(area);
                None
            }
        }
    }

    /// Goes on with a trial, and ends the one before.
    fn turn_to(&mut self, trial: &Trial) -> usize {
        if let Some(before) = self.current.take() {
            self.close(before, false);
        }
        let at = match self.index.get(trial) {
            Some(&at) => at,
            None => {
                let at = self.trials.len();
                self.trials.push((trial.clone(), Collected::Open(Open::default())));
                self.index.insert(trial.clone(), at);
                at
            }
        };
        *self.current.insert(at)
    }

    /// Takes a trial to be complete; at the end all are.
    fn close(&mut self, at: usize, is_end: bool) {
        let (trial, collected) = &mut self.trials[at];
        if let Collected::Open(open) = collected
            && (is_end || !open.is_scattered)
        {
            let page = self.areas.page(&trial.0, std::mem::take(&mut open.areas));
            *collected = Collected::Page(page);
        }
    }

    fn finish(
        mut self,
        file: usize,
        row: u64,
        columns: (bool, bool),
        pitch: Option<f64>,
        sink: &mut dyn Sink,
    ) -> Result<ScreenWords, ImportError> {
        (0..self.trials.len()).for_each(|at| self.close(at, true));
        if self.areas.is_empty() {
            let at = At::row(row);
            return Err(ImportError::Empty { at, expected: "areas of interest with their edges" });
        }
        let (names, several) = (self.areas.names(), self.areas.several());
        let mut pages = SeveralPages { has_reader: columns.0, ..SeveralPages::default() };
        pages.has_trial = columns.1;
        for (trial, collected) in self.trials {
            if let (Collected::Page(page), true) = (collected, several.contains(&trial.0)) {
                pages.add(trial, &names[page]);
            }
        }
        let repeated = self.areas.repeated();
        if repeated > 0 {
            sink.note(format!(
                "{repeated} areas are told again for other readers or trials, in the same places"
            ));
        }
        let layouts: Vec<Layout> = self.areas.layouts(pitch, sink)?;
        for layout in &layouts {
            layout.words(file, sink)?;
        }
        Ok(ScreenWords { layouts: layouts.into_iter().collect(), pages })
    }
}
