//! What a gallery hands out as it is stored, to be decoded when it is free for others again.

use gazeprint::method::{Community, Likeness, Population, Template};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::content::{
    COHORT, Entry, POPULATION, StoredBackground, StoredRules, StoredTemplate, VoicedRules, content,
    decode, decode_entry, decode_likeness, decode_voiced, entry, is_usual_known, setting_bytes,
    stored_background, stored_rules,
};
use crate::failure::GalleryError;
use crate::{Kind, Location, Record, Snapshot};

/// What readers are learned with, as it is stored: to be decoded when the gallery is free for others again.
pub struct StoredLearning {
    at: Location,
    background: StoredBackground,
    population: Option<Zeroizing<Vec<u8>>>,
}

impl StoredLearning {
    pub(crate) fn read(at: &Location, snapshot: &mut Snapshot<'_>) -> Result<Self, GalleryError> {
        let background = stored_background(at, snapshot)?;
        let has_words = background.community.background().is_some();
        let population = has_words.then(|| setting_bytes(at, snapshot, POPULATION)).transpose()?;
        Ok(Self { at: at.clone(), background, population })
    }

    /// The population, where words are known, what readers are compared on, and how often both were learned
    /// anew.
    ///
    /// # Errors
    /// If the population is not what it should be.
    pub fn decoded(self) -> Result<(Option<Population>, Community, u64), GalleryError> {
        let Self { at, background: StoredBackground { era, community }, population } = self;
        let population = population.map(|bytes| decode(&at, POPULATION, &bytes)).transpose()?;
        Ok((population, community, era))
    }
}

/// Imagined readers that those of a gallery are held against, as they are stored.
#[derive(Debug, Clone)]
pub struct StoredCohort {
    at: Location,
    kept: Kept,
}

#[derive(Debug, Clone)]
enum Kept {
    Cohort(Zeroizing<Vec<u8>>),
    /// Galleries of earlier versions keep the population alone.
    Population(Zeroizing<Vec<u8>>),
    /// Words are not known.
    Nothing,
}

impl StoredCohort {
    pub(crate) fn read(at: &Location, snapshot: &mut Snapshot<'_>) -> Result<Self, GalleryError> {
        let kept = match snapshot.get(Kind::Settings, COHORT)? {
            Some(bytes) => Kept::Cohort(bytes),
            None => {
                snapshot.get(Kind::Settings, POPULATION)?.map_or(Kept::Nothing, Kept::Population)
            }
        };
        Ok(Self { at: at.clone(), kept })
    }

    /// The readers; none where words are not known.
    ///
    /// # Errors
    /// If they are not what they should be.
    pub fn decoded(&self) -> Result<Vec<Template>, GalleryError> {
        Ok(match &self.kept {
            Kept::Cohort(bytes) => decode(&self.at, COHORT, bytes)?,
            Kept::Population(bytes) => decode::<Population>(&self.at, POPULATION, bytes)?.cohort(),
            Kept::Nothing => Vec::new(),
        })
    }
}

/// All that comparing takes, as it is stored: to be decoded when the gallery is free for others again.
pub struct StoredReaders {
    at: Location,
    is_old: bool,
    background: StoredBackground,
    rules: Option<StoredRules>,
    generation: u64,
    count: u64,
    is_usual_known: bool,
    /// By reader; where entries are no records of their own, they are in the templates.
    entries: Vec<Entry>,
    templates: Vec<Record>,
    cohort: StoredCohort,
}

impl StoredReaders {
    pub(crate) fn read(
        at: &Location,
        snapshot: &mut Snapshot<'_>,
        whose: Whose<'_>,
    ) -> Result<Self, GalleryError> {
        let (mut entries, mut templates) = (Vec::new(), Vec::new());
        match whose {
            Whose::Nobody => {}
            Whose::One(id) => {
                templates.extend(snapshot.get(Kind::Template, id)?.map(|it| (id.to_owned(), it)));
                if !snapshot.is_old() {
                    entries.extend(entry(at, snapshot, id)?.map(|stored| stored.entry));
                }
            }
            Whose::All => {
                snapshot.each(Kind::Template, |name, bytes| {
                    templates.push((name.to_owned(), bytes));
                    Ok::<_, GalleryError>(())
                })?;
                snapshot.each(Kind::Entry, |name, bytes| {
                    entries.push(decode_entry(at, name, &bytes)?.entry);
                    Ok::<_, GalleryError>(())
                })?;
            }
        }
        Ok(Self {
            at: at.clone(),
            is_old: snapshot.is_old(),
            background: stored_background(at, snapshot)?,
            rules: stored_rules(at, snapshot)?,
            generation: snapshot.generation(),
            count: snapshot.count(Kind::Template)?,
            is_usual_known: is_usual_known(at, snapshot)?,
            entries,
            templates,
            cohort: StoredCohort::read(at, snapshot)?,
        })
    }

    /// The readers.
    ///
    /// # Errors
    /// If a template is not what it should be.
    pub fn decoded(self) -> Result<Loaded, GalleryError> {
        let Self { at, is_old, background, rules, generation, count, templates, cohort, .. } = self;
        let (mut readers, mut likenesses) = (self.entries, Vec::new());
        if is_old {
            let record = |name: &str| format!("the template of {name:?}");
            let decoded = |(name, bytes): &Record| decode_voiced(&at, &record(name), bytes);
            let mut stored: Vec<StoredTemplate> =
                templates.par_iter().map(decoded).collect::<Result<_, _>>()?;
            stored.sort_by(|a, b| a.entry.id.cmp(&b.entry.id));
            (readers, likenesses) = stored.into_iter().map(|s| (s.entry, s.likeness)).unzip();
        } else {
            let decoded = |(name, bytes): &Record| {
                Ok::<_, GalleryError>((name.clone(), decode_likeness(&at, name, bytes)?))
            };
            let mut named: Vec<(String, Likeness)> =
                templates.par_iter().map(decoded).collect::<Result<_, _>>()?;
            named.sort_by(|a, b| a.0.cmp(&b.0));
            readers.sort_by(|a, b| a.id.cmp(&b.id));
            let differ = readers.len() != named.len()
                || readers.iter().zip(&named).any(|(entry, (name, _))| entry.id != *name);
            if differ {
                return Err(content(&at, "the list of readers", "it is not that of the templates"));
            }
            likenesses.extend(named.into_iter().map(|(_, likeness)| likeness));
        }
        // What only templates tell, they told.
        let is_usual_known = match is_old {
            true => likenesses.iter().all(|likeness| likeness.usual().is_some()),
            false => self.is_usual_known,
        };
        Ok(Loaded {
            community: background.community,
            count: usize::try_from(count).unwrap_or(usize::MAX),
            is_usual_known,
            readers,
            likenesses,
            is_current: rules.as_ref().is_some_and(|rules| rules.are_current(generation, count)),
            rules: rules.map(StoredRules::into_rules),
            era: background.era,
            generation,
            cohort,
        })
    }
}

/// Whose templates are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose<'a> {
    /// Those of all readers.
    All,
    /// That of one.
    One(&'a str),
    /// Nobody's.
    Nobody,
}

/// All that comparing takes.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What readers are compared on.
    pub community: Community,
    /// Readers of the gallery, loaded or not.
    pub count: usize,
    /// Whether it is known of all of them what is usual.
    pub is_usual_known: bool,
    /// The readers that were asked for, by name.
    pub readers: Vec<Entry>,
    /// What is compared of each.
    pub likenesses: Vec<Likeness>,
    /// How decisions are made, where that was learned.
    pub rules: Option<VoicedRules>,
    /// Whether it was learned from about as many readers as there are.
    pub is_current: bool,
    /// How often the population was learned anew.
    pub era: u64,
    /// The gallery as it was. Rises with every change of readers, population or rules.
    pub generation: u64,
    /// Imagined readers that these are held against.
    pub cohort: StoredCohort,
}
