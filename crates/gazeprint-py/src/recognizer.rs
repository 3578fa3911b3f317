//! Galleries.

use std::sync::{Arc, PoisonError, RwLock};

use gazeprint_recognition::{
    CANDIDATES, EnrollOptions, Erasure, FoundingOptions, IdentifyOptions, KeepRows, Location,
    Recognizer as Desk, ReplayPolicy, Shard, Standing, VerifyOptions, Warning, WatchOptions,
};
use pyo3::prelude::*;
use serde::Serialize;

use crate::corpus::Corpus;
use crate::failure::{Failure, Outcome};
use crate::given::{People, Secret, people, secret};
use crate::watch::Watch;
use crate::work::{Work, left, limited, watched};

/// A gallery that is open.
#[pyclass(frozen)]
pub(crate) struct Recognizer {
    /// None once it was closed.
    desk: RwLock<Option<Desk>>,
}

/// An answer, with what its warnings say.
#[derive(Serialize)]
pub(crate) struct Answer<'a, T> {
    pub(crate) answer: &'a T,
    pub(crate) messages: Vec<String>,
}

/// An answer as JSON.
pub(crate) fn told<T: Serialize>(answer: &T, warnings: &[Warning]) -> Outcome<String> {
    let messages = warnings.iter().map(Warning::to_string).collect();
    Ok(serde_json::to_string(&Answer { answer, messages })?)
}

/// What became of somebody who was removed.
#[derive(Serialize)]
struct Removed {
    reader: String,
    /// Why what was kept may not be overwritten everywhere.
    left: Option<String>,
    standing: Option<Standing>,
    /// Why thresholds could not be learned anew.
    unsettled: Option<String>,
}

pub(crate) fn location(text: &str) -> Location {
    match text.parse() {
        Ok(location) => location,
        Err(never) => match never {},
    }
}

impl Recognizer {
    fn of(desk: Desk) -> Self {
        Self { desk: RwLock::new(Some(desk)) }
    }

    /// The gallery, if it is still open.
    fn desk(&self) -> Outcome<Desk> {
        let desk = self.desk.read().unwrap_or_else(PoisonError::into_inner).clone();
        desk.ok_or_else(|| Failure::usage("the recognizer is closed; open the gallery again"))
    }
}

#[pymethods]
impl Recognizer {
    /// Opens a gallery.
    #[staticmethod]
    #[pyo3(signature = (at, given=None))]
    fn open(py: Python<'_>, at: &str, given: Option<&Secret>) -> PyResult<Self> {
        let (at, secret) = (location(at), secret(given));
        left(py, move || Ok(Self::of(Desk::open(&at, secret.as_deref())?)))
    }

    #[staticmethod]
    fn exists(py: Python<'_>, at: &str) -> PyResult<bool> {
        let at = location(at);
        left(py, move || Ok(Desk::exists(&at)?))
    }

    /// Opens a gallery, or makes one for the readers of a corpus; with what is to be said of it.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn open_or_create(
        py: Python<'_>,
        at: &str,
        corpus: &Corpus,
        given: Option<&Secret>,
        known: Option<&People>,
        durations: (Option<f64>, Option<f64>),
        pseudonyms: bool,
        shard: Option<(usize, usize)>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Self, Vec<String>)> {
        let (at, secret) = (location(at), secret(given));
        let people = known.map(|known| people(Some(known)));
        let (shortest_ms, longest_ms) = durations;
        let founding = FoundingOptions { people, shortest_ms, longest_ms, pseudonyms };
        let enroll = EnrollOptions { shard: shard.map(part), ..EnrollOptions::default() };
        let opened = |work: &Work| {
            let recordings = &corpus.recordings;
            let opened =
                Desk::open_or_create(&at, secret.as_deref(), &founding, recordings, &enroll, work);
            let (desk, warnings) = opened?;
            Ok((Self::of(desk), warnings.iter().map(Warning::to_string).collect()))
        };
        watched(py, progress.as_ref(), |work| limited(threads, || opened(work)))
    }

    /// Makes one gallery of several; none where there is nothing to merge.
    #[staticmethod]
    fn merge(
        py: Python<'_>,
        from: Vec<String>,
        to: &str,
        given: Option<&Secret>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Option<Self>> {
        let from: Vec<Location> = from.iter().map(|at| location(at)).collect();
        let (to, secret) = (location(to), secret(given));
        watched(py, progress.as_ref(), move |work| {
            let merged = Desk::merge(&from, secret.as_deref(), &to, secret.as_deref(), work)?;
            Ok(merged.map(|(desk, _)| Self::of(desk)))
        })
    }

    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn enroll(
        &self,
        py: Python<'_>,
        corpus: &Corpus,
        replace: bool,
        strict: bool,
        shard: Option<(usize, usize)>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let desk = self.desk()?;
        let shard = shard.map(part);
        let options = EnrollOptions { replace, strict, shard, ..EnrollOptions::default() };
        let enrolled = |work: &Work| {
            let done = desk.enroll(&corpus.recordings, &options, work)?;
            told(&done, &done.warnings)
        };
        watched(py, progress.as_ref(), |work| limited(threads, || enrolled(work)))
    }

    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn identify(
        &self,
        py: Python<'_>,
        probe: &Corpus,
        fpir: Option<f64>,
        closed: bool,
        allow_unsupported: bool,
        top: usize,
        candidates: Option<usize>,
        replays: (bool, bool),
        liveness: bool,
    ) -> PyResult<String> {
        let desk = self.desk()?;
        let options = IdentifyOptions {
            fpir,
            closed,
            allow_unsupported,
            top,
            candidates: candidates.unwrap_or(CANDIDATES),
            replays: policy(replays),
            liveness,
        };
        let probe = Arc::clone(&probe.recordings);
        left(py, move || {
            let answer = desk.identify(&probe, &options)?;
            told(&answer, &answer.warnings)
        })
    }

    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn verify(
        &self,
        py: Python<'_>,
        probe: &Corpus,
        reader: &str,
        fmr: Option<f64>,
        allow_unsupported: bool,
        replays: (bool, bool),
        liveness: bool,
    ) -> PyResult<String> {
        let desk = self.desk()?;
        let replays = policy(replays);
        let options = VerifyOptions { fmr, allow_unsupported, replays, liveness };
        let (probe, reader) = (Arc::clone(&probe.recordings), reader.to_owned());
        left(py, move || {
            let answer = desk.verify(&probe, &reader, &options)?;
            told(&answer, &answer.warnings)
        })
    }

    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn watch(
        &self,
        py: Python<'_>,
        reader: &str,
        texts: Option<&Corpus>,
        fmr: f64,
        fnmr: f64,
        window: usize,
        allow_unsupported: bool,
        replays: (bool, bool),
        liveness: bool,
    ) -> PyResult<Watch> {
        let desk = self.desk()?;
        let replays = policy(replays);
        let options = WatchOptions { fmr, fnmr, window, allow_unsupported, replays, liveness };
        let texts = texts.map(|corpus| Arc::clone(&corpus.recordings));
        let reader = reader.to_owned();
        left(py, move || {
            let texts = texts.as_ref().map_or(&[][..], |corpus| corpus.texts());
            Ok(Watch::new(desk.watch(&reader, texts, &options)?))
        })
    }

    /// The readers, as JSON.
    fn list(&self, py: Python<'_>) -> PyResult<String> {
        let desk = self.desk()?;
        left(py, move || Ok(serde_json::to_string(&desk.list()?)?))
    }

    fn remove(&self, py: Python<'_>, reader: &str) -> PyResult<String> {
        let desk = self.desk()?;
        watched(py, None, move |work| {
            let removal = desk.remove(reader, work)?;
            let left = match removal.erasure {
                Erasure::Done => None,
                Erasure::Incomplete(error) => Some(error.to_string()),
            };
            let (standing, unsettled) = match removal.standing {
                Ok(standing) => (Some(standing), None),
                Err(error) => (None, Some(error.to_string())),
            };
            let removed = Removed { reader: removal.reader, left, standing, unsettled };
            Ok(serde_json::to_string(&removed)?)
        })
    }

    /// The log, as JSON.
    fn log(&self, py: Python<'_>) -> PyResult<String> {
        let desk = self.desk()?;
        left(py, move || Ok(serde_json::to_string(&desk.log()?)?))
    }

    /// Reads everything; the number of entries of the log.
    fn check(&self, py: Python<'_>) -> PyResult<u64> {
        let desk = self.desk()?;
        left(py, move || Ok(desk.check()?.entries))
    }

    fn standing(&self, py: Python<'_>) -> PyResult<String> {
        let desk = self.desk()?;
        left(py, move || {
            let standing = desk.standing()?;
            told(&standing, &standing.warnings)
        })
    }

    /// Learns thresholds, or everything, anew.
    #[pyo3(signature = (everything, progress=None))]
    fn learn(
        &self,
        py: Python<'_>,
        everything: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let desk = self.desk()?;
        watched(py, progress.as_ref(), move |work| {
            let standing = match everything {
                true => desk.relearn(work)?,
                false => desk.calibrate(KeepRows::OfMany, work)?,
            };
            told(&standing, &standing.warnings)
        })
    }

    #[getter]
    fn location(&self) -> PyResult<String> {
        Ok(self.desk()?.location().to_string())
    }

    #[getter]
    fn is_encrypted(&self) -> PyResult<bool> {
        Ok(self.desk()?.is_encrypted())
    }

    /// Lets go of the gallery. What is under way goes on to its end.
    fn close(&self) {
        *self.desk.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    #[getter]
    fn is_closed(&self) -> bool {
        self.desk.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

fn part((number, of): (usize, usize)) -> Shard {
    Shard { number, of }
}

fn policy((allow, forget): (bool, bool)) -> ReplayPolicy {
    ReplayPolicy { allow, forget }
}
