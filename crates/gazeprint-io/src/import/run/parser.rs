//! Which parser reads an input, and what it is told.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::super::aliases::Choice;
use super::super::asc::{self, AscOptions};
use super::super::bids::{self, BidsOptions, EventTable, Metadata, Side};
use super::super::dataviewer::{self, ReportOptions, Words};
use super::super::error::{At, ImportError};
use super::super::format::Format;
use super::super::gaze::GazeOptions;
use super::super::popeye::{self, GatheredWords, PopEyeOptions};
use super::super::pymovements::{self, FrameOptions};
use super::super::recording::Sink;
use super::super::report::Shape;
use super::super::samples::{self, SamplesOptions};
use super::super::setting::{Setting, phrase};
use super::super::swift::{self, SwiftOptions};
use super::super::table::{self, TableOptions};
use super::super::tobii::{self, TobiiOptions};
use super::super::words::Known;
use super::Request;
use super::opened::Opened;

/// An input and how to read it.
pub(super) struct Parser<'r> {
    pub(super) request: &'r Request,
    pub(super) choices: Vec<Choice>,
    pub(super) format: Format,
    pub(super) path: &'r Path,
    pub(super) name: Arc<str>,
    pub(super) file: usize,
}

impl Parser<'_> {
    pub(super) fn report_options(&self) -> ReportOptions<'_> {
        self.request.report_options(&self.choices)
    }

    pub(super) fn read(
        &self,
        input: &mut dyn BufRead,
        known: &mut Known,
        gathered: &mut GatheredWords,
        sink: &mut dyn Sink,
    ) -> Result<Shape, ImportError> {
        let (file, choices, report) = (self.file, &self.choices[..], self.report_options());
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
                        phrase!["give the list of items with ", Setting::Text, " FILE"],
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
        let (file, choices) = (self.file, &self.choices[..]);
        match self.format {
            Format::Asc => {
                let options = AscOptions { stem: Arc::clone(&self.name), gaze: self.gaze() };
                asc::read(input, file, &options, sink)
            }
            Format::Samples => {
                let (stem, choices) = (Arc::clone(&self.name), self.choices.clone());
                let options = SamplesOptions { stem, choices, gaze: self.gaze() };
                samples::read(input, file, &options, sink)
            }
            Format::Pymovements => {
                let reader = Some(Arc::clone(self.reader()));
                pymovements::read(input, file, &FrameOptions { choices, reader }, sink)
            }
            Format::Tobii => tobii::read(input, file, &TobiiOptions { choices }, sink),
            _ => {
                let (reader, choices) = (Some(Arc::clone(self.reader())), self.choices.clone());
                table::read(input, file, &TableOptions { choices, reader }, sink)
            }
        }
    }

    /// Who reads, where the file does not say.
    fn reader(&self) -> &Arc<str> {
        self.request.gaze.reader.as_ref().unwrap_or(&self.name)
    }

    /// What is taken from recordings. Several of one reader are sessions, lest trials of the same
    /// name become one.
    fn gaze(&self) -> GazeOptions {
        let mut gaze = self.request.gaze.clone();
        if gaze.reader.is_some() && gaze.session.is_none() && self.request.inputs.len() > 1 {
            gaze.session = Some(Arc::clone(&self.name));
        }
        gaze
    }
}

/// What belongs to a recording of BIDS.
pub(super) struct SideOfRun {
    pub(super) samples: Option<Metadata>,
    pub(super) stimulus: Option<Metadata>,
    pub(super) events: Option<(Opened, Option<Metadata>, usize)>,
}

impl SideOfRun {
    pub(super) fn read(
        mut self,
        input: &mut dyn BufRead,
        parser: &Parser<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Shape, ImportError> {
        let name = parser.path.file_name().unwrap_or_default().to_string_lossy();
        let (choices, gaze) = (parser.choices.clone(), parser.request.gaze.clone());
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
