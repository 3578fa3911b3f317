//! What the Python package `gazeprint` is made of: its private module `_lib`. Whoever writes Python uses the typed
//! front in `python/gazeprint`, which names and explains what is here.
//!
//! | module | does |
//! |---|---|
//! | `failure` | errors as exceptions, by kind |
//! | `work` | long work: Python runs on meanwhile, Ctrl-C stops it, progress is told |
//! | `table` | tables out, by the C interface of Arrow |
//! | `corpus`, `imports` | corpora from files, frames and other tools |
//! | `given` | what is read once and goes wherever work is done |
//! | `study` | studies, whole or unit by unit |
//! | `recognizer`, `watch` | galleries |
//! | `density` | densities and draws of their posteriors |
//! | `identifier` | one fit of a method, for estimators |
//!
//! Answers leave as JSON, which the front makes dataclasses of: the same values as those of the command.

mod corpus;
mod density;
mod failure;
mod given;
mod identifier;
mod imports;
mod recognizer;
mod study;
mod table;
mod watch;
mod work;

use pyo3::prelude::*;

/// The private module of the package.
#[pymodule]
mod _lib {
    #[pymodule_export]
    use super::corpus::Corpus;
    #[pymodule_export]
    use super::density::{draws, fit_density};
    #[pymodule_export]
    use super::given::{People, Secret, read_splits};
    #[pymodule_export]
    use super::identifier::Identifier;
    #[pymodule_export]
    use super::imports::import_recordings;
    #[pymodule_export]
    use super::recognizer::Recognizer;
    #[pymodule_export]
    use super::study::{Division, Study, method_names};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::watch::Watch;

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    /// The version of the package.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
