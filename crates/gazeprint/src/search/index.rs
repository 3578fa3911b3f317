//! Rows of many readers, and the best of them for a query.

use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};
use rayon::prelude::*;

use super::space::{COMPONENTS, Query, Row};
use crate::kernels;

/// Components of the coarse rows, which a first search looks at: the leading ones, and the bend.
const COARSE: usize = 128;
/// Rows that a task looks at; fixed, so that results do not depend on the number of threads.
const CHUNK: usize = 1 << 13;
/// Candidates that a task looks at again.
const CANDIDATES: usize = 1 << 8;
/// Queries that are compared with a row while it is at hand.
const QUERIES: usize = 4;
/// Partial sums of an inner product, in a fixed order.
const SUMS: usize = 32;

/// A reader that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Place in the index.
    pub reader: usize,
    /// Score against nobody in particular, about, in nats.
    pub score: f32,
}

impl Hit {
    /// Best first; of equals, the one that comes first.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        other.score.total_cmp(&self.score).then(self.reader.cmp(&other.reader))
    }
}

/// Rows of many readers.
#[derive(Debug, Clone, Default)]
pub struct Index {
    rows: Vec<Row>,
    coarse: Vec<[i8; COARSE]>,
    /// What a coarse number is worth, by component.
    steps: Vec<f32>,
}

/// The places of a coarse row in a row.
fn coarse_place(i: usize) -> usize {
    if i + 1 < COARSE { i } else { COMPONENTS - 1 }
}

/// The largest of some rows in size, by place of a coarse row; what is not finite does not count.
fn largest(rows: &[Row]) -> [f32; COARSE] {
    let mut largest = [0.0f32; COARSE];
    for row in rows {
        for (i, largest) in largest.iter_mut().enumerate() {
            let size = row[coarse_place(i)].abs();
            if size > *largest && size.is_finite() {
                *largest = size;
            }
        }
    }
    largest
}

impl Index {
    /// An index of these rows.
    pub fn new(rows: Vec<Row>) -> Self {
        let largest = rows
            .par_chunks(CHUNK)
            .map(largest)
            .reduce(|| [0.0; COARSE], |a, b| std::array::from_fn(|i| a[i].max(b[i])));
        let steps: Vec<f32> =
            largest.iter().map(|size| (size / 127.0).max(f32::MIN_POSITIVE)).collect();
        let coarsened = |row: &Row| -> [i8; COARSE] {
            std::array::from_fn(|i| (row[coarse_place(i)] / steps[i]).round() as i8)
        };
        let coarse = rows.par_iter().map(coarsened).collect();
        Self { rows, coarse, steps }
    }

    /// Number of readers.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Memory of rows and of coarse rows, bytes.
    pub fn bytes(&self) -> [usize; 2] {
        [size_of_val(&self.rows[..]), size_of_val(&self.coarse[..])]
    }

    /// The best readers for each query, best first, `top` at most.
    pub fn search(&self, queries: &[Query], top: usize) -> Vec<Vec<Hit>> {
        let groups = queries.chunks(QUERIES).flat_map(|queries| {
            self.best(&self.rows, queries.len(), top, |rows, scores| {
                Arch::new().dispatch(Products { rows, queries, scores });
            })
        });
        groups.collect()
    }

    /// The same for one query, of readers that a look at the coarse rows leaves: `candidates` many.
    pub fn search_coarsely(&self, query: &Query, top: usize, candidates: usize) -> Vec<Hit> {
        let weighted: Vec<f32> =
            (0..COARSE).map(|i| query[coarse_place(i)] * self.steps[i]).collect();
        let largest = weighted.iter().fold(f32::MIN_POSITIVE, |m, w| m.max(w.abs()));
        // Sums of 128 products of 7 and 16 bits fit 32.
        let query_step = largest / 32_000.0;
        let coarse: [i16; COARSE] =
            std::array::from_fn(|i| (weighted[i] / query_step).round() as i16);
        let found = self.best(&self.coarse, 1, candidates, |rows, scores| {
            kernels::vectorised(CoarseProducts { rows, query: &coarse, scores });
        });
        let found: Vec<Hit> = found.into_iter().flatten().collect();
        let exactly = |hit: Hit| {
            let mut score = [0.0];
            let row = std::slice::from_ref(&self.rows[hit.reader]);
            let queries = std::slice::from_ref(query);
            Arch::new().dispatch(Products { rows: row, queries, scores: &mut score });
            Hit { score: score[0], ..hit }
        };
        let hits = found.into_par_iter().with_min_len(CANDIDATES).map(exactly);
        let mut hits: Vec<Hit> = hits.filter(|hit| !hit.score.is_nan()).collect();
        hits.sort_by(Hit::order);
        hits.truncate(top);
        hits
    }

    /// The best rows by scores that `compare` fills in for a chunk of rows: query after query.
    fn best<R: Sync>(
        &self,
        rows: &[R],
        queries: usize,
        top: usize,
        compare: impl Fn(&[R], &mut [f32]) + Sync,
    ) -> Vec<Vec<Hit>> {
        let nothing = || (vec![Best::new(top); queries], Vec::new());
        let chunks = rows.par_chunks(CHUNK).enumerate();
        let looked_at = chunks.fold(nothing, |(mut best, mut scores), (number, rows)| {
            scores.resize(queries * rows.len(), 0.0);
            compare(rows, &mut scores);
            for (best, scores) in best.iter_mut().zip(scores.chunks_exact(rows.len())) {
                best.add(number * CHUNK, scores);
            }
            (best, scores)
        });
        let best = looked_at.map(|(best, _)| best).reduce(
            || vec![Best::new(top); queries],
            |a, b| a.into_iter().zip(b).map(|(a, b)| a.and(b)).collect(),
        );
        best.into_iter().map(Best::in_order).collect()
    }
}

/// The best of the rows that were looked at. These are the same in whatever order that was.
#[derive(Debug, Clone)]
struct Best {
    top: usize,
    hits: Vec<Hit>,
    /// What a score must reach to count.
    least: f32,
}

impl Best {
    fn new(top: usize) -> Self {
        Self { top, hits: Vec::new(), least: f32::NEG_INFINITY }
    }

    /// Looks at rows from `start` on; one whose score is no number is left out.
    fn add(&mut self, start: usize, scores: &[f32]) {
        for (part, scores) in scores.chunks(SUMS).enumerate() {
            // Hardly any are good enough once many have been seen.
            if !scores.iter().fold(false, |any, score| any | (*score >= self.least)) {
                continue;
            }
            for (i, score) in scores.iter().enumerate() {
                if *score >= self.least {
                    self.hits.push(Hit { reader: start + part * SUMS + i, score: *score });
                }
            }
            if self.hits.len() / 2 > self.top.saturating_add(SUMS) {
                self.cut();
            }
        }
    }

    /// Leaves as many as are wanted.
    fn cut(&mut self) {
        if self.hits.len() > self.top {
            if self.top > 0 {
                self.hits.select_nth_unstable_by(self.top - 1, Hit::order);
            }
            self.hits.truncate(self.top);
            self.least = self.hits.last().map_or(f32::INFINITY, |hit| hit.score);
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.hits.extend(other.hits);
        self.cut();
        self
    }

    fn in_order(mut self) -> Vec<Hit> {
        self.cut();
        self.hits.sort_by(Hit::order);
        self.hits
    }
}

/// The scores of all rows for a query: see [`Hit`].
pub fn scores(rows: &[Row], query: &Query) -> Vec<f32> {
    let queries = std::slice::from_ref(query);
    let mut scores = vec![0.0; rows.len()];
    let chunks = rows.par_chunks(CHUNK).zip(scores.par_chunks_mut(CHUNK));
    chunks.for_each(|(rows, scores)| Arch::new().dispatch(Products { rows, queries, scores }));
    scores
}

/// A plain sum, as fast as memory allows: what nothing that looks at all of the numbers can beat.
pub fn sum(numbers: &[f32]) -> f32 {
    struct Sum<'a>(&'a [f32]);
    impl WithSimd for Sum<'_> {
        type Output = f32;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f32 {
            summed(simd, S::as_simd_f32s(self.0).0.iter(), |x, sum| simd.add_f32s(*x, sum))
        }
    }
    let (whole, rest) = numbers.as_chunks::<SUMS>();
    let chunks = whole.as_flattened().par_chunks(CHUNK * COMPONENTS);
    let sums: Vec<f32> = chunks.map(|chunk| Arch::new().dispatch(Sum(chunk))).collect();
    sums.into_iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// Inner products of rows with queries.
struct Products<'a> {
    rows: &'a [Row],
    queries: &'a [Query],
    /// Query after query.
    scores: &'a mut [f32],
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, queries, scores } = self;
        for (i, row) in rows.iter().enumerate() {
            for (k, query) in queries.iter().enumerate() {
                let places = S::as_simd_f32s(row).0.iter().zip(S::as_simd_f32s(query).0);
                let product = |(a, b): (&S::f32s, &S::f32s), sum| simd.mul_add_f32s(*a, *b, sum);
                scores[k * rows.len() + i] = summed(simd, places, product);
            }
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

/// Inner products of coarse rows with a query.
struct CoarseProducts<'a> {
    rows: &'a [[i8; COARSE]],
    query: &'a [i16; COARSE],
    scores: &'a mut [f32],
}

impl NullaryFnOnce for CoarseProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (row, score) in self.rows.iter().zip(self.scores.iter_mut()) {
            let mut sum = 0i32;
            for j in 0..COARSE {
                sum += i32::from(row[j]) * i32::from(self.query[j]);
            }
            *score = sum as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::Stream;

    fn drawn(count: usize, index: u64) -> Vec<Row> {
        let mut rng = Stream { seed: 5, index }.chain(0);
        let falling =
            |i: usize| if i + 1 == COMPONENTS { 0.1 } else { 1.0 / (1.0 + i as f32 / 8.0) };
        (0..count)
            .map(|_| std::array::from_fn(|i| falling(i) * (rng.random::<f32>() - 0.5)))
            .collect()
    }

    #[test]
    fn the_best_are_found_in_order() {
        let (rows, queries) = (drawn(3 * CHUNK + 17, 0), drawn(QUERIES + 1, 1));
        let index = Index::new(rows.clone());
        for (query, found) in queries.iter().zip(index.search(&queries, 50)) {
            let all = scores(index.rows(), query);
            assert!(found.iter().all(|hit| all[hit.reader] == hit.score));
            let score =
                |row: &Row| row.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let scores: Vec<f64> = rows.iter().map(score).collect();
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
            assert_eq!(found.len(), 50);
            for (hit, expected) in found.iter().zip(&order) {
                assert!((scores[hit.reader] - scores[*expected]).abs() < 1e-5);
            }
            // A first look at fewer and coarser numbers leaves the best where enough are kept.
            let coarsely = index.search_coarsely(query, 10, 500);
            assert_eq!(coarsely, found[..10]);
        }
    }

    /// Many equal scores, among which the first count, in whatever order chunks are looked at.
    #[test]
    fn equals_and_threads_make_no_difference() {
        let mut rows = drawn(40, 3);
        rows.extend_from_within(..);
        let rows: Vec<Row> = rows.iter().cycle().take(5 * CHUNK + 3).copied().collect();
        let query = drawn(1, 4)[0];
        let index = Index::new(rows);
        let search = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                (index.search(&[query], 700).remove(0), index.search_coarsely(&query, 700, 700))
            })
        };
        let (found, coarsely) = search(1);
        assert_eq!(found.len(), 700);
        assert_eq!(coarsely, found);
        // The best of forty rows, wherever it stands, from the front.
        let best = found[0].reader;
        assert!(found.iter().enumerate().all(|(i, hit)| hit.reader == best + 40 * i));
        for threads in [2, 3, 5] {
            assert_eq!(search(threads), (found.clone(), coarsely.clone()));
        }
    }

    #[test]
    fn sums_are_those_of_all_numbers() {
        let numbers: Vec<f32> = (0..60_003u16).map(|i| f32::from(i % 7)).collect();
        let expected: f32 = numbers.iter().sum();
        assert!((sum(&numbers) / expected - 1.0).abs() < 1e-5);
        assert_eq!(sum(&[]), 0.0);
    }

    #[test]
    fn few_rows_and_odd_numbers_are_survived() {
        let mut rows = drawn(3, 2);
        let query = rows[0];
        rows[1][0] = f32::NAN;
        let index = Index::new(rows);
        let found = &index.search(&[query], 10)[0];
        assert!(found.iter().all(|hit| hit.reader != 1) && found.len() == 2);
        let coarsely = index.search_coarsely(&query, 10, 10);
        assert_eq!(&coarsely, found);
        assert!(index.search(&[query], 0)[0].is_empty());
        assert!(Index::new(Vec::new()).search(&[query], 5)[0].is_empty());
        assert!(Index::default().search(&[], 5).is_empty());
    }
}
