//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use gazeprint::corpus::CorpusError;
use gazeprint::inference::InferenceError;
use gazeprint::method::{FitError, TemplateError};
use gazeprint::simulate::SimulationError;
use gazeprint_io::import::ImportError;
use gazeprint_store::{KeyFileError, StoreError};
use thiserror::Error;

/// Why something could not be measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// Readers could not be simulated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A corpus could not be divided.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A method could not be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A density could not be inferred.
    #[error(transparent)]
    Inference(#[from] InferenceError),
    /// Templates do not fit together.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A vault refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A key could not be made.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// A gallery refused.
    #[error(transparent)]
    Recognition(#[from] Box<gazeprint_recognition::Error>),
    /// A report could not be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A report could not be read as a plain table.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// Something could not be written or read as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Threads could not be started.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The operating system refused.
    #[error("{}: {source}", .file.display())]
    File {
        /// What was to be read or written.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process does not listen or speak any more.
    #[error("the conversation broke off: {0}")]
    Conversation(io::Error),
    /// A line of another process that asks for nothing.
    #[error("found {line:?}, expected the numbers of a problem, below {problems}, and of a round")]
    Question {
        /// The line.
        line: String,
        /// How many problems there are.
        problems: usize,
    },
    /// Readers that cannot be told apart cannot be searched.
    #[error("readers do not differ")]
    Indistinct,
    /// A place in the corpus at which nobody is.
    #[error("there are {readers} readers, counted from 0, but none is {reader}")]
    NoReader {
        /// The place asked for.
        reader: usize,
        /// How many there are.
        readers: usize,
    },
    /// A name of no kernel.
    #[error("no kernel is called {0}")]
    NoKernel(String),
    /// Valgrind is not there.
    #[error("valgrind cannot be run ({0}); install it (Debian: apt install valgrind)")]
    NoValgrind(io::Error),
    /// Valgrind is there, but tells nothing.
    #[error("{kernel}: valgrind counted nothing; it said:\n{told}")]
    Uncounted {
        /// The kernel.
        kernel: String,
        /// What valgrind said.
        told: String,
    },
}

impl BenchError {
    /// What the system said of a file.
    pub(crate) fn of_file(file: &Path) -> impl FnOnce(io::Error) -> Self {
        let file = file.to_owned();
        |source| Self::File { file, source }
    }
}

impl From<gazeprint_recognition::Error> for BenchError {
    fn from(error: gazeprint_recognition::Error) -> Self {
        Self::Recognition(Box::new(error))
    }
}
