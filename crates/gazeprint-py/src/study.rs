//! Studies, whole or unit by unit.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gazeprint::corpus::Corpus as Recordings;
use gazeprint::decision::WatchParams;
use gazeprint::inference::Engine;
use gazeprint::method::{self, Method, People, Scoring};
use gazeprint_eval::choice::{Choice, USUAL_SPLITS};
use gazeprint_eval::portrait::{Portrait, ShownReaders};
use gazeprint_eval::protocol::{Division as Protocols, Protocol};
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::robustness::Levels;
use gazeprint_eval::study::{
    DividedCorpus, Keeper, Plan, ProbeScores, SplitResult, Study as Found, Unit,
};
use gazeprint_report::figure::Drawing;
use gazeprint_report::folder::{Folder, Intent, Layout, json};
use gazeprint_report::{FigureId, figures, frames};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::corpus::{Corpus, limits};
use crate::failure::{Failure, Outcome};
use crate::given::{People as Known, people};
use crate::table::Table;
use crate::work::{Work, left, limited, watched};

/// Draws a density and reader of `scoring="full-average"`.
const AVERAGED_DRAWS: usize = 16;

/// Names of all methods.
#[pyfunction]
pub(crate) fn method_names() -> Vec<&'static str> {
    method::NAMES.to_vec()
}

/// What is asked of a study; the front has the defaults.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    methods: Option<Vec<String>>,
    split: String,
    splits: Option<usize>,
    train_fraction: f64,
    train_sessions: usize,
    readers: Option<usize>,
    probe_sentences: Vec<usize>,
    seed: u64,
    min_duration: f64,
    max_duration: f64,
    engine: String,
    scoring: String,
    attacks: bool,
    watch: bool,
    strangers: bool,
    noise: bool,
}

impl Request {
    fn division(&self, given: Option<Protocols>) -> Outcome<Protocols> {
        if let Some(given) = given {
            return Ok(given);
        }
        let train_fraction = self.train_fraction;
        Ok(match self.split.as_str() {
            "random" => {
                Protocols::Random { splits: self.splits.unwrap_or(USUAL_SPLITS), train_fraction }
            }
            "temporal" => Protocols::Temporal { train_fraction },
            "session" => Protocols::Session { train: self.train_sessions },
            other => {
                return Err(Failure::usage(format!(
                    "split: found {other:?}, expected random, temporal, session, or a table of splits"
                )));
            }
        })
    }

    fn plan(&self, division: Protocols) -> Outcome<Plan> {
        let mut probe_sentences = self.probe_sentences.clone();
        probe_sentences.sort_unstable();
        probe_sentences.dedup();
        Ok(Plan {
            protocol: Protocol { division, seed: self.seed },
            readers: self.readers,
            probe_sentences,
            limits: limits(self.min_duration, self.max_duration)?,
            attacks: self.attacks,
            watch: self.watch.then(WatchParams::default),
            strangers: self.strangers,
        })
    }

    fn scoring(&self) -> Outcome<Scoring> {
        match self.scoring.as_str() {
            "posterior-mean" => Ok(Scoring::PosteriorMean),
            "full-average" => Ok(Scoring::FullAverage { draws: AVERAGED_DRAWS }),
            other => Err(Failure::usage(format!(
                "scoring: found {other:?}, expected posterior-mean or full-average"
            ))),
        }
    }
}

/// The engine of that name.
pub(crate) fn engine(name: &str) -> Outcome<Engine> {
    Engine::by_name(name).ok_or_else(|| {
        Failure::usage(format!("engine: found {name:?}, expected {}", Engine::NAMES.join(", ")))
    })
}

/// The engine, how posteriors turn into scores, and the people of a study.
struct Means {
    engine: String,
    scoring: Scoring,
    people: Arc<People>,
}

impl Means {
    fn engine(&self) -> Outcome<Engine> {
        engine(&self.engine)
    }

    fn method(&self, name: &str) -> Outcome<Box<dyn Method>> {
        let found = method::by_name(name, self.engine()?, self.scoring, &self.people);
        found.ok_or_else(|| Failure::usage(unknown_method(name)))
    }
}

fn unknown_method(name: &str) -> String {
    format!("methods: found {name:?}, expected some of {}, or all", method::NAMES.join(", "))
}

/// A corpus that is divided for a study, and the methods that it compares.
#[pyclass(frozen)]
pub(crate) struct Division {
    /// The whole corpus, of which not all readers may take part.
    whole: Arc<Recordings>,
    divided: Arc<DividedCorpus>,
    means: Arc<Means>,
    methods: Vec<&'static str>,
    noise: bool,
    notes: Vec<String>,
}

#[pymethods]
impl Division {
    /// Divides a corpus; whatever is wrong with what is asked for shows here.
    #[new]
    #[pyo3(signature = (corpus, request, known=None, splits=None))]
    fn new(
        py: Python<'_>,
        corpus: &Corpus,
        request: Request,
        known: Option<&Known>,
        splits: Option<&Table>,
    ) -> PyResult<Self> {
        let (people, splits) = (people(known), splits.map(Table::rows));
        let recordings = Arc::clone(&corpus.recordings);
        left(py, move || {
            let given = splits.map(gazeprint_io::read_splits_frame).transpose()?;
            let division = request.division(given.map(Protocols::Given))?;
            let choice = Choice::of(request.methods.as_deref())
                .map_err(|name| Failure::usage(unknown_method(&name)))?;
            let means =
                Means { engine: request.engine.clone(), scoring: request.scoring()?, people };
            means.engine()?;
            if choice.needs_people(&division) {
                refuse_known(&recordings, &means.people)?;
            }
            let methods = choice.names_for(&recordings);
            let divided = DividedCorpus::new((*recordings).clone(), request.plan(division)?)?;
            let unmatched =
                divided.plan.protocol.division.unmatched(&divided.corpus, &divided.readings);
            let notes = unmatched.first().map(|row| {
                format!(
                    "{} rows of the splits match no reading that counts, e.g. split {}, reader {:?}, text {:?}",
                    unmatched.len(),
                    row.split,
                    row.reader,
                    row.text
                )
            });
            let notes = notes.into_iter().collect();
            let (divided, means, noise) = (Arc::new(divided), Arc::new(means), request.noise);
            Ok(Self { whole: recordings, divided, means, methods, noise, notes })
        })
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The names of the methods, the best first.
    #[getter]
    fn methods(&self) -> Vec<&'static str> {
        self.methods.clone()
    }

    /// How many splits there are.
    #[getter]
    fn split_count(&self) -> usize {
        self.divided.splits.len()
    }

    /// What a method finds on a split, counted from 0: a part of a study, as bytes that `run` takes.
    #[pyo3(signature = (method, split, threads=None, progress=None))]
    fn unit<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        split: usize,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let splits = self.divided.splits.len();
        if split >= splits {
            return Err(Failure::usage(format!("found split {split}, of {splits}")).into());
        }
        let found = |work: &Work| {
            let method = self.means.method(method)?;
            let unit = Unit::run(&self.divided, split, method.as_ref(), work)?;
            postcard::to_stdvec(&unit).map_err(|error| Failure::input(error.to_string()))
        };
        let bytes = watched(py, progress.as_ref(), |work| limited(threads, || found(work)))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Compares the methods. What is known of units, by method and split, is not found again.
    #[pyo3(signature = (arguments, known=Vec::new(), progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        arguments: Vec<String>,
        known: Vec<(String, usize, Vec<u8>)>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Study> {
        let units = known.into_iter().map(|(method, split, bytes)| {
            let unit: Unit = postcard::from_bytes(&bytes).map_err(|_| {
                Failure::input(format!(
                    "the unit of {method}, split {split}, is not whole, or of another version"
                ))
            })?;
            Ok(((method, split), unit))
        });
        let units = units.collect::<Outcome<BTreeMap<_, _>>>()?;
        watched(py, progress.as_ref(), move |work| {
            let methods = self.methods.iter().map(|name| self.means.method(name));
            let methods = methods.collect::<Outcome<Vec<_>>>()?;
            let divided = &self.divided;
            let kept = Kept::new(units);
            let found = Found::run(divided, &methods, work, &kept)?;
            let mut report = Report::of(divided, &found, self.manifest(arguments));
            if self.noise {
                let levels = Levels::of(divided);
                let apart = Kept::new(BTreeMap::new());
                report.robustness = Some(levels.run(&found, &methods, work, &apart)?);
            }
            let results = Results {
                divided: Arc::clone(divided),
                means: Arc::clone(&self.means),
                found,
                report,
                scores: kept.into_scores(),
                shown: OnceLock::new(),
                drawings: OnceLock::new(),
            };
            Ok(Study { results: Arc::new(results) })
        })
    }
}

impl Division {
    fn manifest(&self, arguments: Vec<String>) -> Manifest {
        Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("GAZEPRINT_COMMIT").map(str::to_owned),
            seed: self.divided.plan.protocol.seed,
            threads: rayon::current_num_threads(),
            corpus_sha256: gazeprint_eval::fingerprint(&self.whole),
            arguments,
        }
    }
}

/// Refuses people who were learned from the very readers that are to be told apart.
fn refuse_known(corpus: &Recordings, people: &People) -> Outcome<()> {
    match gazeprint_io::known_readings(corpus, people) {
        [0, _] => Ok(()),
        [known, all] => Err(Failure::input(format!(
            "{}: {known} of {all} readings were learned from by the people {:?}, so that figures would \
             flatter; give people learned without them (people=FILE), or compare methods that know nobody, \
             such as methods=[\"semiparametric\", \"landwehr\"]",
            corpus.name(),
            people.origin().name,
        ))),
    }
}

/// The results of units that are known, and the scores of all.
struct Kept {
    known: BTreeMap<(String, usize), SplitResult>,
    scores: Mutex<Scores>,
}

type Scores = BTreeMap<(String, usize), Vec<ProbeScores>>;

impl Kept {
    fn new(units: BTreeMap<(String, usize), Unit>) -> Self {
        let (mut known, mut scores) = (BTreeMap::new(), BTreeMap::new());
        for (key, unit) in units {
            scores.insert(key.clone(), unit.scores);
            known.insert(key, unit.result);
        }
        Self { known, scores: Mutex::new(scores) }
    }

    fn into_scores(self) -> Scores {
        self.scores.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keeper for Kept {
    fn recall(&self, method: &str, split: usize) -> Option<SplitResult> {
        self.known.get(&(method.to_owned(), split)).cloned()
    }

    fn keep(
        &self,
        method: &str,
        split: usize,
        _: &SplitResult,
        scores: &[ProbeScores],
    ) -> Result<(), String> {
        let mut kept = self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert((method.to_owned(), split), scores.to_vec());
        Ok(())
    }
}

/// What a study found.
#[pyclass(frozen)]
pub(crate) struct Study {
    results: Arc<Results>,
}

struct Results {
    divided: Arc<DividedCorpus>,
    means: Arc<Means>,
    found: Found,
    report: Report,
    scores: Scores,
    shown: OnceLock<ShownReaders>,
    drawings: OnceLock<Vec<(FigureId, Drawing)>>,
}

impl Results {
    /// The readers that figures and the page show.
    fn shown(&self) -> Outcome<&ShownReaders> {
        if let Some(shown) = self.shown.get() {
            return Ok(shown);
        }
        let DividedCorpus { splits, readings, .. } = &*self.divided;
        let typical = Portrait::typical_reader(&splits[0], readings);
        let shown = ShownReaders::of(&self.divided, typical, &self.means.engine()?)?;
        Ok(self.shown.get_or_init(|| shown))
    }

    fn drawings(&self) -> Outcome<&[(FigureId, Drawing)]> {
        let shown = &self.shown()?.shown;
        Ok(self.drawings.get_or_init(|| figures(&self.found, &self.report, shown)))
    }

    fn write(&self, path: &std::path::Path, overwrite: bool) -> Outcome<PathBuf> {
        let manifest = &self.report.manifest;
        let build = manifest.commit.as_deref().unwrap_or("unknown, from Python");
        let engine = self.means.engine()?;
        let intent = Intent {
            divided: &self.divided,
            manifest,
            build,
            engine: &engine,
            scoring: self.means.scoring,
            methods: self.found.methods.len(),
            studies: 0,
            layout: Layout::Report,
            resume: false,
            overwrite,
        };
        let (folder, _) = Folder::prepare(path, &intent)?;
        for method in &self.found.methods {
            for (split, result) in method.splits.iter().enumerate() {
                let scores = self.scores.get(&(method.method.clone(), split));
                let kept = folder.keeper().keep(
                    &method.method,
                    split,
                    result,
                    scores.map_or(&[], Vec::as_slice),
                );
                kept.map_err(|reason| Failure::new(gazeprint_recognition::ErrorKind::Io, reason))?;
            }
        }
        folder.write(&self.found, &self.report, self.shown()?, |file| {
            Ok(gazeprint_io::write_splits(self.divided.assignments(), file)?)
        })?;
        Ok(folder.page())
    }
}

#[pymethods]
impl Study {
    /// `study.json`.
    fn json(&self) -> PyResult<String> {
        Ok(json(&self.results.report).map_err(Failure::from)?)
    }

    fn table(&self) -> PyResult<Table> {
        Ok(Table::of(&frames::methods(&self.results.report))?)
    }

    fn scores(&self, py: Python<'_>) -> PyResult<Table> {
        let results = Arc::clone(&self.results);
        left(py, move || Table::of(&frames::scores(&results.divided, &results.scores)))
    }

    fn splits(&self, py: Python<'_>) -> PyResult<Table> {
        let results = Arc::clone(&self.results);
        left(py, move || Table::of(&frames::splits(&results.divided)))
    }

    /// The names of the figures that there are.
    fn figures(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let results = Arc::clone(&self.results);
        left(py, move || Ok(results.drawings()?.iter().map(|(id, _)| id.name()).collect()))
    }

    /// A figure: SVG, caption and plotted numbers as CSV.
    fn figure(&self, py: Python<'_>, name: &str) -> PyResult<Option<(String, String, String)>> {
        let (results, name) = (Arc::clone(&self.results), name.to_owned());
        left(py, move || {
            let drawn = results.drawings()?.iter().find(|(id, _)| id.name() == name);
            Ok(drawn.map(|(id, drawing)| {
                let caption = id.caption(drawing, &results.report);
                (drawing.svg_file(), caption, drawing.csv.clone())
            }))
        })
    }

    /// A figure as PDF or PNG.
    fn figure_file<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        format: &str,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let (results, name) = (Arc::clone(&self.results), name.to_owned());
        let format = format.to_owned();
        let bytes = left(py, move || {
            let drawn = results.drawings()?.iter().find(|(id, _)| id.name() == name);
            Ok(drawn.map(|(_, drawing)| match format.as_str() {
                "pdf" => drawing.pdf(),
                _ => drawing.png(),
            }))
        })?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Writes the folder that the command would write; says where its page is.
    fn save(&self, py: Python<'_>, folder: PathBuf, overwrite: bool) -> PyResult<PathBuf> {
        watched(py, None, |_| self.results.write(&folder, overwrite))
    }
}
