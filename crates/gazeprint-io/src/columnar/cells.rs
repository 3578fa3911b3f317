//! Cells of columns as text.

use std::fmt::{Result, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Decimal256Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Schema, TimeUnit};

use crate::write::push_number;

/// Most values in a list: positions have two.
const LONGEST_LIST: i32 = 1024;

/// The columns that become cells.
pub(super) fn shown(schema: &Schema) -> Vec<usize> {
    (0..schema.fields().len()).filter(|&i| is_shown(schema.field(i).data_type())).collect()
}

/// Whether the values of a type become cells.
pub(super) fn is_shown(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_plain(values),
        DataType::List(item) | DataType::LargeList(item) => is_plain(item.data_type()),
        DataType::FixedSizeList(item, length) => {
            (0..=LONGEST_LIST).contains(length) && is_plain(item.data_type())
        }
        kind => is_plain(kind),
    }
}

/// Whether the values of a type are dates, times or spans of time.
pub(super) fn is_time(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_time(values),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_time(item.data_type())
        }
        kind => matches!(
            kind,
            DataType::Timestamp(..)
                | DataType::Duration(_)
                | DataType::Date32
                | DataType::Date64
                | DataType::Time32(_)
                | DataType::Time64(_)
        ),
    }
}

fn is_plain(kind: &DataType) -> bool {
    kind.is_integer()
        || kind.is_floating()
        || kind.is_string()
        || is_time(kind) && !kind.is_nested()
        || matches!(
            kind,
            DataType::Null
                | DataType::Boolean
                | DataType::Decimal128(..)
                | DataType::Decimal256(..)
        )
}

/// Appends a cell; nothing where the value is missing.
pub(super) fn push(array: &ArrayRef, row: usize, text: &mut String) -> Result {
    if array.is_null(row) {
        return Ok(());
    }
    let list = match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = key(dictionary.keys(), row).unwrap_or(usize::MAX);
            let values = dictionary.values();
            return if key < values.len() { push(values, key, text) } else { Ok(()) };
        }
        DataType::List(_) => array.as_list::<i32>().value(row),
        DataType::LargeList(_) => array.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().value(row),
        _ => return push_plain(array, row, text),
    };
    let mut cell = String::from("[");
    for i in 0..list.len() {
        if i > 0 {
            cell.push_str(", ");
        }
        if list.is_null(i) {
            cell.push_str("null");
        } else {
            push_plain(&list, i, &mut cell)?;
        }
    }
    cell.push(']');
    push_text(&cell, text);
    Ok(())
}

/// Appends text, in quotation marks where it could be taken for more than one cell.
pub(super) fn push_text(cell: &str, text: &mut String) {
    if !cell.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r' | b'\t' | b';' | b'|')) {
        text.push_str(cell);
        return;
    }
    text.push('"');
    for (i, part) in cell.split('"').enumerate() {
        if i > 0 {
            text.push_str("\"\"");
        }
        text.push_str(part);
    }
    text.push('"');
}

/// The place that a key of a dictionary points at.
fn key(keys: &dyn Array, row: usize) -> Option<usize> {
    match keys.data_type() {
        DataType::Int8 => keys.as_primitive::<Int8Type>().value(row).try_into().ok(),
        DataType::Int16 => keys.as_primitive::<Int16Type>().value(row).try_into().ok(),
        DataType::Int32 => keys.as_primitive::<Int32Type>().value(row).try_into().ok(),
        DataType::Int64 => keys.as_primitive::<Int64Type>().value(row).try_into().ok(),
        DataType::UInt8 => Some(keys.as_primitive::<UInt8Type>().value(row).into()),
        DataType::UInt16 => Some(keys.as_primitive::<UInt16Type>().value(row).into()),
        DataType::UInt32 => keys.as_primitive::<UInt32Type>().value(row).try_into().ok(),
        DataType::UInt64 => keys.as_primitive::<UInt64Type>().value(row).try_into().ok(),
        _ => None,
    }
}

/// Appends one value that is there.
fn push_plain(array: &ArrayRef, row: usize, text: &mut String) -> Result {
    macro_rules! value {
        ($kind:ty) => {
            array.as_primitive::<$kind>().value(row)
        };
    }
    match array.data_type() {
        DataType::Utf8 => push_text(array.as_string::<i32>().value(row), text),
        DataType::LargeUtf8 => push_text(array.as_string::<i64>().value(row), text),
        DataType::Utf8View => push_text(array.as_string_view().value(row), text),
        DataType::Float64 => push_number(value!(Float64Type), text),
        // The shortest number that gives the same 32 bits: 512.3, and not 512.2999877929688.
        DataType::Float32 => write!(text, "{}", value!(Float32Type))?,
        DataType::Float16 => write!(text, "{}", value!(Float16Type).to_f32())?,
        DataType::Int8 => write!(text, "{}", value!(Int8Type))?,
        DataType::Int16 => write!(text, "{}", value!(Int16Type))?,
        DataType::Int32 => write!(text, "{}", value!(Int32Type))?,
        DataType::Int64 => write!(text, "{}", value!(Int64Type))?,
        DataType::UInt8 => write!(text, "{}", value!(UInt8Type))?,
        DataType::UInt16 => write!(text, "{}", value!(UInt16Type))?,
        DataType::UInt32 => write!(text, "{}", value!(UInt32Type))?,
        DataType::UInt64 => write!(text, "{}", value!(UInt64Type))?,
        DataType::Boolean => {
            text.push_str(if array.as_boolean().value(row) { "true" } else { "false" });
        }
        DataType::Decimal128(..) => {
            text.push_str(&array.as_primitive::<Decimal128Type>().value_as_string(row));
        }
        DataType::Decimal256(..) => {
            text.push_str(&array.as_primitive::<Decimal256Type>().value_as_string(row));
        }
        kind => {
            let (value, unit): (i64, _) = match kind {
                DataType::Date32 => (i64::from(value!(Date32Type)) * 86_400, TimeUnit::Second),
                DataType::Date64 => (value!(Date64Type), TimeUnit::Millisecond),
                DataType::Time32(TimeUnit::Second) => {
                    (value!(Time32SecondType).into(), TimeUnit::Second)
                }
                DataType::Time32(unit) => (value!(Time32MillisecondType).into(), *unit),
                DataType::Time64(TimeUnit::Nanosecond) => {
                    (value!(Time64NanosecondType), TimeUnit::Nanosecond)
                }
                DataType::Time64(unit) => (value!(Time64MicrosecondType), *unit),
                DataType::Duration(unit) => match unit {
                    TimeUnit::Second => (value!(DurationSecondType), *unit),
                    TimeUnit::Millisecond => (value!(DurationMillisecondType), *unit),
                    TimeUnit::Microsecond => (value!(DurationMicrosecondType), *unit),
                    TimeUnit::Nanosecond => (value!(DurationNanosecondType), *unit),
                },
                DataType::Timestamp(unit, _) => match unit {
                    TimeUnit::Second => (value!(TimestampSecondType), *unit),
                    TimeUnit::Millisecond => (value!(TimestampMillisecondType), *unit),
                    TimeUnit::Microsecond => (value!(TimestampMicrosecondType), *unit),
                    TimeUnit::Nanosecond => (value!(TimestampNanosecondType), *unit),
                },
                _ => return Ok(()),
            };
            push_milliseconds(value, unit, text)?;
        }
    }
    Ok(())
}

/// Appends a time in milliseconds: floats could not tell nanoseconds of a date apart.
fn push_milliseconds(value: i64, unit: TimeUnit, text: &mut String) -> Result {
    let (parts, digits) = match unit {
        TimeUnit::Second => return write!(text, "{}", i128::from(value) * 1000),
        TimeUnit::Millisecond => return write!(text, "{value}"),
        TimeUnit::Microsecond => (1000, 3),
        TimeUnit::Nanosecond => (1_000_000, 6),
    };
    let size = value.unsigned_abs();
    let (whole, part) = (size / parts, size % parts);
    let sign = if value < 0 { "-" } else { "" };
    write!(text, "{sign}{whole}")?;
    if part > 0 {
        let part = format!("{part:0digits$}");
        write!(text, ".{}", part.trim_end_matches('0'))?;
    }
    Ok(())
}
