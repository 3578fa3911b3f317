//! The corpora that commands are given.

use std::path::Path;

use gazeprint::corpus::Corpus;
use gazeprint::simulate::Simulation;
use gazeprint_io::Notes;
use gazeprint_io::import::WithoutWords;

use crate::words;

/// The corpus in a folder, or the built-in simulated one; what looked odd on reading it is said.
pub(crate) fn corpus_with_notes(folder: Option<&Path>) -> anyhow::Result<Corpus> {
    let (corpus, notes) = corpus_or_default(folder)?;
    notes.messages().iter().for_each(|message| words::note(message));
    Ok(corpus)
}

/// The corpus in a folder, or the built-in simulated one, with what looked odd on reading it.
pub(crate) fn corpus_or_default(folder: Option<&Path>) -> anyhow::Result<(Corpus, Notes)> {
    Ok(match folder {
        Some(folder) => {
            refuse_without_words(folder)?;
            gazeprint_io::read_corpus_with_notes(folder)?
        }
        None => (Simulation::default().run(), Notes::default()),
    })
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
