//! The readers of a page: the one that is shown, and others to choose from where scripts run.

use std::fmt::Write as _;

use gazeprint_eval::portrait::ShownReaders;
use gazeprint_eval::report::Report;
use gazeprint_eval::study::Study;
use gazeprint_eval::traits::ReaderTraits;

use super::Numbers;
use crate::figure::{Drawing, escape};
use crate::figures::{FigureId, figures_of_reader};
use crate::number::plural;
use crate::tables::traits;

/// Bytes that readers to choose from may add to a page.
const ROOM: usize = 2_400_000;

/// The readers of a page.
pub struct Readers<'a> {
    /// The one whose figures are those of the study.
    shown: &'a str,
    /// The figures of others, from typical to unusual.
    others: Vec<(&'a str, Vec<(FigureId, Drawing)>)>,
    traits: &'a ReaderTraits,
}

impl<'a> Readers<'a> {
    /// Those of a study.
    pub fn of(study: &Study, report: &Report, readers: &'a ShownReaders) -> Self {
        let others = readers.others.iter().map(|portrait| {
            let name = portrait.densities.reader.as_str();
            (name, figures_of_reader(study, report, portrait))
        });
        Self {
            shown: &readers.shown.densities.reader,
            others: others.collect(),
            traits: &readers.traits,
        }
    }

    /// What is said of readers below the figures of the one that is shown: a choice of others, and the
    /// traits and figures of each. `own` are the numbers that the shown one's figures begin with.
    pub(super) fn write(
        &self,
        out: &mut String,
        numbers: &mut Numbers,
        report: &Report,
        own: Numbers,
    ) {
        let figures = std::mem::take(out);
        let mut parts: Vec<(&str, String)> = Vec::new();
        let mut shown = figures;
        numbers.traits(&mut shown, &traits::of(self.traits, self.shown), Some("traits"));
        for (name, drawings) in &self.others {
            let mut part = String::new();
            let mut numbers = own;
            for (id, drawing) in drawings {
                numbers.figure(&mut part, *id, drawing, report, None);
            }
            numbers.traits(&mut part, &traits::of(self.traits, name), None);
            parts.push((name, part));
        }
        // The most typical and the most unusual stay.
        while parts.len() > 2 && parts.iter().map(|(_, part)| part.len()).sum::<usize>() > ROOM {
            parts.remove(parts.len() / 2);
        }
        if shown.is_empty() && parts.is_empty() {
            return;
        }
        if !parts.is_empty() {
            self.choice(out, &parts);
        }
        let _ = writeln!(out, "<div class=\"reader\">\n{shown}</div>");
        for (_, part) in &parts {
            let _ = writeln!(out, "<div class=\"reader\" hidden>\n{part}</div>");
        }
    }

    /// The list to choose from; a page without a script does not show it.
    fn choice(&self, out: &mut String, parts: &[(&str, String)]) {
        let far = self.traits.from_typical();
        let names: Vec<&str> = self.traits.estimates.iter().map(|e| e.reader.as_str()).collect();
        let places: Vec<usize> = self.traits.estimates.iter().map(|e| e.place).collect();
        let distance = |name: &str| {
            let place = names.iter().position(|n| *n == name).map(|i| places[i])?;
            far.iter().find(|(reader, _)| *reader == place).map(|(_, distance)| *distance)
        };
        let option = |name: &str, selected: &str| {
            let far = distance(name).map_or(String::new(), |d| format!(" · {d:.2}\u{a0}s.d."));
            format!("<option{selected}>{}{far}</option>\n", escape(name))
        };
        let _ = write!(
            out,
            "<div class=\"tool\" id=\"choice\" hidden>\n<label>Reader <select>\n{}",
            option(self.shown, " selected")
        );
        for (name, _) in parts {
            out.push_str(&option(name, ""));
        }
        let _ = writeln!(
            out,
            "</select></label>\n<p class=\"note\">The page holds {} of {}: the one that is shown first, \
             then others from typical to unusual. How unusual a reader is, is the distance from the mean \
             of all, in standard deviations (root mean square over traits).</p>\n</div>",
            parts.len() + 1,
            plural(self.traits.readers, "reader")
        );
    }
}
