//! Words for people: what answers, warnings and errors are told as.

pub(crate) mod answers;
pub(crate) mod errors;
pub(crate) mod log;
pub(crate) mod warnings;

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use gazeprint_recognition::is_invisible;

/// What is strong.
pub(crate) const BOLD: Style = Style::new().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Says something beside the answer.
pub(crate) fn note(text: &str) {
    say(NOTE, "note", text);
}

/// Says that something may be wrong.
pub(crate) fn warning(text: &str) {
    say(WARNING, "warning", text);
}

/// Says what went wrong.
pub(crate) fn error(text: &str) {
    say(ERROR, "error", text);
}

/// In colour where the terminal has it, nobody asked for none (`NO_COLOR`), and it is no pipe.
fn say(style: Style, kind: &str, text: &str) {
    anstream::eprintln!("{style}{kind}:{style:#} {}", spelt_out(text));
}

/// Text as a terminal may show it. Names come from files: what commands a terminal, or is not seen, is spelt out, but
/// for ends of lines and tabs.
pub(crate) fn spelt_out(text: &str) -> Cow<'_, str> {
    spelt(text, |c| c.escape_unicode().to_string())
}

/// An answer as JSON, over several lines.
pub(crate) fn json(answer: &impl serde::Serialize) -> serde_json::Result<String> {
    Ok(spelt_out_json(&serde_json::to_string_pretty(answer)?).into_owned() + "\n")
}

/// JSON in which such characters are spelt out, which changes nothing of what it says.
pub(crate) fn spelt_out_json(text: &str) -> Cow<'_, str> {
    spelt(text, |c| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    })
}

fn spelt(text: &str, spell: impl Fn(char) -> String) -> Cow<'_, str> {
    let is_hidden = |c: char| is_invisible(c) || c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_hidden) {
        return text.into();
    }
    let spelt = |c: char| if is_hidden(c) { spell(c) } else { c.to_string() };
    text.chars().map(spelt).collect::<String>().into()
}

/// In bold.
pub(crate) fn strong(text: &str) -> String {
    format!("{BOLD}{text}{BOLD:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_commands_no_terminal() {
        assert_eq!(spelt_out("a\tb\nžluťoučký 漢"), "a\tb\nžluťoučký 漢");
        assert_eq!(spelt_out("\u{1b}[8m\u{202e}\r"), "\\u{1b}[8m\\u{202e}\\u{d}");
        let json = serde_json::to_string("a\u{202e}\u{e0041}\u{1b}").unwrap();
        let spelt = spelt_out_json(&json);
        assert_eq!(spelt, "\"a\\u202e\\udb40\\udc41\\u001b\"");
        let same: String = serde_json::from_str(&spelt).unwrap();
        assert_eq!(same, "a\u{202e}\u{e0041}\u{1b}");
    }
}
