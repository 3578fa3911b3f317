//! `gazeprint study`: which method recognises the readers of a corpus, and how well.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use gazeprint::corpus::{Corpus, DropReason, Limits, Millis};
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Step};
use gazeprint::method::{self, Method, Scoring};
use gazeprint_eval::protocol::{Protocol, ProtocolError};
use gazeprint_eval::report::{Estimate, Manifest, MethodReport, Report};
use gazeprint_eval::study::{Plan, Study, StudyError};
use gazeprint_eval::summary::Summary;

use crate::inspect::{grouped, plural};
use crate::progress::Progress;
use crate::{Interrupted, Usage, corpus_or_default, print};

/// What study.json is called until it is complete.
const PARTIAL: &str = "study.json.partial";
/// Draws a density and reader of `--scoring full-average`.
const AVERAGED_DRAWS: usize = 16;

/// Compare methods of reader identification on a corpus.
///
/// Some of the texts train, the others test, the same for all readers; this is repeated.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint study                                  all methods, the built-in simulated corpus
  gazeprint study my-corpus --out results          also writes results/study.json and figures
  gazeprint study my-corpus --methods semiparametric,landwehr --splits 3
  gazeprint study my-corpus --methods semiparametric --engine metropolis

A corpus is a folder with fixations.csv (reader, text, line, x_char, duration_ms) and
words.csv (text, line, word_index, char_start, char_end).

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.")]
pub(crate) struct Args {
    /// Corpus folder [default: the built-in simulated corpus]
    corpus: Option<PathBuf>,
    /// Methods to compare, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "all", ignore_case = true,
          value_parser = PossibleValuesParser::new(method::NAMES.into_iter().chain(["all"])))]
    methods: Vec<String>,
    /// Folder for study.json and figures; made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print study.json instead of the table
    #[arg(long)]
    json: bool,
    /// Threads [default: one per core]; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Repetitions
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Protocol")]
    splits: usize,
    /// Part of the texts that trains
    #[arg(long, value_name = "PART", default_value_t = 0.5, help_heading = "Protocol")]
    train_fraction: f64,
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
    seed: u64,
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
    /// The methods asked for, in the order of the paper's tables.
    fn names(&self) -> Vec<&'static str> {
        let wanted = |name: &str| {
            self.methods
                .iter()
                .any(|m| m.eq_ignore_ascii_case(name) || m.eq_ignore_ascii_case("all"))
        };
        method::NAMES.into_iter().filter(|name| wanted(name)).collect()
    }

    /// Refuses options that would do nothing.
    fn check(&self) -> Result<(), Usage> {
        let semiparametric = self.names().contains(&"semiparametric");
        let engine = self.engine.as_deref().unwrap_or(Engine::NAMES[0]);
        let metropolis = semiparametric && engine == "metropolis";
        let laplace = semiparametric && engine == "laplace";
        let isotropic = metropolis && matches!(self.step, Some(StepKind::Isotropic));
        let rules = [
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

    fn engine(&self) -> Result<Engine, Usage> {
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

    fn methods(&self) -> Result<Vec<Box<dyn Method>>, Usage> {
        let scoring = match self.scoring {
            Some(ScoringKind::FullAverage) => Scoring::FullAverage { draws: AVERAGED_DRAWS },
            _ => Scoring::PosteriorMean,
        };
        self.check()?;
        self.names()
            .into_iter()
            .map(|name| {
                method::by_name(name, self.engine()?, scoring)
                    .ok_or_else(|| Usage(format!("there is no method {name:?}")))
            })
            .collect()
    }

    fn plan(&self) -> Result<Plan, Usage> {
        let mut probe_sentences = self.probe_sentences.clone();
        probe_sentences.sort_unstable();
        probe_sentences.dedup();
        Ok(Plan {
            protocol: Protocol {
                splits: self.splits,
                seed: self.seed,
                train_fraction: self.train_fraction,
            },
            probe_sentences,
            limits: Limits::new(Millis(self.min_duration), Millis(self.max_duration))
                .map_err(|error| Usage(error.to_string()))?,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let (methods, plan) = (args.methods()?, args.plan()?);
    let (corpus, notes) = corpus_or_default(args.corpus.as_deref())?;
    for message in notes.messages() {
        eprintln!("note: {message}");
    }
    // Whatever can be known to fail is made to fail before the computing starts.
    if let Some(folder) = &args.out {
        prepare(folder)?;
    }
    warn_of_oddities(&corpus, plan.limits, args.corpus.as_deref());
    let progress = Progress::new(methods.len(), plan.protocol.splits)?;
    let study = Study::run(&corpus, plan, &methods, &progress).map_err(|error| {
        progress.clear();
        explain(error, corpus.name())
    })?;
    progress.clear();
    let report = Report::of(
        &study,
        Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("GAZEPRINT_COMMIT").map(str::to_owned),
            seed: args.seed,
            threads: rayon::current_num_threads(),
            corpus_sha256: gazeprint_eval::fingerprint(&corpus),
            arguments: std::env::args().skip(1).collect(),
        },
    );
    let json = serde_json::to_string_pretty(&report)? + "\n";
    if let Some(folder) = &args.out {
        let (partial, file) = (folder.join(PARTIAL), folder.join("study.json"));
        std::fs::write(&partial, &json)
            .and_then(|()| std::fs::rename(&partial, &file))
            .with_context(|| format!("cannot write {}", file.display()))?;
        draw(&study, &report, &folder.join("figures"))?;
    }
    print(&if args.json { json } else { table(&report, args.out.as_deref())? })
}

/// Writes every figure as SVG, PNG and CSV.
fn draw(study: &Study, report: &Report, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (name, drawing) in gazeprint_eval::figures(study, report) {
        let files = [
            ("svg", drawing.svg.as_bytes()),
            ("png", &drawing.png()),
            ("csv", drawing.csv.as_bytes()),
        ];
        for (extension, bytes) in files {
            let file = folder.join(format!("{name}.{extension}"));
            std::fs::write(&file, bytes)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}

/// Says that the corpus does not look like reading, where it does not.
fn warn_of_oddities(corpus: &Corpus, limits: Limits, folder: Option<&Path>) {
    let warnings = Summary::of(corpus, limits).warnings.len();
    if let Some(folder) = folder.filter(|_| warnings > 0) {
        let things = if warnings == 1 { "thing does" } else { "things do" };
        eprintln!(
            "warning: {warnings} {things} not look like reading; see: gazeprint inspect {}",
            folder.display()
        );
    }
}

/// A failed study in words.
fn explain(error: StudyError, corpus: &str) -> anyhow::Error {
    match error {
        error if error.is_interruption() => Interrupted.into(),
        StudyError::Protocol(
            error @ (ProtocolError::TrainFraction(_)
            | ProtocolError::NoSplits
            | ProtocolError::EmptyProbe),
        ) => Usage(error.to_string()).into(),
        StudyError::NothingLeft(fixations, drops) => anyhow::anyhow!(
            "{corpus}: none of the {} counts ({}); are x and the words in the same unit, and \
             durations in ms? `gazeprint inspect` tells more",
            plural(fixations, "fixation"),
            reasons(DropReason::ALL.map(|r| (r.name(), drops.of(r))))
        ),
        error => anyhow::Error::new(error).context(format!("{corpus} cannot be studied")),
    }
}

/// Counts with what they count, those that are not zero.
fn reasons<'a>(counts: impl IntoIterator<Item = (&'a str, usize)>) -> String {
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(_, n)| *n > 0)
        .map(|(reason, n)| format!("{} {}", grouped(n), reason.replace('_', " ")))
        .collect();
    parts.join(", ")
}

/// Makes the output folder and checks that it can be written to.
fn prepare(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let partial = folder.join(PARTIAL);
    std::fs::write(&partial, "")
        .and_then(|()| std::fs::remove_file(&partial))
        .with_context(|| format!("cannot write to the folder {}", folder.display()))
}

/// The results for people.
fn table(report: &Report, out: Option<&Path>) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    introduction(&mut text, report)?;
    heading(&mut text, report)?;
    for method in &report.methods {
        line(&mut text, method)?;
    }
    let errors = if report.protocol.splits > 1 { " ± standard error over splits" } else { "" };
    writeln!(
        text,
        "\naccuracy: part of the probes whose reader is ranked first{errors}\n\
         area:     probability that an impostor outscores the genuine reader\n\
         EER:      equal error rate of verification\n\
         seconds:  tuning, fitting and scoring, all splits"
    )?;
    notes(&mut text, report)?;
    if let Some(folder) = out {
        let (file, figures) = (folder.join("study.json"), folder.join("figures"));
        writeln!(text, "\nwritten: {} and {}", file.display(), figures.display())?;
    }
    Ok(text)
}

/// What was studied, and how.
fn introduction(text: &mut String, report: &Report) -> std::fmt::Result {
    let (corpus, protocol) = (&report.corpus, &report.protocol);
    writeln!(
        text,
        "{}: {}, {}, {}",
        corpus.name,
        plural(corpus.readers, "reader"),
        plural(corpus.texts, "text"),
        plural(corpus.fixations, "fixation"),
    )?;
    if !corpus.dropped.is_empty() {
        let dropped = reasons(corpus.dropped.iter().map(|(reason, n)| (*reason, *n)));
        writeln!(text, "fixations dropped: {dropped}")?;
    }
    if !corpus.excluded_readers.is_empty() {
        let excluded = &corpus.excluded_readers;
        let named: Vec<&str> = excluded.iter().take(NAMED).map(String::as_str).collect();
        let more = match excluded.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        writeln!(
            text,
            "{} left out of some split, without training or test texts there: {}{more}",
            plural(excluded.len(), "reader"),
            named.join(", ")
        )?;
    }
    writeln!(
        text,
        "{} % of the texts train, the others test; {}, seed {}; chance {:.3}\n",
        (1000.0 * protocol.train_fraction).round() / 10.0,
        plural(protocol.splits, "split"),
        protocol.seed,
        1.0 / corpus.readers as f64
    )
}

/// Excluded readers that the table names; study.json names them all.
const NAMED: usize = 8;
/// Widths of the table's columns.
const NAME: usize = 18;
const SIZE: usize = 6;

fn heading(text: &mut String, report: &Report) -> std::fmt::Result {
    let sizes: Vec<usize> = report.protocol.probe_sentences.clone();
    let by_size = if sizes.is_empty() { "" } else { "  accuracy by texts a probe" };
    let width = (SIZE * sizes.len()).max(by_size.len());
    writeln!(text, "{:NAME$}{by_size:<width$}   all test texts", "")?;
    write!(text, "{:<NAME$}", "method")?;
    for size in &sizes {
        write!(text, "{size:>SIZE$}")?;
    }
    let gap = width - SIZE * sizes.len();
    writeln!(text, "{:gap$}   {:<14}{:>8}{:>7}{:>8}", "", "accuracy", "area", "EER", "seconds")
}

fn line(text: &mut String, method: &MethodReport) -> std::fmt::Result {
    write!(text, "{:<NAME$}", method.method)?;
    for size in &method.by_sentences {
        if size.shorter_probes == size.probes {
            write!(text, "{:>SIZE$}", "-")?;
        } else {
            write!(text, "{:>SIZE$.3}", size.accuracy.mean)?;
        }
    }
    let by_size = SIZE * method.by_sentences.len();
    let gap = if by_size == 0 { 0 } else { by_size.max(27) - by_size };
    let area = match method.area.mean {
        0.0 => "0".to_owned(),
        area => format!("{area:.1e}"),
    };
    writeln!(
        text,
        "{:gap$}   {:<14}{area:>8}{:>7.4}{:>8.1}",
        "",
        estimate(&method.accuracy),
        method.eer.mean,
        method.tune_seconds + method.fit_seconds + method.score_seconds
    )
}

fn estimate(value: &Estimate) -> String {
    match value.se {
        Some(se) => format!("{:.3} ± {se:.3}", value.mean),
        None => format!("{:.3}", value.mean),
    }
}

/// What the reader of the table should know before trusting it.
fn notes(text: &mut String, report: &Report) -> std::fmt::Result {
    for method in &report.methods {
        let densities = method.diagnostics.densities.values();
        let sum = |value: fn(&gazeprint_eval::report::DensityDiagnostics) -> usize| -> usize {
            densities.clone().map(value).sum()
        };
        let (fits, failed, doubtful) = (sum(|d| d.fits), sum(|d| d.failed), sum(|d| d.doubtful));
        if failed > 0 {
            writeln!(
                text,
                "note: {}: {} of {} fits failed; those readers got the density of all readers",
                method.method,
                grouped(failed),
                grouped(fits)
            )?;
        }
        if doubtful > 0 {
            let why = match method.engine.as_deref() {
                Some("laplace") => "unreliable importance weights (k-hat above 0.7)",
                Some("metropolis") => "chains that have not mixed (under 100 effective draws)",
                _ => "divergent transitions or under 100 effective draws",
            };
            writeln!(
                text,
                "note: {}: {} of {} posteriors have {why}; see diagnostics in study.json",
                method.method,
                grouped(doubtful),
                grouped(fits)
            )?;
        }
    }
    Ok(())
}
