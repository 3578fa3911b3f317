//! Runs parts, and makes what they share once.

use std::cell::OnceCell;

use gazeprint::corpus::Corpus;
use gazeprint::simulate::SimulationParams;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::halves::Halves;
use crate::kernels::{Alone, InstructionRecord};
use crate::machine::{self, Machine};
use crate::peer::Problems;
use crate::readers::{Readers, SearchRows};
use crate::{BenchError, Measured, Part};

/// What is measured.
#[derive(Debug)]
pub struct Options {
    /// Readers of the simulated corpus.
    pub readers: usize,
    /// Readers to search among.
    pub search_readers: usize,
    /// Whose densities the engines infer; those of the simulated corpus where it is not given.
    pub corpus: Option<Corpus>,
    /// Places of the readers whose densities other software is compared on.
    pub peer_readers: Vec<usize>,
    /// How this program runs a single kernel.
    pub alone: Alone,
    /// Instructions that were counted before.
    pub recorded: InstructionRecord,
}

/// What is being done, for those who watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage<'a> {
    /// A part is measured.
    Part(Part),
    /// Readers are simulated.
    Simulation {
        /// How many.
        readers: usize,
    },
    /// What readers have in common is learned.
    Population,
    /// Readers are drawn from the population, to be searched.
    Drawing {
        /// How many.
        readers: usize,
    },
    /// A method is fitted.
    Method {
        /// Its name.
        method: &'a str,
        /// That of its engine, where it has one.
        engine: Option<&'a str>,
    },
    /// Something of a part with a name: a density, a kernel, what is timed.
    Step {
        /// The part.
        part: Part,
        /// The name.
        name: &'a str,
    },
}

/// What parts share: made when it is first needed.
pub struct Suite<'w> {
    options: Options,
    watch: &'w dyn Fn(Stage<'_>),
    corpus: OnceCell<Corpus>,
    halves: OnceCell<Halves>,
    readers: OnceCell<Readers>,
    rows: OnceCell<SearchRows>,
}

/// What is there already, or else what can be made.
fn made<T>(
    cell: &OnceCell<T>,
    make: impl FnOnce() -> Result<T, BenchError>,
) -> Result<&T, BenchError> {
    match cell.get() {
        Some(known) => Ok(known),
        None => {
            let new = make()?;
            Ok(cell.get_or_init(|| new))
        }
    }
}

impl<'w> Suite<'w> {
    /// A suite that tells somebody what it does.
    pub fn new(options: Options, watch: &'w dyn Fn(Stage<'_>)) -> Self {
        Self {
            options,
            watch,
            corpus: OnceCell::new(),
            halves: OnceCell::new(),
            readers: OnceCell::new(),
            rows: OnceCell::new(),
        }
    }

    /// Measures parts, in their own order, each once.
    ///
    /// # Errors
    /// If one cannot be measured.
    pub fn run(&self, parts: &[Part]) -> Result<Measurements, BenchError> {
        let mut measured = Vec::new();
        for part in Part::ALL.iter().copied().filter(|part| parts.contains(part)) {
            self.tell(Stage::Part(part));
            measured.push((part, part.run(self)?));
        }
        Ok(Measurements {
            version: env!("CARGO_PKG_VERSION"),
            machine: Machine::this(),
            parts: measured,
            peak_mib: machine::peak_mib(),
        })
    }

    /// The densities that other software is compared on.
    ///
    /// # Errors
    /// If there is no such reader, or densities cannot be learned.
    pub fn problems(&self) -> Result<Problems, BenchError> {
        Problems::learn(self.corpus()?, self.halves()?, &self.options.peer_readers)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn tell(&self, stage: Stage<'_>) {
        (self.watch)(stage);
    }

    pub(crate) fn step(&self, part: Part, name: &str) {
        self.tell(Stage::Step { part, name });
    }

    /// The simulated corpus.
    pub(crate) fn corpus(&self) -> Result<&Corpus, BenchError> {
        made(&self.corpus, || {
            let readers = self.options.readers;
            self.tell(Stage::Simulation { readers });
            Ok(SimulationParams { readers, ..SimulationParams::default() }.build()?.run())
        })
    }

    pub(crate) fn halves(&self) -> Result<&Halves, BenchError> {
        made(&self.halves, || Ok(Halves::of(self.corpus()?)))
    }

    pub(crate) fn readers(&self) -> Result<&Readers, BenchError> {
        let halves = self.halves()?;
        made(&self.readers, || {
            self.tell(Stage::Population);
            Readers::learn(halves)
        })
    }

    pub(crate) fn rows(&self) -> Result<&SearchRows, BenchError> {
        let readers = self.readers()?;
        made(&self.rows, || {
            let count = self.options.search_readers;
            self.tell(Stage::Drawing { readers: count });
            SearchRows::new(self.halves()?, readers, count)
        })
    }
}

/// What was measured, in one run.
#[derive(Debug)]
pub struct Measurements {
    /// Of gazeprint.
    pub version: &'static str,
    /// On which.
    pub machine: Machine,
    /// Part by part.
    pub parts: Vec<(Part, Measured)>,
    /// Peak memory of the whole run, MiB; none where the system does not tell.
    pub peak_mib: Option<f64>,
}

/// An object in which every part that was measured has a field of its name.
impl Serialize for Measurements {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(3 + self.parts.len()))?;
        object.serialize_entry("version", self.version)?;
        object.serialize_entry("machine", &self.machine)?;
        for (part, measured) in &self.parts {
            object.serialize_entry(part.name(), measured)?;
        }
        object.serialize_entry("peak_mib", &self.peak_mib)?;
        object.end()
    }
}
