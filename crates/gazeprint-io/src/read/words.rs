//! From a table of words to texts.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use gazeprint::corpus::{CorpusError, Line, Text, Word};

use super::{DEFAULT_LINE, LINE_NUMBER, NameNumbers};
use crate::corpus_table::{CorpusTable, Heading};
use crate::error::ReadError;
use crate::table::shown;

const WORD_NUMBER: &str = "a whole number from 0, the number of the word in its text";
const CHARACTER: &str = "a whole number of characters";

/// The texts, in the order of the table.
pub(super) fn read_words(table: &mut CorpusTable) -> Result<Vec<Text>, ReadError> {
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
