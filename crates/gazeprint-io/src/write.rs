//! From a corpus to the tables of a folder.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use gazeprint::corpus::{Corpus, Fixation, Millis, Scanpath, Text};

use crate::cell::is_missing;
use crate::error::WriteError;
use crate::files::Kind;
use crate::read::{DEFAULT_LINE, DEFAULT_NAME};

/// Writes a corpus as CSV, so that [`read_corpus`](crate::read_corpus) gives it back exactly.
///
/// Two things are not in the tables: the corpus' name, which is that of the folder, and the order
/// of the readers, which is that of their first readings. Columns that say nothing are left out,
/// and so is `trials.csv` where neither groups nor orders are known.
///
/// The folder is made where it is not there. With `overwrite`, tables of a corpus that is there
/// already, in whatever format, give way to the new ones.
///
/// # Errors
/// If there is a corpus already and `overwrite` is off, the path is that of a file, the tables could
/// not give back what the corpus holds, or the files cannot be written.
pub fn write_corpus(corpus: &Corpus, folder: &Path, overwrite: bool) -> Result<(), WriteError> {
    check(corpus)?;
    let layout = Layout::of(corpus);
    write_tables(folder, overwrite, || {
        let mut tables =
            vec![(Kind::Fixations, layout.fixations(corpus)), (Kind::Words, layout.words(corpus))];
        if layout.order || layout.group {
            tables.push((Kind::Trials, layout.trials(corpus)));
        }
        tables
    })
}

/// Writes the tables of a folder. Those that are there already give way, whatever their format, if
/// `overwrite` says so.
pub(crate) fn write_tables(
    folder: &Path,
    overwrite: bool,
    tables: impl FnOnce() -> Vec<(Kind, Table)>,
) -> Result<(), WriteError> {
    let old = check_corpus_folder(folder, overwrite)?;
    fs::create_dir_all(folder)
        .map_err(|error| WriteError::Unwritable { path: folder.to_owned(), error })?;
    // Old tables stay until the new ones are complete.
    let mut finished = Vec::new();
    for (kind, table) in tables() {
        let [file, ..] = kind.candidates(folder);
        let partial = file.with_extension("csv.partial");
        let failed = |error| WriteError::Unwritable { path: partial.clone(), error };
        let bytes = table.and_then(|t| Ok(t.into_inner().map_err(|e| e.into_error())?));
        fs::write(&partial, bytes.map_err(|e| failed(e.into()))?).map_err(failed)?;
        finished.push((partial, file));
    }
    for (partial, file) in &finished {
        fs::rename(partial, file)
            .map_err(|error| WriteError::Unwritable { path: file.clone(), error })?;
    }
    for file in old.into_iter().filter(|file| finished.iter().all(|(_, new)| new != file)) {
        fs::remove_file(&file)
            .map_err(|error| WriteError::Unwritable { path: file.clone(), error })?;
    }
    Ok(())
}

/// The tables that a folder has already.
///
/// # Errors
/// If there are any and `overwrite` is off, or if the path is that of a file.
pub(crate) fn check_corpus_folder(
    folder: &Path,
    overwrite: bool,
) -> Result<Vec<PathBuf>, WriteError> {
    if fs::metadata(folder).is_ok_and(|there| !there.is_dir()) {
        return Err(WriteError::NotAFolder { path: folder.to_owned() });
    }
    let old: Vec<PathBuf> = Kind::CORPUS
        .iter()
        .flat_map(|kind| kind.candidates(folder))
        .filter(|file| fs::symlink_metadata(file).is_ok())
        .collect();
    match old.first() {
        Some(file) if !overwrite => Err(WriteError::Exists { file: file.clone() }),
        _ => Ok(old),
    }
}

pub(crate) type Table = csv::Result<csv::Writer<Vec<u8>>>;

/// Which columns have something to say.
struct Layout {
    word_line: bool,
    form: bool,
    line: bool,
    session: bool,
    trial: bool,
    onset: bool,
    gap: bool,
    order: bool,
    group: bool,
}

impl Layout {
    fn of(corpus: &Corpus) -> Self {
        let mut lines = corpus.texts().iter().flat_map(Text::lines);
        let mut words = corpus.texts().iter().flat_map(Text::lines).flat_map(|l| l.words());
        let paths = corpus.scanpaths();
        let any = |test: fn(&Fixation) -> bool| paths.iter().flat_map(|s| &s.fixations).any(test);
        // Without the column, a fixation is on the only line of its text.
        let needs_line = |path: &Scanpath| match corpus.texts()[path.text].lines() {
            [line] => path.fixations.iter().any(|f| f.line != Some(line.number())),
            _ => true,
        };
        Self {
            word_line: lines.any(|l| l.number() != DEFAULT_LINE),
            form: words.any(|w| w.form.is_some()),
            line: paths.iter().any(needs_line),
            session: paths.iter().any(|s| s.session != DEFAULT_NAME),
            trial: paths.iter().any(|s| s.trial != DEFAULT_NAME),
            onset: any(|f| f.onset.is_some()),
            gap: any(|f| f.gap),
            order: paths.iter().any(|s| s.order.is_some()),
            group: corpus.texts().iter().any(|t| t.group.is_some()),
        }
    }

    fn words(&self, corpus: &Corpus) -> Table {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(chosen([
            (true, "text"),
            (self.word_line, "line"),
            (true, "word_index"),
            (self.form, "word"),
            (true, "char_start"),
            (true, "char_end"),
        ]))?;
        for text in corpus.texts() {
            for (line, word) in
                text.lines().iter().flat_map(|l| l.words().iter().map(move |w| (l, w)))
            {
                table.write_record(chosen([
                    (true, text.id()),
                    (self.word_line, &line.number().to_string()),
                    (true, &word.index.to_string()),
                    (self.form, word.form.as_deref().unwrap_or_default()),
                    (true, &word.start.to_string()),
                    (true, &word.end.to_string()),
                ]))?;
            }
        }
        Ok(table)
    }

    fn fixations(&self, corpus: &Corpus) -> Table {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(chosen([
            (true, "reader"),
            (true, "text"),
            (self.session, "session"),
            (self.trial, "trial"),
            (true, "fix_index"),
            (self.line, "line"),
            (true, "x_char"),
            (true, "duration_ms"),
            (self.onset, "onset_ms"),
            (self.gap, "gap"),
        ]))?;
        for path in corpus.scanpaths() {
            for (i, fixation) in path.fixations.iter().enumerate() {
                table.write_record(chosen([
                    (true, corpus.readers()[path.reader].as_str()),
                    (true, corpus.texts()[path.text].id()),
                    (self.session, &path.session),
                    (self.trial, &path.trial),
                    (true, &(i + 1).to_string()),
                    (self.line, &fixation.line.map(|l| l.to_string()).unwrap_or_default()),
                    (true, &number(fixation.x.map(|x| x.0))),
                    (true, &number(fixation.duration.map(|d| d.0))),
                    (self.onset, &number(fixation.onset.map(|o| o.0))),
                    (self.gap, if fixation.gap { "1" } else { "0" }),
                ]))?;
            }
        }
        Ok(table)
    }

    fn trials(&self, corpus: &Corpus) -> Table {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(chosen([
            (true, "reader"),
            (true, "text"),
            (self.session, "session"),
            (self.trial, "trial"),
            (self.order, "trial_order"),
            (self.group, "group"),
        ]))?;
        for path in corpus.scanpaths() {
            let text = &corpus.texts()[path.text];
            table.write_record(chosen([
                (true, corpus.readers()[path.reader].as_str()),
                (true, text.id()),
                (self.session, &path.session),
                (self.trial, &path.trial),
                (self.order, &number(path.order)),
                (self.group, text.group.as_deref().unwrap_or_default()),
            ]))?;
        }
        Ok(table)
    }
}

pub(crate) fn chosen<const N: usize>(cells: [(bool, &str); N]) -> impl Iterator<Item = &str> {
    cells.into_iter().filter_map(|(wanted, cell)| wanted.then_some(cell))
}

/// The shortest text that gives the same number back.
pub(crate) fn number(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value == 0.0 || (1e-5..1e16).contains(&value.abs()) => value.to_string(),
        Some(value) => format!("{value:e}"),
    }
}

/// Checks that the tables can hold the corpus.
pub(crate) fn check(corpus: &Corpus) -> Result<(), WriteError> {
    if corpus.scanpaths().is_empty() || corpus.texts().is_empty() {
        return Err(WriteError::Unrepresentable {
            what: format!("corpus {:?}", corpus.name()),
            why: "it has no readings",
            remedy: "write a corpus in which somebody reads something",
        });
    }
    for reader in corpus.readers() {
        check_name("reader", reader)?;
    }
    let mut has_reading = vec![false; corpus.readers().len()];
    let mut is_read = vec![false; corpus.texts().len()];
    for path in corpus.scanpaths() {
        has_reading[path.reader] = true;
        is_read[path.text] = true;
        check_scanpath(corpus, path)?;
    }
    if let Some(reader) = has_reading.iter().position(|&has| !has) {
        return Err(WriteError::Unrepresentable {
            what: format!("reader {:?}", corpus.readers()[reader]),
            why: "the reader has no readings",
            remedy: "leave the reader out",
        });
    }
    corpus.texts().iter().zip(is_read).try_for_each(|(text, is_read)| check_text(text, is_read))
}

fn check_text(text: &Text, is_read: bool) -> Result<(), WriteError> {
    check_name("text", text.id())?;
    if let Some(group) = &text.group {
        check_name("group", group)?;
        if !is_read {
            return Err(WriteError::Unrepresentable {
                what: format!("the group of text {:?}", text.id()),
                why: "groups stand in the table of readings, and nobody read the text",
                remedy: "leave the text or its group out",
            });
        }
    }
    let mut indices = HashSet::new();
    for word in text.lines().iter().flat_map(|l| l.words()) {
        let what = || format!("word {} of text {:?}", word.index, text.id());
        if !indices.insert(word.index) {
            return Err(WriteError::Unrepresentable {
                what: what(),
                why: "another word of the text has the same index",
                remedy: "number the words of a text from 1",
            });
        }
        if word.form.as_deref().is_some_and(|f| f.is_empty() || has_breaks(f)) {
            return Err(WriteError::Unrepresentable {
                what: what(),
                why: "it is empty or has a line break or a zero character in it",
                remedy: "leave the word's form out or correct it",
            });
        }
    }
    Ok(())
}

fn check_scanpath(corpus: &Corpus, path: &Scanpath) -> Result<(), WriteError> {
    check_name("session", &path.session)?;
    check_name("trial", &path.trial)?;
    let reading = || {
        let (reader, text) = (&corpus.readers()[path.reader], corpus.texts()[path.text].id());
        format!("the reading of text {text:?} by reader {reader:?}")
    };
    if path.fixations.is_empty() {
        return Err(WriteError::Unrepresentable {
            what: reading(),
            why: "it has no fixations",
            remedy: "leave the reading out",
        });
    }
    let is_wrong = |value: Option<f64>| value.is_some_and(|v| !v.is_finite());
    if is_wrong(path.order) {
        return Err(WriteError::Unrepresentable {
            what: reading(),
            why: "its place in the order is not finite",
            remedy: "leave the place out or correct it",
        });
    }
    let wrong = path.fixations.iter().position(|f| {
        is_wrong(f.x.map(|x| x.0))
            || is_wrong(f.duration.map(|d| d.0))
            || is_wrong(f.onset.map(|o| o.0))
            || f.duration.is_some_and(|Millis(d)| d < 0.0)
    });
    match wrong {
        None => Ok(()),
        Some(place) => Err(WriteError::Unrepresentable {
            what: format!("fixation {} of {}", place + 1, reading()),
            why: "it has a number that is not finite, or a negative duration",
            remedy: "leave the number out or correct it",
        }),
    }
}

pub(crate) fn check_name(kind: &str, name: &str) -> Result<(), WriteError> {
    if is_missing(name) || name.trim() != name || has_breaks(name) {
        return Err(WriteError::Unrepresentable {
            what: format!("{kind} {name:?}"),
            why: "the name reads as a missing value, has blanks around it, or has a line break or \
                  a zero character in it",
            remedy: "choose another name",
        });
    }
    Ok(())
}

/// Whether a cell would be taken for several rows, or for another encoding.
fn has_breaks(cell: &str) -> bool {
    cell.contains(['\n', '\r', '\0'])
}
