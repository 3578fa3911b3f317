//! How fast gazeprint is on a machine.
//!
//! | module | does |
//! |---|---|
//! | `part` | the parts, one entry each |
//! | `suite` | runs parts, and makes what they share once |
//! | `clock`, `numbers`, `machine`, `folder` | seconds, what several come to, where they were spent, and files meanwhile |
//! | `halves`, `readers`, `density` | a corpus in two halves, very many readers, one density of one reader |
//! | `training`, `draws`, `scoring`, `search`, `scaling` | methods, engines, comparisons, searches, and what they grow with |
//! | `kernels` | single loops: their time and their instructions |
//! | `import`, `vault`, `identify` | files, galleries, and who is reading |
//! | `engines`, `peer` | whether engines agree, and densities for other software |
//!
//! Everything is measured on simulated readers in one run, so that ratios can be trusted where times
//! cannot.

mod clock;
mod density;
mod draws;
mod engines;
mod error;
mod folder;
mod halves;
mod identify;
mod import;
mod kernels;
mod machine;
mod numbers;
mod part;
mod peer;
mod readers;
mod scaling;
mod scoring;
mod search;
mod suite;
mod training;
mod vault;

pub use clock::Spent;
pub use draws::{DrawWorth, EngineDraws};
pub use engines::{DensityAgreement, Distance, EngineAgreement};
pub use error::BenchError;
pub use identify::{GalleryIdentification, IdentificationTimes};
pub use import::{ImportTime, ImportTimes};
pub use kernels::{
    Alone, InstructionCount, InstructionCounts, InstructionRecord, KernelTime, KernelTimes,
    run_kernel,
};
pub use machine::Machine;
pub use part::{Measured, Part};
pub use peer::{Answer, GammaFit, PeerDensity, PeerTimes, Problems, Sampled};
pub use scaling::{Growth, Scaling};
pub use scoring::{ScoringTimes, Speed};
pub use search::{FullSearch, ProbeAccuracy, SearchTimes};
pub use suite::{Measurements, Options, Stage, Suite};
pub use training::{MethodTimes, TrainingTimes};
pub use vault::{VaultTime, VaultTimes};
