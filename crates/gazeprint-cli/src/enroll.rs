//! `gazeprint enroll`: readers into a gallery.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};
use gazeprint::corpus::{Corpus, Limits, Millis};
use gazeprint::method::{Monitor, Population};
use gazeprint::saccade::{Reading, readings};
use gazeprint_eval::decision::{FEWEST_READERS, Rules};
use gazeprint_store::{
    Enrolment, Entry, Founding, Gallery, GalleryError, MergeError, Recording, Shards, StoreError,
};
use rayon::prelude::*;

use crate::calibrate::{KeepRows, about, calibrate};
use crate::inspect::plural;
use crate::opening::{Asking, GalleryArgs};
use crate::population::learn;
use crate::progress::Progress;
use crate::{Interrupted, Usage, corpus_or_default, print};

/// Fewest fixations that count of a reader: about a dozen sentences.
const FEWEST_FIXATIONS: usize = 100;
/// What somebody unknown is called in answers, and therefore nobody else.
const NOBODY: &str = "unknown";
/// Shortest and longest duration of a fixation that counts, ms, where nothing is said.
const DURATIONS_MS: [f64; 2] = [50.0, 1500.0];
/// Times that a reader is learned anew because another process changed the same one meanwhile.
const MOST_TRIES: usize = 10;
/// Readers learned at once: what is lost when a process is killed, and held in memory.
const BATCH: usize = 16;

/// Learn readers from their recordings and add them to a gallery.
///
/// The first time, the gallery is made: the population is learned from the corpus, or read from a
/// file, and stays as it is. Readers that are there already get the new recordings on top: in two
/// steps or at once makes no difference. What was reported as enrolled is on the disk. Last, the
/// thresholds of decisions are learned anew from all readers. After an interruption, the same
/// command goes on where it was.
///
/// Several machines can share the work (--shard): each enrols a part of the readers into a gallery of
/// its own. `gazeprint gallery merge` makes one gallery of these, the same as if it had been enrolled
/// at once. `identify` also takes them as they are, after `gazeprint gallery calibrate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint enroll my-corpus --gallery staff.gallery
  gazeprint enroll newcomer --gallery staff.gallery                     one more reader
  gazeprint enroll newcomer --gallery own.gallery --population people.json
  gazeprint gallery key secret.key
  gazeprint enroll my-corpus --gallery staff.gallery --key-file secret.key --pseudonyms
  gazeprint enroll my-corpus --gallery postgres://localhost/lab         with --features postgres
  gazeprint enroll my-corpus --gallery part2.gallery --population people.json --shard 2/3

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
    /// Enrol a part of the readers: of all in the corpus, the I-th and every N-th after it
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Start readers anew that are enrolled already
    #[arg(long)]
    replace: bool,
    /// Make a gallery that keeps readers under pseudonyms
    #[arg(long)]
    pseudonyms: bool,
    /// Shortest duration of a fixation that counts, ms, in a new gallery [default: 50, or that of
    /// the population]
    #[arg(long, value_name = "MS")]
    min_duration: Option<f64>,
    /// Longest duration of a fixation that counts, ms, in a new gallery [default: 1500, or that of
    /// the population]
    #[arg(long, value_name = "MS")]
    max_duration: Option<f64>,
    /// Print what was enrolled as JSON
    #[arg(long)]
    json: bool,
    /// Threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// A part of the readers of a corpus.
#[derive(Debug, Clone, Copy)]
struct Shard {
    /// From 1.
    number: usize,
    of: usize,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(number, of)| (number.parse(), of.parse()));
        match numbers {
            Some((Ok(number), Ok(of))) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(format!("found {text:?}, expected I/N with I from 1 to N, such as 2/3")),
        }
    }
}

impl Shard {
    /// Whether the reader at a place of the list belongs to it.
    fn has(self, place: usize) -> bool {
        place % self.of == self.number - 1
    }

    /// Refuses to do nothing.
    fn check(self, corpus: &Corpus) -> anyhow::Result<()> {
        let readers = corpus.readers().len();
        match self.number <= readers {
            true => Ok(()),
            false => Err(Usage(format!(
                "--shard {self} is empty: {} has {}; expected at most so many shards",
                corpus.name(),
                plural(readers, "reader")
            ))
            .into()),
        }
    }
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
    if let Some(shard) = args.shard {
        shard.check(&corpus)?;
    }
    let mut gallery = open_or_make(&args, &corpus, &progress)?;
    let entries = enroll(&args, &corpus, &mut gallery, &progress)?;
    let mut whole = Shards::from(&mut gallery);
    let told = match args.shard {
        // Thresholds are learned from all readers, which are not here.
        Some(shard) => format!(
            "{whole}: {}, shard {shard}; once all shards are enrolled, make one gallery of them \
             (`gazeprint gallery merge`), or learn their thresholds together (`gazeprint gallery \
             calibrate`)\n",
            plural(whole.count()?, "reader")
        ),
        None => {
            let rules = calibrate(&mut whole, KeepRows::OfMany, &progress)?;
            about(&mut whole, rules.as_ref())?
        }
    };
    progress.clear();
    if args.json {
        let answer = serde_json::json!({ "enrolled": entries });
        return print(&format!("{}\n", serde_json::to_string_pretty(&answer)?));
    }
    print(&told)
}

pub(crate) fn limits_of(founding: &Founding) -> anyhow::Result<Limits> {
    let [shortest, longest] = founding.durations_ms;
    Ok(Limits::new(Millis(shortest), Millis(longest))?)
}

/// The gallery that is there, or a new one.
fn open_or_make(args: &Args, corpus: &Corpus, progress: &Progress) -> anyhow::Result<Gallery> {
    let at = args.gallery.location();
    let given = args.population.as_deref().map(gazeprint_io::read_population).transpose()?;
    if Gallery::exists(&at)? {
        let gallery = args.gallery.open()?;
        return fitting(args, gallery, given.as_ref().map(|stored| &stored.population));
    }
    if let (Some(shard), true) = (args.shard, args.pseudonyms) {
        return Err(Usage(format!(
            "--shard {shard} with --pseudonyms: {at} is not there yet, and every new gallery makes \
             pseudonyms of its own, which would not fit those of other shards; make one gallery with \
             --pseudonyms of any readers, copies of it without them (`gazeprint gallery export \
             --empty`), and enrol the shards into these"
        ))
        .into());
    }
    let defaults = given.as_ref().map_or(DURATIONS_MS, |stored| stored.provenance.durations_ms);
    let durations_ms =
        [args.min_duration.unwrap_or(defaults[0]), args.max_duration.unwrap_or(defaults[1])];
    let limits = Limits::new(Millis(durations_ms[0]), Millis(durations_ms[1]))
        .map_err(|error| Usage(error.to_string()))?;
    if given.is_some() && durations_ms != defaults {
        eprintln!(
            "note: the population counted fixations of {} to {} ms, and the gallery counts those \
             of {} to {} ms",
            defaults[0], defaults[1], durations_ms[0], durations_ms[1]
        );
    }
    // Whatever can be known to fail is made to fail before anything is made.
    for (name, recordings) in corpus.readers().iter().zip(gazeprint_store::recordings(corpus)) {
        check(name, &recordings, limits)?;
    }
    let secret = args.gallery.secret(Asking::Twice)?;
    let pseudonyms = args.pseudonyms.then(Founding::new_salt).transpose()?;
    let founding = Founding {
        gazeprint: env!("CARGO_PKG_VERSION").to_owned(),
        created: gazeprint_store::now(),
        method: args.method.clone(),
        durations_ms,
        pseudonyms,
    };
    let Some(given) = given else {
        let population = learned_from(corpus, limits, progress)?;
        return Ok(Gallery::create(&at, secret.as_ref(), founding, &population)?);
    };
    match Gallery::create(&at, secret.as_ref(), founding, &given.population) {
        // Another process was a moment faster: it made the same gallery, or that is said.
        Err(GalleryError::Store(StoreError::Exists { .. })) => {
            let gallery = Gallery::open(&at, secret.as_ref())?;
            fitting(args, gallery, Some(&given.population))
        }
        made => Ok(made?),
    }
}

/// A gallery that was there before, if it is what the arguments ask for.
fn fitting(
    args: &Args,
    mut gallery: Gallery,
    population: Option<&Population>,
) -> anyhow::Result<Gallery> {
    let (at, founding) = (gallery.location().clone(), gallery.founding().clone());
    if args.pseudonyms && founding.pseudonyms.is_none() {
        return Err(Usage(format!(
            "{at} was made without pseudonyms, and stays so; leave out --pseudonyms, or make a new \
             gallery"
        ))
        .into());
    }
    let [shortest, longest] = founding.durations_ms;
    let asked = [args.min_duration.unwrap_or(shortest), args.max_duration.unwrap_or(longest)];
    if asked != founding.durations_ms {
        return Err(Usage(format!(
            "{at} counts fixations of {shortest} to {longest} ms, and stays so; found {} to {} ms; \
             leave out --min-duration and --max-duration",
            asked[0], asked[1]
        ))
        .into());
    }
    if let Some(population) = population
        && !gallery.has_population(population)?
    {
        return Err(Usage(format!(
            "{at} exists already with another population, which stays as it is; leave out \
             --population, or learn it anew with `gazeprint gallery relearn`"
        ))
        .into());
    }
    Ok(gallery)
}

fn learned_from(
    corpus: &Corpus,
    limits: Limits,
    progress: &Progress,
) -> anyhow::Result<Population> {
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
    learn(corpus.readers().len(), &readings, progress)
}

/// Refuses somebody who read too little, or has a name that cannot be used.
fn check(name: &str, recordings: &[Recording], limits: Limits) -> anyhow::Result<()> {
    if name == NOBODY {
        bail!(
            "found a reader called {NOBODY:?}, expected another name: answers say it where it is \
             nobody known; rename the reader; nobody was enrolled"
        );
    }
    let fixations: usize =
        readings_of(name, recordings, limits)?.iter().map(|r| r.events.len()).sum();
    if fixations < FEWEST_FIXATIONS {
        bail!(
            "reader {name:?}: found {}, expected at least {FEWEST_FIXATIONS} that count, about a \
             dozen sentences; record more; nobody was enrolled",
            plural(fixations, "fixation")
        );
    }
    Ok(())
}

/// Somebody to be enrolled, as far as that is known before learning.
struct Candidate {
    name: String,
    id: String,
    /// What the corpus has of them.
    new: Vec<Recording>,
    /// What the gallery will have.
    recordings: Vec<Recording>,
    revision: Option<u64>,
}

/// Looks up what is known of somebody. None where the gallery has all of it already.
fn candidate(
    args: &Args,
    gallery: &mut Gallery,
    name: &str,
    new: Vec<Recording>,
) -> anyhow::Result<Option<Candidate>> {
    let id = gallery.id_of(name);
    let known = gallery.recordings(&id)?;
    let revision = known.as_ref().map(|(_, revision)| *revision);
    let recordings = match known {
        Some((known, _)) if !args.replace => match gazeprint_store::merged(known, new.clone()) {
            Err(MergeError::Known { known, given }) if known == given => return Ok(None),
            merged => merged.with_context(|| format!("reader {id:?} of {}", gallery.location()))?,
        },
        _ => new.clone(),
    };
    check(name, &recordings, limits_of(gallery.founding())?)?;
    Ok(Some(Candidate { name: name.to_owned(), id, new, recordings, revision }))
}

fn enroll(
    args: &Args,
    corpus: &Corpus,
    gallery: &mut Gallery,
    progress: &Progress,
) -> anyhow::Result<Vec<Entry>> {
    let mut candidates = Vec::new();
    let all = corpus.readers().iter().zip(gazeprint_store::recordings(corpus)).enumerate();
    let ours = all.filter(|(place, _)| args.shard.is_none_or(|shard| shard.has(*place)));
    for (_, (name, new)) in ours {
        match candidate(args, gallery, name, new)? {
            Some(candidate) => candidates.push(candidate),
            None => {
                eprintln!("note: {}: enrolled already with these recordings", gallery.id_of(name))
            }
        }
    }
    // Of a shard, nothing is left to do then, and whoever was interrupted may say so twice.
    if candidates.is_empty() && args.shard.is_none() && gallery.load::<Rules>()?.is_current {
        bail!(
            "{}: all recordings are enrolled already in {}; enrol only new ones, or start the \
             readers anew (--replace)",
            corpus.name(),
            gallery.location()
        );
    }
    let mut learner = Learner::of(gallery)?;
    progress.show("learning readers");
    progress.expect(candidates.len() as u64);
    let mut entries = Vec::with_capacity(candidates.len());
    while !candidates.is_empty() {
        let batch: Vec<Candidate> = candidates.drain(..candidates.len().min(BATCH)).collect();
        let learned: Vec<(Candidate, Enrolment)> = batch
            .into_par_iter()
            .map(|candidate| learner.learn(&candidate).map(|learned| (candidate, learned)))
            .collect::<anyhow::Result<_>>()?;
        for (candidate, learned) in learned {
            if progress.stop() {
                return Err(Interrupted(
                    "interrupted; who was reported as enrolled is; the same command goes on from here",
                )
                .into());
            }
            let Some(entry) = commit(args, gallery, &mut learner, candidate, learned)? else {
                continue;
            };
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

/// What readers are learned with.
struct Learner {
    population: Population,
    era: u64,
    limits: Limits,
}

impl Learner {
    fn of(gallery: &mut Gallery) -> anyhow::Result<Self> {
        let (population, era) = gallery.population()?;
        Ok(Self { population, era, limits: limits_of(gallery.founding())? })
    }

    fn learn(&self, candidate: &Candidate) -> anyhow::Result<Enrolment> {
        let Candidate { id, recordings, .. } = candidate;
        let readings = readings_of(id, recordings, self.limits)?;
        let template = self.population.template(&readings.iter().collect::<Vec<_>>());
        let fixations = readings.iter().map(|r| r.events.len()).sum();
        Ok(Enrolment { id: id.clone(), recordings: recordings.clone(), fixations, template })
    }
}

/// Puts somebody into the gallery. Where another process changed the same reader or the population
/// meanwhile, they are looked up and learned again.
fn commit(
    args: &Args,
    gallery: &mut Gallery,
    learner: &mut Learner,
    candidate: Candidate,
    learned: Enrolment,
) -> anyhow::Result<Option<Entry>> {
    let (mut candidate, mut learned, mut tries) = (candidate, learned, 1);
    loop {
        match gallery.enroll(learned, (candidate.revision, learner.era)) {
            Err(GalleryError::Conflict { .. }) if tries < MOST_TRIES => tries += 1,
            entry => return Ok(Some(entry?)),
        }
        *learner = Learner::of(gallery)?;
        let Candidate { name, new, .. } = candidate;
        match self::candidate(args, gallery, &name, new)? {
            Some(again) => candidate = again,
            None => return Ok(None),
        }
        learned = learner.learn(&candidate)?;
    }
}

/// A name that nobody has, with the nearest that somebody has.
pub(crate) fn unknown_reader<'a>(
    gallery: &Gallery,
    readers: impl IntoIterator<Item = &'a String>,
    reader: &str,
) -> GalleryError {
    let distance = |id: &&String| strsim::damerau_levenshtein(id, reader);
    let nearest = readers.into_iter().min_by_key(distance).filter(|id| distance(id) <= 2);
    let (at, reader) = (gallery.location().clone(), reader.to_owned());
    GalleryError::UnknownReader { at, reader, nearest: nearest.cloned() }
}
