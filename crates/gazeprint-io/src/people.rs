//! Files of people who were learned from once.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gazeprint::corpus::{Corpus, Fixation, Scanpath};
use gazeprint::method::{People, PeopleError, PeopleOrigin};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::error::WriteError;
use crate::population::{PopulationError, check_population_path, read_population};
use crate::private;

/// No file of people is larger.
const MAX_BYTES: u64 = 256 << 20;
/// Fewest fixations of a reading that is known again: fewer are alike by chance.
const FEWEST: usize = 5;

/// Why a file of people could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PeopleFileError {
    /// No such file, or the operating system refused.
    #[error("{} cannot be read: {error}; expected a file of people, as `gazeprint people` writes it",
            .file.display())]
    Unreadable {
        /// The path given.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Larger than any.
    #[error("{} is no file of people: found more than {} MB, expected a few", .file.display(),
            MAX_BYTES >> 20)]
    TooLarge {
        /// The file.
        file: PathBuf,
    },
    /// Something else, or damaged.
    #[error("{} is no file of people: {error}; give one that `gazeprint people` wrote",
            .file.display())]
    Content {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        error: PeopleError,
    },
    /// A population of version 1 that cannot be used.
    #[error(transparent)]
    Population(#[from] PopulationError),
}

/// Reads people. A file of version 1, which has a population alone, is taken with everything else from
/// what ships.
///
/// # Errors
/// If the file cannot be read, is something else, or was damaged.
pub fn read_people(file: &Path) -> Result<Arc<People>, PeopleFileError> {
    let unreadable = |error| PeopleFileError::Unreadable { file: file.to_owned(), error };
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(unreadable)?;
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(PeopleFileError::TooLarge { file: file.to_owned() });
    }
    let damaged = |error| PeopleFileError::Content { file: file.to_owned(), error };
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        let stored = read_population(file)?;
        let shipped = People::shipped();
        let origin = PeopleOrigin {
            name: file.display().to_string(),
            durations_ms: stored.provenance.durations_ms,
            ..shipped.origin().clone()
        };
        let (embedding, motion) = (shipped.embedding().clone(), shipped.motion().cloned());
        let people =
            shipped.with(origin, embedding, motion, *shipped.weights(), *shipped.day_shares());
        let people = people.with_readings(shipped.digests().iter().copied());
        return Ok(Arc::new(people.with_population(&stored.population).map_err(damaged)?));
    }
    Ok(Arc::new(People::read(&bytes).map_err(damaged)?))
}

/// Writes people whole or not at all.
///
/// # Errors
/// If there is a file already and `overwrite` is off, or it cannot be written.
pub fn write_people(people: &People, file: &Path, overwrite: bool) -> Result<(), WriteError> {
    let Ok(bytes) = people.write() else {
        return Err(WriteError::Unrepresentable {
            what: "people".to_owned(),
            why: "they have numbers that are not finite",
            remedy: "learn them from other readings",
        });
    };
    check_population_path(file, overwrite)?;
    let partial = file.with_added_extension("partial");
    let written = private::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, file));
    written.map_err(|error| {
        _ = std::fs::remove_file(&partial);
        WriteError::Unwritable { path: file.to_owned(), error }
    })
}

/// Digests of readings as they were recorded, before anything is dropped, so that parts of a corpus are
/// known again. Readings of a few fixations have none.
pub fn reading_digests(corpus: &Corpus) -> impl Iterator<Item = [u8; 8]> {
    corpus.scanpaths().iter().filter_map(digest)
}

/// How many readings of a corpus people were learned from, and how many there are to be known again.
pub fn known_readings(corpus: &Corpus, people: &People) -> [usize; 2] {
    reading_digests(corpus).fold([0, 0], |[known, all], digest| {
        [known + usize::from(people.have_read(&digest)), all + 1]
    })
}

fn digest(path: &Scanpath) -> Option<[u8; 8]> {
    if path.fixations.len() < FEWEST {
        return None;
    }
    let mut sha = Sha256::new();
    for Fixation { x, duration, place, .. } in &path.fixations {
        // As files have them: hundredths of characters or degrees, and whole milliseconds.
        let hundredths = |v: Option<f64>| v.map_or(i64::MIN, |v| (100.0 * v).round() as i64);
        let [across, down] = place.map_or([None; 2], |at| at.map(|v| Some(f64::from(v))));
        sha.update(hundredths(x.map(|x| x.0).or(across)).to_le_bytes());
        sha.update(hundredths(down).to_le_bytes());
        sha.update(duration.map_or(i64::MIN, |d| d.0.round() as i64).to_le_bytes());
    }
    sha.finalize().first_chunk().copied()
}
