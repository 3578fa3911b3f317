//! How fast Data Viewer reports are read, beside the csv crate's bare loop over the same bytes.
//!
//!     cargo run --release -p gazeprint-io --example import_speed -- FIXATIONS AREAS [ROWS] [ROUNDS]
//!
//! The fixation report is repeated, without its column names, until it has at least `ROWS` rows (a
//! million). Each round reads it once in each way; the best of `ROUNDS` (5) counts. Time is that of
//! the processor, where the system tells it, so that other programs do not count.

#![allow(clippy::print_stdout, reason = "it reports to whoever runs it")]

use std::error::Error;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use gazeprint_io::import::dataviewer::{self, ReportOptions, Words, areas};
use gazeprint_io::import::layout::lines::Method;
use gazeprint_io::import::{ImportError, RawFixation, RawWord, Reason, RowPlace, Sink, Source};

/// Counts what it is given.
#[derive(Default)]
struct Counted {
    fixations: u64,
    dropped: u64,
}

impl Sink for Counted {
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
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [fixations, areas, rest @ ..] = &arguments[..] else {
        return Err("expected FIXATIONS AREAS [ROWS] [ROUNDS]".into());
    };
    let rows: u64 = rest.first().map_or(Ok(1_000_000), |rows| rows.parse())?;
    let rounds: usize = rest.get(1).map_or(Ok(5), |rounds| rounds.parse())?;
    let report = repeated(&std::fs::read(fixations)?, rows);
    let areas = std::fs::read(areas)?;
    let mut best: [(&str, Duration); 5] =
        ["csv", "pixels", "attach", "warp", "slice"].map(|name| (name, Duration::MAX));
    let mut counts = (0, Counted::default());
    for _ in 0..rounds {
        for (name, time) in &mut best {
            let start = now();
            match *name {
                "csv" => counts.0 = bare(&report)?,
                method => counts.1 = import(&report, &areas, method.parse().ok())?,
            }
            *time = now().saturating_sub(start).min(*time);
        }
    }
    let (records, Counted { fixations, dropped }) = counts;
    let bytes = report.len() as f64;
    println!("{records} records, {:.0} MB; {fixations} fixations, {dropped} dropped", bytes / 1e6);
    let [(_, csv), ..] = best;
    for (name, time) in best {
        let seconds = time.as_secs_f64();
        let share = csv.as_secs_f64() / seconds;
        println!("{name:>8} {seconds:7.3} s {:7.0} MB/s {share:6.2} of csv", bytes / 1e6 / seconds);
    }
    Ok(())
}

/// Time that this program has spent, or else time that has passed.
fn now() -> Duration {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|told| told.split(' ').next()?.parse().ok());
    spent.map_or_else(|| BEGIN.elapsed(), Duration::from_nanos)
}

/// A report with its rows over and over again.
fn repeated(report: &[u8], rows: u64) -> Vec<u8> {
    let header = report.iter().position(|&byte| byte == b'\n').map_or(report.len(), |at| at + 1);
    let body = &report[header..];
    let lines = body.iter().filter(|&&byte| byte == b'\n').count().max(1) as u64;
    let mut all = report[..header].to_vec();
    for _ in 0..rows.div_ceil(lines) {
        all.extend_from_slice(body);
    }
    all
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

/// An import: with lines by a method, or in pixels.
fn import(report: &[u8], areas: &[u8], lines: Option<Method>) -> Result<Counted, ImportError> {
    let mut counted = Counted::default();
    let mut options = ReportOptions::new(&[]);
    let mut words = Words::Unknown;
    if let Some(lines) = lines {
        options.lines = lines;
        let mut source = Source::new(areas)?;
        words = Words::Screen(areas::read(&mut source, 1, &options, None, &mut counted)?.0);
    }
    counted = Counted::default();
    dataviewer::read(&mut Source::new(report)?, 0, &options, &mut words, &mut counted)?;
    words.finish(1, &mut counted)?;
    Ok(counted)
}
