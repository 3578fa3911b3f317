//! What identification and verification are judged by (section 8 of the model).
//!
//! | file | has |
//! |---|---|
//! | `identification` | rank of the true reader, accuracy, cumulative match characteristic |
//! | `verification` | claims: area, equal error rate, error rates at a threshold |
//! | `curve` | false accepts over false rejects as the threshold sweeps |
//! | `rate` | error counts with intervals |
//! | `likelihood_ratio` | cost of log-likelihood ratios, and its minimum |
//! | `reader_errors` | errors of each reader around the equal error rate |
//! | `bootstrap` | intervals over readers, differences between methods |
//!
//! The same conventions hold everywhere:
//!
//! - A claim is accepted if its score is at or above the threshold.
//! - A score that is NaN counts as minus infinity: nothing speaks for the claim, so it is refused,
//!   true or false. Infinite scores are scores like any other.
//! - A measure over nothing is NaN (`null` in `study.json`); a threshold, a calibration or an
//!   interval that cannot be had is `None`. Nothing panics.
//! - Log-likelihood ratios are natural logarithms; their cost is in bits.

mod bootstrap;
mod curve;
mod identification;
mod likelihood_ratio;
mod rate;
mod reader_errors;
mod verification;

pub use bootstrap::{Bootstrap, Draws};
pub use curve::ErrorPoint;
pub use identification::{Rank, cmc, rank_one};
pub use rate::Rate;
pub(crate) use rate::solve;
pub use reader_errors::ReaderErrors;
pub use verification::{Claims, OperatingPoint};

/// Mean and standard error over repetitions; the error of a single one is unknown.
pub fn mean_and_error(values: &[f64]) -> (f64, Option<f64>) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, None);
    }
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, Some((squares / (n - 1.0) / n).sqrt()))
}
