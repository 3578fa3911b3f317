//! Numbers side by side: of some readers, or of some draws.
//!
//! All of these are inlined, to be called under [`vectorised`](super::vectorised).

use super::LEAST_EXPONENT;

/// A number, or some side by side.
pub(crate) trait Number: Copy {
    const ZERO: Self;

    fn added(self, x: Self) -> Self;

    fn scaled(self, a: f64) -> Self;
}

impl Number for f64 {
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn added(self, x: Self) -> Self {
        self + x
    }

    #[inline(always)]
    fn scaled(self, a: f64) -> Self {
        self * a
    }
}

impl Number for Pack {
    const ZERO: Self = Self::ZERO;

    #[inline(always)]
    fn added(mut self, x: Self) -> Self {
        for k in 0..LANES {
            self.0[k] += x.0[k];
        }
        self
    }

    #[inline(always)]
    fn scaled(mut self, a: f64) -> Self {
        for k in 0..LANES {
            self.0[k] *= a;
        }
        self
    }
}

/// How many; also the number of independent partial sums, which fixes the order of summation.
pub(crate) const LANES: usize = 8;

/// A number of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pack(pub(crate) [f64; LANES]);

impl Pack {
    pub(crate) const ZERO: Self = Self::all(0.0);

    #[inline(always)]
    pub(crate) const fn all(value: f64) -> Self {
        Self([value; LANES])
    }

    /// `self + a x`.
    #[inline(always)]
    pub(crate) fn plus(mut self, a: f64, x: &Self) -> Self {
        for k in 0..LANES {
            self.0[k] = a.mul_add(x.0[k], self.0[k]);
        }
        self
    }

    /// `self + a x`, each with a factor of its own.
    #[inline(always)]
    pub(crate) fn plus_each(mut self, a: &Self, x: &Self) -> Self {
        for k in 0..LANES {
            self.0[k] = a.0[k].mul_add(x.0[k], self.0[k]);
        }
        self
    }

    /// `self a`, each with a factor of its own.
    #[inline(always)]
    pub(crate) fn times(mut self, a: &Self) -> Self {
        for k in 0..LANES {
            self.0[k] *= a.0[k];
        }
        self
    }

    /// The sum of all.
    #[inline(always)]
    pub(crate) fn total(&self) -> f64 {
        let mut sum = 0.0;
        for k in 0..LANES {
            sum += self.0[k];
        }
        sum
    }

    /// `self + x - y`.
    #[inline(always)]
    pub(crate) fn plus_difference(mut self, x: &Self, y: &Self) -> Self {
        for k in 0..LANES {
            self.0[k] += x.0[k] - y.0[k];
        }
        self
    }

    /// The larger ones.
    #[inline(always)]
    pub(crate) fn max(mut self, x: &Self) -> Self {
        for k in 0..LANES {
            self.0[k] = if x.0[k] > self.0[k] { x.0[k] } else { self.0[k] };
        }
        self
    }

    /// `self + exp(x - peak)`, where no `x` is above its peak; the exponential to 2e-14.
    #[inline(always)]
    pub(crate) fn plus_exp(mut self, x: &Self, peak: &Self) -> Self {
        for k in 0..LANES {
            self.0[k] += exp_below(x.0[k] - peak.0[k]);
        }
        self
    }

    /// `exp(self - shift)`, as [`exp_shifted`](super::exp_shifted) has it.
    #[inline(always)]
    pub(crate) fn exp_shifted(mut self, shift: &Self) -> Self {
        for k in 0..LANES {
            self.0[k] = super::exp(self.0[k] - shift.0[k]);
        }
        self
    }

    /// `scale exp(-x / 2) + offset`, with `exp` as [`exp_shifted`](super::exp_shifted) has it.
    #[inline(always)]
    pub(crate) fn root_exp_negated(x: &Self, scale: f64, offset: f64) -> Self {
        let mut out = Self::ZERO;
        for k in 0..LANES {
            out.0[k] = scale.mul_add(super::exp(-0.5 * x.0[k]), offset);
        }
        out
    }

    /// Each bounded from below and above; what is no number stays so.
    #[inline(always)]
    pub(crate) fn clamp(mut self, low: f64, high: f64) -> Self {
        for k in 0..LANES {
            let value = if self.0[k] < low { low } else { self.0[k] };
            self.0[k] = if value > high { high } else { value };
        }
        self
    }
}

/// The exponential of a number that is not positive, as exact as a term of a sum needs to be. What is
/// far below counts as next to nothing.
#[inline(always)]
fn exp_below(x: f64) -> f64 {
    /// Adding this rounds to an integer, which then stands in the low bits, with what the exponent of
    /// a number begins at.
    const ROUND: f64 = 6_755_399_441_055_744.0 + 1023.0;
    /// Through the Chebyshev nodes of +-ln(2)/2, from the highest power down.
    const POLYNOMIAL: [f64; 10] = [
        2.763_265_575_933_203e-6,
        2.488_447_635_159_146e-5,
        1.984_119_061_583_585e-4,
        1.388_880_171_476_162_2e-3,
        8.333_333_367_332_009e-3,
        4.166_666_704_077_645_6e-2,
        1.666_666_666_661_560_7e-1,
        4.999_999_999_943_814e-1,
        1.000_000_000_000_001_3,
        1.000_000_000_000_013_5,
    ];
    let x = if x < LEAST_EXPONENT { LEAST_EXPONENT } else { x };
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let r = (shifted - ROUND).mul_add(-std::f64::consts::LN_2, x);
    let mut poly = POLYNOMIAL[0];
    for c in &POLYNOMIAL[1..] {
        poly = poly.mul_add(r, *c);
    }
    poly * f64::from_bits(shifted.to_bits() << 52)
}

/// Logarithms of products of many numbers, side by side, with one `ln` each in all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackProduct {
    mantissas: Pack,
    exponents: Pack,
}

impl PackProduct {
    pub(crate) const ONE: Self = Self { mantissas: Pack::all(1.0), exponents: Pack::ZERO };

    /// Multiplies each by one of `x`. What is not a positive normal number makes its product NaN.
    #[inline(always)]
    pub(crate) fn push(&mut self, x: &Pack) {
        const FRACTION: u64 = (1 << 52) - 1;
        const ONE: u64 = 1023 << 52;
        const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
        const SMALL: f64 = f64::from_bits((1023 - 500) << 52);
        for k in 0..LANES {
            let x = x.0[k];
            let is_normal = (f64::MIN_POSITIVE..f64::INFINITY).contains(&x);
            let fraction = f64::from_bits((x.to_bits() & FRACTION) | ONE);
            // The exponent as a number: its bits stand in the fraction of one that is large.
            let exponent =
                f64::from_bits((x.to_bits() >> 52) | (1075 << 52)) - 4_503_599_627_370_496.0;
            let product = self.mantissas.0[k] * if is_normal { fraction } else { f64::NAN };
            let is_large = product >= LARGE;
            self.mantissas.0[k] = if is_large { product * SMALL } else { product };
            self.exponents.0[k] += exponent - 1023.0 + if is_large { 500.0 } else { 0.0 };
        }
    }

    /// The logarithms.
    pub(crate) fn ln(&self) -> Pack {
        let both =
            |k: usize| self.mantissas.0[k].ln() + self.exponents.0[k] * std::f64::consts::LN_2;
        Pack(std::array::from_fn(both))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_side_by_side_are_sums_of_logarithms() {
        let factors = [1e-240, 3.7, 1e90, 1.0, 1e-3, 5e7, 2.0, 0.0];
        let mut products = PackProduct::ONE;
        for i in 1..3000 {
            products.push(&Pack(factors.map(|factor| f64::from(i) * factor)));
        }
        let found = products.ln();
        for (factor, found) in factors.into_iter().zip(found.0).take(7) {
            let sum: f64 = (1..3000).map(|i| (f64::from(i) * factor).ln()).sum();
            assert!((found / sum - 1.0).abs() < 1e-14, "{found} {sum}");
        }
        assert!(found.0[7].is_nan());
    }

    #[test]
    fn sums_of_exponentials_are_those_of_the_standard_library() {
        let peak = Pack::all(0.25);
        for i in 0..4000 {
            let x = Pack(std::array::from_fn(|k| 0.25 - 0.0173 * (LANES * i + k) as f64));
            let found = Pack::ZERO.plus_exp(&x, &peak);
            for (x, found) in x.0.iter().zip(found.0) {
                let expected = (x - 0.25).exp();
                let error = (found - expected).abs();
                // Beyond this it adds nothing to what the peak adds.
                let allowed = if *x > -40.0 { 3e-14 * expected } else { 1e-17 };
                assert!(error <= allowed, "{x}: {found} {expected}");
            }
        }
        // What is far below the peak adds nothing, and what is no number stays so.
        let found = Pack::all(1.0).plus_exp(&Pack::all(-1e300), &peak);
        assert_eq!(found, Pack::all(1.0));
        assert!(Pack::ZERO.plus_exp(&Pack::all(f64::NAN), &peak).0.iter().all(|v| v.is_nan()));
    }
}
