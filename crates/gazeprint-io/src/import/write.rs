//! Writes recordings without words: fixations alone, in whatever unit they are.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use super::collect::{Imported, RawReading};
use super::error::ImportError;
use super::recording::{Eye, Position, RawFixation};
use super::source::Source;
use super::table::{self, TableOptions};
use super::{Recording, Role};
use crate::error::WriteError;
use crate::files::Kind;
use crate::read::DEFAULT_NAME;
use crate::write::{Table, check_corpus_folder, check_name, chosen, number, write_tables};

/// Checks that an import can be written here, before minutes are spent on reading.
///
/// # Errors
/// If there is a corpus already and `overwrite` is off, or the path is that of a file.
pub fn check_out(folder: &Path, overwrite: bool) -> Result<(), WriteError> {
    check_corpus_folder(folder, overwrite).map(|_| ())
}

/// Writes what was imported: a corpus as [`write_corpus`](crate::write_corpus) does; fixations
/// without words as `fixations.csv` with `x_px` and `y_px`, or `line` and `x_char`.
///
/// # Errors
/// If there is a corpus already and `overwrite` is off, a name cannot be written, or the files
/// cannot.
pub fn write_imported(
    imported: &Imported,
    folder: &Path,
    overwrite: bool,
) -> Result<(), WriteError> {
    match imported {
        Imported::Corpus(corpus) => crate::write_corpus(corpus, folder, overwrite),
        Imported::Fixations(readings) => {
            check(readings)?;
            write_tables(folder, overwrite, || vec![(Kind::Fixations, fixations(readings))])
        }
    }
}

fn check(readings: &[RawReading]) -> Result<(), WriteError> {
    let mut seen = HashSet::new();
    for fixation in readings.iter().filter_map(|reading| reading.fixations.first()) {
        for (kind, name) in [
            ("reader", Some(&fixation.reader)),
            ("text", Some(&fixation.text)),
            ("session", fixation.session.as_ref()),
            ("trial", fixation.trial.as_ref()),
        ] {
            let Some(name) = name else { continue };
            if seen.insert((kind, name.as_ref())) {
                check_name(kind, name)?;
            }
        }
    }
    Ok(())
}

fn fixations(readings: &[RawReading]) -> Table {
    let any = |test: fn(&RawFixation) -> bool| {
        readings.iter().flat_map(|reading| &reading.fixations).any(test)
    };
    let session = any(|f| f.session.is_some());
    let trial = any(|f| f.trial.is_some());
    let onset = any(|f| f.onset_ms.is_some());
    let gap = any(|f| f.gap);
    let eye = any(|f| f.eye.is_some());
    let word = any(|f| f.word.is_some());
    let chars = any(|f| matches!(f.position, Position::Chars { .. }));
    // Where no position is known at all, the columns still say what is missing.
    let pixels = !chars || any(|f| matches!(f.position, Position::Pixels { .. }));
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(chosen([
        (true, "reader"),
        (true, "text"),
        (session, "session"),
        (trial, "trial"),
        (true, "fix_index"),
        (chars, "line"),
        (chars, "x_char"),
        (pixels, "x_px"),
        (pixels, "y_px"),
        (true, "duration_ms"),
        (onset, "onset_ms"),
        (gap, "gap"),
        (eye, "eye"),
        (word, "word_index"),
    ]))?;
    for reading in readings {
        for (i, fixation) in reading.fixations.iter().enumerate() {
            let (line, x_char, x_px, y_px) = match fixation.position {
                Position::Chars { x, line } => (line.to_string(), Some(x), None, None),
                Position::Pixels { x, y } => (String::new(), None, Some(x), Some(y)),
                Position::Missing | Position::Letter { .. } => (String::new(), None, None, None),
            };
            let eye_name = match fixation.eye {
                Some(Eye::Left) => "left",
                Some(Eye::Right) => "right",
                None => "",
            };
            table.write_record(chosen([
                (true, &*fixation.reader),
                (true, &*fixation.text),
                (session, fixation.session.as_deref().unwrap_or(DEFAULT_NAME)),
                (trial, fixation.trial.as_deref().unwrap_or(DEFAULT_NAME)),
                (true, &(i + 1).to_string()),
                (chars, &line),
                (chars, &number(x_char)),
                (pixels, &number(x_px)),
                (pixels, &number(y_px)),
                (true, &number(fixation.duration_ms)),
                (onset, &number(fixation.onset_ms)),
                (gap, if fixation.gap { "1" } else { "0" }),
                (eye, eye_name),
                (word, &fixation.word.map(|word| word.to_string()).unwrap_or_default()),
            ]))?;
        }
    }
    Ok(table)
}

/// What is in a folder with fixations and without words.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct WithoutWords {
    /// Readers.
    pub readers: usize,
    /// Texts.
    pub texts: usize,
    /// Readings.
    pub readings: usize,
    /// Fixations.
    pub fixations: usize,
    /// Fixations without a position.
    pub without_position: usize,
    /// Fixations without a duration.
    pub without_duration: usize,
    /// Mean duration, ms.
    pub mean_duration_ms: Option<f64>,
    /// Whether positions are in pixels of a screen.
    pub in_pixels: bool,
}

impl WithoutWords {
    /// Looks at a folder; `None` where it has words, or no fixations in CSV or TSV.
    ///
    /// # Errors
    /// If the fixations cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Self>, ImportError> {
        let [words, fixations] = [Kind::Words, Kind::Fixations].map(|kind| kind.candidates(folder));
        let [csv, tsv, _] = fixations;
        let Some(path) = [csv, tsv].into_iter().find(|path| path.is_file()) else {
            return Ok(None);
        };
        if words.iter().any(|path| path.exists()) {
            return Ok(None);
        }
        let named = |error: ImportError| error.in_file(&path);
        let file = fs::File::open(&path).map_err(|e| named(ImportError::reading(0, e)))?;
        let input: Box<dyn Read> = Box::new(file);
        let mut source = Source::new(input).map_err(named)?;
        let mut recording = Recording::default();
        let options = TableOptions::default();
        let shape = table::read(&mut source, 0, &options, &mut recording).map_err(named)?;
        let unit = shape.mapping.get(Role::X).and_then(|x| x.unit);
        Ok(Some(Self::of(&recording.readings, unit == Some(super::Unit::Pixels))))
    }

    /// Of readings.
    pub fn of(readings: &[RawReading], in_pixels: bool) -> Self {
        let all = || readings.iter().flat_map(|reading| &reading.fixations);
        let distinct = |of: fn(&RawFixation) -> &str| all().map(of).collect::<HashSet<_>>().len();
        let durations = || all().filter_map(|f| f.duration_ms);
        let timed = durations().count();
        Self {
            readers: distinct(|f| &f.reader),
            texts: distinct(|f| &f.text),
            readings: readings.len(),
            fixations: all().count(),
            without_position: all().filter(|f| f.position == Position::Missing).count(),
            without_duration: all().count() - timed,
            mean_duration_ms: (timed > 0).then(|| durations().sum::<f64>() / timed as f64),
            in_pixels,
        }
    }
}
