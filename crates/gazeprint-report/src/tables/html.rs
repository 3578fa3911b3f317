//! Tables in HTML.

use std::fmt::Write as _;

use super::table::Column;
use super::{Cell, Mark, Table, TableId};
use crate::figure::escape;

/// A table of a report.
pub(crate) fn write(out: &mut String, id: TableId, table: &Table, number: usize) {
    named(out, Some(id.name()), id.entry().folded, table, number);
}

/// A table with its name and number; numbers carry what they are sorted by, rows and columns of methods
/// which.
pub(crate) fn named(
    out: &mut String,
    name: Option<&str>,
    folded: bool,
    table: &Table,
    number: usize,
) {
    let id = |kind| name.map_or(String::new(), |name| format!(" id=\"{kind}-{name}\""));
    let label = match name {
        Some(name) => format!(" aria-labelledby=\"cap-{name}\""),
        None => format!(" aria-label=\"Table {number}\""),
    };
    let caption = format!(
        "<figcaption{}><b>Table {number}.</b> {}</figcaption>\n",
        id("cap"),
        escape(&table.caption)
    );
    let _ = writeln!(out, "<figure class=\"table\"{}>\n{caption}", id("tab"));
    if folded {
        let _ = writeln!(out, "<details><summary>{} rows</summary>", table.rows.len());
    }
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\"{label}>\n<table{label}>\n<thead>\n"
    );
    heads(out, table);
    out.push_str("</thead>\n<tbody>\n");
    for (starts, row) in table.rows() {
        out.push_str(if starts { "<tr class=\"new\"" } else { "<tr" });
        let methods = row.iter().filter(|cell| cell.is_method);
        for (attribute, cell) in ["data-method", "data-other"].into_iter().zip(methods) {
            let _ = write!(out, " {attribute}=\"{}\"", escape(&cell.text));
        }
        out.push('>');
        for (i, (content, column)) in row.iter().zip(&table.columns).enumerate() {
            cell(out, content, column, i == 0);
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
        let (text, method) = (escape(&column.head), of_method(column));
        let _ =
            write!(out, "<th scope=\"col\"{rows}{class}{method} data-column=\"{i}\">{text}</th>");
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

fn of_method(column: &Column) -> String {
    match column.is_method {
        true => format!(" data-method=\"{}\"", escape(&column.head)),
        false => String::new(),
    }
}

fn cell(out: &mut String, cell: &Cell, column: &Column, first: bool) {
    let (tag, scope) = if first { ("th", " scope=\"row\"") } else { ("td", "") };
    let _ = write!(out, "<{tag}{scope}{}", of_method(column));
    if column.number {
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
