//! Words for people: what answers, warnings and errors are told as.

pub(crate) mod answers;
pub(crate) mod errors;
pub(crate) mod log;
pub(crate) mod warnings;

/// Says something beside the answer.
pub(crate) fn note(text: &str) {
    eprintln!("note: {text}");
}
