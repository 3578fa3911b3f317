//! The interest-area report: where words stand on the screen.
//!
//! The report repeats the areas of a text for each reader. Pages of a text that are alike are kept
//! once. Readers may have seen a text in other lines than others: see [`Areas::page`].

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;

use super::ReportOptions;
use super::columns::{Finder, Role};
use super::fixations::Names;
use crate::import::error::ImportError;
use crate::import::layout::areas::{Areas, WordArea};
use crate::import::layout::{Layout, Layouts};
use crate::import::recording::{Reason, RowPlace, Sink};
use crate::import::rows::Rows;

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
) -> Result<ScreenWords, ImportError> {
    let mut rows = Rows::open(input, options.delimiter)?;
    let columns = Columns::find(&rows, options, sink)?;
    let mut pages = Pages::default();
    let mut names = Names::default();
    while rows.advance()? {
        let place = RowPlace { file, row: rows.row() };
        let Some(text) = names.text(&rows, &columns.text)? else {
            sink.dropped(place, Reason::NO_TEXT, &rows.shown());
            continue;
        };
        let reader = names.reader(&rows, columns.reader)?;
        let trial = names.trial(&rows, columns.trial)?;
        match columns.area(&rows)? {
            Ok(area) => {
                if !pages.add((text, reader, trial), area) {
                    sink.dropped(place, REPEATED_AREA, &rows.shown());
                }
            }
            Err(reason) => sink.dropped(place, reason, &rows.shown()),
        }
    }
    let row = rows.row();
    pages.finish(file, row, pitch, sink)
}

struct Columns {
    reader: Option<usize>,
    text: Vec<usize>,
    trial: Option<usize>,
    area: usize,
    label: Option<usize>,
    /// Left, right, top and bottom.
    edges: [usize; 4],
    /// Whether the right and the bottom edge are a width and a height.
    is_size: [bool; 2],
}

impl Columns {
    fn find(
        rows: &Rows<'_>,
        options: &ReportOptions<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let mut finder = Finder::new(rows.header(), options.chosen);
        let mut end = |edge, size| -> Result<(usize, bool), ImportError> {
            match finder.one(edge)? {
                Some(column) => Ok((column, false)),
                None => match finder.one(size)? {
                    Some(column) => Ok((column, true)),
                    None => finder.required(edge).map(|column| (column, false)),
                },
            }
        };
        let (right, is_width) = end(Role::Right, Role::Width)?;
        let (bottom, is_height) = end(Role::Bottom, Role::Height)?;
        let columns = Self {
            is_size: [is_width, is_height],
            reader: finder.one(Role::Reader)?,
            text: finder.all(Role::Text)?,
            trial: finder.one(Role::Trial)?,
            area: finder.required(Role::WordArea)?,
            label: finder.one(Role::WordLabel)?,
            edges: [finder.required(Role::Left)?, right, finder.required(Role::Top)?, bottom],
        };
        if columns.text.is_empty() {
            finder.lacks(Role::Text);
        }
        sink.note(format!("columns of the areas: {}", finder.done()?));
        Ok(columns)
    }

    fn area(&self, rows: &Rows<'_>) -> Result<Result<WordArea, Reason>, ImportError> {
        let Some(id) = rows.cell(self.area)?.and_then(whole) else { return Ok(Err(NO_AREA)) };
        let mut edges = [0.0; 4];
        for (edge, &column) in edges.iter_mut().zip(&self.edges) {
            match rows.number(Some(column))? {
                Ok(Some(number)) => *edge = number,
                Ok(None) => return Ok(Err(NO_AREA)),
                Err(_) => return Ok(Err(Reason::NOT_A_NUMBER)),
            }
        }
        let [left, mut right, top, mut bottom] = edges;
        if self.is_size[0] {
            right += left;
        }
        if self.is_size[1] {
            bottom += top;
        }
        if left >= right || top > bottom {
            return Ok(Err(NO_AREA));
        }
        // A label may be a word that elsewhere stands for a missing value, such as "." or "null".
        let label = self.label.map(|column| rows.text(column)).transpose()?;
        let label = label.filter(|label| !label.is_empty()).map(str::to_owned);
        Ok(Ok(WordArea { id, label, left, right, top, bottom, row: rows.row() }))
    }
}

/// A whole number, maybe written as `7.00`.
pub(super) fn whole(cell: &str) -> Option<i64> {
    let number = crate::import::rows::number(cell)?;
    (number.fract() == 0.0 && number.abs() < 1e9).then_some(number as i64)
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
            let at = crate::import::At::row(row);
            return Err(ImportError::Empty { at, expected: "areas of interest with their edges" });
        }
        let layouts: Vec<Layout> = self.areas.layouts(pitch, sink)?;
        for layout in &layouts {
            layout.words(file, sink)?;
        }
        Ok(ScreenWords { layouts: layouts.into_iter().collect(), pages: self.names })
    }
}
