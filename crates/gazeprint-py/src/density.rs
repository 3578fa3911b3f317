//! Densities of values, and draws of readers.

use gazeprint::saccade::{Observation, readings_of_words};
use gazeprint_eval::density::FittedDensity;
use gazeprint_eval::traits::{CHAINS, PosteriorDraws, ReaderDraws};
use gazeprint_report::frames;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::corpus::{Corpus, limits};
use crate::failure::Failure;
use crate::study::engine;
use crate::table::Table;
use crate::work::{left, watched};

/// Numbers of eight bytes, row after row, as numpy takes them from a buffer.
fn buffer<'a, 'py>(py: Python<'py>, rows: impl Iterator<Item = &'a [f64]>) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = rows.flatten().flat_map(|value| value.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// Fits a density to values, each with the interval that it is confined to.
#[pyfunction]
#[pyo3(signature = (values, lower, upper, engine_name, seed))]
pub(crate) fn fit_density<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    engine_name: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let engine = engine(engine_name)?;
    let fitted = left(py, move || {
        if values.len() != lower.len() || values.len() != upper.len() {
            return Err(Failure::usage(format!(
                "found {} values and {} intervals, expected as many",
                values.len(),
                lower.len()
            )));
        }
        let observed = values.iter().zip(lower.iter().zip(&upper));
        let observed: Vec<Observation> = observed
            .map(|(&value, (&lower, &upper))| Observation { value, lower, upper })
            .collect();
        Ok(FittedDensity::of(&observed, &engine, seed)?)
    })?;
    let found = PyDict::new(py);
    let draws = fitted.draws.len();
    found.set_item("chains", fitted.diagnostics.len())?;
    found.set_item("draws", draws / fitted.diagnostics.len().max(1))?;
    found.set_item("x", buffer(py, [&fitted.places[..]].into_iter()))?;
    found.set_item("mean", buffer(py, [&fitted.mean[..]].into_iter()))?;
    found.set_item("densities", buffer(py, fitted.draws.iter().map(Vec::as_slice)))?;
    let [means, spreads]: [Vec<f64>; 2] = [
        fitted.moments.iter().map(|m| m.0).collect(),
        fitted.moments.iter().map(|m| m.1).collect(),
    ];
    found.set_item("means", buffer(py, [&means[..]].into_iter()))?;
    found.set_item("sds", buffer(py, [&spreads[..]].into_iter()))?;
    let likelihoods = fitted.log_likelihood.iter().map(Vec::as_slice);
    found.set_item("log_likelihood", buffer(py, likelihoods))?;
    found.set_item("doubtful", fitted.diagnostics.iter().any(|d| d.doubtful()))?;
    found.set_item(
        "effective",
        fitted.diagnostics.iter().map(|d| d.effective).collect::<Vec<_>>(),
    )?;
    found.set_item("k_hat", fitted.diagnostics.iter().map(|d| d.k_hat).collect::<Vec<_>>())?;
    let divergences: usize = fitted.diagnostics.iter().map(|d| d.divergences).sum();
    found.set_item("divergences", divergences)?;
    Ok(found)
}

/// Draws of readers: the table of `traits --draws`, what is doubtful, and by reader and density the
/// log-likelihoods of observations.
#[pyfunction]
#[pyo3(signature = (corpus, readers, engine_name, seed, durations, likelihoods, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub(crate) fn draws<'py>(
    py: Python<'py>,
    corpus: &Corpus,
    readers: Vec<String>,
    engine_name: &str,
    seed: u64,
    durations: (f64, f64),
    likelihoods: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let engine = engine(engine_name)?;
    let limits = limits(durations.0, durations.1)?;
    let recordings = &corpus.recordings;
    let (drawn, table, doubts) = watched(py, progress.as_ref(), |work| {
        let place = |name: &String| {
            recordings.readers().iter().position(|reader| reader == name).ok_or_else(|| {
                Failure::new(
                    gazeprint_recognition::ErrorKind::NotFound,
                    format!("found no reader {name:?} in {}", recordings.name()),
                )
            })
        };
        let chosen = readers.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let (readings, _) = readings_of_words(recordings, limits);
        if readings.is_empty() {
            return Err(Failure::input(format!(
                "{}: found no fixation on a word, and draws are of densities over words; add where words are",
                recordings.name()
            )));
        }
        let drawn =
            PosteriorDraws::of(recordings, &readings, &chosen, (&engine, seed), likelihoods, work)?;
        let tables = [frames::draws(&drawn), frames::doubts(&drawn)];
        let [table, doubts] = [Table::of(&tables[0])?, Table::of(&tables[1])?];
        drop(tables);
        Ok((drawn, table, doubts))
    })?;
    let found = PyDict::new(py);
    found.set_item("draws", Bound::new(py, table)?)?;
    found.set_item("doubts", Bound::new(py, doubts)?)?;
    found.set_item("chains", CHAINS)?;
    found.set_item("parameters", &drawn.parameters)?;
    let of_readers = PyDict::new(py);
    for ReaderDraws { reader, values, log_likelihoods, .. } in &drawn.readers {
        let of_reader = PyDict::new(py);
        for (parameter, values) in drawn.parameters.iter().zip(values) {
            of_reader.set_item(parameter, buffer(py, [&values[..]].into_iter()))?;
        }
        let of_densities = PyDict::new(py);
        for (density, by_draw) in log_likelihoods {
            of_densities.set_item(density.name(), buffer(py, by_draw.iter().map(Vec::as_slice)))?;
        }
        of_readers.set_item(reader, (of_reader, of_densities))?;
    }
    found.set_item("readers", of_readers)?;
    Ok(found)
}
