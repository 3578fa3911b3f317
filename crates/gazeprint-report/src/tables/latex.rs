//! Tables in LaTeX, with the rules of the package `booktabs`, made to fit by `graphicx`.

use std::fmt::Write as _;

use super::{Cell, Mark, Table};
use crate::figure::is_unseen;

/// From so many columns on, a table takes both columns of a page.
const WIDE: usize = 6;
/// From so many on, it needs every point there is.
const CROWDED: usize = 9;
/// More rows than this do not fit a page, and tables that break over pages (`longtable`) do not go
/// into papers of two columns.
const LONG: usize = 40;

/// Shrinks what would be wider than the text, and leaves the rest as it is.
const FIT: &str = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{";

/// Tables with their names.
pub(super) fn write<'a>(
    setting: &str,
    tables: impl IntoIterator<Item = (&'a str, &'a Table)>,
) -> String {
    let mut out = String::from("% Needs \\usepackage{booktabs} and \\usepackage{graphicx}.\n");
    for (id, table) in tables {
        match table.rows.len() {
            0..=LONG => float(&mut out, setting, id, table),
            rows => {
                let _ = write!(
                    out,
                    "\n% {id}: {rows} rows, longer than a page; see tables.md or study.json.\n"
                );
            }
        }
    }
    out
}

fn float(out: &mut String, setting: &str, id: &str, table: &Table) {
    let float = if table.columns.len() >= WIDE { "table*" } else { "table" };
    let gap = if table.columns.len() >= CROWDED { 3 } else { 4 };
    let columns: String = table.columns.iter().map(|c| if c.number { 'r' } else { 'l' }).collect();
    let _ = write!(
        out,
        "\n\\begin{{{float}}}\n\\centering\n\\footnotesize\n\\setlength{{\\tabcolsep}}{{{gap}pt}}\n\
         \\setlength{{\\belowcaptionskip}}{{4pt}}\n\\caption{{{} {}}}\n\\label{{tab:gazeprint-{}}}\n\
         {FIT}\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\
         \\toprule\n",
        escape(&table.caption),
        escape(setting),
        id,
    );
    if table.is_grouped() {
        groups(out, table);
    }
    let heads: Vec<String> = table.columns.iter().map(|c| number_or_words(&c.head)).collect();
    let _ = writeln!(out, "{} \\\\\n\\midrule", heads.join(" & "));
    for (starts, row) in table.rows() {
        if starts {
            out.push_str("\\addlinespace\n");
        }
        let cells: Vec<String> = row.iter().map(cell).collect();
        let _ = writeln!(out, "{} \\\\", cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{tabular}}\n");
    for note in &table.notes {
        let _ = writeln!(
            out,
            "\\par\\smallskip\\begin{{minipage}}{{\\linewidth}}\\footnotesize {}\\end{{minipage}}",
            escape(note)
        );
    }
    let _ = writeln!(out, "\\end{{{float}}}");
}

/// The line above the heads, with rules under what it groups.
fn groups(out: &mut String, table: &Table) {
    let (mut cells, mut rules) = (Vec::new(), String::new());
    let mut column = 1;
    for (group, n) in table.groups() {
        match group {
            Some(group) => {
                cells.push(format!("\\multicolumn{{{n}}}{{c}}{{{}}}", escape(group)));
                let _ = write!(rules, "\\cmidrule(lr){{{column}-{}}}", column + n - 1);
            }
            None => cells.extend(std::iter::repeat_n(String::new(), n)),
        }
        column += n;
    }
    let _ = writeln!(out, "{} \\\\\n{rules}", cells.join(" & "));
}

fn cell(cell: &Cell) -> String {
    let text = match math(&cell.text) {
        Some(math) if cell.strong => format!("$\\mathbf{{{math}}}$"),
        Some(math) => format!("${math}$"),
        None => escape(&cell.text),
    };
    // Marks hang into the space between columns, so that digits stay in line.
    match cell.mark {
        Some(Mark::Dagger) => text + "\\rlap{$^\\dagger$}",
        Some(Mark::Star) => text + "\\rlap{$^*$}",
        None => text,
    }
}

fn number_or_words(text: &str) -> String {
    match math(text) {
        Some(math) => format!("${math}$"),
        None => escape(text),
    }
}

/// A text of digits and the signs of numbers, for math mode; none if it holds anything else.
fn math(text: &str) -> Option<String> {
    if !text.contains(|c: char| c.is_ascii_digit() || c == '∞') {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '0'..='9' | '.' | '+' | '(' | ')' | '[' | ']' | ' ' | '/' | '=' => out.push(c),
            '−' => out.push('-'),
            '∞' => out.push_str("\\infty "),
            '±' => out.push_str("\\pm"),
            '·' => out.push_str("\\times"),
            // Of thousands, or of a list.
            ',' if chars.peek().is_some_and(char::is_ascii_digit) => out.push_str("{,}"),
            ',' => out.push_str(",\\,"),
            c => {
                let mut power = superscript(c)?.to_string();
                while let Some(digit) = chars.peek().copied().and_then(superscript) {
                    power.push(digit);
                    chars.next();
                }
                let _ = write!(out, "^{{{power}}}");
            }
        }
    }
    Some(out)
}

fn superscript(c: char) -> Option<char> {
    Some(match c {
        '⁻' => '-',
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴'..='⁹' => char::from(b'4' + (c as u32 - '⁴' as u32) as u8),
        _ => return None,
    })
}

/// Running text: numbers with signs that only math mode has, and words.
fn escape(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let core = word.trim_end_matches(['.', ',', ';', ':']);
        match math(core).filter(|_| core.contains(['·', '⁻', '−', '∞'])) {
            Some(math) => format!("${math}${}", &word[core.len()..]),
            None => characters(word),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Every character as itself, whatever it means to LaTeX.
fn characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            // After `\\` these would belong to it.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            // The sign itself is not in the fonts of plain LaTeX.
            '"' | '”' => out.push_str("''"),
            '“' => out.push_str("``"),
            '’' => out.push('\''),
            // Two in a row would become a dash.
            '-' if out.ends_with('-') => out.push_str("{}-"),
            '–' => out.push_str("--"),
            '—' => out.push_str("---"),
            '−' => out.push_str("$-$"),
            '±' => out.push_str("$\\pm$"),
            '·' => out.push_str("$\\cdot$"),
            '×' => out.push_str("$\\times$"),
            '∞' => out.push_str("$\\infty$"),
            '≥' => out.push_str("$\\ge$"),
            '≤' => out.push_str("$\\le$"),
            '†' => out.push_str("$^\\dagger$"),
            'α' => out.push_str("$\\alpha$"),
            'ᾱ' => out.push_str("$\\bar\\alpha$"),
            'δ' => out.push_str("$\\delta$"),
            '₀'..='₉' => {
                let _ = write!(out, "$_{}$", c as u32 - '₀' as u32);
            }
            '\u{a0}' => out.push('~'),
            c if c.is_control() || is_unseen(c) => out.push(' '),
            c => match superscript(c) {
                Some(digit) => {
                    let _ = write!(out, "$^{digit}$");
                }
                None => out.push(c),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_math_mode() {
        for (text, expected) in [
            ("5.0·10⁻⁵", "5.0\\times10^{-5}"),
            ("(5.0 ± 1.2)·10⁻¹²", "(5.0 \\pm 1.2)\\times10^{-12}"),
            ("[−0.010, +0.071]", "[-0.010,\\, +0.071]"),
            ("1,234", "1{,}234"),
        ] {
            assert_eq!(math(text).as_deref(), Some(expected));
        }
        assert_eq!(math("–"), None);
        assert_eq!(math("95 % interval"), None);
    }

    #[test]
    fn running_text() {
        assert_eq!(escape("3/15,750 = 1.9·10⁻⁴."), "3/15,750 = $1.9\\times10^{-4}$.");
        assert_eq!(
            escape("a_b & 50\u{a0}% {x} \\y"),
            "a\\_b \\& 50~\\% \\{x\\} \\textbackslash{}y"
        );
        assert_eq!(escape("[x] --out ^~"), "{[}x{]} -{}-out \\textasciicircum{}\\textasciitilde{}");
        assert_eq!(escape("ᾱ₁"), "$\\bar\\alpha$$_1$");
    }
}
