//! One fit of a method to readings of readers, for estimators.

use std::collections::BTreeSet;
use std::sync::Arc;

use gazeprint::corpus::{Corpus as Recordings, Limits};
use gazeprint::decision::Rules;
use gazeprint::method::{self, Fitted, Scoring, Training};
use gazeprint::saccade::{Reading, readings};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::corpus::{Corpus, limits};
use crate::failure::{Failure, Outcome};
use crate::given::{People, people};
use crate::study::engine;
use crate::work::{left, watched};

/// Readers that a method learned.
#[pyclass(frozen)]
pub(crate) struct Identifier {
    learned: Arc<Learned>,
}

struct Learned {
    fitted: Fitted,
    rules: Option<Rules>,
    limits: Limits,
}

/// The readings at some places of a corpus, each once, and by place which of them it is.
fn chosen(
    corpus: &Recordings,
    places: &[usize],
    limits: Limits,
) -> Outcome<(Vec<Reading>, Vec<usize>)> {
    let all = corpus.scanpaths();
    if let Some(place) = places.iter().find(|place| **place >= all.len()) {
        let there = all.len();
        return Err(Failure::usage(format!("found the reading {place}, of {there}")));
    }
    let wanted: Vec<usize> = places.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let paths = wanted.iter().map(|&place| all[place].clone()).collect();
    let (readers, texts) = (corpus.readers().to_vec(), corpus.texts().to_vec());
    let part = Recordings::new(corpus.name(), readers, texts, paths)?;
    let (found, _) = readings(&part, limits);
    let of = |(number, place): (usize, &usize)| {
        let own = wanted.binary_search(place).unwrap_or(0);
        found.iter().position(|reading| reading.scanpath == own).ok_or_else(|| {
            let path = &all[*place];
            let (reader, text) = (&corpus.readers()[path.reader], corpus.texts()[path.text].id());
            Failure::input(format!(
                "recording {number}: none of the fixations of reader {reader:?} on text {text:?} counts; \
                 leave it out"
            ))
        })
    };
    let own = places.iter().enumerate().map(of).collect::<Outcome<Vec<_>>>()?;
    Ok((found, own))
}

#[pymethods]
impl Identifier {
    /// Learns classes from readings at places of a corpus.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn new(
        py: Python<'_>,
        corpus: &Corpus,
        places: Vec<usize>,
        labels: Vec<usize>,
        classes: usize,
        method_name: &str,
        engine_name: &str,
        known: Option<&People>,
        seed: u64,
        durations: (f64, f64),
    ) -> PyResult<Self> {
        let limits = limits(durations.0, durations.1)?;
        let engine = engine(engine_name)?;
        let people = people(known);
        watched(py, None, |work| {
            let scoring = Scoring::PosteriorMean;
            let method =
                method::by_name(method_name, engine, scoring, &people).ok_or_else(|| {
                    let known = method::NAMES.join(", ");
                    Failure::usage(format!(
                        "method: found {method_name:?}, expected one of {known}"
                    ))
                })?;
            let (found, own) = chosen(&corpus.recordings, &places, limits)?;
            let numbered = labels.iter().zip(&own).map(|(&label, &i)| (label, &found[i])).collect();
            let training = Training::new(classes, numbered)?;
            let fitted = method.fit(&training, seed, work)?;
            let rules = Rules::learn(&fitted, &training).map(|learned| learned.rules);
            Ok(Self { learned: Arc::new(Learned { fitted, rules, limits }) })
        })
    }

    /// By reading: the scores of all classes, and the posterior over them.
    fn decide(
        &self,
        py: Python<'_>,
        corpus: &Corpus,
        places: Vec<usize>,
    ) -> PyResult<Vec<(Vec<f64>, Vec<f64>)>> {
        let (learned, recordings) = (Arc::clone(&self.learned), Arc::clone(&corpus.recordings));
        left(py, move || {
            let Learned { fitted, rules, limits } = &*learned;
            let (found, own) = chosen(&recordings, &places, *limits)?;
            let scorer = &fitted.scorer;
            let decided = own.par_iter().map(|&i| {
                let probe = scorer.probe(&found[i]);
                let scores = scorer.scores(&probe);
                let posterior = match rules {
                    Some(rules) => rules.posterior(&scores, probe.fixations()),
                    None => shares(&scores),
                };
                (scores, posterior)
            });
            Ok(decided.collect())
        })
    }
}

/// Log-likelihoods as shares, where nothing tells how much they are to be believed.
fn shares(scores: &[f64]) -> Vec<f64> {
    let peak = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - peak).exp()).collect();
    let total: f64 = weights.iter().sum();
    match total.is_finite() && total > 0.0 {
        true => weights.into_iter().map(|weight| weight / total).collect(),
        false => vec![1.0 / scores.len().max(1) as f64; scores.len()],
    }
}
