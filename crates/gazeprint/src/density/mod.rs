//! Densities of amplitudes and durations (section 4 of the model).
//!
//! A density is
//!
//! ```text
//! f(x) proportional to exp( eta1 log x + eta2 x / (U/10) + g(x) ),   g = Phi w
//! ```
//!
//! on `[l_min, U]`: the gamma family where `g = 0`, and a Gaussian process around it otherwise.
//! Its logarithm is linear in `theta = (eta1, eta2, w)`, so the truncated log-likelihood is a sum
//! of linear terms minus log-sum-exps: concave, with one mode.
//!
//! | symbol | here |
//! |---|---|
//! | x_j, U, l_min | [`Grid`] |
//! | log x, x, Phi | [`Features`] |
//! | theta ~ N(m, S) | [`GaussianPrior`] |
//! | y_i, [l_i, r_i] | [`Sample`] |
//! | p(y given f) and its derivatives | [`Likelihood`] |

mod features;
mod grid;
mod likelihood;
mod prior;
mod sample;
mod stored;
pub(crate) mod sums;
mod tabulated;
mod together;

pub use features::{Features, mean_pairwise_distance};
pub use grid::{CELLS, Grid, Place};
pub use likelihood::{Likelihood, Workspace};
pub use prior::{GaussianPrior, PriorError};
pub use sample::Sample;
pub use tabulated::{Tabulated, mix};
pub(crate) use together::{Lines, Together};
