//! Galleries of readers: a population, templates, recordings, and a log of what was done.

use std::time::{SystemTime, UNIX_EPOCH};

use gazeprint::method::{Background, Population, Template};
use gazeprint::replay::Sketch;
use hmac::{Hmac, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use thiserror::Error;

use crate::recordings::Recording;
use crate::seal::random;
use crate::{Change, Checked, Kind, Location, Secret, Snapshot, StoreError, Vault};

const FOUNDING: &str = "founding";
const POPULATION: &str = "population";
const BACKGROUND: &str = "background";
const RULES: &str = "rules";
/// Readings of earlier probes that are remembered of a reader, to know them again.
const MOST_SKETCHES: usize = 2_000;

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
    #[error("{at}: found no reader {reader:?}{}; `gazeprint gallery list` shows all", near(.nearest))]
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

#[derive(Serialize, Deserialize)]
struct StoredTemplate {
    entry: Entry,
    template: Template,
}

#[derive(Serialize, Deserialize)]
struct StoredBackground {
    /// Rises when the population is learned anew.
    era: u64,
    background: Background,
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
    pub template: Template,
}

/// All that comparing takes.
#[derive(Debug, Clone)]
pub struct Loaded<R> {
    /// What templates are compared on.
    pub background: Background,
    /// The readers, by name.
    pub readers: Vec<Entry>,
    /// Their templates.
    pub templates: Vec<Template>,
    /// How decisions are made, where that was learned.
    pub rules: Option<R>,
    /// How often the population was learned anew.
    pub era: u64,
}

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Logged {
    /// Seconds since 1970.
    pub time: u64,
    /// What was done.
    #[serde(flatten)]
    pub event: Event,
}

/// What is logged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The gallery was made.
    Created {},
    /// A reader was enrolled, or given more recordings.
    Enrolled {
        /// Who.
        reader: String,
        /// Recordings in all.
        recordings: usize,
    },
    /// A reader was removed.
    Removed {
        /// Who.
        reader: String,
    },
    /// Somebody was looked for.
    Identified {
        /// Who it was taken for; none for somebody unknown.
        reader: Option<String>,
        /// Calibrated log-likelihood ratio of the best, nats.
        llr: f64,
        /// Fixations of the probe.
        fixations: usize,
        /// Whether it was a replay.
        replay: bool,
    },
    /// A claim was looked at.
    Verified {
        /// Who was claimed.
        reader: String,
        /// Whether it was believed.
        accepted: bool,
        /// Calibrated log-likelihood ratio, nats.
        llr: f64,
        /// Fixations of the probe.
        fixations: usize,
        /// Whether it was a replay.
        replay: bool,
    },
    /// Somebody was watched while reading, from one decision to the next.
    Watched {
        /// Who was claimed.
        reader: String,
        /// What was decided.
        decision: String,
        /// Calibrated log-likelihood ratio, nats.
        llr: f64,
        /// Fixations up to then.
        fixations: usize,
    },
    /// The population was learned anew.
    Relearned {
        /// Readers that it was learned from.
        readers: usize,
    },
    /// Everything was sealed anew.
    Rekeyed {
        /// Whether the gallery is encrypted now.
        encrypted: bool,
    },
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A gallery, opened.
pub struct Gallery {
    vault: Vault,
    founding: Founding,
}

fn encode<T: Serialize>(at: &Location, record: &str, value: &T) -> Result<Vec<u8>, GalleryError> {
    postcard::to_stdvec(value).map_err(|error| content(at, record, error))
}

fn decode<T: DeserializeOwned>(
    at: &Location,
    record: &str,
    bytes: &[u8],
) -> Result<T, GalleryError> {
    postcard::from_bytes(bytes).map_err(|error| content(at, record, error))
}

fn content(at: &Location, record: &str, error: impl ToString) -> GalleryError {
    let (record, message) = (record.to_owned(), error.to_string());
    GalleryError::Content { at: at.clone(), record, message }
}

/// A setting that every gallery has.
fn setting<T: DeserializeOwned>(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    name: &str,
) -> Result<T, GalleryError> {
    let bytes = snapshot.get(Kind::Settings, name)?;
    decode(at, name, &bytes.ok_or_else(|| content(at, name, "it is missing"))?)
}

fn log(at: &Location, change: &mut Change<'_>, event: Event) -> Result<(), GalleryError> {
    let entry = Logged { time: now(), event };
    let bytes = serde_json::to_vec(&entry).map_err(|error| content(at, "the log", error))?;
    Ok(change.append(&bytes).map(drop)?)
}

impl Gallery {
    /// Makes a gallery without readers, around a population.
    ///
    /// # Errors
    /// If there is something already, or it cannot be made.
    pub fn create(
        at: &Location,
        secret: Option<&Secret>,
        founding: Founding,
        population: &Population,
    ) -> Result<Self, GalleryError> {
        let background = StoredBackground { era: 0, background: population.background() };
        let settings = [
            (FOUNDING, encode(at, FOUNDING, &founding)?),
            (POPULATION, encode(at, POPULATION, population)?),
            (BACKGROUND, encode(at, BACKGROUND, &background)?),
        ];
        let vault = Vault::create_with(at, secret, |change| {
            for (name, value) in &settings {
                change.put(Kind::Settings, name, value)?;
            }
            log(at, change, Event::Created {})
        })?;
        Ok(Self { vault, founding })
    }

    /// Opens a gallery.
    ///
    /// # Errors
    /// If there is none, it is damaged, or the secret is not the right one.
    pub fn open(at: &Location, secret: Option<&Secret>) -> Result<Self, GalleryError> {
        let mut vault = Vault::open(at, secret)?;
        let founding = vault.read(|snapshot| setting(at, snapshot, FOUNDING))?;
        Ok(Self { vault, founding })
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        self.vault.location()
    }

    /// Whether it is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.vault.is_encrypted()
    }

    /// What was fixed when it was made.
    pub fn founding(&self) -> &Founding {
        &self.founding
    }

    /// What a reader of this name is kept under.
    pub fn id_of(&self, name: &str) -> String {
        let Some(salt) = &self.founding.pseudonyms else {
            return name.to_owned();
        };
        let mut hash = Hmac::<Sha256>::new_from_slice(salt).expect("a key of any length will do");
        hash.update(name.as_bytes());
        let digits = hash.finalize().into_bytes();
        let digits: String = digits.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("p-{digits}")
    }

    /// Whether there is a gallery, or anything else, at a place.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn exists(at: &Location) -> Result<bool, GalleryError> {
        Ok(Vault::exists(at)?)
    }

    /// How often the population was learned anew.
    ///
    /// # Errors
    /// If the gallery cannot be read.
    pub fn era(&mut self) -> Result<u64, GalleryError> {
        let at = self.vault.location().clone();
        let background: StoredBackground =
            self.vault.read(|snapshot| setting(&at, snapshot, BACKGROUND))?;
        Ok(background.era)
    }

    /// The population.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn population(&mut self) -> Result<Population, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| setting(&at, snapshot, POPULATION))
    }

    /// The readers with their templates, and what else comparing takes.
    ///
    /// # Errors
    /// If any of it cannot be read, or is missing.
    pub fn load<R: DeserializeOwned>(&mut self) -> Result<Loaded<R>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let StoredBackground { era, background } = setting(&at, snapshot, BACKGROUND)?;
            let rules = snapshot.get(Kind::Settings, RULES)?;
            let rules = rules.map(|bytes| decode(&at, RULES, &bytes)).transpose()?;
            let stored = templates(&at, snapshot)?;
            let (readers, templates) = stored.into_iter().map(|s| (s.entry, s.template)).unzip();
            Ok(Loaded { background, readers, templates, rules, era })
        })
    }

    /// The readers.
    ///
    /// # Errors
    /// As [`Gallery::load`].
    pub fn list(&mut self) -> Result<Vec<Entry>, GalleryError> {
        let at = self.vault.location().clone();
        let stored = self.vault.read(|snapshot| templates(&at, snapshot))?;
        Ok(stored.into_iter().map(|stored| stored.entry).collect())
    }

    /// What a reader read, and which change of the reader that is; nothing of somebody unknown.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn recordings(&mut self, id: &str) -> Result<Option<(Vec<Recording>, u64)>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let Some(StoredTemplate { entry, .. }) = template(&at, snapshot, id)? else {
                return Ok(None);
            };
            Ok(Some((read_recordings(&at, snapshot, id)?, entry.revision)))
        })
    }

    /// The recordings of all readers that are wanted, by name.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn all_recordings(
        &mut self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<Recording>)>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let mut all: Vec<(String, Vec<Recording>)> = Vec::new();
            snapshot.each(Kind::Readings, |name, bytes| {
                if wanted(name) {
                    let record = format!("the recordings of {name:?}");
                    all.push((name.to_owned(), decode(&at, &record, &bytes)?));
                }
                Ok::<_, GalleryError>(())
            })?;
            all.sort_by(|a, b| a.0.cmp(&b.0));
            Ok(all)
        })
    }

    /// Enrols a reader, or replaces what is known of one. `based_on` says which change of the reader
    /// and which population the template was learned from.
    ///
    /// # Errors
    /// If the reader or the population was changed meanwhile, or the gallery cannot be written. It is
    /// as it was then.
    pub fn enroll(
        &mut self,
        enrolment: Enrolment,
        (revision, era): (Option<u64>, u64),
    ) -> Result<Entry, GalleryError> {
        let at = self.vault.location().clone();
        let Enrolment { id, recordings, fixations, template: learned } = enrolment;
        let kept = encode(&at, "recordings", &recordings)?;
        let conflict = |what: String| GalleryError::Conflict { at: at.clone(), what };
        self.vault.write(|change| {
            let known = template(&at, change, &id)?.map(|stored| stored.entry);
            if known.as_ref().map(|entry| entry.revision) != revision {
                return Err(conflict(format!("reader {id:?}")));
            }
            let background: StoredBackground = setting(&at, change, BACKGROUND)?;
            if background.era != era {
                return Err(conflict("the population".to_owned()));
            }
            let entry = Entry {
                id: id.clone(),
                recordings: recordings.len(),
                fixations,
                enrolled: known.map_or_else(now, |entry| entry.enrolled),
                changed: now(),
                revision: revision.map_or(0, |revision| revision + 1),
            };
            let stored = StoredTemplate { entry: entry.clone(), template: learned };
            change.put(Kind::Template, &id, &encode(&at, "template", &stored)?)?;
            change.put(Kind::Readings, &id, &kept)?;
            let recordings = entry.recordings;
            log(&at, change, Event::Enrolled { reader: id.clone(), recordings })?;
            Ok(entry)
        })
    }

    /// Keeps how decisions are made, learned from readers and a population as they are.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn set_rules<R: Serialize>(&mut self, rules: Option<&R>) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        let bytes = rules.map(|rules| encode(&at, RULES, rules)).transpose()?;
        self.vault.write(|change| {
            match bytes {
                Some(bytes) => change.put(Kind::Settings, RULES, &bytes)?,
                None => drop(change.remove(Kind::Settings, RULES)?),
            }
            Ok(())
        })
    }

    /// Replaces the population, and with it all templates, at once.
    ///
    /// # Errors
    /// If a reader or the population was changed meanwhile, or the gallery cannot be written.
    pub fn relearn(
        &mut self,
        population: &Population,
        era: u64,
        templates: Vec<(Entry, Template)>,
    ) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        let conflict = |what: String| GalleryError::Conflict { at: at.clone(), what };
        let background = StoredBackground { era: era + 1, background: population.background() };
        let population = encode(&at, POPULATION, population)?;
        self.vault.write(|change| {
            let known: StoredBackground = setting(&at, change, BACKGROUND)?;
            if known.era != era || change.count(Kind::Template)? != templates.len() as u64 {
                return Err(conflict("the population or the list of readers".to_owned()));
            }
            let readers = templates.len();
            for (mut entry, learned) in templates {
                let there = template(&at, change, &entry.id)?.map(|stored| stored.entry.revision);
                if there != Some(entry.revision) {
                    return Err(conflict(format!("reader {:?}", entry.id)));
                }
                entry.revision += 1;
                let (id, stored) = (entry.id.clone(), StoredTemplate { entry, template: learned });
                change.put(Kind::Template, &id, &encode(&at, "template", &stored)?)?;
            }
            change.put(Kind::Settings, POPULATION, &population)?;
            change.put(Kind::Settings, BACKGROUND, &encode(&at, BACKGROUND, &background)?)?;
            log(&at, change, Event::Relearned { readers })
        })
    }

    /// Removes a reader and all that is kept of them, and overwrites it.
    ///
    /// # Errors
    /// If there is no such reader, or the gallery cannot be written.
    pub fn remove(&mut self, id: &str) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.erase(|change| {
            if !change.remove(Kind::Template, id)? {
                let (reader, nearest) = (id.to_owned(), None);
                return Err(GalleryError::UnknownReader { at: at.clone(), reader, nearest });
            }
            change.remove(Kind::Readings, id)?;
            change.remove(Kind::Probe, id)?;
            log(&at, change, Event::Removed { reader: id.to_owned() })
        })
    }

    /// Sketches of the earlier probes that were taken for a reader.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn earlier_probes(&mut self, id: &str) -> Result<Vec<Sketch>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| earlier(&at, snapshot, id))
    }

    /// Logs what was done, and remembers the probe of a reader, to know it again.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn note(
        &mut self,
        event: Event,
        probe: Option<(&str, &[Sketch])>,
    ) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.write(|change| {
            if let Some((id, new)) = probe {
                let mut sketches = earlier(&at, change, id)?;
                sketches.extend_from_slice(new);
                sketches.drain(..sketches.len().saturating_sub(MOST_SKETCHES));
                change.put(Kind::Probe, id, &encode(&at, "earlier probes", &sketches)?)?;
            }
            log(&at, change, event)
        })
    }

    /// The log, from its first entry.
    ///
    /// # Errors
    /// If it cannot be read, or was tampered with.
    pub fn log(&mut self) -> Result<Vec<Logged>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let mut entries = Vec::new();
            snapshot.log(|number, bytes| {
                let entry = serde_json::from_slice(&bytes);
                let record = format!("entry {number} of the log");
                entries.push(entry.map_err(|error| content(&at, &record, error))?);
                Ok::<_, GalleryError>(())
            })?;
            Ok(entries)
        })
    }

    /// Seals everything anew, behind another secret or none.
    ///
    /// # Errors
    /// If anything is damaged, or the gallery cannot be written.
    pub fn rekey(&mut self, secret: Option<&Secret>) -> Result<(), GalleryError> {
        self.vault.rekey(secret)?;
        let at = self.vault.location().clone();
        let encrypted = self.vault.is_encrypted();
        self.vault.write(|change| log(&at, change, Event::Rekeyed { encrypted }))
    }

    /// The same gallery at another place.
    ///
    /// # Errors
    /// If there is something already, anything here is damaged, or the copy cannot be made.
    pub fn copy_to(
        &mut self,
        at: &Location,
        secret: Option<&Secret>,
    ) -> Result<Self, GalleryError> {
        let vault = self.vault.copy_to(at, secret)?;
        Ok(Self { vault, founding: self.founding.clone() })
    }

    /// Reads everything.
    ///
    /// # Errors
    /// The first thing that is not right.
    pub fn check(&mut self) -> Result<Checked, GalleryError> {
        let checked = self.vault.check()?;
        self.population()?;
        self.list()?;
        self.era()?;
        self.all_recordings(|_| true)?;
        self.log()?;
        Ok(checked)
    }
}

/// All templates, by name of the reader.
fn templates(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
) -> Result<Vec<StoredTemplate>, GalleryError> {
    let mut stored: Vec<StoredTemplate> = Vec::new();
    snapshot.each(Kind::Template, |name, bytes| {
        stored.push(decode(at, &format!("the template of {name:?}"), &bytes)?);
        Ok::<_, GalleryError>(())
    })?;
    stored.sort_by(|a, b| a.entry.id.cmp(&b.entry.id));
    Ok(stored)
}

fn template(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Option<StoredTemplate>, GalleryError> {
    let bytes = snapshot.get(Kind::Template, id)?;
    bytes.map(|bytes| decode(at, &format!("the template of {id:?}"), &bytes)).transpose()
}

fn read_recordings(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Vec<Recording>, GalleryError> {
    let record = format!("the recordings of {id:?}");
    let bytes = snapshot.get(Kind::Readings, id)?;
    decode(at, &record, &bytes.ok_or_else(|| content(at, &record, "they are missing"))?)
}

fn earlier(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    id: &str,
) -> Result<Vec<Sketch>, GalleryError> {
    let bytes = snapshot.get(Kind::Probe, id)?;
    let sketches = bytes.map(|bytes| decode(at, &format!("earlier probes of {id:?}"), &bytes));
    Ok(sketches.transpose()?.unwrap_or_default())
}
