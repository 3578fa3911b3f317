//! Rows of many readers, compared with a query.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::space::{Query, Row};

/// Rows that a task looks at; fixed, so that results do not depend on the number of threads.
const CHUNK: usize = 1 << 13;
/// Partial sums of an inner product, in a fixed order.
const SUMS: usize = 32;

/// The scores of all rows for a query against nobody in particular, about, in nats.
pub fn scores(rows: &[Row], query: &Query) -> Vec<f32> {
    let mut scores = vec![0.0; rows.len()];
    let chunks = rows.par_chunks(CHUNK).zip(scores.par_chunks_mut(CHUNK));
    chunks.for_each(|(rows, scores)| Arch::new().dispatch(Products { rows, query, scores }));
    scores
}

/// Inner products of rows with a query.
struct Products<'a> {
    rows: &'a [Row],
    query: &'a Query,
    scores: &'a mut [f32],
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, query, scores } = self;
        for (row, score) in rows.iter().zip(scores) {
            let places = S::as_simd_f32s(row).0.iter().zip(S::as_simd_f32s(query).0);
            let product = |(a, b): (&S::f32s, &S::f32s), sum| simd.mul_add_f32s(*a, *b, sum);
            *score = summed(simd, places, product);
        }
    }
}

/// A sum over vectors of numbers: of [`SUMS`] partial sums, which are then added half to half, so that it
/// is the same whatever the length of a vector.
#[inline(always)]
fn summed<S: Simd, T>(
    simd: S,
    mut terms: impl Iterator<Item = T>,
    add: impl Fn(T, S::f32s) -> S::f32s,
) -> f32 {
    let lanes = S::F32_LANES;
    let mut sums = [simd.splat_f32s(0.0); SUMS];
    'all: loop {
        for sum in &mut sums[..SUMS / lanes] {
            let Some(term) = terms.next() else { break 'all };
            *sum = add(term, *sum);
        }
    }
    let mut half = SUMS / lanes / 2;
    while half > 0 {
        for j in 0..half {
            sums[j] = simd.add_f32s(sums[j], sums[j + half]);
        }
        half /= 2;
    }
    let mut rest = [0.0; SUMS];
    S::as_mut_simd_f32s(&mut rest).0[0] = sums[0];
    let mut half = lanes / 2;
    while half > 0 {
        for j in 0..half {
            rest[j] += rest[j + half];
        }
        half /= 2;
    }
    rest[0]
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::Stream;
    use crate::search::COMPONENTS;

    fn drawn(count: usize, index: u64) -> Vec<Row> {
        let mut rng = Stream { seed: 5, index }.chain(0);
        let falling =
            |i: usize| if i + 1 == COMPONENTS { 0.1 } else { 1.0 / (1.0 + i as f32 / 8.0) };
        (0..count)
            .map(|_| std::array::from_fn(|i| falling(i) * (rng.random::<f32>() - 0.5)))
            .collect()
    }

    #[test]
    fn scores_are_inner_products_whatever_the_threads() {
        let (rows, query) = (drawn(3 * CHUNK + 17, 0), drawn(1, 1)[0]);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| scores(&rows, &query))
        };
        let found = on(1);
        for (row, found) in rows.iter().zip(&found) {
            let exact: f64 =
                row.iter().zip(&query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            assert!((f64::from(*found) - exact).abs() < 1e-5, "{found} {exact}");
        }
        for threads in [2, 3, 5] {
            assert_eq!(on(threads), found);
        }
    }

    #[test]
    fn few_rows_and_odd_numbers_are_survived() {
        let mut rows = drawn(3, 2);
        let query = rows[0];
        rows[1][0] = f32::NAN;
        let found = scores(&rows, &query);
        assert!(found[1].is_nan() && found[0].is_finite() && found[2].is_finite());
        assert!(scores(&[], &query).is_empty());
    }
}
