//! Who is reading? Bayesian models of saccades and fixations that recognise people by how they
//! read.
//!
//! From recordings of known readers this crate learns, for each of them, how the eye moves over
//! text: which types of saccade, how far, and for how long it rests. A new recording, of texts
//! that nobody need have read before, is then compared with all readers. The central model is that
//! of Abdelwahab, Kliegl & Landwehr, "A Semiparametric Model for Bayesian Reader Identification"
//! (EMNLP 2016), called *the paper* in these pages; its five reference methods are here too.
//!
//! The crate computes and does nothing else: it reads no files, prints nothing and keeps no global
//! state but tables of constants. The same input and seed give the same result on one type of CPU, whatever the number of
//! threads.
//!
//! # Example
//!
//! Five simulated people read sentences. Every other sentence trains; the rest are the unknown
//! recordings.
//!
//! ```
//! use gazeprint::corpus::Limits;
//! use gazeprint::inference::{Engine, Laplace};
//! use gazeprint::method::{self, Method, Scoring, Training, Unwatched};
//! use gazeprint::saccade::{Reading, readings};
//! use gazeprint::simulate::SimulationParams;
//! use gazeprint::template::Probe;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let people = SimulationParams { readers: 5, texts: 60, ..Default::default() };
//! let corpus = people.build()?.run();
//!
//! // Fixations become events: a saccade type, an amplitude with its interval, a duration.
//! let (readings, drops) = readings(&corpus, Limits::default());
//! assert!(drops.total() < corpus.fixation_count() / 10);
//!
//! let (train, test): (Vec<&Reading>, Vec<&Reading>) =
//!     readings.iter().partition(|reading| reading.text % 2 == 0);
//! let train = train.into_iter().map(|reading| (reading.reader, reading)).collect();
//! let training = Training::new(corpus.readers().len(), train)?;
//!
//! let engine = Engine::Laplace(Laplace::default());
//! let methods: [Box<dyn Method>; 2] = [
//!     Box::new(method::landwehr()),
//!     Box::new(method::semiparametric(engine, Scoring::PosteriorMean)),
//! ];
//! for method in methods {
//!     let fitted = method.fit(&training, 1, &Unwatched)?;
//!
//!     // Who read the sentences of reader r003 that were kept aside?
//!     let sentences = test.iter().filter(|r| corpus.readers()[r.reader] == "r003");
//!     let sentences: Vec<Probe> = sentences.map(|r| fitted.scorer.probe(r)).collect();
//!     let scores = fitted.scorer.scores(&Probe::merged(&sentences));
//!     let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
//!     assert_eq!(best.map(|b| corpus.readers()[b].as_str()), Some("r003"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! In the order in which data walks through them; each knows only those above it, [`random`] and the kernels.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`kinds`] | closed sets of kinds | arrays with one value for each |
//! | [`kinematics`] | saccades and fixations as trackers measure them | what of that can be believed |
//! | [`corpus`] | texts, words, fixations | passes of fixations on words, and a count of what was dropped |
//! | [`assignment`] | names of readers and texts | which of their readings train and test |
//! | [`situation`] | fixations on a text | what is around them |
//! | [`saccade`] | passes | [`Reading`](saccade::Reading)s: types, amplitudes with intervals, durations |
//! | `glance` | readings | what each fixation shows: the move, the stay, the aim |
//! | [`live`] | fixations as they come | one [`LiveStep`](live::LiveStep) for each that counts |
//! | [`density`] | observations of one density | a truncated likelihood and a Gaussian prior over theta |
//! | [`inference`] | likelihood and prior | the mode, and the posterior by one of three engines |
//! | [`template`] | a reader's densities; a reading | a dense row; a sparse [`Probe`](template::Probe) |
//! | [`admission`] | people who were strangers to others | the score by which somebody is taken for a reader, and its thresholds |
//! | [`score`] | rows and probes | a score for every reader |
//! | [`search`] | rows of very many readers, and a query | about the score of each |
//! | [`method`] | [`Training`](method::Training) readings | [`LearnedReaders`](method::LearnedReaders) and an account of the fit |
//! | [`decision`] | what a fit held out; scores of a probe | [`Rules`](decision::Rules); thresholds, log-likelihood ratios, decisions |
//! | [`replay`] | readings | which of them were known before |
//! | [`liveness`] | readings, held against a template | whether a person or the template read |
//! | [`simulate`] | [`SimulationParams`](simulate::SimulationParams) | a [`Corpus`](corpus::Corpus) of made-up readers |
//!
//! Section numbers in the documentation of the modules, and the decisions D1 to D10, are those of
//! `docs/model.md` in the repository.

pub mod admission;
pub mod assignment;
pub mod corpus;
pub mod decision;
pub mod density;
mod glance;
pub mod inference;
#[doc(hidden)] // public for `benches/kernels.rs` alone
pub mod kernels;
pub mod kinds;
pub mod kinematics;
pub mod live;
pub mod liveness;
pub mod method;
pub mod moments;
pub mod network;
pub mod random;
pub mod replay;
pub mod saccade;
pub mod score;
pub mod search;
pub mod sight;
pub mod simulate;
pub mod situation;
pub mod template;
