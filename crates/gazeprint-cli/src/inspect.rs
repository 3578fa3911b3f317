//! `gazeprint inspect`: what is in a corpus, and what looks wrong with it; what is in a population, or in
//! people.

mod population;
mod summary;
mod without_words;
mod words;

use std::io::Read as _;
use std::path::Path;

use gazeprint::corpus::{Limits, Millis};
use gazeprint::method::People;
use gazeprint_eval::summary::Summary;
use gazeprint_io::import::WithoutWords;
use gazeprint_io::{Origin, PopulationError};

pub(crate) use self::population::{json as population_json, tables as population_tables};
pub(crate) use self::without_words::unlike_reading;
pub(crate) use self::words::{plural, spoken, visible, wrapped};
use crate::{CorpusArg, Usage, people, print};

/// Show what is in a corpus, and what looks wrong with it; or what is in a population or in people.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint inspect provo           the built-in corpus of real readers
  gazeprint inspect my-corpus
  gazeprint inspect my-corpus --json
  gazeprint inspect people.json     what `gazeprint population` learned
  gazeprint inspect people          the people that ship, and their population")]
pub(crate) struct Args {
    /// Corpus folder, a built-in corpus (provo, simulated), file of a population or of people, or `people`,
    /// those that ship [default: provo]
    #[arg(value_name = "CORPUS|POPULATION|PEOPLE")]
    corpus: Option<CorpusArg>,
    /// Shortest duration of a fixation that counts, ms [default: 50]
    #[arg(long, value_name = "MS")]
    min_duration: Option<f64>,
    /// Longest duration of a fixation that counts, ms [default: 1500]
    #[arg(long, value_name = "MS")]
    max_duration: Option<f64>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What is printed as JSON.
#[derive(serde::Serialize)]
struct Inspection<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    notes: &'a [String],
    /// Of a built-in corpus of recordings.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
}

impl Args {
    /// Shortest and longest duration of a fixation that counts, ms.
    fn limits(&self) -> [f64; 2] {
        [self.min_duration.unwrap_or(50.0), self.max_duration.unwrap_or(1500.0)]
    }
}

/// Those that ship, where nothing else has that name.
const SHIPPED: &str = "people";

/// A corpus is a folder, so any file is taken for a population, or for people.
fn inspect_learned(file: &Path, args: &Args) -> anyhow::Result<()> {
    let limits = [("--min-duration", args.min_duration), ("--max-duration", args.max_duration)];
    if let Some((option, _)) = limits.iter().find(|(_, limit)| limit.is_some()) {
        let why = "its fixations were chosen when it was learned";
        return Err(Usage(format!("{option} does nothing with a population: {why}")).into());
    }
    if !file.exists() {
        return people::inspect(People::shipped(), args.json);
    }
    let stored = match gazeprint_io::read_population(file) {
        Err(PopulationError::NotAPopulation { .. }) if has_people(file) => {
            let people = gazeprint_io::read_people(file)?;
            return people::inspect(&people, args.json);
        }
        Err(error @ PopulationError::NotAPopulation { .. }) => {
            anyhow::bail!("{error}, or the folder of a corpus")
        }
        stored => stored?,
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    print(&if args.json { population_json(&stored)? } else { population::table(&name, &stored)? })
}

/// Whose recordings these are, and on which terms.
pub(crate) fn cited(origin: &Origin) -> String {
    let Origin { citation, url, licence, licence_url, changes, .. } = origin;
    let lines = [
        format!("origin: {citation} {url}"),
        format!("licence: {licence}, {licence_url}"),
        format!("changed: {changes}"),
    ];
    lines.iter().map(|line| wrapped(line)).collect()
}

/// Whether a file that is no population is one of people, broken or not: these begin with the length of
/// a heading in braces.
fn has_people(file: &Path) -> bool {
    let mut start = [0; 9];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start[8] == b'{' && start[7] == 0
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let given = args.corpus.clone().unwrap_or_default();
    let is_shipped = |path: &Path| path == Path::new(SHIPPED) && !path.exists();
    if let Some(file) = given.folder().filter(|path| path.is_file() || is_shipped(path)) {
        return inspect_learned(file, &args);
    }
    if let Some(folder) = given.folder()
        && !gazeprint_io::has_pages_without_words(folder)
        && let Ok(Some(recording)) = WithoutWords::read(folder)
    {
        return print(&without_words::described(folder, &recording, args.json)?);
    }
    let [shortest, longest] = args.limits();
    let limits =
        Limits::new(Millis(shortest), Millis(longest)).map_err(|error| Usage(error.to_string()))?;
    let (corpus, notes) = given.read_with_notes()?;
    let origin = given.origin();
    let summary = Summary::of(&corpus, limits);
    let mut messages = notes.messages();
    if notes.in_row_order && summary.has_odd_rates() {
        messages.push(
            "rates are odd and there is no fix_index; are rows in the order of reading?".to_owned(),
        );
    }
    let text = if args.json {
        crate::words::json(&Inspection { summary: &summary, notes: &messages, origin })?
    } else {
        summary::table(&summary, args.limits(), &messages)?
            + &origin.map_or_else(String::new, |origin| format!("\n{}", cited(&origin)))
    };
    print(&text)
}
