//! Errors for people: what a library says, with the flag or command that mends it.

use gazeprint_recognition::{Error, ErrorKind, Mismatch, Stage};
use gazeprint_store::{Difference, GalleryError, KeyFileError};

use crate::ends::Exists;
use crate::{Interrupted, Usage};

/// What an error says, whole.
pub(crate) fn told(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Error>() {
        Some(recognition) => of_recognition(recognition),
        None => format!("{error:#}"),
    }
}

/// What kind of error it is.
pub(crate) fn kind(error: &anyhow::Error) -> ErrorKind {
    match () {
        () if error.is::<Usage>() => ErrorKind::Usage,
        () if error.is::<Interrupted>() => ErrorKind::Interrupted,
        () if error.is::<Exists>() => ErrorKind::Conflict,
        () if error.is::<KeyFileError>() => match error.downcast_ref() {
            Some(KeyFileError::Exists { .. }) => ErrorKind::Conflict,
            Some(KeyFileError::Unwritable { .. }) => ErrorKind::Io,
            _ => ErrorKind::Locked,
        },
        () if error.chain().any(|cause| cause.is::<std::io::Error>()) => ErrorKind::Io,
        () => error.downcast_ref::<Error>().map_or(ErrorKind::Input, Error::kind),
    }
}

fn of_recognition(error: &Error) -> String {
    let said = match error {
        // The library names what was asked for; the command, its flag.
        Error::Rate { .. } | Error::WatchRate { .. } | Error::EmptyShard { .. } => {
            format!("--{error}")
        }
        Error::Fit { source, .. } => format!("{error}: {source}"),
        _ => error.to_string(),
    };
    match advice(error) {
        Some(advice) if advice.starts_with(',') => format!("{said}{advice}"),
        Some(advice) => format!("{said}; {advice}"),
        None => said,
    }
}

/// What to run, or to add or leave out.
fn advice(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::NoRules { .. } => {
            "run `gazeprint gallery calibrate`, and enrol more where it says so"
        }
        Error::OtherRows { .. } => "`gazeprint gallery relearn` does it",
        Error::FewForPopulation { .. } => {
            "add recordings or readers, or give a population with --population FILE"
        }
        Error::NothingCounts { .. } => "`gazeprint inspect` tells why",
        Error::UnknownText { .. } => {
            "give its words with --words FILE, or announce it: {\"text\", \"words\": [{\"line\", \
             \"char_start\", \"char_end\"}, ...]}"
        }
        Error::Founded { mismatch: Mismatch::Pseudonyms, .. } => {
            "leave out --pseudonyms, or make a new gallery"
        }
        Error::Founded { mismatch: Mismatch::Durations { .. }, .. } => {
            "leave out --min-duration and --max-duration"
        }
        Error::Founded { mismatch: Mismatch::Population, .. } => {
            "leave out --population, or learn it anew with `gazeprint gallery relearn`"
        }
        Error::ShardPseudonyms { .. } => {
            "`gazeprint enroll --pseudonyms` without --shard makes the gallery, and `gazeprint gallery \
             export --empty` the copies"
        }
        Error::TooLittleRead { .. } => "without --strict, such readers are skipped",
        Error::AllEnrolled { .. } => ", or start the readers anew (--replace)",
        Error::Recordings { .. } => "that is --replace",
        Error::OtherReader { .. } => "if they are the reader's, add them with --force",
        Error::Gallery(GalleryError::UnknownReader { .. }) => "`gazeprint gallery list` shows all",
        Error::Gallery(GalleryError::Twice { .. }) => "`gazeprint gallery remove` does it",
        Error::Gallery(GalleryError::Apart { difference: Difference::Pseudonyms, .. }) => {
            "`gazeprint gallery export --empty` makes them"
        }
        Error::Gallery(GalleryError::Apart { difference: Difference::Population, .. }) => {
            "that is --population FILE"
        }
        Error::Interrupted { stage: Stage::Population } => "nothing was written",
        Error::Interrupted { stage: Stage::Readers } => {
            "who was reported as enrolled is; the same command goes on from here"
        }
        Error::Interrupted { stage: Stage::Rules | Stage::Rows } => {
            "readers are as they were reported, but thresholds are not learned from them yet: \
             `gazeprint gallery calibrate` does it"
        }
        _ => return None,
    })
}
