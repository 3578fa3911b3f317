//! What commands write to standard output.

use std::io::{self, Write};

/// Writes to standard output. A reader that has seen enough, like `head`, is no failure.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Writes an answer as JSON.
pub(crate) fn print_json(answer: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(answer)?))
}
