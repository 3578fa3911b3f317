//! Small numerical kernels of the hot loops.
//!
//! Every loop is written so that the compiler can vectorise it and runs under
//! [`pulp::Arch::dispatch`], which picks the widest instruction set of the machine at run time.
//! Multiplications are fused with additions explicitly and sums have a fixed order: the results are
//! the same on every CPU, though one that cannot fuse is slow.

mod pack;

pub(crate) use self::pack::{LANES, Number, Pack, PackProduct};

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};

/// Runs work that consists of functions that are inlined, with the widest instruction set of the
/// machine.
#[inline(always)]
pub(crate) fn vectorised<F: NullaryFnOnce>(work: F) -> F::Output {
    Arch::new().dispatch(work)
}

/// `x . y`.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    Arch::new().dispatch(|| {
        let (x_lanes, x_rest) = x.as_chunks::<LANES>();
        let (y_lanes, y_rest) = y.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in x_lanes.iter().zip(y_lanes) {
            for k in 0..LANES {
                sums[k] = a[k].mul_add(b[k], sums[k]);
            }
        }
        let rest: f64 = x_rest.iter().zip(y_rest).map(|(a, b)| a * b).sum();
        sums.iter().sum::<f64>() + rest
    })
}

/// `y += a x`.
#[inline]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    Arch::new().dispatch(|| {
        for (y, x) in y.iter_mut().zip(x) {
            *y = a.mul_add(*x, *y);
        }
    });
}

/// Rows and vectors of columns that [`multiply`] keeps in registers.
const TILE: [usize; 2] = [4, 2];

/// `y += x w`, all of them row after row: rows of `x` are `from` long, those of `w` and `y` are `to`.
pub fn multiply(x: &[f32], w: &[f32], from: usize, y: &mut [f32], to: usize) {
    Arch::new().dispatch(Product { x, w, from, y, to });
}

/// The work of [`multiply`], vector by vector: the compiler does not see that it could be.
struct Product<'a> {
    x: &'a [f32],
    w: &'a [f32],
    from: usize,
    y: &'a mut [f32],
    to: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { x, w, from, y, to } = self;
        let width = TILE[1] * S::F32_LANES;
        for (x, y) in x.chunks(TILE[0] * from).zip(y.chunks_mut(TILE[0] * to)) {
            let mut start = 0;
            while start + width <= to {
                let part = start..start + width;
                match x.len() / from {
                    4 => tile::<S, 4>(simd, x, w, from, y, to, part),
                    3 => tile::<S, 3>(simd, x, w, from, y, to, part),
                    2 => tile::<S, 2>(simd, x, w, from, y, to, part),
                    _ => tile::<S, 1>(simd, x, w, from, y, to, part),
                }
                start += width;
            }
            for (x, y) in x.chunks(from).zip(y.chunks_mut(to)) {
                for (a, w) in x.iter().zip(w.chunks(to)) {
                    for (sum, w) in y[start..].iter_mut().zip(&w[start..]) {
                        *sum = a.mul_add(*w, *sum);
                    }
                }
            }
        }
    }
}

/// A tile of [`multiply`]. Each sum is taken in the same order as in any other.
#[inline(always)]
fn tile<S: Simd, const ROWS: usize>(
    simd: S,
    x: &[f32],
    w: &[f32],
    from: usize,
    y: &mut [f32],
    to: usize,
    part: Range<usize>,
) {
    let mut sums = [[simd.splat_f32s(0.0); TILE[1]]; ROWS];
    for (r, sums) in sums.iter_mut().enumerate() {
        let (there, _) = S::as_simd_f32s(&y[r * to + part.start..r * to + part.end]);
        sums.copy_from_slice(there);
    }
    for i in 0..from {
        let (w, _) = S::as_simd_f32s(&w[i * to + part.start..i * to + part.end]);
        for (r, sums) in sums.iter_mut().enumerate() {
            let a = simd.splat_f32s(x[r * from + i]);
            for (sum, w) in sums.iter_mut().zip(w) {
                *sum = simd.mul_add_f32s(a, *w, *sum);
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        let (there, _) = S::as_mut_simd_f32s(&mut y[r * to + part.start..r * to + part.end]);
        there.copy_from_slice(sums);
    }
}

/// The Gaussian error linear unit of every number, by the hyperbolic tangent.
pub fn gelu(x: &mut [f32]) {
    vectorised(Gelu(x));
}

/// The work of [`gelu`].
struct Gelu<'a>(&'a mut [f32]);

impl NullaryFnOnce for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        const ROOT: f32 = 1.595_769; // 2 sqrt(2 / pi)
        for x in self.0 {
            let bent = (0.044_715 * *x * *x).mul_add(*x, *x);
            *x /= 1.0 + exp_single(-ROOT * bent);
        }
    }
}

/// The exponential of a number, by a polynomial over the powers of two: within 2e-7 of it, relatively,
/// and the same on every machine. Beyond 87 it stays where it is.
#[inline(always)]
fn exp_single(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    /// ln 2 in two parts, of which the first is exact in few bits.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    /// What this is added to is rounded to a whole number, which stands in the last bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 87.0);
    let rounded = x.mul_add(LOG2_E, ROUND);
    let power = rounded - ROUND;
    let rest = power.mul_add(-LN_2[1], power.mul_add(-LN_2[0], x));
    let mut sum = 1.987_569_1e-4_f32;
    sum = sum.mul_add(rest, 1.398_199_9e-3);
    sum = sum.mul_add(rest, 8.333_452e-3);
    sum = sum.mul_add(rest, 4.166_579_6e-2);
    sum = sum.mul_add(rest, 0.166_666_65);
    sum = sum.mul_add(rest, 0.5);
    let value = sum.mul_add(rest * rest, rest) + 1.0;
    value * f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23))
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

/// Exponents below this count as nothing.
const LEAST_EXPONENT: f64 = -708.0;
/// Exponents above this count as this: large, and yet sums and products of a few stay finite.
const MAX_EXPONENT: f64 = 600.0;

/// `out[j] = exp(x[j] - shift)`, zero where that is below the normal numbers, `exp(600)` where it
/// is larger.
///
/// Exact to about one unit in the last place in between.
#[inline]
pub fn exp_shifted(x: &[f64], shift: f64, out: &mut [f64]) {
    Arch::new().dispatch(|| {
        for (out, x) in out.iter_mut().zip(x) {
            *out = exp(*x - shift);
        }
    });
}

/// Branch-free exponential: `2^k` times a polynomial on half an octave each side of zero.
#[inline(always)]
fn exp(x: f64) -> f64 {
    /// Adding this rounds to an integer, which then stands in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    /// Through the Chebyshev nodes of +-ln(2)/2, from the highest power down: off by a tenth of the
    /// last place at most.
    const POLYNOMIAL: [f64; 12] = [
        2.511_004_920_481_865_8e-8,
        2.763_265_472_252_779e-7,
        2.755_724_088_722_987e-6,
        2.480_148_544_156_131_3e-5,
        1.984_126_989_007_640_3e-4,
        1.388_888_895_235_286_3e-3,
        8.333_333_333_319_589e-3,
        4.166_666_666_648_795e-2,
        1.666_666_666_666_668e-1,
        5.000_000_000_000_019e-1,
        1.0,
        1.0,
    ];
    let clamped = if x < LEAST_EXPONENT { LEAST_EXPONENT } else { x };
    let clamped = if clamped > MAX_EXPONENT { MAX_EXPONENT } else { clamped };
    let shifted = clamped.mul_add(std::f64::consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN_2_LOW, k.mul_add(-LN_2_HIGH, clamped));
    let mut poly = POLYNOMIAL[0];
    for c in &POLYNOMIAL[1..] {
        poly = poly.mul_add(r, *c);
    }
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    // All bits, or none: a choice would become a jump.
    let kept = u64::from(x < LEAST_EXPONENT).wrapping_sub(1);
    f64::from_bits((poly * power).to_bits() & kept)
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
pub fn log_sum_exp(x: &[f64]) -> f64 {
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
    fn log_sum_exp_survives_large_arguments() {
        assert!((log_sum_exp(&[1000.0, 1000.0]) - 1000.0 - 2f64.ln()).abs() < 1e-12);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }
}
