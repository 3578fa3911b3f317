//! `gazeprint import`: a recording as other tools write it, made into a corpus.

mod flags;
mod report;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use gazeprint_io::import::detect::{Detector, Screen};
use gazeprint_io::import::layout::lines::Method;
use gazeprint_io::import::{
    Choice, EyeChoice, Format, GazeOptions, GivenDisplay, NamePattern, Request, TrialPatterns,
    check_out, import, input_files, write_imported,
};
use indicatif::{ProgressBar, ProgressStyle};

use self::report::ImportSummary;
use crate::{explain, print};

/// Bring a recording in: read what other tools write, and make a corpus of it.
///
/// The format is guessed by content, columns are found by the names that common tools give them. What
/// was decided is shown, with the reason; every row that is dropped is counted, with examples. The
/// same is written to import.json.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint import fixations.csv --words words.csv --out my-corpus
  gazeprint import FIX_report_*.txt --words interest_areas.txt --out my-corpus
  gazeprint import recordings/*.asc --text story.txt --font-width 12 --left 50 \\
      --line-height 40 --top 100 --lines warp --out my-corpus
  gazeprint import --format swift *.dat --text items.txt --out my-corpus
  gazeprint import report.txt --map reader=VP --map x_px=POS --out my-corpus
  gazeprint inspect my-corpus

Formats:
  table        CSV, TSV, semicolons or blanks; a row for each fixation; also
               Gazepoint, Pupil Labs, SMI BeGaze, Tobii Studio 1 and 2
  dataviewer   fixation reports of SR Research Data Viewer
  asc          EyeLink recordings as edf2asc writes them
  samples      tables of samples: GazeBase, pymovements, others
  da1          files of EyeDoctor and Robodoc
  swift        fixation sequences, with --text for the sentences
  pymovements  event frames
  tobii        exports of Tobii Pro Lab and Tobii Studio 3
  popeye       fixation reports of popEye and MECO
  bids         *_physio.tsv.gz with their JSON files
  json         eyekit, jsPsych with WebGazer, lists of objects
docs/import/ has a page for each.

Text may be in UTF-8, UTF-16 or Windows-1252, with decimal points or commas, packed with gzip or \
not. Missing values are empty, `.`, NA, NaN or UNDEFINEDnull, among others. Parquet and Arrow IPC \
(.arrow, .feather) are read by builds with --features columnar.

--words takes words in characters, areas of interest in pixels, popEye's letters, or a map from \
characters to words. --text takes a text in a monospaced font. Without either, the corpus has \
fixations only: it can be inspected, but not scored.

Roles for --map: reader, text, session, trial, index, x, y, line, duration, onset, offset, gap, eye, \
kind, time, validity; of words also word, label, start, end, left, right, top, bottom, width, height. \
x_px, x_char, x_norm (parts of the screen, with --screen-px), x_deg, duration_s, duration_ms, onset_s \
and onset_ms say the unit as well. Several columns make one name with a plus: text=list+item.

Exit codes: 0 done, 1 failed, 2 wrong usage.")]
pub(crate) struct Args {
    /// Files of fixations or samples, or folders of them
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Format of the inputs [default: guessed by content]
    #[arg(long, value_name = "F", value_parser = format)]
    format: Option<Format>,
    /// Corpus folder to write
    #[arg(long, value_name = "CORPUS")]
    out: PathBuf,
    /// Replace a corpus that is there already
    #[arg(long)]
    overwrite: bool,
    /// Fail where a row was dropped or something does not look like reading
    #[arg(long)]
    strict: bool,
    /// Print import.json instead of a table
    #[arg(long)]
    json: bool,
    /// Table of the words and their places
    #[arg(long, value_name = "FILE", help_heading = "Words")]
    words: Option<PathBuf>,
    /// Text as it was shown in a monospaced font, or the sentences of SWIFT
    #[arg(long, value_name = "FILE", help_heading = "Words")]
    text: Option<PathBuf>,
    /// Width of a character on the screen, in pixels
    #[arg(long, value_name = "PX", help_heading = "Words")]
    font_width: Option<f64>,
    /// Left edge of the text, in pixels
    #[arg(long, value_name = "PX", help_heading = "Words", allow_negative_numbers = true)]
    left: Option<f64>,
    /// Distance from line to line, in pixels
    #[arg(long, value_name = "PX", help_heading = "Words")]
    line_height: Option<f64>,
    /// Upper edge of the first line, in pixels
    #[arg(long, value_name = "PX", help_heading = "Words", allow_negative_numbers = true)]
    top: Option<f64>,
    /// How fixations get their lines: attach (the nearest), warp or slice (tolerate drift)
    #[arg(long, value_name = "METHOD", default_value_t, help_heading = "Words")]
    lines: Method,
    /// Table of trials: order of reading, groups of texts
    #[arg(long, value_name = "FILE", help_heading = "Names and columns")]
    trials: Option<PathBuf>,
    /// The column for a role, where the guess is wrong; may be repeated
    #[arg(long, value_name = "ROLE=COLUMN", value_parser = Choice::parse, help_heading = "Names and columns")]
    map: Vec<Choice>,
    /// Who reads, where the files do not say [default: the name of the file]
    #[arg(long, value_name = "NAME", help_heading = "Names and columns")]
    reader: Option<String>,
    /// What names of files tell: a regular expression with groups reader, session, text or trial, such
    /// as 'ID_(?<reader>\d+)_(?<session>\d)'; with a / in it, what paths tell
    #[arg(long, value_name = "REGEX", help_heading = "Names and columns")]
    from_name: Option<String>,
    /// What names of readers in the files tell, where these are names of recordings: a regular expression
    /// with a group reader, and perhaps session, such as '(?<reader>[^_]+)_(?<session>[^_]+)'
    #[arg(long, value_name = "REGEX", help_heading = "Names and columns")]
    from_reader: Option<String>,
    /// Messages that name a trial: a regular expression with a group text, trial or session, and before or
    /// after where they come before or after it; may be repeated [default: TRIALID and TRIAL_VAR]
    #[arg(long, value_name = "REGEX", help_heading = "Names and columns")]
    trial_pattern: Vec<String>,
    /// Eye to take where both were recorded: left, right, or best (the one with more fixations)
    #[arg(long, value_name = "EYE", default_value = "best", value_parser = EyeChoice::parse, help_heading = "Samples")]
    eye: EyeChoice,
    /// How fixations are found in samples: engbert-kliegl or ivt
    #[arg(long, value_name = "METHOD", default_value = "engbert-kliegl", value_parser = Detector::parse, help_heading = "Samples")]
    detector: Detector,
    /// Samples a second, where the files count samples and do not time them
    #[arg(long, value_name = "HZ", help_heading = "Samples")]
    rate: Option<f64>,
    /// The mark of validity that good samples or fixations have, or the least confidence of good samples
    /// [default: found out, and told]
    #[arg(long, value_name = "VALUE", help_heading = "Samples", allow_negative_numbers = true)]
    valid: Option<f64>,
    /// Find fixations in samples even where the recording has events
    #[arg(long, help_heading = "Samples")]
    from_samples: bool,
    /// Degrees, and parts of the screen, count upwards
    #[arg(long, help_heading = "Samples")]
    y_up: bool,
    /// Size of the screen in pixels, such as 1680x1050
    #[arg(long, value_name = "WxH", value_parser = Screen::parse_pixels, help_heading = "Samples")]
    screen_px: Option<(f64, f64)>,
    /// Size of the screen, such as 47.4x29.7cm
    #[arg(long, value_name = "WxHcm", value_parser = Screen::parse_size, help_heading = "Samples")]
    screen_size: Option<(f64, f64)>,
    /// Distance of the eyes from the screen, such as 55cm
    #[arg(long, value_name = "Ncm", value_parser = Screen::parse_distance, help_heading = "Samples")]
    distance: Option<f64>,
    /// Pixels per degree of visual angle, instead of the size of the screen
    #[arg(long, value_name = "N", value_parser = Screen::parse_px_per_degree, help_heading = "Samples")]
    px_per_degree: Option<(f64, f64)>,
}

impl Args {
    fn request(&self) -> anyhow::Result<Request> {
        let screen = Screen {
            size_px: self.screen_px,
            size_mm: self.screen_size,
            distance_mm: self.distance,
            px_per_degree: self.px_per_degree,
        };
        let patterns = match &self.trial_pattern[..] {
            [] => TrialPatterns::default(),
            given => TrialPatterns::new(given).context("--trial-pattern")?,
        };
        let from_name = match &self.from_name {
            Some(pattern) => Some(NamePattern::new(pattern).context("--from-name")?),
            None => None,
        };
        let from_reader = match &self.from_reader {
            Some(pattern) => Some(NamePattern::of_readers(pattern).context("--from-reader")?),
            None => None,
        };
        Ok(Request {
            from_name,
            from_reader,
            inputs: self.inputs.clone(),
            words: self.words.clone(),
            text: self.text.clone(),
            display: GivenDisplay {
                font_width: self.font_width,
                left: self.left,
                line_height: self.line_height,
                top: self.top,
            },
            trials: self.trials.clone(),
            format: self.format,
            choices: self.map.clone(),
            lines: self.lines,
            gaze: GazeOptions {
                reader: self.reader.as_deref().map(Into::into),
                session: None,
                eye: self.eye,
                patterns,
                detector: self.detector,
                scale: screen.scale().map_err(|e| anyhow!(e.phrase().naming(&flags::of)))?,
                screen_px: self.screen_px,
                from_samples: self.from_samples,
                y_up: self.y_up,
                rate_hz: self.rate,
                valid: self.valid,
            },
        })
    }
}

fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("there is no such format; formats are {}", names.join(", "))
    })
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let request = args.request()?;
    let inputs = inputs(&request)?;
    let paths = inputs.iter().map(PathBuf::as_path);
    check_out(&args.out, args.overwrite, paths).map_err(explain)?;
    let name = args.out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bar = bar(&inputs)?;
    let open = |path: &Path| -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(bar.wrap_read(File::open(path)?)))
    };
    let result = import(&request, &name, &open);
    bar.finish_and_clear();
    let (imported, report) = result.map_err(|error| error.naming(&flags::of))?;
    let report = ImportSummary::new(report.naming(&flags::of), &imported);
    if args.strict {
        report.refuse_warnings()?;
    }
    write_imported(&imported, &args.out, args.overwrite).map_err(explain)?;
    let json = crate::words::json(&report)?;
    let file = args.out.join("import.json");
    std::fs::write(&file, &json)
        .with_context(|| format!("{} cannot be written", file.display()))?;
    print(&if args.json { json } else { report.table(&args.out)? })
}

/// All files that are read, those in folders among them.
fn inputs(request: &Request) -> anyhow::Result<Vec<PathBuf>> {
    let mut inputs = input_files(request).map_err(|error| error.naming(&flags::of))?;
    let tables = [&request.words, &request.text, &request.trials].into_iter().flatten();
    inputs.extend(tables.cloned());
    Ok(inputs)
}

/// A bar of the bytes read, on a terminal.
fn bar(inputs: &[PathBuf]) -> anyhow::Result<ProgressBar> {
    // A file that is not there is reported when it is opened.
    let bytes = inputs.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
    let bar = ProgressBar::new(bytes);
    let template = "reading [{bar:30}] {bytes} of {total_bytes} {eta} left";
    bar.set_style(ProgressStyle::with_template(template)?.progress_chars("=> "));
    Ok(bar)
}
