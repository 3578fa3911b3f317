//! The network of the voice `embedding`: from a reading to numbers that differ between people.
//!
//! It was trained once on many people and is frozen (`training/` in the repository has the script).
//! Numbers of a fixation pass a linear map, three convolutions over neighbouring fixations with a way
//! around each, and another map; their means and standard deviations over the reading are mapped to
//! the embedding.

mod inputs;
mod stored;

pub use self::inputs::{INPUTS, Input, Scaling, inputs};
pub use self::stored::NetworkError;
pub(crate) use self::stored::shaped;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

/// Fixations that a convolution looks at.
const REACH: usize = 3;
/// Least variance of a number over a reading.
const LEAST_VARIANCE: f32 = 1e-5;
/// Added to the variance where numbers are standardised.
const EPSILON: f32 = 1e-5;

/// `x W + b`, with a fixation a row.
#[derive(Debug, Clone, PartialEq)]
struct Linear {
    /// In the order from, to.
    weight: Mat<f32>,
    bias: Vec<f32>,
}

impl Linear {
    fn apply(&self, x: &Mat<f32>) -> Mat<f32> {
        let mut y = Mat::from_fn(x.nrows(), self.bias.len(), |_, j| self.bias[j]);
        matmul(y.as_mut(), Accum::Add, x, &self.weight, 1.0, Par::Seq);
        y
    }
}

/// Standardises the numbers of a fixation, then scales and shifts each.
#[derive(Debug, Clone, PartialEq)]
struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl Norm {
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let n = x.len() as f32;
        let mean = x.iter().sum::<f32>() / n;
        let variance = x.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / n;
        let by = (variance + EPSILON).sqrt().recip();
        let numbers = x.iter().zip(&self.scale).zip(&self.shift);
        numbers.map(|((v, scale), shift)| (v - mean) * by * scale + shift).collect()
    }
}

/// A convolution over neighbouring fixations.
#[derive(Debug, Clone, PartialEq)]
struct Layer {
    norm: Norm,
    /// From the numbers of three fixations, one after the other.
    conv: Linear,
}

/// A frozen network.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    input: Linear,
    layers: Vec<Layer>,
    pool: Linear,
    embed: Linear,
    out: Norm,
}

/// The Gaussian error linear unit, by the hyperbolic tangent.
fn gelu(x: f32) -> f32 {
    const ROOT: f32 = 1.595_769_1; // 2 sqrt(2 / pi)
    x / (1.0 + (-ROOT * (x + 0.044_715 * x * x * x)).exp())
}

impl Layer {
    fn add_to(&self, y: &mut Mat<f32>) {
        let (rows, hidden) = (y.nrows(), y.ncols());
        let mut around = Mat::zeros(rows, REACH * hidden);
        for i in 0..rows {
            let row: Vec<f32> = (0..hidden).map(|j| y[(i, j)]).collect();
            let normed = self.norm.apply(&row);
            // The same fixation is the next of the one before, itself, and the one before the next.
            for (part, to) in [(2, i.checked_sub(1)), (1, Some(i)), (0, Some(i + 1))] {
                let Some(to) = to.filter(|to| *to < rows) else { continue };
                normed.iter().enumerate().for_each(|(j, v)| around[(to, part * hidden + j)] = *v);
            }
        }
        let z = self.conv.apply(&around);
        for j in 0..hidden {
            for i in 0..rows {
                y[(i, j)] += gelu(z[(i, j)]);
            }
        }
    }
}

impl Network {
    /// Length of an embedding.
    pub fn len(&self) -> usize {
        self.out.scale.len()
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The embedding of a reading, given as standardised inputs; none where nothing was read.
    pub fn embed(&self, reading: &[Input]) -> Option<Vec<f32>> {
        let rows = reading.len();
        if rows == 0 {
            return None;
        }
        let mut y = self.input.apply(&Mat::from_fn(rows, INPUTS, |i, j| reading[i][j]));
        self.layers.iter().for_each(|layer| layer.add_to(&mut y));
        let z = self.pool.apply(&y);
        let (pooled, n) = (z.ncols(), rows as f32);
        let mut moments = Mat::zeros(1, 2 * pooled);
        for j in 0..pooled {
            let (mut sum, mut square) = (0.0, 0.0);
            for i in 0..rows {
                let v = gelu(z[(i, j)]);
                sum += v;
                square += v * v;
            }
            let mean = sum / n;
            moments[(0, j)] = mean;
            moments[(0, pooled + j)] = (square / n - mean * mean).max(LEAST_VARIANCE).sqrt();
        }
        let embedding = self.embed.apply(&moments);
        Some(self.out.apply(&(0..embedding.ncols()).map(|j| embedding[(0, j)]).collect::<Vec<_>>()))
    }
}
