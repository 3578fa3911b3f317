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

use crate::kernels;

/// Fixations that a convolution looks at.
const REACH: usize = 3;
/// Least variance of a number over a reading.
const LEAST_VARIANCE: f32 = 1e-5;
/// Added to the variance where numbers are standardised.
const EPSILON: f32 = 1e-5;

/// `x W + b`, with a fixation a row.
#[derive(Debug, Clone, PartialEq)]
struct Linear {
    /// Row after row, from each number to all.
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// Rows one after the other, as many as there are biases in each.
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let from = self.weight.len() / self.bias.len();
        let mut y = self.bias.repeat(x.len() / from);
        kernels::multiply(x, &self.weight, from, &mut y, self.bias.len());
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

impl Layer {
    fn add_to(&self, y: &mut [f32]) {
        let hidden = self.norm.scale.len();
        let rows = y.len() / hidden;
        let mut around = vec![0.0; REACH * y.len()];
        for (i, row) in y.chunks(hidden).enumerate() {
            let normed = self.norm.apply(row);
            // The same fixation is the next of the one before, itself, and the one before the next.
            for (part, to) in [(2, i.checked_sub(1)), (1, Some(i)), (0, Some(i + 1))] {
                let Some(to) = to.filter(|to| *to < rows) else { continue };
                let start = (REACH * to + part) * hidden;
                around[start..start + hidden].copy_from_slice(&normed);
            }
        }
        let mut z = self.conv.apply(&around);
        kernels::gelu(&mut z);
        y.iter_mut().zip(z).for_each(|(y, z)| *y += z);
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
        let mut y = self.input.apply(reading.as_flattened());
        self.layers.iter().for_each(|layer| layer.add_to(&mut y));
        let mut z = self.pool.apply(&y);
        kernels::gelu(&mut z);
        let (pooled, n) = (self.pool.bias.len(), rows as f32);
        let mut moments = vec![0.0; 2 * pooled];
        let (sums, squares) = moments.split_at_mut(pooled);
        for row in z.chunks(pooled) {
            for ((sum, square), v) in sums.iter_mut().zip(squares.iter_mut()).zip(row) {
                *sum += v;
                *square += v * v;
            }
        }
        for (sum, square) in sums.iter_mut().zip(squares) {
            let mean = *sum / n;
            *square = (*square / n - mean * mean).max(LEAST_VARIANCE).sqrt();
            *sum = mean;
        }
        Some(self.out.apply(&self.embed.apply(&moments)))
    }
}
