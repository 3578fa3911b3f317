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
//! | `captions` | captions of figures |
//! | `page.css`, `page.js` | looks, and tables that sort |

mod brief;
mod captions;
mod limits;
mod method;

use std::fmt::Write as _;

use gazeprint_eval::report::Report;

use crate::figure::{Drawing, escape, font_css};
use crate::number::{grouped, plural};
use crate::tables::{self, Table};
pub use captions::caption;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing is loaded, whatever the page should turn out to hold.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      font-src data:; base-uri 'none'; form-action 'none'";

/// Figures of identification, of verification and so on, in the order in which they are shown.
const IDENTIFICATION: [&str; 2] = ["accuracy", "seconds"];
const VERIFICATION: [&str; 4] = ["errors", "det", "errors-by-fraction", "scores"];
const ROBUSTNESS: [&str; 1] = ["robustness"];
const READERS: [&str; 3] = ["densities", "calibration", "scanpath"];

/// The page. Figures come with their names (as files have them) and captions, such as those of
/// [`caption`]; names that are not known are shown last.
///
/// The same input gives the same bytes. What differs between runs of the same study (times, threads
/// and arguments) is in the section on reproducing it alone.
pub fn html(report: &Report, figures: &[(&str, &str, &Drawing)]) -> String {
    let mut numbers = Numbers::default();
    let known = [&IDENTIFICATION[..], &VERIFICATION, &ROBUSTNESS, &READERS].concat();
    let others: Vec<&str> =
        figures.iter().map(|f| f.0).filter(|name| !known.contains(name)).collect();
    let mut results = |tables: Vec<Table>, names: &[&str]| {
        let shown: Vec<&(&str, &str, &Drawing)> =
            names.iter().filter_map(|name| figures.iter().find(|f| f.0 == *name)).collect();
        numbers.body(&tables, &shown)
    };
    let mut sections = vec![
        Section::new("protocol", "Protocol", method::protocol(report)),
        Section::new("measures", "Measures", method::measures(report)),
        Section::new(
            "identification",
            "Identification",
            results(tables::identification(report), &IDENTIFICATION),
        ),
        Section::new(
            "verification",
            "Verification",
            results(tables::verification(report), &VERIFICATION),
        ),
        Section::new("attacks", "Attacks", results(tables::attacks(report), &[])),
        Section::new("watch", "Watching", results(tables::watch(report), &[])),
        Section::new("robustness", "Robustness", results(tables::robustness(report), &ROBUSTNESS)),
        Section::new("readers", "Readers", results(Vec::new(), &READERS)),
        Section::new("more", "More figures", results(Vec::new(), &others)),
        Section::new(
            "computing",
            "Constants and diagnostics",
            results(tables::computing(report), &[]),
        ),
        Section::new("limits", "Limits and warnings", limits::section(report)),
        Section::new(
            "reproduce",
            "Doing it again",
            reproduce(report) + &results(tables::times(report), &[]),
        ),
        Section::new("privacy", "Privacy", PRIVACY.to_owned()),
        Section::new("cite", "How to cite", cite(report)),
    ];
    sections.retain(|section| !section.body.is_empty());
    write(report, &sections)
}

struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

impl Section {
    fn new(id: &'static str, title: &'static str, body: String) -> Self {
        Self { id, title, body }
    }
}

/// Tables and figures so far.
#[derive(Default)]
struct Numbers {
    tables: usize,
    figures: usize,
}

impl Numbers {
    /// Tables, then figures.
    fn body(&mut self, tables: &[Table], figures: &[&(&str, &str, &Drawing)]) -> String {
        let mut out = String::new();
        for table in tables {
            self.tables += 1;
            tables::html::write(&mut out, table, self.tables);
        }
        for (name, caption, drawing) in figures {
            self.figures += 1;
            let _ = write!(
                out,
                "<figure id=\"fig-{}\">\n<div class=\"card\">{}</div>\n\
                 <figcaption><b>Figure {}.</b> {}</figcaption>\n</figure>\n",
                slug(name),
                inline(&drawing.svg),
                self.figures,
                escape(caption)
            );
        }
        out
    }
}

/// A figure as part of a page, where its name space goes without saying.
fn inline(svg: &str) -> String {
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}

/// A name as part of an identifier.
fn slug(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn write(report: &Report, sections: &[Section]) -> String {
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
        font_css(),
        plural(corpus.readers, "reader"),
        plural(corpus.texts, "text"),
        plural(corpus.fixations, "fixation"),
        plural(report.methods.len(), "method"),
        brief::section(report),
    );
    for Section { id, title, .. } in sections {
        let _ = writeln!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    out.push_str("</ol>\n</nav>\n");
    for Section { id, title, body } in sections {
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
