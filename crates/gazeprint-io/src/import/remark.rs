//! What an import says it decided, and what looks wrong to it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::setting::{Phrase, SettingNames};

/// Something that was decided, or that looks wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The name of the file that it is about, where it is about one.
    pub file: Option<Arc<str>>,
    /// What it says.
    pub said: Phrase,
    /// Whether something may be wrong, and a strict import ends here.
    pub is_warning: bool,
}

impl Remark {
    /// What was decided, and why.
    pub(super) fn decision(said: String) -> Self {
        Self { file: None, said: said.into(), is_warning: false }
    }

    /// What looks wrong, and how to go on.
    pub(super) fn warning(said: Phrase) -> Self {
        Self { file: None, said, is_warning: true }
    }

    /// The same remark, with these names for settings.
    pub(super) fn settle_names(&mut self, names: &SettingNames<'_>) {
        self.said.settle_names(names);
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}: {}", self.said),
            None => self.said.fmt(f),
        }
    }
}

impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Remarks in the order in which their kinds first occur. Those of several files that differ in
/// numbers, or in the names of the files, are of one kind, and said once: with the range of each
/// number.
pub fn by_kind<'r>(remarks: impl IntoIterator<Item = &'r Remark>) -> Vec<String> {
    let mut kinds: Vec<Kind<'r>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for remark in remarks {
        let (pattern, numbers) = pattern(remark);
        match places.get(&pattern) {
            Some(&at) => kinds[at].add(remark, numbers),
            None => {
                places.insert(pattern.clone(), kinds.len());
                let (first, last, ranges) = (remark, remark, ranges(numbers));
                kinds.push(Kind { pattern, first, files: 1, last, ranges });
            }
        }
    }
    kinds.into_iter().map(|kind| kind.said()).collect()
}

/// What stands for a number in a pattern, and for the name of the file.
const NUMBER: char = '\u{1}';
const NAME: char = '\u{2}';

/// The least and the greatest of a number, as they are written.
type Range = [String; 2];

struct Kind<'r> {
    pattern: String,
    first: &'r Remark,
    files: usize,
    last: &'r Remark,
    ranges: Vec<Range>,
}

fn ranges(numbers: Vec<String>) -> Vec<Range> {
    numbers.into_iter().map(|number| [number.clone(), number]).collect()
}

impl<'r> Kind<'r> {
    fn add(&mut self, remark: &'r Remark, numbers: Vec<String>) {
        // Files in several folders may be called alike.
        let is_same = |a: &Option<Arc<str>>, b: &Option<Arc<str>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => a.is_none() && b.is_none(),
        };
        self.files += usize::from(!is_same(&remark.file, &self.last.file));
        self.last = remark;
        let value = |number: &str| number.parse::<f64>().unwrap_or(f64::NAN);
        for ([least, greatest], number) in self.ranges.iter_mut().zip(numbers) {
            if value(&number) < value(least) {
                least.clone_from(&number);
            }
            if value(&number) > value(greatest) {
                *greatest = number;
            }
        }
    }

    fn said(self) -> String {
        if self.files == 1 {
            return self.first.to_string();
        }
        let mut ranges = self.ranges.iter();
        let mut said = format!("{} files: ", self.files);
        for character in self.pattern.chars() {
            match (character, self.first.file.as_deref()) {
                (NUMBER, _) => match ranges.next() {
                    Some([least, greatest]) if least == greatest => said.push_str(least),
                    Some([least, greatest]) => {
                        said.push_str(&format!("{least} to {greatest}"));
                    }
                    None => {}
                },
                (NAME, _) => said.push_str("(name of the file)"),
                (other, _) => said.push(other),
            }
        }
        said
    }
}

/// A remark with its numbers taken out, and those. What is about no file is of a kind of its own.
fn pattern(remark: &Remark) -> (String, Vec<String>) {
    let said = remark.said.to_string();
    let Some(file) = &remark.file else { return (said, Vec::new()) };
    let stem = file.split('.').next().unwrap_or_default();
    let said = match stem.is_empty() {
        true => said,
        false => whole_words(&said, stem),
    };
    let (mut pattern, mut numbers, mut number) = (String::new(), Vec::new(), String::new());
    let mut rest = said.chars().peekable();
    while let Some(character) = rest.next() {
        let goes_on = character == '.' && rest.peek().is_some_and(char::is_ascii_digit);
        if character.is_ascii_digit() || (!number.is_empty() && goes_on && !number.contains('.')) {
            number.push(character);
            continue;
        }
        if !number.is_empty() {
            numbers.push(std::mem::take(&mut number));
            pattern.push(NUMBER);
        }
        pattern.push(character);
    }
    if !number.is_empty() {
        numbers.push(number);
        pattern.push(NUMBER);
    }
    (pattern, numbers)
}

/// A text in which a name stands for itself alone, where no letter or digit is beside it.
fn whole_words(text: &str, name: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        out.push_str(before);
        if is_part(out.chars().next_back()) || is_part(after.chars().next()) {
            out.push_str(name);
        } else {
            out.push(NAME);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(file: &str, said: &str) -> Remark {
        Remark { file: Some(file.into()), ..Remark::decision(said.to_owned()) }
    }

    #[test]
    fn decisions_of_many_files_are_told_by_kind() {
        let remarks = [
            remark("p01.asc", "12 trials, 2.5 ms"),
            remark("p01.asc", "all are of p01"),
            remark("p02.asc", "7 trials, 2.5 ms"),
            remark("p02.asc", "all are of p02"),
            remark("p02.asc", "only here: 3"),
            Remark::decision("of none: 4".to_owned()),
        ];
        assert_eq!(
            by_kind(&remarks),
            [
                "2 files: 7 to 12 trials, 2.5 ms",
                "2 files: all are of (name of the file)",
                "p02.asc: only here: 3",
                "of none: 4",
            ]
        );
    }

    #[test]
    fn a_name_within_a_word_is_no_name_of_a_file() {
        let remarks = [remark("a.csv", "a plan of a"), remark("b.csv", "b plan of b")];
        assert_eq!(by_kind(&remarks), ["2 files: (name of the file) plan of (name of the file)"]);
        assert_eq!(by_kind(&[remark("1.csv", "of 1, v1.2.3.")]), ["1.csv: of 1, v1.2.3."]);
    }
}
