//! Several galleries that together are one: what was enrolled in shards.

use std::collections::BTreeMap;
use std::fmt;

use gazeprint::method::{Background, Population};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::content::{
    BACKGROUND, Basis, Entry, FOUNDING, Founding, GalleryError, Loaded, POPULATION, SHARED_RULES,
    StoredBackground, StoredSharedRules, decode, encode, loaded, setting, setting_bytes,
};
use crate::events::{Event, now};
use crate::gallery::{Gallery, log};
use crate::recordings::Recording;
use crate::rows::Rows;
use crate::{Change, Kind, Location, Secret, Snapshot, Vault};

/// Galleries that together are one. A gallery alone is the simplest case.
///
/// They must have the same method, durations, pseudonyms and population, and no reader twice, which
/// is checked whenever they are read. Then everything is as if all readers were in one gallery.
pub struct Shards<'a> {
    first: &'a mut Gallery,
    others: &'a mut [Gallery],
}

/// The locations.
impl fmt::Display for Shards<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first.location())?;
        self.others.iter().try_for_each(|other| write!(f, ", {}", other.location()))
    }
}

impl<'a> From<&'a mut Gallery> for Shards<'a> {
    fn from(gallery: &'a mut Gallery) -> Self {
        Self { first: gallery, others: &mut [] }
    }
}

/// What must be the same in all shards.
struct Common {
    founding: Founding,
    era: u64,
    /// Digest of the population.
    population: [u8; 32],
}

impl Common {
    fn read(
        at: &Location,
        founding: &Founding,
        snapshot: &mut Snapshot<'_>,
    ) -> Result<Self, GalleryError> {
        let StoredBackground { era, .. } = setting(at, snapshot, BACKGROUND)?;
        let population = Sha256::digest(&*setting_bytes(at, snapshot, POPULATION)?).into();
        Ok(Self { founding: founding.clone(), era, population })
    }

    /// In what another gallery differs, and what to do.
    fn difference(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (&self.founding, &other.founding);
        if ours.method != theirs.method {
            let (ours, theirs) = (&ours.method, &theirs.method);
            return Some(format!("found the method {theirs}, expected {ours}"));
        }
        if ours.durations_ms != theirs.durations_ms {
            let [ours, theirs] = [ours, theirs]
                .map(|it| format!("{} to {} ms", it.durations_ms[0], it.durations_ms[1]));
            return Some(format!(
                "found that fixations of {theirs} count, expected those of {ours}; enrol it anew with \
                 these durations"
            ));
        }
        if ours.pseudonyms != theirs.pseudonyms {
            return Some(
                "found other pseudonyms, expected names that are hashed alike, or not at all; enrol \
                 into copies of one gallery (`gazeprint gallery export --empty`)"
                    .to_owned(),
            );
        }
        if (self.era, self.population) != (other.era, other.population) {
            return Some(
                "found another population, expected the same one, learned once; enrol all shards \
                 with one file (--population FILE), and learn it anew only where they were merged"
                    .to_owned(),
            );
        }
        None
    }

    /// Refuses a gallery that differs.
    fn check(&self, at: &Location, first: &Location, other: &Self) -> Result<(), GalleryError> {
        match self.difference(other) {
            None => Ok(()),
            Some(why) => Err(GalleryError::Apart { at: at.clone(), first: first.clone(), why }),
        }
    }
}

/// A gallery as one of several.
struct Shard<R> {
    common: Common,
    loaded: Loaded<R>,
    shared: Option<StoredSharedRules<R>>,
}

impl<R: DeserializeOwned> Shard<R> {
    fn read(gallery: &mut Gallery) -> Result<Self, GalleryError> {
        let at = gallery.location().clone();
        let Gallery { vault, founding } = gallery;
        vault.read(|snapshot| {
            let shared = snapshot.get(Kind::Settings, SHARED_RULES)?;
            let shared = shared.map(|bytes| decode(&at, SHARED_RULES, &bytes)).transpose()?;
            let common = Common::read(&at, founding, snapshot)?;
            Ok(Self { common, loaded: loaded(&at, snapshot)?, shared })
        })
    }
}

/// Who is in which gallery, so that nobody is in two.
#[derive(Default)]
struct Holders(BTreeMap<String, usize>);

impl Holders {
    fn add(&mut self, reader: &str, number: usize, at: &[Location]) -> Result<(), GalleryError> {
        match self.0.insert(reader.to_owned(), number) {
            None => Ok(()),
            Some(before) => Err(GalleryError::Twice {
                reader: reader.to_owned(),
                first: at[before].clone(),
                at: at[number].clone(),
            }),
        }
    }
}

impl<'a> Shards<'a> {
    /// Galleries, or nothing where there is none.
    pub fn of(galleries: &'a mut [Gallery]) -> Option<Self> {
        let (first, others) = galleries.split_first_mut()?;
        Some(Self { first, others })
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Gallery> {
        std::iter::once(&mut *self.first).chain(self.others.iter_mut())
    }

    fn locations(&self) -> Vec<Location> {
        let others = self.others.iter().map(|other| other.location().clone());
        std::iter::once(self.first.location().clone()).chain(others).collect()
    }

    /// What was fixed when they were made.
    pub fn founding(&self) -> &Founding {
        self.first.founding()
    }

    /// One of them: see [`Loaded::holders`].
    ///
    /// # Panics
    /// If there are not so many.
    pub fn gallery(&mut self, number: usize) -> &mut Gallery {
        match number {
            0 => self.first,
            _ => &mut self.others[number - 1],
        }
    }

    /// The gallery, where it is alone.
    pub fn alone(&mut self) -> Option<&mut Gallery> {
        self.others.is_empty().then_some(&mut *self.first)
    }

    /// How many readers there are.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn count(&mut self) -> Result<usize, GalleryError> {
        let counts = self.all().map(|it| it.vault.read(|snapshot| snapshot.count(Kind::Template)));
        Ok(usize::try_from(counts.sum::<Result<u64, _>>()?).unwrap_or(usize::MAX))
    }

    /// The readers of all with their templates, and what else comparing takes: as [`Gallery::load`] of
    /// a gallery that has all of them.
    ///
    /// # Errors
    /// If any of it cannot be read, or is missing; if they do not belong together.
    pub fn load<R: DeserializeOwned + Send>(&mut self) -> Result<Loaded<R>, GalleryError> {
        if self.others.is_empty() {
            return self.first.load();
        }
        let at = self.locations();
        // Whatever the number of threads, the first error is told.
        let shards: Vec<Result<Shard<R>, _>> =
            self.all().collect::<Vec<_>>().into_par_iter().map(Shard::read).collect();
        together(&at, shards.into_iter().collect::<Result<_, _>>()?)
    }

    /// The population, and how often it was learned anew.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn population(&mut self) -> Result<(Population, u64), GalleryError> {
        self.first.population()
    }

    /// The recordings of all readers that are wanted, by name.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn all_recordings(
        &mut self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<Recording>)>, GalleryError> {
        let mut all = Vec::new();
        for gallery in self.all() {
            all.extend(gallery.all_recordings(&wanted)?);
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }

    /// Keeps how decisions are made, learned from the readers as they were loaded, and for a gallery
    /// alone the rows of its readers. Says no if they were changed since: whoever did that learns them
    /// anew.
    ///
    /// # Errors
    /// If a gallery cannot be written.
    pub fn set_rules<R: Serialize + DeserializeOwned>(
        &mut self,
        rules: Option<&R>,
        rows: Option<(&Rows, &[Entry])>,
        basis: &Basis,
    ) -> Result<bool, GalleryError> {
        // Rules that only some shards have in the end do no harm: they fit the readers, or they do not.
        for (gallery, generation) in self.all().zip(&basis.generations) {
            let is_kept = match basis.readers {
                None => gallery.set_rules(rules, rows, *generation)?,
                Some(readers) => gallery.set_shared_rules(rules, readers, *generation)?,
            };
            if !is_kept {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes one gallery of all, elsewhere.
    ///
    /// # Errors
    /// If there is something already, they do not belong together, anything here is damaged, or the
    /// gallery cannot be made: there is none then. Or if the shards cannot note that they were copied:
    /// there is one.
    pub fn merge(
        &mut self,
        to: &Location,
        secret: Option<&Secret>,
    ) -> Result<Gallery, GalleryError> {
        let founding = self.founding().clone();
        let merged = alike(to, secret, founding, |change| self.copy_into(to, change))?;
        self.all().try_for_each(Gallery::log_copied)?;
        Ok(merged)
    }

    /// Copies everything but the log and how decisions are made, one gallery after the other.
    fn copy_into(&mut self, to: &Location, change: &mut Change<'_>) -> Result<(), GalleryError> {
        let at = self.locations();
        let mut holders = Holders::default();
        let mut common: Option<Common> = None;
        for (number, gallery) in self.all().enumerate() {
            let Gallery { vault, founding } = gallery;
            vault.read(|snapshot| {
                let own = Common::read(&at[number], founding, snapshot)?;
                match &common {
                    Some(common) => common.check(&at[number], &at[0], &own)?,
                    None => {
                        copy_population(&at[number], snapshot, change)?;
                        common = Some(own);
                    }
                }
                snapshot.each(Kind::Template, |name, value| {
                    holders.add(name, number, &at)?;
                    Ok::<_, GalleryError>(change.put(Kind::Template, name, &value)?)
                })?;
                for kind in [Kind::Readings, Kind::Probe] {
                    snapshot.each(kind, |name, value| change.put(kind, name, &value))?;
                }
                Ok::<_, GalleryError>(())
            })?;
        }
        let (readers, galleries) = (holders.0.len(), at.len());
        log(to, change, Event::Merged { readers, galleries })
    }
}

impl Gallery {
    /// A gallery without readers at another place, and of the same kind: what is enrolled there belongs
    /// together with what is here.
    ///
    /// # Errors
    /// If there is something already, anything here is damaged, or the gallery cannot be made.
    pub fn empty_copy_to(
        &mut self,
        to: &Location,
        secret: Option<&Secret>,
    ) -> Result<Self, GalleryError> {
        let (at, founding) = (self.location().clone(), self.founding.clone());
        let copy = self.vault.read(|snapshot| {
            alike(to, secret, founding, |change| copy_population(&at, snapshot, change))
        })?;
        self.log_copied()?;
        Ok(copy)
    }

    pub(crate) fn log_copied(&mut self) -> Result<(), GalleryError> {
        let at = self.location().clone();
        self.vault.write(|change| log(&at, change, Event::Copied {}))
    }
}

/// Makes a gallery with what was fixed in another, and something in it, or none.
fn alike(
    to: &Location,
    secret: Option<&Secret>,
    founding: Founding,
    fill: impl FnOnce(&mut Change<'_>) -> Result<(), GalleryError>,
) -> Result<Gallery, GalleryError> {
    let gazeprint = env!("CARGO_PKG_VERSION").to_owned();
    let founding = Founding { gazeprint, created: now(), ..founding };
    let vault = Vault::create_with(to, secret, |change| {
        change.put(Kind::Settings, FOUNDING, &encode(to, FOUNDING, &founding)?)?;
        log(to, change, Event::Created {})?;
        fill(change)
    })?;
    Ok(Gallery { vault, founding })
}

/// Copies what readers have in common, as it is.
fn copy_population(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    change: &mut Change<'_>,
) -> Result<(), GalleryError> {
    for name in [POPULATION, BACKGROUND] {
        change.put(Kind::Settings, name, &setting_bytes(at, snapshot, name)?)?;
    }
    Ok(())
}

/// All readers by name, with the rules that were learned from just these, or else the latest.
fn together<R>(at: &[Location], shards: Vec<Shard<R>>) -> Result<Loaded<R>, GalleryError> {
    let mut holders = Holders::default();
    let mut generations = Vec::with_capacity(shards.len());
    let mut people = Vec::new();
    let mut rules = Vec::new();
    let mut first: Option<(Common, Background)> = None;
    for (number, Shard { common, loaded, shared }) in shards.into_iter().enumerate() {
        match &first {
            Some((first, _)) => first.check(&at[number], &at[0], &common)?,
            None => first = Some((common, loaded.background)),
        }
        generations.extend(loaded.basis.generations);
        for (entry, template) in loaded.readers.into_iter().zip(loaded.templates) {
            holders.add(&entry.id, number, at)?;
            people.push((entry, template, number));
        }
        rules.extend(shared);
    }
    let (common, background) = first.expect("there is at least one gallery");
    people.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    let (mut readers, mut templates, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (entry, template, number) in people {
        readers.push(entry);
        templates.push(template);
        places.push(number);
    }
    let digest = digest(&at[0], &common, &readers)?;
    let is_current = |stored: &StoredSharedRules<R>| stored.readers == digest;
    // The order in which galleries are named makes no difference.
    let rules = rules.into_iter().max_by_key(|it| (is_current(it), it.learned, it.readers));
    Ok(Loaded {
        background,
        readers,
        templates,
        holders: places,
        is_current: rules.as_ref().is_some_and(is_current),
        rules: rules.map(|stored| stored.rules),
        era: common.era,
        basis: Basis { generations, readers: Some(digest) },
    })
}

/// What tells readers from others, and from themselves when they were changed.
fn digest(at: &Location, common: &Common, readers: &[Entry]) -> Result<[u8; 32], GalleryError> {
    let content = encode(at, "the list of readers", &(common.era, common.population, readers))?;
    Ok(Sha256::digest(content).into())
}
