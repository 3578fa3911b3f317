//! The corpora that commands are given.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use gazeprint::corpus::Corpus;
use gazeprint_io::import::WithoutWords;
use gazeprint_io::{BuiltIn, Notes, Origin};

use crate::words;

/// A corpus as a command is given it: the name of a built-in one, or a folder. What is there in the file
/// system goes before a name, so that a path means the same for all commands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CorpusArg {
    BuiltIn(BuiltIn),
    Folder(PathBuf),
}

impl From<OsString> for CorpusArg {
    fn from(given: OsString) -> Self {
        let built_in = given.to_str().and_then(BuiltIn::named);
        let path = PathBuf::from(given);
        match built_in {
            Some(corpus) if !path.exists() => Self::BuiltIn(corpus),
            _ => Self::Folder(path),
        }
    }
}

impl Default for CorpusArg {
    fn default() -> Self {
        Self::BuiltIn(BuiltIn::default())
    }
}

impl fmt::Display for CorpusArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(corpus) => f.write_str(corpus.name()),
            Self::Folder(folder) => folder.display().fmt(f),
        }
    }
}

impl CorpusArg {
    /// The folder, where it is one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Folder(folder) => Some(folder),
        }
    }

    /// Whose recordings these are, where that is known.
    pub(crate) fn origin(&self) -> Option<Origin> {
        match self {
            Self::BuiltIn(corpus) => corpus.origin(),
            Self::Folder(_) => None,
        }
    }

    /// The corpus; what looked odd on reading it is said.
    pub(crate) fn read(&self) -> anyhow::Result<Corpus> {
        let (corpus, notes) = self.read_with_notes()?;
        notes.messages().iter().for_each(|message| words::note(message));
        Ok(corpus)
    }

    /// The corpus, with what looked odd on reading it.
    pub(crate) fn read_with_notes(&self) -> anyhow::Result<(Corpus, Notes)> {
        let folder = match self {
            Self::BuiltIn(corpus) => return Ok((corpus.corpus(), Notes::default())),
            Self::Folder(folder) => folder,
        };
        self.note_shadow();
        refuse_without_words(folder)?;
        Ok(gazeprint_io::read_corpus_with_notes(folder)?)
    }

    /// Says that a folder hides the built-in corpus of its name.
    fn note_shadow(&self) {
        let Some(name) = self.folder().and_then(Path::to_str) else { return };
        if BuiltIn::named(name).is_some() {
            words::note(&format!(
                "{name} is taken for the folder of that name here; for the built-in corpus, go to \
                 another folder or rename this one"
            ));
        }
    }
}

/// A recording that was imported without words can be looked at, but nothing else.
pub(crate) fn refuse_without_words(folder: &Path) -> anyhow::Result<()> {
    // Whatever is wrong with a corpus, reading it as one says so.
    if let Ok(Some(WithoutWords { in_pixels: true, .. })) = WithoutWords::read(folder) {
        anyhow::bail!(
            "{} has fixations in pixels and no words.csv; scoring needs the words and their \
             places; import the recording again with --words FILE; `gazeprint inspect` shows what \
             is there",
            folder.display()
        );
    }
    Ok(())
}
