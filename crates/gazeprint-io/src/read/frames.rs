//! Corpora from frames: tables that are in memory already.

use std::path::Path;

use gazeprint::corpus::Corpus;

use super::{OpenTables, Reader};
use crate::columnar::Rows;
use crate::corpus_table::CorpusTable;
use crate::error::ReadError;
use crate::files::Kind;
use crate::measured::MeasureColumns;
use crate::notes::Notes;

/// The frames of a corpus, with the columns that its files would have.
pub struct Frames {
    /// Fixations.
    pub fixations: Rows,
    /// Words; none where places are in degrees.
    pub words: Option<Rows>,
    /// Orders and groups.
    pub trials: Option<Rows>,
}

impl Frames {
    fn open(self) -> Result<OpenTables, ReadError> {
        let fixations = CorpusTable::from_frame(Kind::Fixations, self.fixations)?;
        let words =
            self.words.map(|words| CorpusTable::from_frame(Kind::Words, words)).transpose()?;
        if words.is_none() && !MeasureColumns::of(&fixations)?.has_places() {
            return Err(ReadError::NoWords);
        }
        let trials =
            self.trials.map(|trials| CorpusTable::from_frame(Kind::Trials, trials)).transpose()?;
        Ok(OpenTables { fixations, words, texts: Vec::new(), trials })
    }
}

/// Reads a corpus from frames. Errors count the rows of a frame from 0.
///
/// # Errors
/// As [`read_corpus`](crate::read_corpus), and if a column has a type that it cannot be read from.
pub fn read_frames(name: &str, frames: Frames) -> Result<(Corpus, Notes), ReadError> {
    frames.open()?.read(Path::new(name), Reader::Named)
}

/// As [`read_frames`], of a probe: it need not say who the reader is.
///
/// # Errors
/// As there.
pub fn read_probe_frames(name: &str, frames: Frames) -> Result<(Corpus, Notes), ReadError> {
    frames.open()?.read(Path::new(name), Reader::Unknown)
}
