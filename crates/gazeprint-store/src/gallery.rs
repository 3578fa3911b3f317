//! Galleries of readers: a population, templates, recordings, and a log of what was done.

use gazeprint::method::{Community, Population};
use gazeprint::replay::Sketch;
use hmac::Mac;
use zeroize::Zeroizing;

use crate::content::{
    BACKGROUND, COHORT, Entry, FOUNDING, Founding, PEOPLE, POPULATION, Recordings, Remember,
    StoredBackground, Version, content, decode_entry, decode_voiced, earlier, encode,
    encode_voiced, entry, old_template, read_recordings, setting, stored_rules, versioned,
};
use crate::events::{Event, Logged, now};
use crate::failure::GalleryError;
use crate::recordings::Recording;
use crate::seal::keyed;
use crate::stored::{StoredLearning, StoredReaders, Whose};
use crate::{Change, Kind, Location, Secret, Vault};

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
            settings.push((COHORT, encode(at, COHORT, &population.cohort())?));
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

    /// Whether it is of an earlier format, and only read: see [`Gallery::upgrade`].
    pub fn is_old(&self) -> bool {
        self.vault.is_old()
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
    pub fn stored_learning(&mut self) -> Result<StoredLearning, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| StoredLearning::read(&at, snapshot))
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

    /// Readers with their templates, and what else comparing takes, yet to be decoded.
    ///
    /// # Errors
    /// If any of it cannot be read, or is missing.
    pub fn stored_readers(&mut self, whose: Whose<'_>) -> Result<StoredReaders, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| StoredReaders::read(&at, snapshot, whose))
    }

    /// Calls `work` with the entry of every reader, in no order that means anything.
    ///
    /// # Errors
    /// Those of `work`, or if an entry cannot be read.
    pub fn each_entry(
        &mut self,
        mut work: impl FnMut(Entry) -> Result<(), GalleryError>,
    ) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            if snapshot.is_old() {
                return snapshot.each(Kind::Template, |id, bytes| {
                    work(old_template(&at, id, &bytes)?.0.entry)
                });
            }
            snapshot.each(Kind::Entry, |id, bytes| work(decode_entry(&at, id, &bytes)?.entry))
        })
    }

    /// What is listed of a reader.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn entry(&mut self, id: &str) -> Result<Option<Entry>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| Ok(entry(&at, snapshot, id)?.map(|stored| stored.entry)))
    }

    /// How many readers there are.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn count(&mut self) -> Result<usize, GalleryError> {
        let count = self.vault.read(|snapshot| snapshot.count(Kind::Template))?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Which state the gallery is in: rises with every change of readers, population or rules.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn generation(&mut self) -> Result<u64, GalleryError> {
        self.vault.read(|snapshot| Ok(snapshot.generation()))
    }

    /// Whether how decisions are made was learned from about as many readers as there are.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn has_current_rules(&mut self) -> Result<bool, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let (generation, readers) = (snapshot.generation(), snapshot.count(Kind::Template)?);
            let rules = stored_rules(&at, snapshot)?;
            Ok(rules.is_some_and(|rules| rules.are_current(generation, readers)))
        })
    }

    /// Whether there is such a reader.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn has_reader(&mut self, id: &str) -> Result<bool, GalleryError> {
        Ok(self.vault.read(|snapshot| snapshot.has(Kind::Template, id))?)
    }

    /// What a reader read, and which change of the reader that is; nothing of somebody unknown.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn recordings(
        &mut self,
        id: &str,
    ) -> Result<Option<(Vec<Recording>, Version)>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let Some((_, version)) = versioned(&at, snapshot, id)? else {
                return Ok(None);
            };
            Ok(Some((read_recordings(&at, snapshot, id)?, version)))
        })
    }

    /// The recordings of some readers, in the order given, without those who are not there.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn recordings_of(
        &mut self,
        ids: &[&str],
    ) -> Result<Vec<(String, Vec<Recording>)>, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                if snapshot.has(Kind::Readings, id)? {
                    found.push(((*id).to_owned(), read_recordings(&at, snapshot, id)?));
                }
            }
            Ok(found)
        })
    }

    /// The recordings of all readers, by name.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn all_recordings(&mut self) -> Result<Vec<(String, Vec<Recording>)>, GalleryError> {
        let mut all: Vec<(String, Vec<Recording>)> = Vec::new();
        self.each_recordings(|name, recordings| {
            all.push((name.to_owned(), recordings));
            Ok(())
        })?;
        all.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }

    pub(crate) fn each_recordings(
        &mut self,
        mut work: impl FnMut(&str, Vec<Recording>) -> Result<(), GalleryError>,
    ) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            snapshot.each(Kind::Readings, |name, bytes| {
                let record = format!("the recordings of {name:?}");
                let Recordings(recordings) = decode_voiced(&at, &record, &bytes)?;
                work(name, recordings)
            })
        })
    }

    /// Overwrites what an erasure that was cut short has left beside the gallery, and says whether there
    /// was anything.
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
                Some(probe) if change.has(Kind::Template, probe.id)? => probe,
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
        let mut entries = Vec::new();
        self.each_logged(|entry| {
            entries.push(entry);
            Ok(())
        })?;
        Ok(entries)
    }

    /// Calls `work` with every entry of the log, from the first.
    ///
    /// # Errors
    /// Those of `work`; if the log cannot be read, or was tampered with.
    pub fn each_logged(
        &mut self,
        mut work: impl FnMut(Logged) -> Result<(), GalleryError>,
    ) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.read(|snapshot| {
            snapshot.log(|number, bytes| {
                let entry = serde_json::from_slice(&bytes);
                let record = format!("entry {number} of the log");
                work(entry.map_err(|error| content(&at, &record, error))?)
            })
        })
    }
}
