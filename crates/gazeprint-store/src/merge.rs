//! One gallery of several that were enrolled in parts.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::content::{
    BACKGROUND, COHORT, FOUNDING, Founding, PEOPLE, POPULATION, StoredBackground, encode,
    setting_bytes, stored_background,
};
use crate::events::{Event, now};
use crate::failure::{Difference, GalleryError};
use crate::gallery::{Gallery, log};
use crate::upkeep::copy_readers;
use crate::{Change, Kind, Location, Secret, Snapshot, Vault};

/// What readers are learned with; a gallery need not have all.
const LEARNING: [&str; 2] = [POPULATION, PEOPLE];

/// What must be the same in all galleries that are merged.
struct Common {
    founding: Founding,
    era: u64,
    /// Digest of what readers are learned with and compared on.
    learning: [u8; 32],
}

impl Common {
    fn read(
        at: &Location,
        founding: &Founding,
        snapshot: &mut Snapshot<'_>,
    ) -> Result<Self, GalleryError> {
        let StoredBackground { era, .. } = stored_background(at, snapshot)?;
        let mut learning = Sha256::new();
        for name in LEARNING.into_iter().chain([BACKGROUND]) {
            if let Some(bytes) = snapshot.get(Kind::Settings, name)? {
                learning.update(&*bytes);
            }
        }
        Ok(Self { founding: founding.clone(), era, learning: learning.finalize().into() })
    }

    /// In what another gallery differs.
    fn difference(&self, other: &Self) -> Option<Difference> {
        let (ours, theirs) = (&self.founding, &other.founding);
        if ours.method != theirs.method {
            return Some(Difference::Method {
                found: theirs.method.clone(),
                expected: ours.method.clone(),
            });
        }
        if ours.durations_ms != theirs.durations_ms {
            return Some(Difference::Durations {
                found: theirs.durations_ms,
                expected: ours.durations_ms,
            });
        }
        if ours.pseudonyms != theirs.pseudonyms {
            return Some(Difference::Pseudonyms);
        }
        let same = (self.era, self.learning) == (other.era, other.learning);
        (!same).then_some(Difference::Population)
    }

    /// Refuses a gallery that differs.
    fn check(&self, at: &Location, first: &Location, other: &Self) -> Result<(), GalleryError> {
        match self.difference(other) {
            None => Ok(()),
            Some(difference) => {
                Err(GalleryError::Apart { at: at.clone(), first: first.clone(), difference })
            }
        }
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

impl Gallery {
    /// Makes one gallery of several, elsewhere; nothing where none is given.
    ///
    /// # Errors
    /// If there is something already, they do not belong together, anything in them is damaged, or the
    /// gallery cannot be made: there is none then. Or if they cannot note that they were copied: there
    /// is one.
    pub fn merge(
        galleries: &mut [Self],
        to: &Location,
        secret: Option<&Secret>,
    ) -> Result<Option<Self>, GalleryError> {
        let Some(founding) = galleries.first().map(|first| first.founding().clone()) else {
            return Ok(None);
        };
        let merged = alike(to, secret, founding, |change| copy_all(galleries, to, change))?;
        galleries.iter_mut().try_for_each(Self::log_copied)?;
        Ok(Some(merged))
    }
}

/// Copies everything but the log and how decisions are made, one gallery after the other.
fn copy_all(
    galleries: &mut [Gallery],
    to: &Location,
    change: &mut Change<'_>,
) -> Result<(), GalleryError> {
    let at: Vec<Location> = galleries.iter().map(|gallery| gallery.location().clone()).collect();
    let mut holders = Holders::default();
    let mut common: Option<Common> = None;
    for (number, gallery) in galleries.iter_mut().enumerate() {
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
            copy_readers(&at[number], snapshot, change, |name| holders.add(name, number, &at))
        })?;
    }
    let (readers, galleries) = (holders.0.len(), at.len());
    log(to, change, Event::Merged { readers, galleries })
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
        // One of an earlier format is only read.
        if self.is_old() {
            return Ok(());
        }
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
    change.put(Kind::Settings, BACKGROUND, &setting_bytes(at, snapshot, BACKGROUND)?)?;
    for name in LEARNING.into_iter().chain([COHORT]) {
        if let Some(bytes) = snapshot.get(Kind::Settings, name)? {
            change.put(Kind::Settings, name, &bytes)?;
        }
    }
    Ok(())
}
