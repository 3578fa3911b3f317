//! Recognition of readers, as a library.

mod calibrate;
mod enroll;
mod error;
mod housekeeping;
mod identify;
mod readers;
mod recognizer;
mod settlement;
mod verify;
mod warning;
mod watch;

pub use calibrate::{KeepRows, LowestRates, Standing};
pub use enroll::{
    EnrollOptions, Enrolled, FEWEST_FIXATIONS, FoundingOptions, Shard, Skipped, learn_population,
};
pub use error::{Error, ErrorKind, Mismatch, RateName};
pub use gazeprint::decision::{Decision, Step};
pub use gazeprint_store::{Checked, Entry, Event, Founding, Location, Logged, Secret, StoreError};
pub use housekeeping::{Erasure, Removal};
pub use identify::{Candidate, Identification, IdentifyOptions, UNKNOWN};
pub use readers::CANDIDATES;
pub use recognizer::{RecognitionMonitor, Recognizer, Stage};
pub use settlement::{ReplayFinding, ReplayPolicy, ReplaySource};
pub use verify::{Verdict, Verification, VerifyOptions};
pub use warning::{Comparisons, RowsMissing, Warning, lowest_rate, two_digits};
pub use watch::{Watch, WatchOptions, WatchState, WatchStep, WatchedFixation};
