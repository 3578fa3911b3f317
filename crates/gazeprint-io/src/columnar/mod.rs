//! Tables in columns: Parquet files, and Arrow IPC files and streams.
//!
//! They come in as the text of the same table, so that everything behind sees one kind of table: a row
//! of column names, then cells separated by commas, in quotation marks where they need them, with the
//! shortest numbers that give the same value back. Rows are made a part at a time.
//!
//! Files are not trusted. Whatever a file says about sizes is checked before memory is taken for it
//! ([`thrift`], [`arrow`]), and a panic of the decoders is an error here ([`text::contained`]).

#[cfg(feature = "columnar")]
mod arrow;
#[cfg(feature = "columnar")]
mod cells;
#[cfg(feature = "columnar")]
mod frames;
#[cfg(feature = "columnar")]
mod parquet;
#[cfg(feature = "columnar")]
mod text;
#[cfg(feature = "columnar")]
mod thrift;

#[cfg(feature = "columnar")]
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

#[cfg(feature = "columnar")]
pub(crate) use frames::{check, text as frame_text};
#[cfg(feature = "columnar")]
use text::{Batches, Text};

#[cfg(feature = "columnar")]
use crate::table::{Count, Counted, Measured};

/// The table of a frame as CSV, as imports read it.
#[cfg(feature = "columnar")]
pub fn frame_as_text(rows: Rows) -> impl Read {
    frame_text(rows)
}

/// Rows of a frame, batch by batch.
#[cfg(feature = "columnar")]
pub type Rows = Box<dyn arrow_array::RecordBatchReader + Send>;

/// A format with columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Parquet,
    ArrowFile,
    ArrowStream,
}

impl Container {
    /// What a file is, going by its first bytes.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        if start.starts_with(b"PAR1") {
            Some(Self::Parquet)
        } else if start.starts_with(b"ARROW1") {
            Some(Self::ArrowFile)
        } else if start.starts_with(&[0xff; 4]) {
            // Where a message of a stream begins; no text does.
            Some(Self::ArrowStream)
        } else {
            None
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::ArrowFile => "Arrow IPC",
            Self::ArrowStream => "an Arrow IPC stream",
        }
    }
}

/// A table as text, with notes about it.
pub(crate) type NotedText<'r> = (Box<dyn Read + 'r>, Vec<String>);

/// The table of an input whose first bytes are `start`. Files are read from their end: the one at `path`
/// is opened again where there is one, and otherwise the input is kept in memory.
///
/// # Errors
/// If the input cannot be understood, or this build does not have its format.
#[cfg(feature = "columnar")]
pub(crate) fn text<'r>(
    container: Container,
    start: Vec<u8>,
    rest: Box<dyn Read + 'r>,
    path: Option<&Path>,
) -> io::Result<NotedText<'r>> {
    let input = io::Cursor::new(start).chain(rest);
    let opened = |path| {
        let file = File::open(path)?;
        let packed = file.metadata()?.len();
        Ok::<_, io::Error>((file, Count::new(packed.into())))
    };
    let in_memory = |input| {
        let bytes = kept(input)?;
        let packed = bytes.len() as u64;
        Ok::<_, io::Error>((bytes, Count::new(packed.into())))
    };
    let (batches, packed): (Box<dyn Batches + 'r>, Count) = match (container, path) {
        (Container::Parquet, Some(path)) => {
            let (file, packed) = opened(path)?;
            (Box::new(parquet::open(file)?), packed)
        }
        (Container::Parquet, None) => {
            let (bytes, packed) = in_memory(input)?;
            (Box::new(parquet::open(bytes)?), packed)
        }
        (Container::ArrowFile, Some(path)) => {
            let (file, packed) = opened(path)?;
            (Box::new(arrow::open_file(file)?), packed)
        }
        (Container::ArrowFile, None) => {
            let (bytes, packed) = in_memory(input)?;
            (Box::new(arrow::open_file(bytes)?), packed)
        }
        (Container::ArrowStream, _) => {
            let (input, packed) = Counted::new(input);
            (Box::new(arrow::open(input)?), packed)
        }
    };
    let text = Text::new(batches);
    let mut notes = vec![format!("the file is {}: its first bytes say so", container.name())];
    notes.extend(text.notes());
    Ok((Box::new(Measured::new(text, packed, container.name())), notes))
}

/// An input that cannot be read from its end, in memory.
#[cfg(feature = "columnar")]
fn kept(input: impl Read) -> io::Result<bytes::Bytes> {
    /// Most bytes of it.
    const MOST: u64 = 1 << 28;
    let mut bytes = Vec::new();
    input.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        let most = MOST >> 20;
        return Err(text::broken(format!(
            "packed files are read up to {most} MB; unpack it first"
        )));
    }
    Ok(bytes.into())
}

/// As with the formats, without them.
#[cfg(not(feature = "columnar"))]
pub(crate) fn text<'r>(
    container: Container,
    _: Vec<u8>,
    _: Box<dyn Read + 'r>,
    _: Option<&Path>,
) -> io::Result<NotedText<'r>> {
    let (found, expected) = (container.name(), "a text table, since this build reads no other");
    let remedy = "save the table as CSV, or make a build with the feature columnar".to_owned();
    Err(crate::table::Fault::Foreign { found, expected, remedy }.into())
}
