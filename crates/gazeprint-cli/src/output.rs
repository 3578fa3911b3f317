//! What commands write to standard output.

use std::io::{self, Write};

use clap::ValueEnum;
use gazeprint_io::TableFormat;

use crate::words;

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tables {
    /// Text, with commas
    Csv,
    /// Columns with types, packed; in builds with --features columnar
    Parquet,
}

impl From<Tables> for TableFormat {
    fn from(tables: Tables) -> Self {
        match tables {
            Tables::Csv => Self::Csv,
            Tables::Parquet => Self::Parquet,
        }
    }
}

/// Writes to standard output. A reader that has seen enough, like `head`, is no failure. What is in bold
/// stays so on a terminal alone; nothing else commands it.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let bold = [words::BOLD.render().to_string(), words::BOLD.render_reset().to_string()];
    let mut rest = text;
    let mut shown = String::with_capacity(text.len());
    while !rest.is_empty() {
        let places =
            bold.iter().filter_map(|mark| Some((rest.find(mark.as_str())?, mark.as_str())));
        let (place, mark) = places.min().unwrap_or((rest.len(), ""));
        shown.push_str(&words::spelt_out(&rest[..place]));
        shown.push_str(mark);
        rest = &rest[place + mark.len()..];
    }
    write(&shown)
}

fn write(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Writes an answer as JSON.
pub(crate) fn print_json(answer: &impl serde::Serialize) -> anyhow::Result<()> {
    write(&words::json(answer)?)
}
