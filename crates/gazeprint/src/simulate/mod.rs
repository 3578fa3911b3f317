//! A simulator of reading: corpora of any size, of readers who differ.
//!
//! It is *not* one of the models of this crate run forward, so that none of them is right by
//! construction. Eyes aim at words and miss ([`Person`] has the traits), saccade types follow from
//! where they land, and durations are a mixture that no gamma density fits.
//!
//! | part | does |
//! |---|---|
//! | `text` | sentences of made-up words with German-like lengths |
//! | `person` | traits and how they are distributed over people |
//! | `eye` | where to look next, and where the eye lands |
//! | `duration` | for how long |
//! | `recorder` | noise, rounding and dirt of an eye tracker |
//!
//! The same parameters give the same corpus, whatever else the machine does. Texts come from one
//! random stream and every reader from a stream of their own: reader `r007` is the same whether 10
//! or 251 readers are simulated.
//!
//! ```
//! use gazeprint::simulate::SimulationParams;
//!
//! let corpus = SimulationParams { readers: 3, texts: 10, ..Default::default() }.build()?.run();
//! assert_eq!(corpus.readers(), ["r001", "r002", "r003"]);
//! # Ok::<(), gazeprint::simulate::SimulationError>(())
//! ```

mod duration;
mod eye;
mod person;
mod recorder;
#[cfg(test)]
mod tests;
mod text;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

pub use self::person::Person;
use crate::corpus::{Corpus, Scanpath, Text};

/// Most readers, texts, lines or sessions of a corpus: four digits name them all.
const MOST: usize = 9999;

/// What to simulate; [`SimulationParams::build`] checks it.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationParams {
    /// Number of readers, `r001` and on.
    pub readers: usize,
    /// Number of texts, `s001` and on.
    pub texts: usize,
    /// Smallest share of the texts that a reader reads. Everyone reads a number of texts between
    /// this share and all of them, each number being equally likely.
    pub coverage: f64,
    /// Number of sessions. Each session has its own part of the texts (text `i` belongs to session
    /// `i` modulo the number of sessions, for all readers), so that training on one session and
    /// testing on another is also a split by text.
    pub sessions: usize,
    /// How far people's traits move from one session to the next, in between-person standard
    /// deviations: 0 is not at all.
    pub drift: f64,
    /// Lines of each text. One line is one sentence; more are running text.
    pub lines: usize,
    /// How much people differ: the factor on the between-person standard deviation of every trait.
    /// The one knob of difficulty: at 0 all readers are the same, and the larger it is the easier
    /// they are told apart.
    pub individuality: f64,
    /// Seed of all randomness.
    pub seed: u64,
}

impl Default for SimulationParams {
    fn default() -> Self {
        Self::built_in()
    }
}

impl SimulationParams {
    /// The built-in corpus: 251 readers of 100 to 144 single-line sentences, in one session.
    pub const fn built_in() -> Self {
        Self {
            readers: 251,
            texts: 144,
            coverage: 100.0 / 144.0,
            sessions: 1,
            drift: 0.0,
            lines: 1,
            individuality: 1.0,
            seed: 1,
        }
    }
}

/// What can be wrong with the parameters of a simulation.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A number of things outside of what can be simulated.
    #[error("the number of {what} must be from 1 to {MOST}, but is {value}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many were asked for.
        value: usize,
    },
    /// More sessions than texts to read in them.
    #[error(
        "{sessions} sessions need at least as many texts, one for each session, but there are {texts}"
    )]
    TooFewTexts {
        /// Sessions asked for.
        sessions: usize,
        /// Texts asked for.
        texts: usize,
    },
    /// A share that is none.
    #[error("the smallest share of texts read must be above 0 and at most 1, but is {0}")]
    Coverage(f64),
    /// A factor that is negative, not finite, or beyond what traits have a meaning for.
    #[error("{what} must be from 0 to {most}, but is {value}")]
    Factor {
        /// Which factor.
        what: &'static str,
        /// The largest value allowed.
        most: f64,
        /// What was asked for.
        value: f64,
    },
}

impl SimulationParams {
    /// Largest drift and individuality. Beyond it some of a few hundred people get traits that no
    /// reader has, such as a negative preferred landing position.
    const MOST_FACTOR: f64 = 2.0;

    /// Checks the parameters.
    ///
    /// # Errors
    /// If a number is out of range; the error names it.
    pub fn build(self) -> Result<Simulation, SimulationError> {
        for (what, value) in [
            ("readers", self.readers),
            ("texts", self.texts),
            ("sessions", self.sessions),
            ("lines", self.lines),
        ] {
            if !(1..=MOST).contains(&value) {
                return Err(SimulationError::Count { what, value });
            }
        }
        if self.sessions > self.texts {
            return Err(SimulationError::TooFewTexts {
                sessions: self.sessions,
                texts: self.texts,
            });
        }
        if !(self.coverage > 0.0 && self.coverage <= 1.0) {
            return Err(SimulationError::Coverage(self.coverage));
        }
        let most = Self::MOST_FACTOR;
        for (what, value) in [("drift", self.drift), ("individuality", self.individuality)] {
            if !(0.0..=most).contains(&value) {
                return Err(SimulationError::Factor { what, most, value });
            }
        }
        Ok(Simulation { params: self })
    }
}

/// A simulation with checked parameters; the default makes the built-in corpus.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Simulation {
    params: SimulationParams,
}

impl Simulation {
    /// What is simulated.
    pub fn params(&self) -> &SimulationParams {
        &self.params
    }

    /// Simulates the corpus.
    pub fn run(&self) -> Corpus {
        let SimulationParams { readers, texts, lines, .. } = self.params;
        let mut rng = self.stream(0);
        let texts: Vec<Text> =
            (1..=texts).map(|i| text::text(format!("s{i:03}"), lines, &mut rng)).collect();
        let names = (1..=readers).map(|i| format!("r{i:03}")).collect();
        let scanpaths = (0..readers).flat_map(|reader| self.read_all(reader, &texts)).collect();
        Corpus::new("simulated", names, texts, scanpaths)
            .expect("names are numbered and every reading has a text of its own")
    }

    /// The traits of a reader, by session.
    pub fn person(&self, reader: usize) -> Vec<Person> {
        self.person_from(&mut self.reader_stream(reader))
    }

    fn person_from(&self, rng: &mut ChaCha8Rng) -> Vec<Person> {
        let SimulationParams { sessions, individuality, drift, .. } = self.params;
        Person::over_sessions(sessions, individuality, drift, rng)
    }

    /// A stream of randomness of its own; 0 is that of the texts.
    fn stream(&self, stream: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.params.seed);
        rng.set_stream(stream);
        rng
    }

    fn reader_stream(&self, reader: usize) -> ChaCha8Rng {
        self.stream(reader as u64 + 1)
    }

    /// All readings of one reader, in the order in which they took place.
    fn read_all(&self, reader: usize, texts: &[Text]) -> Vec<Scanpath> {
        let rng = &mut self.reader_stream(reader);
        let mut scanpaths = Vec::new();
        for (session, person) in self.person_from(rng).iter().enumerate() {
            for text in self.reading_list(session, rng) {
                let lines = texts[text].lines();
                let path = eye::read(person, lines, rng);
                scanpaths.push(Scanpath {
                    reader,
                    text,
                    session: (session + 1).to_string(),
                    trial: "1".to_owned(),
                    order: Some((scanpaths.len() + 1) as f64),
                    fixations: recorder::record(&path, lines, rng),
                });
            }
        }
        scanpaths
    }

    /// Which texts are read in a session, and in what order.
    fn reading_list(&self, session: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut list: Vec<usize> =
            (session..self.params.texts).step_by(self.params.sessions).collect();
        let fewest = (self.params.coverage * list.len() as f64).round().max(1.0) as usize;
        let count = rng.random_range(fewest..=list.len());
        // Fisher-Yates, written out: the order must not change with a library's shuffle.
        for i in 0..count {
            let j = rng.random_range(i..list.len());
            list.swap(i, j);
        }
        list.truncate(count);
        list
    }
}
