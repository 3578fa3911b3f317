//! What can go wrong, and of what kind it is.

use std::fmt;

use gazeprint::corpus::CorpusError;
use gazeprint::decision::{FEWEST_READERS, GRID};
use gazeprint::inference::InferenceError;
use gazeprint::method::{FitError, PeopleError, TemplateError};
use gazeprint_store::{GalleryError, Location, MergeError, StoreError};
use thiserror::Error;

use crate::enroll::FEWEST_FIXATIONS;
use crate::{Stage, Warning};

/// What kind of thing went wrong: what exit codes, HTTP statuses and exception classes are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something was asked for that makes no sense.
    Usage,
    /// Recordings that cannot be used.
    Input,
    /// No such gallery, or no such reader.
    NotFound,
    /// No secret, or the wrong one.
    Locked,
    /// A gallery that is not what was written.
    Damaged,
    /// Others changed it, or something is there already.
    Conflict,
    /// Of another version, or more than can be promised.
    Unsupported,
    /// The operating system or the database refused.
    Io,
    /// Stopped because that was asked for.
    Interrupted,
}

impl ErrorKind {
    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Input => "input",
            Self::NotFound => "not_found",
            Self::Locked => "locked",
            Self::Damaged => "damaged",
            Self::Conflict => "conflict",
            Self::Unsupported => "unsupported",
            Self::Io => "io",
            Self::Interrupted => "interrupted",
        }
    }
}

/// A rate of errors that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateName {
    /// Strangers who are taken for somebody.
    Fpir,
    /// False claims that are accepted.
    Fmr,
    /// True claims that are rejected.
    Fnmr,
}

impl fmt::Display for RateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fpir => "fpir",
            Self::Fmr => "fmr",
            Self::Fnmr => "fnmr",
        })
    }
}

/// What a gallery was made with, and stays.
#[derive(Debug, Clone, PartialEq)]
pub enum Mismatch {
    /// It has names, and pseudonyms were asked for.
    Pseudonyms,
    /// It counts other fixations, ms.
    Durations {
        /// What was asked for.
        found: [f64; 2],
        /// What it has.
        expected: [f64; 2],
    },
    /// It has another population.
    Population,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pseudonyms => f.write_str("was made without pseudonyms, and stays so"),
            Self::Durations { found, expected } => write!(
                f,
                "counts fixations of {} to {} ms, and stays so; found {} to {} ms",
                expected[0], expected[1], found[0], found[1]
            ),
            Self::Population => {
                f.write_str("exists already with another population, which stays as it is")
            }
        }
    }
}

/// Why recognition failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// With the gallery.
    #[error(transparent)]
    Gallery(#[from] GalleryError),
    /// With templates that were stored.
    #[error("{at}: {source}")]
    Template {
        /// The gallery.
        at: Location,
        /// What is wrong with them.
        source: TemplateError,
    },
    /// With the people that readers are compared with.
    #[error("{at}: the people that its readers are compared with cannot be used: {source}")]
    People {
        /// The gallery.
        at: Location,
        /// What is wrong with them.
        source: Box<PeopleError>,
    },
    /// With people that were given.
    #[error("the people that were given cannot be used: {source}")]
    PeopleGiven {
        /// What is wrong with them.
        source: Box<PeopleError>,
    },
    /// With recordings.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Learning failed.
    #[error("{what} cannot be learned")]
    Fit {
        /// What was to be learned.
        what: &'static str,
        /// Why.
        source: FitError,
    },
    /// Too few readers to decide anything.
    #[error(
        "{at}: found {}, expected at least {FEWEST_READERS}: with fewer, nothing is known about \
         errors, and nothing can be decided; enrol more",
        counted(*.readers, "reader")
    )]
    FewReaders {
        /// The gallery.
        at: Location,
        /// As many as there are.
        readers: usize,
    },
    /// Too few readers to learn what they have in common.
    #[error(
        "{at}: found {}, expected at least {FEWEST_READERS} to learn what readers have in common",
        counted(*.readers, "reader")
    )]
    FewForPopulation {
        /// The corpus or the gallery.
        at: String,
        /// As many as there are.
        readers: usize,
    },
    /// Nothing is known of what scores are worth.
    #[error(
        "{at}: found no thresholds of decisions: enrolment is not done yet, was interrupted, or \
         readers have too few recordings"
    )]
    NoRules {
        /// The gallery.
        at: Location,
    },
    /// Too little is enrolled to learn what tells people from forgeries.
    #[error(
        "{at}: too little is enrolled to learn liveness: it takes words, at least {FEWEST_READERS} readers, and \
         100 of their readings"
    )]
    NoLiveness {
        /// The gallery.
        at: Location,
    },
    /// A probe of which it cannot be told whether a person read it.
    #[error("{at}: whether a person read it cannot be told of a probe without words")]
    LivenessUnknown {
        /// The gallery.
        at: Location,
    },
    /// A rate that nothing shows to be kept.
    #[error(
        "{at}: {warning}; ask for a higher rate, or say that it need not be shown (--allow-unsupported)"
    )]
    Unsupported {
        /// The gallery.
        at: Location,
        /// What there is.
        warning: Warning,
    },
    /// Rows that do not fit the model.
    #[error(
        "{at}: found rows of another version of the model, expected those of this one; learn \
         everything anew"
    )]
    OtherRows {
        /// The gallery.
        at: Location,
    },
    /// Rows that were wanted and cannot be had.
    #[error("{at}: {why}")]
    NoRows {
        /// The gallery.
        at: Location,
        /// Why not.
        why: crate::RowsMissing,
    },
    /// A rate that thresholds are not learned for.
    #[error("{rate}: found {found}, expected a rate from {} to {}", GRID[GRID.len() - 1], GRID[0])]
    Rate {
        /// Which.
        rate: RateName,
        /// What was asked for.
        found: f64,
    },
    /// A rate that no test can have.
    #[error("{rate}: found {found}, expected a rate between 0 and 0.5")]
    WatchRate {
        /// Which.
        rate: RateName,
        /// What was asked for.
        found: f64,
    },
    /// A probe of several people.
    #[error(
        "{name}: found {}, expected one: a probe is what one person read; pick the rows of one",
        counted(*.readers, "reader")
    )]
    SeveralReaders {
        /// Name of the probe.
        name: String,
        /// As many as there are.
        readers: usize,
    },
    /// A probe without anything that counts.
    #[error("{name}: none of {} counts", counted(*.fixations, "fixation"))]
    NothingCounts {
        /// Name of the probe.
        name: String,
        /// As many as there are.
        fixations: usize,
    },
    /// Pages without words, in a gallery that knows how readers read words and nothing else.
    #[error(
        "{at}: found pages whose words are unknown, expected where words are: its readers are known by \
         their fixations on words alone; add the table of words"
    )]
    NoWords {
        /// The gallery.
        at: Location,
    },
    /// A text that nobody announced.
    #[error("found text {text:?}, expected one whose words are known")]
    UnknownText {
        /// Its name.
        text: String,
    },
    /// A gallery that is not what was asked for.
    #[error("{at} {mismatch}")]
    Founded {
        /// The gallery.
        at: Location,
        /// In what it differs.
        mismatch: Mismatch,
    },
    /// A part of the readers that nobody is in.
    #[error(
        "shard {number}/{of} is empty: {corpus} has {}; expected at most so many shards",
        counted(*.readers, "reader")
    )]
    EmptyShard {
        /// From 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// Name of the corpus.
        corpus: String,
        /// Its readers.
        readers: usize,
    },
    /// Pseudonyms that would fit no other part.
    #[error(
        "{at} is not there yet, and every new gallery makes pseudonyms of its own, which would not \
         fit those of other shards; make one gallery with pseudonyms of any readers and empty copies \
         of it, and enrol the shards into these"
    )]
    ShardPseudonyms {
        /// Where the gallery would be.
        at: Location,
    },
    /// A name that answers use.
    #[error(
        "found a reader called {name:?}, expected another name: answers say it where it is nobody \
         known; rename the reader; nobody was enrolled"
    )]
    ReservedName {
        /// The name.
        name: String,
    },
    /// Somebody who read too little.
    #[error(
        "reader {reader:?}: found {}, expected at least {FEWEST_FIXATIONS} that count, about a dozen \
         sentences; record more; nobody was enrolled",
        counted(*.fixations, "fixation")
    )]
    TooLittleRead {
        /// Who.
        reader: String,
        /// Fixations that count.
        fixations: usize,
    },
    /// Nobody read enough.
    #[error(
        "{corpus}: found nobody with at least {FEWEST_FIXATIONS} fixations that count, about a dozen \
         sentences; record more; nobody was enrolled"
    )]
    NobodyReadEnough {
        /// Name of the corpus.
        corpus: String,
    },
    /// A name that could pretend to be something else where it is shown.
    #[error(
        "found the reader {name:?}, whose name {why}; give a name of at most 200 ordinary characters"
    )]
    OddName {
        /// The name.
        name: String,
        /// What is odd about it.
        why: &'static str,
    },
    /// Nothing is left to do.
    #[error("{corpus}: all recordings are enrolled already in {at}; enrol only new ones")]
    AllEnrolled {
        /// Name of the corpus.
        corpus: String,
        /// The gallery.
        at: Location,
        /// Its readers, as they are kept there.
        readers: Vec<String>,
    },
    /// Recordings that cannot be added.
    #[error("reader {reader:?} of {at}: {source}")]
    Recordings {
        /// Who.
        reader: String,
        /// The gallery.
        at: Location,
        /// Why.
        source: Box<MergeError>,
    },
    /// Recordings that somebody else seems to have read.
    #[error(
        "reader {reader:?} of {at}: found recordings that do not read like what was enrolled, expected more of the \
         same reader; check whose they are; nobody was enrolled"
    )]
    OtherReader {
        /// Who they were to be added to.
        reader: String,
        /// The gallery.
        at: Location,
    },
    /// Somebody who is watched was removed.
    #[error("{at}: reader {reader:?} was removed while being watched; the watch ends")]
    Removed {
        /// The gallery.
        at: Location,
        /// Who.
        reader: String,
    },
    /// The monitor said stop. What was reported as enrolled is.
    #[error("interrupted")]
    Interrupted {
        /// What was under way.
        stage: Stage,
    },
}

impl Error {
    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Gallery(error) => of_gallery(error),
            Self::Corpus(CorpusError::DurationLimits { .. })
            | Self::Rate { .. }
            | Self::WatchRate { .. }
            | Self::Founded { .. }
            | Self::EmptyShard { .. }
            | Self::ShardPseudonyms { .. } => ErrorKind::Usage,
            Self::Corpus(_)
            | Self::Fit { .. }
            | Self::PeopleGiven { .. }
            | Self::SeveralReaders { .. }
            | Self::NothingCounts { .. }
            | Self::NoWords { .. }
            | Self::UnknownText { .. }
            | Self::FewForPopulation { .. }
            | Self::ReservedName { .. }
            | Self::OddName { .. }
            | Self::TooLittleRead { .. }
            | Self::NobodyReadEnough { .. } => ErrorKind::Input,
            Self::Template { .. }
            | Self::People { .. }
            | Self::FewReaders { .. }
            | Self::NoRules { .. }
            | Self::NoLiveness { .. }
            | Self::LivenessUnknown { .. }
            | Self::Unsupported { .. }
            | Self::OtherRows { .. }
            | Self::NoRows { .. } => ErrorKind::Unsupported,
            Self::AllEnrolled { .. } | Self::Recordings { .. } | Self::OtherReader { .. } => {
                ErrorKind::Conflict
            }
            Self::Removed { .. } => ErrorKind::NotFound,
            Self::Interrupted { .. } => ErrorKind::Interrupted,
        }
    }

    /// Learning that failed, or was stopped.
    pub(crate) fn of_fit(what: &'static str, stage: Stage, source: FitError) -> Self {
        match source {
            FitError::Inference(InferenceError::Interrupted) => Self::Interrupted { stage },
            source => Self::Fit { what, source },
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Gallery(error.into())
    }
}

fn of_gallery(error: &GalleryError) -> ErrorKind {
    match error {
        GalleryError::Store(error) => of_store(error),
        GalleryError::UnknownReader { .. } => ErrorKind::NotFound,
        GalleryError::Content { .. } => ErrorKind::Unsupported,
        _ => ErrorKind::Conflict,
    }
}

fn of_store(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::Missing { .. } => ErrorKind::NotFound,
        StoreError::NotAGallery { .. } | StoreError::TooLarge { .. } => ErrorKind::Input,
        StoreError::SecretMissing { .. }
        | StoreError::SecretOther { .. }
        | StoreError::SecretWrong { .. }
        | StoreError::SecretNeedless { .. }
        | StoreError::PassphraseEmpty { .. }
        | StoreError::PassphraseWeak { .. }
        | StoreError::PasswordFile { .. } => ErrorKind::Locked,
        StoreError::Damaged { .. } | StoreError::RolledBack { .. } => ErrorKind::Damaged,
        StoreError::Exists { .. } | StoreError::Changed { .. } | StoreError::Busy { .. } => {
            ErrorKind::Conflict
        }
        StoreError::Newer { .. } | StoreError::OldFormat { .. } | StoreError::NoPostgres { .. } => {
            ErrorKind::Unsupported
        }
        StoreError::Exposed { .. }
        | StoreError::Address { .. }
        | StoreError::Certificates { .. } => ErrorKind::Usage,
        _ => ErrorKind::Io,
    }
}

/// A number with its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
