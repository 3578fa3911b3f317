//! The interest-area report: where words stand on the screen.
//!
//! The report repeats the areas of a text for each reader. Pages of a text that are alike are kept
//! once. Readers may have seen a text in other lines than others: see [`Areas::page`].

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;

use super::ReportOptions;
use crate::import::aliases::{DATA_VIEWER, Mapping, Role, beside};
use crate::import::dialect::{Row, Rows};
use crate::import::error::{At, ImportError};
use crate::import::layout::areas::{Areas, WordArea};
use crate::import::layout::{Layout, Layouts};
use crate::import::recording::{Reason, RowPlace, Sink};
use crate::import::report::Shape;
use crate::import::values::{Name, Names, integer, name, number_or_missing};

/// An area without edges, or with its right edge to the left.
pub const NO_AREA: Reason = Reason::new("area_without_box");
/// An area of a trial that has one of that number already.
pub const REPEATED_AREA: Reason = Reason::new("repeated_area");

/// A trial of a reader: text, reader and trial.
type Trial = (Arc<str>, Option<Arc<str>>, Option<Arc<str>>);

/// Words on the screen, for each text as each reader saw it.
#[derive(Debug, Default)]
pub struct ScreenWords {
    pub(super) layouts: Layouts,
    /// The text of a trial, where that has another name than its text.
    pages: HashMap<Trial, Arc<str>>,
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
    ) -> Option<&Arc<str>> {
        if self.pages.is_empty() {
            return None;
        }
        self.pages.get(&(Arc::clone(text), Some(Arc::clone(reader)), trial.cloned()))
    }
}

impl From<Vec<Layout>> for ScreenWords {
    /// Layouts that every reader saw alike.
    fn from(layouts: Vec<Layout>) -> Self {
        Self { layouts: layouts.into_iter().collect(), pages: HashMap::new() }
    }
}

const ROLES: [Role; 11] = [
    Role::Reader,
    Role::Text,
    Role::Trial,
    Role::Word,
    Role::Label,
    Role::Left,
    Role::Right,
    Role::Top,
    Role::Bottom,
    Role::Width,
    Role::Height,
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
    let (mut pages, mut names, mut read) = (Pages::default(), Names::default(), 0);
    let [mut reader, mut text, mut trial] =
        [Role::Reader, Role::Text, Role::Trial].map(|role| Name::of(&mapping, role));
    while let Some(row) = rows.next()? {
        read += 1;
        let place = RowPlace { file, row: row.number };
        let Some(text) = name(&mut text, row, &mut names) else {
            sink.dropped(place, Reason::NO_TEXT, row.line());
            continue;
        };
        let reader = name(&mut reader, row, &mut names);
        let trial = name(&mut trial, row, &mut names);
        match columns.area(row) {
            Ok(area) => {
                if !pages.add((text, reader, trial), area) {
                    sink.dropped(place, REPEATED_AREA, row.line());
                }
            }
            Err(reason) => sink.dropped(place, reason, row.line()),
        }
    }
    rows.note_quotes(sink);
    let words = pages.finish(file, rows.last_row(), pitch, sink)?;
    Ok((words, Shape { rows: read, mapping }))
}

/// Right and lower edges may be widths and heights.
fn find(rows: &Rows<'_>, options: &ReportOptions<'_>) -> Result<Mapping, ImportError> {
    let (header, row) = (&rows.header, rows.header_row);
    let choices = beside(header, options.choices);
    let mut mapping = Mapping::find_preferring(header, row, &ROLES, &choices, DATA_VIEWER)?;
    let mut needed = vec![Role::Text, Role::Word, Role::Left, Role::Top];
    for (edge, size) in [(Role::Right, Role::Width), (Role::Bottom, Role::Height)] {
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
    /// Left, right, top and bottom.
    edges: [Option<usize>; 4],
    /// Whether the right and the bottom edge are a width and a height.
    is_size: [bool; 2],
}

impl Columns {
    fn new(mapping: &Mapping, width: usize) -> Self {
        let index = |role| mapping.index(role);
        let [right, bottom] = [(Role::Right, Role::Width), (Role::Bottom, Role::Height)]
            .map(|(edge, size)| index(edge).or(index(size)));
        Self {
            width,
            area: index(Role::Word),
            label: index(Role::Label),
            edges: [index(Role::Left), right, index(Role::Top), bottom],
            is_size: [Role::Right, Role::Bottom].map(|edge| mapping.get(edge).is_none()),
        }
    }

    fn area(&self, row: Row<'_>) -> Result<WordArea, Reason> {
        if row.len() != self.width {
            return Err(Reason::RAGGED);
        }
        let cell = |column: Option<usize>| column.map_or("", |column| row.cell(column));
        let id = integer(cell(self.area)).ok_or(NO_AREA)?;
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
        let label = Some(cell(self.label)).filter(|label| !label.is_empty()).map(str::to_owned);
        Ok(WordArea { id, label, left, right, top, bottom, row: row.number })
    }
}

/// Collects the areas of a trial, then of the next. A trial is over when another starts.
#[derive(Default)]
struct Pages {
    areas: Areas,
    current: Option<Trial>,
    page: Vec<WordArea>,
    ids: HashSet<i64>,
    names: HashMap<Trial, Arc<str>>,
}

impl Pages {
    /// Adds an area, `false` if its number is taken.
    fn add(&mut self, trial: Trial, area: WordArea) -> bool {
        if self.current.as_ref() != Some(&trial) {
            self.close();
            self.current = Some(trial);
        }
        let new = self.ids.insert(area.id);
        if new {
            self.page.push(area);
        }
        new
    }

    fn close(&mut self) {
        let Some(trial) = self.current.take() else { return };
        self.ids.clear();
        let name = self.areas.page(&trial.0, std::mem::take(&mut self.page));
        if name != trial.0 {
            self.names.insert(trial, name);
        }
    }

    fn finish(
        mut self,
        file: usize,
        row: u64,
        pitch: Option<f64>,
        sink: &mut dyn Sink,
    ) -> Result<ScreenWords, ImportError> {
        self.close();
        if self.areas.is_empty() {
            let at = At::row(row);
            return Err(ImportError::Empty { at, expected: "areas of interest with their edges" });
        }
        let layouts: Vec<Layout> = self.areas.layouts(pitch, sink)?;
        for layout in &layouts {
            layout.words(file, sink)?;
        }
        Ok(ScreenWords { layouts: layouts.into_iter().collect(), pages: self.names })
    }
}
