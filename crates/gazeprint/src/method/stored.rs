//! A shared density as it is stored: what it is computed from, and nothing that follows from that.

use std::sync::Arc;

use rayon::prelude::*;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::SharedDensity;
use super::shared::Process;
use crate::density::{Features, GaussianPrior, Grid, Tabulated};
use crate::saccade::DensityId;

/// Supports start at most here, as a part of their end; intervals need cells beyond.
pub(super) const MAX_LOWER: f64 = 0.9;

/// What can be wrong with a stored density.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StoredDensityError {
    /// No such density.
    #[error(
        "found the density {0:?}, expected one of alpha0 to alpha4, alpha1bar, delta0 to delta4"
    )]
    UnknownDensity(String),
    /// A support that no grid can have.
    #[error(
        "{density}: found a support from {lower:?} to {upper:?}, expected 0 <= lower <= {MAX_LOWER} \
         upper, upper finite"
    )]
    Support {
        /// Which one.
        density: &'static str,
        /// Its left end.
        lower: f64,
        /// Its right end.
        upper: f64,
    },
    /// A Gaussian process that is none.
    #[error(
        "{density}: found sigma {sigma:?} and amplitude {amplitude:?}, expected positive finite numbers"
    )]
    Process {
        /// Which density.
        density: &'static str,
        /// Length of the kernel.
        sigma: f64,
        /// Its variance.
        amplitude: f64,
    },
    /// Numbers of coefficients that do not fit.
    #[error(
        "{density}: found {pooled} pooled coefficients and a prior of {prior}, expected {expected} \
         of each, the features of its support and sigma"
    )]
    Coefficients {
        /// Which density.
        density: &'static str,
        /// Pooled coefficients.
        pooled: usize,
        /// Coefficients of the prior.
        prior: usize,
        /// Features.
        expected: usize,
    },
    /// Numbers that a density cannot be computed from.
    #[error("{density}: found numbers that are too large or small to compute a density from")]
    NotFinite {
        /// Which density.
        density: &'static str,
    },
}

/// What a [`SharedDensity`] is computed from.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredDensity {
    density: String,
    support: [f64; 2],
    process: Option<Process>,
    pooled: Vec<f64>,
    prior: GaussianPrior,
}

impl From<SharedDensity> for StoredDensity {
    fn from(shared: SharedDensity) -> Self {
        let grid = shared.features.grid();
        Self {
            density: shared.id.name().to_owned(),
            support: [grid.lower(), grid.upper()],
            process: shared.process,
            pooled: shared.pooled,
            prior: shared.prior,
        }
    }
}

/// The grid over a support that was stored.
pub(super) fn checked_grid(
    id: DensityId,
    lower: f64,
    upper: f64,
) -> Result<Arc<Grid>, StoredDensityError> {
    let density = id.name();
    // Comparisons that no number which is none passes.
    if !(lower >= 0.0 && lower <= MAX_LOWER * upper && upper > 0.0 && upper.is_finite()) {
        return Err(StoredDensityError::Support { density, lower, upper });
    }
    let grid = Arc::new(Grid::new(lower, upper));
    match grid.nodes()[0].is_normal() {
        true => Ok(grid),
        false => Err(StoredDensityError::NotFinite { density }),
    }
}

/// Densities side by side: each takes the eigenvectors of its kernel.
pub(super) fn shared_densities<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<SharedDensity>, D::Error> {
    let stored: Vec<StoredDensity> = Vec::deserialize(from)?;
    let all: Vec<_> = stored.into_par_iter().map(SharedDensity::try_from).collect();
    // Which one is no longer known to whoever deserialises.
    let named = |(i, error)| D::Error::custom(format_args!("[{i}]: {error}"));
    all.into_iter().enumerate().map(|(i, density)| density.map_err(|e| named((i, e)))).collect()
}

impl TryFrom<StoredDensity> for SharedDensity {
    type Error = StoredDensityError;

    fn try_from(stored: StoredDensity) -> Result<Self, StoredDensityError> {
        let StoredDensity { density, support: [lower, upper], process, pooled, prior } = stored;
        let id = DensityId::ALL.into_iter().find(|id| id.name() == density);
        let id = id.ok_or(StoredDensityError::UnknownDensity(density))?;
        let density = id.name();
        let not_finite = StoredDensityError::NotFinite { density };
        let grid = checked_grid(id, lower, upper)?;
        let features = match process {
            None => Features::gamma(grid),
            Some(process) => {
                let Process { sigma, amplitude } = process;
                if ![sigma, amplitude].iter().all(|v| v.is_normal() && *v > 0.0) {
                    return Err(StoredDensityError::Process { density, sigma, amplitude });
                }
                process.features(grid)
            }
        };
        let expected = features.len();
        if pooled.len() != expected || prior.len() != expected {
            let (pooled, prior) = (pooled.len(), prior.len());
            return Err(StoredDensityError::Coefficients { density, pooled, prior, expected });
        }
        let log_pooled = Tabulated::of(&features, &pooled).into_log_f();
        let log_mean = Tabulated::of(&features, prior.mean()).into_log_f();
        let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        if finite(features.rows()) && finite(&log_pooled) && finite(&log_mean) {
            Ok(Self { id, features, prior, pooled, log_pooled, process })
        } else {
            Err(not_finite)
        }
    }
}
