//! `gazeprint people`: what ships, or learned anew.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use gazeprint::corpus::{Corpus, Limits, Millis};
use gazeprint::decision::{Admission, Round};
use gazeprint::method::{
    Admissions, LearnedCorpus, Occasion, People, PeopleOrigin, Population, Traits,
};
use gazeprint::saccade::{Reading, readings};
use gazeprint_recognition::learn_population;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::inspect::{plural, population_tables};
use crate::progress::Progress;
use crate::{CorpusArg, Usage, explain, print, print_json};

/// Readings of a person that the population is learned from, at most: more change little.
const MOST_READINGS: usize = 40;

/// Show the people that readers are compared with, or learn them anew from corpora.
///
/// People are a frozen network, how what it makes of readings and how the motion of eyes is spread over
/// people and days, what readers have in common, and a digest of every reading that was learned from:
/// no names and no readings. Without a corpus, those that ship are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint people  those that ship
  # spreads and population from your readers
  gazeprint people my-corpus --out my.people
  gazeprint people a b c --network network.safetensors --out all.people
  gazeprint study other-corpus --people my.people
  gazeprint enroll staff --gallery staff.gallery --people my.people

A network is trained by training/train.py of the repository.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.")]
pub(crate) struct Args {
    /// Corpus folders, or built-in corpora: provo, simulated
    corpora: Vec<CorpusArg>,
    /// File to write
    #[arg(long, value_name = "FILE", requires = "corpora")]
    out: Option<PathBuf>,
    /// What they are called [default: the name of the file]
    #[arg(long, value_name = "NAME", requires = "out")]
    name: Option<String>,
    /// Network to use [default: the one that ships]
    #[arg(long, value_name = "FILE", requires = "out")]
    network: Option<PathBuf>,
    /// Networks trained without some of the corpora: how somebody is taken for a reader is learned there,
    /// with people whom the network never met [default: what ships]
    #[arg(long, value_name = "FILE", requires = "network", num_args = 1..)]
    aside: Vec<PathBuf>,
    /// Leave the population out: readers are then learned around that of their own corpus
    #[arg(long, requires = "out")]
    no_population: bool,
    /// Replace a file that is there already
    #[arg(long)]
    overwrite: bool,
    /// Shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// Longest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 1500.0)]
    max_duration: f64,
    /// Print what they are as JSON
    #[arg(long)]
    json: bool,
    /// Threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let Some(out) = &args.out else {
        if !args.corpora.is_empty() {
            return Err(Usage("give a file to write with --out FILE".to_owned()).into());
        }
        return show(People::shipped(), args.json);
    };
    let limits = Limits::new(Millis(args.min_duration), Millis(args.max_duration))
        .map_err(|error| Usage(error.to_string()))?;
    // Whatever can be known to fail is made to fail before the computing starts.
    gazeprint_io::check_population_path(out, args.overwrite).map_err(explain)?;
    let (base, trained_on) = base(args.network.as_deref())?;
    let aside = args.aside.iter().map(|file| self::base(Some(file)));
    let aside = aside.collect::<anyhow::Result<Vec<_>>>()?;
    let corpora =
        args.corpora.iter().map(CorpusArg::read).collect::<anyhow::Result<Vec<Corpus>>>()?;
    let corpora: Vec<(Corpus, Vec<Reading>)> = corpora
        .into_iter()
        .map(|corpus| {
            let readings = readings(&corpus, limits).0;
            (corpus, readings)
        })
        .collect();
    let progress = Progress::new()?;
    let people = learn(args, out, (&base, &trained_on), &corpora, &progress)?;
    let people = match aside.is_empty() {
        true => people,
        false => {
            let admissions = admissions(args, &aside, people.origin(), &corpora, &progress)?;
            people.with_admissions(admissions)
        }
    };
    gazeprint_io::write_people(&people, out, args.overwrite).map_err(explain)?;
    show(&people, args.json)
}

/// People with the network that is asked for, and the corpora that it was trained on.
fn base(network: Option<&Path>) -> anyhow::Result<(People, Vec<String>)> {
    let Some(file) = network else {
        let shipped = People::shipped();
        let corpora = shipped.origin().corpora.iter().map(|(name, _)| name.clone());
        return Ok((People::clone(shipped), corpora.collect()));
    };
    let bytes =
        std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    People::shipped().with_network(&bytes).with_context(|| {
        format!("{} is no network; give one that training/train.py wrote", file.display())
    })
}

/// A corpus to learn from, with a network that was trained on some.
fn learned_corpus(corpus: &Corpus, readings: &[Reading], trained_on: &[String]) -> LearnedCorpus {
    let is_trained_on = trained_on.iter().any(|name| name == corpus.name());
    let trained = |name: &String| is_trained_on && !is_held_out(corpus, name);
    LearnedCorpus {
        readings: readings.to_vec(),
        trained: corpus.readers().iter().map(trained).collect(),
    }
}

/// How somebody is taken for a reader: of each corpus with the first network that was not trained on it,
/// and spreads from those that it was trained on.
fn admissions(
    args: &Args,
    aside: &[(People, Vec<String>)],
    origin: &PeopleOrigin,
    corpora: &[(Corpus, Vec<Reading>)],
    progress: &Progress,
) -> anyhow::Result<Admissions> {
    let mut rounds: [Vec<Vec<Round>>; 3] = Default::default();
    let knows = |trained_on: &[String], corpus: &Corpus| {
        trained_on.iter().any(|name| name == corpus.name())
    };
    for (number, (network, trained_on)) in aside.iter().enumerate() {
        let is_first = |corpus: &Corpus| {
            let place = aside.iter().position(|(_, trained_on)| !knows(trained_on, corpus));
            place == Some(number)
        };
        let known = corpora.iter().filter(|(corpus, _)| knows(trained_on, corpus));
        let known: Vec<LearnedCorpus> =
            known.map(|(corpus, read)| learned_corpus(corpus, read, trained_on)).collect();
        let people = Arc::new(network.relearned(origin.clone(), &known));
        let population = match args.no_population {
            true => None,
            false => population(&people, &known, progress)?,
        };
        for (_, readings) in corpora.iter().filter(|(corpus, _)| is_first(corpus)) {
            let given = population.as_ref().map(|it| people.given_trials(it, readings));
            let found = [
                people.trials(readings, Occasion::Same, progress)?,
                people.trials(readings, Occasion::Another, progress)?,
                given.transpose()?.unwrap_or_default(),
            ];
            for (rounds, found) in rounds.iter_mut().zip(found).filter(|(_, f)| !f.is_empty()) {
                rounds.push(found);
            }
        }
    }
    progress.clear();
    let [same, another, given] = rounds.map(|rounds| Admission::learn(&rounds));
    Ok(Admissions { same, another, given })
}

fn learn(
    args: &Args,
    out: &Path,
    (base, trained_on): (&People, &[String]),
    corpora: &[(Corpus, Vec<Reading>)],
    progress: &Progress,
) -> anyhow::Result<People> {
    let read: Vec<LearnedCorpus> = corpora
        .iter()
        .map(|(corpus, readings)| learned_corpus(corpus, readings, trained_on))
        .collect();
    let name = args.name.clone().unwrap_or_else(|| {
        out.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    });
    let count = |((corpus, _), read): (&(Corpus, Vec<Reading>), &LearnedCorpus)| {
        let readers: HashSet<usize> = read.readings.iter().map(|r| r.reader).collect();
        (corpus.name().to_owned(), readers.len())
    };
    let origin = PeopleOrigin {
        name,
        gazeprint: env!("CARGO_PKG_VERSION").to_owned(),
        corpora: corpora.iter().zip(&read).map(count).collect(),
        durations_ms: [args.min_duration, args.max_duration],
    };
    let digests = corpora.iter().flat_map(|(corpus, _)| gazeprint_io::reading_digests(corpus));
    let people = base.relearned(origin, &read).with_readings(digests);
    if args.no_population {
        return Ok(people);
    }
    let population = population(&people, &read, progress)?;
    progress.clear();
    match population {
        Some(population) => Ok(people.with_population(&population)?),
        None => Ok(people),
    }
}

/// What readers of some corpora have in common; nothing where nobody read words.
fn population(
    people: &People,
    corpora: &[LearnedCorpus],
    progress: &Progress,
) -> anyhow::Result<Option<Population>> {
    let chosen = chosen(corpora);
    let Some(last) = chosen.iter().map(|r| r.reader).max() else { return Ok(None) };
    Ok(Some(learn_population(last + 1, &chosen, people.day_shares(), progress)?))
}

/// Whether somebody had no part in training the network: as training/train.py has it.
fn is_held_out(corpus: &Corpus, reader: &str) -> bool {
    let digest = Sha256::digest(format!("{}/{reader}", corpus.name()).as_bytes());
    digest.first().is_some_and(|byte| *byte < 26)
}

/// Some readings of everybody, evenly chosen, with people numbered over all corpora.
fn chosen(corpora: &[LearnedCorpus]) -> Vec<Reading> {
    let (mut chosen, mut first) = (Vec::new(), 0);
    for corpus in corpora {
        let mut by_reader: Vec<Vec<&Reading>> = vec![Vec::new(); corpus.trained.len()];
        for reading in corpus.readings.iter().filter(|reading| reading.has_words()) {
            by_reader[reading.reader].push(reading);
        }
        let known = by_reader.into_iter().filter(|own| !own.is_empty());
        for own in known {
            let step = own.len().div_ceil(MOST_READINGS);
            let some = own.into_iter().step_by(step);
            chosen.extend(some.map(|r| Reading { reader: first, ..r.clone() }));
            first += 1;
        }
    }
    chosen
}

/// What people are, for people and programs.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    gazeprint: &'a str,
    corpora: &'a [(String, usize)],
    readings: usize,
    embedding: usize,
    embedding_session_share: f64,
    has_oculomotor: bool,
    has_population: bool,
    durations_ms: [f64; 2],
    reading_session_shares: ReadingShares,
    support: Vec<Support>,
}

/// How much of what differs between readers of words differs between their days.
#[derive(Serialize, Clone, Copy)]
struct ReadingShares {
    moves: f64,
    durations: f64,
    landings: f64,
    densities: f64,
}

/// Who stands behind the rates of some galleries.
#[derive(Serialize)]
struct Support {
    probes: &'static str,
    strangers: usize,
    pairs: usize,
}

/// Who stands behind the rates of each kind of gallery.
fn support(Admissions { same, another, given }: &Admissions) -> Vec<Support> {
    let kinds =
        [("same sitting", same), ("another day", another), ("another day, few enrolled", given)];
    kinds
        .into_iter()
        .filter_map(|(probes, admission)| {
            let [strangers, pairs] = admission.as_ref()?.support();
            Some(Support { probes, strangers, pairs })
        })
        .collect()
}

/// Shows people, with what they have in common.
pub(crate) fn inspect(people: &People, json: bool) -> anyhow::Result<()> {
    if json {
        let population = people.population()?;
        let traits = population.map(|it| it.traits(people.day_shares()));
        return print_json(&Inspected { people: &shown(people), population: traits });
    }
    show(people, false)?;
    match people.population()? {
        Some(population) => {
            print(&format!("\n{}", population_tables(&population.traits(people.day_shares()))?))
        }
        None => Ok(()),
    }
}

/// What is printed as JSON of people with their population.
#[derive(Serialize)]
struct Inspected<'a> {
    #[serde(flatten)]
    people: &'a Shown<'a>,
    population: Option<Traits>,
}

fn shown(people: &People) -> Shown<'_> {
    let origin = people.origin();
    let [moves, durations, landings, densities] = people.day_shares().by_kind();
    Shown {
        name: &origin.name,
        gazeprint: &origin.gazeprint,
        corpora: &origin.corpora,
        readings: people.digests().len(),
        embedding: people.network().len(),
        embedding_session_share: people.embedding().session_share,
        has_oculomotor: people.motion().is_some(),
        has_population: people.has_population(),
        durations_ms: origin.durations_ms,
        reading_session_shares: ReadingShares { moves, durations, landings, densities },
        support: support(people.admissions()),
    }
}

fn show(people: &People, json: bool) -> anyhow::Result<()> {
    let (origin, shown) = (people.origin(), shown(people));
    let ReadingShares { moves, durations, landings, densities } = shown.reading_session_shares;
    if json {
        return print_json(&shown);
    }
    let total: usize = origin.corpora.iter().map(|(_, people)| people).sum();
    let mut text = format!(
        "people {}: {} of {}, {}\n",
        shown.name,
        plural(total, "person").replace("persons", "people"),
        plural(origin.corpora.len(), "corpus").replace("corpuss", "corpora"),
        plural(shown.readings, "reading")
    );
    for (corpus, people) in &origin.corpora {
        text += &format!("  {corpus:<14} {people:>5}\n");
    }
    let known = |is: bool| if is { "known" } else { "not known" };
    text += &format!(
        "network of {} numbers a reading; oculomotor spreads {}, population {}\n\
         of what differs between people, so much differs between their days:\n  \
         network {:.0} %, moves {:.0} %, durations {:.0} %, landings {:.0} %, densities {:.0} %\n",
        shown.embedding,
        known(shown.has_oculomotor),
        known(shown.has_population),
        100.0 * shown.embedding_session_share,
        100.0 * moves,
        100.0 * durations,
        100.0 * landings,
        100.0 * densities,
    );
    if !shown.support.is_empty() {
        text += "people who were strangers to galleries of others stand behind rates:\n";
    }
    for Support { probes, strangers, pairs } in &shown.support {
        text += &format!(
            "  {probes:<26} {strangers:>5} strangers, {} with readers\n",
            plural(*pairs, "pair")
        );
    }
    print(&text)
}
