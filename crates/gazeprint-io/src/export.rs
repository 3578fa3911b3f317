//! Writes corpora for other tools.
//!
//! Frames as pymovements has them are two tables. `events.csv` has a row for each fixation: `name`
//! (`fixation`), `onset`, `offset` and `duration` in ms, `location_x` and `location_y`; before them
//! `subject_id`, `text_id`, `session` and `trial` say whose it is. `aois.csv` has a row for each word:
//! `start_x`, `end_x`, `start_y` and `end_y` enclose it. All places are in characters and lines, as in
//! the corpus: x counts characters, and line `k` covers `[k, k + 1)`.

use std::path::Path;

use gazeprint::corpus::{Corpus, Fixation};

use crate::error::WriteError;
use crate::frame::{Frame, TableFormat};
use crate::results::put_tables;
use crate::write::check;

/// Names of the tables of [`write_frames`].
pub const FRAMES: [&str; 2] = ["events", "aois"];

/// Writes a corpus as pymovements-style frames, which [`import`](crate::import::import) takes back,
/// with `aois.csv` as the words.
///
/// A fixation with a position and no line comes back on line 0, which is none; one without a position
/// comes back without a line. Orders of reading and
/// groups of texts are not part of frames.
///
/// # Errors
/// If there are such files already and `overwrite` is off, or they cannot be written.
pub fn write_frames(corpus: &Corpus, folder: &Path, overwrite: bool) -> Result<(), WriteError> {
    check(corpus)?;
    let tables = [events(corpus), areas(corpus)];
    put_tables(folder, FRAMES.into_iter().zip(&tables), TableFormat::Csv, overwrite)
}

fn events(corpus: &Corpus) -> Frame<'_> {
    let paths = corpus.scanpaths();
    let rows = || paths.iter().flat_map(|path| path.fixations.iter().map(move |f| (path, f)));
    let onset = |f: &Fixation| f.onset.map(|onset| onset.0);
    let duration = |f: &Fixation| f.duration.map(|duration| duration.0);
    let offset = |f: &Fixation| onset(f).zip(duration(f)).map(|(onset, length)| onset + length);
    let mut table = Frame::default();
    table.names("subject_id", rows().map(|(path, _)| corpus.readers()[path.reader].as_str()));
    table.names("text_id", rows().map(|(path, _)| corpus.texts()[path.text].id()));
    table.names("session", rows().map(|(path, _)| path.session.as_str()));
    table.names("trial", rows().map(|(path, _)| path.trial.as_str()));
    table.names("name", rows().map(|_| "fixation"));
    table.numbers("onset", rows().map(|(_, f)| onset(f)));
    table.numbers("offset", rows().map(|(_, f)| offset(f)));
    table.numbers("duration", rows().map(|(_, f)| duration(f)));
    table.numbers("location_x", rows().map(|(_, f)| f.x.map(|x| x.0)));
    table.wholes("location_y", rows().map(|(_, f)| f.line));
    table.wholes("line", rows().map(|(_, f)| f.line));
    table.numbers("x_char", rows().map(|(_, f)| f.x.map(|x| x.0)));
    table.flags("gap", rows().map(|(_, f)| f.gap));
    table
}

fn areas(corpus: &Corpus) -> Frame<'_> {
    let rows = || {
        let lines = corpus.texts().iter().flat_map(|t| t.lines().iter().map(move |l| (t, l)));
        lines.flat_map(|(text, line)| line.words().iter().map(move |w| (text, line.number(), w)))
    };
    let mut table = Frame::default();
    table.names("text_id", rows().map(|(text, ..)| text.id()));
    table.wholes("line", rows().map(|(_, line, _)| Some(line)));
    table.counts("word_index", rows().map(|(.., word)| Some(word.index)));
    table.texts("word", rows().map(|(.., word)| word.form.as_deref()));
    table.wholes("char_start", rows().map(|(.., word)| Some(word.start)));
    table.wholes("char_end", rows().map(|(.., word)| Some(word.end)));
    table.wholes("start_x", rows().map(|(.., word)| Some(word.start)));
    table.wholes("end_x", rows().map(|(.., word)| Some(word.end)));
    table.wholes("start_y", rows().map(|(_, line, _)| Some(line)));
    table.wholes("end_y", rows().map(|(_, line, _)| Some(line.saturating_add(1))));
    table
}
