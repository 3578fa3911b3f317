//! Data exports of Tobii Pro Lab, and of Tobii Studio from version 3: a row for each sample,
//! tab-separated, with the fixation or saccade that the sample is part of.
//!
//! The samples of a fixation follow each other and have the same `Eye movement type index`, which is
//! `FixationIndex` in Studio. Each
//! repeats the duration and the position of the whole. Where the export has the gaze of each sample, and
//! the screen is known, kinematics are measured in these. No real file was at hand: the columns are those
//! of the maker's manual.

mod gaze;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use self::gaze::Gaze;
use super::aliases::{Choice, ColumnRole, Mapping, TOBII, Unit, plain};
use super::detect::Scale;
use super::error::{At, ImportError};
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::samples::unit_of_step;
use super::setting::{Phrase, phrase};
use super::table::{Numbers, Places, TableOptions, unit_beside};
use super::unread::Unread;
use super::values::{Name, SharedNames, name, number, number_or_missing, present};
use crate::table::{Row, Rows};

/// How to read an export.
#[derive(Debug, Clone, Copy, Default)]
pub struct TobiiOptions<'o> {
    /// Columns that the user chose; the others are found by their names.
    pub choices: &'o [Choice],
    /// How pixels and degrees relate.
    pub scale: Option<Scale>,
    /// Who reads, where there is no column for it.
    pub reader: Option<&'o Arc<str>>,
    /// What is read, where there is no column for it.
    pub page: Option<&'o Arc<str>>,
    /// Which of these names are guesses, so that columns that may say better are told.
    pub guessed: &'o [ColumnRole],
    /// Width and height of the screen in pixels, for positions in parts of it.
    pub screen_px: Option<(f64, f64)>,
}

const ROLES: [ColumnRole; 9] = [
    ColumnRole::Reader,
    ColumnRole::Trial,
    ColumnRole::Text,
    ColumnRole::Kind,
    ColumnRole::Event,
    ColumnRole::Duration,
    ColumnRole::X,
    ColumnRole::Y,
    ColumnRole::Time,
];

/// Kinds of events that are counted one by one: they are few, but a broken file could have a new one
/// in each row.
const MOST_KINDS: usize = 20;

/// Reads an export; fixations are in pixels.
///
/// # Errors
/// If the export cannot be read, columns are missing, or it has no rows.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &TobiiOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each sample")?;
    let (header, row) = (&rows.header, rows.header_row);
    let mut mapping = Mapping::find_preferring(header, row, &ROLES, options.choices, TOBII)?;
    let told = rows.told(ColumnRole::Reader).map(Arc::<str>::from);
    let reader = told.or_else(|| options.reader.cloned());
    let is_needed = |role: &ColumnRole| match role {
        ColumnRole::Trial | ColumnRole::Time => false,
        ColumnRole::Reader => reader.is_none(),
        ColumnRole::Text => options.page.is_none(),
        _ => true,
    };
    let needed: Vec<ColumnRole> = ROLES.into_iter().filter(is_needed).collect();
    mapping.require(header, row, &needed)?;
    sink.note(rows.decision.clone());
    let numbers = [ColumnRole::X, ColumnRole::Y, ColumnRole::Duration, ColumnRole::Time];
    rows.note_commas(&numbers.map(|role| mapping.index(role)), sink)?;
    let mut stimuli = Stimuli::decide(&mut rows, &mut mapping, sink)?;
    let mut gaze = Gaze::new(&rows.header, options.scale);
    let mut unread = Unread::new(&rows, &mapping, options.guessed);
    let units = units(&mut rows, &mapping, sink)?;
    let table = TableOptions { screen_px: options.screen_px, ..TableOptions::default() };
    let numbers = Numbers::of(&mut rows, &mapping)?;
    let places = Places::decide(&mapping, rows.header_row, &numbers, &table, sink)?;
    let names = [reader.as_ref(), options.page];
    let mut samples = Samples::new(&mapping, units, places, names, sink);
    let mut current: Option<Event> = None;
    let (mut events, mut lost, mut read) = (BTreeMap::<Arc<str>, u64>::new(), false, 0);
    while let Some(row) = rows.next()? {
        read += 1;
        unread.see(row);
        let place = RowPlace { file, row: row.number };
        let Some(event) = samples.event(row) else {
            sink.dropped(place, Reason::NOT_A_FIXATION, "a row without eye movement type");
            continue;
        };
        if current.as_ref() == Some(&event) {
            gaze.sample(row, samples.time(row));
            continue;
        }
        gaze.close();
        if !current.as_ref().is_some_and(|last| last.is_recorded_with(&event)) {
            gaze.flush(sink)?;
        }
        if events.len() < MOST_KINDS || events.contains_key(&event.kind) {
            *events.entry(Arc::clone(&event.kind)).or_default() += 1;
        }
        // A loss of signal counts until a fixation comes, whatever is between, in one recording.
        lost &= current.as_ref().is_some_and(|last| last.is_recorded_with(&event));
        lost |= event.kind.eq_ignore_ascii_case("eyesnotfound");
        if event.kind.eq_ignore_ascii_case("fixation") {
            stimuli.see(row);
            match samples.fixation(row, &event, lost) {
                Ok(fixation) => {
                    gaze.fixation(place, fixation, sink)?;
                    lost = false;
                }
                Err(reason) => sink.dropped(place, reason, row.line()),
            }
        }
        gaze.sample(row, samples.time(row));
        current = Some(event);
    }
    gaze.flush(sink)?;
    gaze.note(sink);
    if read == 0 {
        return Err(ImportError::Empty { at: At::row(rows.last_row()), expected: "samples" });
    }
    stimuli.check(rows.last_row(), sink)?;
    let kinds: Vec<_> = events.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    sink.note(format!("rows grouped by eye movement type index: {}", kinds.join(", ")));
    unread.warn(sink);
    rows.note_quotes(sink);
    Ok(Shape { rows: read, mapping, columns: rows.header, ..Shape::default() })
}

/// Columns that may say what was shown: stimuli, and the files that they are shown from.
struct Stimuli {
    text: Option<usize>,
    /// The column that is not taken, and its name.
    other: Option<(usize, String)>,
    /// Fixations, those with a name of a text, and those that only the other column has one for.
    fixations: u64,
    named: u64,
    otherwise: u64,
}

impl Stimuli {
    /// Takes the file where no stimulus is named in the first rows: projects may have none.
    fn decide(
        rows: &mut Rows<'_>,
        mapping: &mut Mapping,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let Some(text) = mapping.get(ColumnRole::Text).filter(|text| !text.is_chosen) else {
            let text = mapping.index(ColumnRole::Text);
            return Ok(Self { text, other: None, fixations: 0, named: 0, otherwise: 0 });
        };
        let (mut text, column) = (text.index, text.column.clone());
        let is_media =
            |&at: &usize| at != text && MEDIA.contains(&plain(&rows.header[at]).as_str());
        let mut other = (0..rows.header.len()).find(is_media);
        let mut named = [0_u64; 2];
        rows.sample(|row| {
            for (at, named) in [Some(text), other].into_iter().zip(&mut named) {
                let cell = at.and_then(|at| present(row.cell(at)));
                *named += u64::from(cell.is_some());
            }
        })?;
        if let (Some(media), true) = (other, named[0] == 0 && named[1] > 0) {
            let reason = "no stimulus is named in the first rows";
            mapping.replace(ColumnRole::Text, &rows.header, &[media], reason);
            sink.note(format!(
                "texts are called as {} says: {column} is empty",
                rows.header[media]
            ));
            (text, other) = (media, Some(text));
        }
        let other = other.map(|at| (at, rows.header[at].clone()));
        Ok(Self { text: Some(text), other, fixations: 0, named: 0, otherwise: 0 })
    }

    /// Takes the row of a fixation.
    fn see(&mut self, row: Row<'_>) {
        self.fixations += 1;
        let has = |at: usize| present(row.cell(at)).is_some();
        let is_named = self.text.is_none_or(has);
        self.named += u64::from(is_named);
        let is_otherwise = !is_named && self.other.as_ref().is_some_and(|(at, _)| has(*at));
        self.otherwise += u64::from(is_otherwise);
    }

    /// Warns where the other column says more.
    ///
    /// # Errors
    /// If it says all that is known.
    fn check(&self, row: u64, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let Some((_, other)) = self.other.as_ref().filter(|_| self.otherwise > 0) else {
            return Ok(());
        };
        let found = format!(
            "{} of {} fixations without a text, which {other} names",
            self.otherwise, self.fixations
        );
        let remedy = phrase!["choose it with ", Phrase::choice("text", other)];
        if self.named == 0 {
            let expected = "a column that names what was shown";
            return Err(ImportError::value(At::row(row), found, expected, remedy));
        }
        sink.warn(phrase![found, ": if these are texts, "].and(remedy));
        Ok(())
    }
}

/// What the files that stimuli are shown from are called, in the versions of the exports.
const MEDIA: [&str; 3] = ["presentedmedianame", "medianame", "presentedstimulusname"];

/// What tells one eye movement from the next.
#[derive(PartialEq)]
struct Event {
    reader: Option<Arc<str>>,
    recording: Option<Arc<str>>,
    kind: Arc<str>,
    index: Option<Arc<str>>,
}

impl Event {
    fn is_recorded_with(&self, other: &Self) -> bool {
        self.reader == other.reader && self.recording == other.recording
    }
}

/// Milliseconds in a unit of duration and of time. Pro Lab has times in microseconds, and does not always
/// say so: fixations tell by how far they are apart and how long they last, or else samples do.
fn units(
    rows: &mut Rows<'_>,
    mapping: &Mapping,
    sink: &mut dyn Sink,
) -> Result<[f64; 2], ImportError> {
    /// Nobody fixates for so many milliseconds.
    const LONGEST_MS: f64 = 10_000.0;
    let roles = [ColumnRole::Duration, ColumnRole::Time];
    let [duration, time] = roles.map(|role| mapping.index(role));
    let [kind, index] = [ColumnRole::Kind, ColumnRole::Event].map(|role| mapping.index(role));
    let (mut durations, mut times, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = [String::new(), String::new()];
    rows.sample(|row| {
        let cell = |column: Option<usize>| column.map_or("", |column| row.cell(column));
        let time = number(cell(time), true);
        times.extend(time);
        let event = [kind, index].map(|column| cell(column).to_owned());
        if event != last && event[0].eq_ignore_ascii_case("fixation") {
            durations.extend(number(cell(duration), true));
            starts.extend(time);
        }
        last = event;
    })?;
    let step = |times: &[f64]| {
        let steps = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0);
        median(&mut steps.collect::<Vec<_>>())
    };
    let lasts = median(&mut durations);
    let of_durations = lasts.filter(|lasts| *lasts > LONGEST_MS).map(|_| Unit::Microseconds);
    let named = |role| mapping.get(role).and_then(|column| column.unit);
    let unit = named(ColumnRole::Duration).or(of_durations).unwrap_or(Unit::Milliseconds);
    let by_fixations = step(&starts).zip(lasts).and_then(|(step, lasts)| {
        unit_beside(step, lasts * unit.milliseconds().unwrap_or(1.0), Unit::Milliseconds)
    });
    let seen = [of_durations, by_fixations.or_else(|| step(&times).and_then(unit_of_step))];
    let mut units = [1.0; 2];
    for (at, role) in roles.into_iter().enumerate() {
        let Some(column) = mapping.get(role) else { continue };
        let (unit, why) = match (column.unit, seen[at]) {
            (Some(unit), _) => (unit, "its name says so"),
            (None, Some(unit)) => (unit, "so its first numbers look"),
            (None, None) => (Unit::Milliseconds, "nothing says otherwise"),
        };
        units[at] = unit.milliseconds().unwrap_or(1.0);
        sink.note(format!("{} is in units of {} ms: {why}", column.column, units[at]));
    }
    Ok(units)
}

fn median(numbers: &mut [f64]) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

struct Samples {
    reader: Option<Name>,
    only_reader: Option<Arc<str>>,
    recording: Option<Name>,
    text: Option<Name>,
    only_text: Option<Arc<str>>,
    kind: Option<Name>,
    names: SharedNames,
    index: Option<usize>,
    duration: Option<usize>,
    x: Option<usize>,
    y: Option<usize>,
    time: Option<usize>,
    /// Milliseconds in a unit of duration and of time.
    units: [f64; 2],
    places: Places,
}

impl Samples {
    fn new(
        mapping: &Mapping,
        units: [f64; 2],
        places: Places,
        [reader, page]: [Option<&Arc<str>>; 2],
        sink: &mut dyn Sink,
    ) -> Self {
        let mut only = |role: ColumnRole, name: Option<&Arc<str>>| {
            let name = name.filter(|_| mapping.get(role).is_none())?;
            let role = role.name();
            sink.note(format!(
                "there is no column for the {role}: that of all fixations is {name}"
            ));
            Some(Arc::clone(name))
        };
        let only_reader = only(ColumnRole::Reader, reader);
        let only_text = only(ColumnRole::Text, page);
        Self {
            only_reader,
            only_text,
            reader: Name::of(mapping, ColumnRole::Reader),
            recording: Name::of(mapping, ColumnRole::Trial),
            text: Name::of(mapping, ColumnRole::Text),
            kind: Name::of(mapping, ColumnRole::Kind),
            names: SharedNames::default(),
            index: mapping.index(ColumnRole::Event),
            duration: mapping.index(ColumnRole::Duration),
            x: mapping.index(ColumnRole::X),
            y: mapping.index(ColumnRole::Y),
            time: mapping.index(ColumnRole::Time),
            units,
            places,
        }
    }

    /// The event of a sample, where it has one.
    fn event(&mut self, row: Row<'_>) -> Option<Event> {
        let names = &mut self.names;
        let kind = name(&mut self.kind, row, names)?;
        Some(Event {
            reader: self.only_reader.clone().or_else(|| name(&mut self.reader, row, names)),
            recording: name(&mut self.recording, row, names),
            kind,
            index: self.index.and_then(|column| present(row.cell(column))).map(Arc::from),
        })
    }

    /// When a sample was taken, ms.
    fn time(&self, row: Row<'_>) -> Option<f64> {
        let time = number_or_missing(row.cell(self.time?), true).ok()??;
        Some(time * self.units[1]).filter(|time| time.abs() <= 1e16)
    }

    fn fixation(&mut self, row: Row<'_>, event: &Event, gap: bool) -> Result<RawFixation, Reason> {
        let reader = event.reader.clone().ok_or(Reason::NO_READER)?;
        let text = match &self.only_text {
            Some(text) => Arc::clone(text),
            None => name(&mut self.text, row, &mut self.names).ok_or(Reason::NO_TEXT)?,
        };
        let number =
            |column: Option<usize>| number_or_missing(column.map_or("", |c| row.cell(c)), true);
        let (x, y) = (number(self.x)?, number(self.y)?);
        let scaled = |column, unit: f64| -> Result<Option<f64>, Reason> {
            let time = number(column)?.map(|time| time * unit);
            Ok(time.filter(|time| time.is_finite()))
        };
        let duration_ms = scaled(self.duration, self.units[0])?;
        let onset_ms = scaled(self.time, self.units[1])?;
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        Ok(RawFixation {
            reader,
            text,
            session: None,
            trial: event.recording.clone(),
            position: match (x, y) {
                (Some(x), Some(y)) => self.places.pixels(x, y),
                _ => Position::Missing,
            },
            duration_ms,
            onset_ms,
            gap,
            ..RawFixation::default()
        })
    }
}

#[cfg(test)]
mod tests;
