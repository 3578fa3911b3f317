//! Texts that the server has: recordings of them need not bring their words, and challenges are made of them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use gazeprint::corpus::{CorpusError, Line, Text, Word};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::random_below;
use crate::private_files::{make_private_folder, replace};
use crate::problem::Problem;

/// Texts at most.
const MOST: usize = 10_000;
const FILE: &str = "texts.json";

/// A text: its lines, or where its words are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextBody {
    /// What it is called.
    pub(crate) text: String,
    /// Its lines as they are shown, in a font whose letters are all of one width.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lines: Vec<String>,
    /// Where its words are, instead of lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) words: Vec<TextWord>,
}

/// Where a word is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextWord {
    /// The line, from 1.
    #[serde(default = "first_line")]
    pub(crate) line: i32,
    pub(crate) char_start: i32,
    pub(crate) char_end: i32,
}

fn first_line() -> i32 {
    1
}

impl TextBody {
    /// The text as recordings know it.
    pub(crate) fn text(&self) -> Result<Text, Problem> {
        let wrong = |error: CorpusError| Problem::input(format!("text {:?}: {error}", self.text));
        if self.text.is_empty() || (self.lines.is_empty() == self.words.is_empty()) {
            return Err(Problem::input(format!(
                "text {:?}: expected a name, and either lines or words",
                self.text
            )));
        }
        let mut lines: BTreeMap<i32, Vec<Word>> = BTreeMap::new();
        for (number, start, end) in self.places() {
            let line = lines.entry(number).or_default();
            line.push(Word { index: line.len() as u32 + 1, form: None, start, end });
        }
        let lines = lines.into_iter().map(|(number, words)| Line::new(number, words));
        let lines = lines.collect::<Result<_, _>>().map_err(wrong)?;
        Text::new(self.text.clone(), lines).map_err(wrong)
    }

    /// Line, beginning and end of each word.
    fn places(&self) -> Vec<(i32, i32, i32)> {
        let told = self.words.iter().map(|word| (word.line, word.char_start, word.char_end));
        let shown = (1..).zip(&self.lines).flat_map(|(number, line)| {
            spans(line).into_iter().map(move |(start, end)| (number, start, end))
        });
        told.chain(shown).collect()
    }
}

/// Where the words of a line begin and end: they stand between blanks.
fn spans(line: &str) -> Vec<(i32, i32)> {
    let mut spans: Vec<(i32, i32)> = Vec::new();
    let mut was_blank = true;
    for (place, letter) in (0..).zip(line.chars()) {
        let is_blank = letter.is_whitespace();
        match spans.last_mut() {
            _ if is_blank => {}
            Some(last) if !was_blank => last.1 = place + 1,
            _ => spans.push((place, place + 1)),
        }
        was_blank = is_blank;
    }
    spans
}

#[derive(Default, Clone)]
struct Kept {
    bodies: BTreeMap<String, TextBody>,
    /// The same as recordings know them.
    texts: Arc<Vec<Text>>,
}

/// The texts of a server, in a file of its folder.
pub(crate) struct TextShelf {
    file: PathBuf,
    kept: RwLock<Kept>,
}

impl TextShelf {
    /// The texts in a folder; there need be none yet.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let file = folder.join(FILE);
        let bodies: Vec<TextBody> = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let bodies = bodies.into_iter().map(|body| (body.text.clone(), body)).collect();
        let texts = texts_of(&bodies).map_err(|problem| io::Error::other(problem.detail))?;
        Ok(Self { file, kept: RwLock::new(Kept { bodies, texts: Arc::new(texts) }) })
    }

    fn kept(&self) -> Kept {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All of them, as recordings know them.
    pub(crate) fn texts(&self) -> Arc<Vec<Text>> {
        Arc::clone(&self.kept.read().unwrap_or_else(PoisonError::into_inner).texts)
    }

    /// All of them, as they were sent.
    pub(crate) fn bodies(&self) -> Vec<TextBody> {
        self.kept().bodies.into_values().collect()
    }

    /// So many, drawn at random.
    pub(crate) fn draw(&self, count: usize) -> Result<Vec<TextBody>, Problem> {
        let mut all = self.bodies();
        if count == 0 || all.len() < count {
            return Err(Problem::input(format!(
                "found {count} texts wanted and {} there, expected at least one and no more than there are; \
                 POST /v1/texts adds texts",
                all.len()
            )));
        }
        for place in 0..count {
            let drawn = random_below(all.len() - place);
            let drawn = drawn.map_err(|error| Problem::bug(error.to_string()))?;
            all.swap(place, place + drawn);
        }
        all.truncate(count);
        Ok(all)
    }

    /// Adds texts. One of a name that is there must be the same.
    pub(crate) fn add(&self, new: Vec<TextBody>) -> Result<usize, Problem> {
        self.change(|bodies| {
            for body in new {
                match bodies.get(&body.text) {
                    Some(known) if *known != body => {
                        return Err(Problem::conflict(format!(
                            "there is another text {:?} already; remove it first, or give this one another \
                             name",
                            body.text
                        )));
                    }
                    _ => _ = bodies.insert(body.text.clone(), body),
                }
            }
            Ok(())
        })
    }

    /// Removes a text.
    pub(crate) fn remove(&self, name: &str) -> Result<usize, Problem> {
        self.change(|bodies| match bodies.remove(name) {
            Some(_) => Ok(()),
            None => Err(Problem::not_found("there is no such text")),
        })
    }

    /// Changes the texts as a whole, in the file first.
    fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, TextBody>) -> Result<(), Problem>,
    ) -> Result<usize, Problem> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut bodies = kept.bodies.clone();
        change(&mut bodies)?;
        if bodies.len() > MOST {
            return Err(Problem::input(format!("a server has {MOST} texts at most")));
        }
        let texts = Arc::new(texts_of(&bodies)?);
        let all: Vec<&TextBody> = bodies.values().collect();
        let bytes = serde_json::to_vec(&all).map_err(|error| Problem::bug(error.to_string()))?;
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let written = make_private_folder(folder).and_then(|()| replace(&self.file, &bytes));
        written.map_err(|error| Problem {
            cause: Some(format!("{}: {error}", self.file.display())),
            ..Problem::unwritable()
        })?;
        *kept = Kept { bodies, texts };
        Ok(kept.texts.len())
    }
}

fn texts_of(bodies: &BTreeMap<String, TextBody>) -> Result<Vec<Text>, Problem> {
    bodies.values().map(TextBody::text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str, line: &str) -> TextBody {
        TextBody { text: text.to_owned(), lines: vec![line.to_owned()], words: Vec::new() }
    }

    #[test]
    fn words_stand_between_blanks() {
        assert_eq!(spans("  Wer  liest\u{e4}? "), [(2, 5), (7, 14)]);
        assert!(spans("   ").is_empty());
    }

    #[test]
    fn texts_outlast_the_server_and_are_drawn_without_repeats() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = TextShelf::open(folder.path()).unwrap();
        assert!(shelf.draw(1).is_err());
        let all = ["a", "b", "c"].map(|name| body(name, "Who is reading"));
        assert_eq!(shelf.add(all.to_vec()).unwrap(), 3);
        assert_eq!(shelf.add(all[..1].to_vec()).unwrap(), 3);
        assert_eq!(shelf.add(vec![body("a", "Someone else")]).unwrap_err().kind, "conflict");
        for wrong in [body("", "Who"), body("d", " "), TextBody { lines: vec![], ..body("d", "") }]
        {
            assert_eq!(shelf.add(vec![wrong]).unwrap_err().kind, "input");
        }
        let again = TextShelf::open(folder.path()).unwrap();
        assert_eq!(again.bodies(), all);
        let mut drawn = again.draw(3).unwrap();
        drawn.sort_by(|a, b| a.text.cmp(&b.text));
        assert_eq!(drawn, all);
        assert_eq!((again.draw(4).is_err(), again.remove("a").unwrap()), (true, 2));
        assert_eq!(again.remove("a").unwrap_err().kind, "not_found");
    }
}
