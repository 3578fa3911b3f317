//! A population as it is stored.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Population;
use super::features::{self, DURATION_FEATURES, Feature};
use super::joint::Joint;
use super::sessions::Shares;
use super::types::TYPE_COEFFICIENTS;
use crate::density::GaussianPrior;
use crate::method::SharedDensity;
use crate::saccade::DensityId;

/// What can be wrong with a stored population whose parts are right.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StoredPopulationError {
    /// Other densities than readers have.
    #[error("densities: found {found}, expected {expected}, in this order")]
    Densities {
        /// Their names.
        found: String,
        /// The names of all.
        expected: String,
    },
    /// Coefficients of other features than those of this version.
    #[error(
        "{field}: found {found}, expected {expected}; the population belongs to another version of \
         the model"
    )]
    Features {
        /// The list of features.
        field: &'static str,
        /// The first that differs, or their number.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// A regression of another size.
    #[error("{field}: found {found} coefficients, expected {expected}")]
    Coefficients {
        /// The regression.
        field: &'static str,
        /// Its coefficients.
        found: usize,
        /// What should be there.
        expected: usize,
    },
    /// A number out of its range.
    #[error("{field}: found {found:?}, expected {expected}")]
    Number {
        /// Which one.
        field: &'static str,
        /// Its value.
        found: f64,
        /// Its range.
        expected: &'static str,
    },
}

/// What a [`Population`] is computed from, with the names of what its coefficients belong to.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredPopulation {
    type_features: Vec<String>,
    types: GaussianPrior,
    duration_features: Vec<String>,
    durations: GaussianPrior,
    centre: [f64; DURATION_FEATURES],
    variance: f64,
    session_shares: Shares,
    refixations: [f64; 2],
    max_width: NonZeroUsize,
    fell: usize,
    densities: Vec<SharedDensity>,
    /// Over types, durations and densities, each in units of its own Gaussian.
    joint: GaussianPrior,
}

fn names(features: &[Feature]) -> Vec<String> {
    features.iter().map(|f| f.name.to_owned()).collect()
}

impl From<Population> for StoredPopulation {
    fn from(population: Population) -> Self {
        let Population {
            densities,
            types,
            durations,
            centre,
            variance,
            shares,
            joint,
            refixations,
            max_width,
            fell,
        } = population;
        Self {
            type_features: names(&features::OF_TYPE),
            types,
            duration_features: names(&features::OF_DURATION),
            durations,
            centre,
            variance,
            session_shares: shares,
            joint: joint.into_gaussian(),
            refixations,
            max_width: max_width.try_into().unwrap_or(NonZeroUsize::MIN),
            fell,
            densities,
        }
    }
}

impl TryFrom<StoredPopulation> for Population {
    type Error = StoredPopulationError;

    fn try_from(stored: StoredPopulation) -> Result<Self, StoredPopulationError> {
        check_features("type_features", &stored.type_features, &features::OF_TYPE)?;
        check_features("duration_features", &stored.duration_features, &features::OF_DURATION)?;
        let StoredPopulation {
            types,
            durations,
            centre,
            variance,
            session_shares: shares,
            joint,
            refixations,
            max_width,
            fell,
            densities,
            ..
        } = stored;
        check_length("types", &types, TYPE_COEFFICIENTS)?;
        check_length("durations", &durations, DURATION_FEATURES)?;
        let finite = |v: f64| v.is_finite();
        let positive = |v: f64| v.is_normal() && v > 0.0;
        let check = |field, value: f64, holds: fn(f64) -> bool, expected| match holds(value) {
            true => Ok(()),
            false => Err(StoredPopulationError::Number { field, found: value, expected }),
        };
        centre.iter().try_for_each(|&c| check("centre", c, finite, "finite numbers"))?;
        check("variance", variance, positive, "a positive number")?;
        refixations
            .iter()
            .try_for_each(|&c| check("refixations", c, positive, "two positive numbers"))?;
        if !densities.iter().map(|d| d.id).eq(DensityId::ALL) {
            let list = |ids: &mut dyn Iterator<Item = DensityId>| {
                ids.map(DensityId::name).collect::<Vec<_>>().join(", ")
            };
            return Err(StoredPopulationError::Densities {
                found: list(&mut densities.iter().map(|d| d.id)),
                expected: list(&mut DensityId::ALL.into_iter()),
            });
        }
        if shares.densities.len() != densities.len() {
            return Err(StoredPopulationError::Coefficients {
                field: "session_shares",
                found: shares.densities.len(),
                expected: densities.len(),
            });
        }
        let part = |v: f64| v > 0.0 && v < 1.0;
        let all = [shares.types, shares.durations].into_iter().chain(shares.densities.clone());
        for share in all {
            check("session_shares", share, part, "parts between 0 and 1")?;
        }
        let lens = [types.len(), durations.len()].into_iter();
        let lens = lens.chain(densities.iter().map(|d| d.prior.len()));
        let (found, expected) = (joint.len(), lens.clone().sum());
        let error = StoredPopulationError::Coefficients { field: "joint", found, expected };
        Ok(Self {
            joint: Joint::new(lens, joint).ok_or(error)?,
            densities,
            types,
            durations,
            centre,
            variance,
            shares,
            refixations,
            max_width: max_width.get(),
            fell,
        })
    }
}

/// Refuses coefficients of other features: their numbers would be taken for something else.
fn check_features(
    field: &'static str,
    found: &[String],
    expected: &[Feature],
) -> Result<(), StoredPopulationError> {
    let error = |found, expected| Err(StoredPopulationError::Features { field, found, expected });
    if found.len() != expected.len() {
        return error(format!("{} names", found.len()), format!("{}", expected.len()));
    }
    match found.iter().zip(expected).find(|(found, expected)| *found != expected.name) {
        Some((found, expected)) => error(format!("{found:?}"), format!("{:?}", expected.name)),
        None => Ok(()),
    }
}

fn check_length(
    field: &'static str,
    prior: &GaussianPrior,
    expected: usize,
) -> Result<(), StoredPopulationError> {
    match prior.len() {
        found if found == expected => Ok(()),
        found => Err(StoredPopulationError::Coefficients { field, found, expected }),
    }
}
