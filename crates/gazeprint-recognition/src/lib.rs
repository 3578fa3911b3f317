//! Recognition of readers, as a library: who is reading, and is it really the person who should be?
//!
//! A [`Recognizer`] opens or makes a gallery and enrols, identifies, verifies and watches. It is
//! `Send + Sync`, cheap to clone, and used by any number of threads at once. Answers are values that
//! serialise to JSON, with [`Warning`]s as values; an [`Error`] has a [kind](ErrorKind). The library
//! itself prints nothing, ends no process and handles no signal.
//!
//! ```
//! use gazeprint::{corpus::Corpus, method::Unwatched, simulate::SimulationParams};
//! use gazeprint_recognition::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let place = folder.path().join("staff.gallery");
//! let at = Location::File(place);
//! let people = SimulationParams { readers: 8, texts: 40, individuality: 2.0, ..Default::default() };
//! let all = people.build()?.run();
//! let part = |wanted: &dyn Fn(usize) -> bool| {
//!     let paths = all.scanpaths().iter().filter(|path| wanted(path.text)).cloned().collect();
//!     Corpus::new("part", all.readers().to_vec(), all.texts().to_vec(), paths)
//! };
//! let (known, later) = (part(&|text| text < 30)?, part(&|text| text >= 30)?);
//!
//! let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
//! let (desk, _) = Recognizer::open_or_create(&at, None, &founding, &known, &enroll, &Unwatched)?;
//! let done = desk.enroll(&known, &enroll, &Unwatched)?;
//! let probe = later.of_readers(&[2]);
//! let who = desk.identify(&probe, &IdentifyOptions { fpir: Some(0.2), ..Default::default() })?;
//! let claim = desk.verify(&probe, "r001", &VerifyOptions::default())?;
//! let mut watch = desk.watch("r003", all.texts(), &WatchOptions::default())?;
//! let text = all.texts()[31].id().to_owned();
//! let (x_char, duration_ms) = (Some(4.2), Some(231.0));
//! let step = watch.fixation(&WatchedFixation { text, x_char, duration_ms, ..Default::default() })?;
//! # assert_eq!((done.readers.len(), who.ranking[0].reader.as_str()), (8, "r003"));
//! # assert_eq!((claim.decision, step.state.step.decision), (Verdict::Rejected, Decision::GoOn));
//! # Ok(())
//! # }
//! ```
//!
//! | module | does |
//! |---|---|
//! | `recognizer` | the gallery that is open, and what was last seen of it |
//! | `enroll`, `calibrate` | readers and rules into a gallery |
//! | `readers` | the readers in memory, and a probe compared with them |
//! | `identify`, `verify`, `watch` | the answers |
//! | `stream` | the lines of a watch |
//! | `liveness` | whether a person read a probe |
//! | `settlement` | whether a probe was there before; what is logged and remembered |
//! | `housekeeping` | removing, copying, merging, sealing anew |
//! | `error`, `warning` | what can go wrong, and what should be known |

mod calibrate;
mod enroll;
mod error;
mod housekeeping;
mod identify;
mod liveness;
mod names;
mod readers;
mod recognizer;
mod settlement;
mod stream;
mod verify;
mod warning;
mod watch;

pub use calibrate::{KeepRows, LowestRates, Standing};
pub use enroll::{
    EnrollOptions, Enrolled, FEWEST_FIXATIONS, FoundingOptions, Shard, Skipped, learn_population,
};
pub use error::{Error, ErrorKind, Mismatch, RateName};
pub use gazeprint::decision::{Decision, Step};
pub use gazeprint_store::{
    Anchor, AnchorError, Checked, Entry, Event, Founding, Location, Logged, Secret, StoreError,
};
pub use housekeeping::{Erasure, Removal};
pub use identify::{Candidate, Identification, IdentifyOptions, UNKNOWN, USUAL_RATE};
pub use liveness::LivenessFinding;
pub use names::is_invisible;
pub use readers::CANDIDATES;
pub use recognizer::{RecognitionMonitor, Recognizer, Stage};
pub use settlement::{ReplayFinding, ReplayPolicy, ReplaySource};
pub use stream::{LineError, StreamLine};
pub use verify::{DecisionOnly, Verdict, Verification, VerifyOptions};
pub use warning::{Comparisons, RowsMissing, Warning, lowest_rate, two_digits};
pub use watch::{Watch, WatchOptions, WatchState, WatchStep, WatchedFixation};
