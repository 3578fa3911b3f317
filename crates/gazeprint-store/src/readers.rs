//! Readers who come, change and go, and what is learned from them.

use gazeprint::method::{Community, Likeness, Population};
use zeroize::Zeroizing;

use crate::content::{
    BACKGROUND, COHORT, Enrolment, Entry, POPULATION, RULES, Recordings, SHARED_RULES,
    StoredBackground, StoredRules, Version, VoicedRules, content, encode, encode_voiced, entry,
    put_reader, stored_background, take_census, versioned,
};
use crate::events::{Event, now};
use crate::failure::GalleryError;
use crate::gallery::{Gallery, log};
use crate::rows::{drop_rows, put_row};
use crate::{Change, Kind, Location};

/// How decisions are made, when it is kept.
#[derive(Debug, Clone, Copy)]
pub enum Learned<'a> {
    /// As it was.
    Before,
    /// Learned anew; nothing where readers are too few.
    Anew(Option<&'a VoicedRules>),
}

/// Keeps how decisions are made, within a change that leaves the gallery one generation later.
fn put_rules(
    at: &Location,
    change: &mut Change<'_>,
    rules: Option<&VoicedRules>,
) -> Result<(), GalleryError> {
    match rules {
        Some(rules) => {
            let readers = change.count(Kind::Template)?;
            let stored = StoredRules::new(change.generation_after(), readers, rules.clone());
            change.put(Kind::Settings, RULES, &encode_voiced(at, RULES, &stored)?)?;
        }
        None => drop(change.remove(Kind::Settings, RULES)?),
    }
    Ok(())
}

impl Gallery {
    /// Enrols a reader, or replaces what is known of one. `based_on` says which version of the reader
    /// and which population the template was learned from.
    ///
    /// # Errors
    /// If the reader or the population was changed meanwhile, or the gallery cannot be written. It is
    /// as it was then.
    pub fn enroll(
        &mut self,
        enrolment: Enrolment,
        (version, era): (Option<Version>, u64),
        replace: bool,
    ) -> Result<Entry, GalleryError> {
        let mut entries = self.enroll_all(vec![(enrolment, version)], era, replace)?;
        let entry = entries.pop();
        entry.ok_or_else(|| content(self.vault.location(), "the enrolment", "it is missing"))
    }

    /// The same of several readers at once, all or none.
    ///
    /// # Errors
    /// As [`Gallery::enroll`].
    pub fn enroll_all(
        &mut self,
        enrolments: Vec<(Enrolment, Option<Version>)>,
        era: u64,
        replace: bool,
    ) -> Result<Vec<Entry>, GalleryError> {
        let at = self.vault.location().clone();
        let conflict = |what: String| GalleryError::Conflict { at: at.clone(), what };
        let encoded = |(enrolment, version): (Enrolment, Option<Version>)| {
            let Enrolment { id, recordings, fixations, likeness, row } = enrolment;
            let count = recordings.len();
            let kept = encode_voiced(&at, "recordings", &Recordings(recordings))?;
            let kept = Zeroizing::new(kept);
            Ok::<_, GalleryError>((id, count, fixations, likeness, row, kept, version))
        };
        let encoded: Vec<_> = enrolments.into_iter().map(encoded).collect::<Result<_, _>>()?;
        // The key of who begins anew is overwritten.
        let erases = replace && encoded.iter().any(|(.., version)| version.is_some());
        let put = |change: &mut Change<'_>| {
            if stored_background(&at, change)?.era != era {
                return Err(conflict("the population".to_owned()));
            }
            let mut entries = Vec::with_capacity(encoded.len());
            for (id, recordings, fixations, likeness, row, kept, version) in encoded {
                let (known, there) = versioned(&at, change, &id)?.unzip();
                if there != version {
                    return Err(conflict(format!("reader {id:?}")));
                }
                if replace && known.is_some() {
                    forget(&at, change, &id)?;
                }
                let entry = Entry {
                    id: id.clone(),
                    recordings,
                    fixations,
                    enrolled: known.map_or_else(now, |entry| entry.enrolled),
                    changed: now(),
                    revision: version.map_or(0, |version| version.revision + 1),
                };
                put_reader(&at, change, entry.clone(), likeness)?;
                change.put(Kind::Readings, &id, &kept)?;
                put_row(&at, change, &id, row.as_ref())?;
                log(&at, change, Event::Enrolled { reader: id, recordings })?;
                entries.push(entry);
            }
            Ok(entries)
        };
        match erases {
            false => self.vault.write(put),
            true => self.vault.erase(put),
        }
    }

    /// Keeps how decisions are made, where that was learned anew from the readers as they were loaded, if the
    /// gallery is still of that generation, and says whether it is: whoever changed it learns them anew.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn set_rules(
        &mut self,
        learned: Learned<'_>,
        generation: u64,
    ) -> Result<bool, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.write(|change| {
            let is_unchanged = change.generation() == generation;
            if let (true, Learned::Anew(rules)) = (is_unchanged, learned) {
                put_rules(&at, change, rules)?;
            }
            Ok(is_unchanged)
        })
    }

    /// Replaces the population, and with it all templates and how decisions are made, at once.
    ///
    /// # Errors
    /// If the gallery is of another generation by now, or cannot be written.
    pub fn relearn(
        &mut self,
        population: Option<&Population>,
        community: &Community,
        generation: u64,
        readers: Vec<(Entry, Likeness)>,
        rules: Option<&VoicedRules>,
    ) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        let population = population
            .map(|p| {
                let cohort = encode(&at, COHORT, &p.cohort())?;
                Ok::<_, GalleryError>([(POPULATION, encode(&at, POPULATION, p)?), (COHORT, cohort)])
            })
            .transpose()?;
        self.vault.write(|change| {
            // What was learned is of all readers as they were.
            if change.generation() != generation {
                let what = "the gallery".to_owned();
                return Err(GalleryError::Conflict { at: at.clone(), what });
            }
            let era = stored_background(&at, change)?.era + 1;
            let background = StoredBackground { era, community: community.clone() };
            let count = readers.len();
            for (mut entry, likeness) in readers {
                entry.revision += 1;
                put_reader(&at, change, entry, likeness)?;
            }
            for (name, value) in population.iter().flatten() {
                change.put(Kind::Settings, name, value)?;
            }
            let background = encode_voiced(&at, BACKGROUND, &background)?;
            change.put(Kind::Settings, BACKGROUND, &background)?;
            put_rules(&at, change, rules)?;
            change.remove(Kind::Settings, SHARED_RULES)?;
            drop_rows(change)?;
            log(&at, change, Event::Relearned { readers: count })
        })
    }

    /// Removes a reader and all that is kept of them, and overwrites the key that it was under.
    ///
    /// # Errors
    /// If there is no such reader, or the gallery cannot be written.
    pub fn remove(&mut self, id: &str) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        self.vault.erase(|change| {
            if !change.has(Kind::Template, id)? {
                let (reader, nearest) = (id.to_owned(), None);
                return Err(GalleryError::UnknownReader { at: at.clone(), reader, nearest });
            }
            forget(&at, change, id)?;
            change.remove(Kind::Settings, SHARED_RULES)?;
            log(&at, change, Event::Removed { reader: id.to_owned() })
        })
    }
}

/// Takes a reader out with all that is kept of them.
fn forget(at: &Location, change: &mut Change<'_>, id: &str) -> Result<(), GalleryError> {
    if let Some(stored) = entry(at, change, id)? {
        take_census(at, change, u64::from(stored.is_usual_known), 1)?;
    }
    change.forget(id)?;
    Ok(())
}
