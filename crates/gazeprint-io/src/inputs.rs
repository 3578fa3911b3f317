//! What the network is told of a corpus, to train it by (`training/` of the repository).

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use gazeprint::corpus::{Corpus, Limits};
use gazeprint::network::{INPUTS, inputs};
use gazeprint::saccade::readings;
use safetensors::tensor::{Dtype, TensorView, serialize};

use crate::error::WriteError;
use crate::private;

/// Writes `NAME.safetensors` into a folder, NAME being that of the corpus: `inputs`, a fixation a row,
/// and by reading its number of `fixations`, its `reader` and its `session`. Names of readers are in the
/// metadata. What is not known of a fixation is nought.
///
/// # Errors
/// If there is such a file already and `overwrite` is off, or it cannot be written.
pub fn write_inputs(
    corpus: &Corpus,
    limits: Limits,
    folder: &Path,
    overwrite: bool,
) -> Result<(), WriteError> {
    let file = folder.join(format!("{}.safetensors", corpus.name()));
    let unwritable = |error| WriteError::Unwritable { path: file.clone(), error };
    fs::create_dir_all(folder).map_err(unwritable)?;
    if !overwrite && fs::symlink_metadata(&file).is_ok() {
        return Err(WriteError::Exists { file });
    }
    let (mut rows, mut counts): (Vec<u8>, [Vec<u8>; 3]) = Default::default();
    let mut sessions = HashMap::new();
    let (readings, _) = readings(corpus, limits);
    for reading in &readings {
        let inputs = inputs(reading);
        let known = sessions.len() as u32;
        let session = *sessions.entry(reading.session).or_insert(known);
        let numbers = [inputs.len() as u32, reading.reader as u32, session];
        counts.iter_mut().zip(numbers).for_each(|(all, n)| all.extend(n.to_le_bytes()));
        let numbers = inputs.as_flattened().iter().map(|v| v.unwrap_or(0.0));
        rows.extend(numbers.flat_map(f32::to_le_bytes));
    }
    let fixations = rows.len() / (size_of::<f32>() * INPUTS);
    let names = serde_json::to_string(corpus.readers()).unwrap_or_default();
    let metadata = HashMap::from([("readers".to_owned(), names)]);
    let unrepresentable = |_| WriteError::Unrepresentable {
        what: "inputs of the network".to_owned(),
        why: "they do not fit the format",
        remedy: "export fewer readings at once",
    };
    let inputs = TensorView::new(Dtype::F32, vec![fixations, INPUTS], &rows);
    let mut tensors = vec![("inputs", inputs.map_err(unrepresentable)?)];
    for (name, bytes) in ["fixations", "reader", "session"].into_iter().zip(&counts) {
        let view = TensorView::new(Dtype::U32, vec![readings.len()], bytes);
        tensors.push((name, view.map_err(unrepresentable)?));
    }
    let bytes = serialize(tensors, Some(metadata)).map_err(unrepresentable)?;
    private::write(&file, bytes).map_err(unwritable)
}
