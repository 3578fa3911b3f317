//! The fixation report.

use std::io::BufRead;
use std::sync::Arc;

use super::areas::{ScreenWords, whole};
use super::base::{Base, Seen};
use super::characters::CharacterMap;
use super::columns::{Finder, Role};
use super::{ReportOptions, Words};
use crate::import::error::{At, ImportError};
use crate::import::layout::{Layout, ScreenToText};
use crate::import::recording::{Eye, Position, RawFixation, Reason, RowPlace, Sink};
use crate::import::rows::Rows;

/// Reads a fixation report.
///
/// # Errors
/// If the report cannot be read, columns are missing, or it has no rows.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &ReportOptions<'_>,
    words: &mut Words,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let mut rows = Rows::open(input, options.delimiter)?;
    let columns = Columns::find(&rows, options, words, sink)?;
    let mut report = Report { rows: &mut rows, file, columns, names: Names::default(), read: 0 };
    match words {
        Words::Unknown => {
            while let Some(seen) = report.next(sink)? {
                sink.fixation(seen.place, seen.fixation)?;
            }
        }
        Words::Screen(words) => on_screen(&mut report, options, words, sink)?,
        Words::Characters(map) => in_characters(&mut report, options, map, sink)?,
    }
    if report.read == 0 {
        let at = At::row(rows.row());
        return Err(ImportError::Empty { at, expected: "fixations" });
    }
    Ok(())
}

/// Fixations in pixels, on words that stand on the screen.
fn on_screen(
    report: &mut Report<'_, '_>,
    options: &ReportOptions<'_>,
    words: &ScreenWords,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let mut base = Base::default();
    let mut screen = ScreenToText::new(&words.layouts, options.lines, sink);
    if let Some(reach) = options.reach {
        screen = screen.with_reach(reach);
    }
    let mut pages = Pages { words, last: None };
    while let Some(mut seen) = report.next(&mut screen)? {
        let layout = pages.turn(&mut seen.fixation);
        if base.is_decided() {
            seen.fixation.word = layout.and_then(|layout| base.word(&seen, layout, false));
            screen.fixation(seen.place, seen.fixation)?;
        } else if base.wait(seen, layout) {
            hand_over(&mut base, words, &mut screen)?;
        }
    }
    if !base.is_decided() {
        hand_over(&mut base, words, &mut screen)?;
    }
    base.note(&mut screen);
    screen.finish()
}

/// Hands those fixations over that waited until it was clear how areas are counted.
fn hand_over(
    base: &mut Base,
    words: &ScreenWords,
    screen: &mut ScreenToText<'_>,
) -> Result<(), ImportError> {
    for mut seen in base.decide() {
        let layout = words.layouts.get(&seen.fixation.text);
        seen.fixation.word = layout.and_then(|layout| base.word(&seen, layout, true));
        screen.fixation(seen.place, seen.fixation)?;
    }
    Ok(())
}

/// The page that a reader saw; the same as in the row before, as a rule.
struct Pages<'w> {
    words: &'w ScreenWords,
    last: Option<Page<'w>>,
}

struct Page<'w> {
    reader: Arc<str>,
    text: Arc<str>,
    trial: Option<Arc<str>>,
    name: Arc<str>,
    layout: Option<&'w Layout>,
}

impl<'w> Pages<'w> {
    /// Gives a fixation the name of the text as its reader saw it, and finds the layout.
    fn turn(&mut self, fixation: &mut RawFixation) -> Option<&'w Layout> {
        let is_same = |page: &Page<'_>| {
            Arc::ptr_eq(&page.reader, &fixation.reader)
                && Arc::ptr_eq(&page.text, &fixation.text)
                && page.trial == fixation.trial
        };
        if !self.last.as_ref().is_some_and(is_same) {
            let RawFixation { reader, text, trial, .. } = &*fixation;
            let name = Arc::clone(self.words.page(text, reader, trial.as_ref()).unwrap_or(text));
            self.last = Some(Page {
                reader: Arc::clone(reader),
                text: Arc::clone(text),
                trial: trial.clone(),
                layout: self.words.layouts.get(&name),
                name,
            });
        }
        let page = self.last.as_ref()?;
        fixation.text = Arc::clone(&page.name);
        page.layout
    }
}

/// Fixations on areas that are single characters.
fn in_characters(
    report: &mut Report<'_, '_>,
    options: &ReportOptions<'_>,
    map: &mut CharacterMap,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    while let Some(mut seen) = report.next(sink)? {
        let at = report.character(&seen, options.nearest_within, map)?;
        if let Some((word, letter)) = at {
            // As in SWIFT, letter 0 to 1 is the blank before the word; the eye is taken to be in the
            // middle of the character.
            seen.fixation.position = Position::Letter { word, letter: f64::from(letter) + 1.5 };
            seen.fixation.word = Some(word);
        }
        sink.fixation(seen.place, seen.fixation)?;
    }
    map.note(sink);
    Ok(())
}

struct Columns {
    reader: usize,
    text: Vec<usize>,
    session: Option<usize>,
    trial: Option<usize>,
    x: Option<usize>,
    y: Option<usize>,
    duration: usize,
    onset: Option<usize>,
    eye: Option<usize>,
    blink: Option<usize>,
    area: Option<usize>,
    areas: Option<usize>,
    area_box: Option<usize>,
    label: Option<usize>,
    nearest: Option<usize>,
    distance: Option<usize>,
}

impl Columns {
    fn find(
        rows: &Rows<'_>,
        options: &ReportOptions<'_>,
        words: &Words,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let mut finder = Finder::new(rows.header(), options.chosen);
        let is_characters = matches!(words, Words::Characters(_));
        let columns = Self {
            reader: finder.required(Role::Reader)?,
            text: finder.all(Role::Text)?,
            session: finder.one(Role::Session)?,
            trial: finder.one(Role::Trial)?,
            x: finder.one(Role::X)?,
            y: finder.one(Role::Y)?,
            duration: finder.required(Role::Duration)?,
            onset: finder.one(Role::Onset)?,
            eye: finder.one(Role::Eye)?,
            blink: finder.one(Role::Blink)?,
            area: finder.one(Role::Area)?,
            areas: finder.one(Role::Areas)?,
            area_box: finder.one(Role::AreaBox)?,
            label: finder.one(Role::Label)?,
            nearest: finder.one(Role::Nearest)?,
            distance: finder.one(Role::Distance)?,
        };
        if columns.text.is_empty() {
            finder.lacks(Role::Text);
        }
        if is_characters && columns.area.is_none() {
            finder.lacks(Role::Area);
        }
        if !is_characters && columns.x.is_none() {
            finder.lacks(Role::X);
        }
        if !is_characters && columns.y.is_none() {
            finder.lacks(Role::Y);
        }
        sink.note(format!("columns of the fixations: {}", finder.done()?));
        Ok(columns)
    }
}

/// A fixation report, row by row.
struct Report<'r, 'i> {
    rows: &'r mut Rows<'i>,
    file: usize,
    columns: Columns,
    names: Names,
    read: u64,
}

impl Report<'_, '_> {
    /// The next fixation; rows that are none are dropped.
    fn next(&mut self, sink: &mut dyn Sink) -> Result<Option<Seen>, ImportError> {
        while self.rows.advance()? {
            self.read += 1;
            let place = RowPlace { file: self.file, row: self.rows.row() };
            match self.fixation(place)? {
                Ok(seen) => return Ok(Some(seen)),
                Err(reason) => sink.dropped(place, reason, &self.rows.shown()),
            }
        }
        Ok(None)
    }

    fn fixation(&mut self, place: RowPlace) -> Result<Result<Seen, Reason>, ImportError> {
        let (rows, columns) = (&*self.rows, &self.columns);
        if rows.len() != rows.header().len() {
            return Ok(Err(Reason::RAGGED));
        }
        let Some(reader) = self.names.reader(rows, Some(columns.reader))? else {
            return Ok(Err(Reason::NO_READER));
        };
        let Some(text) = self.names.text(rows, &columns.text)? else {
            return Ok(Err(Reason::NO_TEXT));
        };
        let numbers = (
            rows.number(columns.x)?,
            rows.number(columns.y)?,
            rows.number(Some(columns.duration))?,
            rows.number(columns.onset)?,
        );
        let (Ok(x), Ok(y), Ok(duration_ms), Ok(onset_ms)) = numbers else {
            return Ok(Err(Reason::NOT_A_NUMBER));
        };
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Ok(Err(Reason::NEGATIVE_DURATION));
        }
        let cell = |column: Option<usize>| column.map_or(Ok(None), |column| rows.cell(column));
        let fixation = RawFixation {
            reader,
            text,
            session: self.names.session(rows, columns.session)?,
            trial: self.names.trial(rows, columns.trial)?,
            position: match (x, y) {
                (Some(x), Some(y)) => Position::Pixels { x, y },
                _ => Position::Missing,
            },
            duration_ms,
            onset_ms,
            gap: cell(columns.blink)?.is_some_and(is_true),
            eye: cell(columns.eye)?.and_then(eye),
            word: None,
        };
        let area = cell(columns.area)?.and_then(whole);
        // Labels are compared only where there is no position.
        let by_label = fixation.position == Position::Missing;
        let label = if by_label { cell(columns.label)?.map(str::to_owned) } else { None };
        Ok(Ok(Seen { place, fixation, area, label }))
    }

    /// The word and the character in it, from 0, that the row's areas are.
    fn character(
        &self,
        seen: &Seen,
        nearest_within: f64,
        map: &mut CharacterMap,
    ) -> Result<Option<(u32, u32)>, ImportError> {
        let (rows, columns) = (&*self.rows, &self.columns);
        let cell = |column: Option<usize>| column.map_or(Ok(None), |column| rows.cell(column));
        let mut areas: Vec<i64> = cell(columns.areas)?.map(list).unwrap_or_default();
        areas.extend(seen.area.filter(|area| !areas.contains(area)));
        if let (Some(area), Some(shape)) = (seen.area, cell(columns.area_box)?.and_then(rectangle))
        {
            map.saw(&seen.fixation.text, area, shape);
        }
        let near = cell(columns.nearest)?.and_then(whole);
        let distance = rows.number(columns.distance)?.ok().flatten();
        let near = near.filter(|_| distance.is_some_and(|distance| distance <= nearest_within));
        Ok(map.find(&seen.fixation, &areas, near))
    }
}

/// A list such as `[ 7]` or `[ 89, 412]`.
pub(super) fn list(cell: &str) -> Vec<i64> {
    cell.trim_matches(['[', ']']).split(',').filter_map(|number| whole(number.trim())).collect()
}

/// Left, right, top and bottom of a cell such as `[STATIC, RECTANGLE, 275.0, 110.0, 290.0, 204.0]`.
fn rectangle(cell: &str) -> Option<[f64; 4]> {
    let mut cells = cell.trim_matches(['[', ']']).split(',').map(str::trim);
    cells.find(|cell| *cell == "RECTANGLE")?;
    let mut next = || cells.next()?.parse().ok().filter(|edge: &f64| edge.is_finite());
    let (left, top, right, bottom) = (next()?, next()?, next()?, next()?);
    (left < right && top < bottom).then_some([left, right, top, bottom])
}

fn is_true(cell: &str) -> bool {
    cell.eq_ignore_ascii_case("true") || matches!(cell, "1" | "BEFORE" | "BOTH")
}

fn eye(cell: &str) -> Option<Eye> {
    match cell {
        _ if cell.eq_ignore_ascii_case("left") => Some(Eye::Left),
        _ if cell.eq_ignore_ascii_case("right") => Some(Eye::Right),
        _ => None,
    }
}

/// Names of readers, texts and so on: the same as in the row before, as a rule, and then shared.
#[derive(Default)]
pub(in crate::import) struct Names {
    reader: Option<Arc<str>>,
    text: Option<Arc<str>>,
    session: Option<Arc<str>>,
    trial: Option<Arc<str>>,
    joined: String,
}

type Name = Result<Option<Arc<str>>, ImportError>;

impl Names {
    pub(in crate::import) fn reader(&mut self, rows: &Rows<'_>, column: Option<usize>) -> Name {
        shared(&mut self.reader, rows, column)
    }

    pub(in crate::import) fn session(&mut self, rows: &Rows<'_>, column: Option<usize>) -> Name {
        shared(&mut self.session, rows, column)
    }

    pub(in crate::import) fn trial(&mut self, rows: &Rows<'_>, column: Option<usize>) -> Name {
        shared(&mut self.trial, rows, column)
    }

    /// The text, whose name may be in several cells.
    pub(in crate::import) fn text(&mut self, rows: &Rows<'_>, columns: &[usize]) -> Name {
        if let [column] = columns {
            return shared(&mut self.text, rows, Some(*column));
        }
        self.joined.clear();
        for (at, &column) in columns.iter().enumerate() {
            let Some(cell) = rows.cell(column)? else { return Ok(None) };
            if at > 0 {
                self.joined.push('_');
            }
            self.joined.push_str(cell);
        }
        Ok(Some(remembered(&mut self.text, &self.joined)))
    }
}

fn shared(last: &mut Option<Arc<str>>, rows: &Rows<'_>, column: Option<usize>) -> Name {
    let Some(column) = column else { return Ok(None) };
    Ok(rows.cell(column)?.map(|cell| remembered(last, cell)))
}

fn remembered(last: &mut Option<Arc<str>>, name: &str) -> Arc<str> {
    match last {
        Some(last) if **last == *name => Arc::clone(last),
        _ => Arc::clone(last.insert(name.into())),
    }
}
