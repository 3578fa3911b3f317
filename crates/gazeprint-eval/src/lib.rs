//! Protocols, measures and studies of reader identification. Claims are judged by the rules of a gallery,
//! which are those of [`gazeprint::decision`].
//!
//! | module | does |
//! |---|---|
//! | [`protocol`] | divides a corpus into training and test, cuts test readings into probes |
//! | [`measures`] | accuracy, error rates and curves, cost of likelihood ratios, intervals over readers |
//! | [`choice`] | says which methods are compared |
//! | [`study`] | compares methods over repeated splits |
//! | [`course`] | says how far long work has come |
//! | [`curves`] | accuracy and errors over the amount of reading and the number of readers |
//! | [`strangers`] | readers who are not enrolled, judged by the rules of those who are |
//! | [`attacks`] | attacks on verification, and countermeasures |
//! | [`robustness`] | repeats a study on worse recordings |
//! | [`portrait`] | shows one reader: densities, calibration, a reading, draws of the posterior |
//! | [`vigil`] | watches in a study: seconds to decide, and to notice a swap |
//! | [`report`] | turns a study into `study.json` |
//! | [`summary`] | says what is in a corpus and what looks wrong with it |
//! | [`density`] | fits a density to values by themselves |
//! | [`traits`] | what each reader does, how sure that is, and whether it would come out again |
//!
//! ```
//! use gazeprint::corpus::Limits;
//! use gazeprint::simulate::SimulationParams;
//! use gazeprint_eval::summary::Summary;
//!
//! # fn main() -> Result<(), gazeprint::simulate::SimulationError> {
//! let corpus = SimulationParams { readers: 3, texts: 10, ..Default::default() }.build()?.run();
//! let summary = Summary::of(&corpus, Limits::default());
//! assert_eq!(summary.readers, 3);
//! # Ok(())
//! # }
//! ```

pub mod attacks;
mod beginning;
pub mod choice;
pub mod course;
pub mod curves;
pub mod density;
mod fingerprint;
pub mod measures;
pub mod portrait;
pub mod protocol;
pub mod report;
pub mod robustness;
pub mod strangers;
pub mod study;
pub mod summary;
mod thresholds;
pub mod traits;
pub mod vigil;

pub use fingerprint::fingerprint;
pub use thresholds::{LearnedThreshold, RATES};
