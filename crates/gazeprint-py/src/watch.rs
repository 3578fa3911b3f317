//! Watches: somebody reads, fixation by fixation.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gazeprint::corpus::{Line, Text, Word};
use gazeprint_recognition::{LivenessFinding, ReplayFinding, Watch as Watching, WatchState};
use pyo3::prelude::*;
use serde::Serialize;

use crate::failure::{Failure, Outcome};
use crate::recognizer::told;
use crate::work::aside;

/// Somebody who is being watched.
#[pyclass(frozen)]
pub(crate) struct Watch {
    /// None once it has ended.
    watching: Mutex<Option<Watching>>,
    reader: String,
    beforehand: String,
}

/// What a fixation led to.
#[derive(Serialize)]
struct Step {
    ended: Option<WatchState>,
    state: WatchState,
}

/// The last verdict.
#[derive(Serialize)]
struct End<'a> {
    state: WatchState,
    replay: Option<&'a ReplayFinding>,
    liveness: Option<LivenessFinding>,
}

impl Watch {
    pub(crate) fn new(watching: Watching) -> Self {
        let beforehand = told(&(), watching.warnings()).unwrap_or_default();
        let reader = watching.reader().to_owned();
        Self { watching: Mutex::new(Some(watching)), reader, beforehand }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Watching>> {
        self.watching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Watching) -> Outcome<T>) -> Outcome<T> {
        let mut watching = self.lock();
        work(watching.as_mut().ok_or_else(ended)?)
    }
}

fn ended() -> Failure {
    Failure::usage("the watch has ended; begin another")
}

#[pymethods]
impl Watch {
    #[getter]
    fn reader(&self) -> &str {
        &self.reader
    }

    /// What should be known beforehand, as JSON.
    #[getter]
    fn warnings(&self) -> &str {
        &self.beforehand
    }

    /// Looks at a fixation, given as JSON.
    fn fixation(&self, py: Python<'_>, fixation: &str) -> PyResult<String> {
        let fixation = serde_json::from_str(fixation).map_err(|error| {
            Failure::input(format!("fixation: expected text, line, x_char, duration_ms: {error}"))
        })?;
        aside(py, || {
            self.with(|watching| {
                let step = watching.fixation(&fixation)?;
                Ok(serde_json::to_string(&Step { ended: step.ended, state: step.state })?)
            })
        })
    }

    /// A text that may be read from now on: line, first character and the one past the last of each word.
    fn announce(&self, py: Python<'_>, text: &str, words: Vec<(i32, i32, i32)>) -> PyResult<()> {
        let mut lines: BTreeMap<i32, Vec<Word>> = BTreeMap::new();
        for ((line, start, end), index) in words.into_iter().zip(1..) {
            lines.entry(line).or_default().push(Word { index, form: None, start, end });
        }
        let lines = lines.into_iter().map(|(number, words)| Line::new(number, words));
        let lines = lines.collect::<Result<_, _>>().map_err(Failure::from)?;
        let text = Text::new(text, lines).map_err(Failure::from)?;
        aside(py, || {
            self.with(|watching| {
                watching.announce(text);
                Ok(())
            })
        })
    }

    /// Something of the signal was lost.
    fn lose(&self, py: Python<'_>) -> PyResult<()> {
        aside(py, || {
            self.with(|watching| {
                watching.lose();
                Ok(())
            })
        })
    }

    /// Everything was read: the last verdict.
    fn end(&self, py: Python<'_>) -> PyResult<String> {
        aside(py, || {
            let mut watching = self.lock().take().ok_or_else(ended)?;
            let state = watching.end()?;
            let (replay, liveness) = (watching.replay(), watching.liveness());
            Ok(serde_json::to_string(&End { state, replay, liveness })?)
        })
    }
}
