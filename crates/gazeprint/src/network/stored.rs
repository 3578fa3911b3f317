//! The network as it is stored: tensors by the names that `training/train.py` gives them.

use safetensors::{Dtype, SafeTensorError, SafeTensors};
use thiserror::Error;

use super::{INPUTS, Layer, Linear, Network, Norm, REACH};

/// Layers of the network.
const LAYERS: usize = 3;
/// No network is larger in any direction.
const MOST: usize = 4096;

/// What can be wrong with stored tensors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Not tensors at all, or some are missing.
    #[error(transparent)]
    Tensors(#[from] SafeTensorError),
    /// A tensor of another shape or type.
    #[error("{name}: found {found}, expected {expected}")]
    Shape {
        /// Its name.
        name: String,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// Numbers that nothing can be computed with.
    #[error("{name}: found numbers that are not finite")]
    NotFinite {
        /// The tensor.
        name: String,
    },
}

/// A tensor of floating point numbers, with its shape.
pub(crate) fn tensor(
    tensors: &SafeTensors<'_>,
    name: &str,
) -> Result<(Vec<usize>, Vec<f32>), NetworkError> {
    let view = tensors.tensor(name)?;
    if view.dtype() != Dtype::F32 {
        let (found, expected) = (format!("{:?}", view.dtype()), "F32".to_owned());
        return Err(NetworkError::Shape { name: name.to_owned(), found, expected });
    }
    let (bytes, _) = view.data().as_chunks::<4>();
    let values: Vec<f32> = bytes.iter().map(|b| f32::from_le_bytes(*b)).collect();
    match values.iter().all(|v| v.is_finite()) {
        true => Ok((view.shape().to_vec(), values)),
        false => Err(NetworkError::NotFinite { name: name.to_owned() }),
    }
}

/// A tensor of exactly this shape.
pub(crate) fn shaped(
    tensors: &SafeTensors<'_>,
    name: &str,
    expected: &[usize],
) -> Result<Vec<f32>, NetworkError> {
    let (shape, values) = tensor(tensors, name)?;
    match shape == expected {
        true => Ok(values),
        false => Err(NetworkError::Shape {
            name: name.to_owned(),
            found: format!("{shape:?}"),
            expected: format!("{expected:?}"),
        }),
    }
}

fn linear(
    tensors: &SafeTensors<'_>,
    name: &str,
    [from, to]: [usize; 2],
) -> Result<Linear, NetworkError> {
    let weight = shaped(tensors, &format!("{name}.weight"), &[to, from])?;
    let bias = shaped(tensors, &format!("{name}.bias"), &[to])?;
    let weight = (0..from * to).map(|at| weight[(at % to) * from + at / to]).collect();
    Ok(Linear { weight, bias })
}

fn norm(tensors: &SafeTensors<'_>, name: &str, size: usize) -> Result<Norm, NetworkError> {
    Ok(Norm {
        scale: shaped(tensors, &format!("{name}.weight"), &[size])?,
        shift: shaped(tensors, &format!("{name}.bias"), &[size])?,
    })
}

fn layer(tensors: &SafeTensors<'_>, number: usize, size: usize) -> Result<Layer, NetworkError> {
    let weight = shaped(tensors, &format!("conv.{number}.weight"), &[size, size, REACH])?;
    let bias = shaped(tensors, &format!("conv.{number}.bias"), &[size])?;
    let at = |i: usize, to: usize| weight[(to * size + i % size) * REACH + i / size];
    let weight = (0..REACH * size * size).map(|place| at(place / size, place % size)).collect();
    let norm = norm(tensors, &format!("norm.{number}"), size)?;
    Ok(Layer { norm, conv: Linear { weight, bias } })
}

/// Rows of a tensor of two dimensions.
fn rows(tensors: &SafeTensors<'_>, name: &str) -> Result<usize, NetworkError> {
    let view = tensors.tensor(name)?;
    match view.shape() {
        &[rows, _] if (1..=MOST).contains(&rows) => Ok(rows),
        found => Err(NetworkError::Shape {
            name: name.to_owned(),
            found: format!("{found:?}"),
            expected: format!("[1..={MOST}, ..]"),
        }),
    }
}

impl Network {
    /// The network among some tensors.
    ///
    /// # Errors
    /// If one is missing, has another shape, or numbers that are not finite.
    pub fn read(tensors: &SafeTensors<'_>) -> Result<Self, NetworkError> {
        let hidden = rows(tensors, "input.weight")?;
        let pooled = rows(tensors, "pool.weight")?;
        let embedding = rows(tensors, "embed.weight")?;
        let layers = (0..LAYERS).map(|number| layer(tensors, number, hidden));
        Ok(Self {
            input: linear(tensors, "input", [INPUTS, hidden])?,
            layers: layers.collect::<Result<_, _>>()?,
            pool: linear(tensors, "pool", [hidden, pooled])?,
            embed: linear(tensors, "embed", [2 * pooled, embedding])?,
            out: norm(tensors, "out", embedding)?,
        })
    }
}
