//! What is known of the words before fixations are read, and where fixations then go.

use std::io::BufRead;

use super::aliases::{Choice, ColumnRole};
use super::dataviewer::{self, CharacterMap, ReportOptions, ScreenWords, TurnedPages};
use super::error::{At, ImportError};
use super::format::column_names;
use super::layout::monospaced::{self, Display, Vertical};
use super::layout::{Layout, ScreenToText};
use super::popeye::{self, PopEyeOptions};
use super::recording::{RawFixation, RawWord, Reason, RowPlace, Sink};
use super::report::Shape;
use super::setting::{Phrase, Setting, phrase};
use super::swift::Items;
use super::table::{self, TableOptions};

/// How a text was shown in a monospaced font, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GivenDisplay {
    /// Width of a character.
    pub font_width: Option<f64>,
    /// Where the first character of a line starts.
    pub left: Option<f64>,
    /// From one line to the next.
    pub line_height: Option<f64>,
    /// Upper edge of the first line.
    pub top: Option<f64>,
}

impl GivenDisplay {
    fn display(&self) -> Result<Display, ImportError> {
        let (Some(font_width), Some(left)) = (self.font_width, self.left) else {
            return Err(ImportError::value(
                At::row(0),
                "a text without its place on the screen",
                "the width of a character and the left edge of the text, in pixels",
                phrase![
                    "add ",
                    Setting::FontWidth,
                    " PX and ",
                    Setting::Left,
                    " PX; for SWIFT sequences, add ",
                    Setting::Format,
                    " swift"
                ],
            ));
        };
        let vertical = match (self.line_height, self.top) {
            (Some(line_height), Some(top)) => Some(Vertical { line_height, top }),
            (None, None) => None,
            _ => {
                return Err(ImportError::value(
                    At::row(0),
                    phrase!["one of ", Setting::LineHeight, " and ", Setting::Top],
                    "both, or none for texts of one line",
                    "add the other",
                ));
            }
        };
        Ok(Display { font_width, left, vertical })
    }
}

/// What is known of the words.
#[derive(Debug, Default)]
pub(super) enum KnownWords {
    #[default]
    Nothing,
    /// They stand in characters, and were handed over.
    Placed,
    /// The sentences of SWIFT; they were handed over.
    Items(Items),
    /// They stand on a screen; they were handed over in characters.
    Screen(ScreenWords),
    /// They are groups of characters, whose places fixations tell.
    Map(CharacterMap),
}

impl KnownWords {
    /// Reads a table of words: one of four kinds of tables, told apart by their columns.
    pub(super) fn read_table(
        input: &mut dyn BufRead,
        file: usize,
        kind: WordTable,
        options: &ReportOptions<'_>,
        font_width: Option<f64>,
        sink: &mut dyn Sink,
    ) -> Result<(Self, Shape), ImportError> {
        let choices = options.choices;
        Ok(match kind {
            WordTable::Characters => {
                let options = TableOptions { choices: choices.to_vec(), ..TableOptions::default() };
                (Self::Placed, table::read_words(input, file, &options, sink)?)
            }
            WordTable::Letters => {
                let options = PopEyeOptions { choices };
                (Self::Placed, popeye::read_words(input, file, &options, sink)?)
            }
            WordTable::Map => {
                let (map, shape) = CharacterMap::read(input, file, options, sink)?;
                (Self::Map(map), shape)
            }
            WordTable::Areas => {
                let (words, shape) =
                    dataviewer::areas::read(input, file, options, font_width, sink)?;
                (Self::Screen(words), shape)
            }
        })
    }

    /// Reads a text as it was shown on a screen.
    pub(super) fn read_text(
        input: &mut dyn BufRead,
        file: usize,
        name: &str,
        display: &GivenDisplay,
        sink: &mut dyn Sink,
    ) -> Result<(Self, Shape), ImportError> {
        let layouts: Vec<Layout> = monospaced::read(input, name, &display.display()?)?;
        for layout in &layouts {
            layout.words(file, sink)?;
        }
        let rows = layouts.iter().map(|layout| layout.lines.len() as u64).sum();
        Ok((Self::Screen(layouts.into()), Shape { rows, ..Shape::default() }))
    }

    /// Reads the sentences of SWIFT.
    pub(super) fn read_items(
        input: &mut dyn BufRead,
        file: usize,
        sink: &mut dyn Sink,
    ) -> Result<(Self, Shape), ImportError> {
        let items = Items::read(input)?;
        items.words(file, sink)?;
        let rows = items.len() as u64;
        Ok((Self::Items(items), Shape { rows, ..Shape::default() }))
    }

    /// Calls a parser with a sink that turns pixels into characters, where words stand on a screen.
    pub(super) fn place<T>(
        &self,
        options: &ReportOptions<'_>,
        sink: &mut dyn Sink,
        parse: impl FnOnce(&mut dyn Sink) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        let Self::Screen(words) = self else { return parse(sink) };
        let screen = ScreenToText::new(words.layouts(), options.lines, sink);
        let mut placed = OnPages { pages: TurnedPages::new(words), screen };
        let parsed = parse(&mut placed)?;
        placed.pages.note(&mut placed.screen);
        placed.screen.finish()?;
        Ok(parsed)
    }
}

/// What a table of words tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordTable {
    /// First and last characters of words.
    Characters,
    /// Letters, as popEye has them.
    Letters,
    /// The characters' areas that make up a word.
    Map,
    /// Edges of words on the screen.
    Areas,
}

impl WordTable {
    /// Goes by the names of the columns, and by those that the user chose.
    pub(super) fn guess(start: &str, choices: &[Choice]) -> Self {
        let names = column_names(start);
        let chosen = |role: ColumnRole| {
            let has = |choice: &Choice| names.contains(&choice.column);
            choices.iter().any(|choice| choice.role == role && has(choice))
        };
        let has = |role: ColumnRole| chosen(role) || names.iter().any(|name| role.knows(name));
        if has(ColumnRole::Characters) {
            Self::Map
        } else if has(ColumnRole::Start) {
            Self::Characters
        } else if has(ColumnRole::Letter) && !has(ColumnRole::Left) {
            Self::Letters
        } else {
            Self::Areas
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Characters => "words",
            Self::Letters => "letters",
            Self::Map => "characters of words",
            Self::Areas => "areas of words",
        }
    }
}

/// Gives fixations the page that their reader saw, then places them on it.
struct OnPages<'w, 's> {
    pages: TurnedPages<'w>,
    screen: ScreenToText<'s>,
}

impl Sink for OnPages<'_, '_> {
    fn fixation(&mut self, place: RowPlace, mut fixation: RawFixation) -> Result<(), ImportError> {
        match self.pages.turn(&mut fixation) {
            Ok(_) => self.screen.fixation(place, fixation),
            Err(reason) => {
                self.screen.dropped(place, reason, &fixation.text);
                Ok(())
            }
        }
    }

    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError> {
        self.screen.word(place, word)
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        self.screen.dropped(place, reason, example);
    }

    fn note(&mut self, note: String) {
        self.screen.note(note);
    }

    fn warn(&mut self, warning: Phrase) {
        self.screen.warn(warning);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_words_are_told_apart() {
        let areas = "TRIAL_INDEX,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n";
        let chosen = Choice::parse("start=from").unwrap();
        for (kind, start, choices) in [
            (WordTable::Characters, "text,line,word_index,word,char_start,char_end\n", vec![]),
            (WordTable::Characters, "text,word_index,from,to\n", vec![chosen]),
            (WordTable::Areas, areas, vec![]),
            (WordTable::Areas, "page,word_idx,word,top_left_x,top_left_y,width,height\n", vec![]),
            (WordTable::Map, "speechId,paragraphId,word,characters,char_IA_ids\n", vec![]),
            (WordTable::Letters, "itemid\tletter\twordnum\tword\tline\tletline\tletword\n", vec![]),
        ] {
            assert_eq!(WordTable::guess(start, &choices), kind, "{start}");
        }
    }

    #[test]
    fn a_display_is_given_whole() {
        let part = GivenDisplay { font_width: Some(12.0), ..GivenDisplay::default() };
        assert!(part.display().unwrap_err().to_string().contains("`left`"));
        let line = GivenDisplay { left: Some(50.0), ..part };
        assert_eq!(line.display().unwrap().vertical, None);
        let high = GivenDisplay { line_height: Some(40.0), ..line };
        assert!(high.display().unwrap_err().to_string().contains("`top`"));
        let whole = GivenDisplay { top: Some(100.0), ..high };
        assert!(whole.display().unwrap().vertical.is_some());
    }
}
