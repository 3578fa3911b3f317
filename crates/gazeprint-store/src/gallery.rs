//! Galleries of readers: a population, templates, recordings, and a log of what was done.

use gazeprint::method::{Community, Likeness, Population};
use gazeprint::replay::Sketch;
use hmac::Mac;
use zeroize::Zeroizing;

use crate::content::{
    BACKGROUND, Enrolment, Entry, FOUNDING, Founding, GalleryError, PEOPLE, POPULATION, RULES,
    Recordings, Remember, SHARED_RULES, StoredBackground, StoredReaders, StoredRules,
    StoredTemplate, VoicedRules, content, decode_voiced, earlier, encode, encode_voiced,
    read_recordings, setting, stored_background, stored_rules, template,
};
use crate::events::{Event, Logged, now};
use crate::recordings::Recording;
use crate::rows::{Rows, drop_rows, put_rows};
use crate::seal::keyed;
use crate::{Change, Checked, Kind, Location, Secret, Vault};

/// Readings of earlier probes that are remembered of a reader, to know them again.
const MOST_SKETCHES: usize = 2_000;

/// A gallery, opened.
pub struct Gallery {
    pub(crate) vault: Vault,
    pub(crate) founding: Founding,
}

pub(crate) fn log(
    at: &Location,
    change: &mut Change<'_>,
    event: Event,
) -> Result<(), GalleryError> {
    let entry = Logged { time: now(), event };
    let bytes = serde_json::to_vec(&entry).map_err(|error| content(at, "the log", error))?;
    Ok(change.append(&bytes).map(drop)?)
}

/// Keeps how decisions are made, within a change that leaves the gallery one generation later.
fn put_rules(
    at: &Location,
    change: &mut Change<'_>,
    rules: Option<&VoicedRules>,
) -> Result<(), GalleryError> {
    match rules {
        Some(rules) => {
            let (generation, rules) = (change.generation_after(), rules.clone());
            let bytes = encode_voiced(at, RULES, &StoredRules { generation, rules })?;
            change.put(Kind::Settings, RULES, &bytes)?;
        }
        None => drop(change.remove(Kind::Settings, RULES)?),
    }
    Ok(())
}

impl Gallery {
    /// Makes a gallery without readers: what they are compared on, the population where words are known,
    /// and the file of people that they are compared with.
    ///
    /// # Errors
    /// If there is something already, or it cannot be made.
    pub fn create(
        at: &Location,
        secret: Option<&Secret>,
        founding: Founding,
        population: Option<&Population>,
        community: &Community,
        people: &[u8],
    ) -> Result<Self, GalleryError> {
        let background = StoredBackground { era: 0, community: community.clone() };
        let mut settings = vec![
            (FOUNDING, encode(at, FOUNDING, &founding)?),
            (PEOPLE, people.to_vec()),
            (BACKGROUND, encode_voiced(at, BACKGROUND, &background)?),
        ];
        if let Some(population) = population {
            settings.push((POPULATION, encode(at, POPULATION, population)?));
        }
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
        let mut hash = keyed(salt);
        hash.update(name.as_bytes());
        let digits = hash.finalize().into_bytes();
        let digits: String = digits.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        format!("p-{digits}")
    }

    /// Whether there is a gallery, or anything else, at a place.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn exists(at: &Location) -> Result<bool, GalleryError> {
        Ok(Vault::exists(at)?)
    }

    /// What readers are learned with: the population, where words are known, what readers are compared
    /// on, and how often both were learned anew.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn learning(&mut self) -> Result<(Option<Population>, Community, u64), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let StoredBackground { era, community } = stored_background(&at, snapshot)?;
            let population = match community.background() {
                Some(_) => Some(setting(&at, snapshot, POPULATION)?),
                None => None,
            };
            Ok((population, community, era))
        })
    }

    /// The file of people that readers are compared with; none in galleries of words alone.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn people(&mut self) -> Result<Option<Zeroizing<Vec<u8>>>, GalleryError> {
        Ok(self.vault.read(|snapshot| snapshot.get(Kind::Settings, PEOPLE))?)
    }

    /// Whether this is the population.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn has_population(&mut self, population: &Population) -> Result<bool, GalleryError> {
        let at = self.vault.location().clone();
        let expected = encode(&at, POPULATION, population)?;
        let found = self.vault.read(|snapshot| snapshot.get(Kind::Settings, POPULATION))?;
        Ok(found.is_some_and(|found| *found == expected))
    }

    /// The readers with their templates, and what else comparing takes, yet to be decoded.
    ///
    /// # Errors
    /// If any of it cannot be read, or is missing.
    pub fn stored_readers(&mut self) -> Result<StoredReaders, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| StoredReaders::read(&at, snapshot))
    }

    /// Which state the gallery is in: rises with every change of readers, population or rules.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn generation(&mut self) -> Result<u64, GalleryError> {
        self.vault.read(|snapshot| Ok(snapshot.generation()))
    }

    /// Whether how decisions are made was learned from the readers as they are now.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn has_current_rules(&mut self) -> Result<bool, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let rules = stored_rules(&at, snapshot)?;
            Ok(rules.is_some_and(|rules| rules.generation == snapshot.generation()))
        })
    }

    /// Whether there is such a reader.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn has_reader(&mut self, id: &str) -> Result<bool, GalleryError> {
        Ok(self.vault.read(|snapshot| snapshot.get(Kind::Template, id))?.is_some())
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
                    let Recordings(recordings) = decode_voiced(&at, &record, &bytes)?;
                    all.push((name.to_owned(), recordings));
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
        let Enrolment { id, recordings, fixations, likeness } = enrolment;
        let count = recordings.len();
        let kept = encode_voiced(&at, "recordings", &Recordings(recordings))?;
        let conflict = |what: String| GalleryError::Conflict { at: at.clone(), what };
        let put = |change: &mut Change<'_>| {
            let known = template(&at, change, &id)?.map(|stored| stored.entry);
            if known.as_ref().map(|entry| entry.revision) != revision {
                return Err(conflict(format!("reader {id:?}")));
            }
            if stored_background(&at, change)?.era != era {
                return Err(conflict("the population".to_owned()));
            }
            let entry = Entry {
                id: id.clone(),
                recordings: count,
                fixations,
                enrolled: known.map_or_else(now, |entry| entry.enrolled),
                changed: now(),
                revision: revision.map_or(0, |revision| revision + 1),
            };
            let stored = StoredTemplate { entry: entry.clone(), likeness };
            change.put(Kind::Template, &id, &encode_voiced(&at, "template", &stored)?)?;
            change.put(Kind::Readings, &id, &kept)?;
            drop_rows(change)?;
            let recordings = entry.recordings;
            log(&at, change, Event::Enrolled { reader: id.clone(), recordings })?;
            Ok(entry)
        };
        // What was known before is not to be found in the file.
        match revision.is_some() || self.keeps_rows()? {
            false => self.vault.write(put),
            true => self.vault.erase(put),
        }
    }

    /// Keeps how decisions are made, learned from the readers as they were loaded, and the rows of the
    /// readers, if the gallery is still of that generation, and says whether it is: whoever changed it
    /// learns them anew.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn set_rules(
        &mut self,
        rules: Option<&VoicedRules>,
        rows: Option<(&Rows, &[Entry])>,
        generation: u64,
    ) -> Result<bool, GalleryError> {
        let at = self.vault.location().clone();
        let put = |change: &mut Change<'_>| {
            let is_unchanged = change.generation() == generation;
            if is_unchanged {
                put_rules(&at, change, rules)?;
                put_rows(&at, change, rows)?;
            }
            Ok(is_unchanged)
        };
        match self.keeps_rows()? {
            false => self.vault.write(put),
            true => self.vault.erase(put),
        }
    }

    /// Replaces the population, and with it all templates and how decisions are made, at once.
    ///
    /// # Errors
    /// If a reader or the population was changed meanwhile, or the gallery cannot be written.
    pub fn relearn(
        &mut self,
        population: Option<&Population>,
        community: &Community,
        era: u64,
        readers: Vec<(Entry, Likeness)>,
        rules: Option<&VoicedRules>,
    ) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        let conflict = |what: String| GalleryError::Conflict { at: at.clone(), what };
        let background = StoredBackground { era: era + 1, community: community.clone() };
        let population = population.map(|p| encode(&at, POPULATION, p)).transpose()?;
        // What was learned from readers who are no longer there is not to be found in the file.
        self.vault.erase(|change| {
            let known = stored_background(&at, change)?;
            if known.era != era || change.count(Kind::Template)? != readers.len() as u64 {
                return Err(conflict("the population or the list of readers".to_owned()));
            }
            let count = readers.len();
            for (mut entry, likeness) in readers {
                let there = template(&at, change, &entry.id)?.map(|stored| stored.entry.revision);
                if there != Some(entry.revision) {
                    return Err(conflict(format!("reader {:?}", entry.id)));
                }
                entry.revision += 1;
                let (id, stored) = (entry.id.clone(), StoredTemplate { entry, likeness });
                change.put(Kind::Template, &id, &encode_voiced(&at, "template", &stored)?)?;
            }
            if let Some(population) = &population {
                change.put(Kind::Settings, POPULATION, population)?;
            }
            let background = encode_voiced(&at, BACKGROUND, &background)?;
            change.put(Kind::Settings, BACKGROUND, &background)?;
            put_rules(&at, change, rules)?;
            change.remove(Kind::Settings, SHARED_RULES)?;
            drop_rows(change)?;
            log(&at, change, Event::Relearned { readers: count })
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
            change.remove(Kind::Settings, SHARED_RULES)?;
            drop_rows(change)?;
            log(&at, change, Event::Removed { reader: id.to_owned() })
        })
    }

    /// Overwrites what an erasure that was cut short has left, and says whether there was one. Every
    /// change does so first.
    ///
    /// # Errors
    /// If it cannot be overwritten.
    pub fn finish_erasing(&mut self) -> Result<bool, GalleryError> {
        Ok(self.vault.finish_erasing()?)
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
    /// If others remembered a probe of the reader meanwhile, which may be the same, or the gallery
    /// cannot be written.
    pub fn note(&mut self, event: Event, probe: Option<Remember<'_>>) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.write(|change| {
            // Of somebody who was removed meanwhile, nothing is kept.
            let probe = match probe {
                Some(probe) if change.get(Kind::Template, probe.id)?.is_some() => probe,
                _ => return log(&at, change, event),
            };
            let mut sketches = earlier(&at, change, probe.id)?;
            if sketches != probe.earlier {
                let what = format!("what is remembered of {:?}", probe.id);
                return Err(GalleryError::Conflict { at: at.clone(), what });
            }
            // One that was let pass though it was known is not remembered twice.
            let unseen = probe.sketches.iter().filter(|new| !probe.earlier.contains(new));
            sketches.extend(unseen.cloned());
            sketches.drain(..sketches.len().saturating_sub(MOST_SKETCHES));
            change.put(Kind::Probe, probe.id, &encode(&at, "earlier probes", &sketches)?)?;
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
        let at = self.vault.location().clone();
        let encrypted = secret.is_some();
        self.vault.rekey_with(secret, |change| log(&at, change, Event::Rekeyed { encrypted }))
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
        self.log_copied()?;
        Ok(Self { vault, founding: self.founding.clone() })
    }

    /// Reads everything but what templates hold, which [`Gallery::stored_readers`] gives.
    ///
    /// # Errors
    /// The first thing that is not right.
    pub fn check(&mut self) -> Result<Checked, GalleryError> {
        let checked = self.vault.check()?;
        self.learning()?;
        self.all_recordings(|_| true)?;
        self.check_rows()?;
        self.log()?;
        Ok(checked)
    }
}
