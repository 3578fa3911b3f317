//! From a corpus to the tables of a folder.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use gazeprint::corpus::{Corpus, Fixation, Millis, Scanpath, Text};

use crate::cell::is_missing;
use crate::error::WriteError;
use crate::files::Kind;
use crate::frame::{Frame, TableFormat};
use crate::measured::is_writable;
use crate::private;
use crate::read::{DEFAULT_LINE, DEFAULT_NAME};
use crate::results::check_format;

/// Writes a corpus as CSV, so that [`read_corpus`](crate::read_corpus) gives it back exactly.
///
/// Two things are not in the tables: the corpus' name, which is that of the folder, and the order
/// of the readers, which is that of their first readings. Columns that say nothing are left out,
/// and so are `trials.csv` where neither groups nor orders are known, and `words.csv` where no words
/// are.
///
/// The folder is made where it is not there. With `overwrite`, tables of a corpus that is there
/// already, in whatever format, give way to the new ones.
///
/// # Errors
/// If there is a corpus already and `overwrite` is off, the path is that of a file, the tables could
/// not give back what the corpus holds, or the files cannot be written.
pub fn write_corpus(corpus: &Corpus, folder: &Path, overwrite: bool) -> Result<(), WriteError> {
    write_corpus_as(corpus, folder, TableFormat::Csv, overwrite)
}

/// As [`write_corpus`], in a format of choice.
///
/// # Errors
/// As [`write_corpus`], and if this build does not have the format.
pub fn write_corpus_as(
    corpus: &Corpus,
    folder: &Path,
    format: TableFormat,
    overwrite: bool,
) -> Result<(), WriteError> {
    check(corpus)?;
    write_tables(folder, overwrite, format, || tables(corpus))
}

/// The tables of a corpus, by name: `fixations` and, where there is something to say, `words` and `trials`. They
/// give it back as those of [`write_corpus`] do.
///
/// # Errors
/// If tables cannot hold what is in the corpus.
pub fn corpus_tables(corpus: &Corpus) -> Result<Vec<(&'static str, Frame<'_>)>, WriteError> {
    check(corpus)?;
    Ok(tables(corpus).into_iter().map(|(kind, table)| (kind.name(), table)).collect())
}

fn tables(corpus: &Corpus) -> Vec<(Kind, Frame<'_>)> {
    let layout = Layout::of(corpus);
    let mut tables = vec![(Kind::Fixations, layout.fixations(corpus))];
    if layout.words {
        tables.push((Kind::Words, layout.words(corpus)));
    }
    if layout.order || layout.group {
        tables.push((Kind::Trials, layout.trials(corpus)));
    }
    tables
}

/// Writes the tables of a folder. Those that are there already give way, whatever their format, if
/// `overwrite` says so.
pub(crate) fn write_tables<'c>(
    folder: &Path,
    overwrite: bool,
    format: TableFormat,
    tables: impl FnOnce() -> Vec<(Kind, Frame<'c>)>,
) -> Result<(), WriteError> {
    check_format(folder, format)?;
    let old = check_corpus_folder(folder, overwrite)?;
    fs::create_dir_all(folder)
        .map_err(|error| WriteError::Unwritable { path: folder.to_owned(), error })?;
    // Old tables stay until the new ones are complete.
    let mut finished = Vec::new();
    for (kind, table) in tables() {
        let file = folder.join(kind.name()).with_extension(format.extension());
        let partial = file.with_extension(format!("{}.partial", format.extension()));
        let failed = |error| WriteError::Unwritable { path: partial.clone(), error };
        private::write(&partial, table.write(format).map_err(failed)?).map_err(failed)?;
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

/// Which columns have something to say.
struct Layout {
    /// Whether words are known of any text, and of all.
    words: bool,
    all_words: bool,
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
            [] => path.fixations.iter().any(|f| f.line.is_some()),
            [line] => path.fixations.iter().any(|f| f.line != Some(line.number())),
            _ => true,
        };
        Self {
            words: corpus.texts().iter().any(Text::has_words),
            all_words: corpus.texts().iter().all(Text::has_words),
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

    fn words<'c>(&self, corpus: &'c Corpus) -> Frame<'c> {
        let rows = || {
            let lines = corpus.texts().iter().flat_map(|t| t.lines().iter().map(move |l| (t, l)));
            lines.flat_map(|(text, line)| line.words().iter().map(move |w| (text, line, w)))
        };
        let mut table = Frame::default();
        table.names("text", rows().map(|(text, ..)| text.id()));
        if self.word_line {
            table.wholes("line", rows().map(|(_, line, _)| Some(line.number())));
        }
        table.counts("word_index", rows().map(|(.., word)| Some(word.index)));
        if self.form {
            table.texts("word", rows().map(|(.., word)| word.form.as_deref()));
        }
        table.wholes("char_start", rows().map(|(.., word)| Some(word.start)));
        table.wholes("char_end", rows().map(|(.., word)| Some(word.end)));
        table
    }

    fn fixations<'c>(&self, corpus: &'c Corpus) -> Frame<'c> {
        let paths = corpus.scanpaths();
        let rows = || paths.iter().flat_map(|path| path.fixations.iter().map(move |f| (path, f)));
        let mut table = Frame::default();
        self.key(&mut table, corpus, || rows().map(|(path, _)| path));
        table.counts(
            "fix_index",
            paths.iter().flat_map(|p| (1..).map(Some).take(p.fixations.len())),
        );
        if self.line {
            table.wholes("line", rows().map(|(_, fixation)| fixation.line));
        }
        if self.words {
            table.numbers("x_char", rows().map(|(_, fixation)| fixation.x.map(|x| x.0)));
        }
        table.numbers("duration_ms", rows().map(|(_, fixation)| fixation.duration.map(|d| d.0)));
        if self.onset {
            table.numbers("onset_ms", rows().map(|(_, fixation)| fixation.onset.map(|o| o.0)));
        }
        if self.gap {
            table.flags("gap", rows().map(|(_, fixation)| fixation.gap));
        }
        // Where there are places, a text need have no words.
        table.measures(!self.all_words, || rows().map(|(_, f)| (f.place, f.kinematics)));
        table
    }

    fn trials<'c>(&self, corpus: &'c Corpus) -> Frame<'c> {
        let rows = || corpus.scanpaths().iter();
        let mut table = Frame::default();
        self.key(&mut table, corpus, rows);
        if self.order {
            table.numbers("trial_order", rows().map(|path| path.order));
        }
        if self.group {
            table.texts("group", rows().map(|path| corpus.texts()[path.text].group.as_deref()));
        }
        table
    }

    /// The columns that tell readings apart.
    fn key<'c, I: Iterator<Item = &'c Scanpath>>(
        &self,
        table: &mut Frame<'c>,
        corpus: &'c Corpus,
        rows: impl Fn() -> I,
    ) {
        table.names("reader", rows().map(|path| corpus.readers()[path.reader].as_str()));
        table.names("text", rows().map(|path| corpus.texts()[path.text].id()));
        if self.session {
            table.names("session", rows().map(|path| path.session.as_str()));
        }
        if self.trial {
            table.names("trial", rows().map(|path| path.trial.as_str()));
        }
    }
}

/// The shortest text that gives the same number back.
pub(crate) fn number(value: Option<f64>) -> String {
    let mut text = String::new();
    if let Some(value) = value {
        push_number(value, &mut text);
    }
    text
}

/// Appends the shortest text that gives the same number back.
pub(crate) fn push_number(value: f64, text: &mut String) {
    let is_plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    // Writing to text does not fail.
    let _ = if is_plain { write!(text, "{value}") } else { write!(text, "{value:e}") };
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
    if !text.has_words() && !is_read {
        return Err(WriteError::Unrepresentable {
            what: format!("text {:?}", text.id()),
            why: "nobody read it, and none of its words is known",
            remedy: "leave the text out",
        });
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
            || !is_writable(&(f.place, f.kinematics))
    });
    if !corpus.texts()[path.text].has_words() && path.fixations.iter().any(|f| f.x.is_some()) {
        return Err(WriteError::Unrepresentable {
            what: reading(),
            why: "it has places in characters, and no word of the text is known",
            remedy: "leave the places out, or add the words",
        });
    }
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
