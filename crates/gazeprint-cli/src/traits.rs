//! `gazeprint traits`: what each reader does, how sure that is, and whether it would come out again.

mod draws;
mod files;
mod table;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use gazeprint::corpus::{Corpus, Limits, Millis};
use gazeprint::inference::Engine;
use gazeprint_eval::traits::{ReaderTraits, Trait};
use gazeprint_io::Origin;

use crate::words::note;
use crate::{CorpusArg, Tables, Usage, explain, print, print_json};

/// Show what each reader does, with intervals, and how well that tells readers apart.
///
/// Traits are rates of saccade types, mean and spread of amplitudes and durations, launch and landing,
/// effects of word length and of the situation, reading speed, and kinematics where they were measured.
/// Intervals take texts for independent, not fixations. docs/traits.md says how each is estimated.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint traits my-corpus               traits over readers, with reliability
  gazeprint traits my-corpus --out traits  every reader by every trait
  gazeprint traits my-corpus --out traits --figure landing \\
      --figure skip_by_length,gaze_duration
  gazeprint traits my-corpus --out traits --draws     posterior draws, for ArviZ
  gazeprint traits my-corpus --out traits --draws --reader anna --engine nuts
  gazeprint traits my-corpus --json

DIR gets traits.csv (reader, trait, unit, estimate, low, high, observations,
texts), reliability.csv (a row for each trait), traits.json (both), figures/ as
SVG, PDF, PNG and CSV, and with --draws draws.csv (chain, draw, reader, then a column
for each parameter) and draws_doubts.csv (reader, density, why).

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.")]
pub(crate) struct Args {
    /// Corpus folder, or a built-in corpus: provo, simulated [default: provo]
    corpus: Option<CorpusArg>,
    /// Folder to write; made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How tables are written
    #[arg(long, value_enum, default_value = "csv", requires = "out")]
    format: Tables,
    /// A trait to draw, readers in order, or two against each other; may be repeated [default: skips and
    /// durations]
    #[arg(long, value_name = "TRAIT[,TRAIT]", requires = "out", value_parser = figure)]
    figure: Vec<Figure>,
    /// Also write draws of the posterior of readers
    #[arg(long, requires = "out")]
    draws: bool,
    /// A reader to draw; may be repeated [default: all]
    #[arg(long, value_name = "NAME", requires = "draws")]
    reader: Vec<String>,
    /// What draws
    #[arg(long, default_value = "laplace", requires = "draws",
          value_parser = PossibleValuesParser::new(Engine::NAMES))]
    engine: String,
    /// Shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// Longest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 1500.0)]
    max_duration: f64,
    /// Seed of halves and draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Replace what another run wrote there, tables, figures and draws
    #[arg(long)]
    overwrite: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// What a figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    One(Trait),
    Two([Trait; 2]),
}

impl Figure {
    /// Drawn where nothing is asked for, as far as the traits are known.
    const DEFAULT: [Self; 4] = [
        Self::One(Trait::ForwardSkipRate),
        Self::One(Trait::FixationDuration),
        Self::Two([Trait::FixationDuration, Trait::ForwardSkipRate]),
        Self::Two([Trait::SaccadeAmplitude, Trait::PeakVelocity]),
    ];

    fn traits(&self) -> &[Trait] {
        match self {
            Self::One(what) => std::slice::from_ref(what),
            Self::Two(both) => both,
        }
    }

    /// The figure of that name.
    fn by_name(name: &str) -> Option<Self> {
        match name.split_once('-') {
            None => Some(Self::One(Trait::by_name(name)?)),
            Some((x, y)) => Some(Self::Two([Trait::by_name(x)?, Trait::by_name(y)?])),
        }
    }

    fn name(&self) -> String {
        let names: Vec<&str> = self.traits().iter().map(|what| what.name()).collect();
        names.join("-")
    }
}

/// A trait, or two with a comma between them.
fn figure(text: &str) -> Result<Figure, String> {
    let named = |name: &str| {
        Trait::by_name(name.trim()).ok_or_else(|| {
            let like = |what: &Trait| strsim::jaro_winkler(what.name(), name);
            let near = Trait::ALL.into_iter().max_by(|a, b| like(a).total_cmp(&like(b)));
            let near = near.map_or("", Trait::name);
            format!(
                "found {name:?}, expected a trait, or two with a comma between them; did you mean \
                 {near}? `gazeprint traits CORPUS` lists those of a corpus"
            )
        })
    };
    match text.split_once(',') {
        None => Ok(Figure::One(named(text)?)),
        Some((x, y)) => match [named(x)?, named(y)?] {
            [x, y] if x == y => Err(format!(
                "found {} twice, expected two traits to draw against each other; without the comma its \
                 readers are drawn in order",
                x.name()
            )),
            both => Ok(Figure::Two(both)),
        },
    }
}

/// The traits of a corpus with where that comes from, as they are written as JSON.
#[derive(serde::Serialize)]
struct Found {
    #[serde(flatten)]
    traits: ReaderTraits,
    /// Of a built-in corpus of recordings.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let limits = Limits::new(Millis(args.min_duration), Millis(args.max_duration))
        .map_err(|error| Usage(error.to_string()))?;
    // Whatever can be known to fail is made to fail before the computing starts.
    if let Some(out) = &args.out {
        files::check(args, out).map_err(explain)?;
    }
    let given = args.corpus.clone().unwrap_or_default();
    let corpus = given.read()?;
    let chosen = chosen(args, &corpus)?;
    let traits = ReaderTraits::of(&corpus, limits, args.seed);
    if traits.readers == 0 {
        anyhow::bail!(
            "{}: found no fixation that counts, expected some; `gazeprint inspect` tells what was \
             dropped",
            traits.corpus
        );
    }
    let silent = corpus.readers().len() - traits.readers;
    if silent > 0 {
        note(&format!(
            "{silent} of {} readers have no fixation that counts",
            corpus.readers().len()
        ));
    }
    let figures = figures(args, &traits)?;
    let drawn = match args.draws {
        true => Some(draws::drawn(args, &corpus, limits, &chosen)?),
        false => None,
    };
    let found = Found { traits, origin: given.origin() };
    let mut written = None;
    if let Some(out) = &args.out {
        let names = files::write(args, out, &found, &figures, drawn.as_ref()).map_err(explain)?;
        written = Some(format!("{}: {}\n", out.display(), names.join(", ")));
    }
    if args.json {
        return print_json(&found);
    }
    print(&table::of(&found.traits))?;
    print(&written.unwrap_or_default())
}

/// The readers to draw, as places in the corpus.
fn chosen(args: &Args, corpus: &Corpus) -> anyhow::Result<Vec<usize>> {
    if args.reader.is_empty() {
        return Ok((0..corpus.readers().len()).collect());
    }
    let place = |name: &String| {
        corpus.readers().iter().position(|reader| reader == name).ok_or_else(|| {
            let like = |reader: &&String| strsim::jaro_winkler(reader, name);
            let near = corpus.readers().iter().max_by(|a, b| like(a).total_cmp(&like(b)));
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
            anyhow::anyhow!("found no reader {name:?} in {}{near}", corpus.name())
        })
    };
    let places = args.reader.iter().map(place).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(first_of_each(places))
}

/// What was asked for again counts once.
fn first_of_each<T: PartialEq>(asked: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in asked {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// The figures to draw.
fn figures(args: &Args, found: &ReaderTraits) -> anyhow::Result<Vec<Figure>> {
    let unknown =
        |figure: &Figure| figure.traits().iter().copied().find(|&w| found.summary(w).is_none());
    if args.figure.is_empty() {
        return Ok(Figure::DEFAULT
            .into_iter()
            .filter(|figure| unknown(figure).is_none())
            .collect());
    }
    if let Some(what) = args.figure.iter().find_map(unknown) {
        anyhow::bail!(
            "{}: nobody shows {}, so it cannot be drawn; `gazeprint traits` without --figure lists what \
             readers show",
            found.corpus,
            what.name()
        );
    }
    Ok(first_of_each(args.figure.iter().copied()))
}
