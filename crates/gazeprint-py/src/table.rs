//! Tables for Python, by the C interface of Arrow.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field};
use gazeprint_io::{Frame, Rows};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};

use crate::failure::{Failure, Outcome};
use crate::work::aside;

/// A table.
#[pyclass(frozen)]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn of(frame: &Frame<'_>) -> Outcome<Self> {
        let batch = frame.batch().map_err(|error| Failure::input(error.to_string()))?;
        Ok(Self { batch })
    }

    /// The rows, as those of frames are read.
    pub(crate) fn rows(&self) -> Rows {
        let schema = self.batch.schema();
        Box::new(RecordBatchIterator::new([Ok(self.batch.clone())], schema))
    }
}

#[pymethods]
impl Table {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.batch.schema().fields().clone(), false);
        let rows: ArrayRef = Arc::new(StructArray::from(self.batch.clone()));
        let rows = ArrayIterator::new(vec![Ok(rows)], Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(rows), requested_schema)?)
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The table as a stream of messages.
    fn to_ipc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = aside(py, || {
            let written = || {
                let mut writer = StreamWriter::try_new(Vec::new(), &self.batch.schema())?;
                writer.write(&self.batch)?;
                writer.into_inner()
            };
            written().map_err(|error| Failure::input(error.to_string()))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The table of such a stream.
    #[staticmethod]
    fn of_ipc(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        aside(py, || {
            let read = || StreamReader::try_new(bytes.as_slice(), None)?.next().transpose();
            let batch = read().map_err(|error| Failure::input(error.to_string()))?;
            let batch = batch.ok_or_else(|| Failure::input("found no rows, expected a table"))?;
            Ok(Self { batch })
        })
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The values of a column, `None` where one is missing; of the first rows where a number is given.
    #[pyo3(signature = (name, rows=None))]
    fn column<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        rows: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let column = self.batch.column_by_name(name);
        let column = column.ok_or_else(|| {
            let all = self.columns().join(", ");
            PyKeyError::new_err(format!("found no column {name:?}; there are {all}"))
        })?;
        let rows = 0..rows.unwrap_or(usize::MAX).min(column.len());
        macro_rules! listed {
            ($array:expr) => {{
                let array = $array;
                let value = |row| array.is_valid(row).then(|| array.value(row));
                PyList::new(py, rows.map(value).collect::<Vec<_>>())
            }};
        }
        match column.data_type() {
            DataType::Utf8 => listed!(column.as_string::<i32>()),
            DataType::Int32 => listed!(column.as_primitive::<Int32Type>()),
            DataType::UInt32 => listed!(column.as_primitive::<UInt32Type>()),
            DataType::Float64 => listed!(column.as_primitive::<Float64Type>()),
            _ => listed!(column.as_boolean()),
        }
    }
}
