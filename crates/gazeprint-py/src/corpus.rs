//! Corpora: from files and frames, and what is in them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use gazeprint::corpus::{Corpus as Recordings, Limits, Millis, Scanpath};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::summary::Summary;
use gazeprint_eval::traits::ReaderTraits;
use gazeprint_io::{BuiltIn, Frames, Notes, Origin, Rows, TableFormat};
use gazeprint_report::frames;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use serde::Serialize;

use crate::failure::{Failure, Outcome};
use crate::table::Table;
use crate::work::{Work, left, watched};

/// Readers, texts, and who read what how.
#[pyclass(frozen)]
#[derive(Clone)]
pub(crate) struct Corpus {
    pub(crate) recordings: Arc<Recordings>,
    notes: Vec<String>,
    origin: Option<Origin>,
    /// Fixations are in the order of their rows, which may not be that of reading.
    in_row_order: bool,
}

/// What is known of a corpus, as `inspect --json` has it.
#[derive(Serialize)]
struct Inspection<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a Origin>,
}

/// Which fixations count.
pub(crate) fn limits(min_duration: f64, max_duration: f64) -> Outcome<Limits> {
    Ok(Limits::new(Millis(min_duration), Millis(max_duration))?)
}

/// Rows of a frame, until somebody asks to stop.
pub(crate) struct Stoppable {
    rows: Rows,
    stopped: Arc<AtomicBool>,
}

impl Stoppable {
    pub(crate) fn of(rows: Rows, work: &Work) -> Rows {
        Box::new(Self { rows, stopped: work.stopped() })
    }
}

impl Iterator for Stoppable {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.stopped.load(Ordering::Relaxed) {
            true => Some(Err(ArrowError::ComputeError("interrupted".to_owned()))),
            false => self.rows.next(),
        }
    }
}

impl RecordBatchReader for Stoppable {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}

impl Corpus {
    pub(crate) fn new(recordings: Recordings, notes: &Notes, origin: Option<Origin>) -> Self {
        let (messages, in_row_order) = (notes.messages(), notes.in_row_order);
        Self { recordings: Arc::new(recordings), notes: messages, origin, in_row_order }
    }

    /// A part of this corpus, or the whole in another order.
    fn again(&self, recordings: Recordings) -> Self {
        let (origin, in_row_order) = (self.origin.clone(), self.in_row_order);
        Self { recordings: Arc::new(recordings), notes: Vec::new(), origin, in_row_order }
    }

    fn read_at(path: &Path, words: Option<&Path>, is_probe: bool) -> Outcome<Self> {
        // What is there in the file system goes before a name, as for the command.
        if let Some(built_in) = path.to_str().and_then(BuiltIn::named)
            && !path.exists()
        {
            return Ok(Self::new(built_in.corpus(), &Notes::default(), built_in.origin()));
        }
        let (corpus, notes) = match (is_probe, words) {
            (false, None) => gazeprint_io::read_corpus_with_notes(path)?,
            (_, words) => gazeprint_io::read_probe(path, words)?,
        };
        Ok(Self::new(corpus, &notes, None))
    }

    fn summary(&self, limits: Limits) -> Outcome<String> {
        let summary = Summary::of(&self.recordings, limits);
        let mut notes = self.notes.clone();
        if self.in_row_order && summary.has_odd_rates() {
            notes.push(
                "rates are odd and there is no fix_index; are rows in the order of reading?"
                    .to_owned(),
            );
        }
        let origin = self.origin.as_ref();
        Ok(serde_json::to_string(&Inspection { summary: &summary, notes, origin })?)
    }
}

/// The rows of a frame.
pub(crate) fn rows_of(frame: PyRecordBatchReader) -> PyResult<Rows> {
    frame.into_reader()
}

#[pymethods]
impl Corpus {
    /// Reads a built-in corpus, a corpus folder, or a table of fixations with one of words.
    #[staticmethod]
    #[pyo3(signature = (path, words=None, is_probe=false))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        words: Option<PathBuf>,
        is_probe: bool,
    ) -> PyResult<Self> {
        left(py, move || Self::read_at(&path, words.as_deref(), is_probe))
    }

    /// Reads frames, in any order of columns.
    #[staticmethod]
    fn of_frames(
        py: Python<'_>,
        name: &str,
        fixations: PyRecordBatchReader,
        words: Option<PyRecordBatchReader>,
        trials: Option<PyRecordBatchReader>,
        is_probe: bool,
    ) -> PyResult<Self> {
        let fixations = rows_of(fixations)?;
        let (words, trials) = (words.map(rows_of).transpose()?, trials.map(rows_of).transpose()?);
        watched(py, None, move |work| {
            let frames = Frames {
                fixations: Stoppable::of(fixations, work),
                words: words.map(|rows| Stoppable::of(rows, work)),
                trials: trials.map(|rows| Stoppable::of(rows, work)),
            };
            let (corpus, notes) = match is_probe {
                true => gazeprint_io::read_probe_frames(name, frames)?,
                false => gazeprint_io::read_frames(name, frames)?,
            };
            Ok(Self::new(corpus, &notes, None))
        })
    }

    /// Made-up readers, always the same of a seed.
    #[staticmethod]
    fn simulate(
        py: Python<'_>,
        readers: usize,
        texts: usize,
        sessions: usize,
        drift: f64,
        lines: usize,
        seed: u64,
    ) -> PyResult<Self> {
        left(py, move || {
            let params = SimulationParams {
                readers,
                texts,
                sessions,
                drift,
                lines,
                seed,
                ..Default::default()
            };
            let simulation = params.build().map_err(|error| Failure::usage(error.to_string()))?;
            Ok(Self::new(simulation.run(), &Notes::default(), None))
        })
    }

    #[getter]
    fn name(&self) -> &str {
        self.recordings.name()
    }

    #[getter]
    fn readers(&self) -> Vec<String> {
        self.recordings.readers().to_vec()
    }

    #[getter]
    fn texts(&self) -> Vec<String> {
        self.recordings.texts().iter().map(|text| text.id().to_owned()).collect()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    #[getter]
    fn fixation_count(&self) -> usize {
        self.recordings.fixation_count()
    }

    #[getter]
    fn sha256(&self, py: Python<'_>) -> PyResult<String> {
        let recordings = Arc::clone(&self.recordings);
        left(py, move || Ok(gazeprint_eval::fingerprint(&recordings)))
    }

    /// Reader, text, session and trial of each reading.
    fn readings(&self) -> Vec<(String, String, String, String)> {
        let corpus = &self.recordings;
        let named = |path: &Scanpath| {
            let (reader, text) =
                (corpus.readers()[path.reader].clone(), &corpus.texts()[path.text]);
            (reader, text.id().to_owned(), path.session.clone(), path.trial.clone())
        };
        corpus.scanpaths().iter().map(named).collect()
    }

    /// The tables that the corpus would be written as, by name.
    fn tables(&self, py: Python<'_>) -> PyResult<HashMap<&'static str, Table>> {
        let recordings = Arc::clone(&self.recordings);
        left(py, move || {
            let tables = gazeprint_io::corpus_tables(&recordings)?;
            tables.iter().map(|(name, table)| Ok((*name, Table::of(table)?))).collect()
        })
    }

    fn saccades(&self, py: Python<'_>, min_duration: f64, max_duration: f64) -> PyResult<Table> {
        let limits = limits(min_duration, max_duration)?;
        let recordings = Arc::clone(&self.recordings);
        left(py, move || Table::of(&gazeprint_io::saccades(&recordings, limits)))
    }

    /// Traits of readers, their reliability, and both as `traits --json` has them.
    fn traits(
        &self,
        py: Python<'_>,
        min_duration: f64,
        max_duration: f64,
        seed: u64,
    ) -> PyResult<(Table, Table, String)> {
        let limits = limits(min_duration, max_duration)?;
        let recordings = Arc::clone(&self.recordings);
        left(py, move || {
            let found = ReaderTraits::of(&recordings, limits, seed);
            if found.readers == 0 {
                return Err(Failure::input(format!(
                    "{}: found no fixation that counts, expected some; inspect() tells what was dropped",
                    found.corpus
                )));
            }
            let [estimates, reliability] = [frames::estimates(&found), frames::reliability(&found)];
            let json = serde_json::to_string(&found)?;
            Ok((Table::of(&estimates)?, Table::of(&reliability)?, json))
        })
    }

    /// What is in it, as `inspect --json` has it.
    fn inspect(&self, py: Python<'_>, min_duration: f64, max_duration: f64) -> PyResult<String> {
        let limits = limits(min_duration, max_duration)?;
        let corpus = self.clone();
        left(py, move || corpus.summary(limits))
    }

    /// The readings at some places, in their order, of those who read them.
    fn at(&self, places: Vec<usize>) -> PyResult<Self> {
        let all = self.recordings.scanpaths();
        let outside = |place: &&usize| **place >= all.len();
        if let Some(place) = places.iter().find(outside) {
            let there = all.len();
            return Err(Failure::usage(format!("found place {place}, of {there} readings")).into());
        }
        let mut readers: Vec<usize> = places.iter().map(|&place| all[place].reader).collect();
        readers.sort_unstable();
        readers.dedup();
        let path = |&place: &usize| {
            let path = all[place].clone();
            let reader = readers.binary_search(&path.reader).unwrap_or(0);
            Scanpath { reader, ..path }
        };
        let names = readers.iter().map(|&reader| self.recordings.readers()[reader].clone());
        let texts = self.recordings.texts().to_vec();
        let paths = places.iter().map(path).collect();
        let part = Recordings::new(self.recordings.name(), names.collect(), texts, paths);
        Ok(self.again(part.map_err(Failure::from)?))
    }

    /// The same with readers and texts in another order, which tables do not keep.
    fn arranged(&self, name: &str, readers: Vec<String>, texts: Vec<String>) -> PyResult<Self> {
        let corpus = &self.recordings;
        let new: HashMap<&str, usize> = readers.iter().map(String::as_str).zip(0..).collect();
        let place = |reader: usize| new.get(corpus.readers()[reader].as_str()).copied();
        let by_name: HashMap<&str, usize> = texts.iter().map(String::as_str).zip(0..).collect();
        let text = |text: usize| by_name.get(corpus.texts()[text].id()).copied();
        let other = || Failure::usage("found other readers or texts, expected those of the corpus");
        let mut ordered = corpus.texts().to_vec();
        ordered.sort_by_key(|text| by_name.get(text.id()).copied());
        let path = |path: &Scanpath| {
            let (reader, text) = place(path.reader).zip(text(path.text))?;
            Some(Scanpath { reader, text, ..path.clone() })
        };
        let paths: Option<Vec<Scanpath>> = corpus.scanpaths().iter().map(path).collect();
        let same = readers.len() == corpus.readers().len() && texts.len() == corpus.texts().len();
        let paths = paths.filter(|_| same).ok_or_else(other)?;
        let arranged = Recordings::new(name, readers, ordered, paths);
        Ok(self.again(arranged.map_err(Failure::from)?))
    }

    /// Writes the tables of a corpus folder.
    fn write(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        format: &str,
        overwrite: bool,
    ) -> PyResult<()> {
        let known = TableFormat::ALL.into_iter().find(|known| known.extension() == format);
        let format = known.ok_or_else(|| {
            Failure::usage(format!("found the format {format:?}, expected csv or parquet"))
        })?;
        watched(py, None, |_| {
            Ok(gazeprint_io::write_corpus_as(&self.recordings, &folder, format, overwrite)?)
        })
    }
}
