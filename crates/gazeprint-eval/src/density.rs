//! One density, fitted to values by themselves: as densities of readers are, with nobody else to learn from.

use gazeprint::density::Tabulated;
use gazeprint::inference::{Diagnostics, Engine, InferenceError, Posterior};
use gazeprint::method::{Family, Observations, SharedDensity};
use gazeprint::saccade::{DensityId, Observation, Truncation};
use thiserror::Error;

use crate::traits::{chains, log_likelihood};

/// Why values cannot have a density fitted.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DensityError {
    /// None at all.
    #[error("found no values, expected some")]
    Nothing,
    /// A value that none of these densities has.
    #[error("value {place}: found {value}, expected a finite number that is not negative")]
    Value {
        /// From 0.
        place: usize,
        /// What was found.
        value: f64,
    },
    /// A value outside of its interval, or an interval that is none.
    #[error(
        "value {place}: found {value} in the interval from {lower} to {upper}, expected 0 or more at its left end, \
         and the value between its ends"
    )]
    Interval {
        /// From 0.
        place: usize,
        /// The value.
        value: f64,
        /// Left end.
        lower: f64,
        /// Right end.
        upper: f64,
    },
    /// Nothing varies.
    #[error("found the value {0} alone, expected values that differ")]
    Constant(f64),
    /// The engine failed.
    #[error(transparent)]
    Inference(#[from] InferenceError),
}

/// The posterior of a density.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedDensity {
    /// Where it is known: places from the left end of its support to the right one.
    pub places: Vec<f64>,
    /// Its posterior mean at these places; it integrates to one over them.
    pub mean: Vec<f64>,
    /// Draws of it at these places, chain after chain.
    pub draws: Vec<Vec<f64>>,
    /// The mean and the standard deviation of each draw.
    pub moments: Vec<(f64, f64)>,
    /// By draw: the log-likelihood of each value.
    pub log_likelihood: Vec<Vec<f64>>,
    /// By chain: how far to trust it.
    pub diagnostics: Vec<Diagnostics>,
}

impl FittedDensity {
    /// Fits a density to values, each with the interval that it is confined to.
    ///
    /// # Errors
    /// If there are no values, or they cannot have a density, or the engine fails.
    pub fn of(observed: &[Observation], engine: &Engine, seed: u64) -> Result<Self, DensityError> {
        check(observed)?;
        // Which of the densities it is decides about nothing but intervals.
        let is_free = |o: &Observation| o.lower == 0.0 && o.upper == f64::INFINITY;
        let id = match observed.iter().all(is_free) {
            true => DensityId::Delta0,
            false => DensityId::Alpha2,
        };
        let seen = Observations::of_one(id, observed.to_vec());
        let shared = SharedDensity::learn(id, Family::Semiparametric, &seen)?;
        let chains = chains(&shared, &seen, 0, engine, seed)?;
        Ok(Self::gathered(&shared, &chains, id.truncation(), observed))
    }

    fn gathered(
        shared: &SharedDensity,
        chains: &[Posterior],
        truncation: Truncation,
        observed: &[Observation],
    ) -> Self {
        let grid = shared.features.grid();
        let from = grid.nodes().iter().take_while(|node| **node < grid.lower()).count();
        let at_places = |log_f: &[f64]| log_f[from..].iter().map(|v| v.exp()).collect::<Vec<_>>();
        let drawn = chains.iter().flat_map(|chain| &chain.draws);
        let drawn: Vec<Tabulated<'_>> =
            drawn.map(|theta| Tabulated::of(&shared.features, theta)).collect();
        let share = 1.0 / chains.len() as f64;
        let mut mean = vec![0.0; grid.nodes().len() - from];
        for chain in chains {
            let own = at_places(&chain.log_mean);
            mean.iter_mut().zip(own).for_each(|(sum, value)| *sum += share * value);
        }
        let likelihoods = drawn.iter().map(|density| log_likelihood(density, truncation, observed));
        Self {
            places: grid.nodes()[from..].to_vec(),
            mean,
            draws: drawn.iter().map(|density| at_places(density.log_f())).collect(),
            moments: drawn.iter().map(Tabulated::moments).collect(),
            log_likelihood: likelihoods.collect(),
            diagnostics: chains.iter().map(|chain| chain.diagnostics).collect(),
        }
    }
}

fn check(observed: &[Observation]) -> Result<(), DensityError> {
    let first = observed.first().ok_or(DensityError::Nothing)?;
    for (place, &Observation { value, lower, upper }) in observed.iter().enumerate() {
        if !value.is_finite() || value < 0.0 {
            return Err(DensityError::Value { place, value });
        }
        // What is not a number is in no interval.
        if !(lower >= 0.0 && lower <= value && value <= upper && lower < upper) {
            return Err(DensityError::Interval { place, value, lower, upper });
        }
    }
    match observed.iter().all(|o| o.value == first.value) {
        true => Err(DensityError::Constant(first.value)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(observed: &[Observation]) -> Result<FittedDensity, DensityError> {
        FittedDensity::of(observed, &Engine::by_name("laplace").unwrap(), 1)
    }

    fn free(value: f64) -> Observation {
        Observation { value, lower: 0.0, upper: f64::INFINITY }
    }

    #[test]
    fn its_mean_is_that_of_the_values() {
        let values: Vec<f64> = (0..400).map(|i| 150.0 + f64::from(i * 37 % 200)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let found = fitted(&values.into_iter().map(free).collect::<Vec<_>>()).unwrap();
        let drawn: f64 =
            found.moments.iter().map(|m| m.0).sum::<f64>() / found.moments.len() as f64;
        assert!((drawn / mean - 1.0).abs() < 0.03, "{drawn} {mean}");
        let cells = found.places.windows(2).zip(found.mean.windows(2));
        let mass: f64 = cells.map(|(x, f)| 0.5 * (x[1] - x[0]) * (f[0] + f[1])).sum();
        assert!((mass - 1.0).abs() < 1e-3, "{mass}");
        assert!(found.log_likelihood.iter().all(|draw| draw.len() == 400));
    }

    #[test]
    fn intervals_make_likelihoods_larger_and_are_checked() {
        let values = || (1..200).map(|i| f64::from(i * 29 % 97) / 10.0 + 1.0);
        let within: Vec<Observation> = values()
            .map(|value| Observation { value, lower: value.floor(), upper: value.floor() + 3.0 })
            .collect();
        let sum = |found: &FittedDensity| found.log_likelihood[0].iter().sum::<f64>();
        let [confined, open] =
            [within, values().map(free).collect()].map(|all| sum(&fitted(&all).unwrap()));
        assert!(confined > open, "{confined} {open}");
        assert_eq!(fitted(&[]), Err(DensityError::Nothing));
        assert_eq!(fitted(&[free(3.0), free(3.0)]), Err(DensityError::Constant(3.0)));
        let outside = Observation { value: 5.0, lower: 6.0, upper: 9.0 };
        assert!(matches!(
            fitted(&[free(1.0), outside]),
            Err(DensityError::Interval { place: 1, .. })
        ));
        assert!(matches!(fitted(&[free(f64::NAN)]), Err(DensityError::Value { place: 0, .. })));
    }
}
