//! The lines of a watch: fixations and texts as JSON, one a line.

use std::collections::BTreeMap;

use gazeprint::corpus::{CorpusError, Line, Text, Word};
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::{Error, Watch, WatchStep, WatchedFixation};

/// What a line should be.
const FIXATION: &str = "{\"text\", \"line\", \"x_char\", \"duration_ms\"}";
const ANNOUNCEMENT: &str = "{\"text\", \"words\": [{\"line\", \"char_start\", \"char_end\"}, ...]}";

/// A line of a stream that somebody is watched by.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamLine {
    /// A fixation.
    Fixation(WatchedFixation),
    /// A text that is going to be read.
    Announcement(Text),
}

/// Why a line of a stream cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is not what a line should be.
    #[error("expected {expected} as JSON: {source}")]
    Unreadable {
        /// What it should be.
        expected: &'static str,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It announces a text that cannot be.
    #[error(transparent)]
    Text(#[from] CorpusError),
    /// The watch cannot go on with it.
    #[error(transparent)]
    Watch(#[from] Error),
}

impl LineError {
    /// The same, where the line alone is to blame: the watch can go on.
    ///
    /// # Errors
    /// What ends the watch.
    pub fn of_line_alone(self) -> Result<Self, Error> {
        match self {
            Self::Watch(Error::UnknownText { .. }) => Ok(self),
            Self::Watch(error) => Err(error),
            line => Ok(line),
        }
    }
}

/// A text that is announced.
#[derive(Deserialize)]
struct Announcement {
    text: String,
    words: Vec<AnnouncedWord>,
}

/// A word of a text that is announced.
#[derive(Deserialize)]
struct AnnouncedWord {
    line: Option<i32>,
    char_start: i32,
    char_end: i32,
}

impl StreamLine {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is neither a fixation nor a text.
    pub fn read(line: &[u8]) -> Result<Self, LineError> {
        let unreadable = |expected| move |source| LineError::Unreadable { expected, source };
        let message: Value = serde_json::from_slice(line).map_err(unreadable(FIXATION))?;
        if message.get("words").is_some() {
            let announced: Announcement =
                serde_json::from_value(message).map_err(unreadable(ANNOUNCEMENT))?;
            return Ok(Self::Announcement(announced.text()?));
        }
        Ok(Self::Fixation(serde_json::from_value(message).map_err(unreadable(FIXATION))?))
    }
}

impl Announcement {
    fn text(self) -> Result<Text, CorpusError> {
        let mut lines: BTreeMap<i32, Vec<Word>> = BTreeMap::new();
        for (index, word) in (1..).zip(self.words) {
            let AnnouncedWord { line, char_start: start, char_end: end } = word;
            let word = Word { index, form: None, start, end };
            lines.entry(line.unwrap_or(1)).or_default().push(word);
        }
        let lines = lines.into_iter().map(|(number, words)| Line::new(number, words));
        Text::new(self.text, lines.collect::<Result<_, _>>()?)
    }
}

impl Watch {
    /// Does what a line says: nothing comes of a text that is announced. A line that cannot be used is a loss
    /// of signal.
    ///
    /// # Errors
    /// If it cannot be used, or the watch cannot go on ([`LineError::of_line_alone`]).
    pub fn line(&mut self, line: &[u8]) -> Result<Option<WatchStep>, LineError> {
        let heard = StreamLine::read(line).and_then(|line| match line {
            StreamLine::Announcement(text) => {
                self.announce(text);
                Ok(None)
            }
            StreamLine::Fixation(fixation) => Ok(Some(self.fixation(&fixation)?)),
        });
        if heard.is_err() {
            self.lose();
        }
        heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_fixations_or_texts() {
        let fixation = StreamLine::read(br#"{"text": "s1", "x_char": 2.5, "duration_ms": 210}"#);
        let expected = WatchedFixation {
            text: "s1".to_owned(),
            x_char: Some(2.5),
            duration_ms: Some(210.0),
            ..Default::default()
        };
        assert_eq!(fixation.unwrap(), StreamLine::Fixation(expected));
        let text = br#"{"text": "s9", "words": [{"line": 2, "char_start": 0, "char_end": 3}]}"#;
        let StreamLine::Announcement(text) = StreamLine::read(text).unwrap() else {
            panic!("expected a text")
        };
        assert_eq!((text.id(), text.lines()[0].number()), ("s9", 2));
    }

    #[test]
    fn lines_that_cannot_be_used_say_what_they_should_be() {
        for (line, told) in [
            ("no JSON", FIXATION),
            (r#"{"x_char": 1}"#, FIXATION),
            (r#"{"text": "s1", "words": [{"char_start": 0}]}"#, ANNOUNCEMENT),
            (r#"{"text": "s1", "words": [{"char_start": 3, "char_end": 3}]}"#, "no character"),
            (r#"{"text": "s1", "words": []}"#, "s1"),
        ] {
            let error = StreamLine::read(line.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(told), "{line}: {error}");
        }
    }
}
