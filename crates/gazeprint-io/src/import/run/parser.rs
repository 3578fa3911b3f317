//! Which parser reads an input, and what it is told.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::Request;
use super::named::FileNames;
use super::opened::{Opened, START};
use super::renaming::{Patterns, Renaming, RowNames};
use crate::import::aliases::{Choice, ColumnRole, is_known};
use crate::import::asc::AscOptions;
use crate::import::bids::{BidsOptions, EventTable, Eyes, Metadata, Side};
use crate::import::dataviewer::{self, ReportOptions, Words};
use crate::import::error::{At, ImportError};
use crate::import::format::{Format, column_names, stem};
use crate::import::gaze::GazeOptions;
use crate::import::popeye::{GatheredWords, PopEyeOptions};
use crate::import::pymovements::FrameOptions;
use crate::import::recording::Sink;
use crate::import::report::Shape;
use crate::import::samples::SamplesOptions;
use crate::import::setting::{Setting, phrase};
use crate::import::swift::SwiftOptions;
use crate::import::table::TableOptions;
use crate::import::tobii::TobiiOptions;
use crate::import::words::KnownWords;
use crate::read::DEFAULT_NAME;
use crate::table::Source;

/// An input and how to read it.
pub(in crate::import) struct Parser<'r> {
    pub(super) request: &'r Request,
    pub(super) choices: Vec<Choice>,
    pub(super) format: Format,
    pub(super) path: &'r Path,
    pub(super) name: Arc<str>,
    pub(super) file: usize,
    /// What the name of the file tells.
    pub(super) names: FileNames,
    /// How many files there are.
    pub(super) inputs: usize,
}

impl Parser<'_> {
    pub(super) fn report_options(&self) -> ReportOptions<'_> {
        self.request.report_options(&self.choices)
    }

    /// Reads the input as what its format is.
    pub(super) fn read(
        &self,
        input: &mut dyn BufRead,
        beside: Beside<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Shape, ImportError> {
        (self.format.parse())(self, input, beside, sink)
    }

    /// Who reads, where the file does not say.
    fn reader(&self) -> &Arc<str> {
        self.names.reader.as_ref().or(self.request.gaze.reader.as_ref()).unwrap_or(&self.name)
    }

    /// What is read, where the file does not say. Files of one reader that is named are of several texts;
    /// those of one name in folders of several readers are of one.
    fn page(&self) -> Arc<str> {
        let named = || match (&self.names.reader, &self.request.gaze.reader) {
            (Some(_), _) => stem(self.path),
            (None, Some(_)) => Arc::clone(&self.name),
            (None, None) => Arc::from(DEFAULT_NAME),
        };
        self.names.page().unwrap_or_else(named)
    }

    /// Which of reader and text nobody has told: the name of the file stands for them.
    fn guessed(&self) -> Vec<ColumnRole> {
        let told = self.names.reader.as_ref().or(self.request.gaze.reader.as_ref());
        let reader = told.is_none().then_some(ColumnRole::Reader);
        let text = self.names.page().is_none().then_some(ColumnRole::Text);
        reader.into_iter().chain(text).collect()
    }

    /// A sink in which fixations have the names that names tell, whatever their rows say.
    fn renaming<'s>(&'s self, rows: &'s mut RowNames, sink: &'s mut dyn Sink) -> Renaming<'s> {
        let Request { from_name, from_reader, .. } = self.request;
        let patterns = Patterns { files: from_name.as_ref(), readers: from_reader.as_ref() };
        Renaming { names: &self.names, patterns, rows, sink }
    }

    /// What is taken from recordings. Several of one reader are sessions, lest trials of the same
    /// name become one.
    fn gaze(&self) -> GazeOptions {
        let mut gaze = self.request.gaze.clone();
        gaze.reader = self.names.reader.clone().or(gaze.reader);
        gaze.session = self.names.session.clone().or(gaze.session);
        if gaze.reader.is_some() && gaze.session.is_none() && self.inputs > 1 {
            gaze.session = Some(Arc::clone(&self.name));
        }
        gaze
    }
}

/// What an input is read beside.
pub(in crate::import) struct Beside<'b> {
    pub(super) known: &'b mut KnownWords,
    pub(super) gathered: &'b mut GatheredWords,
    /// What rows said where names of files say something else.
    pub(super) rows: &'b mut RowNames,
    /// The other files of a recording of BIDS.
    pub(super) side: Option<SideOfRun>,
    /// Where it is one of several eyes, all of them.
    pub(super) eyes: Option<&'b mut Eyes>,
}

/// Reads an input in one format.
pub(in crate::import) type Parse =
    fn(&Parser<'_>, &mut dyn BufRead, Beside<'_>, &mut dyn Sink) -> Result<Shape, ImportError>;

/// Makes the parser of a format that knows nothing of words.
macro_rules! placed {
    ($(#[$doc:meta])* $name:ident, $read:expr) => {
        $(#[$doc])*
        pub(in crate::import) fn $name(
            parser: &Parser<'_>,
            input: &mut dyn BufRead,
            beside: Beside<'_>,
            sink: &mut dyn Sink,
        ) -> Result<Shape, ImportError> {
            let read: fn(&Parser<'_>, &mut dyn BufRead, &mut dyn Sink) -> _ = $read;
            let Beside { known, rows, .. } = beside;
            known.place(&parser.report_options(), sink, |sink| {
                read(parser, input, &mut parser.renaming(rows, sink))
            })
        }
    };
}

placed!(asc, |parser, input, sink| {
    let options = AscOptions { stem: Arc::clone(&parser.name), gaze: parser.gaze() };
    crate::import::asc::read(input, parser.file, &options, sink)
});

/// Samples in degrees need pixels where they are to be put on words.
pub(in crate::import) fn samples(
    parser: &Parser<'_>,
    input: &mut dyn BufRead,
    beside: Beside<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let options = SamplesOptions {
        stem: Arc::clone(&parser.name),
        choices: parser.choices.clone(),
        gaze: parser.gaze(),
        page: parser.names.page(),
        guessed: parser.guessed(),
        has_words: !matches!(beside.known, KnownWords::Nothing),
    };
    let Beside { known, rows, .. } = beside;
    known.place(&parser.report_options(), sink, |sink| {
        let sink = &mut parser.renaming(rows, sink);
        crate::import::samples::read(input, parser.file, &options, sink)
    })
}

placed!(pymovements, |parser, input, sink| {
    let (choices, reader) = (&parser.choices[..], Some(Arc::clone(parser.reader())));
    let (page, guessed) = (Some(parser.page()), &parser.guessed()[..]);
    let options = FrameOptions { choices, reader, page, guessed };
    crate::import::pymovements::read(input, parser.file, &options, sink)
});

placed!(da1, |parser, input, sink| {
    crate::import::da1::read(input, parser.file, parser.reader(), sink)
});

placed!(tobii, |parser, input, sink| {
    let options = TobiiOptions {
        choices: &parser.choices,
        scale: parser.request.gaze.scale,
        reader: Some(parser.reader()),
        page: Some(&parser.page()),
        guessed: &parser.guessed(),
        screen_px: parser.request.gaze.screen_px,
    };
    crate::import::tobii::read(input, parser.file, &options, sink)
});

placed!(table, |parser, input, sink| {
    let options = TableOptions {
        choices: parser.choices.clone(),
        reader: Some(Arc::clone(parser.reader())),
        page: Some(parser.page()),
        guessed: parser.guessed(),
        screen_px: parser.request.gaze.screen_px,
        y_up: parser.request.gaze.y_up,
        valid: parser.request.gaze.valid,
    };
    crate::import::table::read(input, parser.file, &options, sink)
});

/// JSON becomes a table, of fixations or of samples.
pub(in crate::import) fn json(
    parser: &Parser<'_>,
    input: &mut dyn BufRead,
    beside: Beside<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let table = crate::import::json::table(input)?;
    let names = column_names(&table.text);
    if parser.choices.is_empty() && !names.iter().any(|name| is_known(name)) {
        return Err(crate::import::json::unknown(&names));
    }
    let (format, _) = Format::guess(Path::new(""), table.text.get(..START).unwrap_or(&table.text));
    sink.note(format!(
        "the JSON is read as the {} of what is in its lists, with {} rows, counted from 2 on",
        match format {
            Format::Samples => "samples",
            _ => "table",
        },
        table.rows
    ));
    if table.others > 0 {
        sink.note(format!("{} objects without fixations or samples are left out", table.others));
    }
    if table.discarded > 0 {
        sink.note(format!(
            "{} fixations that are marked as discarded are left out",
            table.discarded
        ));
    }
    let mut source = Source::new(table.text.as_bytes())?;
    (format.parse())(parser, &mut source, beside, sink)
}

/// Data Viewer says itself which words fixations are on.
pub(in crate::import) fn data_viewer(
    parser: &Parser<'_>,
    input: &mut dyn BufRead,
    beside: Beside<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let Beside { known, rows, .. } = beside;
    let mut words = match std::mem::take(known) {
        KnownWords::Screen(words) => Words::Screen(words),
        KnownWords::Map(map) => Words::Characters(map),
        other => {
            *known = other;
            Words::Unknown
        }
    };
    // A trial's number is no text: only the names of files may tell it.
    let (reader, page) = (parser.names.reader.as_ref(), parser.names.text.as_ref());
    let options = ReportOptions { reader, page, ..parser.report_options() };
    let sink = &mut parser.renaming(rows, sink);
    let shape = dataviewer::read(input, parser.file, &options, &mut words, sink)?;
    match words {
        Words::Screen(words) => *known = KnownWords::Screen(words),
        Words::Characters(map) => *known = KnownWords::Map(map),
        Words::Unknown => {}
    }
    Ok(shape)
}

/// SWIFT has numbers of words alone.
pub(in crate::import) fn swift(
    parser: &Parser<'_>,
    input: &mut dyn BufRead,
    beside: Beside<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let KnownWords::Items(items) = beside.known else {
        return Err(ImportError::value(
            At::row(0),
            "a sequence by numbers of sentences and words",
            "the sentences",
            phrase!["give the list of items with ", Setting::Text, " FILE"],
        ));
    };
    let reader = parser.request.gaze.reader.clone();
    let reader = reader.unwrap_or_else(|| crate::import::swift::reader_of(parser.path));
    let sink = &mut parser.renaming(beside.rows, sink);
    crate::import::swift::read(input, parser.file, &SwiftOptions { reader, items }, sink)
}

/// Fixations of popEye tell words where nothing else does.
pub(in crate::import) fn popeye(
    parser: &Parser<'_>,
    input: &mut dyn BufRead,
    beside: Beside<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let Beside { known, gathered, rows, .. } = beside;
    let gathered = matches!(known, KnownWords::Nothing).then_some(gathered);
    let options = PopEyeOptions { choices: &parser.choices };
    known.place(&parser.report_options(), sink, |sink| {
        let sink = &mut parser.renaming(rows, sink);
        crate::import::popeye::read(input, parser.file, &options, gathered, sink)
    })
}

/// Recordings of BIDS are described by the files beside them.
pub(in crate::import) fn bids(
    parser: &Parser<'_>,
    input: &mut dyn BufRead,
    beside: Beside<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let Beside { known, rows, side, eyes, .. } = beside;
    let side = side.unwrap_or_default();
    match eyes {
        Some(eyes) => side.read(input, parser, rows, eyes.another()),
        None => {
            known.place(&parser.report_options(), sink, |sink| side.read(input, parser, rows, sink))
        }
    }
}

/// What belongs to a recording of BIDS.
#[derive(Default)]
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
        rows: &mut RowNames,
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
        let sink = &mut parser.renaming(rows, sink);
        crate::import::bids::read(input, parser.file, &options, side, sink)
    }
}
