//! Writes corpora for other tools.
//!
//! Frames as pymovements has them are two tables. `events.csv` has a row for each fixation: `name`
//! (`fixation`), `onset`, `offset` and `duration` in ms, `location_x` and `location_y`; before them
//! `subject_id`, `text_id`, `session` and `trial` say whose it is. `aois.csv` has a row for each word:
//! `start_x`, `end_x`, `start_y` and `end_y` enclose it. All places are in characters and lines, as in
//! the corpus: x counts characters, and line `k` covers `[k, k + 1)`.

use std::fs;
use std::path::Path;

use gazeprint::corpus::Corpus;

use crate::error::WriteError;
use crate::write::{check, number};

/// Names of the files of [`write_frames`].
const FILES: [&str; 2] = ["events.csv", "aois.csv"];

/// Writes a corpus as pymovements-style frames, which `gazeprint import events.csv --words aois.csv`
/// takes back.
///
/// A fixation with a position and no line comes back on line 0, which is none; one without a position
/// comes back without a line. Orders of reading and
/// groups of texts are not part of frames.
///
/// # Errors
/// If there are such files already and `overwrite` is off, or they cannot be written.
pub fn write_frames(corpus: &Corpus, folder: &Path, overwrite: bool) -> Result<(), WriteError> {
    check(corpus)?;
    if fs::metadata(folder).is_ok_and(|there| !there.is_dir()) {
        return Err(WriteError::NotAFolder { path: folder.to_owned() });
    }
    let files = FILES.map(|name| folder.join(name));
    if let Some(file) = files.iter().find(|file| !overwrite && fs::symlink_metadata(file).is_ok()) {
        return Err(WriteError::Exists { file: file.clone() });
    }
    fs::create_dir_all(folder)
        .map_err(|error| WriteError::Unwritable { path: folder.to_owned(), error })?;
    for (file, table) in files.iter().zip([events(corpus), areas(corpus)]) {
        let failed = |error| WriteError::Unwritable { path: file.clone(), error };
        let bytes = table.and_then(|t| Ok(t.into_inner().map_err(|e| e.into_error())?));
        fs::write(file, bytes.map_err(|e| failed(e.into()))?).map_err(failed)?;
    }
    Ok(())
}

fn events(corpus: &Corpus) -> csv::Result<csv::Writer<Vec<u8>>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record([
        "subject_id",
        "text_id",
        "session",
        "trial",
        "name",
        "onset",
        "offset",
        "duration",
        "location_x",
        "location_y",
        "line",
        "x_char",
        "gap",
    ])?;
    for path in corpus.scanpaths() {
        for fixation in &path.fixations {
            let (onset, duration) = (fixation.onset.map(|o| o.0), fixation.duration.map(|d| d.0));
            let x = number(fixation.x.map(|x| x.0));
            let line = fixation.line.map(|line| line.to_string()).unwrap_or_default();
            table.write_record([
                corpus.readers()[path.reader].as_str(),
                corpus.texts()[path.text].id(),
                &path.session,
                &path.trial,
                "fixation",
                &number(onset),
                &number(onset.zip(duration).map(|(onset, duration)| onset + duration)),
                &number(duration),
                &x,
                &line,
                &line,
                &x,
                if fixation.gap { "1" } else { "0" },
            ])?;
        }
    }
    Ok(table)
}

fn areas(corpus: &Corpus) -> csv::Result<csv::Writer<Vec<u8>>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record([
        "text_id",
        "line",
        "word_index",
        "word",
        "char_start",
        "char_end",
        "start_x",
        "end_x",
        "start_y",
        "end_y",
    ])?;
    for text in corpus.texts() {
        for line in text.lines() {
            for word in line.words() {
                let [start, end] = [word.start, word.end].map(|c| c.to_string());
                let number = line.number();
                table.write_record([
                    text.id(),
                    &number.to_string(),
                    &word.index.to_string(),
                    word.form.as_deref().unwrap_or_default(),
                    &start,
                    &end,
                    &start,
                    &end,
                    &number.to_string(),
                    &number.saturating_add(1).to_string(),
                ])?;
            }
        }
    }
    Ok(table)
}
