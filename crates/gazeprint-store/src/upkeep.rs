//! What is done with a gallery as a whole.

use crate::content::{
    SHARED_RULES, content, decode_entry, decode_likeness, entry, likeness, old_template, put_reader,
};
use crate::events::Event;
use crate::failure::GalleryError;
use crate::gallery::{Gallery, log};
use crate::stored::Whose;
use crate::vault::copy_old;
use crate::{Anchor, Change, Checked, Kind, Location, Secret, Snapshot};

impl Gallery {
    /// Seals everything anew, behind another secret or none.
    ///
    /// # Errors
    /// If anything is damaged, or the gallery cannot be written.
    pub fn rekey(&mut self, secret: Option<&Secret>) -> Result<(), GalleryError> {
        let at = self.vault.location().clone();
        let encrypted = secret.is_some();
        self.vault.rekey_with(secret, |change| log(&at, change, Event::Rekeyed { encrypted }))
    }

    /// Writes the whole gallery anew, without the room of what was removed.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn compact(&mut self) -> Result<(), GalleryError> {
        Ok(self.vault.compact()?)
    }

    /// Brings a gallery of an earlier format to that of today, all or nothing, and says whether it was one.
    ///
    /// # Errors
    /// If anything is damaged, or the gallery cannot be written: it is as it was then.
    pub fn upgrade(&mut self) -> Result<bool, GalleryError> {
        let at = self.vault.location().clone();
        self.vault.upgrade_with(|old, change| {
            copy_old(old, change, Kind::Settings, |change, name, value| {
                put_old_setting(change, name, value)
            })?;
            copy_old(old, change, Kind::Template, |change, id, bytes| {
                let (stored, likeness) = old_template(&at, id, bytes)?;
                put_reader(&at, change, stored.entry, likeness)
            })?;
            for kind in [Kind::Readings, Kind::Probe] {
                copy_old(old, change, kind, |change, name, value| {
                    Ok::<_, GalleryError>(change.put(kind, name, value)?)
                })?;
            }
            log(&at, change, Event::Upgraded {})
        })
    }

    /// How far the gallery has come, to be kept elsewhere.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn anchor(&mut self) -> Result<Anchor, GalleryError> {
        Ok(self.vault.anchor()?)
    }

    /// Refuses a gallery that is older than it was, or another.
    ///
    /// # Errors
    /// If it is, or cannot be read.
    pub fn hold_against(&mut self, anchor: &Anchor) -> Result<(), GalleryError> {
        Ok(self.vault.hold_against(anchor)?)
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

    /// Reads everything, record after record.
    ///
    /// # Errors
    /// The first thing that is not right.
    pub fn check(&mut self) -> Result<Checked, GalleryError> {
        let at = self.vault.location().clone();
        let checked = self.vault.check()?;
        self.stored_learning()?.decoded()?;
        let stored = self.stored_readers(Whose::Nobody)?;
        stored.decoded()?;
        self.each_recordings(|_, _| Ok(()))?;
        self.vault.read(|snapshot| {
            let mut readers = 0;
            let is_old = snapshot.is_old();
            snapshot.each(Kind::Template, |id, bytes| {
                readers += 1;
                match is_old {
                    true => drop(old_template(&at, id, &bytes)?),
                    false => drop(decode_likeness(&at, id, &bytes)?),
                }
                Ok::<_, GalleryError>(())
            })?;
            let mut entries = 0;
            snapshot.each(Kind::Entry, |id, bytes| {
                entries += 1;
                decode_entry(&at, id, &bytes).map(drop)
            })?;
            match is_old || entries == readers {
                true => Ok(()),
                false => {
                    let error = format!("found {entries} entries of {readers} readers");
                    Err(content(&at, "the list of readers", error))
                }
            }
        })?;
        self.each_logged(|_| Ok(()))?;
        Ok(checked)
    }
}

/// Keeps a setting of an older gallery, but for what is made anew or nobody reads any more.
fn put_old_setting(change: &mut Change<'_>, name: &str, value: &[u8]) -> Result<(), GalleryError> {
    if name == "queries" || name.starts_with("rows ") || name == SHARED_RULES {
        return Ok(());
    }
    Ok(change.put(Kind::Settings, name, value)?)
}

/// Copies the readers of a gallery of the same kind, with what is remembered of them.
pub(crate) fn copy_readers(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    change: &mut Change<'_>,
    mut meet: impl FnMut(&str) -> Result<(), GalleryError>,
) -> Result<(), GalleryError> {
    let is_old = snapshot.is_old();
    let mut names = Vec::new();
    snapshot.each(Kind::Template, |id, bytes| {
        meet(id)?;
        match is_old {
            true => {
                let (stored, likeness) = old_template(at, id, &bytes)?;
                put_reader(at, change, stored.entry, likeness)
            }
            false => {
                names.push(id.to_owned());
                Ok(())
            }
        }
    })?;
    for id in names {
        let known = entry(at, snapshot, &id)?.zip(likeness(at, snapshot, &id)?);
        let (stored, likeness) =
            known.ok_or_else(|| content(at, &format!("the entry of {id:?}"), "it is missing"))?;
        put_reader(at, change, stored.entry, likeness)?;
    }
    for kind in [Kind::Readings, Kind::Probe] {
        snapshot.each(kind, |name, value| change.put(kind, name, &value))?;
    }
    Ok(())
}
