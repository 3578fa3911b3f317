//! Settings of an import, and sentences that name them.
//!
//! The library names a setting by the field that holds it. Who calls the library may know the same
//! setting by another name, such as a flag: [`Phrase::naming`] says it in those words.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

/// Makes the settings of one table.
macro_rules! settings {
    ($($(#[$doc:meta])* $setting:ident => $name:literal;)+) => {
        /// What an import is told, in [`Request`](super::Request) and in the parts of it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Setting {
            $($(#[$doc])* $setting,)+
        }

        impl Setting {
            /// All settings that messages name.
            pub const ALL: &'static [Self] = &[$(Self::$setting),+];

            /// The name of the field, in quotation marks of code.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$setting => $name,)+
                }
            }
        }
    };
}

settings! {
    /// [`Request::words`](super::Request::words).
    Words => "`words`";
    /// [`Request::text`](super::Request::text).
    Text => "`text`";
    /// [`Request::trials`](super::Request::trials).
    Trials => "`trials`";
    /// [`Request::format`](super::Request::format).
    Format => "`format`";
    /// [`Request::choices`](super::Request::choices), of one role.
    Choice => "`choices`";
    /// [`GivenDisplay::font_width`](super::GivenDisplay::font_width).
    FontWidth => "`font_width`";
    /// [`GivenDisplay::left`](super::GivenDisplay::left).
    Left => "`left`";
    /// [`GivenDisplay::line_height`](super::GivenDisplay::line_height).
    LineHeight => "`line_height`";
    /// [`GivenDisplay::top`](super::GivenDisplay::top).
    Top => "`top`";
    /// [`GazeOptions::eye`](super::GazeOptions::eye).
    Eye => "`eye`";
    /// [`GazeOptions::rate_hz`](super::GazeOptions::rate_hz).
    Rate => "`rate_hz`";
    /// [`GazeOptions::valid`](super::GazeOptions::valid).
    Valid => "`valid`";
    /// [`Request::from_name`](super::Request::from_name).
    FromName => "`from_name`";
    /// [`Request::from_reader`](super::Request::from_reader).
    FromReader => "`from_reader`";
    /// [`GazeOptions::patterns`](super::GazeOptions::patterns).
    Patterns => "`patterns`";
    /// [`GazeOptions::detector`](super::GazeOptions::detector).
    Detector => "`detector`";
    /// [`Screen::size_px`](super::detect::Screen::size_px).
    ScreenPixels => "`size_px`";
    /// [`Screen::size_mm`](super::detect::Screen::size_mm).
    ScreenSize => "`size_mm`";
    /// [`Screen::distance_mm`](super::detect::Screen::distance_mm).
    Distance => "`distance_mm`";
    /// [`Screen::px_per_degree`](super::detect::Screen::px_per_degree).
    PixelsPerDegree => "`px_per_degree`";
}

/// What settings are called by whoever calls the library.
pub type SettingNames<'n> = dyn Fn(Setting) -> &'static str + 'n;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(Cow<'static, str>),
    Setting(Setting),
}

/// A part of a message, which may name settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrase(Vec<Part>);

impl Phrase {
    /// The column of a role, as a choice: `choices role=column`. It can be pasted into a shell.
    pub(crate) fn choice(role: impl fmt::Display, column: impl fmt::Display) -> Self {
        Self::from(Setting::Choice).and(format!(" {}", quoted(&format!("{role}={column}"))))
    }

    /// The same phrase, followed by another.
    #[must_use]
    pub(crate) fn and(mut self, next: impl Into<Self>) -> Self {
        self.0.extend(next.into().0);
        self
    }

    /// Says it with these names.
    pub fn naming(&self, names: &SettingNames<'_>) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Setting(setting) => names(*setting).into(),
        };
        self.0.iter().map(part).collect()
    }

    /// Keeps these names, and forgets which settings they are of.
    pub(crate) fn settle_names(&mut self, names: &SettingNames<'_>) {
        *self = self.naming(names).into();
    }
}

/// A word as shells take it for one.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=.,:/@%".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else if word.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", word.replace('\'', "'\\''"))
    } else {
        format!("\"{word}\"")
    }
}

impl From<&'static str> for Phrase {
    fn from(text: &'static str) -> Self {
        Self(vec![Part::Text(text.into())])
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Self {
        Self(vec![Part::Text(text.into())])
    }
}

impl From<Setting> for Phrase {
    fn from(setting: Setting) -> Self {
        Self(vec![Part::Setting(setting)])
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.naming(&Setting::name))
    }
}

impl Serialize for Phrase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A phrase of text and settings, one after the other.
macro_rules! phrase {
    ($($part:expr),+ $(,)?) => {
        $crate::import::setting::Phrase::default()$(.and($part))+
    };
}
pub(crate) use phrase;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_by_their_fields_or_as_the_caller_names_them() {
        let phrase = phrase!["give ", Setting::Words, " or ", Phrase::choice("x", "COLUMN")];
        assert_eq!(phrase.to_string(), "give `words` or `choices` x=COLUMN");
        let short = |setting| match setting {
            Setting::Words => "-w",
            _ => "-m",
        };
        assert_eq!(phrase.naming(&short), "give -w or -m x=COLUMN");
    }

    #[test]
    fn choices_can_be_pasted_into_a_shell() {
        for (column, pasted) in [
            ("x_px", "x=x_px"),
            ("Gaze point X [px]", "\"x=Gaze point X [px]\""),
            ("cost $", "'x=cost $'"),
            ("it's \"x\"", "'x=it'\\''s \"x\"'"),
        ] {
            assert_eq!(Phrase::choice("x", column).to_string(), format!("`choices` {pasted}"));
        }
    }
}
