//! The densities of a few readers as problems that other software can solve too, and how long our
//! engines take for them. See `benches/peers/README.md`.

use std::io::{BufRead, Write};
use std::ops::Range;

use gazeprint::corpus::Corpus;
use gazeprint::inference::{Engine, InferenceError, Laplace, Nuts};
use gazeprint::method::{Family, Observations, SharedDensity};
use serde::Serialize;

use crate::clock::Spent;
use crate::density::{Case, learned};
use crate::halves::Halves;
use crate::{BenchError, Part, Suite};

/// Posteriors by `laplace` in a round from different random numbers, to see how much they differ.
const REPLICATIONS: u64 = 8;

/// What our engines take for every problem.
#[derive(Debug, Serialize)]
pub struct PeerTimes {
    /// Problem by problem.
    pub problems: Vec<PeerDensity>,
}

/// One density of one reader.
#[derive(Debug, Serialize)]
pub struct PeerDensity {
    /// Who.
    pub reader: String,
    /// Which.
    pub density: &'static str,
    /// What it is inferred from.
    pub observations: usize,
    /// What was timed, without the draws themselves.
    #[serde(flatten)]
    pub answer: Answer,
}

/// The same, as another program needs it.
#[derive(Serialize)]
struct Problem<'a> {
    reader: &'a str,
    density: &'static str,
    truncation: String,
    /// The support.
    lower: f64,
    upper: f64,
    nodes: &'a [f64],
    widths: Vec<f64>,
    /// A row for each node.
    features: Vec<&'a [f64]>,
    prior_mean: &'a [f64],
    /// Lower triangle, row after row.
    prior_covariance: &'a [f64],
    /// The fit to all readers, from which Newton's method starts.
    pooled: &'a [f64],
    values: Vec<f64>,
    lowers: Vec<f64>,
    /// `None` is infinite.
    uppers: Vec<Option<f64>>,
}

/// A posterior by one of our engines.
#[derive(Debug, Serialize)]
pub struct Sampled {
    /// From the observations to the posterior-mean density.
    #[serde(flatten)]
    pub spent: Spent,
    /// Draws that were evaluated.
    pub draws: usize,
    /// Effective ones.
    pub effective: f64,
    /// The tail of importance weights (`laplace`).
    pub k_hat: Option<f64>,
    /// Divergent transitions (`nuts`).
    pub divergences: usize,
    /// Draws of theta in the order they were made (`nuts`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thetas: Vec<Vec<f64>>,
    /// Log posterior means of the density at the nodes, one for each seed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log_means: Vec<Vec<f64>>,
}

/// A gamma density at its mode, `x^(shape - 1) exp(-rate x)` on the support.
#[derive(Debug, Serialize)]
pub struct GammaFit {
    /// From the observations to the mode.
    #[serde(flatten)]
    pub spent: Spent,
    /// The shape.
    pub shape: f64,
    /// The rate.
    pub rate: f64,
}

/// All that is timed of a problem in a round.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Its number.
    pub problem: usize,
    /// That of the round; random numbers differ from round to round.
    pub round: u64,
    /// By `laplace`.
    pub laplace: Sampled,
    /// By `nuts`.
    pub nuts: Sampled,
    /// The gamma density of `landwehr`.
    pub gamma: GammaFit,
}

/// The densities of some readers.
pub struct Problems {
    names: Vec<String>,
    observations: Observations,
    /// Of both families, alike numbered.
    semiparametric: Vec<SharedDensity>,
    gamma: Vec<SharedDensity>,
    /// Reader and number of the density of each problem.
    places: Vec<(usize, usize)>,
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<PeerTimes, BenchError> {
    let problems = suite.problems()?;
    let timed = |number: usize| {
        let [case, _] = problems.cases(number);
        suite.step(Part::Peer, case.shared.id.name());
        let mut answer = problems.answer(number, 0)?;
        for sampled in [&mut answer.laplace, &mut answer.nuts] {
            sampled.thetas.clear();
            sampled.log_means.clear();
        }
        Ok(PeerDensity {
            reader: problems.names[case.reader].clone(),
            density: case.shared.id.name(),
            observations: case.observed.len(),
            answer,
        })
    };
    let problems: Result<_, BenchError> = (0..problems.places.len()).map(timed).collect();
    Ok(PeerTimes { problems: problems? })
}

impl Problems {
    pub(crate) fn learn(
        corpus: &Corpus,
        halves: &Halves,
        readers: &[usize],
    ) -> Result<Self, BenchError> {
        let names = corpus.readers().to_vec();
        if let Some(&reader) = readers.iter().find(|reader| **reader >= names.len()) {
            return Err(BenchError::NoReader { reader, readers: names.len() });
        }
        let observations = Observations::of(&halves.all()?);
        let semiparametric = learned(Family::Semiparametric, &observations)?;
        let gamma = learned(Family::Gamma, &observations)?;
        let places = readers
            .iter()
            .flat_map(|reader| (0..semiparametric.len()).map(|density| (*reader, density)))
            .filter(|(reader, density)| {
                !observations.of_reader(semiparametric[*density].id, *reader).is_empty()
            })
            .collect();
        Ok(Self { names, observations, semiparametric, gamma, places })
    }

    /// A problem in both families: semiparametric and gamma.
    fn cases(&self, number: usize) -> [Case<'_>; 2] {
        let (reader, density) = self.places[number];
        [&self.semiparametric, &self.gamma]
            .map(|family| Case::new(&family[density], &self.observations, reader))
    }

    /// Writes them as JSON.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, out: impl Write) -> Result<(), BenchError> {
        let numbers = 0..self.places.len();
        let problems: Vec<Problem<'_>> = numbers.map(|number| self.problem(number)).collect();
        Ok(serde_json::to_writer(out, &problems)?)
    }

    /// Says how many problems there are, then answers another process, which asks with the numbers of a
    /// problem and of a round in a line. So it can take turns with us.
    ///
    /// # Errors
    /// If nobody listens, or a line asks for nothing.
    pub fn converse(
        &self,
        questions: impl BufRead,
        mut answers: impl Write,
    ) -> Result<(), BenchError> {
        let mut say = |line: String| {
            // Not held back in a buffer: somebody is waiting.
            writeln!(answers, "{line}").and_then(|()| answers.flush())
        };
        let problems = self.places.len();
        say(problems.to_string()).map_err(BenchError::Conversation)?;
        for line in questions.lines() {
            let line = line.map_err(BenchError::Conversation)?;
            let numbers = line.trim().split_once(' ').and_then(|(problem, round)| {
                Some((
                    problem.parse().ok().filter(|number| *number < problems)?,
                    round.parse().ok()?,
                ))
            });
            let Some((problem, round)) = numbers else {
                return Err(BenchError::Question { line, problems });
            };
            let answer = self.answer(problem, round)?;
            say(serde_json::to_string(&answer)?).map_err(BenchError::Conversation)?;
        }
        Ok(())
    }

    fn problem(&self, number: usize) -> Problem<'_> {
        let [Case { shared, observed, reader }, _] = self.cases(number);
        let grid = shared.features.grid();
        Problem {
            reader: &self.names[reader],
            density: shared.id.name(),
            truncation: format!("{:?}", shared.id.truncation()).to_lowercase(),
            lower: grid.lower(),
            upper: grid.upper(),
            nodes: grid.nodes(),
            widths: grid.nodes().windows(2).map(|x| x[1] - x[0]).collect(),
            features: (0..grid.nodes().len()).map(|j| shared.features.row(j)).collect(),
            prior_mean: shared.prior.mean(),
            prior_covariance: shared.prior.covariance(),
            pooled: &shared.pooled,
            values: observed.iter().map(|o| o.value).collect(),
            lowers: observed.iter().map(|o| o.lower).collect(),
            uppers: observed.iter().map(|o| Some(o.upper).filter(|r| r.is_finite())).collect(),
        }
    }

    fn answer(&self, problem: usize, round: u64) -> Result<Answer, BenchError> {
        let [semiparametric, gamma] = self.cases(problem);
        let nuts = Nuts::default();
        let keep = nuts.chains * nuts.draws;
        let first = round.saturating_mul(REPLICATIONS).saturating_add(1);
        let seeds = first..first.saturating_add(REPLICATIONS);
        let laplace = Engine::Laplace(Laplace::default());
        Ok(Answer {
            problem,
            round,
            laplace: Sampled::of(&semiparametric, &laplace, 0, seeds)?,
            nuts: Sampled::of(&semiparametric, &Engine::Nuts(nuts), keep, first..first + 1)?,
            gamma: GammaFit::of(&gamma)?,
        })
    }
}

impl Sampled {
    /// One engine. Memory is reused, nothing else is. The first seed is the one that is timed.
    fn of(
        case: &Case<'_>,
        engine: &Engine,
        keep: usize,
        seeds: Range<u64>,
    ) -> Result<Self, InferenceError> {
        let scratch = &mut case.scratch();
        let posterior = case.infer(engine, keep, seeds.start, scratch)?;
        let spent = Spent::by(|| case.infer(engine, 0, seeds.start, scratch))?;
        let log_means = seeds
            .map(|seed| Ok(case.infer(engine, 0, seed, scratch)?.log_mean))
            .collect::<Result<_, InferenceError>>()?;
        Ok(Self {
            spent,
            draws: posterior.diagnostics.draws,
            effective: posterior.diagnostics.effective,
            k_hat: posterior.diagnostics.k_hat,
            divergences: posterior.diagnostics.divergences,
            thetas: posterior.draws,
            log_means,
        })
    }
}

impl GammaFit {
    fn of(case: &Case<'_>) -> Result<Self, InferenceError> {
        let shared = case.shared;
        let mut scratch = case.scratch();
        let mut fit = || {
            let sample = shared.sample(case.observed);
            shared.problem(&sample).mode(&shared.pooled, &mut scratch)
        };
        let mode = fit()?;
        let spent = Spent::by(fit)?;
        let scale = shared.features.grid().upper() / 10.0;
        Ok(Self { spent, shape: mode.theta[0] + 1.0, rate: -mode.theta[1] / scale })
    }
}
