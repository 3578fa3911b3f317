//! An import from files to a recording.

use std::collections::HashSet;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::aliases::{Choice, Mapped};
use super::asc::{self, AscOptions};
use super::bids::{self, BidsOptions, EventTable, Eyes, Metadata, Side};
use super::collect::{Imported, RawReading, Recording};
use super::dataviewer::{self, ReportOptions, Words};
use super::error::{At, ImportError};
use super::format::{Format, stem};
use super::gaze::GazeOptions;
use super::layout::lines::Method;
use super::popeye::{self, GatheredWords, PopEyeOptions};
use super::pymovements::{self, FrameOptions};
use super::recording::Sink;
use super::report::{ImportReport, InputReport, Shape};
use super::samples::{self, SamplesOptions};
use super::source::Source;
use super::swift::{self, SwiftOptions};
use super::table::{self, TableOptions};
use super::tobii::{self, TobiiOptions};
use super::words::{GivenDisplay, Known, WordTable};

/// What to import.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files of fixations.
    pub inputs: Vec<PathBuf>,
    /// Table of words, of areas of interest, of letters, or of characters.
    pub words: Option<PathBuf>,
    /// Text as it was shown, or the sentences of SWIFT.
    pub text: Option<PathBuf>,
    /// How it was shown.
    pub display: GivenDisplay,
    /// Table of trials.
    pub trials: Option<PathBuf>,
    /// The format of the inputs; guessed for each where none is given.
    pub format: Option<Format>,
    /// Columns that the user chose.
    pub choices: Vec<Choice>,
    /// How fixations get their lines.
    pub lines: Method,
    /// Reader, eyes, trials and samples.
    pub gaze: GazeOptions,
}

impl Request {
    /// How reports, and whatever else is in pixels, are read.
    fn report_options(&self) -> ReportOptions<'_> {
        ReportOptions { lines: self.lines, ..ReportOptions::new(&self.choices) }
    }

    fn table_options(&self, reader: Option<Arc<str>>) -> TableOptions {
        TableOptions { choices: self.choices.clone(), reader }
    }
}

/// Opens a file; whoever shows progress counts the bytes that are read from it.
pub type Open<'o> = dyn Fn(&Path) -> io::Result<Box<dyn Read>> + 'o;

/// Reads all inputs, and makes a corpus named `name` where words are known.
///
/// # Errors
/// If an input cannot be understood; see [`ImportError`].
pub fn import(
    request: &Request,
    name: &str,
    open: &Open<'_>,
) -> Result<(Imported, ImportReport), ImportError> {
    let mut run = Run::new(request, open);
    run.check_words()?;
    // Words first: whoever places fixations needs them.
    run.words()?;
    run.trials()?;
    run.inputs()?;
    run.check_choices()?;
    run.finish(name)
}

struct Run<'r> {
    request: &'r Request,
    open: &'r Open<'r>,
    recording: Recording,
    known: Known,
    /// Words of popEye's fixations, where no others are known.
    gathered: GatheredWords,
    /// All files, in the order of [`RowPlace::file`](super::RowPlace).
    paths: Vec<PathBuf>,
    files: Vec<InputReport>,
}

impl<'r> Run<'r> {
    fn new(request: &'r Request, open: &'r Open<'r>) -> Self {
        Self {
            request,
            open,
            recording: Recording::default(),
            known: Known::default(),
            gathered: GatheredWords::default(),
            paths: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Flags that contradict each other are refused before anything is read.
    fn check_words(&self) -> Result<(), ImportError> {
        let GivenDisplay { left, line_height, top, .. } = self.request.display;
        let refused = |found: &str, expected: &'static str, remedy: &'static str| {
            Err(ImportError::value(Box::default(), found, expected, remedy))
        };
        match (&self.request.words, &self.request.text) {
            (Some(_), Some(_)) => {
                refused("--words and --text", "one of them", "leave one of them out")
            }
            (_, None) if left.or(line_height).or(top).is_some() => refused(
                "--left, --line-height or --top without a text",
                "the text that was shown there",
                "add --text FILE",
            ),
            _ => Ok(()),
        }
    }

    fn words(&mut self) -> Result<(), ImportError> {
        let request = self.request;
        if let Some(path) = &request.words {
            let file = self.add(path);
            let opened = Opened::new(path, self.open)?;
            let kind = WordTable::guess(&opened.start, &request.choices);
            let (options, font_width) = (request.report_options(), request.display.font_width);
            let shape = opened.read(&mut self.recording, |source, sink| {
                let (known, shape) =
                    Known::read_table(source, file, kind, &options, font_width, sink)?;
                self.known = known;
                Ok(shape)
            })?;
            self.describe(file, kind.name(), "given with --words".to_owned(), shape);
        }
        if let Some(path) = &request.text {
            let file = self.add(path);
            let is_swift = self.is_swift()?;
            let opened = Opened::new(path, self.open)?;
            let shape = opened.read(&mut self.recording, |source, sink| {
                let (known, shape) = if is_swift {
                    Known::read_items(source, file, sink)?
                } else {
                    Known::read_text(source, file, &stem(path), &request.display, sink)?
                };
                self.known = known;
                Ok(shape)
            })?;
            self.describe(file, "text", "given with --text".to_owned(), shape);
        }
        Ok(())
    }

    /// Whether the text is a list of sentences: the first input tells.
    fn is_swift(&self) -> Result<bool, ImportError> {
        if let Some(format) = self.request.format {
            return Ok(format == Format::Swift);
        }
        // Where a font is given, the text was shown in it.
        if self.request.display.font_width.is_some() {
            return Ok(false);
        }
        let Some(first) = self.request.inputs.first() else { return Ok(false) };
        Ok(Format::guess(first, &Opened::new(first, self.open)?.start).0 == Format::Swift)
    }

    fn trials(&mut self) -> Result<(), ImportError> {
        let Some(path) = &self.request.trials else { return Ok(()) };
        let file = self.add(path);
        let options = self.request.table_options(None);
        let opened = Opened::new(path, self.open)?;
        let mut trials = Vec::new();
        let shape = opened.read(&mut self.recording, |source, sink| {
            let mut take = |place, trial| trials.push((place, trial));
            table::read_trials(source, file, &options, sink, &mut take)
        })?;
        self.recording.trials = trials;
        self.describe(file, "trials", "given with --trials".to_owned(), shape);
        Ok(())
    }

    fn inputs(&mut self) -> Result<(), ImportError> {
        let inputs = &self.request.inputs;
        // Eyes of one run are recordings of their own, of which one is taken.
        for group in bids::runs(inputs) {
            if let [input] = group[..] {
                self.input(&inputs[input], None)?;
                continue;
            }
            let mut eyes = Eyes::default();
            for &input in &group {
                self.input(&inputs[input], Some(&mut eyes))?;
            }
            self.known.place(&self.request.report_options(), &mut self.recording, |sink| {
                eyes.finish(sink)
            })?;
        }
        if let Known::Map(map) = std::mem::take(&mut self.known) {
            let file = self.paths.iter().position(|path| Some(path) == self.request.words.as_ref());
            Words::Characters(map).finish(file.unwrap_or(0), &mut self.recording)?;
        }
        std::mem::take(&mut self.gathered).finish(&mut self.recording)
    }

    /// Reads an input; into `eyes`, where it is one of several eyes.
    fn input(&mut self, path: &Path, eyes: Option<&mut Eyes>) -> Result<(), ImportError> {
        let file = self.add(path);
        let opened = Opened::new(path, self.open)?;
        let (format, reason) = match self.request.format {
            Some(format) => (format, "given with --format".to_owned()),
            None => Format::guess(path, &opened.start),
        };
        let side = match format {
            Format::Bids => Some(self.side(path)?),
            _ => None,
        };
        let parser = Parser { request: self.request, format, path, file };
        let (known, gathered) = (&mut self.known, &mut self.gathered);
        let shape = opened.read(&mut self.recording, |source, sink| match (side, eyes) {
            (Some(side), Some(eyes)) => side.read(source, &parser, eyes.another()),
            (Some(side), None) => known.place(&parser.request.report_options(), sink, |sink| {
                side.read(source, &parser, sink)
            }),
            // What is not of BIDS has its eyes in one file.
            (None, _) => parser.read(source, known, gathered, sink),
        })?;
        self.describe(file, format.name(), reason, shape);
        Ok(())
    }

    /// Opens what belongs to a recording of BIDS.
    fn side(&mut self, path: &Path) -> Result<SideOfRun, ImportError> {
        let Some(files) = bids::side_files(path) else {
            return Err(ImportError::value(
                At::file(path),
                "a file that is not called like a recording of BIDS",
                "a name that ends with _physio.tsv or _physio.tsv.gz",
                "rename it, or choose another --format",
            ));
        };
        let mut read: Vec<String> = Vec::new();
        let mut metadata = |paths: &[PathBuf]| -> Result<Option<Metadata>, ImportError> {
            let mut all: Option<Metadata> = None;
            for path in paths.iter().filter(|path| path.is_file()) {
                let mut source = Opened::new(path, self.open)?.source;
                let closer = Metadata::read(&mut source).map_err(|error| error.in_file(path))?;
                all = Some(all.unwrap_or_default().and_closer(closer));
                read.push(path.display().to_string());
            }
            Ok(all)
        };
        let samples = metadata(&files.samples)?;
        let stimulus = metadata(&files.stimulus)?;
        let columns = metadata(&files.event_columns)?;
        let events = match files.events.iter().find(|path| path.is_file()) {
            None => None,
            Some(events) => Some((Opened::new(events, self.open)?, columns)),
        };
        if !read.is_empty() {
            self.recording.note(format!("described by {}", read.join(", ")));
        }
        let events = events.map(|(opened, columns)| {
            let file = self.add(&opened.path.clone());
            let reason = format!("beside {}", path.display());
            self.describe(file, "events", reason, Shape::default());
            (opened, columns, file)
        });
        Ok(SideOfRun { samples, stimulus, events })
    }

    /// Adds a file, and gives its index.
    fn add(&mut self, path: &Path) -> usize {
        self.paths.push(path.to_owned());
        self.files.push(InputReport::new(path));
        self.paths.len() - 1
    }

    fn describe(&mut self, file: usize, format: &'static str, reason: String, shape: Shape) {
        let Some(report) = self.files.get_mut(file) else { return };
        report.format = format;
        report.format_reason = reason;
        report.rows = shape.rows;
        report.mapping = shape.mapping;
    }

    /// A column that the user chose and that no input has is a mistake.
    fn check_choices(&self) -> Result<(), ImportError> {
        let unused = self.request.choices.iter().find(|choice| {
            let is_used =
                |file: &InputReport| file.mapping.get(choice.role).is_some_and(Mapped::is_chosen);
            !self.files.iter().any(is_used)
        });
        match unused {
            None => Ok(()),
            Some(choice) => Err(ImportError::value(
                Box::default(),
                format!("--map {}={}", choice.role.name(), choice.column),
                "columns that the inputs have",
                "leave it out, or give the file that it is for",
            )),
        }
    }

    fn finish(mut self, name: &str) -> Result<(Imported, ImportReport), ImportError> {
        let words_kept = self.recording.texts.iter().map(|text| text.words.len() as u64).sum();
        let paths: Vec<&Path> = self.paths.iter().map(PathBuf::as_path).collect();
        let imported = self.recording.finish(name, &paths)?;
        let (readers, texts, fixations) = counts(&imported);
        let report = ImportReport {
            schema_version: 1,
            gazeprint: env!("CARGO_PKG_VERSION"),
            rows_read: self.files.iter().map(|file| file.rows).sum(),
            files: self.files,
            fixations_kept: fixations as u64,
            words_kept,
            words_repeated: self.recording.repeated_words,
            dropped: self.recording.dropped.iter().cloned().collect(),
            decisions: self.recording.notes,
            readers,
            texts,
            has_words: matches!(imported, Imported::Corpus(_)),
        };
        Ok((imported, report))
    }
}

/// An input and how to read it.
struct Parser<'r> {
    request: &'r Request,
    format: Format,
    path: &'r Path,
    file: usize,
}

impl Parser<'_> {
    fn read(
        &self,
        input: &mut dyn BufRead,
        known: &mut Known,
        gathered: &mut GatheredWords,
        sink: &mut dyn Sink,
    ) -> Result<Shape, ImportError> {
        let Self { request, file, .. } = *self;
        let (choices, report) = (&request.choices[..], request.report_options());
        match self.format {
            Format::DataViewer => {
                let mut words = match std::mem::take(known) {
                    Known::Screen(words) => Words::Screen(words),
                    Known::Map(map) => Words::Characters(map),
                    other => {
                        *known = other;
                        Words::Unknown
                    }
                };
                let shape = dataviewer::read(input, file, &report, &mut words, sink)?;
                match words {
                    Words::Screen(words) => *known = Known::Screen(words),
                    Words::Characters(map) => *known = Known::Map(map),
                    Words::Unknown => {}
                }
                Ok(shape)
            }
            Format::Swift => {
                let Known::Items(items) = known else {
                    return Err(ImportError::value(
                        At::row(0),
                        "a sequence by numbers of sentences and words",
                        "the sentences",
                        "give the list of items with --text FILE",
                    ));
                };
                let reader = self.request.gaze.reader.clone();
                let reader = reader.unwrap_or_else(|| swift::reader_of(self.path));
                swift::read(input, file, &SwiftOptions { reader, items }, sink)
            }
            Format::PopEye => {
                let gathered = matches!(known, Known::Nothing).then_some(gathered);
                let options = PopEyeOptions { choices };
                known.place(&report, sink, |sink| {
                    popeye::read(input, file, &options, gathered, sink)
                })
            }
            _ => known.place(&report, sink, |sink| self.read_placed(input, sink)),
        }
    }

    /// Formats that know nothing of words.
    fn read_placed(
        &self,
        input: &mut dyn BufRead,
        sink: &mut dyn Sink,
    ) -> Result<Shape, ImportError> {
        let Self { request, file, path, .. } = *self;
        let choices = &request.choices[..];
        match self.format {
            Format::Asc => {
                let options = AscOptions { stem: stem(path), gaze: self.gaze() };
                asc::read(input, file, &options, sink)
            }
            Format::Samples => {
                let (choices, gaze) = (request.choices.clone(), self.gaze());
                let options = SamplesOptions { stem: stem(path), choices, gaze };
                samples::read(input, file, &options, sink)
            }
            Format::Pymovements => pymovements::read(input, file, &FrameOptions { choices }, sink),
            Format::Tobii => tobii::read(input, file, &TobiiOptions { choices }, sink),
            _ => {
                let reader = request.gaze.reader.clone().unwrap_or_else(|| stem(path));
                table::read(input, file, &request.table_options(Some(reader)), sink)
            }
        }
    }

    /// What is taken from recordings. Several of one reader are sessions, lest trials of the same
    /// name become one.
    fn gaze(&self) -> GazeOptions {
        let mut gaze = self.request.gaze.clone();
        if gaze.reader.is_some() && gaze.session.is_none() && self.request.inputs.len() > 1 {
            gaze.session = Some(stem(self.path));
        }
        gaze
    }
}

/// What belongs to a recording of BIDS.
struct SideOfRun {
    samples: Option<Metadata>,
    stimulus: Option<Metadata>,
    events: Option<(Opened, Option<Metadata>, usize)>,
}

impl SideOfRun {
    fn read(
        mut self,
        input: &mut dyn BufRead,
        parser: &Parser<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Shape, ImportError> {
        let name = parser.path.file_name().unwrap_or_default().to_string_lossy();
        let (choices, gaze) = (parser.request.choices.clone(), parser.request.gaze.clone());
        let options = BidsOptions { name: name.into(), choices, gaze };
        let events = self.events.as_mut().map(|(opened, columns, file)| EventTable {
            path: &opened.path,
            input: &mut opened.source,
            file: *file,
            columns: columns.take(),
        });
        let side = Side { samples: self.samples, events, stimulus: self.stimulus };
        bids::read(input, parser.file, &options, side, sink)
    }
}

/// Bytes that formats are guessed by.
const START: usize = 1 << 14;

/// A file whose start is known.
struct Opened {
    path: PathBuf,
    source: Source<'static>,
    start: String,
}

impl Opened {
    fn new(path: &Path, open: &Open<'_>) -> Result<Self, ImportError> {
        let named = |error: ImportError| error.in_file(path);
        let input =
            open(path).map_err(|error| ImportError::Unreadable { at: At::file(path), error })?;
        let mut source = Source::new(input).map_err(named)?;
        let start = source.fill_buf().map_err(|error| named(ImportError::reading(1, error)))?;
        let start = String::from_utf8_lossy(&start[..start.len().min(START)]).into_owned();
        Ok(Self { path: path.to_owned(), source, start })
    }

    /// Calls a parser; what is wrong or decided then goes with the name of the file.
    fn read(
        mut self,
        recording: &mut Recording,
        read: impl FnOnce(&mut dyn BufRead, &mut dyn Sink) -> Result<Shape, ImportError>,
    ) -> Result<Shape, ImportError> {
        let before = recording.notes.len();
        let shape = read(&mut self.source, recording).map_err(|error| error.in_file(&self.path))?;
        let about = self.path.file_name().unwrap_or_default().to_string_lossy();
        let mut decided: Vec<String> = self.source.notes().to_vec();
        decided.extend(recording.notes.drain(before..));
        recording.notes.extend(decided.into_iter().map(|note| format!("{about}: {note}")));
        Ok(shape)
    }
}

fn counts(imported: &Imported) -> (usize, usize, usize) {
    match imported {
        Imported::Corpus(corpus) => {
            (corpus.readers().len(), corpus.texts().len(), corpus.fixation_count())
        }
        Imported::Fixations(readings) => {
            let first = || readings.iter().filter_map(|reading| reading.fixations.first());
            let distinct = |names: HashSet<&Arc<str>>| names.len();
            (
                distinct(first().map(|f| &f.reader).collect()),
                distinct(first().map(|f| &f.text).collect()),
                readings.iter().map(|reading: &RawReading| reading.fixations.len()).sum(),
            )
        }
    }
}
