//! How far to trust draws: Pareto-smoothed importance weights and effective sample sizes.

/// What the tail of importance weights looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pareto {
    /// Shape of the generalised Pareto distribution fitted to the largest weights.
    pub k_hat: f64,
    /// Effective sample size of the smoothed weights.
    pub effective: f64,
}

/// Replaces log weights by normalised weights, all zero where there are none, whose largest values are smoothed (Vehtari, Simpson,
/// Gelman, Yao & Gabry, "Pareto smoothed importance sampling").
pub fn pareto_smooth(log_weights: &mut [f64]) -> Pareto {
    let n = log_weights.len();
    let peak = crate::kernels::max(log_weights);
    if !peak.is_finite() {
        log_weights.fill(0.0);
        return Pareto { k_hat: f64::INFINITY, effective: 0.0 };
    }
    log_weights.iter_mut().for_each(|w| *w = (*w - peak).exp());
    let weights = log_weights;
    let tail = (0.2 * n as f64).min(3.0 * (n as f64).sqrt()).ceil() as usize;
    let mut k_hat = f64::INFINITY;
    if (5..n).contains(&tail) {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(a.cmp(&b)));
        let cutoff = weights[order[n - tail - 1]];
        let excess: Vec<f64> = order[n - tail..].iter().map(|&i| weights[i] - cutoff).collect();
        if excess[tail - 1] > 1e-12 * cutoff {
            let (k, sigma) = fit_generalised_pareto(&excess);
            k_hat = k;
            for (rank, &i) in order[n - tail..].iter().enumerate() {
                let p = (rank as f64 + 0.5) / tail as f64;
                weights[i] = (cutoff + pareto_quantile(p, k, sigma)).min(1.0);
            }
        } else {
            // All large weights are equal: there is no tail.
            k_hat = f64::NEG_INFINITY;
        }
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    Pareto { k_hat, effective: 1.0 / squares }
}

fn pareto_quantile(p: f64, k: f64, sigma: f64) -> f64 {
    if k.abs() < 1e-12 { -sigma * (-p).ln_1p() } else { sigma * (-k * (-p).ln_1p()).exp_m1() / k }
}

/// Shape and scale by the empirical Bayes estimate of Zhang & Stephens (2009), with the weakly
/// informative prior on the shape that Pareto smoothing adds. `x` ascending, its last positive.
fn fit_generalised_pareto(x: &[f64]) -> (f64, f64) {
    let n = x.len();
    let largest = x[n - 1];
    let quartile =
        x[((n as f64 / 4.0 + 0.5).floor() as usize).clamp(1, n) - 1].max(1e-12 * largest);
    let grid = 30 + (n as f64).sqrt() as usize;
    let theta: Vec<f64> = (1..=grid)
        .map(|j| {
            let shrink = 1.0 - (grid as f64 / (j as f64 - 0.5)).sqrt();
            1.0 / largest + shrink / (3.0 * quartile)
        })
        .collect();
    let shape = |b: f64| x.iter().map(|v| (-b * v).ln_1p()).sum::<f64>() / n as f64;
    let profile: Vec<f64> = theta
        .iter()
        .map(|&b| {
            let k = shape(b);
            n as f64 * ((-b / k).ln() - k - 1.0)
        })
        .collect();
    let (mut total, mut b) = (0.0, 0.0);
    let peak = profile.iter().copied().filter(|l| l.is_finite()).fold(f64::MIN, f64::max);
    for (l, t) in profile.iter().zip(&theta) {
        if l.is_finite() {
            let w = (l - peak).exp();
            total += w;
            b += w * t;
        }
    }
    b /= total;
    let k = shape(b);
    let sigma = -k / b;
    let n = n as f64;
    ((k * n + 5.0) / (n + 10.0), sigma)
}

/// Effective sample size of a chain by Geyer's initial monotone sequence.
pub fn effective_sample_size(chain: &[f64]) -> f64 {
    let n = chain.len();
    if n < 4 {
        return n as f64;
    }
    let mean = chain.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> = chain.iter().map(|v| v - mean).collect();
    let covariance = |lag: usize| {
        centred[..n - lag].iter().zip(&centred[lag..]).map(|(a, b)| a * b).sum::<f64>() / n as f64
    };
    let variance = covariance(0);
    if variance <= 0.0 {
        // A chain that never moved has seen one value.
        return 1.0;
    }
    let mut sum = 0.0;
    let mut previous = f64::INFINITY;
    for lag in (0..n - 1).step_by(2) {
        let pair = ((covariance(lag) + covariance(lag + 1)) / variance).min(previous);
        if pair <= 0.0 {
            break;
        }
        sum += pair;
        previous = pair;
    }
    (n as f64 / (2.0 * sum - 1.0).max(1.0 / n as f64)).min(n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn k_hat_recovers_the_tail_of_pareto_weights() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for k in [0.2, 0.5, 0.9] {
            let mean: f64 = (0..20)
                .map(|_| {
                    let mut log_weights: Vec<f64> =
                        (0..4000).map(|_| -k * rng.random::<f64>().ln()).collect();
                    pareto_smooth(&mut log_weights).k_hat
                })
                .sum::<f64>()
                / 20.0;
            assert!((mean - k).abs() < 0.08, "k = {k}: {mean}");
        }
    }

    #[test]
    fn equal_weights_count_fully() {
        let mut weights = vec![-3.0; 100];
        let pareto = pareto_smooth(&mut weights);
        assert!((pareto.effective - 100.0).abs() < 1e-9);
        assert!(pareto.k_hat < 0.0);
    }

    #[test]
    fn effective_sample_size_of_an_autoregression() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (rho, n) = (0.9, 100_000);
        let mut x = 0.0;
        let chain: Vec<f64> = (0..n)
            .map(|_| {
                x = rho * x + rng.random::<f64>() - 0.5;
                x
            })
            .collect();
        let exact = f64::from(n) * (1.0 - rho) / (1.0 + rho);
        assert!((effective_sample_size(&chain) / exact - 1.0).abs() < 0.1);
        assert_eq!(effective_sample_size(&[2.0; 50]), 1.0);
    }
}
