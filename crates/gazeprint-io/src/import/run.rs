//! An import from files to a recording.

mod folders;
mod named;
mod opened;
pub(super) mod parser;
mod renaming;
mod texts;
mod used;

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::aliases::{Choice, ColumnRole, beside};
use super::bids::{self, Eyes, Metadata};
use super::collect::{Imported, RawReading, Recording, Stated};
use super::dataviewer::{ReportOptions, Words};
use super::error::{At, ImportError};
use super::format::{Format, column_names, stem};
use super::gaze::GazeOptions;
use super::layout::lines::Method;
use super::messages::{MessageLog, warn_of_counters};
use super::popeye::GatheredWords;
use super::recording::Sink;
use super::remark::Remark;
use super::report::{ImportReport, InputReport, Shape};
use super::setting::{Phrase, Setting, phrase};
use super::table::{self, TableOptions};
use super::words::{GivenDisplay, KnownWords, WordTable};
use folders::Found;
pub use folders::input_files;
use named::{
    FileNames, TextsOf, named_as_files, named_as_recordings, names, told_apart, written_alike,
};
pub use named::{NamePattern, NamePatternError};
use opened::Opened;
use parser::{Beside, Parser, SideOfRun};
use renaming::RowNames;

/// What to import.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files of fixations, or folders of such files.
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
    /// What the names of inputs tell; every one must match.
    pub from_name: Option<NamePattern>,
    /// What the names of readers tell that inputs have; every one must match.
    pub from_reader: Option<NamePattern>,
}

impl Request {
    /// How reports, and whatever else is in pixels, are read.
    fn report_options<'o>(&self, choices: &'o [Choice]) -> ReportOptions<'o> {
        ReportOptions { lines: self.lines, ..ReportOptions::new(choices) }
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
    let found = folders::find(request)?;
    let mut run = Run::new(request, open, &found);
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
    /// Files of fixations, those in folders among them.
    inputs: &'r [PathBuf],
    recording: Recording,
    known: KnownWords,
    /// Words of popEye's fixations, where no others are known.
    gathered: GatheredWords,
    /// All files, in the order of [`RowPlace::file`](super::RowPlace).
    paths: Vec<PathBuf>,
    files: Vec<InputReport>,
    /// Index of the first file with fixations.
    first_input: usize,
    /// What inputs are called, no two alike.
    names: Vec<Arc<str>>,
    /// What messages of recordings said.
    messages: Vec<MessageLog>,
    /// What rows said, where names of files say something else.
    rows: RowNames,
    /// Whether anything in the files names texts.
    texts_of: TextsOf,
    /// The column that readers are called after, where it names recordings.
    labels: Option<String>,
}

impl<'r> Run<'r> {
    fn new(request: &'r Request, open: &'r Open<'r>, found: &'r Found) -> Self {
        let mut recording = Recording::new(request.gaze.eye);
        recording.remarks.extend(found.notes.iter().cloned().map(Remark::decision));
        recording.remarks.extend(found.warnings.iter().cloned().map(Remark::warning));
        Self {
            request,
            open,
            inputs: &found.files,
            recording,
            known: KnownWords::default(),
            gathered: GatheredWords::default(),
            paths: Vec::new(),
            files: Vec::new(),
            first_input: 0,
            names: names(&found.files),
            messages: Vec::new(),
            rows: RowNames::default(),
            texts_of: TextsOf::Files,
            labels: None,
        }
    }

    /// Settings that contradict each other are refused before anything is read.
    fn check_words(&self) -> Result<(), ImportError> {
        let GivenDisplay { left, line_height, top, .. } = self.request.display;
        let refused = |found: Phrase, expected: &'static str, remedy: Phrase| {
            Err(ImportError::value(Box::default(), found, expected, remedy))
        };
        let is_width = |width: f64| width.is_finite() && width > 0.0;
        if self.request.display.font_width.is_some_and(|width| !is_width(width)) {
            let expected = "a number of pixels above 0";
            return refused(Setting::FontWidth.into(), expected, "correct it".into());
        }
        match (&self.request.words, &self.request.text) {
            (Some(_), Some(_)) => {
                let both = phrase![Setting::Words, " and ", Setting::Text];
                refused(both, "one of them", "leave one of them out".into())
            }
            (_, None) if left.or(line_height).or(top).is_some() => refused(
                phrase![
                    Setting::Left,
                    ", ",
                    Setting::LineHeight,
                    " or ",
                    Setting::Top,
                    " without a text"
                ],
                "the text that was shown there",
                phrase!["add ", Setting::Text, " FILE"],
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
            let options = request.report_options(&request.choices);
            let font_width = request.display.font_width;
            let shape = opened.read(&mut self.recording, |source, sink| {
                let (known, shape) =
                    KnownWords::read_table(source, file, kind, &options, font_width, sink)?;
                self.known = known;
                Ok(shape)
            })?;
            self.describe(file, kind.name(), given(Setting::Words), shape);
        }
        if let Some(path) = &request.text {
            let file = self.add(path);
            let is_swift = self.is_swift()?;
            let opened = Opened::new(path, self.open)?;
            let shape = opened.read(&mut self.recording, |source, sink| {
                let (known, shape) = if is_swift {
                    KnownWords::read_items(source, file, sink)?
                } else {
                    KnownWords::read_text(source, file, &stem(path), &request.display, sink)?
                };
                self.known = known;
                Ok(shape)
            })?;
            self.describe(file, "text", given(Setting::Text), shape);
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
        let Some(first) = self.inputs.first() else { return Ok(false) };
        Ok(Format::guess(first, &Opened::new(first, self.open)?.start).0 == Format::Swift)
    }

    fn trials(&mut self) -> Result<(), ImportError> {
        let Some(path) = &self.request.trials else { return Ok(()) };
        let file = self.add(path);
        let options =
            TableOptions { choices: self.request.choices.clone(), ..TableOptions::default() };
        let opened = Opened::new(path, self.open)?;
        let mut trials = Vec::new();
        let shape = opened.read(&mut self.recording, |source, sink| {
            let mut take = |place, trial| trials.push((place, trial));
            table::read_trials(source, file, &options, sink, &mut take)
        })?;
        self.recording.trials = trials;
        self.describe(file, "trials", given(Setting::Trials), shape);
        Ok(())
    }

    fn inputs(&mut self) -> Result<(), ImportError> {
        let inputs = self.inputs;
        self.first_input = self.paths.len();
        // Eyes of one run are recordings of their own, of which one is taken.
        for group in bids::runs(inputs) {
            if let [input] = group[..] {
                self.input(input, None)?;
                continue;
            }
            let mut eyes = Eyes::default();
            for &input in &group {
                self.input(input, Some(&mut eyes))?;
            }
            let options = self.request.report_options(&[]);
            let finished =
                self.known.place(&options, &mut self.recording, |sink| eyes.finish(sink));
            let last = group.last().map_or(Path::new(""), |&input| &inputs[input]);
            finished.map_err(|error| self.in_two_files(error.in_file(last)))?;
        }
        if let KnownWords::Map(map) = std::mem::take(&mut self.known) {
            let words = self.request.words.as_deref().unwrap_or(Path::new(""));
            let file = self.paths.iter().position(|path| path == words).unwrap_or(0);
            let finished = Words::Characters(map).finish(file, &mut self.recording);
            finished.map_err(|error| error.in_file(words))?;
        }
        std::mem::take(&mut self.gathered).finish(&mut self.recording)
    }

    /// Reads an input; into `eyes`, where it is one of several eyes.
    fn input(&mut self, input: usize, eyes: Option<&mut Eyes>) -> Result<(), ImportError> {
        let path = self.inputs[input].as_path();
        let file = self.add(path);
        let opened = Opened::new(path, self.open)?;
        let (format, reason) = match self.request.format {
            Some(format) => (format, given(Setting::Format)),
            None => {
                let (format, reason) = Format::guess(path, &opened.start);
                (format, reason.into())
            }
        };
        let side = match format {
            Format::Bids => Some(self.side(path)?),
            _ => None,
        };
        let (request, name) = (self.request, Arc::clone(&self.names[input]));
        let choices = self.choices_for(&opened.start);
        let names = match &request.from_name {
            Some(pattern) => pattern.read(path)?,
            None => FileNames::default(),
        };
        let inputs = self.inputs.len();
        let parser = Parser { request, choices, format, path, name, file, names, inputs };
        let (known, gathered, rows) = (&mut self.known, &mut self.gathered, &mut self.rows);
        let beside = Beside { known, gathered, rows, side, eyes };
        let shape =
            opened.read(&mut self.recording, |source, sink| parser.read(source, beside, sink));
        let mut shape = shape.map_err(|error| self.in_two_files(error))?;
        self.messages.extend(shape.messages.take());
        self.look_at_texts(format, &shape, file);
        if matches!(self.known, KnownWords::Placed)
            && matches!(format, Format::Table | Format::Json)
        {
            let column = |role| shape.mapping.get(role).map(|mapped| mapped.column.clone());
            let [line, word] = [ColumnRole::Line, ColumnRole::Word].map(column);
            self.recording.stated.insert(file, Stated { line, word });
        }
        let ignored = shape.mapping.others(&shape.columns).into_iter();
        self.files[file].ignored = ignored.filter(|name| !format.reads(name)).collect();
        self.describe(file, format.name(), reason, shape);
        Ok(())
    }

    /// Says of an error about two files which they are, and how to tell them apart.
    fn in_two_files(&self, error: ImportError) -> ImportError {
        let by_names = told_apart(self.inputs, self.request.from_name.as_ref(), self.texts_of);
        error.beside(&self.paths).advising(by_names)
    }

    /// The choices of the user but those that were for the tables before, and are not for this file.
    fn choices_for(&self, start: &str) -> Vec<Choice> {
        let is_used = |choice: &&Choice| {
            let has = |file: &InputReport| file.mapping.chose(choice);
            self.files[..self.first_input].iter().any(has)
        };
        let here = beside(&column_names(start), &self.request.choices);
        let choices = self.request.choices.iter();
        choices.filter(|choice| here.contains(choice) || !is_used(choice)).cloned().collect()
    }

    /// Opens what belongs to a recording of BIDS.
    fn side(&mut self, path: &Path) -> Result<SideOfRun, ImportError> {
        let Some(files) = bids::side_files(path) else {
            return Err(ImportError::value(
                At::file(path),
                "a file that is not called like a recording of BIDS",
                "a name that ends with _physio.tsv or _physio.tsv.gz",
                phrase!["rename it, or choose another ", Setting::Format],
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
            let reason = format!("beside {}", path.display()).into();
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

    fn describe(&mut self, file: usize, format: &'static str, reason: Phrase, shape: Shape) {
        let Some(report) = self.files.get_mut(file) else { return };
        report.format = format;
        report.format_reason = reason;
        report.rows = shape.rows;
        report.screen_px = self.request.gaze.screen_px.or(shape.screen_px);
        report.mapping = shape.mapping;
    }

    /// A column that the user chose and that no input has is a mistake.
    fn check_choices(&self) -> Result<(), ImportError> {
        let unused = self.request.choices.iter().find(|choice| {
            let is_used = |file: &InputReport| file.mapping.chose(choice);
            !self.files.iter().any(is_used)
        });
        match unused {
            None => Ok(()),
            Some(choice) => Err(ImportError::value(
                Box::default(),
                Phrase::choice(choice.role.name(), &choice.column),
                "columns that the inputs have, for a role that their format takes",
                "leave it out, or give the file that it is for",
            )),
        }
    }

    fn finish(mut self, name: &str) -> Result<(Imported, ImportReport), ImportError> {
        warn_of_counters(&self.messages, &mut self.recording);
        let words_kept = self.recording.texts.iter().map(|text| text.words.len() as u64).sum();
        let paths: Vec<&Path> = self.paths.iter().map(PathBuf::as_path).collect();
        let imported = self.recording.finish(name, &paths, self.first_input)?;
        let (readers, texts, fixations) = counts(&imported);
        let found: HashSet<&str> = readers_of(&imported).collect();
        let named: Vec<(&Path, &str)> = (self.inputs.iter().zip(&self.names))
            .filter(|(_, name)| found.contains(&***name))
            .map(|(path, name)| (path.as_path(), &**name))
            .collect();
        self.recording.remarks.extend(named_as_files(&named, self.texts_of));
        let warning = written_alike(readers_of(&imported));
        let called: BTreeSet<&str> = found.iter().copied().collect();
        let called: Vec<&str> = called.into_iter().collect();
        let labels = self.labels.as_ref().filter(|_| self.request.from_reader.is_none());
        let of_labels = labels.and_then(|column| named_as_recordings(&called, column));
        let unused = used::warning(&self.files, &self.recording.dropped, fixations as u64);
        for warning in warning.into_iter().chain(of_labels).chain(unused) {
            self.recording.warn(warning);
        }
        let (warnings, decisions) =
            self.recording.remarks.into_iter().partition(|remark: &Remark| remark.is_warning);
        let report = ImportReport {
            schema_version: 1,
            gazeprint: env!("CARGO_PKG_VERSION"),
            rows_read: self.files.iter().map(|file| file.rows).sum(),
            files: self.files,
            fixations_kept: fixations as u64,
            words_kept,
            words_repeated: self.recording.repeated_words,
            dropped: self.recording.dropped.iter().cloned().collect(),
            decisions,
            warnings,
            readers,
            texts,
            has_words: matches!(imported, Imported::Corpus(_)),
        };
        Ok((imported, report))
    }
}

/// Why a file is read as what it is, where a setting says so.
fn given(setting: Setting) -> Phrase {
    phrase!["given with ", setting]
}

/// The names of readers; of fixations without words, that of each reading.
fn readers_of(imported: &Imported) -> Box<dyn Iterator<Item = &str> + '_> {
    match imported {
        Imported::Corpus(corpus) => Box::new(corpus.readers().iter().map(String::as_str)),
        Imported::Fixations(readings) => {
            Box::new(readings.iter().filter_map(|r| r.fixations.first()).map(|f| &*f.reader))
        }
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
