//! Tells UTF-8 from what else tables come in.

use std::path::Path;

use crate::error::ReadError;
use crate::table::line_of;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a file, without its byte-order mark.
///
/// # Errors
/// If the bytes are not UTF-8, or hold zero bytes, as UTF-16 without a mark does.
pub(crate) fn decode(file: &Path, bytes: Vec<u8>) -> Result<String, ReadError> {
    let fault = |before: &[u8], found: String, encoding| ReadError::Encoding {
        file: file.to_owned(),
        row: line_of(before),
        offset: before.len(),
        found,
        encoding,
    };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(fault(&[], "the byte-order mark of UTF-16".to_owned(), "UTF-16"));
    }
    if let Some(offset) = bytes.iter().position(|&b| b == 0) {
        // Without a mark, the place of the first zero tells the order of the bytes.
        let encoding = if offset % 2 == 1 { "UTF-16LE" } else { "UTF-16BE" };
        return Err(fault(&bytes[..offset], "the byte 0x00".to_owned(), encoding));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let (before, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let code = rest.first().copied().unwrap_or_default();
        let bytes = [code];
        let (letter, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes);
        let found = format!("the byte {code:#04x} ({letter:?} in Windows-1252)");
        fault(before, found, "WINDOWS-1252")
    })?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(text)
}
