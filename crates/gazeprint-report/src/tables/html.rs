//! Tables in HTML.

use std::fmt::Write as _;

use super::{Cell, Mark, Table, TableId};
use crate::figure::escape;

/// A table with its number; numbers carry what they are sorted by.
pub(crate) fn write(out: &mut String, id: TableId, table: &Table, number: usize) {
    let (id, folded) = (id.name(), id.entry().folded);
    let caption = format!(
        "<figcaption id=\"cap-{id}\"><b>Table {number}.</b> {}</figcaption>\n",
        escape(&table.caption)
    );
    let _ = writeln!(out, "<figure class=\"table\" id=\"tab-{id}\">\n{caption}");
    if folded {
        let _ = writeln!(out, "<details><summary>{} rows</summary>", table.rows.len());
    }
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"cap-{id}\">\n\
         <table aria-labelledby=\"cap-{id}\">\n<thead>\n"
    );
    heads(out, table);
    out.push_str("</thead>\n<tbody>\n");
    for (starts, row) in table.rows() {
        out.push_str(if starts { "<tr class=\"new\">" } else { "<tr>" });
        for (i, (content, column)) in row.iter().zip(&table.columns).enumerate() {
            cell(out, content, column.number, i == 0);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    for note in &table.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    if folded {
        out.push_str("</details>\n");
    }
    out.push_str("</figure>\n");
}

/// One line of heads, or two where columns are grouped.
fn heads(out: &mut String, table: &Table) {
    let head = |out: &mut String, i: usize, rows: &str| {
        let column = &table.columns[i];
        let class = if column.number { " class=\"n\"" } else { "" };
        let text = escape(&column.head);
        let _ = write!(out, "<th scope=\"col\"{rows}{class} data-column=\"{i}\">{text}</th>");
    };
    if !table.is_grouped() {
        out.push_str("<tr>");
        (0..table.columns.len()).for_each(|i| head(out, i, ""));
        out.push_str("</tr>\n");
        return;
    }
    out.push_str("<tr>");
    let mut i = 0;
    for (group, n) in table.groups() {
        match group {
            Some(group) => {
                let group = escape(group);
                let _ = write!(
                    out,
                    "<th scope=\"colgroup\" colspan=\"{n}\" class=\"g\"><span>{group}</span></th>"
                );
            }
            None => (i..i + n).for_each(|i| head(out, i, " rowspan=\"2\"")),
        }
        i += n;
    }
    out.push_str("</tr>\n<tr>");
    for (i, column) in table.columns.iter().enumerate() {
        if column.group.is_some() {
            head(out, i, "");
        }
    }
    out.push_str("</tr>\n");
}

fn cell(out: &mut String, cell: &Cell, number: bool, first: bool) {
    let (tag, scope) = if first { ("th", " scope=\"row\"") } else { ("td", "") };
    let _ = write!(out, "<{tag}{scope}");
    if number {
        out.push_str(" class=\"n\"");
    }
    if let Some(key) = cell.key {
        let _ = write!(out, " data-key=\"{:e}\"", key.clamp(f64::MIN, f64::MAX));
    }
    let text = escape(&cell.text);
    let text = if cell.strong { format!("<b>{text}</b>") } else { text };
    let mark = match cell.mark {
        Some(Mark::Dagger) => "<sup class=\"mark\">†</sup>",
        Some(Mark::Star) => "<sup class=\"mark\">*</sup>",
        None => "",
    };
    let _ = write!(out, ">{text}{mark}</{tag}>");
}
