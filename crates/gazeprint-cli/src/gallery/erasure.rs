//! What is said of erasure, where it is claimed.
//!
//! The key of a reader is overwritten; what was sealed with it may lie about. Only where there is a copy of
//! the key can that be read.

use gazeprint_recognition::{Erasure, Error, Location, StoreError};
use gazeprint_store::GalleryError;

use crate::print;

/// Whether a change was made, but what it removed may be left somewhere.
pub(super) fn is_leftover(error: &Error) -> bool {
    matches!(error, Error::Gallery(GalleryError::Store(StoreError::Leftovers { .. })))
}

/// Says what was done, where what was there before still is, and whether it could be overwritten.
pub(super) fn told(
    at: &Location,
    what: &str,
    erasure: Erasure,
    more: &str,
    rest: &str,
) -> anyhow::Result<()> {
    let server = match at {
        Location::Postgres(_) => {
            ", rows that somebody still saw, and the write-ahead log of the server"
        }
        Location::File(_) => "",
    };
    print(&format!(
        "{what}\nnot reached: backups, exports, snapshots of the file system, blocks \
         that a drive has put aside{server}, {more}\n{rest}"
    ))?;
    match erasure {
        Erasure::Done => Ok(()),
        Erasure::Incomplete(left) => Err(Error::from(left).into()),
    }
}
