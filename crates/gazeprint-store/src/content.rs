//! The records of a gallery: what they hold, and how they are read.

use gazeprint::decision::{GROUNDS, Rules};
use gazeprint::method::{Background, Community, Likeness, Template, Weights};
use gazeprint::replay::Sketch;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::recordings::{Recording, RecordingOfWords};
use crate::seal::random;
use crate::{Kind, Location, Snapshot, StoreError};

/// Version of what records hold; that of the tables they are kept in is another.
const VERSION: u8 = 1;
/// Version of records that hold what several voices say, where those of version 1 hold words alone.
const VOICED: u8 = 2;
/// Version of templates that come with what is usual of their readers.
const USUAL: u8 = 3;

pub(crate) const FOUNDING: &str = "founding";
pub(crate) const POPULATION: &str = "population";
pub(crate) const BACKGROUND: &str = "background";
/// The file of people that readers are compared with; galleries of words alone have none.
pub(crate) const PEOPLE: &str = "people";
pub(crate) const RULES: &str = "rules";
/// What galleries of earlier versions keep of rules over several of them; nobody reads it any more.
pub(crate) const SHARED_RULES: &str = "shared-rules";

/// What can go wrong with a gallery.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GalleryError {
    /// With the place it is kept at.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A record that is whole, and not what it should be.
    #[error(
        "{at}: {record} cannot be used: {message}; it was written by another version of gazeprint: \
         use that one, or enrol anew"
    )]
    Content {
        /// The gallery.
        at: Location,
        /// Which record.
        record: String,
        /// What is wrong.
        message: String,
    },
    /// Nobody of that name.
    #[error("{at}: found no reader {reader:?}{}", near(.nearest))]
    UnknownReader {
        /// The gallery.
        at: Location,
        /// The name given.
        reader: String,
        /// The name most like it.
        nearest: Option<String>,
    },
    /// Somebody else changed the reader or the population at the same time.
    #[error("{at}: {what} was changed by another process meanwhile; try again")]
    Conflict {
        /// The gallery.
        at: Location,
        /// What was changed.
        what: String,
    },
    /// A gallery that is no part of the same whole.
    #[error("{at} does not belong together with {first}: {difference}")]
    Apart {
        /// The gallery.
        at: Location,
        /// What it is compared with.
        first: Location,
        /// In what they differ.
        difference: Difference,
    },
    /// Somebody who is in two galleries that are merged.
    #[error(
        "found reader {reader:?} both in {first} and in {at}, expected in one of them; leave one of \
         the galleries out, or remove the reader from it"
    )]
    Twice {
        /// Who.
        reader: String,
        /// A gallery.
        first: Location,
        /// The other one.
        at: Location,
    },
}

/// In what two galleries differ that should be parts of one.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Difference {
    /// The method.
    #[error("found the method {found}, expected {expected}")]
    Method {
        /// That of the gallery.
        found: String,
        /// That of the first one.
        expected: String,
    },
    /// Which fixations count.
    #[error(
        "found that fixations of {} to {} ms count, expected those of {} to {} ms; enrol it anew with \
         these durations",
        .found[0], .found[1], .expected[0], .expected[1]
    )]
    Durations {
        /// In the gallery, ms.
        found: [f64; 2],
        /// In the first one, ms.
        expected: [f64; 2],
    },
    /// What names are hashed with.
    #[error(
        "found other pseudonyms, expected names that are hashed alike, or not at all; enrol into empty \
         copies of one gallery"
    )]
    Pseudonyms,
    /// What readers have in common.
    #[error(
        "found another population, expected the same one, learned once; enrol all parts with one \
         population, and learn it anew only where they were merged"
    )]
    Population,
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// What is fixed when a gallery is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Founding {
    /// Version of gazeprint that made it.
    pub gazeprint: String,
    /// When, in seconds since 1970.
    pub created: u64,
    /// The method.
    pub method: String,
    /// Shortest and longest duration of a fixation that counts, ms.
    pub durations_ms: [f64; 2],
    /// What names are hashed with, where readers are kept under pseudonyms.
    pub pseudonyms: Option<[u8; 32]>,
}

impl Founding {
    /// Something random to hash names with.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn new_salt() -> Result<[u8; 32], GalleryError> {
        Ok(random()?)
    }
}

/// A reader as listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Name or pseudonym.
    pub id: String,
    /// Recordings.
    pub recordings: usize,
    /// Fixations that count.
    pub fixations: usize,
    /// First enrolled, in seconds since 1970.
    pub enrolled: u64,
    /// Last changed.
    pub changed: u64,
    /// Rises with each change.
    pub revision: u64,
}

/// All recordings of a reader.
#[derive(Serialize, Deserialize)]
pub(crate) struct Recordings(pub(crate) Vec<Recording>);

impl From<Vec<RecordingOfWords>> for Recordings {
    fn from(before: Vec<RecordingOfWords>) -> Self {
        Self(before.into_iter().map(Recording::from).collect())
    }
}

impl Voiced for Recordings {
    type OfVoices = Self;
    type OfWords = Vec<RecordingOfWords>;
}

/// A record of which galleries may have an earlier version.
pub(crate) trait Voiced: Serialize + DeserializeOwned {
    /// The version that is written.
    const VERSION: u8 = VOICED;
    /// The record when voices were new.
    type OfVoices: DeserializeOwned + Into<Self>;
    /// The record when words were all there was.
    type OfWords: DeserializeOwned + Into<Self>;
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "TemplateWithUsual", into = "TemplateWithUsual")]
pub(crate) struct StoredTemplate {
    pub(crate) entry: Entry,
    pub(crate) likeness: Likeness,
}

/// A template beside what is usual of its reader.
#[derive(Serialize, Deserialize)]
struct TemplateWithUsual {
    entry: Entry,
    likeness: Likeness,
    usual: Option<[f64; GROUNDS]>,
}

impl From<TemplateWithUsual> for StoredTemplate {
    fn from(TemplateWithUsual { entry, likeness, usual }: TemplateWithUsual) -> Self {
        Self { entry, likeness: likeness.with_usual(usual) }
    }
}

impl From<StoredTemplate> for TemplateWithUsual {
    fn from(StoredTemplate { entry, likeness }: StoredTemplate) -> Self {
        Self { entry, usual: likeness.usual(), likeness }
    }
}

#[derive(Deserialize)]
pub(crate) struct TemplateOfVoices {
    entry: Entry,
    likeness: Likeness,
}

impl From<TemplateOfVoices> for StoredTemplate {
    fn from(TemplateOfVoices { entry, likeness }: TemplateOfVoices) -> Self {
        Self { entry, likeness }
    }
}

#[derive(Deserialize)]
pub(crate) struct TemplateOfWords {
    entry: Entry,
    template: Template,
}

impl From<TemplateOfWords> for StoredTemplate {
    fn from(TemplateOfWords { entry, template }: TemplateOfWords) -> Self {
        Self { entry, likeness: template.into() }
    }
}

impl Voiced for StoredTemplate {
    const VERSION: u8 = USUAL;
    type OfVoices = TemplateOfVoices;
    type OfWords = TemplateOfWords;
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredBackground {
    /// Rises when the population is learned anew.
    pub(crate) era: u64,
    pub(crate) community: Community,
}

#[derive(Deserialize)]
pub(crate) struct BackgroundOfWords {
    era: u64,
    background: Background,
}

impl From<BackgroundOfWords> for StoredBackground {
    fn from(BackgroundOfWords { era, background }: BackgroundOfWords) -> Self {
        Self { era, community: background.into() }
    }
}

impl Voiced for StoredBackground {
    type OfVoices = Self;
    type OfWords = BackgroundOfWords;
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredRules {
    /// That of the gallery with these rules, unchanged since they were learned.
    pub(crate) generation: u64,
    pub(crate) rules: VoicedRules,
}

#[derive(Deserialize)]
pub(crate) struct RulesOfWords {
    generation: u64,
    rules: Rules,
}

impl From<RulesOfWords> for StoredRules {
    fn from(RulesOfWords { generation, rules }: RulesOfWords) -> Self {
        Self { generation, rules: VoicedRules { rules, weights: Weights::ALONE } }
    }
}

impl Voiced for StoredRules {
    type OfVoices = Self;
    type OfWords = RulesOfWords;
}

/// How decisions are made, and how much each voice counts in the scores that they are made by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VoicedRules {
    /// Thresholds and calibration.
    pub rules: Rules,
    /// How much each voice counts.
    pub weights: Weights,
}

/// A reader to be enrolled.
#[derive(Debug, Clone)]
pub struct Enrolment {
    /// Name or pseudonym.
    pub id: String,
    /// All recordings, old and new.
    pub recordings: Vec<Recording>,
    /// Fixations that count.
    pub fixations: usize,
    /// Learned from them.
    pub likeness: Likeness,
}

/// A probe to be remembered.
#[derive(Debug, Clone, Copy)]
pub struct Remember<'a> {
    /// Whose it was taken for.
    pub id: &'a str,
    /// Its readings.
    pub sketches: &'a [Sketch],
    /// What was remembered of the reader when it was compared: [`crate::Gallery::earlier_probes`].
    pub earlier: &'a [Sketch],
}

/// All that comparing takes.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What readers are compared on.
    pub community: Community,
    /// The readers, by name.
    pub readers: Vec<Entry>,
    /// What is compared of each.
    pub likenesses: Vec<Likeness>,
    /// How decisions are made, where that was learned.
    pub rules: Option<VoicedRules>,
    /// Whether it was learned from the readers as they are now.
    pub is_current: bool,
    /// How often the population was learned anew.
    pub era: u64,
    /// The gallery as it was. Rises with every change of readers, population or rules.
    pub generation: u64,
}

pub(crate) fn encode<T: Serialize>(
    at: &Location,
    record: &str,
    value: &T,
) -> Result<Vec<u8>, GalleryError> {
    let bytes = postcard::to_extend(value, vec![VERSION]);
    bytes.map_err(|error| content(at, record, error))
}

pub(crate) fn decode<T: DeserializeOwned>(
    at: &Location,
    record: &str,
    bytes: &[u8],
) -> Result<T, GalleryError> {
    // Contents do not describe themselves: those of another version would be taken for other numbers.
    let Some((&VERSION, bytes)) = bytes.split_first() else {
        let found = bytes.first().map_or("none".to_owned(), u8::to_string);
        return Err(content(at, record, format!("found version {found}, expected {VERSION}")));
    };
    whole(at, record, bytes)
}

/// The bytes of a record that speaks of several voices.
pub(crate) fn encode_voiced<T: Voiced>(
    at: &Location,
    record: &str,
    value: &T,
) -> Result<Vec<u8>, GalleryError> {
    let bytes = postcard::to_extend(value, vec![T::VERSION]);
    bytes.map_err(|error| content(at, record, error))
}

/// The same, of this version or one before.
pub(crate) fn decode_voiced<T: Voiced>(
    at: &Location,
    record: &str,
    bytes: &[u8],
) -> Result<T, GalleryError> {
    match bytes.split_first() {
        Some((&version, rest)) if version == T::VERSION => whole(at, record, rest),
        Some((&VOICED, rest)) => whole::<T::OfVoices>(at, record, rest).map(Into::into),
        _ => decode::<T::OfWords>(at, record, bytes).map(Into::into),
    }
}

/// All of some bytes as a value.
fn whole<T: DeserializeOwned>(
    at: &Location,
    record: &str,
    bytes: &[u8],
) -> Result<T, GalleryError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(content(at, record, format!("found {} bytes too many", rest.len()))),
        Err(error) => Err(content(at, record, error)),
    }
}

pub(crate) fn content(at: &Location, record: &str, error: impl ToString) -> GalleryError {
    let (record, message) = (record.to_owned(), error.to_string());
    GalleryError::Content { at: at.clone(), record, message }
}

/// A setting that every gallery has.
pub(crate) fn setting<T: DeserializeOwned>(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    name: &str,
) -> Result<T, GalleryError> {
    decode(at, name, &setting_bytes(at, snapshot, name)?)
}

/// What readers are compared on, which every gallery has.
pub(crate) fn stored_background(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
) -> Result<StoredBackground, GalleryError> {
    decode_voiced(at, BACKGROUND, &setting_bytes(at, snapshot, BACKGROUND)?)
}

/// As it is stored.
pub(crate) fn setting_bytes(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    name: &str,
) -> Result<Zeroizing<Vec<u8>>, GalleryError> {
    let bytes = snapshot.get(Kind::Settings, name)?;
    bytes.ok_or_else(|| content(at, name, "it is missing"))
}

/// The name of a record, and its bytes.
type NamedRecord = (String, Zeroizing<Vec<u8>>);

/// All that comparing takes, as it is stored: to be decoded when the gallery is free for others again.
pub struct StoredReaders {
    at: Location,
    background: StoredBackground,
    rules: Option<StoredRules>,
    generation: u64,
    templates: Vec<NamedRecord>,
}

impl StoredReaders {
    pub(crate) fn read(at: &Location, snapshot: &mut Snapshot<'_>) -> Result<Self, GalleryError> {
        Ok(Self {
            at: at.clone(),
            background: stored_background(at, snapshot)?,
            rules: stored_rules(at, snapshot)?,
            generation: snapshot.generation(),
            templates: template_records(snapshot)?,
        })
    }

    /// The readers.
    ///
    /// # Errors
    /// If a template is not what it should be.
    pub fn decoded(self) -> Result<Loaded, GalleryError> {
        let Self { at, background, rules, generation, templates } = self;
        let stored = decoded(&at, &templates)?;
        let (readers, likenesses): (Vec<_>, _) =
            stored.into_iter().map(|s| (s.entry, s.likeness)).unzip();
        Ok(Loaded {
            community: background.community,
            readers,
            likenesses,
            is_current: rules.as_ref().is_some_and(|rules| rules.generation == generation),
            rules: rules.map(|stored| stored.rules),
            era: background.era,
            generation,
        })
    }
}

/// How decisions are made, where that was learned.
pub(crate) fn stored_rules(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
) -> Result<Option<StoredRules>, GalleryError> {
    let rules = snapshot.get(Kind::Settings, RULES)?;
    rules.map(|bytes| decode_voiced(at, RULES, &bytes)).transpose()
}

/// All templates.
fn template_records(snapshot: &mut Snapshot<'_>) -> Result<Vec<NamedRecord>, GalleryError> {
    let mut records = Vec::new();
    snapshot.each(Kind::Template, |name, bytes| {
        records.push((name.to_owned(), bytes));
        Ok::<_, GalleryError>(())
    })?;
    Ok(records)
}

fn decoded(at: &Location, records: &[NamedRecord]) -> Result<Vec<StoredTemplate>, GalleryError> {
    let decoded = |(name, bytes): &NamedRecord| {
        decode_voiced(at, &format!("the template of {name:?}"), bytes)
    };
    let mut stored: Vec<StoredTemplate> =
        records.par_iter().map(decoded).collect::<Result<_, _>>()?;
    stored.sort_by(|a, b| a.entry.id.cmp(&b.entry.id));
    Ok(stored)
}

pub(crate) fn template(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Option<StoredTemplate>, GalleryError> {
    let bytes = snapshot.get(Kind::Template, id)?;
    bytes.map(|bytes| decode_voiced(at, &format!("the template of {id:?}"), &bytes)).transpose()
}

pub(crate) fn read_recordings(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Vec<Recording>, GalleryError> {
    let record = format!("the recordings of {id:?}");
    let bytes = snapshot.get(Kind::Readings, id)?;
    let bytes = bytes.ok_or_else(|| content(at, &record, "they are missing"))?;
    Ok(decode_voiced::<Recordings>(at, &record, &bytes)?.0)
}

pub(crate) fn earlier(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Vec<Sketch>, GalleryError> {
    let bytes = snapshot.get(Kind::Probe, id)?;
    let sketches = bytes.map(|bytes| decode(at, &format!("earlier probes of {id:?}"), &bytes));
    Ok(sketches.transpose()?.unwrap_or_default())
}
