//! Recordings of other tools.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gazeprint::corpus::Limits;
use gazeprint_eval::summary::{Summary, Warning};
use gazeprint_io::import::detect::{Detector, Screen};
use gazeprint_io::import::{
    Choice, EyeChoice, Format, GazeOptions, GivenDisplay, ImportReport, Imported, NamePattern,
    Request, Setting, TrialPatterns, by_kind, check_out, import, write_imported,
};
use gazeprint_io::{Notes, Rows};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use serde::Serialize;

use crate::corpus::{Corpus, rows_of};
use crate::failure::{Failure, Outcome};
use crate::work::{Work, left, watched};

/// What is asked of an import; the front has the defaults.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    inputs: Vec<PathBuf>,
    words: Option<PathBuf>,
    text: Option<PathBuf>,
    trials: Option<PathBuf>,
    format: Option<String>,
    columns: Vec<(String, String)>,
    lines: Option<String>,
    font_width: Option<f64>,
    left: Option<f64>,
    line_height: Option<f64>,
    top: Option<f64>,
    reader: Option<String>,
    from_name: Option<String>,
    from_reader: Option<String>,
    trial_pattern: Vec<String>,
    eye: String,
    detector: String,
    rate: Option<f64>,
    valid: Option<f64>,
    from_samples: bool,
    y_up: bool,
    screen_px: Option<(f64, f64)>,
    screen_mm: Option<(f64, f64)>,
    distance_mm: Option<f64>,
    px_per_degree: Option<(f64, f64)>,
}

/// What an import did, with rates of reading and what looks wrong.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    import: ImportReport,
    summary: Option<Summary>,
    warnings: Vec<String>,
}

/// How settings are called in Python.
fn called(setting: Setting) -> &'static str {
    match setting {
        Setting::Words => "words=",
        Setting::Text => "text=",
        Setting::Trials => "trials=",
        Setting::Format => "format=",
        Setting::Choice => "columns=",
        Setting::FontWidth => "font_width=",
        Setting::Left => "left=",
        Setting::LineHeight => "line_height=",
        Setting::Top => "top=",
        Setting::Eye => "eye=",
        Setting::Rate => "rate=",
        Setting::Valid => "valid=",
        Setting::FromName => "from_name=",
        Setting::FromReader => "from_reader=",
        Setting::Patterns => "trial_pattern=",
        Setting::Detector => "detector=",
        Setting::ScreenPixels => "screen_px=",
        Setting::ScreenSize => "screen_mm=",
        Setting::Distance => "distance_mm=",
        Setting::PixelsPerDegree => "px_per_degree=",
    }
}

/// What is given, where it is right.
fn parsed<T, E: std::fmt::Display>(name: &str, found: Result<T, E>) -> Outcome<T> {
    found.map_err(|error| Failure::usage(format!("{name}: {error}")))
}

impl Asked {
    fn request(self) -> Outcome<Request> {
        let screen = Screen {
            size_px: self.screen_px,
            size_mm: self.screen_mm,
            distance_mm: self.distance_mm,
            px_per_degree: self.px_per_degree,
        };
        let scale = screen.scale().map_err(|e| Failure::usage(e.phrase().naming(&called)))?;
        let format = self.format.map(|name| {
            Format::named(&name).ok_or_else(|| {
                let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
                Failure::usage(format!(
                    "format: found {name:?}, expected one of {}",
                    names.join(", ")
                ))
            })
        });
        let choices = self
            .columns
            .iter()
            .map(|(role, column)| parsed("columns", Choice::parse(&format!("{role}={column}"))));
        let patterns = match &self.trial_pattern[..] {
            [] => TrialPatterns::default(),
            given => parsed("trial_pattern", TrialPatterns::new(given))?,
        };
        let from_name = self.from_name.map(|given| parsed("from_name", NamePattern::new(&given)));
        let from_reader =
            self.from_reader.map(|given| parsed("from_reader", NamePattern::of_readers(&given)));
        Ok(Request {
            from_name: from_name.transpose()?,
            from_reader: from_reader.transpose()?,
            choices: choices.collect::<Outcome<_>>()?,
            format: format.transpose()?,
            inputs: self.inputs,
            words: self.words,
            text: self.text,
            display: GivenDisplay {
                font_width: self.font_width,
                left: self.left,
                line_height: self.line_height,
                top: self.top,
            },
            trials: self.trials,
            lines: match self.lines {
                Some(name) => parsed("lines", name.parse())?,
                None => Default::default(),
            },
            gaze: GazeOptions {
                reader: self.reader.as_deref().map(Into::into),
                session: None,
                eye: parsed("eye", EyeChoice::parse(&self.eye))?,
                patterns,
                detector: parsed("detector", Detector::parse(&self.detector))?,
                scale,
                screen_px: self.screen_px,
                from_samples: self.from_samples,
                y_up: self.y_up,
                rate_hz: self.rate,
                valid: self.valid,
            },
        })
    }
}

impl Told {
    fn new(import: ImportReport, imported: &Imported) -> Self {
        let mut warnings = Vec::new();
        let lost: u64 =
            import.dropped.iter().filter(|drop| drop.is_loss).map(|drop| drop.rows).sum();
        if lost > 0 {
            warnings.push(format!("{lost} rows of {} dropped; see the reasons", import.rows_read));
        }
        warnings.extend(by_kind(&import.warnings));
        let summary = match imported {
            Imported::Corpus(corpus) => Some(Summary::of(corpus, Limits::default())),
            Imported::Fixations(_) => None,
        };
        warnings.extend(summary.iter().flat_map(|summary| Warning::messages(&summary.warnings)));
        Self { import, summary, warnings }
    }
}

/// What frames say, by the names that stand for them.
type Texts = HashMap<PathBuf, Arc<[u8]>>;

/// Bytes of an input, until somebody asks to stop.
struct Stoppable<R> {
    inner: R,
    stopped: Arc<AtomicBool>,
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.stopped.load(Ordering::Relaxed) {
            true => Err(std::io::Error::other("interrupted")),
            false => self.inner.read(buffer),
        }
    }
}

/// The texts of frames, by the names that stand for them.
fn texts_of(frames: HashMap<PathBuf, Rows>, work: &Work) -> Outcome<Texts> {
    let text = |rows| -> std::io::Result<Arc<[u8]>> {
        let (inner, stopped) = (gazeprint_io::frame_as_text(rows), work.stopped());
        let mut text = Vec::new();
        Stoppable { inner, stopped }.read_to_end(&mut text)?;
        Ok(text.into())
    };
    frames.into_iter().map(|(name, rows)| Ok((name, text(rows)?))).collect()
}

/// What an import reads: files, and the texts of frames.
struct Inputs {
    texts: Texts,
    stopped: Arc<AtomicBool>,
}

impl Inputs {
    fn open(&self, path: &Path) -> std::io::Result<Box<dyn Read>> {
        let stopped = Arc::clone(&self.stopped);
        Ok(match self.texts.get(path) {
            // An import reads some inputs twice: once to know what they are.
            Some(text) => Box::new(Stoppable { inner: Cursor::new(Arc::clone(text)), stopped }),
            None => Box::new(Stoppable { inner: File::open(path)?, stopped }),
        })
    }

    /// What was imported, and what was done, as JSON.
    fn import(&self, request: &Request, name: &str) -> Outcome<(Imported, String)> {
        let (imported, report) =
            import(request, name, &|path| self.open(path)).map_err(|error| {
                Failure::import(&error.naming(&called), |path| self.texts.contains_key(path))
            })?;
        let told = Told::new(report.naming(&called), &imported);
        Ok((imported, serde_json::to_string_pretty(&told)? + "\n"))
    }
}

/// Reads recordings of other tools; the corpus, where there is one, and what was done, as JSON. Frames stand for the
/// inputs, and for the tables, that have their names. Everything is written to a folder, where one is given.
#[pyfunction]
#[pyo3(signature = (asked, frames, name, out, overwrite))]
pub(crate) fn import_recordings(
    py: Python<'_>,
    asked: Asked,
    frames: HashMap<PathBuf, PyRecordBatchReader>,
    name: &str,
    out: Option<PathBuf>,
    overwrite: bool,
) -> PyResult<(Option<Corpus>, String)> {
    let frames: HashMap<PathBuf, Rows> = frames
        .into_iter()
        .map(|(name, frame)| Ok((name, rows_of(frame)?)))
        .collect::<PyResult<_>>()?;
    let request = asked.request()?;
    let texts = watched(py, None, move |work| texts_of(frames, work))?;
    if let Some(out) = &out {
        let tables = [&request.words, &request.text, &request.trials].into_iter().flatten();
        let inputs = request.inputs.iter().chain(tables).map(PathBuf::as_path);
        check_out(out, overwrite, inputs).map_err(Failure::from)?;
    }
    let stopped = Arc::new(AtomicBool::new(false));
    let inputs = Inputs { texts, stopped: Arc::clone(&stopped) };
    let name = name.to_owned();
    let read = left(py, move || inputs.import(&request, &name));
    // Whoever was left behind need not go on.
    stopped.store(true, Ordering::Relaxed);
    let (imported, json) = read?;
    // What is begun to be written is written whole.
    watched(py, None, move |_| {
        if let Some(out) = &out {
            write_imported(&imported, out, overwrite)?;
            std::fs::write(out.join("import.json"), &json)?;
        }
        let corpus = match (imported, &out) {
            (Imported::Corpus(corpus), _) => Some(Corpus::new(corpus, &Notes::default(), None)),
            (Imported::Fixations(_), Some(out)) if gazeprint_io::has_pages_without_words(out) => {
                let (corpus, notes) = gazeprint_io::read_corpus_with_notes(out)?;
                Some(Corpus::new(corpus, &notes, None))
            }
            (Imported::Fixations(_), Some(_)) => None,
            (Imported::Fixations(_), None) => {
                return Err(Failure::input(
                    "found fixations and nothing that says where words are: this is no corpus yet; give words= \
                     or text=, or out= for a folder with the fixations alone",
                ));
            }
        };
        Ok((corpus, json))
    })
}
