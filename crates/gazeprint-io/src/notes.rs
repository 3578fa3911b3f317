//! What looks odd in a corpus that can be read.

use std::collections::HashMap;

use gazeprint::corpus::{Corpus, Millis, Scanpath, Text};
use thiserror::Error;

use crate::corpus_table::CorpusTable;
use crate::table::shown;

/// What reading a corpus found that is no error, but worth knowing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Notes {
    /// Rows of `trials` for which there are no fixations.
    pub trials_without_fixations: usize,
    /// There is no `fix_index`: fixations are in the order of their rows.
    pub in_row_order: bool,
    /// What may be a mistake.
    pub oddities: Vec<Oddity>,
}

/// Something accepted that may be a mistake; as text, it says what and asks what may be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Oddity {
    /// A file whose encoding is a guess.
    #[error("{file}: {guess}; are names and words right?")]
    Encoding {
        /// Name of the file.
        file: String,
        /// The encoding, and why it was taken for that.
        guess: String,
    },
    /// An ignored column whose name is almost that of an optional one.
    #[error("column {found} of {file} is ignored; did you mean {meant}?")]
    Column {
        /// Name of the file.
        file: String,
        /// Name of the column.
        found: String,
        /// Name of the optional column.
        meant: &'static str,
    },
    /// Readers whose names look the same.
    #[error(
        "{} with names that differ only in case or in characters that do not show, such as {:?} \
         and {:?}; is that one reader?", counted(.pairs, "pair of readers", "pairs of readers"),
        .example[0], .example[1]
    )]
    Readers {
        /// How many readers have a name like that of an earlier one.
        pairs: usize,
        /// The first two such names.
        example: [String; 2],
    },
    /// Words that are numbered in another order than they stand in.
    #[error(
        "{} where word_index does not grow from left to right, first line {line} of text {text:?}; \
         order is taken from char_start; are both right?", counted(.lines, "line", "lines")
    )]
    WordOrder {
        /// How many lines.
        lines: usize,
        /// The text of the first one.
        text: String,
        /// The number of the first one.
        line: i32,
    },
    /// Fixations that start before the one before them.
    #[error(
        "{} where onset_ms falls, first that of text {text:?} by reader {reader:?}; are fixations \
         in the order of reading?", counted(.readings, "reading", "readings")
    )]
    Onsets {
        /// How many readings.
        readings: usize,
        /// The reader of the first one.
        reader: String,
        /// The text of the first one.
        text: String,
    },
    /// Texts without readings.
    #[error("{read} of {} read; do the tables belong together?", counted(.texts, "text", "texts"))]
    UnreadTexts {
        /// Texts that somebody read.
        read: usize,
        /// All texts.
        texts: usize,
    },
}

impl Notes {
    /// All notes, as text.
    pub fn messages(&self) -> Vec<String> {
        let rows = self.trials_without_fixations;
        let trials = (rows > 0).then(|| {
            let rows = counted(&rows, "row", "rows");
            format!("{rows} of the trials table without fixations, not counted")
        });
        trials.into_iter().chain(self.oddities.iter().map(Oddity::to_string)).collect()
    }

    /// Notes what was guessed about a table, and columns that look misspelt.
    pub(crate) fn table(&mut self, table: &CorpusTable) {
        let file = table.heading.file_name();
        self.oddities.extend(
            table.doubt().map(|guess| Oddity::Encoding { file: file.clone(), guess: guess.into() }),
        );
        let misspelt = table.heading.misspelt().into_iter();
        self.oddities.extend(misspelt.map(|(found, meant)| {
            let (file, found) = (file.clone(), shown(&found));
            Oddity::Column { file, found, meant }
        }));
    }

    /// Notes what is odd in the whole.
    pub(crate) fn corpus(&mut self, corpus: &Corpus) {
        let found = [readers(corpus), word_order(corpus), onsets(corpus), unread(corpus)];
        self.oddities.extend(found.into_iter().flatten());
    }
}

fn counted(&count: &usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn readers(corpus: &Corpus) -> Option<Oddity> {
    let mut first: HashMap<String, &str> = HashMap::new();
    let (mut pairs, mut example) = (0, None);
    for reader in corpus.readers() {
        let earlier = *first.entry(without_hidden(reader)).or_insert(reader);
        if earlier != reader {
            pairs += 1;
            example.get_or_insert_with(|| [shown(earlier), shown(reader)]);
        }
    }
    example.map(|example| Oddity::Readers { pairs, example })
}

/// A name without what does not show: control characters, marks of direction and of joining,
/// byte-order marks, blanks around it, and case.
fn without_hidden(name: &str) -> String {
    let shows = |c: &char| {
        !c.is_control()
            && !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            && !matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    name.chars().filter(shows).collect::<String>().trim().to_lowercase()
}

fn word_order(corpus: &Corpus) -> Option<Oddity> {
    let wrong = || {
        let lines = |text| Text::lines(text).iter().map(move |line| (text, line));
        corpus
            .texts()
            .iter()
            .flat_map(lines)
            .filter(|(_, line)| !line.words().is_sorted_by_key(|word| word.index))
    };
    let (text, line) = wrong().next()?;
    Some(Oddity::WordOrder { lines: wrong().count(), text: shown(text.id()), line: line.number() })
}

fn onsets(corpus: &Corpus) -> Option<Oddity> {
    let falls = |path: &&Scanpath| {
        !path.fixations.iter().filter_map(|f| f.onset).is_sorted_by_key(|Millis(onset)| onset)
    };
    let mut falling = corpus.scanpaths().iter().filter(falls);
    let first = falling.next()?;
    Some(Oddity::Onsets {
        readings: 1 + falling.count(),
        reader: shown(&corpus.readers()[first.reader]),
        text: shown(corpus.texts()[first.text].id()),
    })
}

fn unread(corpus: &Corpus) -> Option<Oddity> {
    let mut is_read = vec![false; corpus.texts().len()];
    for path in corpus.scanpaths() {
        is_read[path.text] = true;
    }
    let (read, texts) = (is_read.iter().filter(|&&read| read).count(), is_read.len());
    (read < texts).then_some(Oddity::UnreadTexts { read, texts })
}
