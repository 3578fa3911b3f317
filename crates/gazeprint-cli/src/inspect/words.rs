//! Names, counts and sentences as a terminal shows them.

use gazeprint_report::number::grouped;
use unicode_width::UnicodeWidthStr;

use crate::words::spelt_out;

/// Where lines of words are broken.
const WIDTH: usize = 80;

/// A name as it can be shown: characters that command a terminal, or do not show, are spelt out.
pub(crate) fn visible(name: &str) -> String {
    spelt_out(&name.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\""))
        .into_owned()
}

/// A name in a column of its own: filled up, or cut where it is too long.
pub(super) fn fitted(name: &str, width: usize) -> String {
    let mut out = name.to_owned();
    if out.width() > width {
        while out.width() + 1 > width {
            out.pop();
        }
        out.push('…');
    }
    let filled = width.saturating_sub(out.width());
    out + &" ".repeat(filled)
}

/// Text in lines of at most [`WIDTH`], those after the first set in.
pub(crate) fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let width = word.width();
        if used > 0 && used + 1 + width > WIDTH {
            out.push_str("\n  ");
            used = 2;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += width;
    }
    out.push('\n');
    out
}

/// A name of the files, in words.
pub(crate) fn spoken(name: &str) -> String {
    name.replace('_', " ")
}

/// A count with its noun.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!((plural(1, "text"), plural(2, "text")), ("1 text".into(), "2 texts".into()));
    }

    #[test]
    fn names_show_and_fit() {
        assert_eq!(visible("O'Neil \"Al\" é漢"), "O'Neil \"Al\" é漢");
        assert_eq!(visible("a\u{1b}[31mb\u{200b}\t"), "a\\u{1b}[31mb\\u{200b}\\t");
        assert_eq!(visible("a\u{115f}\u{34f}\u{ad}"), "a\\u{115f}\\u{34f}\\u{ad}");
        assert_eq!(fitted("ben", 5), "ben  ");
        assert_eq!(fitted("annabel", 5), "anna…");
        assert_eq!(fitted("漢字漢字", 6), "漢字… ");
    }

    #[test]
    fn long_lines_are_wrapped() {
        assert_eq!(wrapped("a few words"), "a few words\n");
        let text = wrapped(&"word ".repeat(40));
        assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  word")), "{text}");
    }
}
