//! An account of a fit.

use serde::{Deserialize, Serialize};

use crate::inference::Diagnostics;
use crate::saccade::DensityId;

/// What was tuned, how long it took, how far to trust it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// The tuned variance A of each density's Gaussian process.
    pub amplitudes: Vec<(DensityId, f64)>,
    /// The tuned constant k of the backoff.
    pub backoff: Option<f64>,
    /// Seconds spent on tuning.
    pub tune_seconds: f64,
    /// Seconds spent on fitting, tuning aside.
    pub fit_seconds: f64,
    /// Of each density.
    pub densities: Vec<DensityReport>,
    /// Gaussians of the population that ran away or lost evidence while they were learned, and of which an
    /// earlier iterate was kept.
    pub fell: usize,
}

/// Diagnostics of one density over all readers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DensityReport {
    /// Which density.
    pub id: DensityId,
    /// Readers with at least one observation.
    pub fits: usize,
    /// Readers whose fit failed; they got the pooled density.
    pub failed: usize,
    /// Fits whose engine has doubts: k-hat above 0.7, or too few effective draws.
    pub doubtful: usize,
    /// Fits that needed a second proposal (`laplace`).
    pub retried: usize,
    /// Mean effective sample size; none where nothing was drawn.
    pub effective: Option<f64>,
    /// Mean acceptance (`metropolis`).
    pub acceptance: Option<f64>,
    /// Divergent transitions (`nuts`).
    pub divergences: usize,
}

impl DensityReport {
    /// Sums up the diagnostics of all readers; `None` stands for a fit that failed.
    pub(crate) fn of(id: DensityId, fits: &[Option<Diagnostics>]) -> Self {
        let known: Vec<&Diagnostics> = fits.iter().flatten().collect();
        let mean = |value: &dyn Fn(&Diagnostics) -> f64| {
            known.iter().map(|d| value(d)).sum::<f64>() / known.len().max(1) as f64
        };
        Self {
            id,
            fits: fits.len(),
            failed: fits.len() - known.len(),
            doubtful: known.iter().filter(|d| d.doubtful()).count(),
            retried: known.iter().filter(|d| d.retried).count(),
            effective: known
                .iter()
                .any(|d| d.effective.is_finite())
                .then(|| mean(&|d| d.effective)),
            acceptance: known
                .iter()
                .any(|d| d.acceptance.is_some())
                .then(|| mean(&|d| d.acceptance.unwrap_or(0.0))),
            divergences: known.iter().map(|d| d.divergences).sum(),
        }
    }
}
