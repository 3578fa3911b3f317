//! Short rows whose inner products are nearly the evidence.
//!
//! Let `x` be the vector of a reader and `g` the slope of a fixation (the method makes both), so that
//! `e = x . g` is what the fixation says for the reader to first order. With readers as the rows of `X` and fixations as those of `F`, the evidence
//! `E = X F' = U S V'` is best kept by its leading components: a reader becomes `y = V' F x`, the
//! slope of a probe `q = S^-1 U' X g`, and `y . q` is about `x . g`.
//!
//! To second order a log-likelihood ratio `s` bends. Since the mean of `exp s` over fixations of
//! nobody in particular is 1, that of `s` is about minus half the mean of `e^2`: the mean of `e - s`,
//! the *bend*, is `y . q_mean + |y|^2 / 2m` for `m` fixations with the mean query `q_mean`. The score
//! of a probe of `n` fixations is then `y . q - n bend`: an inner product once more.

use faer::{Mat, MatRef, Side};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Numbers of a row: components, and the bend last.
pub const COMPONENTS: usize = 256;
const DIRECTIONS: usize = COMPONENTS - 1;

/// A reader.
pub type Row = [f32; COMPONENTS];
/// A probe.
pub type Query = [f32; COMPONENTS];

/// Turns readers into rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredSpace", into = "StoredSpace")]
pub struct Space {
    /// `V' F`: a component per row.
    of_readers: Mat<f64>,
    queries: Queries,
    mean_query: Vec<f64>,
    fixations: f64,
}

/// Turns probes into queries: all of a [`Space`] that is needed once there are rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredQueries", into = "StoredQueries")]
pub struct Queries {
    /// `S^-1 U' X`: a component per row.
    of_slopes: Mat<f64>,
}

/// Queries as they are stored.
#[derive(Serialize, Deserialize)]
struct StoredQueries {
    components: usize,
    /// Column after column.
    of_slopes: Vec<f32>,
}

/// A space as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredSpace {
    components: usize,
    /// Column after column.
    of_readers: Vec<f32>,
    queries: Queries,
    mean_query: Vec<f32>,
    fixations: f64,
}

impl From<Space> for StoredSpace {
    fn from(space: Space) -> Self {
        let Space { of_readers, queries, mean_query, fixations } = space;
        let columns = (0..of_readers.ncols()).flat_map(|j| of_readers.col_as_slice(j));
        Self {
            components: of_readers.nrows(),
            of_readers: columns.map(|v| *v as f32).collect(),
            queries,
            mean_query: mean_query.iter().map(|v| *v as f32).collect(),
            fixations,
        }
    }
}

impl TryFrom<StoredSpace> for Space {
    type Error = QueriesError;

    fn try_from(stored: StoredSpace) -> Result<Self, QueriesError> {
        let StoredSpace { components, of_readers, queries, mean_query, fixations } = stored;
        let found = of_readers.iter().filter(|v| v.is_finite()).count();
        let is_whole = components == queries.of_slopes.nrows()
            && found == of_readers.len()
            && found == components * queries.slope_len()
            && mean_query.len() == components
            && mean_query.iter().all(|v| v.is_finite())
            && fixations.is_finite()
            && fixations >= 1.0;
        if !is_whole {
            return Err(QueriesError { found, components });
        }
        let at = |i: usize, j: usize| f64::from(of_readers[j * components + i]);
        Ok(Self {
            of_readers: Mat::from_fn(components, found / components, at),
            queries,
            mean_query: mean_query.into_iter().map(f64::from).collect(),
            fixations,
        })
    }
}

/// Stored queries that are none.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "found {found} finite numbers for queries of {components} components, expected a multiple, and \
         at most {DIRECTIONS} components"
)]
pub struct QueriesError {
    /// Numbers there are that are finite.
    found: usize,
    components: usize,
}

impl From<Queries> for StoredQueries {
    fn from(queries: Queries) -> Self {
        let of_slopes = queries.of_slopes;
        let columns = (0..of_slopes.ncols()).flat_map(|j| of_slopes.col_as_slice(j));
        Self { components: of_slopes.nrows(), of_slopes: columns.map(|v| *v as f32).collect() }
    }
}

impl TryFrom<StoredQueries> for Queries {
    type Error = QueriesError;

    fn try_from(stored: StoredQueries) -> Result<Self, QueriesError> {
        let StoredQueries { components, of_slopes } = stored;
        let found = of_slopes.iter().filter(|v| v.is_finite()).count();
        if !(1..=DIRECTIONS).contains(&components)
            || !found.is_multiple_of(components)
            || found != of_slopes.len()
        {
            return Err(QueriesError { found, components });
        }
        let at = |i: usize, j: usize| f64::from(of_slopes[j * components + i]);
        Ok(Self { of_slopes: Mat::from_fn(components, found / components, at) })
    }
}

impl Queries {
    /// Length of the slopes of probes.
    pub fn slope_len(&self) -> usize {
        self.of_slopes.ncols()
    }

    /// A probe of so many fixations by its slope.
    pub fn query(&self, slope: &[f64], fixations: usize) -> Query {
        let mut query = [0.0; COMPONENTS];
        let components = product(self.of_slopes.as_ref(), slope);
        query.iter_mut().zip(&components).for_each(|(q, c)| *q = *c as f32);
        query[DIRECTIONS] = -(fixations as f32);
        query
    }
}

/// Vectors of one length as the columns of a matrix.
fn columns(vectors: &[Vec<f64>]) -> Mat<f64> {
    let mut matrix = Mat::zeros(vectors.first().map_or(0, Vec::len), vectors.len());
    for (j, vector) in vectors.iter().enumerate() {
        matrix.col_as_slice_mut(j).copy_from_slice(vector);
    }
    matrix
}

impl Space {
    /// Learns from the vectors of readers and the slopes of single fixations, all of one length;
    /// several hundreds of each, better some thousands. `None` where they say nothing.
    pub fn learn(readers: &[Vec<f64>], fixations: &[Vec<f64>]) -> Option<Self> {
        if readers.is_empty() || fixations.is_empty() {
            return None;
        }
        let (x, f) = (columns(readers), columns(fixations));
        let (x, f) = (x.transpose(), f.transpose());
        let evidence = x * f.transpose();
        // Of whichever side has less.
        let by_reader = readers.len() <= fixations.len();
        let square = if by_reader {
            &evidence * evidence.transpose()
        } else {
            evidence.transpose() * &evidence
        };
        let eigen = square.self_adjoint_eigen(Side::Lower).ok()?;
        let values: Vec<f64> = eigen.S().column_vector().iter().rev().copied().collect();
        let largest = values.first().copied().filter(|v| *v > 0.0 && v.is_finite())?;
        let kept = values.iter().take(DIRECTIONS).take_while(|v| **v > 1e-12 * largest).count();
        let vectors = eigen.U();
        let n = vectors.ncols();
        let leading = Mat::from_fn(n, kept, |i, j| vectors[(i, n - 1 - j)]);
        let singular = |j: usize| values[j].sqrt();
        // U and V from each other: E V = U S.
        let (u, v) = if by_reader {
            let mut v = evidence.transpose() * &leading;
            scale_columns(&mut v, |j| 1.0 / singular(j));
            (leading, v)
        } else {
            let mut u = &evidence * &leading;
            scale_columns(&mut u, |j| 1.0 / singular(j));
            (u, leading)
        };
        let of_readers = v.transpose() * f;
        let mut of_slopes = (x.transpose() * u).transpose().to_owned();
        for i in 0..kept {
            of_slopes.row_mut(i).iter_mut().for_each(|value| *value /= singular(i));
        }
        let count = fixations.len() as f64;
        let mean: Vec<f64> = (0..f.ncols()).map(|j| f.col(j).sum() / count).collect();
        let mean_query = product(of_slopes.as_ref(), &mean);
        let queries = Queries { of_slopes };
        Some(Self { of_readers, queries, mean_query, fixations: count })
    }

    /// The same, as it comes back when it is stored: rows that are made at once and later are the same then.
    pub fn rounded(self) -> Self {
        let Self { of_readers, queries, mean_query, fixations } = self;
        let round = |matrix: &Mat<f64>| {
            Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| f64::from(matrix[(i, j)] as f32))
        };
        Self {
            of_readers: round(&of_readers),
            queries: Queries { of_slopes: round(&queries.of_slopes) },
            mean_query: mean_query.into_iter().map(|v| f64::from(v as f32)).collect(),
            fixations,
        }
    }

    /// Readers by their vectors; some hundreds at once take far less time than one by one.
    pub fn rows(&self, vectors: &[Vec<f64>]) -> Vec<Row> {
        let components = &self.of_readers * columns(vectors);
        (0..vectors.len()).map(|j| self.row(components.col_as_slice(j))).collect()
    }

    /// With the bend.
    fn row(&self, components: &[f64]) -> Row {
        let linear: f64 = components.iter().zip(&self.mean_query).map(|(y, q)| y * q).sum();
        let square: f64 = components.iter().map(|y| y * y).sum();
        let mut row = [0.0; COMPONENTS];
        row.iter_mut().zip(components).for_each(|(r, y)| *r = *y as f32);
        row[DIRECTIONS] = (linear + 0.5 * square / self.fixations) as f32;
        row
    }

    /// What turns probes into queries for the rows.
    pub fn queries(&self) -> &Queries {
        &self.queries
    }
}

fn scale_columns(matrix: &mut Mat<f64>, by: impl Fn(usize) -> f64) {
    for j in 0..matrix.ncols() {
        let factor = by(j);
        matrix.col_as_slice_mut(j).iter_mut().for_each(|value| *value *= factor);
    }
}

fn product(matrix: MatRef<'_, f64>, vector: &[f64]) -> Vec<f64> {
    let result = matrix * faer::ColRef::from_slice(vector);
    result.iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::Stream;

    /// Where evidence has few dimensions, rows keep all of it.
    #[test]
    fn inner_products_are_kept() {
        let mut rng = Stream { seed: 3, index: 0 }.chain(0);
        let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
        let (len, rank) = (60, 7);
        let basis: Vec<Vec<f64>> =
            (0..rank).map(|_| (0..len).map(|_| normal()).collect()).collect();
        let mut drawn = |count: usize| -> Vec<Vec<f64>> {
            (0..count)
                .map(|_| {
                    let weights: Vec<f64> = (0..rank).map(|_| normal()).collect();
                    (0..len).map(|i| (0..rank).map(|k| weights[k] * basis[k][i]).sum()).collect()
                })
                .collect()
        };
        for [readers, fixations] in [[40, 90], [90, 40]] {
            let (readers, fixations) = (drawn(readers), drawn(fixations));
            let space = Space::learn(&readers, &fixations).unwrap();
            let others = drawn(5);
            for (x, row) in others.iter().zip(space.rows(&others)) {
                for g in &drawn(5) {
                    let exact: f64 = x.iter().zip(g).map(|(a, b)| a * b).sum();
                    let query = space.queries().query(g, 0);
                    let found: f32 = row.iter().zip(query).map(|(a, b)| a * b).sum();
                    assert!((f64::from(found) - exact).abs() < 1e-3 * (1.0 + exact.abs()));
                }
                // The bend is half the mean square of the evidence, and its mean.
                let evidence = fixations.iter().map(|g| x.iter().zip(g).map(|(a, b)| a * b).sum());
                let evidence: Vec<f64> = evidence.collect();
                let mean: f64 = evidence.iter().sum::<f64>() / evidence.len() as f64;
                let square = evidence.iter().map(|e| e * e).sum::<f64>() / evidence.len() as f64;
                let bend = mean + 0.5 * square;
                assert!((f64::from(row[DIRECTIONS]) - bend).abs() < 1e-3 * (1.0 + bend.abs()));
            }
        }
        let space = Space::learn(&drawn(40), &drawn(90)).unwrap();
        let slope = &drawn(1)[0];
        let bytes = serde_json::to_vec(space.queries()).unwrap();
        let stored: Queries = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(stored.slope_len(), len);
        for (a, b) in stored.query(slope, 9).iter().zip(space.queries().query(slope, 9)) {
            assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()));
        }
        for broken in ["0,\"of_slopes\":[]", "2,\"of_slopes\":[1]", "999,\"of_slopes\":[]"] {
            let broken = format!("{{\"components\":{broken}}}");
            assert!(serde_json::from_str::<Queries>(&broken).is_err());
        }
        assert!(Space::learn(&[], &[]).is_none());
        assert!(Space::learn(&[vec![0.0; 3]], &[vec![1.0; 3]]).is_none());
    }
}
