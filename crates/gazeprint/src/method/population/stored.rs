//! A population as it is stored.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Population;
use super::joint::Joint;
use super::types::TYPE_COEFFICIENTS;
use crate::density::GaussianPrior;
use crate::glance::AimKind;
use crate::glance::features::{self, AIM_FEATURES, DURATION_FEATURES, Feature};
use crate::method::SharedDensity;
use crate::method::stored::shared_densities;
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
    /// Landings of other kinds of saccades than there are.
    #[error("aims: found {found} kinds of saccades, expected {expected}")]
    Kinds {
        /// Kinds that are there.
        found: usize,
        /// Kinds that should be there.
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
    aim_features: Vec<String>,
    /// By kind of saccade.
    aims: Vec<GaussianPrior>,
    centre: [f64; DURATION_FEATURES],
    variance: f64,
    session_shares: Vec<f64>,
    fell: usize,
    #[serde(deserialize_with = "shared_densities")]
    densities: Vec<SharedDensity>,
    /// Over types, durations, aims and densities, each in units of its own Gaussian.
    joint: GaussianPrior,
}

fn names(features: &[Feature]) -> Vec<&'static str> {
    features.iter().map(|f| f.name).collect()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

impl From<Population> for StoredPopulation {
    fn from(population: Population) -> Self {
        let Population { densities, types, durations, aims, centre, variance, shares, joint, fell } =
            population;
        Self {
            type_features: owned(&names(&features::OF_TYPE)),
            types,
            duration_features: owned(&names(&features::OF_DURATION)),
            durations,
            aim_features: owned(&features::OF_AIM),
            aims,
            centre,
            variance,
            session_shares: shares,
            joint: joint.into_gaussian(),
            fell,
            densities,
        }
    }
}

impl TryFrom<StoredPopulation> for Population {
    type Error = StoredPopulationError;

    fn try_from(stored: StoredPopulation) -> Result<Self, StoredPopulationError> {
        let (types, durations) = (names(&features::OF_TYPE), names(&features::OF_DURATION));
        check_features("type_features", &stored.type_features, &types)?;
        check_features("duration_features", &stored.duration_features, &durations)?;
        check_features("aim_features", &stored.aim_features, &features::OF_AIM)?;
        let StoredPopulation {
            types,
            durations,
            aims,
            centre,
            variance,
            session_shares: shares,
            joint,
            fell,
            densities,
            ..
        } = stored;
        check_length("types", &types, TYPE_COEFFICIENTS)?;
        check_length("durations", &durations, DURATION_FEATURES)?;
        aims.iter().try_for_each(|prior| check_length("aims", prior, AIM_FEATURES))?;
        if aims.len() != AimKind::COUNT {
            let (found, expected) = (aims.len(), AimKind::COUNT);
            return Err(StoredPopulationError::Kinds { found, expected });
        }
        let finite = |v: f64| v.is_finite();
        let positive = |v: f64| v.is_normal() && v > 0.0;
        let check = |field, value: f64, holds: fn(f64) -> bool, expected| match holds(value) {
            true => Ok(()),
            false => Err(StoredPopulationError::Number { field, found: value, expected }),
        };
        centre.iter().try_for_each(|&c| check("centre", c, finite, "finite numbers"))?;
        check("variance", variance, positive, "a positive number")?;
        if !densities.iter().map(|d| d.id).eq(DensityId::ALL) {
            let list = |ids: &mut dyn Iterator<Item = DensityId>| {
                ids.map(DensityId::name).collect::<Vec<_>>().join(", ")
            };
            return Err(StoredPopulationError::Densities {
                found: list(&mut densities.iter().map(|d| d.id)),
                expected: list(&mut DensityId::ALL.into_iter()),
            });
        }
        let lens = [types.len(), durations.len()].into_iter();
        let lens = lens.chain(aims.iter().map(GaussianPrior::len));
        let lens = lens.chain(densities.iter().map(|d| d.prior.len()));
        let parts = lens.clone().count();
        if shares.len() != parts {
            return Err(StoredPopulationError::Coefficients {
                field: "session_shares",
                found: shares.len(),
                expected: parts,
            });
        }
        for &share in &shares {
            let part = |v: f64| v > 0.0 && v < 1.0;
            check("session_shares", share, part, "parts between 0 and 1")?;
        }
        let (found, expected) = (joint.len(), lens.clone().sum());
        let error = StoredPopulationError::Coefficients { field: "joint", found, expected };
        if found != expected {
            return Err(error);
        }
        let zero = |v: f64| v == 0.0;
        joint.mean().iter().try_for_each(|&m| check("joint", m, zero, "a mean of 0"))?;
        Ok(Self {
            joint: Joint::new(lens, joint).ok_or(error)?,
            densities,
            types,
            durations,
            aims,
            centre,
            variance,
            shares,
            fell,
        })
    }
}

/// Refuses coefficients of other features: their numbers would be taken for something else.
fn check_features(
    field: &'static str,
    found: &[String],
    expected: &[&'static str],
) -> Result<(), StoredPopulationError> {
    let error = |found, expected| Err(StoredPopulationError::Features { field, found, expected });
    if found.len() != expected.len() {
        return error(format!("{} names", found.len()), format!("{}", expected.len()));
    }
    match found.iter().zip(expected).find(|(found, expected)| found.as_str() != **expected) {
        Some((found, expected)) => error(format!("{found:?}"), format!("{expected:?}")),
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
