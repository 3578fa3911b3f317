//! What the logarithm of a density is linear in.

use std::sync::Arc;

use faer::{Mat, Side};

use super::grid::{Grid, Place};

/// Eigenvectors of the kernel are kept while their eigenvalue exceeds this part of the first.
const KEPT_EIGENVALUE: f64 = 1e-4;

/// At most this many eigenvectors are kept: nearly as many as there are nodes. Only outliers more
/// than a hundred times further out than values differ ask for more.
const MAX_EIGENVECTORS: usize = 200;

/// Feature values at the nodes of a grid: `log x`, `x / (U/10)`, then the columns of `Phi`.
#[derive(Debug, Clone)]
pub struct Features {
    grid: Arc<Grid>,
    len: usize,
    /// Column after column, each with a value per node.
    columns: Vec<f64>,
    /// Row after row, each with a value per feature: the same numbers transposed.
    rows: Vec<f64>,
}

impl Features {
    /// The largest number of features.
    pub const MAX_LEN: usize = 2 + MAX_EIGENVECTORS;

    /// The gamma family: `log x` and `x / (U/10)`.
    pub fn gamma(grid: Arc<Grid>) -> Self {
        let scale = grid.upper() / 10.0;
        let columns = grid
            .nodes()
            .iter()
            .map(|x| x.ln())
            .chain(grid.nodes().iter().map(|x| x / scale))
            .collect();
        Self::from_columns(grid, 2, columns)
    }

    /// The gamma family and a Gaussian process around it with kernel
    /// `amplitude exp(-(x - x')^2 / (2 sigma^2))`, as leading eigenvectors times root eigenvalue.
    pub fn semiparametric(grid: Arc<Grid>, sigma: f64, amplitude: f64) -> Self {
        let nodes = grid.nodes();
        let kernel = Mat::from_fn(nodes.len(), nodes.len(), |i, j| {
            (-0.5 * ((nodes[i] - nodes[j]) / sigma).powi(2)).exp()
        });
        let eigen = kernel
            .self_adjoint_eigen(Side::Lower)
            .expect("the eigenvalues of a finite symmetric matrix are found");
        let values = eigen.S().column_vector();
        let vectors = eigen.U();
        let largest = values[nodes.len() - 1];
        let mut features = Self::gamma(Arc::clone(&grid));
        let kept = (0..nodes.len())
            .rev()
            .take_while(|&k| values[k] > KEPT_EIGENVALUE * largest)
            .take(MAX_EIGENVECTORS);
        for k in kept {
            let column = vectors.col(k);
            // The sign of an eigenvector is arbitrary; fix it so that fits can be compared.
            let sign = if column.iter().sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
            let scale = sign * (amplitude * values[k]).sqrt();
            features.columns.extend(column.iter().map(|v| v * scale));
            features.len += 1;
        }
        Self::from_columns(grid, features.len, features.columns)
    }

    /// The same basis with the Gaussian process' variance multiplied by `factor`.
    pub fn with_amplitude_scaled(&self, factor: f64) -> Self {
        let mut columns = self.columns.clone();
        let scale = factor.sqrt();
        columns[2 * self.grid.nodes().len()..].iter_mut().for_each(|v| *v *= scale);
        Self::from_columns(Arc::clone(&self.grid), self.len, columns)
    }

    fn from_columns(grid: Arc<Grid>, len: usize, columns: Vec<f64>) -> Self {
        let n = grid.nodes().len();
        let rows = (0..n).flat_map(|j| (0..len).map(move |a| (j, a)));
        let rows = rows.map(|(j, a)| columns[a * n + j]).collect();
        Self { grid, len, columns, rows }
    }

    /// The grid they live on.
    pub fn grid(&self) -> &Arc<Grid> {
        &self.grid
    }

    /// Number of features: 2 for the gamma family.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Feature `a` at every node.
    pub fn column(&self, a: usize) -> &[f64] {
        let n = self.grid.nodes().len();
        &self.columns[a * n..(a + 1) * n]
    }

    /// All features at node `j`.
    pub fn row(&self, j: usize) -> &[f64] {
        &self.rows[j * self.len..(j + 1) * self.len]
    }

    pub(crate) fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// All features between nodes.
    pub fn at(&self, place: Place) -> Vec<f64> {
        let (left, right) = (self.row(place.cell), self.row(place.cell + 1));
        left.iter().zip(right).map(|(l, r)| (1.0 - place.t) * l + place.t * r).collect()
    }

    /// The unnormalised log density at every node.
    pub fn log_density(&self, theta: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (a, &coefficient) in theta.iter().enumerate() {
            crate::kernels::axpy(coefficient, self.column(a), out);
        }
    }
}

/// Mean distance of two different values (D5), exact, in O(n log n); `None` under two values.
pub fn mean_pairwise_distance(values: &[f64]) -> Option<f64> {
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The i-th smallest value is the larger one of i pairs and the smaller one of n - 1 - i.
    let sum: f64 =
        sorted.iter().enumerate().map(|(i, x)| (2.0 * i as f64 - (n as f64 - 1.0)) * x).sum();
    Some(2.0 * sum / (n as f64 * (n as f64 - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_pairwise_distance_is_exact() {
        let values = [3.0, -1.0, 4.5, 4.5, 10.0];
        let mut sum = 0.0;
        for a in values {
            for b in values {
                sum += f64::abs(a - b);
            }
        }
        let distance = mean_pairwise_distance(&values).unwrap();
        assert!((distance - sum / 20.0).abs() < 1e-12);
        assert_eq!(mean_pairwise_distance(&[1.0]), None);
    }

    #[test]
    fn basis_reproduces_the_kernel() {
        let grid = Arc::new(Grid::new(0.0, 12.0));
        let (sigma, amplitude) = (3.0, 0.7);
        let features = Features::semiparametric(Arc::clone(&grid), sigma, amplitude);
        assert!((5..40).contains(&features.len()), "{} features", features.len());
        let mut worst = 0f64;
        for i in (0..=CELLS).step_by(16) {
            for j in (0..=CELLS).step_by(16) {
                let d = (grid.nodes()[i] - grid.nodes()[j]) / sigma;
                let exact = amplitude * (-0.5 * d * d).exp();
                let (a, b) = (&features.row(i)[2..], &features.row(j)[2..]);
                let ours: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
                worst = worst.max((ours - exact).abs());
            }
        }
        assert!(worst < 0.02 * amplitude, "off by {worst}");
    }

    const CELLS: usize = super::super::CELLS;
}
