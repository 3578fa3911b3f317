//! Small numerical kernels of the hot loops.
//!
//! Every loop is written so that the compiler can vectorise it and runs under
//! [`pulp::Arch::dispatch`], which picks the widest instruction set of the machine at run time.
//! No fused multiply-adds and a fixed order of summation: the results are the same on every CPU.

use pulp::Arch;

/// Number of independent partial sums; fixes the order of summation.
const LANES: usize = 8;

/// `x . y`.
#[inline]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    Arch::new().dispatch(|| {
        let (x_lanes, x_rest) = x.as_chunks::<LANES>();
        let (y_lanes, y_rest) = y.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in x_lanes.iter().zip(y_lanes) {
            for k in 0..LANES {
                sums[k] += a[k] * b[k];
            }
        }
        let rest: f64 = x_rest.iter().zip(y_rest).map(|(a, b)| a * b).sum();
        sums.iter().sum::<f64>() + rest
    })
}

/// `y += a x`.
#[inline]
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    Arch::new().dispatch(|| {
        for (y, x) in y.iter_mut().zip(x) {
            *y += a * x;
        }
    });
}

/// Largest value; negative infinity for none.
#[inline]
pub(crate) fn max(x: &[f64]) -> f64 {
    Arch::new().dispatch(|| {
        let (lanes, rest) = x.as_chunks::<LANES>();
        let mut best = [f64::NEG_INFINITY; LANES];
        for chunk in lanes {
            for k in 0..LANES {
                best[k] = if chunk[k] > best[k] { chunk[k] } else { best[k] };
            }
        }
        best.iter().chain(rest).fold(f64::NEG_INFINITY, |m, &v| m.max(v))
    })
}

/// Exponents above this count as this: large, and yet sums and products of a few stay finite.
const MAX_EXPONENT: f64 = 600.0;

/// `out[j] = exp(x[j] - shift)`, zero where that is below the normal numbers, `exp(600)` where it
/// is larger.
///
/// Exact to about one unit in the last place in between.
#[inline]
pub(crate) fn exp_shifted(x: &[f64], shift: f64, out: &mut [f64]) {
    Arch::new().dispatch(|| {
        for (out, x) in out.iter_mut().zip(x) {
            *out = exp(*x - shift);
        }
    });
}

/// `y[j] = max(x[j], y[j])`.
#[inline]
pub(crate) fn raise(x: &[f64], y: &mut [f64]) {
    Arch::new().dispatch(|| {
        for (y, x) in y.iter_mut().zip(x) {
            *y = if *x > *y { *x } else { *y };
        }
    });
}

/// `sums[j] += exp(x[j] - shifts[j])`, as [`exp_shifted`] has it.
#[inline]
pub(crate) fn add_exp(x: &[f64], shifts: &[f64], sums: &mut [f64]) {
    Arch::new().dispatch(|| {
        for ((sum, x), shift) in sums.iter_mut().zip(x).zip(shifts) {
            *sum += exp(*x - *shift);
        }
    });
}

/// `out[j] = base[j] + sum of a x[j] + offset` over four pairs `(a, x)`, in this order.
#[inline]
pub(crate) fn blend(base: &[f64], pairs: [(f64, &[f64]); 4], offset: f64, out: &mut [f64]) {
    Arch::new().dispatch(|| {
        let n = out.len();
        let [(a, x), (b, y), (c, z), (d, w)] = pairs;
        // Slices of one length, so that no bounds are left to check.
        let (base, x, y, z, w) = (&base[..n], &x[..n], &y[..n], &z[..n], &w[..n]);
        for j in 0..n {
            out[j] = base[j] + a * x[j] + b * y[j] + c * z[j] + d * w[j] + offset;
        }
    });
}

/// `x[j] = exp(-x[j])`, as [`exp_shifted`] has it.
#[inline]
pub(crate) fn exp_negated(x: &mut [f64]) {
    Arch::new().dispatch(|| {
        for x in x {
            *x = exp(-*x);
        }
    });
}

/// Logarithms of products of many numbers, side by side, with one `ln` each in all.
#[derive(Debug, Clone)]
pub(crate) struct LogProducts {
    mantissas: Vec<f64>,
    exponents: Vec<f64>,
}

impl LogProducts {
    pub(crate) fn new(len: usize) -> Self {
        Self { mantissas: vec![1.0; len], exponents: vec![0.0; len] }
    }

    /// Multiplies each by one of `x`. What is not a positive normal number makes its product NaN.
    pub(crate) fn push(&mut self, x: &[f64]) {
        const FRACTION: u64 = (1 << 52) - 1;
        const ONE: u64 = 1023 << 52;
        const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
        const SMALL: f64 = f64::from_bits((1023 - 500) << 52);
        Arch::new().dispatch(|| {
            let n = x.len();
            let (mantissas, exponents) = (&mut self.mantissas[..n], &mut self.exponents[..n]);
            for j in 0..n {
                let bits = x[j].to_bits();
                let is_normal = x[j] >= f64::MIN_POSITIVE && x[j] < f64::INFINITY;
                let fraction = f64::from_bits((bits & FRACTION) | ONE);
                // The exponent as a number: its bits stand in the fraction of one that is large.
                let exponent =
                    f64::from_bits((bits >> 52) | (1075 << 52)) - 4_503_599_627_370_496.0;
                let product = mantissas[j] * if is_normal { fraction } else { f64::NAN };
                let is_large = product >= LARGE;
                mantissas[j] = if is_large { product * SMALL } else { product };
                exponents[j] += exponent - 1023.0 + if is_large { 500.0 } else { 0.0 };
            }
        });
    }

    /// The logarithms.
    pub(crate) fn ln(&self) -> impl Iterator<Item = f64> {
        let both = self.mantissas.iter().zip(&self.exponents);
        both.map(|(mantissa, exponent)| mantissa.ln() + exponent * std::f64::consts::LN_2)
    }
}

/// Branch-free exponential: `2^k` times a Taylor polynomial on half an octave each side of zero.
#[inline(always)]
fn exp(x: f64) -> f64 {
    /// Adding this rounds to an integer, which then stands in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    /// 1/k! for k = 13 down to 0.
    const TAYLOR: [f64; 14] = [
        1.605_904_383_682_161_3e-10,
        2.087_675_698_786_81e-9,
        2.505_210_838_544_172e-8,
        2.755_731_922_398_589e-7,
        2.755_731_922_398_589_3e-6,
        2.480_158_730_158_73e-5,
        1.984_126_984_126_984e-4,
        1.388_888_888_888_889e-3,
        8.333_333_333_333_333e-3,
        4.166_666_666_666_666_4e-2,
        1.666_666_666_666_666_6e-1,
        0.5,
        1.0,
        1.0,
    ];
    let clamped = if x < -708.0 { -708.0 } else { x };
    let clamped = if clamped > MAX_EXPONENT { MAX_EXPONENT } else { clamped };
    let shifted = clamped * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = clamped - k * LN_2_HIGH - k * LN_2_LOW;
    let mut poly = TAYLOR[0];
    for c in &TAYLOR[1..] {
        poly = poly * r + c;
    }
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if x < -708.0 { 0.0 } else { poly * power }
}

/// The logarithm of a product of many positive normal numbers, with one `ln` in all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogProduct {
    mantissa: f64,
    exponent: i64,
}

impl LogProduct {
    pub(crate) fn new() -> Self {
        Self { mantissa: 1.0, exponent: 0 }
    }

    /// Multiplies by `x`, a positive normal number.
    #[inline(always)]
    pub(crate) fn push(&mut self, x: f64) {
        const FRACTION: u64 = (1 << 52) - 1;
        const ONE: u64 = 1023 << 52;
        /// 2^500.
        const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
        let bits = x.to_bits();
        self.exponent += (bits >> 52) as i64 - 1023;
        self.mantissa *= f64::from_bits((bits & FRACTION) | ONE);
        if self.mantissa >= LARGE {
            self.mantissa /= LARGE;
            self.exponent += 500;
        }
    }

    pub(crate) fn ln(self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }
}

/// `ln sum exp x`, without overflow; negative infinity for none.
pub(crate) fn log_sum_exp(x: &[f64]) -> f64 {
    let peak = max(x);
    if peak.is_finite() {
        peak + x.iter().map(|v| (v - peak).exp()).sum::<f64>().ln()
    } else {
        peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_agrees_with_the_standard_library() {
        let x: Vec<f64> = (0..40_000).map(|i| 5.0 - f64::from(i) * 0.0178).collect();
        let mut ours = vec![0.0; x.len()];
        exp_shifted(&x, 0.0, &mut ours);
        for (x, ours) in x.iter().zip(&ours) {
            let theirs = x.exp();
            if *x >= -708.0 {
                assert!((ours / theirs - 1.0).abs() < 4e-16, "exp({x}): {ours} {theirs}");
            } else {
                assert_eq!(*ours, 0.0);
            }
        }
    }

    #[test]
    fn exponential_is_capped() {
        let mut ours = [0.0; 4];
        exp_shifted(&[599.0, 600.0, 601.0, f64::INFINITY], 0.0, &mut ours);
        assert!((ours[0] / 599f64.exp() - 1.0).abs() < 4e-16);
        assert!(ours[1..].iter().all(|v| (v / 600f64.exp() - 1.0).abs() < 4e-16));
    }

    #[test]
    fn log_product_is_the_sum_of_logs() {
        let values: Vec<f64> = (1..3000).map(|i| f64::from(i) * 1e-240).collect();
        let mut product = LogProduct::new();
        values.iter().for_each(|&v| product.push(v));
        let sum: f64 = values.iter().map(|v| v.ln()).sum();
        assert!((product.ln() / sum - 1.0).abs() < 1e-14);
    }

    #[test]
    fn products_side_by_side_are_those_one_by_one() {
        let values = |k: usize| (1..3000).map(move |i| f64::from(i) * [1e-240, 3.7, 1e90][k]);
        let mut products = LogProducts::new(4);
        for ((a, b), c) in values(0).zip(values(1)).zip(values(2)) {
            products.push(&[a, b, c, if c > 2e93 { 0.0 } else { 1.0 }]);
        }
        let found: Vec<f64> = products.ln().collect();
        for (k, found) in found[..3].iter().enumerate() {
            let sum: f64 = values(k).map(f64::ln).sum();
            assert!((found / sum - 1.0).abs() < 1e-14, "{found} {sum}");
        }
        assert!(found[3].is_nan());
    }

    #[test]
    fn log_sum_exp_survives_large_arguments() {
        assert!((log_sum_exp(&[1000.0, 1000.0]) - 1000.0 - 2f64.ln()).abs() < 1e-12);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }
}
