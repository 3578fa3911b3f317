//! Readers as they are stored and compared.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::lanes::{Common, Lane, Lanes};
use super::types::TYPE_COEFFICIENTS;
use super::{Population, PopulationScorer, ReaderPosterior};
use crate::density::Grid;
use crate::glance::features::{AIM_FEATURES, DURATION_FEATURES};
use crate::glance::{AimKind, ByAim, ByStay, StayKind};
use crate::kernels::LANES;
use crate::kinds::Kind as _;
use crate::method::stored::{StoredDensityError, checked_grid};
use crate::saccade::{ByType, DensityId};
use crate::score::TemplateScorer;
use crate::template::{Layout, Parts, ReaderModel};

/// Of what is alike in all situations, only the first place on a line is left.
const FIRST: DensityId = DensityId::Alpha0;
/// Densities below this, in nats, are as good as none.
const LEAST: f64 = -700.0;

/// What probes are compared with of one reader: coefficients, and densities at the nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Template {
    types: Vec<f64>,
    durations: Vec<f64>,
    /// By kind of saccade.
    aims: Vec<Vec<f64>>,
    /// In the order of [`DensityId::ALL`].
    log_densities: Vec<Vec<f64>>,
}

/// What templates are compared on: grids, centres, and a reader of whom nothing is known. It follows
/// from a [`Population`], and is all of it that comparing takes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredBackground", into = "StoredBackground")]
pub struct Background {
    centre: [f64; DURATION_FEATURES],
    /// In the order of [`DensityId::ALL`].
    grids: Vec<Arc<Grid>>,
    nobody: Template,
}

/// What can be wrong with a stored template or background.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// Another number of coefficients or nodes.
    #[error(
        "{part}: found {found} numbers, expected {expected}; it belongs to another version of the model"
    )]
    Length {
        /// Of what.
        part: &'static str,
        /// As many as there are.
        found: usize,
        /// As many as there should be.
        expected: usize,
    },
    /// Numbers that nothing can be compared with.
    #[error("{part}: found numbers that are not finite")]
    NotFinite {
        /// Where.
        part: &'static str,
    },
    /// A grid that is none.
    #[error(transparent)]
    Grid(#[from] StoredDensityError),
}

impl ReaderPosterior {
    /// What is stored and compared of the reader.
    pub fn template(&self) -> Template {
        let densities = self.densities.iter().map(|d| d.log_mean.clone()).collect();
        Template::new(self.types.clone(), self.durations.clone(), self.aims.clone(), densities)
    }
}

impl Template {
    /// Coefficients, by kind of saccade those of where it lands, and log densities in the order of
    /// [`DensityId::ALL`].
    pub(super) fn new(
        types: Vec<f64>,
        durations: Vec<f64>,
        aims: Vec<Vec<f64>>,
        mut log_densities: Vec<Vec<f64>>,
    ) -> Self {
        // To be interpolated: minus infinity times nothing would be no number.
        log_densities.iter_mut().flatten().for_each(|v| *v = v.max(LEAST));
        Self { types, durations, aims, log_densities }
    }

    /// First places on a line, as a row.
    pub(super) fn places(&self, layout: &Layout) -> Vec<f64> {
        let log_densities = vec![self.density(FIRST).clone()];
        layout.row(&ReaderModel { pi: ByType::of(|_| 1.0), mu: 0.5, log_densities })
    }

    fn density(&self, id: DensityId) -> &Vec<f64> {
        &self.log_densities[id.place()]
    }

    /// Refuses what does not fit these grids.
    fn check(&self, grids: &[Arc<Grid>]) -> Result<(), TemplateError> {
        let length = |part, found, expected| match found == expected {
            true => Ok(()),
            false => Err(TemplateError::Length { part, found, expected }),
        };
        let finite = |part, values: &[f64]| match values.iter().all(|v| v.is_finite()) {
            true => Ok(()),
            false => Err(TemplateError::NotFinite { part }),
        };
        length("types", self.types.len(), TYPE_COEFFICIENTS)?;
        finite("types", &self.types)?;
        length("durations", self.durations.len(), DURATION_FEATURES)?;
        finite("durations", &self.durations)?;
        length("aims", self.aims.len(), AimKind::COUNT)?;
        for aim in &self.aims {
            length("aims", aim.len(), AIM_FEATURES)?;
            finite("aims", aim)?;
        }
        length("densities", self.log_densities.len(), DensityId::ALL.len())?;
        for ((id, log_f), grid) in DensityId::ALL.into_iter().zip(&self.log_densities).zip(grids) {
            length(id.name(), log_f.len(), grid.nodes().len())?;
            finite(id.name(), log_f)?;
        }
        Ok(())
    }

    pub(super) fn lane(&self) -> Lane<'_> {
        Lane {
            types: &self.types,
            durations: &self.durations,
            tables: ByStay::of(|kind: StayKind| &self.density(kind.density())[..]),
            aims: &self.aims,
            amplitudes: ByAim::of(|kind: AimKind| &self.density(kind.density())[..]),
        }
    }
}

impl Population {
    /// What templates of this population are compared on; `nobody` is a reader of whom nothing is
    /// known.
    pub(super) fn background_with(&self, nobody: &ReaderPosterior) -> Background {
        Background {
            centre: self.centre,
            grids: self.densities.iter().map(|d| Arc::clone(d.features.grid())).collect(),
            nobody: nobody.template(),
        }
    }
}

impl Background {
    /// Readers that probes can be compared with.
    ///
    /// # Errors
    /// If a template is of another version of the model, or holds numbers that are none.
    pub fn scorer(&self, readers: &[Template]) -> Result<PopulationScorer, TemplateError> {
        self.scorer_among(readers, &[])
    }

    /// The same, held against imagined readers.
    ///
    /// # Errors
    /// See [`Background::scorer`].
    pub fn scorer_among(
        &self,
        readers: &[Template],
        cohort: &[Template],
    ) -> Result<PopulationScorer, TemplateError> {
        readers.par_iter().try_for_each(|template| template.check(&self.grids))?;
        Ok(self.side_by_side(readers, cohort))
    }

    /// A reader of whom nothing is known.
    pub(super) fn nobody(&self) -> &Template {
        &self.nobody
    }

    /// The same for templates that are known to fit.
    pub(super) fn side_by_side(
        &self,
        readers: &[Template],
        cohort: &[Template],
    ) -> PopulationScorer {
        let readers: Vec<&Template> = readers.iter().chain(cohort).collect();
        let grid = |id: DensityId| Arc::clone(&self.grids[id.place()]);
        let parts = Parts { amplitudes: false, durations: false };
        let layout = Layout::new(parts, [(FIRST, grid(FIRST))], 1);
        let rows: Vec<Vec<f64>> = readers.par_iter().map(|r| r.places(&layout)).collect();
        let population = self.nobody.places(&layout);
        let lanes = |readers: &[&Template]| {
            Lanes::new(&readers.iter().map(|template| template.lane()).collect::<Vec<Lane<'_>>>())
        };
        PopulationScorer {
            places: TemplateScorer::new(layout, &rows, population),
            common: Common {
                centre: self.centre,
                grids: ByStay::of(|kind: StayKind| grid(kind.density())),
                amplitudes: ByAim::of(|kind: AimKind| grid(kind.density())),
            },
            readers: readers.par_chunks(LANES).map(lanes).collect(),
            population: lanes(&[&self.nobody]),
            cohort: cohort.len(),
        }
    }
}

/// What a [`Background`] is computed from.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBackground {
    centre: [f64; DURATION_FEATURES],
    /// Ends of the supports, in the order of [`DensityId::ALL`].
    supports: Vec<[f64; 2]>,
    nobody: Template,
}

impl From<Background> for StoredBackground {
    fn from(background: Background) -> Self {
        let Background { centre, grids, nobody } = background;
        let supports = grids.iter().map(|grid| [grid.lower(), grid.upper()]).collect();
        Self { centre, supports, nobody }
    }
}

impl TryFrom<StoredBackground> for Background {
    type Error = TemplateError;

    fn try_from(stored: StoredBackground) -> Result<Self, TemplateError> {
        let StoredBackground { centre, supports, nobody } = stored;
        let (found, expected) = (supports.len(), DensityId::ALL.len());
        if found != expected {
            return Err(TemplateError::Length { part: "supports", found, expected });
        }
        if !centre.iter().all(|c| c.is_finite()) {
            return Err(TemplateError::NotFinite { part: "centre" });
        }
        let grids = DensityId::ALL
            .into_iter()
            .zip(supports)
            .map(|(id, [lower, upper])| checked_grid(id, lower, upper))
            .collect::<Result<Vec<_>, _>>()?;
        nobody.check(&grids)?;
        Ok(Self { centre, grids, nobody })
    }
}
