//! What can go wrong with a gallery.

use thiserror::Error;

use crate::{Location, StoreError};

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
    #[error("{at}: found no reader {reader:?}{}", near(.nearest))]
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
    /// A gallery that is no part of the same whole.
    #[error("{at} does not belong together with {first}: {difference}")]
    Apart {
        /// The gallery.
        at: Location,
        /// What it is compared with.
        first: Location,
        /// In what they differ.
        difference: Difference,
    },
    /// Somebody who is in two galleries that are merged.
    #[error(
        "found reader {reader:?} both in {first} and in {at}, expected in one of them; leave one of \
         the galleries out, or remove the reader from it"
    )]
    Twice {
        /// Who.
        reader: String,
        /// A gallery.
        first: Location,
        /// The other one.
        at: Location,
    },
}

/// In what two galleries differ that should be parts of one.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Difference {
    /// The method.
    #[error("found the method {found}, expected {expected}")]
    Method {
        /// That of the gallery.
        found: String,
        /// That of the first one.
        expected: String,
    },
    /// Which fixations count.
    #[error(
        "found that fixations of {} to {} ms count, expected those of {} to {} ms; enrol it anew with \
         these durations",
        .found[0], .found[1], .expected[0], .expected[1]
    )]
    Durations {
        /// In the gallery, ms.
        found: [f64; 2],
        /// In the first one, ms.
        expected: [f64; 2],
    },
    /// What names are hashed with.
    #[error(
        "found other pseudonyms, expected names that are hashed alike, or not at all; enrol into empty \
         copies of one gallery"
    )]
    Pseudonyms,
    /// What readers have in common.
    #[error(
        "found another population, expected the same one, learned once; enrol all parts with one \
         population, and learn it anew only where they were merged"
    )]
    Population,
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}
