//! Exit codes, in one table.

use gazeprint_recognition::ErrorKind;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, accepted, or named.
    Done = 0,
    /// Failed.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// Rejected, or nobody known.
    Refused = 3,
    /// Undecided.
    Undecided = 4,
    /// A replay.
    Replay = 5,
    /// No key, or the wrong one.
    Locked = 6,
    /// A gallery that is damaged.
    Damaged = 7,
    /// Interrupted, as shells have it.
    Interrupted = 130,
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Locked => Self::Locked,
            ErrorKind::Damaged => Self::Damaged,
            ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Failed,
        }
    }
}
