//! `report.html`: a study as one page that needs nothing else.
//!
//! Styles, script, fonts and figures are inside; nothing is loaded, and the page says so to the
//! browser. Whatever a corpus, a reader or a command line brings in is escaped.
//!
//! | module | does |
//! |---|---|
//! | `brief` | the main results in words |
//! | `method` | protocol and measures in words |
//! | `limits` | what the data can support, and warnings |
//! | `section` | the parts of the page |
//! | `readers` | a choice of readers, with the figures and traits of each |
//! | `page.css`, `page.js` | looks; tables that sort, numbers under the pointer, methods and readers to choose |
//!
//! Without the script the page shows all methods and one reader. The script reads what figures and
//! tables say of themselves: `data-method` (and `data-other`), `data-names`, `data-points`.

mod brief;
mod limits;
mod method;
mod readers;
mod section;

use std::fmt::Write as _;

use gazeprint_eval::report::Report;

pub use self::readers::Readers;
pub(crate) use self::section::Section;
use crate::figure::{Drawing, escape, method_sample, page_css};
use crate::figures::FigureId;
use crate::number::{grouped, plural};
use crate::tables::{self, Table, TableId};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing is loaded, whatever the page should turn out to hold.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      font-src data:; base-uri 'none'; form-action 'none'";

/// The page, with figures at their places, and readers to choose from where there are any.
///
/// The same input gives the same bytes. What differs between runs of the same study (times, threads
/// and arguments) is in the section on reproducing it alone.
pub fn html(
    report: &Report,
    figures: &[(FigureId, Drawing)],
    readers: Option<&Readers<'_>>,
) -> String {
    let mut numbers = Numbers::default();
    let mut parts: Vec<Part> = Vec::new();
    for section in Section::ALL {
        let entry = section.entry();
        let tables = tables::of_section(report, *section);
        let shown = FigureId::ALL
            .iter()
            .filter(|id| id.section() == *section)
            .filter_map(|id| figures.iter().find(|figure| figure.0 == *id));
        let mut body = (entry.words)(report);
        numbers.tables(&mut body, &tables);
        let before = numbers;
        for (id, drawing) in shown {
            numbers.figure(&mut body, *id, drawing, report, Some(id.name()));
        }
        if let (Section::Readers, Some(readers)) = (section, readers) {
            readers.write(&mut body, &mut numbers, report, before);
        }
        if !body.is_empty() {
            parts.push(Part { id: entry.id, title: entry.title, body });
        }
    }
    write(report, &parts)
}

/// A section that has something to say.
struct Part {
    id: &'static str,
    title: &'static str,
    body: String,
}

/// Tables and figures so far.
#[derive(Clone, Copy, Default)]
struct Numbers {
    tables: usize,
    figures: usize,
}

impl Numbers {
    fn tables(&mut self, out: &mut String, tables: &[(TableId, Table)]) {
        for (id, table) in tables {
            self.tables += 1;
            tables::html::write(out, *id, table, self.tables);
        }
    }

    /// The traits of a reader, if there are any; only the first table of its kind has a name.
    fn traits(&mut self, out: &mut String, table: &Table, name: Option<&str>) {
        if !table.rows.is_empty() {
            self.tables += 1;
            tables::html::named(out, name, true, table, self.tables);
        }
    }

    /// A figure; those of readers to choose from have no name.
    fn figure(
        &mut self,
        out: &mut String,
        id: FigureId,
        drawing: &Drawing,
        report: &Report,
        name: Option<&str>,
    ) {
        self.figures += 1;
        let name = name.map_or(String::new(), |name| format!(" id=\"fig-{name}\""));
        let _ = write!(
            out,
            "<figure{name}>\n<div class=\"card\">{}</div>\n\
             <figcaption><b>Figure {}.</b> {}</figcaption>\n</figure>\n",
            inline(&drawing.svg),
            self.figures,
            escape(&id.caption(drawing, report))
        );
    }
}

/// The methods to be shown or not; a page without a script does not show the choice.
fn switches(report: &Report) -> String {
    if report.methods.len() < 2 {
        return String::new();
    }
    let mut out =
        String::from("<fieldset class=\"tool\" id=\"methods\" hidden>\n<legend>Methods</legend>\n");
    for (index, method) in report.methods.iter().enumerate() {
        let name = escape(&method.method);
        let _ = writeln!(
            out,
            "<label><input type=\"checkbox\" value=\"{name}\" checked/>\
             <span class=\"card\">{}</span>{name}</label>",
            method_sample(&method.method, index)
        );
    }
    out + "</fieldset>\n"
}

/// A figure as part of a page, where its name space goes without saying.
fn inline(svg: &str) -> String {
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}

fn write(report: &Report, parts: &[Part]) -> String {
    let corpus = &report.corpus;
    let name = escape(&corpus.name);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>Who reads? {name}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"kicker\">Reader identification from eye movements</p>\n\
         <h1>{name}</h1>\n<p class=\"facts\">{} · {} · {} · {}</p>\n</header>\n<main>\n\
         <section id=\"results\">\n<h2>Main results</h2>\n{}</section>\n<nav aria-label=\"Contents\">\n<ol>\n",
        page_css(),
        plural(corpus.readers, "reader"),
        plural(corpus.texts, "text"),
        plural(corpus.fixations, "fixation"),
        plural(report.methods.len(), "method"),
        brief::section(report),
    );
    for Part { id, title, .. } in parts {
        let _ = writeln!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    let _ = write!(out, "</ol>\n</nav>\n{}", switches(report));
    for Part { id, title, body } in parts {
        let _ = write!(out, "<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n");
    }
    let version = escape(&report.manifest.version);
    let _ = write!(
        out,
        "</main>\n<footer><p>Made by gazeprint {version}.</p></footer>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

/// The box with what is needed to get the same numbers.
fn reproduce(report: &Report) -> String {
    let manifest = &report.manifest;
    let command: Vec<String> = std::iter::once("gazeprint".to_owned())
        .chain(manifest.arguments.iter().map(|argument| quoted(argument)))
        .collect();
    let mut rows = vec![
        ("gazeprint", format!("version {}", manifest.version)),
        ("corpus", report.corpus.name.clone()),
        ("SHA-256 of the corpus", manifest.corpus_sha256.clone()),
        ("seed", manifest.seed.to_string()),
        ("command", command.join(" ")),
        ("threads", grouped(manifest.threads)),
    ];
    if let Some(commit) = &manifest.commit {
        rows.insert(1, ("commit", commit.clone()));
    }
    let mut out = String::from(
        "<p>The same version, corpus and seed give the same numbers on one type of CPU, whatever \
         the number of threads; times differ.</p>\n<dl class=\"box\">\n",
    );
    for (name, value) in rows {
        let _ = writeln!(out, "<dt>{name}</dt><dd><code>{}</code></dd>", escape(&value));
    }
    out.push_str("</dl>\n");
    out
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,=:+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

const PRIVACY: &str = "<p>Recordings of eye movements, scores and what is learned about a reader are \
biometric data, and names of readers are personal data. This page may name readers and files: look \
through it before you share it, and use pseudonyms in corpora. Ask for consent to recognition, not \
only to recording. Results on a corpus are no guarantee for a security decision.</p>\n";

fn privacy(_: &Report) -> String {
    PRIVACY.to_owned()
}

fn cite(report: &Report) -> String {
    let version = escape(&report.manifest.version);
    format!(
        "<p>The model: Ahmed Abdelwahab, Reinhold Kliegl and Niels Landwehr. A Semiparametric Model \
         for Bayesian Reader Identification. <cite>Proceedings of the 2016 Conference on Empirical \
         Methods in Natural Language Processing</cite>, pages 585–594, 2016. \
         doi:10.18653/v1/D16-1056.</p>\n\
         <p>The software: The gazeprint authors. <cite>gazeprint: recognising people by how they \
         read</cite>, version {version}{}.</p>\n\
         <pre><code>@inproceedings{{abdelwahab-etal-2016-semiparametric,\n  \
         title     = {{A Semiparametric Model for {{B}}ayesian Reader Identification}},\n  \
         author    = {{Abdelwahab, Ahmed and Kliegl, Reinhold and Landwehr, Niels}},\n  \
         booktitle = {{Proceedings of the 2016 Conference on Empirical Methods in Natural Language \
         Processing}},\n  year      = {{2016}},\n  pages     = {{585--594}},\n  \
         doi       = {{10.18653/v1/D16-1056}}\n}}</code></pre>\n",
        match &report.manifest.commit {
            Some(commit) => format!(", commit {}", escape(commit)),
            None => String::new(),
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_can_be_pasted() {
        let words = ["study", "--out=a b", "", "it's", "$HOME"].map(quoted);
        assert_eq!(words, ["study", "'--out=a b'", "''", "'it'\\''s'", "'$HOME'"]);
    }
}
