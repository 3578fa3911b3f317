//! Mutated Parquet and Arrow IPC.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, ListArray, RecordBatch,
    StringArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

use super::{check, parse_table, try_mutated};

fn table() -> RecordBatch {
    let texts: DictionaryArray<Int32Type> = ["s1", "s1", "s1", "s2"].into_iter().collect();
    let numbers = |values: [Option<f64>; 4]| Arc::new(Float64Array::from(values.to_vec()));
    let list = |a, b| Some(vec![Some(a), b]);
    let lists = [list(1, Some(2)), None, list(3, None), list(4, Some(5))];
    let columns: [(&str, ArrayRef); 7] = [
        ("reader", Arc::new(StringArray::from(vec!["a", "a", "b", "é"]))),
        ("text", Arc::new(texts)),
        ("line", Arc::new(Int32Array::from(vec![1, 1, 2, 1]))),
        ("x_char", numbers([Some(2.5), Some(9.25), None, Some(1e-7)])),
        ("duration_ms", numbers([Some(200.0), Some(187.0), Some(0.0), None])),
        ("gap", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), None]))),
        ("location", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(n, c)| (n, c, true))).unwrap()
}

fn parquet(version: WriterVersion, compression: Compression) -> Vec<u8> {
    let batch = table();
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(compression)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_enabled(version == WriterVersion::PARQUET_1_0)
        .set_column_encoding("reader".into(), parquet::basic::Encoding::PLAIN)
        .set_column_encoding("text".into(), parquet::basic::Encoding::PLAIN)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow(compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let batch = table();
    let schema = batch.schema();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream() -> Vec<u8> {
    let batch = table();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn mutated_columns_are_taken_or_refused_with_a_place() {
    let (first, second) = (WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0);
    let files: [(&str, Vec<Vec<u8>>); 2] = [
        (
            "Parquet",
            vec![
                parquet(first, Compression::UNCOMPRESSED),
                parquet(first, Compression::SNAPPY),
                parquet(second, Compression::UNCOMPRESSED),
                parquet(second, Compression::ZSTD(Default::default())),
            ],
        ),
        (
            "Arrow IPC",
            vec![
                arrow(None),
                arrow(Some(CompressionType::LZ4_FRAME)),
                arrow(Some(CompressionType::ZSTD)),
                arrow_stream(),
            ],
        ),
    ];
    for (name, seeds) in &files {
        for (i, seed) in seeds.iter().enumerate() {
            let result = check(parse_table, seed);
            assert!(result.is_ok(), "seed {i} of {name}: {}", result.unwrap_err());
        }
        let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
        try_mutated(name, parse_table, &seeds);
    }
}
