//! The records of a gallery: what they hold, and how they are read.

use gazeprint::decision::{GROUNDS, Lean, Rules};
use gazeprint::method::{Background, Community, Likeness, Template, Weights};
use gazeprint::replay::Sketch;
use gazeprint::search::Row;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::failure::GalleryError;
use crate::recordings::{Recording, RecordingOfWords};
use crate::seal::random;
use crate::{Change, Kind, Location, Snapshot};

/// Version of what records hold; that of the tables they are kept in is another.
const VERSION: u8 = 1;
/// Version of records that hold what several voices say, where those of version 1 hold words alone.
const VOICED: u8 = 2;
/// Version of templates that come with what is usual of their readers, and of rules that lean on them.
const USUAL: u8 = 3;
/// Version of templates whose entries stand apart.
const APART: u8 = 4;

pub(crate) const FOUNDING: &str = "founding";
pub(crate) const POPULATION: &str = "population";
pub(crate) const BACKGROUND: &str = "background";
/// Imagined readers that others are held against: what is drawn from the population, ready to be compared with.
pub(crate) const COHORT: &str = "cohort";
/// The file of people that readers are compared with; galleries of words alone have none.
pub(crate) const PEOPLE: &str = "people";
pub(crate) const RULES: &str = "rules";
/// What galleries of earlier versions keep of rules over several of them; nobody reads it any more.
pub(crate) const SHARED_RULES: &str = "shared-rules";
/// How many readers are enrolled of whom it is not known what is usual.
const CENSUS: &str = "census";

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

/// Who has a name, and which change of them it is. Somebody who was removed and enrolled anew is not who was there
/// before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// Where their key is.
    slot: u64,
    pub(crate) revision: u64,
}

/// The record of an entry.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredEntry {
    pub(crate) entry: Entry,
    /// Whether it is known what is usual of the reader.
    pub(crate) is_usual_known: bool,
}

/// The record of a template.
#[derive(Serialize, Deserialize)]
struct StoredLikeness {
    likeness: Likeness,
    usual: Option<[f64; GROUNDS]>,
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

/// A template with its entry, as galleries of the first two formats keep them.
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
    generation: u64,
    /// Readers that there were then; earlier versions kept nothing of it.
    readers: Option<u64>,
    lean: Lean,
    rules: VoicedRules,
}

impl StoredRules {
    pub(crate) fn new(generation: u64, readers: u64, rules: VoicedRules) -> Self {
        Self { generation, readers: Some(readers), lean: rules.rules.lean(), rules }
    }

    /// Whether a gallery is about what it was when they were learned: they change little until it has grown
    /// by half, or shrunk as far.
    pub(crate) fn are_current(&self, generation: u64, readers: u64) -> bool {
        self.generation == generation || self.readers.is_some_and(|then| are_alike(then, readers))
    }

    pub(crate) fn into_rules(self) -> VoicedRules {
        let VoicedRules { rules, weights } = self.rules;
        VoicedRules { rules: rules.with_lean(self.lean), weights }
    }
}

/// Whether a gallery of so many readers is about as large as it was: not yet half as large again, nor shrunk as far.
pub(crate) fn are_alike(then: u64, readers: u64) -> bool {
    2 * readers < 3 * then && 2 * then < 3 * readers
}

#[derive(Deserialize)]
pub(crate) struct RulesOfVoices {
    generation: u64,
    rules: VoicedRules,
}

impl From<RulesOfVoices> for StoredRules {
    fn from(RulesOfVoices { generation, rules }: RulesOfVoices) -> Self {
        Self { generation, readers: None, lean: Lean::default(), rules }
    }
}

#[derive(Deserialize)]
pub(crate) struct RulesOfWords {
    generation: u64,
    rules: Rules,
}

impl From<RulesOfWords> for StoredRules {
    fn from(RulesOfWords { generation, rules }: RulesOfWords) -> Self {
        RulesOfVoices { generation, rules: VoicedRules { rules, weights: Weights::ALONE } }.into()
    }
}

impl Voiced for StoredRules {
    const VERSION: u8 = USUAL;
    type OfVoices = RulesOfVoices;
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
    /// By what the reader is searched, where the gallery keeps rows: the number of their space
    /// ([`crate::RowMaking`]), and the row, where the reader has one.
    pub row: Option<(u64, Option<Row>)>,
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

/// How decisions are made, where that was learned.
pub(crate) fn stored_rules(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
) -> Result<Option<StoredRules>, GalleryError> {
    let rules = snapshot.get(Kind::Settings, RULES)?;
    rules.map(|bytes| decode_voiced(at, RULES, &bytes)).transpose()
}

pub(crate) fn decode_entry(
    at: &Location,
    id: &str,
    bytes: &[u8],
) -> Result<StoredEntry, GalleryError> {
    decode(at, &format!("the entry of {id:?}"), bytes)
}

/// The entry of a reader, wherever it stands.
pub(crate) fn entry(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Option<StoredEntry>, GalleryError> {
    if !snapshot.is_old() {
        let bytes = snapshot.get(Kind::Entry, id)?;
        return bytes.map(|bytes| decode_entry(at, id, &bytes)).transpose();
    }
    let bytes = snapshot.get(Kind::Template, id)?;
    bytes.map(|bytes| Ok(old_template(at, id, &bytes)?.0)).transpose()
}

/// Who has a name now, with their entry.
pub(crate) fn versioned(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Option<(Entry, Version)>, GalleryError> {
    let found = entry(at, snapshot, id)?.zip(snapshot.slot(id)?);
    Ok(found.map(|(StoredEntry { entry, .. }, slot)| {
        let version = Version { slot, revision: entry.revision };
        (entry, version)
    }))
}

/// What a template of an older gallery holds.
pub(crate) fn old_template(
    at: &Location,
    id: &str,
    bytes: &[u8],
) -> Result<(StoredEntry, Likeness), GalleryError> {
    let StoredTemplate { entry, likeness } =
        decode_voiced(at, &format!("the template of {id:?}"), bytes)?;
    let is_usual_known = likeness.usual().is_some();
    Ok((StoredEntry { entry, is_usual_known }, likeness))
}

/// Writes entry and template of a reader.
pub(crate) fn put_reader(
    at: &Location,
    change: &mut Change<'_>,
    entry: Entry,
    likeness: Likeness,
) -> Result<(), GalleryError> {
    let id = entry.id.clone();
    let is_usual_known = likeness.usual().is_some();
    let before = self::entry(at, change, &id)?.is_none_or(|stored| stored.is_usual_known);
    take_census(at, change, u64::from(before), u64::from(is_usual_known))?;
    let stored = StoredEntry { entry, is_usual_known };
    change.put(Kind::Entry, &id, &encode(at, "entry", &stored)?)?;
    let stored = StoredLikeness { usual: likeness.usual(), likeness };
    let bytes = postcard::to_extend(&stored, vec![APART]);
    let bytes = Zeroizing::new(bytes.map_err(|error| content(at, "template", error))?);
    Ok(change.put(Kind::Template, &id, &bytes)?)
}

/// Counts a reader of whom it was known, or is, what is usual.
pub(crate) fn take_census(
    at: &Location,
    change: &mut Change<'_>,
    was_known: u64,
    is_known: u64,
) -> Result<(), GalleryError> {
    if was_known == is_known {
        return Ok(());
    }
    let bytes = change.get(Kind::Settings, CENSUS)?;
    let before: u64 = bytes.map(|bytes| decode(at, CENSUS, &bytes)).transpose()?.unwrap_or(0);
    let unknown = (before + was_known).saturating_sub(is_known);
    Ok(change.put(Kind::Settings, CENSUS, &encode(at, CENSUS, &unknown)?)?)
}

/// Whether it is known of all readers what is usual; of an older gallery, the templates tell.
pub(crate) fn is_usual_known(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
) -> Result<bool, GalleryError> {
    let bytes = snapshot.get(Kind::Settings, CENSUS)?;
    let unknown: u64 = bytes.map(|bytes| decode(at, CENSUS, &bytes)).transpose()?.unwrap_or(0);
    Ok(unknown == 0)
}

/// The template of a reader.
pub(crate) fn likeness(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Option<Likeness>, GalleryError> {
    let is_old = snapshot.is_old();
    let bytes = snapshot.get(Kind::Template, id)?;
    let decoded = bytes.map(|bytes| match is_old {
        true => Ok(old_template(at, id, &bytes)?.1),
        false => decode_likeness(at, id, &bytes),
    });
    decoded.transpose()
}

pub(crate) fn decode_likeness(
    at: &Location,
    id: &str,
    bytes: &[u8],
) -> Result<Likeness, GalleryError> {
    let record = format!("the template of {id:?}");
    match bytes.split_first() {
        Some((&APART, rest)) => {
            let StoredLikeness { likeness, usual } = whole(at, &record, rest)?;
            Ok(likeness.with_usual(usual))
        }
        found => {
            let found = found.map_or("none".to_owned(), |(version, _)| version.to_string());
            Err(content(at, &record, format!("found version {found}, expected {APART}")))
        }
    }
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
