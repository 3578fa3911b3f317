//! How fast reports of fixations are read, beside the csv crate's bare loop over the same bytes.
//!
//! The report is one of Data Viewer's, of simulated readers and texts of several lines. Time is that of
//! the processor, where the system tells it, so that other programs do not count.

use std::fmt::Write;
use std::sync::LazyLock;
use std::time::Instant;

use gazeprint::corpus::{Corpus, Text};
use gazeprint::simulate::SimulationParams;
use gazeprint_io::import::dataviewer::{self, ReportOptions, Words, areas};
use gazeprint_io::import::layout::lines::Method;
use gazeprint_io::import::{
    ImportError, Phrase, RawFixation, RawWord, Reason, RowPlace, Sink, Source,
};
use serde::Serialize;

use crate::BenchError;
use crate::clock::processor_seconds;

const READERS: usize = 100;
const TEXTS: usize = 24;
const LINES: usize = 10;
const ROUNDS: usize = 5;
/// Pixels of a character and of a line.
const CHARACTER: f64 = 10.0;
const LINE: f64 = 50.0;

/// One report, read in several ways.
#[derive(Debug, Serialize)]
pub struct ImportTimes {
    /// Of the report.
    pub bytes: usize,
    /// Its rows.
    pub records: u64,
    /// Those that were fixations.
    pub fixations: u64,
    /// Those that were not.
    pub dropped: u64,
    /// The bare loop first.
    pub ways: Vec<ImportTime>,
}

/// One way of reading it.
#[derive(Debug, Serialize)]
pub struct ImportTime {
    /// `csv`, the bare loop; `pixels`, without words; others, how fixations get their lines.
    pub way: &'static str,
    /// The fewest of several rounds.
    pub seconds: f64,
    /// How many times as fast as the bare loop.
    pub speed: f64,
}

/// Counts what it is given.
#[derive(Default)]
struct RowCounts {
    fixations: u64,
    dropped: u64,
}

impl Sink for RowCounts {
    fn fixation(&mut self, _: RowPlace, _: RawFixation) -> Result<(), ImportError> {
        self.fixations += 1;
        Ok(())
    }

    fn word(&mut self, _: RowPlace, _: RawWord) -> Result<(), ImportError> {
        Ok(())
    }

    fn dropped(&mut self, _: RowPlace, _: Reason, _: &str) {
        self.dropped += 1;
    }

    fn note(&mut self, _: String) {}

    fn warn(&mut self, _: Phrase) {}
}

/// How a report is read.
#[derive(Clone, Copy)]
enum Way {
    Csv,
    Pixels,
    Lines(Method),
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Pixels => "pixels",
            Self::Lines(method) => method.name(),
        }
    }
}

pub(crate) fn measure() -> Result<ImportTimes, BenchError> {
    let params =
        SimulationParams { readers: READERS, texts: TEXTS, lines: LINES, ..Default::default() };
    let corpus = params.build()?.run();
    let (report, areas) = (fixation_report(&corpus), area_report(&corpus));
    let mut ways: Vec<(Way, f64)> = [Way::Csv, Way::Pixels]
        .into_iter()
        .chain(Method::ALL.map(Way::Lines))
        .map(|way| (way, f64::INFINITY))
        .collect();
    let (mut records, mut counts) = (0, RowCounts::default());
    for _ in 0..ROUNDS {
        for (way, seconds) in &mut ways {
            let start = now();
            match *way {
                Way::Csv => records = bare(report.as_bytes())?,
                Way::Pixels => counts = imported(report.as_bytes(), None)?,
                Way::Lines(method) => {
                    counts = imported(report.as_bytes(), Some((areas.as_bytes(), method)))?;
                }
            }
            *seconds = seconds.min(now() - start);
        }
    }
    let bare = ways[0].1;
    let time =
        |(way, seconds): (Way, f64)| ImportTime { way: way.name(), seconds, speed: bare / seconds };
    Ok(ImportTimes {
        bytes: report.len(),
        records,
        fixations: counts.fixations,
        dropped: counts.dropped,
        ways: ways.into_iter().map(time).collect(),
    })
}

/// Seconds that this thread has had, or else that have passed.
fn now() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    processor_seconds().unwrap_or_else(|| BEGIN.elapsed().as_secs_f64())
}

/// The place of a line among those of its text.
fn top(text: &Text, number: i32) -> f64 {
    LINE * text.line_index(number).map_or(0.0, |line| line as f64 + 1.0)
}

fn fixation_report(corpus: &Corpus) -> String {
    let mut report = "RECORDING_SESSION_LABEL,TRIAL_INDEX,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,\
                      CURRENT_FIX_DURATION,CURRENT_FIX_START,EYE_USED\n"
        .to_owned();
    for path in corpus.scanpaths() {
        let (reader, text) = (&corpus.readers()[path.reader], &corpus.texts()[path.text]);
        let mut onset = 0.0;
        for (number, fixation) in path.fixations.iter().enumerate() {
            let (Some(line), Some(x), Some(duration)) =
                (fixation.line, fixation.x, fixation.duration)
            else {
                continue;
            };
            let x = 100.0 + CHARACTER * x.0;
            // Eyes are not where lines are.
            let y = top(text, line) + LINE * (0.3 + 0.1 * (number % 5) as f64);
            let (trial, id, duration) = (path.text + 1, text.id(), duration.0);
            _ = writeln!(
                report,
                "{reader},{trial},{id},{x:.1},{y:.1},{duration:.0},{onset:.0},RIGHT"
            );
            onset += duration + 25.0;
        }
    }
    report
}

fn area_report(corpus: &Corpus) -> String {
    let mut report = "text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n".to_owned();
    for text in corpus.texts() {
        let words =
            text.lines().iter().flat_map(|line| line.words().iter().map(move |w| (line, w)));
        for (number, (line, word)) in words.enumerate() {
            let [left, right] =
                [word.start, word.end].map(|place| 100.0 + CHARACTER * f64::from(place));
            let (top, id) = (top(text, line.number()), text.id());
            let letters = (word.end - word.start).max(1).unsigned_abs() as usize;
            let (label, bottom) = ("x".repeat(letters), top + LINE);
            _ = writeln!(report, "{id},{},{label},{left},{right},{top},{bottom}", number + 1);
        }
    }
    report
}

/// The csv crate's loop over records, which does nothing with them.
fn bare(report: &[u8]) -> Result<u64, csv::Error> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(report);
    let (mut record, mut count) = (csv::ByteRecord::new(), 0);
    while reader.read_byte_record(&mut record)? {
        count += 1;
    }
    Ok(count)
}

/// An import: with the areas of words and a method for lines, or in pixels.
fn imported(report: &[u8], words: Option<(&[u8], Method)>) -> Result<RowCounts, ImportError> {
    let mut counts = RowCounts::default();
    let mut options = ReportOptions::new(&[]);
    let mut known = Words::Unknown;
    if let Some((report, lines)) = words {
        options.lines = lines;
        let mut source = Source::new(report)?;
        known = Words::Screen(areas::read(&mut source, 1, &options, None, &mut counts)?.0);
    }
    counts = RowCounts::default();
    dataviewer::read(&mut Source::new(report)?, 0, &options, &mut known, &mut counts)?;
    known.finish(1, &mut counts)?;
    Ok(counts)
}
