//! How fixations compare with what a template expects of them.
//!
//! Where the template was run forward, all of these have mean zero, the standardised ones variance
//! one, and none has to do with those before it. People are not so: they drift, hesitate and
//! correct themselves in ways that the template knows nothing of.

use statrs::function::erf::erf_inv;

use super::forge::Impersonator;
use crate::density::Tabulated;
use crate::glance::{Aim, Glance, Move, RESOLUTION};
use crate::kernels;
use crate::method::Surprise;

/// Probabilities closer to 0 or 1 than this are this: nothing rare is infinitely so.
const RARE: f64 = 1e-6;

impl Impersonator<'_> {
    /// How a fixation compares with the template.
    pub(super) fn surprise(&self, glance: &Glance) -> Surprise {
        let choice = glance.choice.as_ref().map(|choice| (choice, self.moves_of(choice)));
        let next = choice.map(|(choice, p)| {
            let mean: f64 = p.values().iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum();
            p[choice.chosen].max(RARE).ln() - mean
        });
        // Less the probability of any of these moves.
        let made = |moves: &[Move]| {
            let (choice, p) = choice.filter(|(choice, _)| choice.possible[moves[0]])?;
            let expected: f64 = moves.iter().map(|kind| p[*kind]).sum();
            Some(if moves.contains(&choice.chosen) { 1.0 - expected } else { -expected })
        };
        let landing = glance.aim.as_ref().map(|aim| self.landed(aim));
        Surprise {
            next,
            skip: made(&[Move::ForwardSkip]),
            refixation: made(&[Move::Refixation, Move::Back]),
            landing: landing.map(|(landing, _)| landing),
            overshoot: landing.map(|(_, overshoot)| overshoot),
            duration: standard(
                self.duration_density(glance.stay.kind),
                self.residual(&glance.stay),
            ),
        }
    }

    /// Log density of a landing less its mean, and how much too far it was.
    fn landed(&self, aim: &Aim) -> (f64, f64) {
        let log_masses = self.log_masses(aim, &aim.spots);
        let landed = self.log_masses(aim, &[aim.landed])[0];
        let landed = landed.min(kernels::log_sum_exp(&log_masses) - RESOLUTION.ln());
        let peak = log_masses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let masses: Vec<f64> = log_masses.iter().map(|m| (m - peak).exp()).collect();
        let total: f64 = masses.iter().sum();
        let mean = |value: &dyn Fn(usize) -> f64| {
            masses.iter().enumerate().map(|(i, m)| m / total * value(i)).sum::<f64>()
        };
        let log_density = mean(&|i| log_masses[i] - aim.spots[i].log_width);
        let amplitude = mean(&|i| aim.spots[i].amplitude);
        let variance = mean(&|i| (aim.spots[i].amplitude - amplitude).powi(2));
        let overshoot = (aim.landed.amplitude - amplitude) / variance.max(RARE).sqrt();
        (landed - log_density, overshoot)
    }
}

/// A value, standardised to a normal distribution.
fn standard(density: &Tabulated<'_>, value: f64) -> f64 {
    let below = density.log_mass(0.0, value).exp().clamp(RARE, 1.0 - RARE);
    std::f64::consts::SQRT_2 * erf_inv(2.0 * below - 1.0)
}
