//! Words from a text shown in a monospaced font.
//!
//! A file holds one text, or several, each after a line `=== NAME`. Lines of the file are lines on the
//! screen; empty ones take their place there, but are not counted as lines of the text.

use std::collections::HashSet;
use std::io::BufRead;
use std::sync::Arc;

use super::super::setting::{Setting, phrase};
use super::{Layout, Line, Word};
use crate::import::error::{At, ImportError};
use crate::import::values::characters;
use crate::table::Lines;

/// What a line starts with that names the text after it.
pub const HEADER: &str = "=== ";

/// How texts were shown, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Display {
    /// Pixels per character.
    pub font_width: f64,
    /// Where the first character of a line starts.
    pub left: f64,
    /// The height of lines, and the top of the first, where texts have several lines.
    pub vertical: Option<Vertical>,
}

/// The vertical places of lines, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertical {
    /// From one line to the next.
    pub line_height: f64,
    /// The top of the first line.
    pub top: f64,
}

impl Display {
    fn check(&self) -> Result<(), ImportError> {
        let positive = |number: f64| number.is_finite() && number > 0.0;
        let height = self.vertical.map_or(1.0, |vertical| vertical.line_height);
        let top = self.vertical.map_or(0.0, |vertical| vertical.top);
        if positive(self.font_width) && positive(height) && self.left.is_finite() && top.is_finite()
        {
            return Ok(());
        }
        Err(ImportError::value(
            At::row(0),
            format!(
                "font width {}, left {}, line height {height}, top {top}",
                self.font_width, self.left
            ),
            "pixels, with a font width and a line height above 0",
            phrase![
                "correct ",
                Setting::FontWidth,
                ", ",
                Setting::Left,
                ", ",
                Setting::LineHeight,
                " or ",
                Setting::Top
            ],
        ))
    }
}

/// Reads texts. A text without header has the given name.
///
/// # Errors
/// If the file cannot be read or has no words, the display makes no sense, or a text has several
/// lines and the display does not say where.
pub fn read(
    input: &mut dyn BufRead,
    name: &str,
    display: &Display,
) -> Result<Vec<Layout>, ImportError> {
    display.check()?;
    let (mut texts, mut names): (Vec<Text>, _) = (Vec::new(), HashSet::new());
    let mut lines = Lines::new(input);
    let (mut content, mut above) = (String::new(), 0);
    while lines.next(&mut content)? {
        let row = lines.number();
        if let Some(name) = content.strip_prefix(HEADER) {
            texts.push(named(name, &mut names, row)?);
            above = 0;
        } else {
            if texts.is_empty() && !content.trim().is_empty() {
                texts.push(named(name, &mut names, row)?);
            }
            if let Some(text) = texts.last_mut() {
                text.add_line(&content, above, row, display)?;
            }
            above += 1;
        }
        content.clear();
    }
    let row = lines.number().max(1);
    if let Some(bare) = texts.iter().find(|text| text.words.is_empty()) {
        return Err(ImportError::Value {
            at: At::row(row),
            found: format!("no word of the text {}", bare.name).into(),
            expected: "lines of text after its header".into(),
            remedy: "add the text or remove the header".into(),
        });
    }
    if texts.is_empty() {
        return Err(ImportError::Empty { at: At::row(row), expected: "a text" });
    }
    let (pitch, vertical) = (display.font_width, display.vertical.is_some());
    let layout = |Text { name, lines, words }| Layout::new(name, lines, words, pitch, vertical);
    Ok(texts.into_iter().map(layout).collect())
}

/// A text in the middle of being read.
struct Text {
    name: Arc<str>,
    lines: Vec<Line>,
    words: Vec<Word>,
}

fn named(name: &str, known: &mut HashSet<Arc<str>>, row: u64) -> Result<Text, ImportError> {
    let name: Arc<str> = name.trim().into();
    if name.is_empty() || !known.insert(Arc::clone(&name)) {
        return Err(ImportError::Value {
            at: At::row(row),
            found: format!("the text name \"{name}\"").into(),
            expected: "a name that no earlier text has".into(),
            remedy: "give each text a name of its own".into(),
        });
    }
    Ok(Text { name, lines: Vec::new(), words: Vec::new() })
}

impl Text {
    /// Adds a line of the screen with `above` others over it.
    fn add_line(
        &mut self,
        content: &str,
        above: u32,
        row: u64,
        display: &Display,
    ) -> Result<(), ImportError> {
        let line = self.lines.len();
        let words = words(content, line, row, display);
        if words.is_empty() {
            return Ok(());
        }
        let (centre, height) = match display.vertical {
            Some(Vertical { line_height, top }) => {
                (top + (f64::from(above) + 0.5) * line_height, line_height)
            }
            None if line > 0 => {
                return Err(ImportError::value(
                    At::row(row),
                    format!("a second line of the text {}", self.name),
                    "texts of one line, or a display that says where lines are",
                    phrase!["give ", Setting::LineHeight, " and ", Setting::Top],
                ));
            }
            None => (0.0, f64::INFINITY),
        };
        self.lines.push(Line { centre, height, origin: display.left, knots: Vec::new() });
        let first = i64::try_from(self.words.len()).unwrap_or(i64::MAX);
        self.words.extend((first..).zip(words).map(|(n, word)| Word { area: n + 1, ..word }));
        Ok(())
    }
}

fn words(content: &str, line: usize, row: u64, display: &Display) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut inside = false;
    for (at, character) in characters(content) {
        let pixel = |column: u32| display.left + f64::from(column) * display.font_width;
        if character.is_whitespace() {
            inside = false;
            continue;
        }
        if !inside {
            let (left, right) = (pixel(at), pixel(at));
            let label = Some(String::new());
            let (top, bottom) = (f64::NEG_INFINITY, f64::INFINITY);
            let (start, end) = (at, at);
            words.push(Word { area: 0, line, label, start, end, left, right, top, bottom, row });
        }
        inside = true;
        if let Some(word) = words.last_mut() {
            word.end = at + 1;
            word.right = pixel(at + 1);
            word.label.get_or_insert_default().push(character);
        }
    }
    words
}

#[cfg(test)]
mod tests;
