//! What is done with a gallery as a whole: removing readers, copying, merging, sealing anew.

use gazeprint_store::{Anchor, Checked, Gallery, GalleryError, Location, Secret, StoreError};
use rayon::prelude::*;

use crate::calibrate::{KeepRows, Standing, When};
use crate::{Error, RecognitionMonitor, Recognizer};

/// What became of what was there before a change.
#[derive(Debug)]
pub enum Erasure {
    /// It was overwritten. On a server, the old version of a key that was replaced is overwritten when its place is
    /// used again, or by [`Recognizer::compact`].
    Done,
    /// The change was made, but what was there before may be left somewhere.
    Incomplete(StoreError),
}

impl Erasure {
    /// Of a change that was made.
    fn of(result: Result<(), GalleryError>) -> Result<Self, Error> {
        match result {
            Ok(()) => Ok(Self::Done),
            Err(GalleryError::Store(left @ StoreError::Leftovers { .. })) => {
                Ok(Self::Incomplete(left))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A reader who was removed.
#[derive(Debug)]
pub struct Removal {
    /// Name or pseudonym.
    pub reader: String,
    /// What became of what was kept of them.
    pub erasure: Erasure,
    /// What the gallery can promise now, or why that could not be learned.
    pub standing: Result<Standing, Error>,
}

impl Recognizer {
    /// Overwrites what an erasure that was cut short has left beside the gallery, and says whether there was
    /// anything.
    ///
    /// # Errors
    /// If it cannot be overwritten.
    pub fn finish_erasing(&self) -> Result<bool, Error> {
        Ok(self.gallery().finish_erasing()?)
    }

    /// Removes a reader, given by name or pseudonym, and overwrites the key of what was kept of them. Then the
    /// thresholds of decisions are learned anew, if a third of the readers they were learned from are gone.
    ///
    /// # Errors
    /// If there is no such reader, or the gallery cannot be read or written: the reader is then still
    /// there.
    pub fn remove(&self, reader: &str, monitor: &dyn RecognitionMonitor) -> Result<Removal, Error> {
        let reader = self.find(reader)?;
        let removed = self.gallery().remove(&reader);
        let erasure = Erasure::of(removed)?;
        let standing = self.settle(When::Outgrown, KeepRows::OfMany, monitor);
        Ok(Removal { reader, erasure, standing })
    }

    /// Seals everything anew, behind another secret or none.
    ///
    /// # Errors
    /// If anything is damaged, or the gallery cannot be written.
    pub fn rekey(&self, secret: Option<&Secret>) -> Result<Erasure, Error> {
        let rekeyed = self.gallery().rekey(secret);
        Erasure::of(rekeyed)
    }

    /// Reads everything.
    ///
    /// # Errors
    /// The first thing that is not right.
    pub fn check(&self) -> Result<Checked, Error> {
        Ok(self.gallery().check()?)
    }

    /// Writes the whole gallery anew, without the room of what was removed.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn compact(&self) -> Result<Erasure, Error> {
        let compacted = self.gallery().compact();
        Erasure::of(compacted)
    }

    /// Brings a gallery of an earlier format to that of today, all or nothing, and says whether it was one.
    /// Where it is large, rows to search by are made.
    ///
    /// # Errors
    /// If anything is damaged, or the gallery cannot be written: it is as it was then.
    pub fn upgrade(&self, monitor: &dyn RecognitionMonitor) -> Result<bool, Error> {
        let upgraded = self.gallery().upgrade()?;
        if upgraded {
            self.settle(When::Outgrown, KeepRows::OfMany, monitor)?;
        }
        Ok(upgraded)
    }

    /// How far the gallery has come, to be kept elsewhere.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn anchor(&self) -> Result<Anchor, Error> {
        Ok(self.gallery().anchor()?)
    }

    /// Refuses a gallery that had not come as far as an anchor says, or went another way.
    ///
    /// # Errors
    /// If it is such a gallery, or cannot be read.
    pub fn hold_against(&self, anchor: &Anchor) -> Result<(), Error> {
        Ok(self.gallery().hold_against(anchor)?)
    }

    /// The same gallery at another place.
    ///
    /// # Errors
    /// If there is something already, anything here is damaged, or the copy cannot be made.
    pub fn copy_to(&self, at: &Location, secret: Option<&Secret>) -> Result<Self, Error> {
        let copy = self.gallery().copy_to(at, secret)?;
        Self::of(copy)
    }

    /// A gallery without readers at another place, and of the same kind: what is enrolled there can be
    /// merged with what is here.
    ///
    /// # Errors
    /// As [`Recognizer::copy_to`].
    pub fn empty_copy_to(&self, at: &Location, secret: Option<&Secret>) -> Result<Self, Error> {
        let copy = self.gallery().empty_copy_to(at, secret)?;
        Self::of(copy)
    }

    /// Makes one gallery of several that one secret opens, and learns its thresholds. The same as if all
    /// readers had been enrolled there.
    ///
    /// # Errors
    /// If there is something already, they do not belong together, or anything cannot be read or
    /// written.
    pub fn merge(
        from: &[Location],
        secret: Option<&Secret>,
        to: &Location,
        new_secret: Option<&Secret>,
        monitor: &dyn RecognitionMonitor,
    ) -> Result<Option<(Self, Standing)>, Error> {
        // At once: a passphrase takes its time for each. The first that fails in the order given is
        // told, whichever was faster.
        let opened: Vec<_> = from.par_iter().map(|at| Gallery::open(at, secret)).collect();
        let mut galleries = opened.into_iter().collect::<Result<Vec<_>, _>>()?;
        let Some(merged) = Gallery::merge(&mut galleries, to, new_secret)? else {
            return Ok(None);
        };
        let desk = Self::of(merged)?;
        let standing = desk.settle(When::Outgrown, KeepRows::OfMany, monitor)?;
        Ok(Some((desk, standing)))
    }
}
