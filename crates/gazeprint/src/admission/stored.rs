//! Admissions as they are stored.

use serde::{Deserialize, Serialize};

use super::{
    Admission, COEFFICIENTS, FORMS, GRID, GROUNDS, LEANED, LENGTHS, Leaning, READERS, Thresholds,
};

/// The same before it was looked at how a reader's own readings do.
const COEFFICIENTS_BEFORE: usize = 2 * GROUNDS + 3;

/// What an [`Admission`] is stored as.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredAdmission {
    coefficients: Vec<f64>,
    strangers: usize,
    pairs: usize,
    thresholds: Vec<Vec<Vec<f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claims: Option<Vec<Vec<f64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leaning: Option<StoredLeaning>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLeaning {
    share: f64,
    typical: Vec<[f64; LEANED.len()]>,
}

/// What is known by length. Earlier versions knew longer probes, too.
fn by_length<T>(mut stored: Vec<T>) -> Result<[T; LENGTHS.len()], &'static str> {
    stored.truncate(LENGTHS.len());
    stored.try_into().map_err(|_| "expected 7 lengths")
}

impl From<Admission> for StoredAdmission {
    fn from(admission: Admission) -> Self {
        let Admission { coefficients, strangers, pairs, thresholds, claims, leaning } = admission;
        let lengths = |table: Thresholds| table.map(Vec::from).into();
        let (thresholds, claims) =
            (thresholds.into_iter().map(lengths).collect(), claims.map(lengths));
        let leaning = leaning
            .map(|Leaning { share, typical }| StoredLeaning { share, typical: typical.into() });
        Self { coefficients: coefficients.into(), strangers, pairs, thresholds, claims, leaning }
    }
}

impl TryFrom<StoredAdmission> for Admission {
    type Error = &'static str;

    fn try_from(stored: StoredAdmission) -> Result<Self, Self::Error> {
        let StoredAdmission { coefficients, strangers, pairs, thresholds, claims, leaning } =
            stored;
        let coefficients = match coefficients.as_slice() {
            // From before it was looked at how a reader's own readings do: that counts for nothing then.
            before if before.len() == COEFFICIENTS_BEFORE => {
                let (grounds, rest) = before.split_at(2 * GROUNDS);
                let mut padded = [0.0; COEFFICIENTS];
                padded[..grounds.len()].copy_from_slice(grounds);
                padded[FORMS..].copy_from_slice(rest);
                padded
            }
            now => now.try_into().map_err(|_| "expected 19 coefficients")?,
        };
        let rates = |rates: Vec<f64>| {
            let rates: [f64; GRID.len()] = rates.try_into().map_err(|_| "expected 11 rates")?;
            rates.iter().all(|t| t.is_finite()).then_some(rates).ok_or("found no number")
        };
        let lengths = |lengths: Vec<Vec<f64>>| {
            by_length(lengths.into_iter().map(rates).collect::<Result<Vec<_>, _>>()?)
        };
        let thresholds: Vec<_> =
            thresholds.into_iter().map(lengths).collect::<Result<_, Self::Error>>()?;
        if thresholds.is_empty() || thresholds.len() > READERS.len() {
            return Err("expected thresholds for 1 to 7 numbers of readers");
        }
        let claims = claims.map(lengths).transpose()?;
        let leaning = leaning.map(|StoredLeaning { share, typical }| {
            let typical = by_length(typical)?;
            let are_numbers = typical.as_flattened().iter().all(|t| t.is_finite());
            ((0.0..=1.0).contains(&share) && are_numbers)
                .then_some(Leaning { share, typical })
                .ok_or("found no number, or a share that is not between 0 and 1")
        });
        let leaning = leaning.transpose()?;
        Ok(Self { coefficients, strangers, pairs, thresholds, claims, leaning })
    }
}
