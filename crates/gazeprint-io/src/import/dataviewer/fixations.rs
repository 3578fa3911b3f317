//! The fixation report.

use std::io::BufRead;
use std::sync::Arc;

use super::areas::ScreenWords;
use super::base::{AreaFixation, Base};
use super::characters::CharacterMap;
use super::saccades::SaccadeColumns;
use super::turns::InTurn;
use super::{ReportOptions, Words};
use crate::import::aliases::{ColumnRole, DATA_VIEWER, Mapping};
use crate::import::error::{At, ImportError};
use crate::import::layout::{Layout, ScreenToText};
use crate::import::order::name_part;
use crate::import::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use crate::import::report::Shape;
use crate::import::unread::Unread;
use crate::import::values::{
    Name, SharedNames, eye, integer, is_true, name, number, number_or_missing, present,
};
use crate::table::{Row, Rows};

const ROLES: [ColumnRole; 17] = [
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Session,
    ColumnRole::Trial,
    ColumnRole::Index,
    ColumnRole::X,
    ColumnRole::Y,
    ColumnRole::Duration,
    ColumnRole::Onset,
    ColumnRole::Eye,
    ColumnRole::Gap,
    ColumnRole::Word,
    ColumnRole::Label,
    ColumnRole::Areas,
    ColumnRole::Box,
    ColumnRole::Nearest,
    ColumnRole::Distance,
];

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
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each fixation")?;
    let mapping = find(&rows, options, words)?;
    sink.note(rows.decision.clone());
    let numbers = [
        ColumnRole::X,
        ColumnRole::Y,
        ColumnRole::Duration,
        ColumnRole::Onset,
        ColumnRole::Distance,
    ];
    rows.note_commas(&numbers.map(|role| mapping.index(role)), sink)?;
    let saccades = SaccadeColumns::of(&rows.header);
    saccades.note(sink);
    let mut report = FixationReport::new(&mapping, file, rows.header.len(), saccades);
    report.only = [options.reader.cloned(), options.page.cloned()];
    report.unread = Unread::new(&rows, &mapping, &[]);
    match words {
        Words::Unknown => {
            for mut seen in report.all(&mut rows, sink, |_, seen| seen)? {
                name_part(&mut seen.fixation, seen.part);
                sink.fixation(seen.place, seen.fixation)?;
            }
        }
        Words::Screen(words) => on_screen(&mut rows, &mut report, options, words, sink)?,
        Words::Characters(map) => in_characters(&mut rows, &mut report, options, map, sink)?,
    }
    if report.read == 0 {
        let at = At::row(rows.last_row());
        return Err(ImportError::Empty { at, expected: "fixations" });
    }
    rows.note_quotes(sink);
    Ok(Shape { rows: report.read, mapping, columns: rows.header, ..Shape::default() })
}

fn find(
    rows: &Rows<'_>,
    options: &ReportOptions<'_>,
    words: &Words,
) -> Result<Mapping, ImportError> {
    let (header, row) = (&rows.header, rows.header_row);
    let mapping = Mapping::find_preferring(header, row, &ROLES, options.choices, DATA_VIEWER)?;
    let place: &[ColumnRole] = match words {
        Words::Characters(_) => &[ColumnRole::Word],
        Words::Unknown | Words::Screen(_) => &[ColumnRole::X, ColumnRole::Y],
    };
    let mut needed =
        [&[ColumnRole::Reader, ColumnRole::Text, ColumnRole::Duration], place].concat();
    needed.retain(|role| match role {
        ColumnRole::Reader => options.reader.is_none(),
        ColumnRole::Text => options.page.is_none(),
        _ => true,
    });
    mapping.require(header, row, &needed)?;
    Ok(mapping)
}

/// Fixations in pixels, on words that stand on the screen.
fn on_screen(
    rows: &mut Rows<'_>,
    report: &mut FixationReport,
    options: &ReportOptions<'_>,
    words: &ScreenWords,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let mut base = Base::<AreaFixation>::default();
    let mut screen = ScreenToText::new(&words.layouts, options.lines, sink);
    let mut pages = TurnedPages::new(words);
    for mut seen in report.all(rows, &mut screen, |_, seen| seen)? {
        let layout = match pages.turn(&mut seen.fixation) {
            Ok(layout) => layout,
            Err(reason) => {
                let RawFixation { reader, text, .. } = &seen.fixation;
                screen.dropped(seen.place, reason, &format!("{reader} on {text}"));
                continue;
            }
        };
        name_part(&mut seen.fixation, seen.part);
        if base.is_decided() {
            seen.fixation.word = layout.and_then(|layout| base.word(&seen, layout, false));
            screen.fixation(seen.place, seen.fixation)?;
            continue;
        }
        let fits = Base::fits(&seen, layout);
        if base.wait(seen, fits) {
            hand_over(&mut base, words, &mut screen)?;
        }
    }
    if !base.is_decided() {
        hand_over(&mut base, words, &mut screen)?;
    }
    pages.note(&mut screen);
    base.note("the report of areas", "inside their area", &mut screen);
    screen.finish()
}

/// Hands those fixations over that waited until it was clear how areas are counted.
fn hand_over(
    base: &mut Base<AreaFixation>,
    words: &ScreenWords,
    screen: &mut dyn Sink,
) -> Result<(), ImportError> {
    for mut seen in base.decide() {
        let layout = words.layouts.get(&seen.fixation.text);
        seen.fixation.word = layout.and_then(|layout| base.word(&seen, layout, true));
        screen.fixation(seen.place, seen.fixation)?;
    }
    Ok(())
}

/// The page that a reader saw; the same as in the row before, as a rule.
pub(in crate::import) struct TurnedPages<'w> {
    words: &'w ScreenWords,
    last: Option<Page<'w>>,
    unknown: u64,
}

struct Page<'w> {
    reader: Arc<str>,
    text: Arc<str>,
    trial: Option<Arc<str>>,
    name: Result<Arc<str>, Reason>,
    layout: Option<&'w Layout>,
}

impl<'w> TurnedPages<'w> {
    pub(in crate::import) fn new(words: &'w ScreenWords) -> Self {
        Self { words, last: None, unknown: 0 }
    }

    /// Gives a fixation the name of the text as its reader saw it, and finds the layout.
    ///
    /// # Errors
    /// If the text has several pages, and which one is not known.
    pub(in crate::import) fn turn(
        &mut self,
        fixation: &mut RawFixation,
    ) -> Result<Option<&'w Layout>, Reason> {
        let is_same = |page: &Page<'_>| {
            Arc::ptr_eq(&page.reader, &fixation.reader)
                && Arc::ptr_eq(&page.text, &fixation.text)
                && page.trial == fixation.trial
        };
        if !self.last.as_ref().is_some_and(is_same) {
            let RawFixation { reader, text, trial, .. } = &*fixation;
            let name = self.words.page(text, reader, trial.as_ref());
            self.last = Some(Page {
                reader: Arc::clone(reader),
                text: Arc::clone(text),
                trial: trial.clone(),
                layout: name.as_ref().ok().and_then(|name| self.words.layouts.get(name)),
                name,
            });
        }
        let Some(page) = &self.last else { return Ok(None) };
        self.unknown += u64::from(page.name.is_err());
        fixation.text = page.name.clone()?;
        Ok(page.layout)
    }

    /// Notes how many fixations have no page, and what helps.
    pub(in crate::import) fn note(&self, sink: &mut dyn Sink) {
        if self.unknown > 0 {
            sink.note(format!(
                "{} fixations are on texts of several layouts, and areas do not tell which their \
                 readers saw (unknown_page): readers and trials must have the same names in both \
                 reports; choose the columns for reader and trial",
                self.unknown
            ));
        }
    }
}

/// Fixations on areas that are single characters.
fn in_characters(
    rows: &mut Rows<'_>,
    report: &mut FixationReport,
    options: &ReportOptions<'_>,
    map: &mut CharacterMap,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let columns = CharacterColumns::new(&report.columns);
    let mut base = Base::<Looked>::default();
    report.needs_labels = true;
    for mut looked in
        report.all(rows, sink, |row, seen| columns.look(row, seen, options.nearest_within))?
    {
        name_part(&mut looked.seen.fixation, looked.seen.part);
        let fits = looked.fits(map);
        if base.is_decided() {
            if let (Some(_), Some(area)) = (fits, looked.seen.area) {
                base.see(base.elsewhere(area).is_some_and(|area| looked.is_on(area, map)));
            }
            looked.hand_over(&base, map, sink)?;
            continue;
        }
        if base.wait(looked, fits) {
            base.decide().into_iter().try_for_each(|looked| looked.hand_over(&base, map, sink))?;
        }
    }
    if !base.is_decided() {
        base.decide().into_iter().try_for_each(|looked| looked.hand_over(&base, map, sink))?;
    }
    if !base.note("the map of characters", "whose label is the character of the map", sink) {
        sink.note("areas are taken to have the numbers of the map: there are no labels".into());
    }
    map.note(sink);
    Ok(())
}

/// A fixation report, row by row.
struct FixationReport {
    file: usize,
    /// Cells that a row should have.
    width: usize,
    columns: Mapping,
    reader: Option<Name>,
    text: Option<Name>,
    /// Reader and text, where there are no columns for them.
    only: [Option<Arc<str>>; 2],
    session: Option<Name>,
    trial: Option<Name>,
    names: SharedNames,
    x: Option<usize>,
    y: Option<usize>,
    duration: Option<usize>,
    onset: Option<usize>,
    eye: Option<usize>,
    gap: Option<usize>,
    area: Option<usize>,
    label: Option<usize>,
    /// Whether labels are compared even where there is a position.
    needs_labels: bool,
    index: InTurn,
    saccades: SaccadeColumns,
    unread: Unread,
    read: u64,
}

impl FixationReport {
    fn new(mapping: &Mapping, file: usize, width: usize, saccades: SaccadeColumns) -> Self {
        Self {
            saccades,
            unread: Unread::default(),
            file,
            width,
            columns: mapping.clone(),
            reader: Name::of(mapping, ColumnRole::Reader),
            text: Name::of(mapping, ColumnRole::Text),
            only: [None, None],
            session: Name::of(mapping, ColumnRole::Session),
            trial: Name::of(mapping, ColumnRole::Trial),
            names: SharedNames::default(),
            x: mapping.index(ColumnRole::X),
            y: mapping.index(ColumnRole::Y),
            duration: mapping.index(ColumnRole::Duration),
            onset: mapping.index(ColumnRole::Onset),
            eye: mapping.index(ColumnRole::Eye),
            gap: mapping.index(ColumnRole::Gap),
            area: mapping.index(ColumnRole::Word),
            label: mapping.index(ColumnRole::Label),
            needs_labels: false,
            index: InTurn::new(mapping),
            read: 0,
        }
    }

    /// All fixations, with what else is looked for in their rows; rows that are none are dropped. Which
    /// readings there are is known only in the end.
    fn all<T: AsMut<AreaFixation>, S: Sink + ?Sized>(
        &mut self,
        rows: &mut Rows<'_>,
        sink: &mut S,
        look: impl Fn(Row<'_>, AreaFixation) -> T,
    ) -> Result<Vec<T>, ImportError> {
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            self.read += 1;
            self.unread.see(row);
            let place = RowPlace { file: self.file, row: row.number };
            match self.fixation(row, place) {
                Ok(mut seen) => {
                    self.index.see(row, &mut seen);
                    all.push(look(row, seen));
                }
                Err(reason) => sink.dropped(place, reason, row.line()),
            }
        }
        self.index.tell_apart(&mut all);
        self.index.note(&self.unread.trials_of_indices(), sink);
        self.unread.warn(sink);
        Ok(all)
    }

    fn fixation(&mut self, row: Row<'_>, place: RowPlace) -> Result<AreaFixation, Reason> {
        if row.len() != self.width {
            return Err(Reason::RAGGED);
        }
        let names = &mut self.names;
        let [only_reader, only_text] = &self.only;
        let reader = match (&self.reader, only_reader) {
            (None, Some(reader)) => Arc::clone(reader),
            _ => name(&mut self.reader, row, names).ok_or(Reason::NO_READER)?,
        };
        let text = match (&self.text, only_text) {
            (None, Some(text)) => Arc::clone(text),
            _ => name(&mut self.text, row, names).ok_or(Reason::NO_TEXT)?,
        };
        let number =
            |column: Option<usize>| number_or_missing(column.map_or("", |c| row.cell(c)), true);
        let (x, y) = (number(self.x)?, number(self.y)?);
        let (duration_ms, onset_ms) = (number(self.duration)?, number(self.onset)?);
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        let position = match (x, y) {
            (Some(x), Some(y)) => Position::Pixels { x, y },
            _ => Position::Missing,
        };
        let label = self.label.filter(|_| self.needs_labels || position == Position::Missing);
        let label = label.and_then(|column| present(row.cell(column))).map(str::to_owned);
        let fixation = RawFixation {
            reader,
            text,
            session: name(&mut self.session, row, names),
            trial: name(&mut self.trial, row, names),
            position,
            duration_ms,
            onset_ms,
            gap: self.gap.is_some_and(|column| is_true(row.cell(column))),
            eye: self.eye.and_then(|column| eye(row.cell(column))),
            kinematics: self.saccades.read(row),
            ..RawFixation::default()
        };
        let area = self.area.and_then(|column| integer(row.cell(column)));
        Ok(AreaFixation { place, fixation, area, label, index: None, part: 1 })
    }
}

/// Columns that say which character a fixation is on.
struct CharacterColumns {
    areas: Option<usize>,
    shape: Option<usize>,
    nearest: Option<usize>,
    distance: Option<usize>,
}

impl CharacterColumns {
    fn new(mapping: &Mapping) -> Self {
        Self {
            areas: mapping.index(ColumnRole::Areas),
            shape: mapping.index(ColumnRole::Box),
            nearest: mapping.index(ColumnRole::Nearest),
            distance: mapping.index(ColumnRole::Distance),
        }
    }

    /// What a row says about areas.
    fn look(&self, row: Row<'_>, seen: AreaFixation, nearest_within: f64) -> Looked {
        let cell = |column: Option<usize>| column.and_then(|column| present(row.cell(column)));
        let mut areas: Vec<i64> = cell(self.areas).map(list).unwrap_or_default();
        areas.extend(seen.area.filter(|area| !areas.contains(area)));
        let shape = cell(self.shape).and_then(rectangle);
        let near = cell(self.nearest).and_then(integer);
        let distance = cell(self.distance).and_then(|cell| number(cell, true));
        let near = near.filter(|_| distance.is_some_and(|distance| distance <= nearest_within));
        Looked { seen, areas, shape, near }
    }
}

/// A fixation with the areas of characters that it may be on, as the report counts them.
struct Looked {
    seen: AreaFixation,
    areas: Vec<i64>,
    shape: Option<[f64; 4]>,
    /// The nearest, where it is near enough.
    near: Option<i64>,
}

impl AsMut<AreaFixation> for Looked {
    fn as_mut(&mut self) -> &mut AreaFixation {
        &mut self.seen
    }
}

impl Looked {
    /// Whether the label is the character of the map, for each way to count; nothing where there is
    /// no label, or no such character in the map.
    fn fits(&self, map: &CharacterMap) -> Option<[bool; 3]> {
        let (text, area) = (&self.seen.fixation.text, self.seen.area?);
        self.seen.label.as_ref()?;
        let is_known = Base::<Self>::try_all(area, |area| map.character(text, area).is_some());
        let fits = Base::<Self>::try_all(area, |area| self.is_on(area, map));
        is_known.contains(&true).then_some(fits)
    }

    /// Whether the label is the character of an area.
    fn is_on(&self, area: i64, map: &CharacterMap) -> bool {
        let label = self.seen.label.as_deref().unwrap_or_default();
        map.character(&self.seen.fixation.text, area).is_some_and(|character| character == label)
    }

    /// Hands the fixation over with its word and character.
    fn hand_over(
        mut self,
        base: &Base<Self>,
        map: &mut CharacterMap,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let elsewhere = |area: i64| base.elsewhere(area);
        let fixation = &mut self.seen.fixation;
        if let (Some(area), Some(shape)) = (self.seen.area.and_then(elsewhere), self.shape) {
            map.saw(&fixation.text, area, shape);
        }
        let areas: Vec<i64> = self.areas.into_iter().filter_map(elsewhere).collect();
        if let Some((word, letter)) = map.find(fixation, &areas, self.near.and_then(elsewhere)) {
            // As in SWIFT, letter 0 to 1 is the blank before the word; the eye is taken to be in the
            // middle of the character.
            fixation.position = Position::Letter { word, letter: f64::from(letter) + 1.5 };
            fixation.word = Some(word);
        } else {
            // Its pixels, where the report has them, are of no use without those of words.
            fixation.position = Position::Missing;
        }
        sink.fixation(self.seen.place, self.seen.fixation)
    }
}

/// A list such as `[ 7]` or `[ 89, 412]`.
pub(super) fn list(cell: &str) -> Vec<i64> {
    cell.trim_matches(['[', ']']).split(',').filter_map(|number| integer(number.trim())).collect()
}

/// Left, right, top and bottom of a cell such as `[STATIC, RECTANGLE, 275.0, 110.0, 290.0, 204.0]`.
fn rectangle(cell: &str) -> Option<[f64; 4]> {
    let mut cells = cell.trim_matches(['[', ']']).split(',').map(str::trim);
    cells.find(|cell| *cell == "RECTANGLE")?;
    let mut next = || cells.next()?.parse().ok().filter(|edge: &f64| edge.is_finite());
    let (left, top, right, bottom) = (next()?, next()?, next()?, next()?);
    (left < right && top < bottom).then_some([left, right, top, bottom])
}
