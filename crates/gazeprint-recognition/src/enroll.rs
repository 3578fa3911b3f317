//! Readers into a gallery.

use std::borrow::Cow;
use std::sync::Arc;

use gazeprint::corpus::{Corpus, Limits, Millis};
use gazeprint::decision::{FEWEST_READERS, LIKELY_RATE};
use gazeprint::method::{Community, DayShares, People, PeopleError, Population, Slopes, Template};
use gazeprint::saccade::{Reading, readings, readings_of_words};
use gazeprint_store::{
    Enrolment, Entry, Founding, Gallery, GalleryError, Location, MergeError, Recording, RowMaking,
    Secret, StoreError, Version,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::calibrate::{KeepRows, Standing, When};
use crate::error::Mismatch;
use crate::names::check_name;
use crate::readers::{ComparedClaim, MOST_TRIES};
use crate::{Error, RecognitionMonitor, Recognizer, Stage, Warning};

/// Fewest fixations that count of a reader: about a dozen sentences.
pub const FEWEST_FIXATIONS: usize = 100;
/// Fewer readers are learned around what others have in common: they show little of it themselves.
const FEW: usize = 20;
/// Readers learned at once: what is lost when a process is killed, and held in memory.
const BATCH: usize = 16;
/// The method of galleries.
const METHOD: &str = "fusion";

/// What a gallery is made with.
#[derive(Debug, Clone, Default)]
pub struct FoundingOptions {
    /// The people that readers are compared with; those that ship where none are given. What readers have
    /// in common is learned from the corpus, unless there are few of them, or people who are given know it.
    pub people: Option<Arc<People>>,
    /// Shortest duration of a fixation that counts, ms; where nothing is said, that of the population,
    /// or 50.
    pub shortest_ms: Option<f64>,
    /// Longest duration of a fixation that counts, ms; where nothing is said, that of the population,
    /// or 1500.
    pub longest_ms: Option<f64>,
    /// Whether readers are kept under pseudonyms.
    pub pseudonyms: bool,
}

/// How readers are enrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EnrollOptions {
    /// Start readers anew that are enrolled already.
    pub replace: bool,
    /// A part of the readers of the corpus.
    pub shard: Option<Shard>,
    /// Enrol nobody where somebody read too little.
    pub strict: bool,
    /// Enrol nobody where recordings are to be added to a reader that somebody else seems to have read, as far as the
    /// gallery can tell.
    pub only_same: bool,
}

/// A part of the readers of a corpus: the `number`-th and every `of`-th after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Shard {
    /// Whether the reader at a place of the list belongs to it.
    fn has(self, place: usize) -> bool {
        place % self.of.max(1) == self.number.saturating_sub(1)
    }

    /// Refuses to do nothing.
    fn check(self, corpus: &Corpus) -> Result<(), Error> {
        let Self { number, of } = self;
        let readers = corpus.readers().len();
        match (1..=readers.min(of)).contains(&number) {
            true => Ok(()),
            false => {
                Err(Error::EmptyShard { number, of, corpus: corpus.name().to_owned(), readers })
            }
        }
    }
}

/// What was enrolled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Enrolled {
    /// Who was enrolled, or given more recordings.
    #[serde(rename = "enrolled")]
    pub readers: Vec<Entry>,
    /// Who was not.
    pub skipped: Vec<Skipped>,
    /// What else should be known.
    pub warnings: Vec<Warning>,
    /// What the gallery can promise now; none where it was a part of the readers.
    pub standing: Option<Standing>,
}

/// Somebody who was not enrolled: they read too little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Who, by the name in the corpus.
    pub reader: String,
    /// Fixations that count.
    pub fixations: usize,
    /// As many as there should be.
    pub expected: usize,
}

/// What is known of somebody in a corpus before they are learned.
enum Outlook {
    /// They can be enrolled.
    Ready(Candidate),
    /// All of it is there already.
    There,
    /// They read too little.
    Short(usize),
}

/// What came of putting somebody into the gallery.
enum Commit {
    /// They are enrolled.
    Done(Entry),
    /// Another enrolled all of it meanwhile.
    There,
    /// Another changed what there was, and too little is left.
    Short(usize),
}

/// Somebody to be enrolled, as far as that is known before learning.
struct Candidate {
    name: String,
    id: String,
    /// What the corpus has of them.
    new: Vec<Recording>,
    /// What the gallery will have.
    recordings: Vec<Recording>,
    version: Option<Version>,
}

impl Recognizer {
    /// Opens a gallery or, where there is none, makes one for the readers of a corpus. One that is
    /// there must be what the options ask for.
    ///
    /// # Errors
    /// If it is something else, cannot be opened or made, or nobody of the corpus could be enrolled.
    pub fn open_or_create(
        at: &Location,
        secret: Option<&Secret>,
        options: &FoundingOptions,
        corpus: &Corpus,
        enroll: &EnrollOptions,
        monitor: &dyn RecognitionMonitor,
    ) -> Result<(Self, Vec<Warning>), Error> {
        if let Some(shard) = enroll.shard {
            shard.check(corpus)?;
        }
        if Gallery::exists(at)? {
            let desk = Self::open(at, secret)?;
            return Ok((desk.fitting(options)?, Vec::new()));
        }
        if enroll.shard.is_some() && options.pseudonyms {
            return Err(Error::ShardPseudonyms { at: at.clone() });
        }
        let shipped = Some(People::shipped()).filter(|_| corpus.readers().len() < FEW);
        let people = options.people.as_ref().or(shipped);
        let given = people.filter(|people| people.has_population());
        let defaults = given.map(|people| people.origin().durations_ms);
        let [shortest, longest] = defaults.unwrap_or(Limits::default().durations().map(|d| d.0));
        let durations_ms =
            [options.shortest_ms.unwrap_or(shortest), options.longest_ms.unwrap_or(longest)];
        let limits = Limits::new(Millis(durations_ms[0]), Millis(durations_ms[1]))?;
        let other = |population: [f64; 2]| (population != durations_ms).then_some(population);
        let warnings = defaults
            .and_then(other)
            .map(|population| Warning::OtherDurations { population, gallery: durations_ms });
        // Whatever can be known to fail is made to fail before anything is made.
        check_all(corpus, limits, enroll)?;
        let founding = Founding {
            gazeprint: env!("CARGO_PKG_VERSION").to_owned(),
            created: gazeprint_store::now(),
            method: METHOD.to_owned(),
            durations_ms,
            pseudonyms: options.pseudonyms.then(Founding::new_salt).transpose()?,
        };
        let people = options.people.as_ref().unwrap_or_else(|| People::shipped());
        let (population, community) = founded_on(corpus, limits, people, given.is_some(), monitor)?;
        let bytes = match &options.people {
            None => Cow::Borrowed(People::shipped_bytes()),
            Some(people) => Cow::Owned(people.without_population().write().map_err(of_people(at))?),
        };
        let population = population.as_deref();
        let made = Gallery::create(at, secret, founding, population, &community, &bytes);
        let gallery = match made {
            // Another was a moment faster: it made the same gallery, or that is said.
            Err(GalleryError::Store(StoreError::Exists { .. })) if given.is_some() => {
                let desk = Self::open(at, secret)?;
                return Ok((desk.fitting(options)?, Vec::new()));
            }
            made => made?,
        };
        Ok((Self::of(gallery)?, warnings.into_iter().collect()))
    }

    /// A gallery that was there before, if it is what the options ask for.
    fn fitting(self, options: &FoundingOptions) -> Result<Self, Error> {
        let founding = self.founding();
        let founded = |mismatch| Err(Error::Founded { at: self.location().clone(), mismatch });
        if options.pseudonyms && founding.pseudonyms.is_none() {
            return founded(Mismatch::Pseudonyms);
        }
        let expected = founding.durations_ms;
        let found =
            [options.shortest_ms.unwrap_or(expected[0]), options.longest_ms.unwrap_or(expected[1])];
        if found != expected {
            return founded(Mismatch::Durations { found, expected });
        }
        let given = options.people.as_ref().map(|people| people.population());
        let given = given.transpose().map_err(of_people(self.location()))?.flatten();
        if let Some(population) = given
            && !self.gallery().has_population(&population)?
        {
            return founded(Mismatch::Population);
        }
        Ok(self)
    }

    /// Learns readers from their recordings and adds them to the gallery; readers that are there
    /// already get the new recordings on top. Then the thresholds of decisions are learned anew, if there are
    /// half as many readers more than they were learned from, unless it was a part of the readers.
    ///
    /// Who read too little is skipped and named. What the monitor was told is enrolled.
    ///
    /// # Errors
    /// If nobody can be enrolled, the gallery cannot be read or written, or the monitor says stop.
    pub fn enroll(
        &self,
        corpus: &Corpus,
        options: &EnrollOptions,
        monitor: &dyn RecognitionMonitor,
    ) -> Result<Enrolled, Error> {
        if let Some(shard) = options.shard {
            shard.check(corpus)?;
        }
        self.check_writable()?;
        let (mut skipped, mut warnings, mut candidates) = (Vec::new(), Vec::new(), Vec::new());
        for (name, new) in parts(corpus, options) {
            match self.outlook(options, name, new)? {
                Outlook::Ready(candidate) => candidates.push(candidate),
                Outlook::There => {
                    warnings.push(Warning::AlreadyEnrolled { reader: self.id_of(name) });
                }
                Outlook::Short(fixations) => skipped.push(skip(options, name, fixations)?),
            }
        }
        // Of a shard, nothing is left to do then, and whoever was interrupted may say so twice.
        if candidates.is_empty() && options.shard.is_none() {
            if warnings.is_empty() && !skipped.is_empty() {
                return Err(nobody(corpus, &skipped));
            }
            if self.has_current_rules()? {
                let (corpus, at) = (corpus.name().to_owned(), self.location().clone());
                let there = warnings.into_iter().filter_map(|warning| match warning {
                    Warning::AlreadyEnrolled { reader } => Some(reader),
                    _ => None,
                });
                return Err(Error::AllEnrolled { corpus, at, readers: there.collect() });
            }
        }
        if options.only_same && !options.replace {
            candidates.iter().try_for_each(|candidate| self.check_same(candidate))?;
        }
        let mut enrolled = Enrolled { readers: Vec::new(), skipped, warnings, standing: None };
        self.learn_all(candidates, options, monitor, &mut enrolled)?;
        if options.shard.is_none() {
            let standing = self.settle(When::Outgrown, KeepRows::OfMany, monitor)?;
            enrolled.warnings.extend(standing.warnings.iter().cloned());
            enrolled.standing = Some(standing);
        }
        Ok(enrolled)
    }

    /// Learns candidates some at a time, and commits each.
    fn learn_all(
        &self,
        mut candidates: Vec<Candidate>,
        options: &EnrollOptions,
        monitor: &dyn RecognitionMonitor,
        enrolled: &mut Enrolled,
    ) -> Result<(), Error> {
        let mut learner = Learner::of(self)?;
        monitor.begin(Stage::Readers);
        monitor.expect(candidates.len() as u64);
        while !candidates.is_empty() {
            let batch: Vec<Candidate> = candidates.drain(..candidates.len().min(BATCH)).collect();
            let learned: Vec<(Candidate, Enrolment)> = batch
                .into_par_iter()
                .map(|candidate| {
                    learner.learn(self, &candidate).map(|learned| (candidate, learned))
                })
                .collect::<Result<_, Error>>()?;
            for (candidate, learned) in learned {
                if monitor.stop() {
                    return Err(Error::Interrupted { stage: Stage::Readers });
                }
                let name = candidate.name.clone();
                match self.commit(options, &mut learner, candidate, learned)? {
                    Commit::Done(entry) => {
                        monitor.enrolled(&entry);
                        enrolled.readers.push(entry);
                    }
                    Commit::There => {
                        let reader = self.id_of(&name);
                        enrolled.warnings.push(Warning::AlreadyEnrolled { reader });
                    }
                    Commit::Short(fixations) => {
                        enrolled.skipped.push(skip(options, &name, fixations)?);
                    }
                }
                monitor.advance(1);
            }
        }
        Ok(())
    }

    /// Looks up what is known of somebody.
    fn outlook(
        &self,
        options: &EnrollOptions,
        name: &str,
        new: Vec<Recording>,
    ) -> Result<Outlook, Error> {
        check_name(name)?;
        let id = self.id_of(name);
        let known = self.gallery().recordings(&id)?;
        let version = known.as_ref().map(|(_, version)| *version);
        let recordings = match known {
            Some((known, _)) if !options.replace => {
                match gazeprint_store::merged(known, new.clone()) {
                    Err(MergeError::Known { known, given }) if known == given => {
                        return Ok(Outlook::There);
                    }
                    merged => merged.map_err(|source| Error::Recordings {
                        reader: id.clone(),
                        at: self.location().clone(),
                        source: Box::new(source),
                    })?,
                }
            }
            _ => new.clone(),
        };
        let fixations = fixations(&self.recorded(name, &recordings)?);
        if fixations < FEWEST_FIXATIONS {
            return Ok(Outlook::Short(fixations));
        }
        Ok(Outlook::Ready(Candidate { name: name.to_owned(), id, new, recordings, version }))
    }

    /// Refuses what is to be added to a reader who is there, and four of five strangers would read more like. Where
    /// nothing can be decided, nothing is refused.
    fn check_same(&self, candidate: &Candidate) -> Result<(), Error> {
        let Candidate { id, new, version, .. } = candidate;
        let readings = self.recorded(id, new)?;
        if version.is_none() || readings.is_empty() {
            return Ok(());
        }
        let ComparedClaim { readers, place, comparison } = match self.compare_claim(&readings, id) {
            Err(Error::NoRules { .. } | Error::FewReaders { .. } | Error::NoWords { .. }) => {
                return Ok(());
            }
            claim => claim?,
        };
        let threshold = readers.rules.for_claim(LIKELY_RATE, comparison.fixations);
        match threshold.is_reached(comparison.strengths[place]) {
            true => Ok(()),
            false => Err(Error::OtherReader { reader: id.clone(), at: self.location().clone() }),
        }
    }

    /// Puts somebody into the gallery. Where another changed the same reader or the population
    /// meanwhile, they are looked up and learned again.
    fn commit(
        &self,
        options: &EnrollOptions,
        learner: &mut Learner,
        mut candidate: Candidate,
        mut learned: Enrolment,
    ) -> Result<Commit, Error> {
        let mut tries = 1;
        loop {
            let based_on = (candidate.version, learner.era);
            let entry = self.gallery().enroll(learned, based_on, options.replace);
            match entry {
                Err(GalleryError::Conflict { .. }) if tries < MOST_TRIES => tries += 1,
                entry => return Ok(Commit::Done(entry?)),
            }
            *learner = Learner::of(self)?;
            let Candidate { name, new, .. } = candidate;
            match self.outlook(options, &name, new)? {
                Outlook::Ready(again) => candidate = again,
                Outlook::There => return Ok(Commit::There),
                Outlook::Short(fixations) => return Ok(Commit::Short(fixations)),
            }
            learned = learner.learn(self, &candidate)?;
        }
    }
}

/// The readers of a corpus that are to be enrolled, with their recordings.
fn parts<'a>(
    corpus: &'a Corpus,
    options: &EnrollOptions,
) -> impl Iterator<Item = (&'a String, Vec<Recording>)> {
    let shard = options.shard;
    let all = corpus.readers().iter().zip(gazeprint_store::recordings(corpus)).enumerate();
    all.filter(move |(place, _)| shard.is_none_or(|shard| shard.has(*place))).map(|(_, it)| it)
}

/// Refuses a corpus of which nobody could be enrolled.
fn check_all(corpus: &Corpus, limits: Limits, options: &EnrollOptions) -> Result<(), Error> {
    corpus.readers().iter().try_for_each(|name| check_name(name))?;
    let (all, _) = readings(corpus, limits);
    let mut counts = vec![0; corpus.readers().len()];
    all.iter().for_each(|reading| counts[reading.reader] += reading.fixations());
    let few = corpus.readers().iter().zip(counts).filter(|(_, count)| *count < FEWEST_FIXATIONS);
    let skipped =
        few.map(|(name, count)| skip(options, name, count)).collect::<Result<Vec<_>, _>>()?;
    match skipped.len() < corpus.readers().len() {
        true => Ok(()),
        false => Err(nobody(corpus, &skipped)),
    }
}

/// All were skipped.
fn nobody(corpus: &Corpus, skipped: &[Skipped]) -> Error {
    match skipped {
        [Skipped { reader, fixations, .. }] => too_little(reader, *fixations),
        _ => Error::NobodyReadEnough { corpus: corpus.name().to_owned() },
    }
}

fn too_little(reader: &str, fixations: usize) -> Error {
    Error::TooLittleRead { reader: reader.to_owned(), fixations }
}

/// Somebody who read too little is skipped, or refused.
fn skip(options: &EnrollOptions, name: &str, fixations: usize) -> Result<Skipped, Error> {
    match options.strict {
        true => Err(too_little(name, fixations)),
        false => Ok(Skipped { reader: name.to_owned(), fixations, expected: FEWEST_FIXATIONS }),
    }
}

fn fixations(readings: &[Reading]) -> usize {
    readings.iter().map(Reading::fixations).sum()
}

/// What a gallery is founded on: what the readers of a corpus have in common, where words are known, and
/// what they are compared on. `given` says that people know the former.
fn founded_on(
    corpus: &Corpus,
    limits: Limits,
    people: &People,
    given: bool,
    monitor: &dyn RecognitionMonitor,
) -> Result<(Option<Arc<Population>>, Community), Error> {
    let (readings, _) = readings(corpus, limits);
    let has_words = readings.iter().any(Reading::has_words);
    let population = match (has_words, given) {
        (false, _) => None,
        (true, true) => {
            people.population().map_err(|source| Error::PeopleGiven { source: Box::new(source) })?
        }
        (true, false) => {
            Some(Arc::new(learned_from(corpus, limits, people.day_shares(), monitor)?))
        }
    };
    let numbered: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
    let community = Community::learn(people, population.as_deref(), &numbered, given);
    let community = community.map_err(|source| {
        Error::of_fit("what readers are compared on", Stage::Population, source)
    })?;
    Ok((population, community))
}

/// People of a gallery that cannot be used.
fn of_people(at: &Location) -> impl Fn(PeopleError) -> Error {
    move |source| Error::People { at: at.clone(), source: Box::new(source) }
}

/// What the readers of a corpus have in common.
fn learned_from(
    corpus: &Corpus,
    limits: Limits,
    usual: &DayShares,
    monitor: &dyn RecognitionMonitor,
) -> Result<Population, Error> {
    let (readings, _) = readings_of_words(corpus, limits);
    let mut readers: Vec<usize> = readings.iter().map(|r| r.reader).collect();
    readers.sort_unstable();
    readers.dedup();
    if readers.len() < FEWEST_READERS {
        let (at, readers) = (corpus.name().to_owned(), readers.len());
        return Err(Error::FewForPopulation { at, readers });
    }
    learn_population(corpus.readers().len(), &readings, usual, monitor)
}

/// Learns what readers, of whom there are so many, have in common; other people's days are `usual`.
///
/// # Errors
/// If nothing was read, or the monitor says stop.
pub fn learn_population(
    readers: usize,
    readings: &[Reading],
    usual: &DayShares,
    monitor: &dyn RecognitionMonitor,
) -> Result<Population, Error> {
    let numbered: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
    monitor.begin(Stage::Population);
    monitor.expect(Population::cost(readers));
    let learned = Population::learn(readers, &numbered, usual, monitor);
    // Whoever asked after the last look does not want what comes of it either.
    if monitor.stop() {
        return Err(Error::Interrupted { stage: Stage::Population });
    }
    learned.map_err(|source| Error::of_fit("the population", Stage::Population, source))
}

/// What readers are learned with.
struct Learner {
    population: Option<Population>,
    community: Community,
    people: Arc<People>,
    /// Imagined readers that others are held against.
    cohort: Vec<Template>,
    era: u64,
    /// What makes rows, where the gallery is searched by them.
    rows: Option<(RowMaking, Slopes)>,
}

impl Learner {
    fn of(desk: &Recognizer) -> Result<Self, Error> {
        let (population, community, era) = desk.stored_learning()?.decoded()?;
        let cohort = population.as_ref().map_or_else(Vec::new, Population::cohort);
        let making = desk.gallery().row_making()?;
        let rows = making.zip(community.background().map(|background| background.slopes()));
        Ok(Self { population, community, people: desk.people()?, cohort, era, rows })
    }

    fn learn(&self, desk: &Recognizer, candidate: &Candidate) -> Result<Enrolment, Error> {
        let Candidate { id, recordings, .. } = candidate;
        let readings = desk.recorded(id, recordings)?;
        let own: Vec<&Reading> = readings.iter().collect();
        let (people, population) = (&self.people, self.population.as_ref());
        let likeness = self.community.likeness_among(people, population, &self.cohort, &own);
        let fixations = fixations(&readings);
        let row = self.rows.as_ref().map(|(making, slopes)| {
            let template = likeness.template().cloned();
            let row = template.and_then(|template| slopes.rows(&making.space, &[template]).pop());
            (making.number, row.filter(|row| row.iter().all(|number| number.is_finite())))
        });
        Ok(Enrolment { id: id.clone(), recordings: recordings.clone(), fixations, likeness, row })
    }
}
