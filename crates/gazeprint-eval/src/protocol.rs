//! How a corpus is divided into training and test (section 8 of the model).

mod given;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gazeprint::assignment::{Assignment, Role};
use gazeprint::corpus::{Corpus, Text};
use gazeprint::method::Occasion;
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::Reading;
use rand::seq::SliceRandom;
use thiserror::Error;

use self::given::{Names, given};

/// Why a corpus cannot be divided as asked.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The training part must be a part.
    #[error("the training fraction must lie between 0 and 1, both excluded, not {0}")]
    TrainFraction(f64),
    /// No split asked for.
    #[error("at least one split is needed")]
    NoSplits,
    /// Too few texts.
    #[error(
        "training and test need different texts, but only {texts} were read, in {units} group(s) that stay together"
    )]
    TooFewTexts {
        /// Texts that were read.
        texts: usize,
        /// Groups that must stay together.
        units: usize,
    },
    /// Too few readers.
    #[error(
        "identification needs two readers with both training and test texts; split {split} has {readers}"
    )]
    TooFewReaders {
        /// Which split, from 1.
        split: usize,
        /// Readers that have both.
        readers: usize,
    },
    /// Too few readers in a given split.
    #[error(
        "identification needs two readers with both training and test texts; split {split} of the \
         file has {readers}, in {train} rows that train and {test} that test: are rows missing?"
    )]
    TooFewGiven {
        /// The number that the rows have.
        split: u32,
        /// Readers that have both.
        readers: usize,
        /// Rows that train.
        train: usize,
        /// Rows that test.
        test: usize,
    },
    /// One session only.
    #[error(
        "the session protocol needs recordings of more than one session, but here {}; \
         the column `session` of fixations.csv tells them apart",
        .0.as_ref().map_or_else(|| "there is none".to_owned(), |s| format!("all are of session {s:?}"))
    )]
    NoSessions(Option<String>),
    /// Nobody knows what was read first.
    #[error(
        "the temporal protocol needs the order in which texts were read, but reader {reader:?} has none for \
         text {text:?}; give it as `trial_order` in trials.csv, or divide at random"
    )]
    NoOrder {
        /// Name of a reader.
        reader: String,
        /// Name of a text of theirs.
        text: String,
    },
    /// More sessions are to train than leave one to test.
    #[error(
        "{train} sessions that train and one that tests were asked for, but there are only {there}"
    )]
    TooFewSessions {
        /// Sessions that are to train.
        train: usize,
        /// Sessions that there are.
        there: usize,
    },
    /// Sessions, but of different readers.
    #[error("no two sessions were read by the same two or more readers")]
    NoSharedSessions,
    /// More readers than there are.
    #[error("{asked} readers were asked for, but there are only {there}")]
    TooManyReaders {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        there: usize,
    },
    /// Fewer than two readers.
    #[error("identification needs at least two readers, not {0}")]
    TooFewDrawn(usize),
    /// A given split names a text that is not there.
    #[error("the splits name a text {0:?} that the corpus does not have")]
    UnknownText(String),
    /// A given split names a reader who is not there.
    #[error("the splits name a reader {0:?} whom the corpus does not have")]
    UnknownReader(String),
    /// A probe of no sentences.
    #[error("a probe needs at least one sentence")]
    EmptyProbe,
}

/// How a corpus is divided.
#[derive(Debug, Clone, PartialEq)]
pub enum Division {
    /// The same random part of the texts trains for all readers; repeated.
    Random {
        /// Repetitions.
        splits: usize,
        /// Part of the texts that trains.
        train_fraction: f64,
    },
    /// The texts that a reader read first train, the later ones test.
    Temporal {
        /// Part of the texts that trains.
        train_fraction: f64,
    },
    /// Some sessions in a row train, a later one tests: a split for every such choice.
    Session {
        /// Sessions that train.
        train: usize,
    },
    /// As somebody else divided it.
    Given(Vec<Assignment>),
}

impl Division {
    /// The name used in files and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Random { .. } => "random",
            Self::Temporal { .. } => "temporal",
            Self::Session { .. } => "session",
            Self::Given(_) => "file",
        }
    }

    /// Part of the texts that trains, where it is one.
    pub fn train_fraction(&self) -> Option<f64> {
        match *self {
            Self::Random { train_fraction, .. } | Self::Temporal { train_fraction } => {
                Some(train_fraction)
            }
            Self::Session { .. } | Self::Given(_) => None,
        }
    }

    /// Given rows that are about readers of the corpus, but match no reading; readings whose
    /// fixations all were dropped are none.
    pub fn unmatched(&self, corpus: &Corpus, readings: &[Reading]) -> Vec<&Assignment> {
        let Self::Given(rows) = self else {
            return Vec::new();
        };
        let names = Names::of(corpus, readings);
        let readers: HashSet<&str> = corpus.readers().iter().map(String::as_str).collect();
        rows.iter()
            .filter(|row| readers.contains(row.reader.as_str()))
            .filter(|row| names.matching(row).is_empty())
            .collect()
    }
}

/// A way to divide a corpus, with the seed of all that is random.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// How it is divided.
    pub division: Division,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Protocol {
    fn default() -> Self {
        Self { division: Division::Random { splits: 10, train_fraction: 0.5 }, seed: 1 }
    }
}

/// One division of the readings.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// What it is, where splits differ in more than chance.
    pub name: Option<String>,
    /// The readers that take part, as indices into the corpus.
    pub readers: Vec<usize>,
    /// Training readings (indices), with the reader's place in `readers`.
    pub train: Vec<(usize, usize)>,
    /// Test readings (indices), with the reader's place in `readers`.
    pub test: Vec<(usize, usize)>,
    /// Readers without training or without test texts.
    pub excluded: Vec<usize>,
}

/// What a reading is for that trains, or not.
fn training(trains: bool) -> Role {
    if trains { Role::Train } else { Role::Test }
}

impl Protocol {
    /// Refuses what makes no sense, whatever the readings are.
    ///
    /// # Errors
    /// If there is to be no split or no part, or if given splits name readers or texts that the
    /// corpus does not have.
    pub fn check(&self, corpus: &Corpus) -> Result<(), ProtocolError> {
        self.check_numbers()?;
        match &self.division {
            Division::Given(rows) => {
                let readers: HashSet<&str> = corpus.readers().iter().map(String::as_str).collect();
                let texts: HashSet<&str> = corpus.texts().iter().map(Text::id).collect();
                rows.iter().try_for_each(|row| {
                    if !readers.contains(row.reader.as_str()) {
                        return Err(ProtocolError::UnknownReader(row.reader.clone()));
                    }
                    if !texts.contains(row.text.as_str()) {
                        return Err(ProtocolError::UnknownText(row.text.clone()));
                    }
                    Ok(())
                })
            }
            _ => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), ProtocolError> {
        match self.division {
            Division::Random { splits: 0, .. } | Division::Session { train: 0 } => {
                Err(ProtocolError::NoSplits)
            }
            Division::Random { train_fraction: part, .. }
            | Division::Temporal { train_fraction: part }
                if !(part > 0.0 && part < 1.0) =>
            {
                Err(ProtocolError::TrainFraction(part))
            }
            _ => Ok(()),
        }
    }

    /// All splits of a corpus. Given rows about readers whom it does not have are passed over, so
    /// that it may hold a part of the readers; [`Self::check`] is for the whole.
    ///
    /// # Errors
    /// If the request makes no sense or the corpus is too small for it.
    pub fn splits(
        &self,
        corpus: &Corpus,
        readings: &[Reading],
    ) -> Result<Vec<Split>, ProtocolError> {
        self.check_numbers()?;
        match &self.division {
            Division::Random { splits, train_fraction } => (0..*splits)
                .map(|split| self.random(split, *train_fraction, corpus, readings))
                .collect(),
            Division::Temporal { train_fraction } => {
                Ok(vec![temporal(*train_fraction, corpus, readings)?])
            }
            Division::Session { train } => sessions(*train, corpus, readings),
            Division::Given(rows) => given(rows, corpus, readings),
        }
    }

    fn random(
        &self,
        split: usize,
        train_fraction: f64,
        corpus: &Corpus,
        readings: &[Reading],
    ) -> Result<Split, ProtocolError> {
        let mut units = units(readings);
        let texts: usize = units.iter().map(|(_, texts)| texts.len()).sum();
        if units.len() < 2 {
            return Err(ProtocolError::TooFewTexts { texts, units: units.len() });
        }
        let index = stream::SPLITS + split as u64;
        units.shuffle(&mut Stream { seed: self.seed, index }.chain(0));
        let trains = first_part(train_fraction, &units);
        Split::of(corpus, readings, |_, r| Some(training(trains.contains(&r.unit))))
            .map_err(|readers| ProtocolError::TooFewReaders { split: split + 1, readers })
    }

    /// The seed of everything a method draws in split number `split`.
    pub fn seed_of(&self, split: usize) -> u64 {
        self.seed.wrapping_add((split as u64) << 32)
    }

    /// The readings of a reader in split number `split`, cut into disjoint probes of `m` readings;
    /// the rest is dropped, unless there are fewer than `m` in all.
    pub fn probes(
        &self,
        split: usize,
        reader: usize,
        readings: &[usize],
        m: usize,
    ) -> Vec<Vec<usize>> {
        let mut order = readings.to_vec();
        let index = stream::PROBES + ((split as u64) << 24) + reader as u64;
        order.shuffle(&mut Stream { seed: self.seed, index }.chain(0));
        let size = m.min(order.len()).max(1);
        order.chunks_exact(size).map(<[usize]>::to_vec).collect()
    }
}

/// The first units that together hold this part of the texts: at least one, and never all.
fn first_part(fraction: f64, units: &[(usize, BTreeSet<usize>)]) -> HashSet<usize> {
    let texts: usize = units.iter().map(|(_, texts)| texts.len()).sum();
    let wanted = (fraction * texts as f64).round().max(1.0) as usize;
    let mut part = HashSet::new();
    let mut taken = 0;
    for (unit, texts) in &units[..units.len().saturating_sub(1)] {
        if taken >= wanted {
            break;
        }
        part.insert(*unit);
        taken += texts.len();
    }
    part
}

/// In each session, what a reader read first trains. A text read again, or one of a group, stays
/// where the first reading of its group is.
fn temporal(
    train_fraction: f64,
    corpus: &Corpus,
    readings: &[Reading],
) -> Result<Split, ProtocolError> {
    let path = |i: usize| &corpus.scanpaths()[readings[i].scanpath];
    let mut roles = HashMap::new();
    let mut order: Vec<usize> = (0..readings.len()).collect();
    if let Some(&i) = order.iter().find(|&&i| path(i).order.is_none()) {
        let (reader, text) = (&corpus.readers()[path(i).reader], &corpus.texts()[path(i).text]);
        let (reader, text) = (reader.clone(), text.id().to_owned());
        return Err(ProtocolError::NoOrder { reader, text });
    }
    order.sort_by(|&a, &b| {
        let time = |i: usize| path(i).order.unwrap_or(f64::INFINITY);
        (readings[a].reader.cmp(&readings[b].reader))
            .then_with(|| session_order(&path(a).session, &path(b).session))
            .then(time(a).total_cmp(&time(b)))
            .then(a.cmp(&b))
    });
    let same = |a: &usize, b: &usize| {
        readings[*a].reader == readings[*b].reader && path(*a).session == path(*b).session
    };
    for session in order.chunk_by(same) {
        let reader = readings[session[0]].reader;
        let mut units: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        for reading in session.iter().map(|&i| &readings[i]) {
            if roles.contains_key(&(reader, reading.unit)) {
                continue;
            }
            match units.iter_mut().find(|(unit, _)| *unit == reading.unit) {
                Some((_, texts)) => _ = texts.insert(reading.text),
                None => units.push((reading.unit, BTreeSet::from([reading.text]))),
            }
        }
        let first = first_part(train_fraction, &units);
        for (unit, _) in units {
            roles.insert((reader, unit), training(first.contains(&unit)));
        }
    }
    Split::of(corpus, readings, |_, r| roles.get(&(r.reader, r.unit)).copied())
        .map_err(|readers| ProtocolError::TooFewReaders { split: 1, readers })
}

/// Numbers in their order, before names in theirs.
pub(crate) fn session_order(a: &str, b: &str) -> Ordering {
    let number = |name: &str| name.parse::<f64>().unwrap_or(f64::INFINITY);
    number(a).total_cmp(&number(b)).then_with(|| a.cmp(b))
}

/// Sessions in a row against every later one.
fn sessions(
    train: usize,
    corpus: &Corpus,
    readings: &[Reading],
) -> Result<Vec<Split>, ProtocolError> {
    let session = |reading: &Reading| corpus.scanpaths()[reading.scanpath].session.as_str();
    let mut names: Vec<&str> = readings.iter().map(session).collect();
    names.sort_by(|a, b| session_order(a, b));
    names.dedup();
    match *names.as_slice() {
        [] => return Err(ProtocolError::NoSessions(None)),
        [only] => return Err(ProtocolError::NoSessions(Some(only.to_owned()))),
        _ if names.len() <= train => {
            return Err(ProtocolError::TooFewSessions { train, there: names.len() });
        }
        _ => {}
    }
    let mut splits = Vec::new();
    for (i, training) in names.windows(train).enumerate() {
        for test in &names[i + train..] {
            let split = Split::of(corpus, readings, |_, r| match session(r) {
                s if training.contains(&s) => Some(Role::Train),
                s if s == *test => Some(Role::Test),
                _ => None,
            });
            // Sessions that too few readers share say nothing.
            if let Ok(split) = split {
                let name = match training {
                    [one] => format!("session {one} trains, session {test} tests"),
                    several => {
                        format!("sessions {} train, session {test} tests", several.join(" + "))
                    }
                };
                splits.push(Split { name: Some(name), ..split });
            }
        }
    }
    if splits.is_empty() { Err(ProtocolError::NoSharedSessions) } else { Ok(splits) }
}

/// A corpus of some of its readers, drawn at random.
///
/// # Errors
/// If there are not that many, or fewer than two are asked for.
pub fn draw_readers(corpus: &Corpus, readers: usize, seed: u64) -> Result<Corpus, ProtocolError> {
    let there = corpus.readers().len();
    if readers < 2 {
        return Err(ProtocolError::TooFewDrawn(readers));
    }
    if readers > there {
        return Err(ProtocolError::TooManyReaders { asked: readers, there });
    }
    let mut drawn: Vec<usize> = (0..there).collect();
    drawn.shuffle(&mut Stream { seed, index: stream::SUBSETS }.chain(1));
    drawn.truncate(readers);
    drawn.sort_unstable();
    Ok(corpus.of_readers(&drawn))
}

impl Split {
    /// When the test texts were read: on another occasion, where for most readers no session both
    /// trains and tests.
    pub fn occasion(&self, readings: &[Reading]) -> Occasion {
        let session = |&(reader, i): &(usize, usize)| (reader, readings[i].session);
        let trained: HashSet<(usize, usize)> = self.train.iter().map(session).collect();
        let tested = self.test.iter().map(session);
        let same: HashSet<usize> =
            tested.filter(|t| trained.contains(t)).map(|(reader, _)| reader).collect();
        if 2 * same.len() > self.readers.len() { Occasion::Same } else { Occasion::Another }
    }

    /// The readers that have both training and test readings, and these; the role of a reading is
    /// asked with its index, and may be none. Where readers are too few, their number.
    fn of(
        corpus: &Corpus,
        readings: &[Reading],
        role: impl Fn(usize, &Reading) -> Option<Role>,
    ) -> Result<Self, usize> {
        let mut has = vec![[false; 2]; corpus.readers().len()];
        let roles: Vec<Option<Role>> =
            readings.iter().enumerate().map(|(i, r)| role(i, r)).collect();
        for (reading, role) in readings.iter().zip(&roles) {
            if let Some(role) = role {
                has[reading.reader][usize::from(*role == Role::Train)] = true;
            }
        }
        let (readers, excluded): (Vec<usize>, Vec<usize>) =
            (0..has.len()).partition(|&r| has[r] == [true, true]);
        if readers.len() < 2 {
            return Err(readers.len());
        }
        let mut place = vec![None; has.len()];
        readers.iter().enumerate().for_each(|(i, &r)| place[r] = Some(i));
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (i, (reading, role)) in readings.iter().zip(&roles).enumerate() {
            match (place[reading.reader], role) {
                (Some(reader), Some(Role::Train)) => train.push((reader, i)),
                (Some(reader), Some(Role::Test)) => test.push((reader, i)),
                _ => {}
            }
        }
        // As galleries keep them: what is learned does not depend on when a text was read.
        train.sort_by_key(|&(reader, i): &(usize, usize)| (reader, readings[i].text));
        Ok(Self { name: None, readers, train, test, excluded })
    }

    /// Test readings by reader.
    pub fn test_by_reader(&self) -> Vec<Vec<usize>> {
        let mut by_reader = vec![Vec::new(); self.readers.len()];
        for &(reader, reading) in &self.test {
            by_reader[reader].push(reading);
        }
        by_reader
    }
}

/// Units of texts that stay together, in order, with the texts of each that somebody read.
fn units(readings: &[Reading]) -> Vec<(usize, BTreeSet<usize>)> {
    let mut units: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for reading in readings {
        units.entry(reading.unit).or_default().insert(reading.text);
    }
    units.into_iter().collect()
}
