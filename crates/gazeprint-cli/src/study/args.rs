//! What `gazeprint study` is asked.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use gazeprint::corpus::{Corpus, Limits, Millis};
use gazeprint::decision::WatchParams;
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Step};
use gazeprint::method::{self, Method, People, Scoring};
use gazeprint_eval::choice::{Choice, SPLITS_OF_THE_PAPER, USUAL_SPLITS};
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::study::Plan;
use gazeprint_report::folder::Layout;
use gazeprint_report::paper::facts;

use crate::{CorpusArg, Usage};

/// Draws a density and reader of `--scoring full-average`.
const AVERAGED_DRAWS: usize = 16;

/// Compare methods of reader identification on a corpus.
///
/// Some of the texts of each reader train, the others test; this is repeated. Thresholds and
/// calibration come from training texts.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  gazeprint study  five methods, on the built-in real readers
  # all methods, with the splits of a paper
  gazeprint study --methods all --splits 10
  # also writes results/report.html, figures, tables
  gazeprint study my-corpus --out results
  # goes on where an interrupted study stopped
  gazeprint study my-corpus --out results --resume
  gazeprint study my-corpus --methods semiparametric,landwehr --splits 3
  # trains on one session, tests on a later one
  gazeprint study my-corpus --split session
  gazeprint study my-corpus --splits-file splits.csv  divides as the file says
  gazeprint study my-corpus --methods semiparametric --engine metropolis
  # can templates be forged?
  gazeprint study my-corpus --methods population --attacks
  # the tables and figures of the paper, numbered as there
  gazeprint study my-corpus --paper --out paper

DIR gets report.html (look at this first), study.json, tables.md and tables.tex, figures/ as SVG, \
PDF, PNG and CSV, splits.csv (what trained and tested), scores/ (every comparison), and draws_theta.csv \
and draws_density.csv (posterior draws of one reader). With --paper it gets \
paper.md (look at this first), table-1 and table-2 as MD and TEX, figure-1 to figure-5 as SVG, PDF, \
PNG and CSV, study.json, splits.csv and scores/.

A corpus is a folder with fixations.csv (reader, text, line, x_char, duration_ms) and \
words.csv (text, line, word_index, char_start, char_end). Two are built in: provo, 84 people \
(Luke & Christianson 2018, CC BY 4.0; without words), and simulated, 251 made-up readers. A \
folder called so goes before them.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted."
)]
pub(crate) struct Args {
    /// Corpus folder, or a built-in corpus: provo, simulated [default: provo]
    pub(super) corpus: Option<CorpusArg>,
    /// Methods to compare, separated by commas
    /// [default: fusion,population,semiparametric,landwehr,holland-unweighted]
    #[arg(long, value_name = "LIST", value_delimiter = ',', ignore_case = true,
          value_parser = PossibleValuesParser::new(method::NAMES.into_iter().chain(["all"])))]
    methods: Option<Vec<String>>,
    /// People that voices are compared with (see `gazeprint people`) [default: those that ship]
    #[arg(long, value_name = "FILE", alias = "population")]
    people: Option<PathBuf>,
    /// Folder for the report, study.json, tables and figures; made if it does not exist
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Make the tables and figures of the paper, by its methods and protocol
    #[arg(long, conflicts_with_all = ["methods", "people", "noise", "attacks", "closed_set", "watch", "split",
          "train_fraction", "train_sessions", "splits_file", "probe_sentences", "scoring"])]
    pub(super) paper: bool,
    /// Go on with an interrupted study in --out DIR, without computing anew what is there
    #[arg(long, requires = "out")]
    pub(super) resume: bool,
    /// Replace a complete study in --out DIR
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub(super) overwrite: bool,
    /// Reader whose densities, calibration, scanpath and draws are shown [default: a typical one;
    /// --paper: the first]
    #[arg(long, value_name = "NAME", requires = "out")]
    pub(super) show_reader: Option<String>,
    /// Also study worse recordings: noise added to positions, short fixations cut (takes longer)
    #[arg(long)]
    pub(super) noise: bool,
    /// Also attack the readers: impostors, replays, forgeries drawn from their templates
    #[arg(long)]
    pub(super) attacks: bool,
    /// Leave strangers out: enrol everybody and nothing else (takes two thirds of the time)
    #[arg(long)]
    pub(super) closed_set: bool,
    /// Also watch the readers: seconds until a claim is decided, and until a swap is noticed
    #[arg(long)]
    pub(super) watch: bool,
    /// Print study.json instead of the table
    #[arg(long)]
    pub(super) json: bool,
    /// Threads [default: one per core]; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: Option<u16>,

    /// How the corpus is divided
    #[arg(long, value_enum, default_value_t = SplitKind::Random, help_heading = "Protocol")]
    split: SplitKind,
    /// random: repetitions [default: 3, or 10 with --paper]
    #[arg(long, value_name = "N", help_heading = "Protocol",
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    splits: Option<u16>,
    /// random, temporal: part of the texts that trains [default: 0.5]
    #[arg(long, value_name = "PART", help_heading = "Protocol")]
    train_fraction: Option<f64>,
    /// session: sessions in a row that train; a later one tests [default: 1]
    #[arg(long, value_name = "N", help_heading = "Protocol",
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    train_sessions: Option<u16>,
    /// Divide as this table says: split, reader, text, role (train or test)
    #[arg(long, value_name = "FILE", help_heading = "Protocol",
          conflicts_with_all = ["split", "splits", "train_fraction", "train_sessions"])]
    pub(super) splits_file: Option<PathBuf>,
    /// Number of readers, drawn at random [default: all]
    #[arg(long, value_name = "N", help_heading = "Protocol")]
    readers: Option<usize>,
    /// Texts a probe, separated by commas; all test texts are always tried too
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1,3,5,10",
        help_heading = "Protocol"
    )]
    probe_sentences: Vec<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Protocol")]
    pub(super) seed: u64,
    /// Shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0, help_heading = "Protocol")]
    min_duration: f64,
    /// Longest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 1500.0, help_heading = "Protocol")]
    max_duration: f64,

    /// How posteriors are computed: laplace is fast, the others take about ten times longer
    #[arg(long, value_parser = PossibleValuesParser::new(Engine::NAMES), help_heading = SEMIPARAMETRIC)]
    engine: Option<String>,
    /// How the posterior of a reader turns into a score
    #[arg(long, value_enum, help_heading = SEMIPARAMETRIC)]
    scoring: Option<ScoringKind>,
    /// laplace: what to turn to where importance weights are unreliable [default: nothing]
    #[arg(long, value_name = "ENGINE", value_parser = PossibleValuesParser::new(["nuts"]),
          help_heading = SEMIPARAMETRIC)]
    fallback: Option<String>,
    /// metropolis: iterations, half of them burn-in [default: 10000]
    #[arg(long, value_name = "N", help_heading = SEMIPARAMETRIC)]
    iterations: Option<usize>,
    /// metropolis: how the gamma part moves
    #[arg(long, value_enum, help_heading = SEMIPARAMETRIC)]
    step: Option<StepKind>,
    /// metropolis: standard deviation of the isotropic step [default: 0.1]
    #[arg(long, value_name = "SD", help_heading = SEMIPARAMETRIC)]
    step_sd: Option<f64>,
}

const SEMIPARAMETRIC: &str = "Method semiparametric";

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum SplitKind {
    /// The same random part of the texts trains for all readers
    Random,
    /// What a reader read first trains, in every session
    Temporal,
    /// One session trains, a later one tests
    Session,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StepKind {
    /// Shaped by the gamma fit, size tuned in burn-in (the default)
    Adapted,
    /// The paper's
    Isotropic,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScoringKind {
    /// Under the posterior mean of each density (the paper's, the default)
    PosteriorMean,
    /// The posterior mean of the probe's likelihood
    FullAverage,
}

impl Args {
    /// The methods asked for.
    fn choice(&self) -> Result<Choice, Usage> {
        if self.paper {
            return Ok(Choice::exactly(facts::METHODS.map(|reported| reported.method)));
        }
        Choice::of(self.methods.as_deref())
            .map_err(|name| Usage(format!("there is no method {name:?}")))
    }

    /// How the results are laid out.
    pub(super) fn layout(&self) -> Layout {
        if self.paper { Layout::Paper } else { Layout::Report }
    }

    /// The people that voices are compared with.
    pub(super) fn people(&self) -> anyhow::Result<Arc<People>> {
        Ok(match &self.people {
            Some(file) => gazeprint_io::read_people(file)?,
            None => Arc::clone(People::shipped()),
        })
    }

    /// Refuses options that would do nothing.
    fn check(&self, choice: &Choice, needs_people: bool) -> Result<(), Usage> {
        let semiparametric = choice.names().contains(&"semiparametric");
        let engine = self.engine.as_deref().unwrap_or(Engine::NAMES[0]);
        let metropolis = semiparametric && engine == "metropolis";
        let laplace = semiparametric && engine == "laplace";
        let isotropic = metropolis && matches!(self.step, Some(StepKind::Isotropic));
        let random = self.split == SplitKind::Random;
        let divided = self.split != SplitKind::Session;
        let rules = [
            (self.splits.is_some(), random, "--splits", "--split random"),
            (
                self.train_fraction.is_some(),
                divided,
                "--train-fraction",
                "--split random or temporal",
            ),
            (self.train_sessions.is_some(), !divided, "--train-sessions", "--split session"),
            (
                self.people.is_some(),
                needs_people,
                "--people",
                "fusion, embedding or oculomotor, or population with --split session",
            ),
            (self.engine.is_some(), semiparametric, "--engine", "the method semiparametric"),
            (self.scoring.is_some(), semiparametric, "--scoring", "the method semiparametric"),
            (
                self.fallback.is_some(),
                laplace,
                "--fallback",
                "semiparametric with --engine laplace",
            ),
            (self.iterations.is_some(), metropolis, "--iterations", "--engine metropolis"),
            (self.step.is_some(), metropolis, "--step", "--engine metropolis"),
            (self.step_sd.is_some(), isotropic, "--step-sd", "--step isotropic"),
        ];
        match rules.into_iter().find(|(given, of_use, ..)| *given && !of_use) {
            Some((.., option, needed)) => {
                Err(Usage(format!("{option} does nothing without {needed}")))
            }
            None => Ok(()),
        }
    }

    /// The engine of the posteriors.
    pub(super) fn engine(&self) -> Result<Engine, Usage> {
        match self.engine.as_deref() {
            Some("nuts") => Ok(Engine::Nuts(Nuts::default())),
            Some("metropolis") => {
                let iterations = self.iterations.unwrap_or(Metropolis::default().iterations);
                if iterations < 2 {
                    return Err(Usage("--iterations must be at least 2".to_owned()));
                }
                let sd = self.step_sd.unwrap_or(0.1);
                if !sd.is_finite() || sd <= 0.0 {
                    return Err(Usage("--step-sd must be positive".to_owned()));
                }
                Ok(Engine::Metropolis(Metropolis {
                    iterations,
                    burn_in: iterations / 2,
                    step: match self.step {
                        Some(StepKind::Isotropic) => Step::Isotropic(sd),
                        _ => Step::Adapted,
                    },
                }))
            }
            _ => {
                let mut laplace = Laplace::default();
                laplace.fallback = self.fallback.as_ref().map(|_| Nuts::default());
                Ok(Engine::Laplace(laplace))
            }
        }
    }

    /// How posteriors turn into scores.
    pub(super) fn scoring(&self) -> Scoring {
        match self.scoring {
            Some(ScoringKind::FullAverage) => Scoring::FullAverage { draws: AVERAGED_DRAWS },
            _ => Scoring::PosteriorMean,
        }
    }

    /// The methods to compare, and whether any of them compares with people learned elsewhere.
    pub(super) fn methods(
        &self,
        corpus: &Corpus,
        people: &Arc<People>,
        division: &Division,
    ) -> Result<(Vec<Box<dyn Method>>, bool), Usage> {
        let choice = self.choice()?;
        let needs_people = choice.needs_people(division);
        self.check(&choice, needs_people)?;
        let methods = choice.names_for(corpus).into_iter().map(|name| {
            method::by_name(name, self.engine()?, self.scoring(), people)
                .ok_or_else(|| Usage(format!("there is no method {name:?}")))
        });
        Ok((methods.collect::<Result<_, _>>()?, needs_people))
    }

    /// How the corpus is to be divided.
    fn division(&self) -> anyhow::Result<Division> {
        if let Some(file) = &self.splits_file {
            return Ok(Division::Given(gazeprint_io::read_splits(file)?));
        }
        let train_fraction = self.train_fraction.unwrap_or(0.5);
        let usual = if self.paper { SPLITS_OF_THE_PAPER } else { USUAL_SPLITS };
        Ok(match self.split {
            SplitKind::Random => {
                Division::Random { splits: self.splits.map_or(usual, usize::from), train_fraction }
            }
            SplitKind::Temporal => Division::Temporal { train_fraction },
            SplitKind::Session => {
                Division::Session { train: self.train_sessions.unwrap_or(1).into() }
            }
        })
    }

    /// What the study is to do.
    pub(super) fn plan(&self) -> anyhow::Result<Plan> {
        // The paper has no probes of a few texts.
        let mut probe_sentences =
            if self.paper { Vec::new() } else { self.probe_sentences.clone() };
        probe_sentences.sort_unstable();
        probe_sentences.dedup();
        Ok(Plan {
            protocol: Protocol { division: self.division()?, seed: self.seed },
            readers: self.readers,
            probe_sentences,
            limits: Limits::new(Millis(self.min_duration), Millis(self.max_duration))
                .map_err(|error| Usage(error.to_string()))?,
            attacks: self.attacks,
            watch: self.watch.then(WatchParams::default),
            strangers: !(self.closed_set || self.paper),
        })
    }
}
