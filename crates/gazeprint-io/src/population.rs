//! Files of learned populations.
//!
//! A file is one JSON document: `format`, `version`, `sha256` and `content`. The checksum is that of
//! the bytes of `content`, so that a file which was damaged or edited is not taken for what was
//! learned. Numbers are written so that they come back to the last bit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gazeprint::method::Population;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::error::WriteError;
use crate::private;

/// What `format` says.
const FORMAT: &str = "gazeprint-population";
/// The version that is written and read.
const VERSION: u64 = 1;
/// No population is larger: eleven densities with all features that there may be take a third.
const MAX_BYTES: u64 = 256 << 20;

/// A population and where it comes from.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PopulationFile {
    /// What it was learned from.
    pub provenance: Provenance,
    /// What was learned.
    pub population: Population,
}

/// What a population was learned from, without anybody's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Version of gazeprint that learned it.
    pub gazeprint: String,
    /// Number of readers.
    pub readers: usize,
    /// Number of texts that somebody read.
    pub texts: usize,
    /// Number of fixations that counted.
    pub fixations: usize,
    /// Shortest and longest duration of a fixation that counted, ms.
    pub durations_ms: [f64; 2],
    /// SHA-256 of the corpus, in hexadecimal: tells whether it is the one at hand.
    pub corpus_sha256: String,
}

/// Why a file of a population could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PopulationError {
    /// No such file.
    #[error("{} does not exist; expected the file of a population; check the path",
            .file.display())]
    Missing {
        /// The path given.
        file: PathBuf,
    },
    /// The operating system refused.
    #[error("{} cannot be read: {error}; check that it is a file you may read", .file.display())]
    Unreadable {
        /// The path given.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Larger than any population.
    #[error("{} is no population: found more than {} MB, expected a few", .file.display(),
            MAX_BYTES >> 20)]
    TooLarge {
        /// The file.
        file: PathBuf,
    },
    /// Something else.
    #[error("{} is no population: found {found}, expected JSON with \"format\": \"{FORMAT}\"; give \
             the file of a population", .file.display())]
    NotAPopulation {
        /// The file.
        file: PathBuf,
        /// What is there instead.
        found: String,
    },
    /// A part of a file.
    #[error("{} ends in the middle, at line {line}, column {column}: it was cut off; copy it again, \
             or learn the population anew", .file.display())]
    CutOff {
        /// The file.
        file: PathBuf,
        /// Its last line.
        line: usize,
        /// Characters of that line.
        column: usize,
    },
    /// Of another version.
    #[error("{}, version: found {found}, expected {VERSION}; read it with the gazeprint that wrote \
             it, or learn the population anew", .file.display())]
    Version {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: u64,
    },
    /// Damaged or edited.
    #[error("{}, sha256: found content with the checksum {found}, expected {expected}; the file was \
             damaged or edited; copy it again, or learn the population anew", .file.display())]
    Checksum {
        /// The file.
        file: PathBuf,
        /// The checksum of what is there.
        found: String,
        /// The checksum of what was written.
        expected: String,
    },
    /// Whole, but not usable.
    #[error("{}, {field}: {message}; learn the population anew", .file.display())]
    Content {
        /// The file.
        file: PathBuf,
        /// Where in it.
        field: String,
        /// What was found and what was expected.
        message: String,
    },
}

/// What tells populations from other files.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    format: String,
    version: u64,
    sha256: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

fn checksum(content: &str) -> String {
    Sha256::digest(content.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a population, and checks all of it.
///
/// # Errors
/// If the file cannot be read, is something else, was damaged, or holds what no population can be.
pub fn read_population(file: &Path) -> Result<PopulationFile, PopulationError> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => PopulationError::Missing { file: file.to_owned() },
        _ => PopulationError::Unreadable { file: file.to_owned(), error },
    };
    let mut bytes = Vec::new();
    let mut limited = File::open(file).map_err(unreadable)?.take(MAX_BYTES + 1);
    limited.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(PopulationError::TooLarge { file: file.to_owned() });
    }
    parse(file, &bytes)
}

/// Reads the bytes of a file.
fn parse(file: &Path, bytes: &[u8]) -> Result<PopulationFile, PopulationError> {
    let owned = || file.to_owned();
    let other = |found: String| PopulationError::NotAPopulation { file: owned(), found };
    if bytes.trim_ascii().is_empty() {
        return Err(other("nothing in it".to_owned()));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|_| other("bytes that are no text".to_owned()))?;
    // What ends within a number is no JSON rather than too short.
    let ends = |error: &serde_json::Error| {
        let last = text.lines().last().map_or(0, str::len);
        text.starts_with('{') && error.line() == text.lines().count() && error.column() >= last
    };
    let syntax = |error: serde_json::Error| match error.classify() {
        category if category == Category::Eof || category == Category::Syntax && ends(&error) => {
            PopulationError::CutOff { file: owned(), line: error.line(), column: error.column() }
        }
        Category::Data => other(format!("JSON of another kind ({error})")),
        _ => other(format!("text that is no JSON ({error})")),
    };
    let head: Head = serde_json::from_str(text).map_err(syntax)?;
    if head.format != FORMAT {
        return Err(other(format!("the format {:?}", head.format)));
    }
    if head.version != VERSION {
        return Err(PopulationError::Version { file: owned(), found: head.version });
    }
    let document: Document<'_> = serde_json::from_str(text).map_err(syntax)?;
    let found = checksum(document.content.get());
    if found != document.sha256 {
        let expected = document.sha256;
        return Err(PopulationError::Checksum { file: owned(), found, expected });
    }
    let mut content = serde_json::Deserializer::from_str(document.content.get());
    let read: PopulationFile = serde_path_to_error::deserialize(&mut content).map_err(|error| {
        let message = error.inner().to_string();
        // Places in the content are not places in the file.
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        PopulationError::Content { file: owned(), field: error.path().to_string(), message }
    })?;
    read.provenance.check().map_err(|(field, message)| {
        let field = format!("provenance.{field}");
        PopulationError::Content { file: owned(), field, message }
    })?;
    Ok(read)
}

impl Provenance {
    /// The field that is wrong, and how.
    fn check(&self) -> Result<(), (&'static str, String)> {
        let [shortest, longest] = self.durations_ms;
        let hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let is_sha256 =
            self.corpus_sha256.len() == 64 && self.corpus_sha256.chars().all(hexadecimal);
        let counts = [("readers", self.readers, 2), ("texts", self.texts, 1)];
        let counts = counts.into_iter().chain([("fixations", self.fixations, self.readers)]);
        for (field, found, least) in counts {
            if found < least {
                return Err((field, format!("found {found}, expected at least {least}")));
            }
        }
        if !(0.0 <= shortest && shortest < longest) {
            let found = format!("found {shortest:?} to {longest:?}, expected a range above 0");
            return Err(("durations_ms", found));
        }
        if !is_sha256 {
            let found = format!("found {:?}, expected 64 digits", self.corpus_sha256);
            return Err(("corpus_sha256", found));
        }
        Ok(())
    }
}

/// Refuses a path where [`write_population`] would fail for certain, before long work.
///
/// # Errors
/// If there is a file already and `overwrite` is off, or none can be made.
pub fn check_population_path(file: &Path, overwrite: bool) -> Result<(), WriteError> {
    let unwritable = |error| WriteError::Unwritable { path: file.to_owned(), error };
    if fs::metadata(file).is_ok_and(|there| there.is_dir()) {
        return Err(unwritable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    if !overwrite && fs::symlink_metadata(file).is_ok() {
        return Err(WriteError::Exists { file: file.to_owned() });
    }
    let attempt = partial(file);
    fs::write(&attempt, []).and_then(|()| fs::remove_file(&attempt)).map_err(unwritable)
}

fn partial(file: &Path) -> PathBuf {
    file.with_added_extension("partial")
}

/// Writes a population whole or not at all, so that [`read_population`] gives it back to the last
/// bit.
///
/// # Errors
/// If there is a file already and `overwrite` is off, it cannot be written, or would be refused on
/// reading.
pub fn write_population(
    stored: &PopulationFile,
    file: &Path,
    overwrite: bool,
) -> Result<(), WriteError> {
    let unrepresentable = WriteError::Unrepresentable {
        what: "the population".to_owned(),
        why: "it has numbers that are not finite, or that no population can have",
        remedy: "learn it from other readings",
    };
    let Some(text) = render(stored).filter(|text| parse(file, text.as_bytes()).is_ok()) else {
        return Err(unrepresentable);
    };
    check_population_path(file, overwrite)?;
    let partial = partial(file);
    private::write(&partial, text).and_then(|()| fs::rename(&partial, file)).map_err(|error| {
        _ = fs::remove_file(&partial);
        WriteError::Unwritable { path: file.to_owned(), error }
    })
}

/// The text of a file.
fn render(stored: &PopulationFile) -> Option<String> {
    let content = serde_json::to_string(stored).ok()?;
    let document = Document {
        format: FORMAT.to_owned(),
        version: VERSION,
        sha256: checksum(&content),
        content: serde_json::from_str(&content).ok()?,
    };
    Some(serde_json::to_string(&document).ok()? + "\n")
}
