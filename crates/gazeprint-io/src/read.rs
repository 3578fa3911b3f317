//! From the tables of a folder to a corpus.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};

use gazeprint::corpus::{Chars, Corpus, CorpusError, Fixation, Line, Millis, Scanpath, Text, Word};

use crate::cell::CorpusRow;
use crate::corpus_table::{Column, CorpusTable, Heading};
use crate::error::ReadError;
use crate::files::{self, Kind};
use crate::notes::{Notes, Oddity};
use crate::table::shown;

/// Line, session and trial where a table does not tell them apart.
pub(crate) const DEFAULT_LINE: i32 = 1;
pub(crate) const DEFAULT_NAME: &str = "1";

const LINE_NUMBER: &str = "a whole number, the line of the text";
const WORD_NUMBER: &str = "a whole number from 0, the number of the word in its text";
const CHARACTER: &str = "a whole number of characters";

/// Reads a corpus folder; the corpus is named after the folder.
///
/// # Errors
/// If a table is missing or wrong; see [`ReadError`].
pub fn read_corpus(folder: &Path) -> Result<Corpus, ReadError> {
    read_corpus_with_notes(folder).map(|(corpus, _)| corpus)
}

/// Reads a corpus folder, and says what was noticed on the way.
///
/// # Errors
/// As [`read_corpus`].
pub fn read_corpus_with_notes(folder: &Path) -> Result<(Corpus, Notes), ReadError> {
    Tables::of(folder)?.open()?.read(folder, Reader::Named)
}

/// Reads a probe: a corpus folder, or one table of fixations with the words in another file. It need
/// not say who the reader is.
///
/// # Errors
/// As [`read_corpus`].
pub fn read_probe(probe: &Path, words: Option<&Path>) -> Result<(Corpus, Notes), ReadError> {
    let is_folder = std::fs::metadata(probe).is_ok_and(|there| there.is_dir());
    let tables = match words {
        Some(words) if !is_folder => {
            Tables { fixations: probe.to_owned(), words: words.to_owned(), trials: None }
        }
        Some(words) => Tables {
            fixations: Kind::Fixations.require(probe)?,
            words: words.to_owned(),
            trials: Kind::Trials.find(probe)?,
        },
        None => Tables::of(probe)?,
    };
    tables.open()?.read(probe, Reader::Unknown)
}

/// As [`read_probe`], with the table of fixations from anywhere, such as the standard input. It may be
/// written in every way that a file may; errors call it `name`.
///
/// # Errors
/// As [`read_corpus`].
pub fn read_probe_from(
    fixations: impl Read + 'static,
    name: &str,
    words: &Path,
) -> Result<(Corpus, Notes), ReadError> {
    let words = CorpusTable::open(Kind::Words, words.to_owned())?;
    let fixations = CorpusTable::from_reader(Kind::Fixations, name, fixations)?;
    OpenTables { fixations, words, trials: None }.read(Path::new(name), Reader::Unknown)
}

/// Reads the texts of a table of words.
///
/// # Errors
/// If it cannot be read, or is wrong.
pub fn read_texts(words: &Path) -> Result<Vec<Text>, ReadError> {
    let mut table = CorpusTable::open(Kind::Words, words.to_owned())?;
    let texts = read_words(&mut table)?;
    table.refuse_guess()?;
    Ok(texts)
}

/// Whether tables name the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Named,
    /// They may; without a name, everything is of one.
    Unknown,
}

/// The files of a corpus.
struct Tables {
    fixations: PathBuf,
    words: PathBuf,
    trials: Option<PathBuf>,
}

impl Tables {
    fn of(folder: &Path) -> Result<Self, ReadError> {
        files::check_folder(folder)?;
        // Look for all files first: a missing one should not show only after minutes of reading.
        Ok(Self {
            fixations: Kind::Fixations.require(folder)?,
            words: Kind::Words.require(folder)?,
            trials: Kind::Trials.find(folder)?,
        })
    }

    fn open(self) -> Result<OpenTables, ReadError> {
        let words = CorpusTable::open(Kind::Words, self.words)?;
        let fixations = CorpusTable::open(Kind::Fixations, self.fixations)?;
        let trials =
            self.trials.map(|trials| CorpusTable::open(Kind::Trials, trials)).transpose()?;
        Ok(OpenTables { fixations, words, trials })
    }
}

/// The tables of a corpus, of which the column names have been read.
struct OpenTables {
    fixations: CorpusTable,
    words: CorpusTable,
    trials: Option<CorpusTable>,
}

impl OpenTables {
    fn read(mut self, path: &Path, reader: Reader) -> Result<(Corpus, Notes), ReadError> {
        let mut builder = Builder::new(read_words(&mut self.words)?, reader);
        builder.read_fixations(&mut self.fixations, &self.words.heading.file)?;
        if let Some(trials) = &mut self.trials {
            builder.read_trials(trials)?;
        }
        let Builder { readers, texts, scanpaths, mut notes, .. } = builder;
        let corpus = Corpus::new(files::corpus_name(path), readers.names, texts, scanpaths)
            .map_err(|error| ReadError::Inconsistent { path: path.to_owned(), error })?;
        for table in [&self.fixations, &self.words].into_iter().chain(&self.trials) {
            notes.table(table);
        }
        notes.corpus(&corpus);
        if reader == Reader::Unknown {
            // One person reads a part of what there is.
            notes.oddities.retain(|oddity| !matches!(oddity, Oddity::UnreadTexts { .. }));
        }
        Ok((corpus, notes))
    }
}

/// Numbers names in the order in which they first occur.
#[derive(Default)]
struct NameNumbers {
    names: Vec<String>,
    ids: HashMap<String, usize>,
}

impl NameNumbers {
    fn id(&mut self, name: &str) -> usize {
        if let Some(id) = self.find(name) {
            return id;
        }
        let id = self.names.len();
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied()
    }
}

/// The texts, in the order of the table.
fn read_words(table: &mut CorpusTable) -> Result<Vec<Text>, ReadError> {
    let text = table.required("text")?;
    let index = table.required("word_index")?;
    let start = table.required("char_start")?;
    let end = table.required("char_end")?;
    let line = table.optional("line")?;
    let form = table.optional("word")?;

    let mut texts = NameNumbers::default();
    let mut lines: Vec<BTreeMap<i32, Vec<Word>>> = Vec::new();
    let mut rows: HashMap<(usize, u32), u64> = HashMap::new();
    while let Some(row) = table.next()? {
        let name = row.name(text)?;
        let text = texts.id(name);
        if text == lines.len() {
            lines.push(BTreeMap::new());
        }
        let line = line.map_or(Ok(DEFAULT_LINE), |c| row.required_whole(c, LINE_NUMBER))?;
        let word = Word {
            index: row.required_whole(index, WORD_NUMBER)?,
            form: form.map(|c| row.verbatim(c)).filter(|f| !f.is_empty()).map(str::to_owned),
            start: row.required_whole(start, CHARACTER)?,
            end: row.required_whole(end, CHARACTER)?,
        };
        match rows.entry((text, word.index)) {
            Entry::Vacant(entry) => entry.insert(row.number_in_file()),
            Entry::Occupied(entry) => {
                return Err(ReadError::DuplicateWord {
                    at: row.place(index.name),
                    first: *entry.get(),
                    text: shown(name),
                    index: word.index,
                });
            }
        };
        lines[text].entry(line).or_default().push(word);
    }
    let located = |text: usize, error| {
        let row_of = |index| rows.get(&(text, index)).copied().unwrap_or_default();
        misplaced(&table.heading, &texts.names[text], row_of, error)
    };
    lines
        .into_iter()
        .enumerate()
        .map(|(text, lines)| {
            lines
                .into_iter()
                .map(|(number, words)| Line::new(number, words))
                .collect::<Result<_, _>>()
                .and_then(|lines| Text::new(texts.names[text].as_str(), lines))
                .map_err(|error| located(text, error))
        })
        .collect()
}

/// Puts an error about words where the words are.
fn misplaced(
    heading: &Heading,
    text: &str,
    row_of: impl Fn(u32) -> u64,
    error: CorpusError,
) -> ReadError {
    let text = shown(text);
    match error {
        CorpusError::EmptyWord { index, start, end } => {
            let at = heading.place(row_of(index), "char_end");
            ReadError::EmptyWord { at, text, index, start, end }
        }
        CorpusError::OverlappingWords { first, second, end, start } => {
            ReadError::OverlappingWords {
                at: heading.place(row_of(second), "char_start"),
                text,
                index: second,
                start,
                other: first,
                other_row: row_of(first),
                end,
            }
        }
        error => ReadError::Inconsistent { path: heading.file.clone(), error },
    }
}

/// The columns that tell readings apart.
struct Key {
    reader: Option<Column>,
    text: Column,
    session: Option<Column>,
    trial: Option<Column>,
}

impl Key {
    fn of(table: &CorpusTable, reader: Reader) -> Result<Self, ReadError> {
        Ok(Self {
            reader: match reader {
                Reader::Named => Some(table.required("reader")?),
                Reader::Unknown => table.optional("reader")?,
            },
            text: table.required("text")?,
            session: table.optional("session")?,
            trial: table.optional("trial")?,
        })
    }

    /// Reader, text, session and trial of a row.
    fn read<'r>(&self, row: &CorpusRow<'r>) -> Result<[&'r str; 4], ReadError> {
        Ok([
            row.name_or(self.reader, DEFAULT_NAME)?,
            row.name(self.text)?,
            row.name_or(self.session, DEFAULT_NAME)?,
            row.name_or(self.trial, DEFAULT_NAME)?,
        ])
    }
}

/// A fixation with what it is sorted by.
struct Numbered {
    number: i64,
    row: u64,
    fixation: Fixation,
}

/// A corpus in the making.
struct Builder {
    reader: Reader,
    readers: NameNumbers,
    sessions: NameNumbers,
    trials: NameNumbers,
    text_ids: HashMap<String, usize>,
    texts: Vec<Text>,
    /// Reader, text, session and trial to index of the scanpath.
    ids: HashMap<[usize; 4], usize>,
    scanpaths: Vec<Scanpath>,
    notes: Notes,
}

impl Builder {
    fn new(texts: Vec<Text>, reader: Reader) -> Self {
        Self {
            reader,
            readers: NameNumbers::default(),
            sessions: NameNumbers::default(),
            trials: NameNumbers::default(),
            text_ids: texts.iter().enumerate().map(|(i, t)| (t.id().to_owned(), i)).collect(),
            texts,
            ids: HashMap::new(),
            scanpaths: Vec::new(),
            notes: Notes::default(),
        }
    }

    /// The scanpath that a row belongs to, a new one where there is none yet; `None` where the
    /// text has no words. `last` is that of the row before, most often the same.
    fn scanpath(&mut self, names: [&str; 4], last: Option<usize>) -> Option<usize> {
        if last.is_some_and(|last| self.names_of(last) == names) {
            return last;
        }
        let [reader, text, session, trial] = names;
        let text = *self.text_ids.get(text)?;
        let key = [self.readers.id(reader), text, self.sessions.id(session), self.trials.id(trial)];
        Some(*self.ids.entry(key).or_insert_with(|| {
            self.scanpaths.push(Scanpath {
                reader: key[0],
                text,
                session: session.to_owned(),
                trial: trial.to_owned(),
                order: None,
                fixations: Vec::new(),
            });
            self.scanpaths.len() - 1
        }))
    }

    fn names_of(&self, scanpath: usize) -> [&str; 4] {
        let path = &self.scanpaths[scanpath];
        let (reader, text) = (&self.readers.names[path.reader], self.texts[path.text].id());
        [reader, text, &path.session, &path.trial]
    }

    fn read_fixations(&mut self, table: &mut CorpusTable, words: &Path) -> Result<(), ReadError> {
        let key = Key::of(table, self.reader)?;
        let x = table.required("x_char")?;
        let duration = table.required("duration_ms")?;
        let line = table.optional("line")?;
        let number = table.optional("fix_index")?;
        let onset = table.optional("onset_ms")?;
        let gap = table.optional("gap")?;
        self.notes.in_row_order = number.is_none();

        let mut numbered: Vec<Vec<Numbered>> = Vec::new();
        let mut last = None;
        while let Some(row) = table.next()? {
            let names = key.read(&row)?;
            let Some(scanpath) = self.scanpath(names, last) else {
                return Err(ReadError::UnknownText {
                    at: row.place(key.text.name),
                    text: shown(names[1]),
                    words: words.to_owned(),
                    example: self.texts.first().map(|t| shown(t.id())).unwrap_or_default(),
                });
            };
            last = Some(scanpath);
            let fixation = Fixation {
                line: match line {
                    Some(column) => row.whole(column, LINE_NUMBER)?,
                    None => Some(self.only_line(scanpath, row.heading)?),
                },
                x: row.number(x)?.map(Chars),
                duration: row.amount(duration)?.map(Millis),
                onset: onset.map_or(Ok(None), |c| row.number(c))?.map(Millis),
                gap: gap.map_or(Ok(false), |c| row.flag(c))?,
                ..Fixation::default()
            };
            let number = number.map_or(Ok(0), |c| row.required_whole(c, "a whole number"))?;
            if scanpath == numbered.len() {
                numbered.push(Vec::new());
            }
            numbered[scanpath].push(Numbered { number, row: row.number_in_file(), fixation });
        }
        for (scanpath, mut fixations) in numbered.into_iter().enumerate() {
            if let Some(column) = number {
                fixations.sort_by_key(|f| f.number);
                if let Some(pair) = fixations.windows(2).find(|p| p[0].number == p[1].number) {
                    let heading = &table.heading;
                    return Err(self.duplicate(heading, column, scanpath, [&pair[0], &pair[1]]));
                }
            }
            self.scanpaths[scanpath].fixations =
                fixations.into_iter().map(|f| f.fixation).collect();
        }
        Ok(())
    }

    /// The line that fixations without a line are on.
    ///
    /// # Errors
    /// If the text has several: to put all on one of them would be wrong for most.
    fn only_line(&self, scanpath: usize, fixations: &Heading) -> Result<i32, ReadError> {
        let text = &self.texts[self.scanpaths[scanpath].text];
        match text.lines() {
            [line] => Ok(line.number()),
            lines => Err(ReadError::LineNeeded {
                file: fixations.file.clone(),
                row: fixations.row,
                text: shown(text.id()),
                lines: lines.len(),
            }),
        }
    }

    fn duplicate(
        &self,
        heading: &Heading,
        column: Column,
        scanpath: usize,
        [first, second]: [&Numbered; 2],
    ) -> ReadError {
        let [reader, text, ..] = self.names_of(scanpath);
        ReadError::DuplicateFixation {
            at: heading.place(second.row, column.name),
            first: first.row,
            reader: shown(reader),
            text: shown(text),
            index: second.number,
        }
    }

    fn read_trials(&mut self, table: &mut CorpusTable) -> Result<(), ReadError> {
        let key = Key::of(table, self.reader)?;
        let order = table.optional("trial_order")?;
        let group = table.optional("group")?;

        let mut groups: HashMap<usize, u64> = HashMap::new();
        let mut orders: HashMap<usize, u64> = HashMap::new();
        while let Some(row) = table.next()? {
            let names @ [_, text, ..] = key.read(&row)?;
            let group = group.and_then(|column| row.cell(column));
            let order = order.map_or(Ok(None), |column| row.number(column))?;
            if let (Some(group), Some(&id)) = (group, self.text_ids.get(text)) {
                let subject = || format!("text {:?}", shown(text));
                let old = self.texts[id].group.as_deref();
                agree(&mut groups, id, &row, ("group", old, group), subject)?;
                self.texts[id].group = Some(group.to_owned());
            }
            let Some(scanpath) = self.find(names) else {
                self.notes.trials_without_fixations += 1;
                continue;
            };
            if let Some(order) = order {
                let subject = || {
                    let [reader, text, session, trial] = names.map(shown);
                    format!(
                        "reader {reader:?} on text {text:?}, session {session:?}, trial {trial:?}"
                    )
                };
                let old = self.scanpaths[scanpath].order.map(|o| o.to_string());
                let new = order.to_string();
                agree(&mut orders, scanpath, &row, ("trial_order", old.as_deref(), &new), subject)?;
                self.scanpaths[scanpath].order = Some(order);
            }
        }
        Ok(())
    }

    fn find(&self, [reader, text, session, trial]: [&str; 4]) -> Option<usize> {
        let key = [
            self.readers.find(reader)?,
            self.text_ids.get(text).copied()?,
            self.sessions.find(session)?,
            self.trials.find(trial)?,
        ];
        self.ids.get(&key).copied()
    }
}

/// Checks that a value agrees with what an earlier row said, and remembers the first row.
fn agree(
    first: &mut HashMap<usize, u64>,
    id: usize,
    row: &CorpusRow<'_>,
    (column, old, new): (&str, Option<&str>, &str),
    subject: impl Fn() -> String,
) -> Result<(), ReadError> {
    let first = *first.entry(id).or_insert(row.number_in_file());
    match old {
        Some(old) if old != new => Err(ReadError::Contradiction {
            at: row.place(column),
            found: shown(new),
            expected: shown(old),
            first,
            subject: subject(),
        }),
        _ => Ok(()),
    }
}
