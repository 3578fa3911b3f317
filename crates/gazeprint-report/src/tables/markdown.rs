//! Tables in Markdown.

use std::fmt::Write as _;

use super::{Cell, Mark, Table, TableId};
use crate::figure::is_unseen;

pub(super) fn write(setting: &str, tables: &[(TableId, Table)]) -> String {
    let mut out = format!("# Results\n\n{}\n", escape(setting));
    for (i, (_, table)) in tables.iter().enumerate() {
        out.push_str(&self::table(&format!("Table {}", i + 1), table));
    }
    out
}

/// One table below its caption, after an empty line.
pub(crate) fn table(label: &str, table: &Table) -> String {
    let mut out = format!("\n**{label}.** {}\n\n", escape(&table.caption));
    let heads: Vec<String> = table
        .columns
        .iter()
        .map(|column| match column.group {
            Some(group) => escape(&format!("{group}: {}", column.head)),
            None => escape(&column.head),
        })
        .collect();
    let _ = writeln!(out, "| {} |", heads.join(" | "));
    let rules: Vec<&str> =
        table.columns.iter().map(|c| if c.number { "---:" } else { "---" }).collect();
    let _ = writeln!(out, "| {} |", rules.join(" | "));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    for note in &table.notes {
        let _ = writeln!(out, "\n{}", escape(note));
    }
    out
}

fn cell(cell: &Cell) -> String {
    let text = escape(&cell.text);
    let text = if cell.strong { format!("**{text}**") } else { text };
    match cell.mark {
        Some(Mark::Dagger) => text + "†",
        Some(Mark::Star) => text + "\\*",
        None => text,
    }
}

/// Signs that mean something to Markdown, in a table or out of it, mean themselves.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '|' | '#' | '~' | '!' | '[' | ']' => out.extend(['\\', c]),
            c if is_unseen(c) => out.push('\u{FFFD}'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_a_cell_or_start_a_tag() {
        assert_eq!(escape("a|b\n<i>*c*"), "a\\|b &lt;i&gt;\\*c\\*");
    }
}
