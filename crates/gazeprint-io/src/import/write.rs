//! Writes recordings without words: fixations alone, in whatever unit they are.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::collect::{Imported, RawReading};
use super::error::ImportError;
use super::recording::{Eye, Position, RawFixation};
use super::table::{self, TableOptions};
use super::{ColumnRole, Recording};
use crate::error::WriteError;
use crate::files::Kind;
use crate::frame::{Frame, TableFormat};
use crate::read::DEFAULT_NAME;
use crate::table::Source;
use crate::write::{check_corpus_folder, check_name, write_tables};

/// What an import says it did, beside the tables.
const REPORT: &str = "import.json";

/// Checks that what is made of these inputs can be written here, before minutes are spent on reading. A
/// folder among them stands for the tables of the corpus in it.
///
/// # Errors
/// If an input would be replaced, if there is a corpus already and `overwrite` is off, if there are tables
/// that are of none, or if the path is that of a file.
pub fn check_out<'i>(
    folder: &Path,
    overwrite: bool,
    inputs: impl IntoIterator<Item = &'i Path>,
) -> Result<(), WriteError> {
    let tables = |folder: &Path| -> Vec<PathBuf> {
        Kind::CORPUS.iter().flat_map(|kind| kind.candidates(folder)).collect()
    };
    let replaced = tables(folder).into_iter().chain([folder.join(REPORT)]);
    let replaced: HashSet<Identity> = replaced.filter_map(|file| identity(&file)).collect();
    let mut inputs = inputs.into_iter().flat_map(|input| match input.is_dir() {
        true => tables(input),
        false => vec![input.to_owned()],
    });
    // A file that is not there is reported when it is opened.
    let is_replaced =
        |input: &PathBuf| identity(input).is_some_and(|input| replaced.contains(&input));
    if let Some(file) = inputs.find(is_replaced) {
        return Err(WriteError::Input { file });
    }
    // What gives way is a corpus, and not a table that somebody keeps there.
    let old: Vec<PathBuf> = tables(folder).into_iter().filter(|file| file.exists()).collect();
    let is_of_corpus = |file: &PathBuf| Kind::Fixations.candidates(folder).contains(file);
    if let Some(file) = old.first().filter(|_| !old.iter().any(is_of_corpus)) {
        return Err(WriteError::NoCorpus { file: file.clone() });
    }
    check_corpus_folder(folder, overwrite).map(|_| ())
}

/// What is the same for all paths of a file.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// The file that a path leads to, also where several names are linked to it.
#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

/// The file that a path leads to.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
}

/// Writes what was imported: a corpus as [`write_corpus`](crate::write_corpus) does; fixations
/// without words as `fixations.csv` with `x_px` and `y_px`, or `line` and `x_char`, and in degrees where
/// these are known: such a folder is a corpus of pages without words.
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
            let tables = || vec![(Kind::Fixations, fixations(readings))];
            write_tables(folder, overwrite, TableFormat::Csv, tables)
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

fn fixations(readings: &[RawReading]) -> Frame<'_> {
    let rows = || readings.iter().flat_map(|reading| &reading.fixations);
    let any = |test: fn(&RawFixation) -> bool| rows().any(test);
    let chars = any(|f| matches!(f.position, Position::Chars { .. } | Position::OffLines { .. }));
    // Where no position is known at all, the columns still say what is missing.
    let placed = any(|f| f.place.is_some());
    let pixels = (!chars && !placed) || any(|f| matches!(f.position, Position::Pixels { .. }));
    let mut table = Frame::default();
    table.names("reader", rows().map(|f| &*f.reader));
    table.names("text", rows().map(|f| &*f.text));
    if any(|f| f.session.is_some()) {
        table.names("session", rows().map(|f| f.session.as_deref().unwrap_or(DEFAULT_NAME)));
    }
    if any(|f| f.trial.is_some()) {
        table.names("trial", rows().map(|f| f.trial.as_deref().unwrap_or(DEFAULT_NAME)));
    }
    let numbers = readings.iter().flat_map(|r| (1..).map(Some).take(r.fixations.len()));
    table.counts("fix_index", numbers);
    if chars {
        let position = |f: &RawFixation| match f.position {
            Position::Chars { x, line } => Some((x, line)),
            Position::OffLines { x } => Some((x, 0)),
            _ => None,
        };
        table.counts("line", rows().map(move |f| position(f).map(|(_, line)| line)));
        table.numbers("x_char", rows().map(move |f| position(f).map(|(x, _)| x)));
    }
    if pixels {
        let position = |f: &RawFixation| match f.position {
            Position::Pixels { x, y } => Some((x, y)),
            _ => None,
        };
        table.numbers("x_px", rows().map(move |f| position(f).map(|(x, _)| x)));
        table.numbers("y_px", rows().map(move |f| position(f).map(|(_, y)| y)));
    }
    table.numbers("duration_ms", rows().map(|f| f.duration_ms));
    if any(|f| f.onset_ms.is_some()) {
        table.numbers("onset_ms", rows().map(|f| f.onset_ms));
    }
    if any(|f| f.gap) {
        table.flags("gap", rows().map(|f| f.gap));
    }
    if any(|f| f.eye.is_some()) {
        let name = |eye| if eye == Eye::Left { "left" } else { "right" };
        table.texts("eye", rows().map(move |f| f.eye.map(name)));
    }
    if any(|f| f.word.is_some()) {
        table.counts("word_index", rows().map(|f| f.word));
    }
    table.measures(false, || rows().map(|f| (f.place, f.kinematics)));
    table
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
    /// The readings themselves.
    #[serde(skip)]
    pub fixations_by_reading: Vec<RawReading>,
}

impl WithoutWords {
    /// Looks at a folder; `None` where it has words, or no fixations.
    ///
    /// # Errors
    /// If the fixations cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Self>, ImportError> {
        let [words, fixations] = [Kind::Words, Kind::Fixations].map(|kind| kind.candidates(folder));
        let Some(path) = fixations.into_iter().find(|path| path.is_file()) else {
            return Ok(None);
        };
        if words.iter().any(|path| path.exists()) {
            return Ok(None);
        }
        let named = |error: ImportError| error.in_file(&path);
        let file = fs::File::open(&path).map_err(|e| named(ImportError::reading(0, e)))?;
        let mut source = Source::open(&path, file).map_err(named)?;
        let mut recording = Recording::default();
        let options = TableOptions::default();
        let shape = table::read(&mut source, 0, &options, &mut recording).map_err(named)?;
        let unit = shape.mapping.get(ColumnRole::X).and_then(|x| x.unit);
        let readings = std::mem::take(&mut recording.readings);
        Ok(Some(Self::of(readings, unit == Some(super::Unit::Pixels))))
    }

    /// Of readings.
    pub fn of(readings: Vec<RawReading>, in_pixels: bool) -> Self {
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
            fixations_by_reading: readings,
        }
    }
}
