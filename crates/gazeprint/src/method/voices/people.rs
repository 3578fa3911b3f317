//! People who were learned from once: what ships, or was learned elsewhere.
//!
//! A file of people is one of safetensors: the network, spreads of its embeddings as `embedding.between`
//! and `embedding.within`, and as bytes of JSON `about`, `motion` and `population`. `readings` has a
//! digest of every reading that was learned from.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ground::Ground;
use super::motion::MotionSpread;
use super::weights::Weights;
use crate::admission::Admission;
use crate::method::{DayShares, Occasion, Population};
use crate::network::{Network, NetworkError, Scaling};
use crate::sight::PriorSpread;

/// What `format` says: with the version, so that it is all there is to say, in one order.
const FORMAT: &str = "gazeprint-people 2";
/// Bytes of a digest.
const DIGEST: usize = 8;

/// The file of people who ship with the program.
static SHIPPED_BYTES: &[u8] = include_bytes!("../../../people/people.safetensors");
/// What readers have in common, beside them: galleries keep the people, and this only where they use it.
static SHIPPED_POPULATION: &str = include_str!("../../../people/population.json");
/// The people who ship with the program.
static SHIPPED: LazyLock<Arc<People>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a test reads these very bytes")]
    let people = People::read(SHIPPED_BYTES).expect("people");
    Arc::new(People { population: Some(SHIPPED_POPULATION.into()), ..people })
});

/// What can be wrong with a file of people.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// Another kind of file.
    #[error("found the format {found:?}, expected safetensors with the format {FORMAT:?}")]
    Format {
        /// What it says it is.
        found: String,
    },
    /// Tensors that are missing or wrong.
    #[error(transparent)]
    Tensors(#[from] NetworkError),
    /// A part that cannot be read.
    #[error("{part}: {message}")]
    Part {
        /// Its name.
        part: &'static str,
        /// What was found.
        message: String,
    },
}

/// Where people come from, without anybody's name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeopleOrigin {
    /// What it is called.
    pub name: String,
    /// Version of gazeprint that made it.
    pub gazeprint: String,
    /// Corpora that were learned from, each with its number of people.
    pub corpora: Vec<(String, usize)>,
    /// Shortest and longest duration of a fixation that counted for the population, ms.
    pub durations_ms: [f64; 2],
}

/// How embeddings of other people are spread.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedEmbedding {
    /// How inputs of the network are standardised.
    pub scaling: Scaling,
    /// The mean of all people.
    pub mean: Vec<f64>,
    /// Covariances.
    pub prior: PriorSpread,
    /// How much of what differs between people differs between days, too.
    pub session_share: f64,
}

/// A tensor as it is stored: its shape and its bytes.
type Shaped = (Vec<usize>, Vec<u8>);

/// Small parts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    origin: PeopleOrigin,
    session_share: f64,
    scaling: Scaling,
    weights: Weights,
    #[serde(default)]
    day_shares: DayShares,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day_weights: Option<Weights>,
    #[serde(default, skip_serializing_if = "Admissions::is_empty")]
    admissions: Admissions,
}

/// How somebody is taken for a reader, by occasion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admissions {
    /// Of the same sitting.
    pub same: Option<Admission>,
    /// Of another day.
    pub another: Option<Admission>,
    /// Of another day, where readers are compared on what is known of these people alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Admission>,
}

impl Admissions {
    fn is_empty(&self) -> bool {
        self.same.is_none() && self.another.is_none() && self.given.is_none()
    }
}

/// People who were learned from once.
#[derive(Debug, Clone)]
pub struct People {
    network: Arc<Network>,
    /// As it is stored.
    tensors: Arc<HashMap<String, Shaped>>,
    embedding: LearnedEmbedding,
    motion: Option<MotionSpread>,
    weights: Weights,
    day_shares: DayShares,
    day_weights: Option<Weights>,
    admissions: Admissions,
    /// As JSON; parsed when it is asked for, since few ask.
    population: Option<Arc<str>>,
    parsed: OnceLock<Arc<Population>>,
    origin: PeopleOrigin,
    /// Of readings that were learned from, ascending.
    digests: Vec<[u8; DIGEST]>,
}

fn part(part: &'static str) -> impl Fn(serde_json::Error) -> PeopleError {
    move |error| PeopleError::Part { part, message: error.to_string() }
}

/// The bytes of a tensor, where it is there.
fn bytes<'a>(tensors: &SafeTensors<'a>, name: &str) -> Option<&'a [u8]> {
    tensors.tensor(name).ok().filter(|view| view.dtype() == Dtype::U8).map(|view| view.data())
}

fn matrix(tensors: &SafeTensors<'_>, name: &str, len: usize) -> Result<Vec<f64>, PeopleError> {
    let numbers = crate::network::shaped(tensors, name, &[len, len])?;
    Ok(numbers.into_iter().map(f64::from).collect())
}

impl People {
    /// The people who ship with the program.
    pub fn shipped() -> &'static Arc<Self> {
        &SHIPPED
    }

    /// The file of the people who ship with the program, without what readers have in common.
    pub fn shipped_bytes() -> &'static [u8] {
        SHIPPED_BYTES
    }

    /// People as they are stored.
    ///
    /// # Errors
    /// If the bytes are something else, or hold what cannot be used.
    pub fn read(bytes_of_file: &[u8]) -> Result<Self, PeopleError> {
        let tensors = SafeTensors::deserialize(bytes_of_file).map_err(NetworkError::from)?;
        let (_, header) = SafeTensors::read_metadata(bytes_of_file).map_err(NetworkError::from)?;
        let metadata = header.metadata().as_ref();
        let found = metadata.and_then(|said| said.get("format")).map_or("", String::as_str);
        if found != FORMAT {
            return Err(PeopleError::Format { found: found.to_owned() });
        }
        let network = Network::read(&tensors)?;
        let about = bytes(&tensors, "about").unwrap_or_default();
        let about: About = serde_json::from_slice(about).map_err(part("about"))?;
        let About { origin, session_share, scaling, weights, day_shares, day_weights, admissions } =
            about;
        if !scaling.is_valid() {
            let message = "scaling: found numbers that cannot be".to_owned();
            return Err(PeopleError::Part { part: "about", message });
        }
        if !day_shares.are_valid() {
            let message = "day_shares: found numbers that are not between 0 and 1".to_owned();
            return Err(PeopleError::Part { part: "about", message });
        }
        if !(0.0..1.0).contains(&session_share) {
            let message = format!("session_share: found {session_share}, expected 0 to 1");
            return Err(PeopleError::Part { part: "about", message });
        }
        let motion: Option<MotionSpread> = bytes(&tensors, "motion")
            .map(|json| serde_json::from_slice(json).map_err(part("motion")))
            .transpose()?;
        if motion.as_ref().is_some_and(|motion| !motion.is_valid()) {
            let message = "found numbers that do not go together".to_owned();
            return Err(PeopleError::Part { part: "motion", message });
        }
        let population = bytes(&tensors, "population")
            .map(|json| {
                let text = std::str::from_utf8(json).map_err(|error| PeopleError::Part {
                    part: "population",
                    message: error.to_string(),
                })?;
                Ok::<_, PeopleError>(Arc::from(text))
            })
            .transpose()?;
        let len = network.len();
        let prior = PriorSpread {
            len,
            between: matrix(&tensors, "embedding.between", len)?,
            within: matrix(&tensors, "embedding.within", len)?,
        };
        let mean = crate::network::shaped(&tensors, "embedding.mean", &[len])?;
        let mean = mean.into_iter().map(f64::from).collect();
        let (digests, _) = bytes(&tensors, "readings").unwrap_or_default().as_chunks::<DIGEST>();
        let mut digests = digests.to_vec();
        digests.sort_unstable();
        Ok(Self {
            tensors: Arc::new(kept(&tensors)),
            network: Arc::new(network),
            embedding: LearnedEmbedding { scaling, mean, prior, session_share },
            motion,
            weights,
            day_shares,
            day_weights,
            admissions,
            population,
            parsed: OnceLock::new(),
            origin,
            digests,
        })
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// If a part cannot be written.
    pub fn write(&self) -> Result<Vec<u8>, PeopleError> {
        let about = About {
            origin: self.origin.clone(),
            session_share: self.embedding.session_share,
            scaling: self.embedding.scaling.clone(),
            weights: self.weights,
            day_shares: self.day_shares,
            day_weights: self.day_weights,
            admissions: self.admissions.clone(),
        };
        let mut parts: Vec<(String, Vec<usize>, Dtype, Vec<u8>)> = Vec::new();
        let mut add = |name: &str, bytes: Vec<u8>| {
            parts.push((name.to_owned(), vec![bytes.len()], Dtype::U8, bytes));
        };
        add("about", serde_json::to_vec(&about).map_err(part("about"))?);
        if let Some(motion) = &self.motion {
            add("motion", serde_json::to_vec(motion).map_err(part("motion"))?);
        }
        if let Some(population) = &self.population {
            add("population", population.as_bytes().to_vec());
        }
        add("readings", self.digests.concat());
        let len = self.embedding.prior.len;
        let floats = |values: &[f64]| -> Vec<u8> {
            values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect()
        };
        for (name, (shape, bytes)) in self.tensors.iter() {
            if !name.starts_with("embedding.") {
                parts.push((name.clone(), shape.clone(), Dtype::F32, bytes.clone()));
            }
        }
        let prior = &self.embedding.prior;
        for (name, values) in [("between", &prior.between), ("within", &prior.within)] {
            let name = format!("embedding.{name}");
            parts.push((name, vec![len, len], Dtype::F32, floats(values)));
        }
        let mean = floats(&self.embedding.mean);
        parts.push(("embedding.mean".to_owned(), vec![len], Dtype::F32, mean));
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        let views = parts.iter().map(|(name, shape, dtype, bytes)| {
            TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(NetworkError::from)?;
        let metadata = HashMap::from([("format".to_owned(), FORMAT.to_owned())]);
        Ok(serialize(views, Some(metadata)).map_err(NetworkError::from)?)
    }

    /// The frozen network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// How embeddings are spread.
    pub fn embedding(&self) -> &LearnedEmbedding {
        &self.embedding
    }

    /// How moments are spread, where that was learned.
    pub fn motion(&self) -> Option<&MotionSpread> {
        self.motion.as_ref()
    }

    /// How much each voice counts.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// How readers of words differ from one day to the next.
    pub fn day_shares(&self) -> &DayShares {
        &self.day_shares
    }

    /// How much each voice counts in probes of another day, where people who came twice showed it.
    pub fn day_weights(&self) -> Option<&Weights> {
        self.day_weights.as_ref()
    }

    /// How much each voice counts in probes of another day, as far as is known.
    pub fn weights_of_another_day(&self) -> &Weights {
        self.day_weights.as_ref().unwrap_or(&self.weights)
    }

    /// How somebody is taken for a reader in probes of that occasion, where that was learned. Where readers
    /// are compared on what is known of these people alone, they have more in common than these know; it must
    /// then be known what is `usual` of each.
    pub(super) fn admission(
        &self,
        occasion: Occasion,
        ground: &Ground,
        is_usual_known: bool,
    ) -> Option<&Admission> {
        let Admissions { same, another, given } = &self.admissions;
        let given = given.as_ref().filter(|_| is_usual_known && ground.is_of(self));
        match occasion {
            Occasion::Same => same.as_ref(),
            Occasion::Another => given.or(another.as_ref()),
        }
    }

    /// How somebody is taken for a reader, by occasion.
    pub fn admissions(&self) -> &Admissions {
        &self.admissions
    }

    /// What readers have in common, where that was learned.
    ///
    /// # Errors
    /// If it is there and cannot be used.
    pub fn population(&self) -> Result<Option<Arc<Population>>, PeopleError> {
        let Some(json) = &self.population else { return Ok(None) };
        if let Some(parsed) = self.parsed.get() {
            return Ok(Some(Arc::clone(parsed)));
        }
        let population: Population = serde_json::from_str(json).map_err(part("population"))?;
        Ok(Some(Arc::clone(self.parsed.get_or_init(|| Arc::new(population)))))
    }

    /// Whether it is known what readers have in common.
    pub fn has_population(&self) -> bool {
        self.population.is_some()
    }

    /// Where they come from.
    pub fn origin(&self) -> &PeopleOrigin {
        &self.origin
    }

    /// Digests of the readings that were learned from, ascending.
    pub fn digests(&self) -> &[[u8; DIGEST]] {
        &self.digests
    }

    /// Whether a reading, given by its digest, was learned from.
    pub fn have_read(&self, digest: &[u8; DIGEST]) -> bool {
        self.digests.binary_search(digest).is_ok()
    }

    /// The same network, with everything else learned anew.
    pub fn with(
        &self,
        origin: PeopleOrigin,
        embedding: LearnedEmbedding,
        motion: Option<MotionSpread>,
        weights: Weights,
        day_shares: DayShares,
    ) -> Self {
        Self {
            embedding,
            motion,
            weights,
            day_shares,
            origin,
            population: None,
            parsed: OnceLock::new(),
            digests: Vec::new(),
            ..self.clone()
        }
    }

    /// The same, with how much each voice counts in probes of another day.
    pub(super) fn with_day_weights(self, day_weights: Option<Weights>) -> Self {
        Self { day_weights, ..self }
    }

    /// The same, with how somebody is taken for a reader.
    pub fn with_admissions(self, admissions: Admissions) -> Self {
        Self { admissions, ..self }
    }

    /// The same, with what readers have in common.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn with_population(self, population: &Population) -> Result<Self, PeopleError> {
        let json = serde_json::to_string(population).map_err(part("population"))?;
        Ok(Self { population: Some(json.into()), parsed: OnceLock::new(), ..self })
    }

    /// The same, without what readers have in common.
    pub fn without_population(&self) -> Self {
        Self { population: None, parsed: OnceLock::new(), ..self.clone() }
    }

    /// The same, with the readings that were learned from.
    pub fn with_readings(self, digests: impl IntoIterator<Item = [u8; DIGEST]>) -> Self {
        let mut digests: Vec<[u8; DIGEST]> = digests.into_iter().collect();
        digests.sort_unstable();
        digests.dedup();
        Self { digests, ..self }
    }

    /// The same with another network, given by its file, and the corpora that it was trained on.
    ///
    /// # Errors
    /// If it is no network.
    pub fn with_network(&self, bytes_of_file: &[u8]) -> Result<(Self, Vec<String>), PeopleError> {
        let tensors = SafeTensors::deserialize(bytes_of_file).map_err(NetworkError::from)?;
        let (_, header) = SafeTensors::read_metadata(bytes_of_file).map_err(NetworkError::from)?;
        let corpora = header.metadata().as_ref().and_then(|said| said.get("corpora"));
        let corpora = corpora.map(|json| serde_json::from_str(json)).transpose();
        let corpora = corpora.map_err(part("corpora"))?.unwrap_or_default();
        let network = Arc::new(Network::read(&tensors)?);
        Ok((Self { tensors: Arc::new(kept(&tensors)), network, ..self.clone() }, corpora))
    }
}

/// The numbers of a file, to be written again.
fn kept(tensors: &SafeTensors<'_>) -> HashMap<String, Shaped> {
    let numbers = tensors.iter().filter(|(_, view)| view.dtype() == Dtype::F32);
    numbers.map(|(name, v)| (name.to_owned(), (v.shape().to_vec(), v.data().to_vec()))).collect()
}
