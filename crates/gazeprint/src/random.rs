//! Named streams of random numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Names a stream of random numbers: results depend on what is computed, never on which thread
/// computes it or in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    /// The seed of the whole computation.
    pub seed: u64,
    /// What within it: for example reader and density, or one of [`stream`].
    pub index: u64,
}

/// Indices of streams that belong to no reader; those of readers lie below.
pub mod stream {
    /// Divides the training texts into folds.
    pub const FOLDS: u64 = 1 << 39;
    /// Divides a corpus; the number of the split is added.
    pub const SPLITS: u64 = 1 << 40;
    /// Cuts test readings into probes; split and reader are added.
    pub const PROBES: u64 = 1 << 41;
    /// Cuts held-out training readings into probes; fold and reader are added.
    pub const CALIBRATION: u64 = 1 << 45;
    /// Draws how readers might read on another day; fold and reader are added.
    pub const ANOTHER_DAY: u64 = 1 << 47;
    /// Draws the imagined readers that others are held against; their number is added.
    pub const COHORT: u64 = 1 << 52;
    /// Divides people into readers and strangers, and what they read; who it is is added.
    pub const TRIALS: u64 = 1 << 53;
    /// Draws readers with replacement.
    pub const BOOTSTRAP: u64 = 1 << 42;
    /// Draws subsets of readers.
    pub const SUBSETS: u64 = 1 << 43;
    /// Noise on recorded positions; the place of the scanpath in the corpus is added.
    pub const POSITION_NOISE: u64 = 1 << 44;
    /// Makes attacks; their kind, the split and the place of the reading in the corpus are added.
    pub const ATTACKS: u64 = 1 << 48;
    /// Halves readers into enrolled ones and strangers; the number of the split is added.
    pub const STRANGERS: u64 = 1 << 49;
    /// Divides the texts of a corpus into halves, to see whether traits come out again.
    pub const TRAIT_HALVES: u64 = 1 << 50;
    /// Draws the saccade types of a reader's posterior; the reader's place in the corpus is added.
    pub const TYPE_DRAWS: u64 = 1 << 51;
    /// Draws readers of a population, to describe it; the number of the density is added.
    pub const TRAITS: u64 = 1 << 46;
}

impl Stream {
    /// The generator of one chain of this stream; there are 64.
    pub fn chain(self, chain: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(self.index.wrapping_mul(64).wrapping_add(chain));
        rng
    }
}
