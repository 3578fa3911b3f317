//! Words for people: what answers, warnings and errors are told as.

pub(crate) mod answers;
pub(crate) mod errors;
pub(crate) mod log;
pub(crate) mod warnings;

use anstyle::{AnsiColor, Style};

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
    anstream::eprintln!("{style}{kind}:{style:#} {text}");
}

/// In bold.
pub(crate) fn strong(text: &str) -> String {
    let style = Style::new().bold();
    format!("{style}{text}{style:#}")
}
