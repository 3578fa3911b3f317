//! From the tables of a folder to a corpus.

#[cfg(feature = "columnar")]
mod frames;
mod words;

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use gazeprint::corpus::{Chars, Corpus, Fixation, Millis, Scanpath, Text};

use crate::cell::CorpusRow;
use crate::corpus_table::{Column, CorpusTable, Heading};
use crate::error::ReadError;
use crate::files::{self, Kind};
use crate::measured::MeasureColumns;
use crate::notes::{Notes, Oddity};
use crate::table::shown;
#[cfg(feature = "columnar")]
pub use frames::{Frames, read_frames, read_probe_frames};
use words::read_words;

/// Line, session and trial where a table does not tell them apart.
pub(crate) const DEFAULT_LINE: i32 = 1;
pub(crate) const DEFAULT_NAME: &str = "1";
/// What the reader of a probe is called where its tables do not say it.
pub const UNNAMED_READER: &str = DEFAULT_NAME;

const LINE_NUMBER: &str = "a whole number, the line of the text";

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

/// Whether a folder has fixations with places in degrees and no words: a corpus of pages whose words are
/// unknown.
pub fn has_pages_without_words(folder: &Path) -> bool {
    let Ok(Tables { fixations, words: Words::Unknown(_), .. }) = Tables::of(folder) else {
        return false;
    };
    let table = CorpusTable::open(Kind::Fixations, fixations);
    table.and_then(|table| MeasureColumns::of(&table)).is_ok_and(|columns| columns.has_places())
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
            Tables { fixations: probe.to_owned(), words: Words::In(words.to_owned()), trials: None }
        }
        Some(words) => Tables {
            fixations: Kind::Fixations.require(probe)?,
            words: Words::In(words.to_owned()),
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
    OpenTables { fixations, words: Some(words), texts: Vec::new(), trials: None }
        .read(Path::new(name), Reader::Unknown)
}

/// A table that is in no file.
#[derive(Debug, Clone, Default)]
pub struct LooseTable {
    /// What errors call it.
    pub name: String,
    /// What is in it, written in every way that a file may be.
    pub bytes: Vec<u8>,
}

/// Where the words of a corpus are that is in no folder.
#[derive(Debug, Clone, Default)]
pub enum LooseWords {
    /// In a table.
    Table(LooseTable),
    /// In texts that are known already.
    Known(Vec<Text>),
    /// Nowhere: what was read are pages whose words are unknown.
    #[default]
    Unknown,
}

/// The tables of a corpus that is in no folder.
#[derive(Debug, Clone, Default)]
pub struct LooseTables {
    /// What was fixated.
    pub fixations: LooseTable,
    /// The words of it.
    pub words: LooseWords,
    /// What is known of readings.
    pub trials: Option<LooseTable>,
}

impl LooseTable {
    fn open(self, kind: Kind) -> Result<CorpusTable, ReadError> {
        CorpusTable::from_reader(kind, &self.name, Cursor::new(self.bytes))
    }
}

impl LooseTables {
    /// Reads a corpus of them, of this name. As a probe, it need not say who the reader is.
    ///
    /// # Errors
    /// As [`read_corpus`].
    pub fn read(self, name: &str, is_probe: bool) -> Result<(Corpus, Notes), ReadError> {
        let fixations = self.fixations.open(Kind::Fixations)?;
        let (words, texts) = match self.words {
            LooseWords::Table(table) => (Some(table.open(Kind::Words)?), Vec::new()),
            LooseWords::Known(texts) => (None, texts),
            LooseWords::Unknown if MeasureColumns::of(&fixations)?.has_places() => {
                (None, Vec::new())
            }
            LooseWords::Unknown => return Err(Kind::Words.missing(Path::new(name))),
        };
        let trials = self.trials.map(|trials| trials.open(Kind::Trials)).transpose()?;
        let reader = if is_probe { Reader::Unknown } else { Reader::Named };
        OpenTables { fixations, words, texts, trials }.read(Path::new(name), reader)
    }
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

/// Where words are.
enum Words {
    In(PathBuf),
    /// In no table: what was read are pages whose words are unknown. Says what is missing where
    /// fixations are in characters.
    Unknown(ReadError),
}

/// The files of a corpus.
struct Tables {
    fixations: PathBuf,
    words: Words,
    trials: Option<PathBuf>,
}

impl Tables {
    fn of(folder: &Path) -> Result<Self, ReadError> {
        files::check_folder(folder)?;
        // Look for all files first: a missing one should not show only after minutes of reading.
        Ok(Self {
            fixations: Kind::Fixations.require(folder)?,
            words: match Kind::Words.require(folder) {
                Err(missing @ ReadError::MissingTable { .. }) => Words::Unknown(missing),
                found => Words::In(found?),
            },
            trials: Kind::Trials.find(folder)?,
        })
    }

    fn open(self) -> Result<OpenTables, ReadError> {
        let fixations = CorpusTable::open(Kind::Fixations, self.fixations)?;
        let words = match self.words {
            Words::In(file) => Some(CorpusTable::open(Kind::Words, file)?),
            Words::Unknown(_) if MeasureColumns::of(&fixations)?.has_places() => None,
            Words::Unknown(missing) => return Err(missing),
        };
        let trials =
            self.trials.map(|trials| CorpusTable::open(Kind::Trials, trials)).transpose()?;
        Ok(OpenTables { fixations, words, texts: Vec::new(), trials })
    }
}

/// The tables of a corpus, of which the column names have been read.
struct OpenTables {
    fixations: CorpusTable,
    /// None where all words are unknown, or known without a table.
    words: Option<CorpusTable>,
    /// Texts that are known without a table.
    texts: Vec<Text>,
    trials: Option<CorpusTable>,
}

impl OpenTables {
    fn read(mut self, path: &Path, reader: Reader) -> Result<(Corpus, Notes), ReadError> {
        let texts = self.words.as_mut().map_or(Ok(self.texts), read_words)?;
        let mut builder = Builder::new(texts, reader);
        let words = match &self.words {
            Some(words) => words.heading.file.clone(),
            None => self.fixations.heading.file.with_file_name("words.csv"),
        };
        builder.read_fixations(&mut self.fixations, &words)?;
        if let Some(trials) = &mut self.trials {
            builder.read_trials(trials)?;
        }
        let Builder { readers, texts, scanpaths, mut notes, .. } = builder;
        let corpus = Corpus::new(files::corpus_name(path), readers.names, texts, scanpaths)
            .map_err(|error| ReadError::Inconsistent { path: path.to_owned(), error })?;
        for table in [&self.fixations].into_iter().chain(&self.words).chain(&self.trials) {
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
    /// text has no words, and need have some. `last` is that of the row before, most often the same.
    fn scanpath(
        &mut self,
        names: [&str; 4],
        last: Option<usize>,
        needs_words: bool,
    ) -> Option<usize> {
        let last = last.filter(|last| !needs_words || self.text_of(*last).has_words());
        if last.is_some_and(|last| self.names_of(last) == names) {
            return last;
        }
        let [reader, text, session, trial] = names;
        let text = match self.text_ids.get(text) {
            Some(&id) if needs_words && !self.texts[id].has_words() => return None,
            Some(&id) => id,
            None if needs_words => return None,
            None => self.add_page(text),
        };
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

    /// A page whose words are unknown.
    fn add_page(&mut self, name: &str) -> usize {
        self.texts.push(Text::without_words(name));
        self.text_ids.insert(name.to_owned(), self.texts.len() - 1);
        self.texts.len() - 1
    }

    fn text_of(&self, scanpath: usize) -> &Text {
        &self.texts[self.scanpaths[scanpath].text]
    }

    fn names_of(&self, scanpath: usize) -> [&str; 4] {
        let path = &self.scanpaths[scanpath];
        let (reader, text) = (&self.readers.names[path.reader], self.texts[path.text].id());
        [reader, text, &path.session, &path.trial]
    }

    fn read_fixations(&mut self, table: &mut CorpusTable, words: &Path) -> Result<(), ReadError> {
        let key = Key::of(table, self.reader)?;
        let measures = MeasureColumns::of(table)?;
        // Where eyes are by degrees, texts may be pages without words.
        let x = match measures.has_places() {
            true => table.optional("x_char")?,
            false => Some(table.required("x_char")?),
        };
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
            let x = x.map_or(Ok(None), |column| row.number(column))?;
            let needs_words = x.is_some() || !measures.has_places();
            let Some(scanpath) = self.scanpath(names, last, needs_words) else {
                return Err(ReadError::UnknownText {
                    at: row.place(key.text.name),
                    text: shown(names[1]),
                    words: words.to_owned(),
                    example: self.texts.first().map(|t| shown(t.id())).unwrap_or_default(),
                });
            };
            last = Some(scanpath);
            let (place, kinematics) = measures.read(&row)?;
            let fixation = Fixation {
                line: match line {
                    Some(column) => row.whole(column, LINE_NUMBER)?,
                    None => self.only_line(scanpath, row.heading)?,
                },
                x: x.map(Chars),
                duration: row.amount(duration)?.map(Millis),
                onset: onset.map_or(Ok(None), |c| row.number(c))?.map(Millis),
                gap: gap.map_or(Ok(false), |c| row.flag(c))?,
                place,
                kinematics,
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

    /// The line that fixations without a line are on; none where words are unknown.
    ///
    /// # Errors
    /// If the text has several: to put all on one of them would be wrong for most.
    fn only_line(&self, scanpath: usize, fixations: &Heading) -> Result<Option<i32>, ReadError> {
        let text = self.text_of(scanpath);
        match text.lines() {
            [] => Ok(None),
            [line] => Ok(Some(line.number())),
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
