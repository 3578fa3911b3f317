//! Admission: the score by which somebody is taken for a reader, and what strangers reach of it.
//!
//! A claim has several grounds: what types, landings and durations say for the reader against imagined
//! ones, and what the network says against anybody. Each over-states itself in its own way, so that their
//! sum ranks readers well and says little about strangers. The score is a logistic regression over the
//! grounds, learned from people who were strangers to galleries of others, on corpora whose network had
//! never met them; so are its thresholds, by rate, length of the probe and number of readers. They cannot
//! be learned from a gallery: who is enrolled had a part in what the gallery learned, and is no stranger
//! to it. But recordings differ, and where the readers of a gallery resemble each other more than those
//! of other galleries did, so do strangers to it. Thresholds therefore lean on them, by as much as was
//! found to be true of other corpora.

mod learn;
mod reached;
mod regression;
mod round;
mod stored;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use self::reached::{believed, filled, leans, more_than, reached_by_length};
pub(crate) use self::regression::thinned;
pub use self::round::{Insider, Round, Trial};
use self::stored::StoredAdmission;

/// Fewest readers of a gallery that anything can be learned from about strangers: of two or three who are
/// compared with each other, nothing much is known.
pub const FEWEST_READERS: usize = 5;
/// Error rates that thresholds are learned for, descending. In between, they are interpolated in the
/// logarithm of the rate.
pub const GRID: [f64; 11] =
    [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];
/// Grounds of a claim: types, landings, durations, and what the network says.
pub const GROUNDS: usize = 4;
/// What a ground is for a reader or their own readings, each as it is and by length.
const FORMS: usize = 4 * GROUNDS;
/// Numbers of the regression: of the grounds, of length, of its square, and a constant.
const COEFFICIENTS: usize = FORMS + 3;
/// Fixations of a probe at which lengths are nought, and between which they count.
const UNIT: f64 = 50.0;
const RANGE: [f64; 2] = [8.0, 512.0];
/// Lengths that thresholds are known at, in fixations, and numbers of readers.
const LENGTHS: [f64; 7] = [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
const READERS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The first of these that thresholds lean on.
const LEANING: usize = 3;
/// Rates of claims at which it is looked at how much readers resemble each other: those that few show.
const LEANED: [f64; 4] = [0.2, 0.1, 0.05, 0.02];

/// By length and rate.
type Thresholds = [[f64; GRID.len()]; LENGTHS.len()];

/// How somebody is taken for a reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredAdmission", into = "StoredAdmission")]
pub struct Admission {
    coefficients: [f64; COEFFICIENTS],
    strangers: usize,
    pairs: usize,
    /// By number of readers.
    thresholds: Vec<Thresholds>,
    /// Of a single claim, in galleries that these lean on. Earlier versions have those of one reader.
    claims: Option<Thresholds>,
    leaning: Option<Leaning>,
}

/// How thresholds lean on what the readers of a gallery reach as each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Leaning {
    /// By how much.
    share: f64,
    /// What readers of the typical gallery reach as each other, by length and rate.
    typical: [[f64; LEANED.len()]; LENGTHS.len()],
}

/// By how much the thresholds of a gallery lean on its readers, by length: finite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "[f64; LENGTHS.len()]")]
pub struct Lean([f64; LENGTHS.len()]);

impl TryFrom<[f64; LENGTHS.len()]> for Lean {
    type Error = &'static str;

    fn try_from(lean: [f64; LENGTHS.len()]) -> Result<Self, Self::Error> {
        lean.iter().all(|by| by.is_finite()).then_some(Self(lean)).ok_or("found no number")
    }
}

impl Lean {
    /// By how much, for a probe of so many fixations.
    pub fn at(&self, fixations: f64) -> f64 {
        interpolated(&LENGTHS.map(length), &self.0, length(fixations.max(1.0)))
    }
}

/// What speaks for a claim to be a reader.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Claim {
    /// What was read says for the reader, nats.
    pub grounds: [f64; GROUNDS],
    /// What as much of the reader's own readings would say. Nought where that is not asked: where readers
    /// are compared on their own population, all have about as much.
    pub usual: [f64; GROUNDS],
}

impl Claim {
    /// The same if it went on like this, with so much more of everything.
    pub fn times(&self, more: f64) -> Self {
        let times = |grounds: [f64; GROUNDS]| grounds.map(|ground| ground * more);
        Self { grounds: times(self.grounds), usual: times(self.usual) }
    }
}

/// The length of a probe.
fn length(fixations: f64) -> f64 {
    (fixations.clamp(RANGE[0], RANGE[1]) / UNIT).ln()
}

/// What a table has for a rate of the grid, given by place, and a probe of so many fixations.
fn among_lengths(table: &Thresholds, place: usize, fixations: f64) -> f64 {
    let lengths = LENGTHS.map(length);
    interpolated(&lengths, &table.map(|row| row[place]), length(fixations.max(1.0)))
}

/// The threshold of a rate, given those of the grid by place, which are asked for in order. Never lower for a lower
/// rate.
fn at_rate(rate: f64, mut learned: impl FnMut(usize) -> f64) -> f64 {
    let mut highest = f64::NEG_INFINITY;
    let rising: [f64; GRID.len()] = std::array::from_fn(|place| {
        highest = highest.max(learned(place));
        highest
    });
    let next = GRID.partition_point(|r| *r > rate).clamp(1, GRID.len() - 1);
    let [high, low] = [GRID[next - 1], GRID[next]];
    let part = ((high / rate).ln() / (high / low).ln()).clamp(0.0, 1.0);
    rising[next - 1] + part * (rising[next] - rising[next - 1])
}

/// A value between those at rising places; that of the nearest beyond them.
fn interpolated(places: &[f64], values: &[f64], at: f64) -> f64 {
    let next = places.partition_point(|place| *place <= at);
    match (next.checked_sub(1), values.get(next)) {
        (None, _) => values[0],
        (Some(before), None) => values[before],
        (Some(before), Some(value)) => {
            let part = (at - places[before]) / (places[next] - places[before]);
            values[before] + part * (value - values[before])
        }
    }
}

/// What coefficients count, but for the constant. Of a long probe it is what so much of it says as counts: people
/// differ from themselves, so that ever more reading does not make ever more of it. The network knows that, and
/// says no more of long probes by itself.
fn counted(claim: &Claim, fixations: usize) -> [f64; COEFFICIENTS] {
    let length = length(fixations as f64);
    let counts = claim.times((RANGE[1] / fixations.max(1) as f64).min(1.0));
    let [types, landings, durations, _] = counts.grounds;
    let claim =
        Claim { grounds: [types, landings, durations, claim.grounds[GROUNDS - 1]], ..counts };
    let mut counted = [1.0; COEFFICIENTS];
    for (forms, grounds) in counted.chunks_mut(2 * GROUNDS).zip([&claim.grounds, &claim.usual]) {
        for (i, ground) in grounds.iter().enumerate() {
            // Evidence grows with reading, and over-states itself the more there is of it.
            let root = ground.signum() * ground.abs().sqrt();
            let root = if root.is_finite() { root } else { 0.0 };
            forms[i] = root;
            forms[GROUNDS + i] = root * length;
        }
    }
    counted[FORMS] = length;
    counted[FORMS + 1] = length * length;
    counted
}

impl Admission {
    /// The score of a claim.
    pub fn score(&self, claim: &Claim, fixations: usize) -> f64 {
        let counted = counted(claim, fixations);
        counted.iter().zip(&self.coefficients).map(|(x, c)| x * c).sum()
    }

    /// People who were strangers, and pairs of strangers and readers, behind the thresholds.
    pub fn support(&self) -> [usize; 2] {
        [self.strangers, self.pairs]
    }

    /// The score that a part `rate` of strangers reaches with the best of so many readers. Smooth in all three, but for a
    /// step where thresholds begin to lean on the readers, and never lower for a lower rate; with more readers than were
    /// ever seen it goes on rising with the logarithm of their number.
    pub fn threshold(&self, rate: f64, fixations: f64, readers: usize) -> f64 {
        // Between readers who are too few to lean on and those who are not, there is no way.
        let readers = if leans(readers) { readers.max(READERS[LEANING]) } else { readers.max(1) };
        let known = &READERS[..self.thresholds.len()];
        let places = &known.iter().map(|n| (*n as f64).ln()).collect::<Vec<_>>();
        let last = known.len() - 1;
        let beyond = ((readers as f64).ln() - places[last]).max(0.0);
        // The slope of several steps, so that an odd one does not decide; where there are thresholds that lean, of these.
        let before = last.saturating_sub(3).max(if last > LEANING { LEANING } else { 0 });
        let mut steepest = 0.0;
        at_rate(rate, |place| {
            let among = |table| among_lengths(table, place, fixations);
            let known: Vec<f64> = self.thresholds.iter().map(among).collect();
            if before < last {
                // The rarer an error, the fewer showed how it goes on.
                let slope = (known[last] - known[before]) / (places[last] - places[before]);
                steepest = f64::max(steepest, slope);
            }
            interpolated(places, &known, (readers as f64).ln()) + steepest * beyond
        })
    }

    /// The score that a part `rate` of strangers reaches with a reader whom they claim to be, in a gallery of so
    /// many.
    pub fn claim_threshold(&self, rate: f64, fixations: f64, readers: usize) -> f64 {
        let claims = self.claims.as_ref().filter(|_| leans(readers));
        let table = claims.unwrap_or(&self.thresholds[0]);
        at_rate(rate, |place| among_lengths(table, place, fixations))
    }

    /// By how much thresholds lean, given what the readers of a gallery reach as each other with what they were
    /// enrolled with: scores of the false claims of each probe, with its fixations.
    pub fn lean<'a>(
        &self,
        readers: usize,
        insiders: impl Iterator<Item = (f64, &'a [f64])>,
    ) -> Lean {
        Lean(self.more(insiders).0.map(|more| believed(readers) * more))
    }

    /// By how much they would, were all of it believed.
    fn more<'a>(&self, insiders: impl Iterator<Item = (f64, &'a [f64])>) -> Lean {
        let Some(Leaning { share, typical }) = &self.leaning else { return Lean::default() };
        let insiders = insiders.map(|(n, scores)| (1.0, f64::min(n, RANGE[1]), scores));
        let more = filled(more_than(typical, &reached_by_length(insiders)));
        more.map_or_else(Lean::default, |more| Lean(more.map(|more| share * more)))
    }
}
