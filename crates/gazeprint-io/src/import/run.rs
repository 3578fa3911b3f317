//! An import from files to a recording.

use std::collections::HashSet;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::aliases::Choice;
use super::collect::{Imported, Place, RawReading, Recording};
use super::error::{At, ImportError};
use super::report::{ImportReport, InputReport, Shape};
use super::source::Source;
use super::table::{self, TableOptions};

/// A format that recordings come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A table with column names, one row for each fixation.
    Table,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 1] = [Self::Table];

    /// The name for `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
        }
    }

    /// The format of a file, going by its start, with the reason.
    pub fn guess(start: &str) -> (Self, String) {
        let first = start.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let names = first.split(['\t', ',', ';', '|']).count();
        (Self::Table, format!("guessed: its first line looks like {names} column names"))
    }
}

/// What to import.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files of fixations.
    pub inputs: Vec<PathBuf>,
    /// Table of words.
    pub words: Option<PathBuf>,
    /// Table of trials.
    pub trials: Option<PathBuf>,
    /// Their format; guessed where none is given.
    pub format: Option<Format>,
    /// Columns that the user chose.
    pub choices: Vec<Choice>,
}

/// Opens a file; whoever shows progress counts the bytes that are read from it.
pub type Open<'o> = dyn Fn(&Path) -> io::Result<Box<dyn Read>> + 'o;

/// Reads all inputs, places them, and makes a corpus named `name` where words are known.
///
/// # Errors
/// If an input cannot be understood; see [`ImportError`].
pub fn import(
    request: &Request,
    name: &str,
    placement: Option<&mut dyn Place>,
    open: &Open<'_>,
) -> Result<(Imported, ImportReport), ImportError> {
    let mut recording = Recording::default();
    let mut paths: Vec<&Path> = Vec::new();
    let mut files = Vec::new();
    // Words first: whoever places fixations needs them.
    if let Some(path) = &request.words {
        let file = paths.len();
        paths.push(path);
        let options = TableOptions { choices: request.choices.clone(), reader: None };
        let (shape, _) = read_file(path, open, &mut recording, |_, source, recording| {
            table::read_words(source, file, &options, recording)
        })?;
        files.push(described(path, "words", "given with --words", shape));
    }
    if let Some(path) = &request.trials {
        let file = paths.len();
        paths.push(path);
        let options = TableOptions { choices: request.choices.clone(), reader: None };
        let (shape, _) = read_file(path, open, &mut recording, |_, source, recording| {
            let mut trials = Vec::new();
            let mut take = |place, trial| trials.push((place, trial));
            let shape = table::read_trials(source, file, &options, recording, &mut take)?;
            recording.trials = trials;
            Ok(shape)
        })?;
        files.push(described(path, "trials", "given with --trials", shape));
    }
    for path in &request.inputs {
        let file = paths.len();
        paths.push(path);
        let (shape, guess) = read_file(path, open, &mut recording, |guess, source, recording| {
            match request.format.unwrap_or(guess.0) {
                Format::Table => {
                    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                    let options = TableOptions {
                        choices: request.choices.clone(),
                        reader: stem.map(Arc::from),
                    };
                    table::read(source, file, &options, recording)
                }
            }
        })?;
        let (format, reason) = match request.format {
            Some(format) => (format, "given with --format".to_owned()),
            None => guess,
        };
        files.push(described(path, format.name(), &reason, shape));
    }
    check_choices(request, &files)?;
    if let Some(placement) = placement {
        placement.place(&mut recording)?;
    }
    let words_kept = recording.texts.iter().map(|text| text.words.len() as u64).sum();
    let imported = recording.finish(name, &paths)?;
    let (readers, texts, fixations) = counts(&imported);
    let report = ImportReport {
        schema_version: 1,
        gazeprint: env!("CARGO_PKG_VERSION"),
        rows_read: files.iter().map(|file| file.rows).sum(),
        files,
        fixations_kept: fixations as u64,
        words_kept,
        words_repeated: recording.repeated_words,
        dropped: recording.dropped.iter().cloned().collect(),
        decisions: recording.notes,
        readers,
        texts,
        has_words: matches!(imported, Imported::Corpus(_)),
    };
    Ok((imported, report))
}

/// Bytes that the format is guessed by.
const START: usize = 4096;

fn read_file(
    path: &Path,
    open: &Open<'_>,
    recording: &mut Recording,
    read: impl FnOnce(&(Format, String), &mut dyn BufRead, &mut Recording) -> Result<Shape, ImportError>,
) -> Result<(Shape, (Format, String)), ImportError> {
    let named = |error: ImportError| error.in_file(path);
    let input =
        open(path).map_err(|error| ImportError::Unreadable { at: At::file(path), error })?;
    let mut source = Source::open(path, input).map_err(named)?;
    let start = source.fill_buf().map_err(|error| named(ImportError::reading(1, error)))?;
    let start = String::from_utf8_lossy(&start[..start.len().min(START)]).into_owned();
    let guess = Format::guess(&start);
    let before = recording.notes.len();
    let shape = read(&guess, &mut source, recording).map_err(named)?;
    let notes: Vec<String> = source.notes().to_vec();
    // A decision is of use with the file that it is about.
    let about = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut decided: Vec<String> = notes;
    decided.extend(recording.notes.drain(before..));
    recording.notes.extend(decided.into_iter().map(|note| format!("{about}: {note}")));
    Ok((shape, guess))
}

fn described(path: &Path, format: &'static str, reason: &str, shape: Shape) -> InputReport {
    InputReport {
        path: path.display().to_string(),
        format,
        format_reason: reason.to_owned(),
        rows: shape.rows,
        mapping: shape.mapping,
    }
}

/// A column that the user chose and that no input has is a mistake.
fn check_choices(request: &Request, files: &[InputReport]) -> Result<(), ImportError> {
    let unused = request.choices.iter().find(|choice| {
        let is_used = |file: &InputReport| {
            file.mapping.get(choice.role).is_some_and(super::aliases::Mapped::is_chosen)
        };
        !files.iter().any(is_used)
    });
    match unused {
        None => Ok(()),
        Some(choice) => Err(ImportError::Value {
            at: Box::default(),
            found: format!("--map {}={}", choice.role.name(), choice.column),
            expected: "columns that the inputs have".into(),
            remedy: "leave it out, or give the file that it is for".into(),
        }),
    }
}

fn counts(imported: &Imported) -> (usize, usize, usize) {
    match imported {
        Imported::Corpus(corpus) => {
            (corpus.readers().len(), corpus.texts().len(), corpus.fixation_count())
        }
        Imported::Fixations(readings) => {
            let first = || readings.iter().filter_map(|reading| reading.fixations.first());
            let distinct = |names: HashSet<&Arc<str>>| names.len();
            (
                distinct(first().map(|f| &f.reader).collect()),
                distinct(first().map(|f| &f.text).collect()),
                readings.iter().map(|reading: &RawReading| reading.fixations.len()).sum(),
            )
        }
    }
}
