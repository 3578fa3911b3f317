//! `gazeprint enroll`: readers into a gallery.

use std::path::PathBuf;

use anyhow::{Context, bail};
use gazeprint::corpus::{Corpus, Limits, Millis};
use gazeprint::method::{Monitor, Occasion, Population, Training};
use gazeprint::saccade::{Reading, readings};
use gazeprint_eval::decision::{FEWEST_READERS, Rules};
use gazeprint_store::{Enrolment, Entry, Founding, Gallery, GalleryError, Recording};
use rayon::prelude::*;

use crate::inspect::plural;
use crate::opening::{Asking, GalleryArgs};
use crate::population::learn;
use crate::progress::Progress;
use crate::{Interrupted, Usage, corpus_or_default, print};

/// Fewest fixations that count of a reader: about a dozen sentences.
const FEWEST_FIXATIONS: usize = 100;
/// Most readers that rules are learned from: with more, they cost time and change nothing.
const MOST_FOR_RULES: usize = 256;
/// Seed of how recordings are halved to learn the rules: results must not depend on when.
const SEED: u64 = 1;
/// Readers learned at once: what is lost when a process is killed, and held in memory.
const BATCH: usize = 16;

/// Learn readers from their recordings and add them to a gallery.
///
/// The first time, the gallery is made: the population is learned from the corpus, or read from a
/// file, and stays as it is. Readers that are there already get the new recordings on top: in two
/// steps or at once makes no difference. What was reported as enrolled is on the disk.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint enroll my-corpus --gallery staff.gallery
  gazeprint enroll newcomer --gallery staff.gallery                     one more reader
  gazeprint enroll newcomer --gallery own.gallery --population people.json
  gazeprint gallery key secret.key
  gazeprint enroll my-corpus --gallery staff.gallery --key-file secret.key --pseudonyms
  gazeprint enroll my-corpus --gallery postgres://localhost/lab         with --features postgres

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted (what was reported is enrolled).")]
pub(crate) struct Args {
    /// Corpus folder [default: the built-in simulated corpus]
    corpus: Option<PathBuf>,
    #[command(flatten)]
    gallery: GalleryArgs,
    /// The method
    #[arg(long, default_value = "population", value_parser = ["population"])]
    method: String,
    /// Population to make the gallery with (see `gazeprint population`)
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// Start readers anew that are enrolled already
    #[arg(long)]
    replace: bool,
    /// Make a gallery that keeps readers under pseudonyms
    #[arg(long)]
    pseudonyms: bool,
    /// Shortest duration of a fixation that counts, ms, in a new gallery
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// Longest duration of a fixation that counts, ms, in a new gallery
    #[arg(long, value_name = "MS", default_value_t = 1500.0)]
    max_duration: f64,
    /// Print what was enrolled as JSON
    #[arg(long)]
    json: bool,
    /// Threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let progress = Progress::new(1)?;
    let (corpus, notes) = corpus_or_default(args.corpus.as_deref())?;
    for message in notes.messages() {
        eprintln!("note: {message}");
    }
    let mut gallery = open_or_make(&args, &corpus, &progress)?;
    let entries = enroll(&args, &corpus, &mut gallery, &progress)?;
    let rules = calibrate(&mut gallery, &progress)?;
    progress.clear();
    if args.json {
        let answer = serde_json::json!({ "enrolled": entries });
        return print(&format!("{}\n", serde_json::to_string_pretty(&answer)?));
    }
    print(&about(&mut gallery, rules.as_ref())?)
}

/// What a gallery can promise.
pub(crate) fn about(gallery: &mut Gallery, rules: Option<&Rules>) -> anyhow::Result<String> {
    let readers = gallery.list()?.len();
    let head = format!("{}: {}", gallery.location(), plural(readers, "reader"));
    let Some(rules) = rules else {
        return Ok(format!(
            "{head}; decisions need at least {FEWEST_READERS}, each with recordings of several texts\n"
        ));
    };
    let most = |of: &dyn Fn(&gazeprint_eval::decision::Support) -> usize| {
        let most = rules.lengths().iter().map(of).max().unwrap_or(0);
        3.0 / most.max(3) as f64
    };
    Ok(format!(
        "{head}; can show false match rates down to {:.2e} and false alarms down to {:.2e} (rule of \
         three)\n",
        most(&|s| s.false_claims),
        most(&|s| s.probes),
    ))
}

pub(crate) fn limits_of(founding: &Founding) -> anyhow::Result<Limits> {
    let [shortest, longest] = founding.durations_ms;
    Ok(Limits::new(Millis(shortest), Millis(longest))?)
}

fn open_or_make(args: &Args, corpus: &Corpus, progress: &Progress) -> anyhow::Result<Gallery> {
    let at = args.gallery.location();
    if Gallery::exists(&at)? {
        if args.population.is_some() {
            return Err(Usage(format!(
                "{at} exists already, and its population stays as it is; leave out --population, or \
                 learn it anew with `gazeprint gallery relearn`"
            ))
            .into());
        }
        return args.gallery.open();
    }
    let limits = Limits::new(Millis(args.min_duration), Millis(args.max_duration))
        .map_err(|error| Usage(error.to_string()))?;
    let secret = args.gallery.secret(Asking::Twice)?;
    let mut founding = Founding {
        gazeprint: env!("CARGO_PKG_VERSION").to_owned(),
        created: gazeprint_store::now(),
        method: args.method.clone(),
        durations_ms: [args.min_duration, args.max_duration],
        pseudonyms: None,
    };
    if args.pseudonyms {
        founding.pseudonyms = Some(Founding::new_salt()?);
    }
    let population = match &args.population {
        Some(file) => {
            let stored = gazeprint_io::read_population(file)?;
            if stored.provenance.durations_ms != founding.durations_ms {
                eprintln!(
                    "note: the population counted fixations of {} to {} ms: so does the gallery",
                    stored.provenance.durations_ms[0], stored.provenance.durations_ms[1]
                );
                founding.durations_ms = stored.provenance.durations_ms;
            }
            stored.population
        }
        None => {
            let (readings, _) = readings(corpus, limits);
            let mut readers: Vec<usize> = readings.iter().map(|r| r.reader).collect();
            readers.sort_unstable();
            readers.dedup();
            if readers.len() < FEWEST_READERS {
                bail!(
                    "{}: found {}, expected at least {FEWEST_READERS} to learn what readers have in \
                     common; add recordings, or give a population with --population FILE",
                    corpus.name(),
                    plural(readers.len(), "reader")
                );
            }
            learn(corpus.readers().len(), &readings, progress)?
        }
    };
    Ok(Gallery::create(&at, secret.as_ref(), founding, &population)?)
}

/// Somebody to be enrolled, as far as that is known before learning.
struct Candidate {
    id: String,
    recordings: Vec<Recording>,
    revision: Option<u64>,
}

fn enroll(
    args: &Args,
    corpus: &Corpus,
    gallery: &mut Gallery,
    progress: &Progress,
) -> anyhow::Result<Vec<Entry>> {
    let limits = limits_of(gallery.founding())?;
    // Whatever can be known to fail is made to fail before anything is enrolled.
    let mut candidates = Vec::new();
    for (name, new) in corpus.readers().iter().zip(gazeprint_store::recordings(corpus)) {
        let id = gallery.id_of(name);
        let known = gallery.recordings(&id)?;
        let revision = known.as_ref().map(|(_, revision)| *revision);
        let recordings = match known {
            Some((known, _)) if !args.replace => gazeprint_store::merged(known, new)
                .with_context(|| format!("reader {id:?} of {}", gallery.location()))?,
            _ => new,
        };
        let fixations = fixations(&id, &recordings, limits)?;
        if fixations < FEWEST_FIXATIONS {
            bail!(
                "reader {name:?}: found {}, expected at least {FEWEST_FIXATIONS} that count, about a \
                 dozen sentences; record more; nobody was enrolled",
                plural(fixations, "fixation")
            );
        }
        candidates.push(Candidate { id, recordings, revision });
    }
    let population = gallery.population()?;
    let era = gallery.era()?;
    progress.show("learning readers");
    progress.expect(candidates.len() as u64);
    let mut entries = Vec::with_capacity(candidates.len());
    while !candidates.is_empty() {
        let batch: Vec<Candidate> = candidates.drain(..candidates.len().min(BATCH)).collect();
        let learned: Vec<(Enrolment, Option<u64>)> = batch
            .into_par_iter()
            .map(|candidate| learned(&population, candidate, limits))
            .collect::<anyhow::Result<_>>()?;
        for (enrolment, revision) in learned {
            if progress.stop() {
                return Err(Interrupted { resumable: false }.into());
            }
            let entry = gallery.enroll(enrolment, (revision, era))?;
            progress.advance(1);
            if !args.json {
                let (recordings, fixations) =
                    (plural(entry.recordings, "recording"), plural(entry.fixations, "fixation"));
                progress.suspended(|| {
                    print(&format!("enrolled {}: {recordings}, {fixations}\n", entry.id))
                })?;
            }
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn readings_of(id: &str, recordings: &[Recording], limits: Limits) -> anyhow::Result<Vec<Reading>> {
    let corpus = gazeprint_store::corpus("gallery", &[(id.to_owned(), recordings.to_vec())])?;
    Ok(readings(&corpus, limits).0)
}

fn fixations(id: &str, recordings: &[Recording], limits: Limits) -> anyhow::Result<usize> {
    Ok(readings_of(id, recordings, limits)?.iter().map(|r| r.events.len()).sum())
}

fn learned(
    population: &Population,
    candidate: Candidate,
    limits: Limits,
) -> anyhow::Result<(Enrolment, Option<u64>)> {
    let Candidate { id, recordings, revision } = candidate;
    let readings = readings_of(&id, &recordings, limits)?;
    let template = population.template(&readings.iter().collect::<Vec<_>>());
    let fixations = readings.iter().map(|r| r.events.len()).sum();
    Ok((Enrolment { id, recordings, fixations, template }, revision))
}

/// Learns how decisions are made from the readers as they are now.
pub(crate) fn calibrate(
    gallery: &mut Gallery,
    progress: &Progress,
) -> anyhow::Result<Option<Rules>> {
    let limits = limits_of(gallery.founding())?;
    let loaded = gallery.load::<Rules>()?;
    // Evenly chosen by name: who was enrolled when makes no difference.
    let n = loaded.readers.len();
    let chosen: Vec<usize> =
        (0..n.min(MOST_FOR_RULES)).map(|i| i * n / n.min(MOST_FOR_RULES)).collect();
    let names: Vec<&str> = chosen.iter().map(|&i| loaded.readers[i].id.as_str()).collect();
    let recorded = gallery.all_recordings(|name| names.binary_search(&name).is_ok())?;
    let rules = if recorded.len() < FEWEST_READERS || recorded.len() != names.len() {
        None
    } else {
        let corpus = gazeprint_store::corpus("gallery", &recorded)?;
        let (all, _) = readings(&corpus, limits);
        let numbered = all.iter().map(|r| (r.reader, r)).collect();
        let training = Training::new(names.len(), numbered)?.for_probes_of(Occasion::Another);
        let population = gallery.population()?;
        let templates: Vec<_> = chosen.iter().map(|&i| loaded.templates[i].clone()).collect();
        let enrolled = loaded.background.gallery(&templates)?;
        progress.show("learning what scores are worth");
        let folds = population.folds(&training, SEED, progress);
        let folds = match folds {
            Err(_) if progress.stop() => return Err(Interrupted { resumable: false }.into()),
            folds => folds?,
        };
        Rules::learn(&enrolled, &folds, &training, SEED)
    };
    gallery.set_rules(rules.as_ref())?;
    Ok(rules)
}

/// A name that nobody has, with the nearest that somebody has.
pub(crate) fn unknown_reader(gallery: &Gallery, readers: &[Entry], reader: &str) -> GalleryError {
    let distance = |entry: &&Entry| strsim::damerau_levenshtein(&entry.id, reader);
    let nearest = readers.iter().min_by_key(distance).filter(|entry| distance(entry) <= 2);
    GalleryError::UnknownReader {
        at: gallery.location().clone(),
        reader: reader.to_owned(),
        nearest: nearest.map(|entry| entry.id.clone()),
    }
}
