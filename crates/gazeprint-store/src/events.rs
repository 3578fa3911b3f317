//! What the log of a gallery says.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Logged {
    /// Seconds since 1970.
    pub time: u64,
    /// What was done.
    #[serde(flatten)]
    pub event: Event,
}

/// What is logged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The gallery was made.
    Created {},
    /// A reader was enrolled, or given more recordings.
    Enrolled {
        /// Who.
        reader: String,
        /// Recordings in all.
        recordings: usize,
    },
    /// A reader was removed.
    Removed {
        /// Who.
        reader: String,
    },
    /// Somebody was looked for.
    Identified {
        /// Who it was taken for; none for somebody unknown.
        reader: Option<String>,
        /// Calibrated log-likelihood ratio of the best, nats.
        llr: f64,
        /// Fixations of the probe.
        fixations: usize,
        /// Whether it was a replay.
        replay: bool,
    },
    /// A claim was looked at.
    Verified {
        /// Who was claimed.
        reader: String,
        /// Whether it was believed.
        accepted: bool,
        /// Calibrated log-likelihood ratio, nats.
        llr: f64,
        /// Fixations of the probe.
        fixations: usize,
        /// Whether it was a replay.
        replay: bool,
    },
    /// Somebody was watched while reading, from one decision to the next.
    Watched {
        /// Who was claimed.
        reader: String,
        /// What was decided.
        decision: String,
        /// Calibrated log-likelihood ratio, nats.
        llr: f64,
        /// Fixations up to then.
        fixations: usize,
    },
    /// The population was learned anew.
    Relearned {
        /// Readers that it was learned from.
        readers: usize,
    },
    /// The whole was copied to another place.
    Copied {},
    /// The gallery was made of others.
    Merged {
        /// Readers of all.
        readers: usize,
        /// Galleries that they came from.
        galleries: usize,
    },
    /// The gallery was brought from an earlier format to that of today.
    Upgraded {},
    /// Everything was sealed anew.
    Rekeyed {
        /// Whether the gallery is encrypted now.
        encrypted: bool,
    },
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
