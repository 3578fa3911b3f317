//! Why a command ends early.

use std::fmt;

use gazeprint_io::WriteError;

/// Arguments that do not fit together or are out of range: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Something is there already that would be replaced.
#[derive(Debug)]
pub(crate) struct Exists(pub(crate) String);

impl fmt::Display for Exists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Exists {}

/// Work stopped by Ctrl-C, with what to say of it.
#[derive(Debug)]
pub(crate) struct Interrupted(pub(crate) &'static str);

impl Interrupted {
    /// Nothing is there that was not there before.
    pub(crate) const NOTHING: Self = Self("interrupted; nothing was written");
    /// Of a study that keeps what it has.
    pub(crate) const RESUMABLE: Self =
        Self("interrupted; the same command with --resume goes on from here");
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Interrupted {}

/// What to do where something cannot be written.
pub(crate) fn explain(error: WriteError) -> anyhow::Error {
    match error {
        WriteError::Exists { file } => Exists(format!(
            "{} exists already; write elsewhere, or add --overwrite to replace it",
            file.display()
        ))
        .into(),
        error => error.into(),
    }
}
