//! What commands write to standard output.

use std::io::{self, Write};

use clap::ValueEnum;
use gazeprint_io::TableFormat;

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
/// stays so on a terminal alone.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Writes an answer as JSON.
pub(crate) fn print_json(answer: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(answer)?))
}
