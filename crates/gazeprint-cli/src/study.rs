//! `gazeprint study`: which method recognises the readers of a corpus, and how well.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use gazeprint::corpus::{Limits, Millis};
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Step};
use gazeprint::method::{self, Method, Scoring};
use gazeprint_eval::protocol::Protocol;
use gazeprint_eval::report::{Estimate, Manifest, MethodReport, Report};
use gazeprint_eval::study::{Plan, Study};

use crate::inspect::{grouped, plural};
use crate::progress::Progress;
use crate::{Interrupted, Usage, corpus_or_default, print};

/// What study.json is called until it is complete.
const PARTIAL: &str = "study.json.partial";
/// Draws a density and reader of `--scoring full-average`.
const AVERAGED_DRAWS: usize = 16;

/// Compare methods of reader identification on a corpus.
///
/// Half of the texts train, the other half tests, the same for all readers; this is repeated.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint study                                  all methods, the built-in simulated corpus
  gazeprint study my-corpus --out results          also writes results/study.json
  gazeprint study my-corpus --methods semiparametric,landwehr --splits 3
  gazeprint study my-corpus --methods semiparametric --engine metropolis")]
pub(crate) struct Args {
    /// Corpus folder [default: the built-in simulated corpus]
    corpus: Option<PathBuf>,
    /// Methods to compare, separated by commas, or all
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "all",
          value_parser = PossibleValuesParser::new(method::NAMES.into_iter().chain(["all"])))]
    methods: Vec<String>,
    /// How the posteriors of `semiparametric` are computed
    #[arg(long, default_value = Engine::NAMES[0],
          value_parser = PossibleValuesParser::new(Engine::NAMES))]
    engine: String,
    /// What `laplace` turns to where its importance weights are unreliable
    #[arg(long, value_name = "ENGINE", value_parser = PossibleValuesParser::new(["nuts"]))]
    fallback: Option<String>,
    /// Iterations of `metropolis`, half of them burn-in
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    iterations: usize,
    /// How `metropolis` moves the gamma part
    #[arg(long, value_enum, default_value_t = StepKind::Adapted)]
    step: StepKind,
    /// Standard deviation of the isotropic step
    #[arg(long, value_name = "SD", default_value_t = 0.1)]
    step_sd: f64,
    /// How the posterior of a reader turns into a score
    #[arg(long, value_enum, default_value_t = ScoringKind::PosteriorMean)]
    scoring: ScoringKind,
    /// Repetitions
    #[arg(long, value_name = "N", default_value_t = 10)]
    splits: usize,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Part of the texts that trains
    #[arg(long, value_name = "PART", default_value_t = 0.5)]
    train_fraction: f64,
    /// Sentences a probe, separated by commas; all test sentences are always tried too
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,3,5,10")]
    probe_sentences: Vec<usize>,
    /// Shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// Longest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 1500.0)]
    max_duration: f64,
    /// Threads [default: one per core]; the results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Folder for study.json; made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print study.json instead of the table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StepKind {
    /// Shaped by the gamma fit, size tuned in burn-in
    Adapted,
    /// The paper's
    Isotropic,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScoringKind {
    /// Under the posterior mean of each density (the paper's)
    PosteriorMean,
    /// The posterior mean of the probe's likelihood
    FullAverage,
}

impl Args {
    fn engine(&self) -> Result<Engine, Usage> {
        match self.engine.as_str() {
            "nuts" => Ok(Engine::Nuts(Nuts::default())),
            "metropolis" => {
                if self.iterations < 2 {
                    return Err(Usage("--iterations must be at least 2".to_owned()));
                }
                if self.step_sd.is_nan() || self.step_sd <= 0.0 {
                    return Err(Usage("--step-sd must be positive".to_owned()));
                }
                Ok(Engine::Metropolis(Metropolis {
                    iterations: self.iterations,
                    burn_in: self.iterations / 2,
                    step: match self.step {
                        StepKind::Adapted => Step::Adapted,
                        StepKind::Isotropic => Step::Isotropic(self.step_sd),
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
            ScoringKind::PosteriorMean => Scoring::PosteriorMean,
            ScoringKind::FullAverage => Scoring::FullAverage { draws: AVERAGED_DRAWS },
        };
        let all = self.methods.iter().any(|m| m == "all");
        let names =
            method::NAMES.into_iter().filter(|n| all || self.methods.iter().any(|m| m == n));
        names
            .map(|name| {
                method::by_name(name, self.engine()?, scoring)
                    .ok_or_else(|| Usage(format!("there is no method {name:?}")))
            })
            .collect()
    }

    fn plan(&self) -> Result<Plan, Usage> {
        Ok(Plan {
            protocol: Protocol {
                splits: self.splits,
                seed: self.seed,
                train_fraction: self.train_fraction,
            },
            probe_sentences: self.probe_sentences.clone(),
            limits: Limits::new(Millis(self.min_duration), Millis(self.max_duration))
                .map_err(|error| Usage(error.to_string()))?,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let (methods, plan) = (args.methods()?, args.plan()?);
    let corpus = corpus_or_default(args.corpus.as_deref())?;
    // Whatever can be known to fail is made to fail before the computing starts.
    if let Some(folder) = &args.out {
        prepare(folder)?;
    }
    let progress = Progress::new(methods.len(), plan.protocol.splits)?;
    let study = Study::run(&corpus, plan, &methods, &progress).map_err(|error| {
        progress.clear();
        if error.is_interruption() {
            anyhow::Error::new(Interrupted)
        } else if let gazeprint_eval::study::StudyError::Protocol(error) = &error {
            anyhow::Error::new(Usage(error.to_string()))
        } else {
            error.into()
        }
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
    }
    print(&if args.json { json } else { table(&report, args.out.as_deref())? })
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
    let (corpus, protocol) = (&report.corpus, &report.protocol);
    let dropped: usize = corpus.dropped.values().sum();
    writeln!(
        text,
        "{}: {}, {}, {} ({} dropped)",
        corpus.name,
        plural(corpus.readers, "reader"),
        plural(corpus.texts, "text"),
        plural(corpus.fixations, "fixation"),
        grouped(dropped)
    )?;
    if !corpus.excluded_readers.is_empty() {
        writeln!(
            text,
            "left out for want of training or test texts in some split: {}",
            corpus.excluded_readers.join(", ")
        )?;
    }
    writeln!(
        text,
        "{:.0} % of the texts train, the others test; {}, seed {}\n",
        100.0 * protocol.train_fraction,
        plural(protocol.splits, "split"),
        protocol.seed
    )?;
    writeln!(
        text,
        "accuracy: part of the probes whose reader is ranked first (± standard error over splits)\n"
    )?;
    heading(&mut text, report)?;
    for method in &report.methods {
        line(&mut text, method)?;
    }
    writeln!(
        text,
        "\narea: probability that an impostor outscores the genuine reader; EER: equal error rate;\n\
         both with all test sentences. seconds: tuning + fitting + scoring, all splits."
    )?;
    notes(&mut text, report)?;
    if let Some(folder) = out {
        writeln!(text, "\nwritten: {}", folder.join("study.json").display())?;
    }
    Ok(text)
}

const NAME: usize = 20;

fn heading(text: &mut String, report: &Report) -> std::fmt::Result {
    let sizes: Vec<usize> = report
        .methods
        .first()
        .map_or_else(Vec::new, |m| m.by_sentences.iter().map(|s| s.sentences).collect());
    writeln!(
        text,
        "{:<NAME$}{:<width$}",
        "",
        "accuracy by sentences a probe",
        width = 8 * sizes.len()
    )?;
    write!(text, "{:<NAME$}", "method")?;
    for size in &sizes {
        write!(text, "{size:<8}")?;
    }
    writeln!(text, "{:<18}{:<12}{:<9}{}", "all", "area", "EER", "seconds")
}

fn line(text: &mut String, method: &MethodReport) -> std::fmt::Result {
    write!(text, "{:<NAME$}", method.method)?;
    for size in &method.by_sentences {
        write!(text, "{:<8.3}", size.accuracy.mean)?;
    }
    writeln!(
        text,
        "{:<18}{:<12.7}{:<9.4}{:.1} + {:.1} + {:.1}",
        estimate(&method.accuracy),
        method.area.mean,
        method.eer.mean,
        method.tune_seconds,
        method.fit_seconds,
        method.score_seconds
    )
}

fn estimate(value: &Estimate) -> String {
    match value.se {
        Some(se) => format!("{:.4} ± {se:.4}", value.mean),
        None => format!("{:.4}", value.mean),
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
