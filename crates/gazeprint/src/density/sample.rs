//! Observations of one density, placed on its grid.

use super::grid::{Grid, Interval};
use crate::saccade::{Observation, Truncation};

/// What the likelihood needs of the observations: how often each node is hit, and the interval of
/// each observation.
#[derive(Debug, Clone)]
pub struct Sample {
    len: usize,
    /// Summed interpolation weights of the values at each node.
    pub(crate) hits: Vec<f64>,
    /// Empty where all observations share the whole support.
    pub(crate) intervals: Vec<Interval>,
    clamped: usize,
    /// Half of the observations could have been as small as this node.
    pub(crate) median_lower: usize,
}

impl Sample {
    /// Places observations on a grid. Values beyond the grid are clamped to its ends, and counted
    /// (D9).
    pub fn new<'a>(
        grid: &Grid,
        truncation: Truncation,
        observations: impl IntoIterator<Item = &'a Observation>,
    ) -> Self {
        let mut sample = Self {
            len: 0,
            hits: vec![0.0; grid.nodes().len()],
            intervals: Vec::new(),
            clamped: 0,
            median_lower: 0,
        };
        let mut lowers = Vec::new();
        for o in observations {
            sample.len += 1;
            sample.clamped += usize::from(grid.clamps(o));
            let place = grid.place(o.value.max(grid.lower()));
            sample.hits[place.cell] += 1.0 - place.t;
            sample.hits[place.cell + 1] += place.t;
            if truncation != Truncation::Full {
                sample.intervals.push(grid.interval(o.lower, o.upper));
                lowers.push(o.lower);
            }
        }
        if !lowers.is_empty() {
            lowers.sort_unstable_by(f64::total_cmp);
            let middle = 0.5 * (lowers[(lowers.len() - 1) / 2] + lowers[lowers.len() / 2]);
            sample.median_lower = grid.place(middle).cell;
        }
        sample
    }

    /// Number of observations.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was observed.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many observations lay beyond the grid.
    pub fn clamped(&self) -> usize {
        self.clamped
    }
}
